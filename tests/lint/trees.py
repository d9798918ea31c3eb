"""Trees of files for tests of what a run looks at, and calls of `dradsl lint` in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner, Result

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["BAD", "GOOD", "as_json", "lint", "places", "shown_files", "write"]

GOOD = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu, namespace: ml}
spec:
  devices:
    requests:
    - name: gpu
      exactly: {deviceClassName: gpu.nvidia.com}
"""
BAD = GOOD.replace("deviceClassName", "deviceClassNam")


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """The files by their paths, with the folders that they need."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def lint(*words: str, stdin: str | bytes = "") -> Result:
    return CliRunner().invoke(command, ["--isolated", *words], input=stdin)


def as_json(*words: str, stdin: str | bytes = "") -> dict[str, Any]:
    result = lint(*words, "--output-format", "json", stdin=stdin)
    assert result.exit_code in (0, 1), result.output
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def places(*words: str, stdin: str | bytes = "") -> list[tuple[str, int, int, str]]:
    """Path, line, column and code of each finding."""
    found = as_json(*words, stdin=stdin)["findings"]
    return [(one["path"], one["line"], one["column"], one["code"]) for one in found]


def shown_files(*words: str) -> dict[str, str | None]:
    """What `--show-files` says: why a file is left out, None for one that is read."""
    result = lint(*words, "--show-files", "--output-format", "json")
    assert result.exit_code == 0, result.output
    return {one["path"]: one["reason"] for one in json.loads(result.stdout)["files"]}

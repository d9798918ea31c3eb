"""What the playground runs in the browser: one call of the command line, its exit code and its output."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path

__all__ = ["run"]

FLEETS = Path(__file__).parent / "fleets"


def run(task: str, text: str, release: str, fleet: str) -> tuple[int, str]:
    """Lint or simulate a manifest, or check a selector."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        if task == "cel":
            return _selector(text, release)
        Path("manifest.yaml").write_text(text, "utf-8")
        words = ["lint", "--isolated", "manifest.yaml"]
        if task == "simulate":
            words = ["simulate", "manifest.yaml", "--slices", str(FLEETS / Path(fleet).name)]
        return _called([*words, "--kube-version", release])


_CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: playground
spec:
  selectors:
  - cel:
      expression: |-
"""


def _selector(text: str, release: str) -> tuple[int, str]:
    """What the API server says of a selector, then what the schemas of drivers say of the names in it."""
    Path("selector.cel").write_text(text, "utf-8")
    code, said = _called(["cel", "check", "selector.cel", "--kube-version", release])
    if code:
        return code, said
    lines = "".join(f"        {line}\n" for line in text.strip().split("\n"))
    Path("class.yaml").write_text(_CLASS + lines, "utf-8")
    words = ["lint", "--isolated", "--select", "DRA2", "class.yaml", "--kube-version", release]
    code, found = _called(words)
    return code, f"{said}\nIn a DeviceClass, against the schemas of known drivers:\n\n{found}"


def _called(words: list[str]) -> tuple[int, str]:
    from dradsl.cli import _COMMANDS
    from dradsl.cli.group import group_of

    written = io.BytesIO()
    out = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
    code: object = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            group_of(_COMMANDS)(words, prog_name="dradsl")
        except SystemExit as end:
            code = end.code
    return (code if isinstance(code, int) else 0), written.getvalue().decode("utf-8", "replace")

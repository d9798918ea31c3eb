"""1,000 real manifests with their findings: a lint run against the bare C compose of the same bytes.

The files are the manifests of this repository: examples, broken ones too, what the migrations start
from and lead to, what the builders write, and manifests of other projects. They are repeated until
they are 1,000; every repetition gives the objects names of its own.
"""

from __future__ import annotations

import gc
import io
import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

import yaml

from benchmarks.measure import paired_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).resolve().parent.parent
_FILES = 1000
_FOLDERS = (
    "examples/broken",
    "examples/manifests",
    "examples/migrations",
    "tests/dsl/golden",
    "tests/dsl/samples",
    "tests/migrate/inputs",
)


def manifests() -> list[tuple[str, bytes]]:
    """Name and content of the 1,000 files."""
    originals = [
        (path.relative_to(_ROOT).with_suffix("").as_posix(), path.read_text())
        for folder in _FOLDERS
        for path in sorted((_ROOT / folder).rglob("*.yaml"))
        if _is_manifest(path)
    ]
    copies = itertools.count()
    endless = ((name, text, n) for n in copies for name, text in originals)
    return [
        (f"{name}-{n}.yaml", _renamed(text, n).encode())
        for name, text, n in itertools.islice(endless, _FILES)
    ]


def _is_manifest(path: Path) -> bool:
    """Whether a file holds objects only: no values of a chart, no template."""
    try:
        documents = [d for d in yaml.safe_load_all(path.read_bytes()) if d is not None]
    except yaml.YAMLError:
        return False
    return bool(documents) and all("kind" in document for document in documents)


def _renamed(text: str, number: int) -> str:
    """The same objects with a number at the end of their names, also where these are named."""
    names = set(_names(text))
    return re.sub(
        r"(?m)(?<=[\s\"'])[a-z0-9.-]+(?=[\"']?$)",
        lambda found: f"{found[0]}-{number}" if found[0] in names else found[0],
        text,
    )


def _names(text: str) -> Iterator[str]:
    for document in yaml.safe_load_all(text):
        if document is not None:
            yield cast("str", document.get("metadata", {}).get("name", ""))


def main() -> None:
    from dradsl.lint.engine.run import lint
    from dradsl.lint.engine.state import RunInput
    from dradsl.lint.report import ReportOptions, render
    from dradsl.lint.settings.config import LintConfig
    from dradsl.text.documents import load
    from dradsl.tree.inputs.sources import SourceText

    gc.set_threshold(500_000, 50, 100)  # as the command line does
    files = manifests()
    config = LintConfig(root=Path.cwd())

    def compose() -> None:
        for _, text in files:
            for _ in yaml.compose_all(text, Loader=yaml.CSafeLoader):
                pass

    def read() -> RunInput:
        return RunInput(tuple(SourceText(name, load(text)) for name, text in files))

    def report() -> None:
        render("text", lint(read(), config), io.StringIO(), ReportOptions())

    findings = len(lint(read(), config).findings)
    print(
        f"\n{_FILES} real manifests, {findings} findings      ours   bare C compose   ratio   aim"
    )
    for title, call, aim in (
        ("read into positioned nodes", read, "-"),
        ("everything", lambda: lint(read(), config), "<= 3x"),
        ("everything, and a report as text", report, "-"),
    ):
        ours, bare, ratio = paired_calls(call, compose, runs=15)
        print(f"{title:<34} {ours * 1e3:7.0f} ms {bare * 1e3:11.0f} ms {ratio:9.2f}x  {aim}")


if __name__ == "__main__":
    main()

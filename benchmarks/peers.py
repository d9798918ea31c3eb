"""dradsl beside other programs: checkers of manifests as whole processes, and the engines of `benchmarks.engines`.

    python -m benchmarks.peers [--release 1.36] [--picture FILE.svg] [--page]

Checkers that are on the PATH are measured: yamllint, kubernetes-validate, kubeconform, kubectl-validate, kube-linter.
kubeconform and kubectl-validate get their schemas from the network, which is not measured here: kubeconform is given those
of kubernetes-validate, kubectl-validate those in the sources of Kubernetes that the variable KUBERNETES_SOURCES
names (a checkout of the release, or the folder of the Go module). One that does not accept the one file, which is
right, is not measured.
They look for other things: schemas or spelling of YAML, where dradsl also compiles expressions, looks
up classes and claims, and compares selectors with drivers.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.engines import allocators, selectors
from benchmarks.measure import run
from benchmarks.picture import bars, shown
from benchmarks.real_manifests import manifests
from benchmarks.schemas import for_kubeconform, for_kubectl_validate, of_package
from dradsl._version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.engines import Row

_ONE = Path(__file__).resolve().parent.parent / "examples/manifests/training.yaml"
_RUNS = 3
_RELEASE = "1.37"
_PAGE = Path(__file__).resolve().parent.parent / "docs/benchmarks.md"
_START, _END = "<!-- peers -->", "<!-- end -->"


@dataclass(frozen=True)
class Tool:
    """A checker: its version, and the words that run it on files or folders named behind them."""

    name: str
    version: str
    words: tuple[str, ...]
    takes_folders: bool = True


def checkers(folder: Path, release: str) -> Iterator[Tool | str]:
    """The checkers for a release, and the names of those that are not here; schemas for them come below `folder`."""
    lint = (sys.executable, "-m", "dradsl", "lint", "--isolated", f"--kube-version={release}")
    yield Tool("dradsl lint", __version__, lint)
    package = shutil.which("kubernetes-validate")
    for name, words, takes_folders in (
        ("yamllint", ("-d", "relaxed"), True),
        ("kubernetes-validate", ("--strict", "--quiet", "-k", f"{release}.0"), False),
        ("kubeconform", _kubeconform(release, package, folder / "kubeconform"), True),
        ("kubectl-validate", _kubectl_validate(release, folder / "kubectl-validate"), True),
        # Its default checks are of good practice, and reject many right files.
        (
            "kube-linter",
            ("lint", "--do-not-auto-add-defaults", "--include", "duplicate-env-var"),
            True,
        ),
    ):
        program = shutil.which(name)
        if program is None:
            yield name
        else:
            known = _go_version(program) if name.startswith("kube") else None
            version = known or _version(program)
            yield Tool(name, version, (program, *words), takes_folders)


def _kubeconform(release: str, package: str | None, folder: Path) -> tuple[str, ...]:
    words = ("-strict", "-ignore-missing-schemas", "-kubernetes-version", f"{release}.0")
    schemas = None if package is None else of_package(package, f"{release}.0")
    if schemas is None:
        return words
    folder.mkdir()
    return (*words, "-schema-location", for_kubeconform(schemas, folder))


def _kubectl_validate(minor: str, folder: Path) -> tuple[str, ...]:
    words = ("--version", minor)
    sources = os.environ.get("KUBERNETES_SOURCES")
    found = None if sources is None else for_kubectl_validate(Path(sources), folder)
    # With schemas of its own it takes those of no other release than the newest that it knows.
    return words if found is None else ("--local-schemas", str(found))


def _version(program: str) -> str:
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"\d+\.\d[\w.+-]*", done.stdout)
    return found[0] if found else "unknown"


def _go_version(program: str) -> str | None:
    """The version of the module that a Go program was built of; None for other programs."""
    if shutil.which("go") is None:
        return None
    words = ["go", "version", "-m", program]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = re.search(r"^\tmod\t\S+\t(\S+)", done.stdout, re.MULTILINE)
    return found[1] if found else None


def _seconds(tool: Tool, files: list[str]) -> tuple[float, float, int]:
    """Processor seconds and MiB of memory, medians, and the exit code."""
    used = [run([*tool.words, *files]) for _ in range(_RUNS)]
    return (
        statistics.median(each.seconds for each in used),
        statistics.median(each.peak_bytes for each in used) / 2**20,
        used[0].exit_code,
    )


def _measured(release: str) -> tuple[list[str], list[Row]]:
    """The rows of the table of checkers, and for the picture the times of 1,000 files."""
    rows: list[str] = []
    bars: list[Row] = []
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as schemas:
        folder = Path(name)
        paths = []
        for number, (_, text) in enumerate(manifests()):
            path = folder / f"{number:04d}.yaml"
            path.write_bytes(text)
            paths.append(str(path))
        one = folder / "one" / "one.yaml"
        one.parent.mkdir()
        one.write_bytes(_ONE.read_bytes())
        ours = None
        for tool in checkers(Path(schemas), release):
            if isinstance(tool, str):
                rows.append(f"| {tool} | not installed | | | | |")
                continue
            small, _, code = _seconds(tool, [str(one)])
            if code:
                rows.append(f"| {tool.name} | {tool.version} | rejects a right file | | | |")
                continue
            large, memory, _ = _seconds(tool, [name] if tool.takes_folders else paths)
            ours = ours or large
            bars.append((tool.name, tool.version, large))
            rows.append(
                f"| {tool.name} | {tool.version} | {small * 1e3:.0f} ms | {large:.2f} s"
                f" | {large / ours:.1f} | {memory:.0f} MiB |"
            )
    return rows, bars


def _of_engines(groups: list[tuple[str, list[Row]]]) -> list[str]:
    rows = ["| | | version | time | ratio to dradsl |", "| --- | --- | --- | --- | --- |"]
    for title, found in groups:
        if len(found) < 2:
            rows.append(f"| {title} | no peer is installed | | | |")
            continue
        ours = found[0][2]
        rows += [
            f"| {title} | {name} | {version} | {shown(seconds)} | {seconds / ours:.2g} |"
            for name, version, seconds in found
        ]
    return rows


def main() -> None:
    """Measure all that is here, and print the tables; the call may also want a picture, and the page written anew."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--release", default=_RELEASE, help="of Kubernetes")
    parser.add_argument("--picture", type=Path, help="where to write a picture of it (SVG)")
    parser.add_argument(
        "--page", action="store_true", help="write the tables into docs/benchmarks.md"
    )
    given = parser.parse_args()
    rows, bars_of_checkers = _measured(given.release)
    compiling, evaluating = selectors()
    groups = [
        ("1,000 manifests", bars_of_checkers),
        ("five pods on 300 nodes", allocators(given.release)),
        ("seven selectors compiled", compiling),
        ("seven selectors, for a device", evaluating),
    ]
    note = f"Python {platform.python_version()}, {platform.machine()}, Kubernetes {given.release}"
    head = [
        "| Checker | version | one file | 1,000 files | ratio to dradsl | memory |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    text = "\n".join([f"{note}; processor time.", "", *head, *rows, "", *_of_engines(groups[1:])])
    print(text)
    if given.picture is not None:
        there = [(title, found) for title, found in groups if len(found) > 1]
        given.picture.write_text(bars(there, f"{note}; less is better"), encoding="utf-8")
    if given.page:
        before, _, rest = _PAGE.read_text(encoding="utf-8").partition(_START)
        after = rest.partition(_END)[2]
        _PAGE.write_text(f"{before}{_START}\n\n{text}\n\n{_END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()

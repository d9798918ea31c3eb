"""dradsl beside other checkers of manifests, as whole processes on the same files.

Those that are on the PATH are measured: yamllint, kubernetes-validate, kubeconform, kubectl-validate.
The last two get their schemas from the network, which is not measured here: kubeconform is given those
of kubernetes-validate, kubectl-validate those in the sources of Kubernetes that the variable KUBERNETES_SOURCES
names (a checkout of the release, or the folder of the Go module). One that does not accept the one file, which is
right, is not measured.
They look for other things: schemas or spelling of YAML, where dradsl also compiles expressions, looks
up classes and claims, and compares selectors with drivers.
"""

from __future__ import annotations

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

from benchmarks.measure import run
from benchmarks.real_manifests import manifests
from benchmarks.schemas import for_kubeconform, for_kubectl_validate, of_package
from dradsl._version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

_ONE = Path(__file__).resolve().parent.parent / "examples/manifests/training.yaml"
_RUNS = 3
_RELEASE = "1.36.0"


@dataclass(frozen=True)
class Tool:
    """A checker: its version, and the words that run it on files or folders named behind them."""

    name: str
    version: str
    words: tuple[str, ...]
    takes_folders: bool = True


def _tools(folder: Path) -> Iterator[Tool | str]:
    """The checkers, and the names of those that are not here; schemas for them come below `folder`."""
    minor = _RELEASE.rpartition(".")[0]
    lint = (sys.executable, "-m", "dradsl", "lint", "--isolated", f"--kube-version={minor}")
    yield Tool("dradsl lint", __version__, lint)
    package = shutil.which("kubernetes-validate")
    for name, words, takes_folders in (
        ("yamllint", ("-d", "relaxed"), True),
        ("kubernetes-validate", ("--strict", "--quiet", "-k", _RELEASE), False),
        ("kubeconform", _kubeconform(package, folder / "kubeconform"), True),
        ("kubectl-validate", _kubectl_validate(minor, folder / "kubectl-validate"), True),
    ):
        program = shutil.which(name)
        if program is None:
            yield name
        else:
            known = _go_version(program) if name.startswith("kube") else None
            version = known or _version(program)
            yield Tool(name, version, (program, *words), takes_folders)


def _kubeconform(package: str | None, folder: Path) -> tuple[str, ...]:
    words = ("-strict", "-ignore-missing-schemas", "-kubernetes-version", _RELEASE)
    schemas = None if package is None else of_package(package, _RELEASE)
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


def main() -> None:
    python = f"Python {platform.python_version()}"
    print(
        f"\n{python}, {platform.machine()}, release {_RELEASE}; processor time, median of {_RUNS}"
    )
    print("| | version | one file | 1,000 files | ratio to dradsl | memory | exit |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
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
        for tool in _tools(Path(schemas)):
            if isinstance(tool, str):
                print(f"| {tool} | not installed |")
                continue
            small, _, code = _seconds(tool, [str(one)])
            if code:
                print(
                    f"| {tool.name} | {tool.version} | not measured: exit {code} for a right file |"
                )
                continue
            files = [name] if tool.takes_folders else paths
            large, memory, code = _seconds(tool, files)
            ours = ours or large
            print(
                f"| {tool.name} | {tool.version} | {small * 1e3:.0f} ms | {large:.2f} s"
                f" | {large / ours:.1f} | {memory:.0f} MiB | {code} |",
                flush=True,
            )


if __name__ == "__main__":
    main()

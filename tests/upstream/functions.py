"""The recorded list of upstream's functions, `functions.txt`: reading, writing, comparing releases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Difference", "Functions", "difference", "read", "write"]

FILE = Path(__file__).with_name("functions.txt")

Functions: TypeAlias = "dict[tuple[str, str], str]"
"""(path, function) -> hash of the function's text, of one release."""

Difference: TypeAlias = "tuple[str, str, str]"
"""What happened ("added", "removed", "changed"), path, function."""

_NONE = "-"


def read(file: Path = FILE) -> dict[str, Functions]:
    """Release -> its functions."""
    if not file.exists():
        return {}
    head, *lines = file.read_text(encoding="utf-8").splitlines()
    releases = head.split()[1:]
    found: dict[str, Functions] = {release: {} for release in releases}
    path = ""
    for line in lines:
        if not line.startswith(" "):
            path = line
            continue
        function, *marks = line.split()
        for release, mark in zip(releases, marks, strict=True):
            if mark != _NONE:
                found[release][path, function] = mark
    return found


def write(recorded: Mapping[str, Functions], file: Path = FILE) -> None:
    """Write the list, files and functions in order."""
    file.write_text("\n".join(_lines(recorded)) + "\n", encoding="utf-8")


def _lines(recorded: Mapping[str, Functions]) -> Iterator[str]:
    yield " ".join(["#", *recorded])
    last = ""
    for path, function in sorted({key for functions in recorded.values() for key in functions}):
        if path != last:
            yield path
            last = path
        marks = [functions.get((path, function), _NONE) for functions in recorded.values()]
        yield " ".join([" ", function, *marks]).replace("  ", " ", 1)


def _module(path: str) -> str:
    """The module of a path: its first two parts, or that of k8s.io/kubernetes itself."""
    first, *rest = path.split("/")
    return f"{first}/{rest[0]}" if "." in first and rest else ""


def difference(before: Functions, after: Functions) -> Iterator[Difference]:
    """What differs between two releases, file by file, in the modules that both were listed of."""
    modules = {_module(path) for path, _ in before} & {_module(path) for path, _ in after}
    for key in sorted({*before, *after}):
        if _module(key[0]) not in modules:
            continue
        old, new = before.get(key), after.get(key)
        if old is None:
            yield "added", *key
        elif new is None:
            yield "removed", *key
        elif old != new:
            yield "changed", *key

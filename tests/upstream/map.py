"""The map from upstream's Go functions to ours: `python -m tests.upstream.map [--file PART] [--open]`.

    python -m tests.upstream.map                          # every function of the newest release
    python -m tests.upstream.map --file pools_            # of files whose path has that in it
    python -m tests.upstream.map --between 1.36 1.37      # added, removed and changed functions
    python -m tests.upstream.map --open                   # functions without a place or a reason

Beside each function stands what follows it in dradsl, or why nothing does.
"""

from __future__ import annotations

import argparse
import functools
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.releases import newest_release
from tests.upstream.functions import difference, read
from tests.upstream.references import Reference, references

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Reason", "answer", "main", "reasons"]

REASONS = Path(__file__).with_name("reasons.md")


class Reason(Reference):
    """A row of `reasons.md`: `ours` is the reason, or "→" and dotted names in dradsl."""

    @property
    def targets(self) -> tuple[str, ...]:
        """The names that the row points to, if it does."""
        if not self.ours.startswith("→"):
            return ()
        return tuple(name.strip() for name in self.ours[1:].split(","))


@functools.cache
def reasons() -> tuple[Reason, ...]:
    """The rows of `reasons.md`, in order."""
    found = []
    for line in REASONS.read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            file, names, text = (cell.strip() for cell in line.strip("| ").split("|"))
            patterns = tuple(name.strip("` ") for name in names.split(","))
            found.append(Reason(text, patterns, file.strip("`")))
    return tuple(found)


@functools.cache
def _references() -> tuple[Reference, ...]:
    return tuple(references())


@functools.cache
def _of_file(path: str) -> tuple[tuple[Reference, ...], tuple[Reason, ...]]:
    """What speaks of a Go file."""
    code = tuple(each for each in _references() if each.in_file(path))
    return code, tuple(each for each in reasons() if each.in_file(path))


@functools.cache
def answer(path: str, function: str) -> tuple[tuple[str, ...], str]:
    """What follows a function of upstream, and the reason if nothing does; both empty if it is open.

    A reference that names the function goes before one with a star.
    """
    switches = ("releases.scheduling.", "releases.server.")
    code_of_file, reasons_of_file = _of_file(path)
    rows = [each for each in reasons_of_file if each.names(function)][:1]
    found = [each for each in code_of_file if each.names(function)]
    found += [each for each in rows if each.targets]
    code = [each for each in found if not each.ours.startswith(switches)] or found
    exact = [each for each in code if each.is_exact(function)] or code
    ours: list[str] = []
    for each in exact:
        ours += each.targets if isinstance(each, Reason) else [each.ours]
    if ours:
        return tuple(dict.fromkeys(ours)), ""
    return (), rows[0].ours if rows else ""


def _shown(path: str, function: str) -> str:
    ours, reason = answer(path, function)
    return ", ".join(ours) or (f"not followed: {reason}" if reason else "OPEN")


def _lines(options: argparse.Namespace) -> Iterator[str]:
    recorded = read()
    last = ""
    if options.between:
        before, after = (recorded[name] for name in options.between)
        rows = [(path, name, f"{what:8}") for what, path, name in difference(before, after)]
    else:
        rows = [
            (path, name, "") for path, name in recorded[options.release or newest_release().name]
        ]
    for path, name, what in rows:
        if options.file and options.file not in path and not fnmatchcase(path, options.file):
            continue
        if options.open and any(answer(path, name)):
            continue
        if path != last:
            yield f"\n{path}"
            last = path
        yield f"  {what}{name}: {_shown(path, name)}"
    if options.between and not options.open:
        counts = [sum(row[2].startswith(word) for row in rows) for word in ("add", "rem", "cha")]
        yield "\n{} added, {} removed, {} changed between {} and {}".format(
            *counts, *options.between
        )


def main(arguments: list[str] | None = None) -> int:
    """Print the map."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--release", help="the functions of this release; the newest, if not said")
    parser.add_argument("--file", help="only files whose path has this in it")
    parser.add_argument("--between", nargs=2, metavar=("FROM", "TO"), help="two releases")
    parser.add_argument("--open", action="store_true", help="only what has no place and no reason")
    sys.stdout.write("\n".join(_lines(parser.parse_args(arguments))) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

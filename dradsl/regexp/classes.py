"""Sets of characters in patterns: ranges, the classes of Perl and POSIX, Unicode, case folding."""

from __future__ import annotations

import functools
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from dradsl.values.json_types import JsonObject

__all__ = [
    "ANY",
    "NOT_NEWLINE",
    "PERL",
    "POSIX",
    "Ranges",
    "clean",
    "folded",
    "holds",
    "is_word",
    "negated",
    "unicode_class",
]

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Code points from and to, both included, in order and apart from each other."""

MAX_RUNE = 0x10FFFF
ANY: Ranges = ((0, MAX_RUNE),)
NOT_NEWLINE: Ranges = ((0, 9), (11, MAX_RUNE))


def clean(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The ranges in order, those that touch or overlap made one."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def negated(ranges: Ranges) -> Ranges:
    """All code points that are not in the ranges."""
    bounds = ((-1, -1), *ranges, (MAX_RUNE + 1, MAX_RUNE + 1))
    return tuple(
        (before[1] + 1, after[0] - 1)
        for before, after in pairwise(bounds)
        if before[1] + 1 <= after[0] - 1
    )


def holds(ranges: Ranges, rune: int) -> bool:
    """Whether a code point is in the ranges."""
    if len(ranges) < 8:
        for low, high in ranges:
            if rune <= high:
                return low <= rune
        return False
    from bisect import bisect_right

    at = bisect_right(ranges, (rune, MAX_RUNE)) - 1
    return at >= 0 and rune <= ranges[at][1]


def _of(text: str) -> Ranges:
    """`"09AZ"` is 0 to 9 and A to Z."""
    return tuple((ord(text[at]), ord(text[at + 1])) for at in range(0, len(text), 2))


_WORD = _of("09AZ__az")
PERL: dict[str, Ranges] = {
    "d": _of("09"),
    "s": _of("\t\n\f\r  "),
    "w": _WORD,
}
"""What `\\d`, `\\s` and `\\w` stand for; the capital letters stand for all else."""

POSIX: dict[str, Ranges] = {
    "alnum": _of("09AZaz"),
    "alpha": _of("AZaz"),
    "ascii": _of("\0\x7f"),
    "blank": _of("\t\t  "),
    "cntrl": _of("\0\x1f\x7f\x7f"),
    "digit": _of("09"),
    "graph": _of("!~"),
    "lower": _of("az"),
    "print": _of(" ~"),
    "punct": _of("!/:@[`{~"),
    "space": _of("\t\r  "),
    "upper": _of("AZ"),
    "word": _WORD,
    "xdigit": _of("09AFaf"),
}
"""What `[:alnum:]` and the like stand for inside of brackets."""


def is_word(rune: int) -> bool:
    """Whether `\\b` counts a code point as part of a word."""
    return holds(_WORD, rune)


@functools.cache
def _orbits() -> dict[int, tuple[int, ...]]:
    """For each code point that has cases, all that are equal to it but for the case."""
    orbits: dict[int, tuple[int, ...]] = {}
    for first, count, step, *others in _tables()["folds"]:
        for rune in range(first, first + count * step, step):
            members = (rune, *(rune + other for other in others))
            orbits.update(dict.fromkeys(members, members))
    return orbits


_LATIN = {ord("k"): 0x212A, ord("K"): 0x212A, ord("s"): 0x17F, ord("S"): 0x17F}
"""The two letters of ASCII whose orbits reach beyond it."""


def folded(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The ranges with all that is equal to one of them but for the case."""
    result: list[tuple[int, int]] = []
    for low, high in ranges:
        result.append((low, high))
        if high < 0x80:
            for rune in range(low, high + 1):
                other = ord(chr(rune).swapcase())
                result.append((other, other))
                if rune in _LATIN:
                    result.append((_LATIN[rune], _LATIN[rune]))
        else:
            orbits = _orbits()
            inside = (
                range(low, high + 1)
                if high - low < len(orbits)
                else (rune for rune in orbits if low <= rune <= high)
            )
            for rune in inside:
                result.extend((other, other) for other in orbits.get(rune, ()))
    return clean(result)


@functools.cache
def unicode_class(name: str, fold: bool = False) -> Ranges | None:
    """The code points of a general category such as `Lu` or `Letter`, of a script, or `Any`.

    With `fold` also those that are equal to one of them but for the case. None for other names.
    Case, spaces, `_` and `-` in names do not count. The names and the version of Unicode are those
    of Go 1.25 and 1.26, with which the newest patches of Kubernetes 1.34 to 1.37 are built.

    Upstream: Go's package regexp/syntax, parse.go, unicodeTable, and package unicode, tables.go.
    """
    if not name.isascii():
        return None
    name = _canonical(name)
    category = _categories().get(name)
    script = _tables()["scripts"].get(name)
    if name == "Any":
        ranges = ANY
    elif name == "Assigned":
        ranges = negated(_category("Cn"))
    elif name == "Ascii":
        ranges = ((0, 0x7F),)
    elif category is not None:
        ranges = _category(category)
    elif script is not None:
        # Go looks scripts up as they are written there: those of two words are found by no name.
        ranges = _ranges(script)
    else:
        return None
    # Go has a table of what folding adds to each category but this one.
    return folded(ranges) if fold and category != "LC" else ranges


def _canonical(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").capitalize()


@functools.cache
def _tables() -> JsonObject:
    """The tables of Go's package unicode, written by tests/regexp/upstream."""
    import json
    from pathlib import Path

    tables: JsonObject = json.loads(Path(__file__).with_name("unicode.json").read_text("ascii"))
    return tables


@functools.cache
def _categories() -> dict[str, str]:
    """The categories by their names, short and long."""
    long = {_canonical(name): short for name, short in _tables()["names"].items()}
    two = ("Cn", "LC", *_tables()["categories"])
    return long | {_canonical(name): name for name in (*two, *{name[0] for name in two})}


@functools.cache
def _category(name: str) -> Ranges:
    known = _tables()["categories"]
    if name == "Cn":
        return negated(clean(each for ranges in known.values() for each in _ranges(ranges)))
    inside = (
        ("Lu", "Ll", "Lt") if name == "LC" else [each for each in known if each.startswith(name)]
    )
    found = [each for short in inside for each in _ranges(known[short])]
    return clean([*found, *(_category("Cn") if name == "C" else ())])


def _ranges(text: str) -> Ranges:
    """The code points of a table: `gap,length,stride` of each range, in base 36."""
    ranges: list[tuple[int, int]] = []
    last = 0
    for part in text.split():
        given = [int(number, 36) for number in part.split(",")]
        gap, length, stride = (*given, *(0, 0, 1)[len(given) :])
        low, last = last + gap, last + gap + length
        if stride == 1:
            ranges.append((low, last))
        else:
            ranges += [(rune, rune) for rune in range(low, last + 1, stride)]
    return clean(ranges)

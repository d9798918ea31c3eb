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
        return any(low <= rune <= high for low, high in ranges)
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
    alike: dict[str, list[int]] = {}
    for rune in range(0x41, 0x1E944):
        letter = chr(rune)
        if letter.lower() != letter or letter.upper() != letter or letter.casefold() != letter:
            alike.setdefault(_fold(letter), []).append(rune)
    orbits: dict[int, tuple[int, ...]] = {}
    for key, runes in alike.items():
        members = tuple(sorted({*runes, ord(key)}))
        if len(members) > 1:
            orbits.update(dict.fromkeys(members, members))
    return orbits


def _fold(letter: str) -> str:
    """Unicode's simple case folding."""
    for form in (letter.casefold(), letter.lower()):
        if len(form) == 1:
            return form
    return letter


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
def unicode_class(name: str) -> Ranges | None:
    """The code points of a general category such as `Lu` or `Letter`, of a script, or `Any`.

    Case, spaces, `_` and `-` in names do not count, as in Go since 1.25 (Kubernetes 1.35). None for
    other names. The version of Unicode is Python's for categories, Go's for scripts.
    """
    name = _canonical(name)
    if name == "Any":
        return ANY
    if name == "Assigned":
        return negated(_category("Cn"))
    if name == "Ascii":
        return ((0, 0x7F),)
    category = _categories().get(name)
    if category is not None:
        return _category(category)
    ranges = _names()["scripts"].get(name)
    return None if ranges is None else clean(zip(ranges[::2], ranges[1::2], strict=True))


def _canonical(name: str) -> str:
    return name.replace("_", "").replace("-", "").replace(" ", "").capitalize()


@functools.cache
def _names() -> dict[str, JsonObject]:
    """The scripts' ranges (from, to, from, to ...) and categories' long names in Go.

    Recorded of Go's package unicode by tests/regexp.
    """
    import json
    from pathlib import Path

    recorded = json.loads(Path(__file__).with_name("unicode_names.json").read_text("ascii"))
    categories = {_canonical(name): value for name, value in recorded["categories"].items()}
    # Go looks scripts up as they are written there: those of two words are found by no name.
    return {"scripts": recorded["scripts"], "categories": categories}


@functools.cache
def _categories() -> dict[str, str]:
    short = {category for category, _, _ in _by_category()}
    short |= {category[0] for category in short} | {"LC"}
    return _names()["categories"] | {_canonical(name): name for name in short}


@functools.cache
def _category(name: str) -> Ranges:
    cased = ("Lu", "Ll", "Lt")
    return clean(
        (low, high)
        for category, low, high in _by_category()
        if (category in cased if name == "LC" else category.startswith(name))
    )


@functools.cache
def _by_category() -> tuple[tuple[str, int, int], ...]:
    import unicodedata

    runs: list[tuple[str, int, int]] = []
    start, current = 0, unicodedata.category("\0")
    for rune in range(1, MAX_RUNE + 2):
        category = unicodedata.category(chr(rune)) if rune <= MAX_RUNE else ""
        if category != current:
            runs.append((current, start, rune - 1))
            start, current = rune, category
    return tuple(runs)

"""The lines of a `.gitignore`: which names they leave out, as git reads them (its dir.c, wildmatch.c).

A line is matched in time that grows with its length and that of the path, whatever it holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from dradsl.records import Record, field
from dradsl.values.globs import ACROSS, FOLDERS, STAR, expression
from dradsl.values.limits import LONGEST_PATH, MOST_WILDCARDS
from dradsl.values.patterns import pattern

__all__ = ["IgnoreFile", "TooManyPatternsError"]


_PLAIN = pattern(r"[^*?\[\]\\/]+")
_ENDING = pattern(r"\*(\.[^*?\[\]\\/]+)")
_NAMED_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


class TooManyPatternsError(ValueError):
    """More lines with wildcards than are read."""


class _PatternLine(Record):
    """What a line says of the paths that it matches; `number` orders the lines of a file."""

    number: int
    keeps: bool  # `!`: what an earlier line left out is kept
    folders_only: bool


class IgnoreFile(Record):
    """The lines of one file. Names and endings are looked up, all other lines are tried."""

    names: dict[str, list[_PatternLine]] = field(default_factory=dict)
    endings: dict[str, list[_PatternLine]] = field(default_factory=dict)
    others: list[tuple[_PatternLine, re.Pattern[str]]] = field(default_factory=list)

    @classmethod
    def of(cls, text: str) -> IgnoreFile:
        """The file with the content `text`.

        Raises:
            TooManyPatternsError: if it has more than `MOST_WILDCARDS` lines that have to be tried.
        """
        found = cls()
        for number, written in enumerate(text.split("\n")):
            found._add(number, written.removesuffix("\r"))
        return found

    def _add(self, number: int, written: str) -> None:
        pattern = _without_trailing_spaces(written)
        if not pattern or pattern.startswith("#") or len(pattern) > LONGEST_PATH:
            return
        keeps = pattern.startswith("!")
        pattern = pattern[keeps:]
        line = _PatternLine(number, keeps, pattern.endswith("/"))
        pattern = pattern.removesuffix("/")
        ending = _ENDING.fullmatch(pattern)
        if _PLAIN.fullmatch(pattern):
            self.names.setdefault(pattern, []).append(line)
        elif ending:
            self.endings.setdefault(ending[1], []).append(line)
        elif pattern:
            if len(self.others) == MOST_WILDCARDS:
                raise TooManyPatternsError(f"has more than {MOST_WILDCARDS} patterns")
            compiled = _compiled(pattern)
            if compiled is not None:
                self.others.append((line, compiled))

    def decide(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether `path` is left out, by the last line that matches it; None if none does.

        `path` is relative to the folder of the file, with forward slashes.
        """
        found = self._last(path, is_folder=is_folder)
        return None if found is None else not found.keeps

    def decide_as_flux(self, path: str) -> bool | None:
        """Whether a file is left out, by the last line that matches it or a folder above, as sources of Flux read it
        (fluxcd/pkg sourceignore/gitignore)."""
        steps = path.split("/")
        found = [self._last(path, is_folder=False)]
        found += [self._last("/".join(steps[:end]), is_folder=True) for end in range(1, len(steps))]
        lines = [each for each in found if each is not None]
        return not max(lines, key=lambda each: each.number).keeps if lines else None

    def _last(self, path: str, *, is_folder: bool) -> _PatternLine | None:
        """The last line that matches a path."""
        best: _PatternLine | None = None
        for line in self._looked_up(path.rpartition("/")[2]):
            if (best is None or line.number > best.number) and (is_folder or not line.folders_only):
                best = line
        for line, expected in reversed(self.others):
            if best is not None and line.number < best.number:
                break
            if (is_folder or not line.folders_only) and expected.fullmatch(path):
                return line
        return best

    def _looked_up(self, name: str) -> Iterator[_PatternLine]:
        yield from self.names.get(name, ())
        if self.endings:
            dot = name.find(".")
            while dot >= 0:
                yield from self.endings.get(name[dot:], ())
                dot = name.find(".", dot + 1)


def _without_trailing_spaces(line: str) -> str:
    """Spaces at the end do not count, unless a backslash is before them."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return f"{bare} " if backslashes % 2 and bare != line else bare


def _compiled(pattern: str) -> re.Pattern[str] | None:
    """The expression for a whole path; None for a pattern that git never matches."""
    anchored = "/" in pattern
    pieces = _pieces(pattern.removeprefix("/"))
    if pieces is None:
        return None
    try:
        return re.compile(expression(pieces if anchored else [FOLDERS, *pieces]), re.DOTALL)
    except re.error:
        return None


def _pieces(pattern: str) -> list[str] | None:
    """Wildcards, and the expressions of all else; None for a class or an escape without an end."""
    pieces: list[str] = []
    at, end = 0, len(pattern)
    while at < end:
        sign = pattern[at]
        if sign == "*":
            stars = at
            while at < end and pattern[at] == "*":
                at += 1
            begins = stars == 0 or pattern[stars - 1] == "/"
            if at - stars == 2 and begins and pattern.startswith("/", at):
                pieces.append(FOLDERS)
                at += 1
            elif at - stars == 2 and begins and at == end:
                pieces.append(ACROSS)
            elif not pieces or pieces[-1] != STAR:
                pieces.append(STAR)
        elif sign == "[":
            found = _class(pattern, at)
            if found is None:
                return None
            expected, at = found
            pieces.append(expected)
        elif sign == "\\" and at + 1 == end:
            return None
        else:
            at += sign == "\\"
            pieces.append("[^/]" if sign == "?" else re.escape(pattern[at]))
            at += 1
    return pieces


def _class(pattern: str, start: int) -> tuple[str, int] | None:
    """The expression of the class that opens at `start`, and where it ends; None without an end."""
    at = start + 1
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    first = at
    members: list[str] = []
    while at < len(pattern):
        if pattern[at] == "]" and at > first:
            # A class of nothing but empty ranges matches nothing.
            inner = "".join(members)
            if negated:
                return f"[^/{inner}]", at + 1
            return (f"(?![/])[{inner}]" if inner else "(?!)"), at + 1
        name = pattern[at + 2 : pattern.find(":]", at)] if pattern.startswith("[:", at) else ""
        if name in _NAMED_CLASSES:
            members.append(_NAMED_CLASSES[name])
            at += len(name) + 4
            continue
        at += pattern[at] == "\\"
        low = pattern[at : at + 1]
        at += 1
        if pattern.startswith("-", at) and pattern[at + 1 : at + 2] not in ("", "]"):
            at += 1 + (pattern[at + 1] == "\\")
            high = pattern[at : at + 1]
            at += 1
            # The first character counts for itself, also in a range that runs backwards.
            members.append(f"{re.escape(low)}-{re.escape(high)}" if low <= high else re.escape(low))
        elif low:
            members.append(re.escape(low))
    return None

"""Unified diffs whose work grows with the texts: difflib's grows with their square."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Literal, TypeAlias

    _Tag: TypeAlias = Literal["replace", "delete", "insert", "equal"]
    _Change: TypeAlias = tuple[_Tag, int, int, int, int]

__all__ = ["unified_diff"]

_WINDOW = 1000
"""Lines that are compared at once; texts of no more have the same diff as difflib makes."""

_CONTEXT = 3


class _Known(SequenceMatcher[str]):
    """Changes that are found already, for difflib to group."""

    def __init__(self, changes: list[_Change]) -> None:
        super().__init__(None, "", "")
        self._changes = changes

    def get_opcodes(self) -> list[_Change]:
        return self._changes


def unified_diff(before: str, after: str, old_name: str, new_name: str) -> Iterator[str]:
    """The lines of a unified diff of two texts, with their ends; none if the texts are equal."""
    old, new = _lines_of(before), _lines_of(after)
    begun = False
    for group in _Known(_joined(_changes(old, new))).get_grouped_opcodes(_CONTEXT):
        if not begun:
            begun = True
            yield f"--- {old_name}\n"
            yield f"+++ {new_name}\n"
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in old[i1:i2])
            else:
                yield from (_line("-", line) for line in old[i1:i2])
                yield from (_line("+", line) for line in new[j1:j2])


def _lines_of(text: str) -> list[str]:
    """The lines as patch sees them: no other character than a newline ends one."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _line(mark: str, line: str) -> str:
    if line.endswith("\n"):
        return mark + line
    return f"{mark}{line}\n\\ No newline at end of file\n"


def _range(start: int, stop: int) -> str:
    length = stop - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[_Change]:
    """All changes, in order; long texts are cut at the lines that are once in both."""
    i = j = 0
    for at_old, at_new in _anchors(old, new) if max(len(old), len(new)) > _WINDOW else ():
        yield from _between(old, new, i, at_old, j, at_new)
        i, j = at_old + 1, at_new + 1
        yield "equal", at_old, i, at_new, j
    yield from _between(old, new, i, len(old), j, len(new))


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of lines that are once in both texts: the most that have one order in both."""
    counts, others = Counter(old), Counter(new)
    places = {line: i for i, line in enumerate(old) if counts[line] == 1 == others[line]}
    pairs = [(places[line], j) for j, line in enumerate(new) if line in places]
    # The longest rising row of places in the old text, by the lowest end of a row of each length.
    ends: list[int] = []
    last: list[int] = []
    former: list[int | None] = []
    for number, (i, _) in enumerate(pairs):
        length = bisect_left(ends, i)
        former.append(last[length - 1] if length else None)
        ends[length : length + 1] = [i]
        last[length : length + 1] = [number]
    row = []
    at = last[-1] if last else None
    while at is not None:
        row.append(pairs[at])
        at = former[at]
    return row[::-1]


def _between(
    old: Sequence[str], new: Sequence[str], i: int, i_end: int, j: int, j_end: int
) -> Iterator[_Change]:
    """What difflib says of one window after the other; the next one begins where the last common
    lines of this one end."""
    while i < i_end or j < j_end:
        before = old[i : min(i + _WINDOW, i_end)]
        after = new[j : min(j + _WINDOW, j_end)]
        found = SequenceMatcher(None, before, after).get_opcodes()
        if i + _WINDOW < i_end or j + _WINDOW < j_end:
            found = _up_to_common(found)
        for tag, i1, i2, j1, j2 in found:
            yield tag, i + i1, i + i2, j + j1, j + j2
        i, j = i + found[-1][2], j + found[-1][4]


def _up_to_common(found: list[_Change]) -> list[_Change]:
    """Without what follows the last common lines, unless that is most of the window."""
    common = [number for number, each in enumerate(found) if each[0] == "equal"]
    if common:
        kept = found[: common[-1] + 1]
        if max(kept[-1][2], kept[-1][4]) > _WINDOW // 4:
            return kept
    return found


def _joined(changes: Iterator[_Change]) -> list[_Change]:
    """Neighbours of one kind as one; a deletion beside an insertion is a replacement."""
    joined: list[_Change] = []
    for change in changes:
        if joined and (joined[-1][0] == "equal") == (change[0] == "equal"):
            tag, i1, _, j1, _ = joined.pop()
            one: _Tag = tag if tag == change[0] else "replace"
            change = (one, i1, change[2], j1, change[4])
        joined.append(change)
    return joined

"""The source line of a finding with carets under its span, cut to the terminal."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from dradsl.diagnostics import Span
from dradsl.lint.report.terminal import character_width
from dradsl.records import Record
from dradsl.values.printable import printable

__all__ = ["Excerpt", "excerpt"]

_TAB = "    "
_ELLIPSIS = "…"
_UNLIMITED = 160  # columns where no terminal says otherwise: a log stays readable
_NARROWEST = 20


class Excerpt(Record):
    """A line as shown, and the carets to print below it."""

    line: str
    carets: str


def excerpt(line: str, span: Span, width: int) -> Excerpt:
    """Show `line`, the first one of `span`, in at most `width` columns around the carets.

    A span over several lines is underlined to the end of its first; an empty span gets one caret.
    """
    room = max(width, _NARROWEST) if width > 0 else _UNLIMITED
    start = min(span.column - 1, len(line))
    end = len(line.rstrip()) if span.end_line > span.line else min(span.end_column - 1, len(line))
    end = max(end, start)
    # A minified file is one line of megabytes: look only at what can be shown.
    first = max(0, start - room)
    last = min(len(line), start + room)
    # Tabs are shown as blanks; all else is made visible as a whole, a character for each.
    shown = "\t".join(map(printable, line[first:last].split("\t")))
    if shown.isascii() and len(shown) == len(line) <= room and "\t" not in shown:
        return Excerpt(shown.rstrip(), " " * start + "^" * max(end - start, 1))
    cells = list(map({"\t": _TAB}.get, shown, shown))
    widths = list(map(len if shown.isascii() else _cell_width, cells))
    before = sum(widths[: start - first])
    marked = sum(widths[start - first : end - first])
    text = "".join(cells)
    if first == 0 and last == len(line) and sum(widths) <= room:
        return Excerpt(text.rstrip(), " " * before + "^" * max(marked, 1))
    return _cut(cells, widths, before, marked, room, (first > 0, last < len(line)))


def _cut(
    cells: list[str],
    widths: list[int],
    before: int,
    marked: int,
    room: int,
    more: tuple[bool, bool],
) -> Excerpt:
    """Show the window of `room` columns that has the carets a third from its left."""
    ends = [0, *accumulate(widths)]
    total = ends[-1]
    left = max(0, min(before - room // 3, total - room + 2))
    first = bisect_left(ends, left)
    skipped = ends[first]
    last = bisect_right(ends, skipped + room - 2) - 1
    used = ends[last] - skipped
    head = _ELLIPSIS if skipped or more[0] else ""
    tail = _ELLIPSIS if skipped + used < total or more[1] else ""
    indent = before - skipped + len(head)
    carets = max(1, min(marked, used + len(head) - indent))
    return Excerpt(head + "".join(cells[first:last]) + tail, " " * indent + "^" * carets)


def _cell_width(cell: str) -> int:
    return len(_TAB) if cell == _TAB else character_width(cell)

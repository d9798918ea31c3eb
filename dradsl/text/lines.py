"""Offsets in a text turned into lines and columns, and back."""

from __future__ import annotations

from bisect import bisect_left

from dradsl.diagnostics import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Lines", "MappedLines"]

_BLOCK = 1024
"""Line ends are counted for blocks of so many characters: a list of all lines of a file that is
nothing but line ends would take far more room than the file."""


class Lines:
    """The lines of a text. Offsets count code points from 0; lines and columns count from 1.

    A line ends with its `\\n`, which belongs to it; a `\\r` before that is an ordinary character.
    """

    __slots__ = ("_counts", "_starts", "text")

    editable = True
    """Whether an edit of the text is one of the file."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._counts: list[int] = []  # of line ends before each block, and in all
        self._starts: list[int] = []  # where the line starts that reaches into each block

    def _index(self) -> list[int]:
        """Counts the line ends, once."""
        if not self._counts:
            text, total, start = self.text, 0, 0
            for block in range(0, len(text), _BLOCK):
                self._counts.append(total)
                self._starts.append(start)
                ends = text.count("\n", block, block + _BLOCK)
                if ends:
                    total += ends
                    start = text.rfind("\n", block, block + _BLOCK) + 1
            self._counts.append(total)
            self._starts.append(start)
        return self._counts

    def __len__(self) -> int:
        return self._index()[-1] + 1

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of the character at `offset`; the end of the text is allowed."""
        offset = min(max(offset, 0), len(self.text))
        counts = self._index()
        block = offset // _BLOCK
        first = block * _BLOCK
        line = counts[block] + self.text.count("\n", first, offset) + 1
        start = self.text.rfind("\n", first, offset) + 1 or self._starts[block]
        return line, offset - start + 1

    def span(self, start: int, end: int) -> Span:
        """The span of the characters from `start` up to, not including, `end`."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(start, end))
        return Span(line, column, end_line, end_column)

    def offset(self, line: int, column: int) -> int:
        """The offset of a position; columns past the end of a line give the end of the line."""
        if line < 1:
            return 0
        if line > len(self):
            return len(self.text)
        start = self._start(line)
        end = self.text.find("\n", start, start + max(column, 1))
        return min(start + max(column - 1, 0), len(self.text) if end < 0 else end)

    def line(self, number: int) -> str:
        """The text of a line without its line end; empty for a number that does not exist."""
        if not 1 <= number <= len(self):
            return ""
        start = self._start(number)
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r\n")

    def _start(self, line: int) -> int:
        """The offset of the first character of a line that exists."""
        if line == 1:
            return 0
        counts = self._index()
        block = bisect_left(counts, line - 1) - 1  # it holds the end of the line before
        at = block * _BLOCK - 1
        for _ in range(line - 1 - counts[block]):
            at = self.text.find("\n", at + 1)
        return at + 1


class MappedLines(Lines):
    """The lines of a text that a file holds in another form, such as a string in quotes.

    Offsets are those of the text; lines and columns are of the file. `ranges` are the offsets in
    the `outer` text that stand for each code point.
    """

    __slots__ = ("_outer", "_ranges")

    editable = False

    def __init__(self, text: str, outer: Lines, ranges: Sequence[tuple[int, int]]) -> None:
        Lines.__init__(self, text)
        self._outer = outer
        self._ranges = ranges

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column in the file of the character at `offset`."""
        ranges = self._ranges
        if offset < len(ranges):
            return self._outer.position(ranges[max(offset, 0)][0])
        return self._outer.position(ranges[-1][1] if ranges else 0)

    def span(self, start: int, end: int) -> Span:
        """The span in the file of the characters from `start` up to, not including, `end`."""
        if not start < end <= len(self._ranges):
            return Span(*self.position(start), *self.position(max(start, end)))
        return Span(*self.position(start), *self._outer.position(self._ranges[end - 1][1]))

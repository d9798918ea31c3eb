"""Offsets in a text turned into lines and columns, and back."""

from __future__ import annotations

from bisect import bisect_right

from dradsl.diagnostics import Span

__all__ = ["Lines"]


class Lines:
    """The lines of a text. Offsets count code points from 0; lines and columns count from 1.

    A line ends with its `\\n`, which belongs to it; a `\\r` before that is an ordinary character.
    """

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """The offset of each line's first character."""
        if self._starts is None:
            starts = [0]
            find = self.text.find
            at = find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = find("\n", at + 1)
            self._starts = starts
        return self._starts

    def __len__(self) -> int:
        return len(self.starts)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of the character at `offset`; the end of the text is allowed."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The span of the characters from `start` up to, not including, `end`."""
        line, column = self.position(start)
        end_line, end_column = self.position(max(start, end))
        return Span(line, column, end_line, end_column)

    def offset(self, line: int, column: int) -> int:
        """The offset of a position; columns past the end of a line give the end of the line."""
        starts = self.starts
        if line < 1:
            return 0
        if line > len(starts):
            return len(self.text)
        limit = starts[line] - 1 if line < len(starts) else len(self.text)
        return min(starts[line - 1] + max(column - 1, 0), limit)

    def line(self, number: int) -> str:
        """The text of a line without its line end; empty for a number that does not exist."""
        starts = self.starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

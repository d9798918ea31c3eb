"""Positions as editors count them, and offsets in the text.

An editor's lines end with CR LF, LF or CR, and columns count UTF-16 units unless the client takes another encoding.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from lsprotocol import types

from dradsl.text.lines import Lines
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.diagnostics import Span

__all__ = ["Places", "apply_changes"]

_END = pattern(r"\r\n|\n|\r", re.ASCII)


class Places:
    """The lines of one text as an editor has them; `encoding` is "utf-8", "utf-16" or "utf-32"."""

    __slots__ = ("_lines", "_starts", "encoding", "text")

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self.encoding = encoding
        self._starts = [0, *(match.end() for match in _END.finditer(text))]
        self._lines: Lines | None = None

    def offset(self, position: types.Position) -> int:
        """The offset of a position; columns beyond a line give its end, lines beyond the text its end."""
        if position.line >= len(self._starts):
            return len(self.text)
        start = self._starts[position.line]
        line = self._line(position.line)
        if self.encoding == "utf-32" or line.isascii():
            return start + min(position.character, len(line))
        units = 0
        for index, sign in enumerate(line):
            if units >= position.character:
                return start + index
            units += self._width(sign)
        return start + len(line)

    def position(self, offset: int) -> types.Position:
        """The position of an offset."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, offset) - 1
        before = self.text[self._starts[line] : offset]
        if self.encoding == "utf-32" or before.isascii():
            return types.Position(line, len(before))
        return types.Position(line, sum(map(self._width, before)))

    def range(self, start: int, end: int) -> types.Range:
        """The range of the characters from `start` up to `end`."""
        return types.Range(self.position(start), self.position(end))

    def range_of(self, span: Span) -> types.Range:
        """The range of a finding's span, which counts code points in lines that end with LF."""
        if self._lines is None:
            self._lines = Lines(self.text)
        lines = self._lines
        return self.range(
            lines.offset(span.line, span.column), lines.offset(span.end_line, span.end_column)
        )

    def _line(self, number: int) -> str:
        last = number + 1 >= len(self._starts)
        end = len(self.text) if last else self._starts[number + 1]
        return self.text[self._starts[number] : end].rstrip("\r\n")

    def _width(self, sign: str) -> int:
        """How many units a character takes."""
        if self.encoding == "utf-16":
            return 1 + (ord(sign) > 0xFFFF)
        return len(sign.encode("utf-8", "surrogatepass"))


def apply_changes(
    text: str, changes: Iterable[types.TextDocumentContentChangeEvent], encoding: str
) -> str:
    """`text` after an editor's changes, in their order."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            places = Places(text, encoding)
            start, end = places.offset(change.range.start), places.offset(change.range.end)
            text = text[:start] + change.text + text[max(start, end) :]
        else:
            text = change.text
    return text

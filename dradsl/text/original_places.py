"""Where the characters of an edited text stood before."""

from __future__ import annotations

import re
from bisect import bisect_right

from dradsl.records import dataclass
from dradsl.text.lines import Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.diagnostics import Edit, Span

__all__ = ["OriginalPlaces"]

_WORD = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|[^\s\[\]{},:\"'-][^\s\[\]{},:\"']*")
_FEWEST = 2  # words that show that a text was moved


@dataclass(frozen=True, slots=True)
class _Piece:
    """Characters of the fixed text from `start` on, and where they stood; `moved` is new text."""

    start: int
    origin: int
    moved: bool


class OriginalPlaces:
    """Where the characters of a text stood before it was edited, once or several times."""

    def __init__(self, original: str) -> None:
        self._original = original
        self._passes: list[list[_Piece]] = []

    def edited(self, text: str, edits: Sequence[Edit]) -> None:
        """The text, as it was after the last pass, gets these edits."""
        lines = Lines(text)
        changes = sorted(
            (
                lines.offset(edit.span.line, edit.span.column),
                lines.offset(edit.span.end_line, edit.span.end_column),
                order,
                edit.new_text,
            )
            for order, edit in enumerate(edits)
        )
        taken = [(start, text[start:end]) for start, end, *_ in changes if start < end]
        pieces = [_Piece(0, 0, False)]
        shift = 0
        for start, end, _, new in changes:
            pieces.append(_Piece(start + shift, start, True))
            pieces += _words_moved(start + shift, new, taken)
            shift += len(new) - (end - start)
            pieces.append(_Piece(end + shift, end, False))
        self._passes.append(pieces)

    def before(self, text: str, span: Span) -> Span:
        """The place in the original text of a span in the text of now."""
        lines = Lines(text)
        first = lines.offset(span.line, span.column)
        last = lines.offset(span.end_line, span.end_column)
        start, end = self.origin(first), self.origin(last)
        if first < last and not start <= end <= start + last - first:  # it ends where a text was put
            end = self.origin(last - 1) + 1
        return Lines(self._original).span(start, max(start, end))

    def origin(self, offset: int) -> int:
        """Where the character at an offset of the text of now stood, or where the text was put that it is of."""
        for pieces in reversed(self._passes):
            at = bisect_right(pieces, offset, key=lambda piece: piece.start) - 1
            piece = pieces[at]
            offset = piece.origin if piece.moved else piece.origin + offset - piece.start
        return offset


def _words_moved(at: int, new: str, taken: Sequence[tuple[int, str]]) -> Iterator[_Piece]:
    """The words of a new text at an offset that was taken from another place, perhaps quoted or indented otherwise."""
    words = [*_WORD.finditer(new)]
    plain = [word[0].strip("\"'") for word in words]
    for origin, text in taken:
        before = [*_WORD.finditer(text)]
        old = [word[0].strip("\"'") for word in before]
        if len(old) < _FEWEST or old != plain[-len(old) :]:
            continue  # what is new, such as the key above, stands before
        for word, was in zip(words[-len(old) :], before, strict=True):
            yield _Piece(at + word.start(), origin + was.start(), False)
            yield _Piece(at + word.end(), origin + was.end(), True)
        return

"""Where the characters of an edited text stood before."""

from __future__ import annotations

import re
from bisect import bisect_right

from dradsl.records import Record
from dradsl.text.lines import Lines
from dradsl.values.limits import WORDS_PLACED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dradsl.diagnostics import Edit, Span

__all__ = ["OriginalPlaces"]

_WORD = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'|[^\s\[\]{},:\"'-][^\s\[\]{},:\"']*")
_FEWEST = 2  # words that show that a text was moved
_KEYS_ABOVE = 2  # keys that a fix writes above what it moves
_MOVES = 3  # parts of a text that stand elsewhere in the new one
_Place = tuple[int, int]
_Taken = dict[tuple[str, ...], list[list[_Place]]]


class _Piece(Record):
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
        taken: _Taken = {}
        for start, end, *_ in reversed(changes):
            places, words = _words(text[start:end], start)
            if len(words) >= _FEWEST:
                taken.setdefault(words, []).append(places)
        pieces = [_Piece(0, 0, False)]
        shift = 0
        for start, end, _, new in changes:
            pieces.append(_Piece(start + shift, start, True))
            pieces += _words_moved(start + shift, new, taken) or _words_kept(
                start + shift, new, *_words(text[start:end], start)
            )
            shift += len(new) - (end - start)
            pieces.append(_Piece(end + shift, end, False))
        self._passes.append(pieces)

    def before(self, text: str, span: Span) -> Span:
        """The place in the original text of a span in the text of now."""
        lines = Lines(text)
        first = lines.offset(span.line, span.column)
        last = lines.offset(span.end_line, span.end_column)
        start, inside, end = map(self.origin, (first, last - 1, last))
        is_apart = end < start or "\n" in self._original[start:end]
        if is_apart and inside - start == last - 1 - first:
            end = inside + 1  # not where the next text stood
        return Lines(self._original).span(start, max(start, end))

    def origin(self, offset: int) -> int:
        """Where the character at an offset of the text of now stood, or where the text was put that it is of."""
        for pieces in reversed(self._passes):
            at = bisect_right(pieces, offset, key=lambda piece: piece.start) - 1
            piece = pieces[at]
            offset = piece.origin if piece.moved else piece.origin + offset - piece.start
        return offset


def _words(text: str, at: int) -> tuple[list[_Place], tuple[str, ...]]:
    """The places of the words of a text at an offset, and the words without their quotes."""
    found = [*_WORD.finditer(text)]
    places = [(at + word.start(), at + word.end()) for word in found]
    return places, tuple([word[0].strip("\"'") for word in found])


def _words_moved(at: int, new: str, taken: _Taken) -> list[_Piece]:
    """The words of a new text at an offset that were taken from another place, perhaps quoted or indented otherwise."""
    places, words = _words(new, at) if taken else ([], ())
    for above in range(min(_KEYS_ABOVE, len(words)) + 1):
        origins = taken.get(words[above:])
        if origins:
            return [*_pieces(zip(places[above:], origins.pop(), strict=True))]
    return []


def _words_kept(
    at: int, new: str, old_places: list[_Place], old_words: tuple[str, ...]
) -> Iterator[_Piece]:
    """The words of a new text at an offset that the text in whose place it is had, first those in the same order."""
    places, words = _words(new, at)
    if (
        not _FEWEST
        <= min(len(words), len(old_words))
        <= max(len(words), len(old_words))
        <= WORDS_PLACED
    ):
        return
    from difflib import SequenceMatcher

    old, now = [*range(len(old_words))], [*range(len(words))]
    pairs: list[tuple[int, int]] = []
    for _ in range(_MOVES):
        matcher = SequenceMatcher(
            None, [old_words[each] for each in old], [words[each] for each in now], False
        )
        found = {
            now[block.b + index]: old[block.a + index]
            for block in matcher.get_matching_blocks()
            for index in range(block.size)
        }
        pairs += found.items()
        taken = {*found.values()}
        old, now = [each for each in old if each not in taken], [e for e in now if e not in found]
    yield from _pieces((places[index], old_places[before]) for index, before in sorted(pairs))


def _pieces(words: Iterable[tuple[_Place, _Place]]) -> Iterator[_Piece]:
    """Words of the new text where they stood before."""
    for (start, end), (old, old_end) in words:
        yield from (_Piece(start, old, False), _Piece(end, old_end, True))

"""Semantic tokens: what the words of a selector are, within the YAML that holds it."""

from __future__ import annotations

from lsprotocol import types

from dradsl.cel.syntax.lexer import tokenize
from dradsl.lsp.selectors.lookups import bound_names
from dradsl.lsp.texts.cursor import cel_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.cel.syntax.lexer import Tokens
    from dradsl.lsp.texts.cursor import Cel
    from dradsl.lsp.texts.places import Places
    from dradsl.text.documents import Stream

__all__ = ["FULL", "LEGEND", "tokens"]

_TYPES = (
    "variable", "property", "namespace", "function", "method", "string", "number", "operator",
    "keyword", "comment",
)  # fmt: skip
_NUMBER_OF = {name: number for number, name in enumerate(_TYPES)}

LEGEND = types.SemanticTokensLegend(list(_TYPES), ["defaultLibrary"])
FULL = types.SemanticTokensRegistrationOptions(LEGEND, full=True)

_KEYWORDS = frozenset({"in", "true", "false", "null"})
_NUMBERS = frozenset({"int", "uint", "float"})
_BRACKETS = frozenset("()[]{}.,")
_TABLES = frozenset({"attributes", "capacity"})

_Token = tuple[int, int, str, bool]
"""Where it starts and ends in the text of the selector, its type, whether CEL brings it along."""


def tokens(
    path: str, stream: Stream, places: Places, within: tuple[int, int] | None = None
) -> types.SemanticTokens:
    """The tokens of all selectors of a file, or of those that reach into a part of it."""
    data: list[int] = []
    line = column = 0
    for start, end, kind, library in _in_file(path, stream, within):
        at, stop = places.position(start), places.position(end)
        if at.line != stop.line or at == stop:
            continue
        data += (
            at.line - line,
            at.character - (column if at.line == line else 0),
            stop.character - at.character,
            _NUMBER_OF[kind],
            int(library),
        )
        line, column = at.line, at.character
    return types.SemanticTokens(data)


def _in_file(path: str, stream: Stream, within: tuple[int, int] | None) -> Iterator[_Token]:
    """The tokens at their places in the file, each on one line, in order."""
    found: list[_Token] = []
    for cel in cel_texts(path, stream):
        node = cel.node
        if within is not None and (node.end < within[0] or node.start > within[1]):
            continue
        for start, end, kind, library in _in_text(cel.text):
            found += [(*piece, kind, library) for piece in _pieces(cel, start, end)]
    end_of_last = -1
    for token in sorted(found):
        if token[0] >= end_of_last:  # what is written once may be read twice, by an alias
            yield token
            end_of_last = token[1]


def _pieces(cel: Cel, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where a part of a selector is in the file: a piece a line."""
    ranges: Sequence[tuple[int, int]] = cel.ranges[start:end]
    if len(ranges) != end - start or not ranges:
        return
    text = cel.text[start:end]
    first, last = ranges[0]
    for (low, high), sign in zip(ranges[1:], text[1:], strict=True):
        if low != last or sign == "\n":
            yield first, last
            first = low
        last = high
    yield first, last


def _in_text(text: str) -> Iterator[_Token]:
    found = tokenize(text)
    names = bound_names(text)
    before = 0
    for index, kind in enumerate(found.kinds):
        start, end = found.starts[index], found.ends[index]
        yield from _comments(text, before, start)
        before = end
        if kind == "eof":
            return
        what = _type(found, index, names)
        if what is not None:
            yield start, end, *what


def _comments(text: str, start: int, end: int) -> Iterator[_Token]:
    """The comments between two tokens."""
    at = text.find("//", start, end)
    while at >= 0:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        yield at, stop, "comment", False
        at = text.find("//", stop, end)


def _type(tokens: Tokens, index: int, names: frozenset[str]) -> tuple[str, bool] | None:
    kind = tokens.kinds[index]
    if kind in _KEYWORDS:
        return "keyword", False
    if kind in _NUMBERS:
        return "number", False
    if kind in ("string", "bytes"):
        return _of_string(tokens, index), False
    if kind in ("ident", "escaped"):
        return _of_name(tokens, index, names)
    return None if kind in _BRACKETS else ("operator", False)


def _of_string(tokens: Tokens, index: int) -> str:
    """A domain or a name in brackets is what it names."""
    kinds, texts = tokens.kinds, tokens.texts
    if kinds[index + 1] != "]" or index < 2:
        return "string"
    opening = index - 2 if kinds[index - 1] == "?" else index - 1
    if kinds[opening] != "[" or opening < 1:
        return "string"
    if texts[opening - 1] in _TABLES:
        return "namespace"
    return "property" if kinds[opening - 1] == "]" else "string"


def _of_name(tokens: Tokens, index: int, names: frozenset[str]) -> tuple[str, bool]:
    kinds = tokens.kinds
    member = index > 0 and (
        kinds[index - 1] == "." or (kinds[index - 1] == "?" and kinds[index - 2] == ".")
    )
    if kinds[index + 1] == "(":
        return ("method" if member else "function"), True
    if member:
        return "property", False
    return "variable", tokens.texts[index] == "device" and "device" not in names

"""What a place in a CEL text looks up: the way from `device` to an attribute, read off the tokens.

It works on texts that are still being typed, which no parser takes.
"""

from __future__ import annotations

from dradsl.cel.syntax.lexer import tokenize
from dradsl.cel.syntax.literals import LiteralError, string_literal
from dradsl.records import Record
from dradsl.values.limits import STEPS_TO_A_LOOKUP
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.cel.syntax.lexer import Tokens

__all__ = ["Ahead", "Lookup", "ahead_of", "bound_names", "lookup_at"]

_BIND = pattern(
    r"""cel\.bind\(\s*(\w+)\s*,\s*device\.(attributes|capacity)\[\s*["']([^"']+)["']\s*\]\s*,"""
)
_BOUND = pattern(r"cel\.bind\(\s*(\w+)\s*,")


class Lookup(Record):
    """The token at a place: `way` leads to it from a variable (`device`, `attributes`, the domain, the name).

    A `call` is the name of a function; a `value` is a constant that is compared with what `way` leads to.
    """

    way: tuple[str, ...]
    start: int
    end: int
    call: str | None = None
    value: str | None = None


class Ahead(Record):
    """What may come next: `way` leads to where the cursor stands, `word` is written of it so far.

    `kind` is "member" (behind a dot), "key" (in brackets, or its quotes), "value" (compared with `way`),
    "amount" (the text of a quantity compared with it) or "name". `quote` is the quote that is open; `start` is where
    the word begins.
    """

    kind: str
    way: tuple[str, ...]
    word: str
    start: int
    quote: str = ""


def ahead_of(text: str, at: int) -> Ahead | None:
    """What may be written at a place of a text; None in numbers and comments."""
    before = text[:at]
    quote, start = _open_quote(before)
    aliases = _aliases(text)
    if quote:
        tokens = tokenize(before[:start])
        word = before[start + 1 :]
        return _in_quotes(tokens, len(tokens.kinds) - 2, word, start + 1, quote, aliases)
    word = _last_word(before)
    start = at - len(word)
    tokens = tokenize(before[:start])
    last = len(tokens.kinds) - 2
    if tokens.errors or (word[:1].isdigit()):
        return None
    kind = tokens.kinds[last] if last >= 0 else ""
    if kind in (".", "?") and last >= 1:
        at_dot = last - 1 if kind == "?" else last
        way = _way(tokens, at_dot - 1, aliases)
        return Ahead("member", way or (), word, start)
    if kind == "[":
        way = _way(tokens, last - 1, aliases)
        if way in (("device", "attributes"), ("device", "capacity")) or len(way or ()) == 3:
            return Ahead("key", way or (), word, start)
    if kind in ("==", "!="):
        way = _way(tokens, last - 1, aliases)
        if way:
            return Ahead("value", way, word, start)
    return Ahead("name", (), word, start)


def lookup_at(text: str, at: int) -> Lookup | None:
    """The token at a place, and what it stands for."""
    tokens = tokenize(text)
    aliases = _aliases(text)
    for index, kind in enumerate(tokens.kinds[:-1]):
        start, end = tokens.starts[index], tokens.ends[index]
        if start <= at <= end and kind in ("ident", "string"):
            break
    else:
        return None
    follows = tokens.kinds[index + 1]
    if kind == "ident":
        if follows == "(":
            return Lookup(_way(tokens, index, aliases) or (), start, end, call=tokens.texts[index])
        way = _way(tokens, index, aliases)
        return None if way is None else Lookup(way, start, end)
    word = _string(tokens.texts[index])
    if word is None:
        return None
    if index and tokens.kinds[index - 1] == "[" and follows == "]":
        way = _way(tokens, index - 2, aliases)
        if way is not None:
            return Lookup((*way, word), start, end)
    found = _in_quotes(tokens, index - 1, word, start, '"', aliases)
    if found is not None and found.kind in ("value", "amount"):
        return Lookup(found.way, start, end, value=word)
    return None


def _in_quotes(
    tokens: Tokens,
    last: int,
    word: str,
    start: int,
    quote: str,
    aliases: Mapping[str, tuple[str, ...]],
) -> Ahead | None:
    """What a text that opens behind the token `last` is."""
    found = _before_quotes(tokens, last)
    if found is None:
        return None
    kind, end = found
    way = _way(tokens, end, aliases)
    return None if way is None else Ahead(kind, way, word, start, quote)


def _before_quotes(tokens: Tokens, last: int) -> tuple[str, int] | None:
    """What a text behind the token `last` is, and the last token of the lookup that it belongs to."""
    kinds = tokens.kinds
    if last < 0:
        return None
    if kinds[last] == "[" and last and kinds[last - 1] in ("ident", "]"):
        return "key", last - 1
    if kinds[last] in ("==", "!="):
        return "value", last - 1
    if kinds[last] in ("[", ","):  # an item of a list: `lookup in ["a", "`
        at = last
        while at >= 0 and kinds[at] in ("string", ",", "int"):
            at -= 1
        return ("value", at - 2) if at > 0 and kinds[at] == "[" and kinds[at - 1] == "in" else None
    function = tokens.texts[last - 1] if kinds[last] == "(" and last >= 1 else ""
    if function not in ("quantity", "semver"):
        return None
    kind, at = "amount" if function == "quantity" else "value", last - 2
    if at >= 2 and kinds[at] == "(" and kinds[at - 2] == ".":  # lookup.compareTo(quantity("
        return kind, at - 3
    if at >= 1 and kinds[at] in ("==", "!=", "<", ">", "<=", ">="):
        return kind, at - 1
    return None


def _way(
    tokens: Tokens, last: int, aliases: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...] | None:
    """The steps that end with the token `last`, from a variable on; None where they are no lookups."""
    steps: list[str] = []
    kinds, texts = tokens.kinds, tokens.texts
    for _ in range(STEPS_TO_A_LOOKUP):
        if last < 0:
            return None
        if kinds[last] == "]":
            if last < 3 or kinds[last - 1] != "string":
                return None
            word = _string(texts[last - 1])
            if word is None:
                return None
            steps.append(word)
            last -= 2
            if kinds[last] == "?":
                last -= 1
            if kinds[last] != "[":
                return None
            last -= 1
            continue
        if kinds[last] not in ("ident", "escaped"):
            return None
        steps.append(texts[last].strip("`"))
        last -= 1
        if last >= 0 and kinds[last] == "?":
            last -= 1
        if last < 0 or kinds[last] != ".":
            way = tuple(reversed(steps))
            return (*aliases.get(way[0], way[:1]), *way[1:])
        last -= 1
    return None


def _aliases(text: str) -> dict[str, tuple[str, ...]]:
    """What `cel.bind` calls a domain of attributes or capacities."""
    return {name: ("device", kind, domain) for name, kind, domain in _BIND.findall(text)}


def bound_names(text: str) -> frozenset[str]:
    """The names that `cel.bind` gives."""
    return frozenset(_BOUND.findall(text))


def _string(literal: str) -> str | None:
    try:
        return string_literal(literal)
    except LiteralError:
        return None


def _last_word(before: str) -> str:
    start = len(before)
    while start and (before[start - 1].isalnum() or before[start - 1] == "_"):
        start -= 1
    return before[start:]


def _open_quote(before: str) -> tuple[str, int]:
    """The quote that is open at the end of a text, and where it stands."""
    quote, start, index = "", 0, 0
    while index < len(before):
        sign = before[index]
        if quote:
            if sign == "\\":
                index += 1
            elif sign == quote or sign == "\n":
                quote = ""
        elif sign in "\"'":
            quote, start = sign, index
        elif before.startswith("//", index):
            end = before.find("\n", index)
            index = len(before) if end < 0 else end
        index += 1
    return quote, start

"""Operators, quotes and amounts of other languages in an expression, as CEL writes them."""

from __future__ import annotations

from dradsl.cel.syntax.lexer import tokenize
from dradsl.observations import Replacement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.syntax.lexer import Tokens

__all__ = ["with_symbols"]

_WORDS = {"and": "&&", "or": "||", "is": "==", "eq": "=="}
_DOUBLED = "=&|"
_UNITS = frozenset({"Ki", "Mi", "Gi", "Ti", "k", "M", "G", "T"})
_VALUES = frozenset({"ident", "string", "int", "float", "true", "false", ")", "]"})


def with_symbols(text: str) -> tuple[Replacement, ...]:
    """All that CEL writes otherwise; nothing if something else starts no token."""
    found: list[Replacement] = []
    read = text
    if any(each.text[0] in "“”" for each in tokenize(text).errors):
        read = text.replace("“", '"').replace("”", '"')
        found += [Replacement(at, at + 1, '"') for at, each in enumerate(text) if each in "“”"]
    while errors := (tokens := tokenize(read)).errors:
        at = errors[0].start
        sign = read[at]
        if sign not in _DOUBLED or read[at + 1 : at + 2] in ("~", ">"):
            return ()
        meant = "" if at and text[at - 1] == "=" else sign * 2
        found.append(Replacement(at, at + 1, meant))
        read = read[:at] + ("<" if meant else " ") + read[at + 1 :]
    for at, word in enumerate(tokens.texts[:-1]):
        found += _of_token(tokens, at, word)
    return tuple(sorted(found, key=lambda each: each.start))


def _of_token(tokens: Tokens, at: int, word: str) -> list[Replacement]:
    start, end = tokens.starts[at], tokens.ends[at]
    before = tokens.kinds[at - 1] if at else ""
    if tokens.kinds[at] != "ident":
        if word == ">" and tokens.texts[at - 1 : at] == ["<"] and tokens.ends[at - 1] == start:
            return [Replacement(start - 1, end, "!=")]
        return []
    if before in ("int", "float") and word in _UNITS and tokens.ends[at - 1] == start:
        amount = f'"{tokens.texts[at - 1]}{word}"'
        called = tokens.texts[max(at - 3, 0) : at - 1] == ["quantity", "("]
        return [
            Replacement(tokens.starts[at - 1], end, amount if called else f"quantity({amount})")
        ]
    if before in _VALUES:
        symbol = _WORDS.get(word.lower())
        return [Replacement(start, end, symbol)] if symbol else []
    if word.lower() == "not" and before != ".":
        close, depth = at + 1, 0
        while tokens.kinds[close] != "eof":
            kind, other = tokens.kinds[close], tokens.texts[close].lower()
            depth += (kind in ("(", "[")) - (kind in (")", "]"))
            if depth < 0 or (
                not depth and (kind in ("&&", "||", "?", ",") or other in ("and", "or"))
            ):
                break
            close += 1
        last = tokens.ends[close - 1]
        first = tokens.starts[at + 1]
        return [Replacement(start, first, "!("), Replacement(last, last, ")")]
    return []

"""Operators, quotes and amounts of other languages in an expression, as CEL writes them."""

from __future__ import annotations

from dradsl.observations import Replacement
from dradsl.values.patterns import pattern

__all__ = ["with_symbols"]

_WORDS = {"and": "&&", "or": "||", "is": "==", "eq": "==", "<>": "!=", "===": "=="}
_SYMBOLS = pattern(
    r"""(?P<text>"[^"]*"|'[^']*')|(?P<quote>[“”])|(?P<word>(?<![\w.])(?i:and|or|is|eq)\b(?!\()|<>|===)"""
    r"|(?P<sign>(?<![=!<>&|])[=&|](?![=&|~>]))|(?P<amount>(?<![\w.])\d+(?:[KMGT]i|[kMGT])\b)"
    r"|(?P<not>\bnot\s+)(?P<clause>.+?)(?=\s(?i:and|or)\b|\s?(?:&&|\|\||$))"
)


def with_symbols(text: str) -> tuple[Replacement, ...]:
    """All that CEL writes otherwise."""
    found = []
    for match in _SYMBOLS.finditer(text):
        start, end, kind, word = *match.span(), match.lastgroup, match[0]
        if kind == "clause":
            begin = match.start("clause")
            found += [Replacement(start, begin, "!("), Replacement(end, end, ")")]
        elif kind == "amount":
            called = text[:start].endswith("quantity(")
            meant = f'"{word}"' if called else f'quantity("{word}")'
            found.append(Replacement(start, end, meant))
        elif kind != "text":
            meant = '"' if kind == "quote" else _WORDS.get(word.lower(), word * 2)
            found.append(Replacement(start, end, meant))
    return tuple(found)

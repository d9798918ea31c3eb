"""Operators, quotes and amounts of other languages in an expression, as CEL writes them."""

from __future__ import annotations

from dradsl.drivers.suggestions.literals import amounts
from dradsl.observations import Replacement
from dradsl.values.patterns import pattern
from dradsl.values.quantity import exact_amount

__all__ = ["with_symbols"]

_WORDS = {"and": "&&", "or": "||", "is": "==", "eq": "==", "<>": "!=", "===": "==", "?.": ".?"}
_METHODS = {
    "=~": "matches",
    "~=": "matches",
    "matches": "matches",
    "startswith": "startsWith",
    "endswith": "endsWith",
}
_SYMBOLS = pattern(
    r"""(?P<infix>(?P<a>device[\w.]*(?:\[(?:"[^"]*"|'[^']*')\][\w.]*(?:\(\))?)*)\s+(?P<method>=~|~=|(?i:contains|startswith|endswith|matches|like|includes))\s+"""
    r"""(?P<b>"[^"]*"|'[^']*'))|(?P<text>"[^"]*"|'[^']*')|(?P<quote>[“”])|(?P<word>(?<![\w.])(?i:and|or|is|eq)\b(?!\()|<>|===)"""
    r"|(?P<sign>(?<![=!<>&|])[=&|](?![=&|~>]))|(?P<amount>(?<![\w.])\d+(?:[KMGTkgt][iI]?[bB]?|m[iI]?[bB])\b)"
    r"|(?P<optional>\?\.(?=[A-Za-z_]))|(?P<range>\b[0-9]{1,3}\.\.[0-9]{1,3}\b)|(?P<not>\b(?i:not)\s+)(?P<clause>.+?)(?=\s(?i:and|or)\b|\s?(?:&&|\|\||$))"
)


def with_symbols(text: str) -> tuple[Replacement, ...]:
    """All that CEL writes otherwise."""
    found = []
    for match in _SYMBOLS.finditer(text):
        start, end, kind, word = *match.span(), match.lastgroup, match[0]
        if kind == "clause":
            begin = match.start("clause")
            found += [Replacement(start, begin, "!("), Replacement(end, end, ")")]
        elif kind == "range":
            first, _, last = word.partition("..")
            numbers = ", ".join(map(str, range(int(first), int(last) + 1)))
            found.append(Replacement(start, end, numbers))
        elif kind == "infix":
            found.append(Replacement(start, end, _called(match["a"], match["method"], match["b"])))
        elif kind == "amount":
            called = text[:start].endswith("quantity(")
            meant = word if exact_amount(word) is not None else amounts(word)[-1]
            meant = f'"{meant}"' if called else f'quantity("{meant}")'
            found.append(Replacement(start, end, meant))
        elif kind != "text":
            meant = '"' if kind == "quote" else _WORDS.get(word.lower(), word * 2)
            found.append(Replacement(start, end, meant))
    return tuple(found)


def _called(target: str, word: str, argument: str) -> str:
    """`a contains "b"` as the call of a method."""
    method = _METHODS.get(word.lower(), "contains")
    if word.lower() == "like":
        argument = argument.replace("%", "")
    return f"{target}.{method}({argument})"

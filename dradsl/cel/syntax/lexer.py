"""Cuts a CEL expression into tokens, as upstream's lexer does.

The longest token wins; what starts no token is dropped up to the offending character and
reported (cel-go `parser/gen/CEL.g4` and the recovery of its ANTLR lexer).
"""

from __future__ import annotations

from dradsl.records import dataclass
from dradsl.values.patterns import pattern

__all__ = ["KEYWORDS", "LexError", "Tokens", "tokenize"]

KEYWORDS = frozenset({"in", "true", "false", "null"})


@dataclass(frozen=True, slots=True)
class LexError:
    """Text that starts no token."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of an expression as parallel lists, closed by one of kind "eof".

    Operators, brackets and keywords are their own kind; the others are "ident", "escaped"
    (a name in back-ticks), "int", "uint", "float", "string" and "bytes".
    """

    kinds: list[str]
    texts: list[str]
    starts: list[int]
    ends: list[int]
    errors: list[LexError]


# Escapes that upstream's grammar knows; what they mean is decided in `literals`.
_ESCAPE = (
    r"\\(?:[abfnrtv\"'\\?`]|[0-3][0-7][0-7]|[xX][0-9a-fA-F]{2}"
    r"|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"
)
_STRING = (
    rf'[rR]"""[\s\S]*?"""|[rR]\'\'\'[\s\S]*?\'\'\''
    rf'|"""(?:{_ESCAPE}|[^\\])*?"""|\'\'\'(?:{_ESCAPE}|[^\\])*?\'\'\''
    r'|[rR]"[^"\n\r]*"|[rR]\'[^\'\n\r]*\''
    rf'|"(?:{_ESCAPE}|[^\\"\n\r])*"|\'(?:{_ESCAPE}|[^\\\'\n\r])*\''
)
_TOKEN = (
    r"(?P<space>[\t \r\n\f]+|//[^\n]*)"
    rf"|(?P<string>[bB]?(?:{_STRING}))"
    r"|(?P<ident>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<float>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+"
    r"|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<uint>0x[0-9a-fA-F]+[uU]|[0-9]+[uU])"
    r"|(?P<int>0x[0-9a-fA-F]+|[0-9]+)"
    r"|(?P<op>==|!=|<=|>=|&&|\|\||[\[\]{}().,\-!?:+*/%<>])"
    r"|(?P<escaped>`[A-Za-z0-9_.\-/ ]+`)"
)
# The longest run that could still have become a token, for the extent of an error.
_ATTEMPT = (
    rf'"(?:{_ESCAPE}|[^\\"\n\r])*(?:\\(?:[xXuU][0-9a-fA-F]*|[0-3][0-7]?)?)?'
    rf"|'(?:{_ESCAPE}|[^\\'\n\r])*(?:\\(?:[xXuU][0-9a-fA-F]*|[0-3][0-7]?)?)?"
    r"|`[A-Za-z0-9_.\-/ ]*|[&|=]"
)


# What most expressions are made of. It takes nothing that could be the start of a longer token, so
# the pattern of all tokens, five times as long to compile, is only asked where this one fails.
_COMMON = (
    r"(?P<space>[ \n]+)"
    r"""|(?P<string>"[^"\\\n\r]+"|'[^'\\\n\r]+')"""
    r"""|(?P<ident>[A-Za-z_][A-Za-z0-9_]*+(?!["']))"""
    r"|(?P<int>[0-9]++(?![.A-Za-z]))"
    r"|(?P<op>==|!=|<=|>=|&&|\|\||[\[\]{}(),\-!?:+*%<>]|\.(?![0-9]))"
)

_NEXT_COMMON = pattern(_COMMON)
_NEXT = pattern(_TOKEN)
_FAILED = pattern(_ATTEMPT)


def tokenize(text: str) -> Tokens:
    """All tokens of `text` without space and comments; never fails, see `Tokens.errors`."""
    match = _NEXT_COMMON.match
    tokens = Tokens([], [], [], [], [])
    kinds, texts, starts, ends = tokens.kinds, tokens.texts, tokens.starts, tokens.ends
    position, length = 0, len(text)
    while position < length:
        found = match(text, position) or _NEXT.match(text, position)
        if found is None:
            position = _skip(text, position, tokens.errors)
            continue
        kind = found.lastgroup
        end = found.end()
        if kind != "space":
            word = found.group()
            if kind == "op" or (kind == "ident" and word in KEYWORDS):
                kind = word
            elif kind == "string" and word[0] in "bB":
                kind = "bytes"
            kinds.append(kind or "")
            texts.append(word)
            starts.append(position)
            ends.append(end)
        position = end
    kinds.append("eof")
    texts.append("<EOF>")
    starts.append(length)
    ends.append(length)
    return tokens


def _skip(text: str, start: int, errors: list[LexError]) -> int:
    """Reports the text at `start` that is no token; where to go on."""
    found = _FAILED.match(text, start)
    end = min((found.end() if found else start) + 1, len(text))
    errors.append(LexError(start, end, text[start:end]))
    return end

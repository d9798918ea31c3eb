"""What the literals of CEL mean: escapes, number ranges.

Messages are those of cel-go `parser/unescape.go` and `parser/parser.go`.
"""

from __future__ import annotations

import re

from dradsl.cel.runtime.values import INT_MAX, INT_MIN, UINT_MAX, Uint

__all__ = [
    "LiteralError",
    "bytes_literal",
    "double_literal",
    "int_literal",
    "string_literal",
    "uint_literal",
]


class LiteralError(ValueError):
    """A token that looks like a literal but has no value; carries upstream's message."""


_SIMPLE = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def int_literal(text: str) -> int:
    """The value of an int literal, with its sign if it has one."""
    negative = text.startswith("-")
    digits = text[1:] if negative else text
    value = _whole(digits)
    value = -value if negative else value
    if not INT_MIN <= value <= INT_MAX:
        raise LiteralError("invalid int literal")
    return value


def _whole(digits: str) -> int:
    """The number; of one that is beyond 64 bits in any case, the leading digits."""
    if digits.startswith("0x"):
        return int(digits[2:].lstrip("0")[:20] or "0", 16)
    return int(digits.lstrip("0")[:30] or "0")


def uint_literal(text: str) -> Uint:
    """The value of a uint literal, its `u` included."""
    digits = text[:-1]
    value = _whole(digits)
    if value > UINT_MAX:
        raise LiteralError("invalid uint literal")
    return Uint(value)


def double_literal(text: str) -> float:
    """The value of a double literal; one beyond the range of a double is rejected."""
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise LiteralError("invalid double literal")
    return value


def string_literal(text: str) -> str:
    """The string that a token stands for."""
    raw, body = _body(text)
    if raw or "\\" not in body:
        return body
    return "".join(_unescape(body))


def bytes_literal(text: str) -> bytes:
    """The bytes that a token stands for: `\\xff` is one byte, other text is UTF-8."""
    raw, body = _body(text[1:])
    if raw or "\\" not in body:
        return body.encode()
    out = bytearray()
    position = 0
    while position < len(body):
        if body[position] != "\\":
            out += body[position].encode()
            position += 1
            continue
        letter = body[position + 1]
        if letter in "xX":
            out.append(int(body[position + 2 : position + 4], 16))
            position += 4
        elif letter in "0123":
            out.append(int(body[position + 1 : position + 4], 8))
            position += 4
        elif letter in "uU":
            raise LiteralError("unable to unescape string")
        else:
            out += _SIMPLE.get(letter, letter).encode()
            position += 2
    return bytes(out)


def _body(text: str) -> tuple[bool, str]:
    """Whether the token is raw, and what is between its quotes, line ends normalised."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = text[0] in "rR"
    if raw:
        text = text[1:]
    quotes = 3 if len(text) >= 6 and text[:3] in ('"""', "'''") else 1
    return raw, text[quotes:-quotes]


_ESCAPE = r"\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))"


def _unescape(body: str) -> list[str]:
    parts, last = [], 0
    for found in re.finditer(_ESCAPE, body, re.DOTALL):
        parts.append(body[last : found.start()])
        last = found.end()
        number = found[1] or found[2] or found[3]
        if number or found[4]:
            code = int(number, 16) if number else int(found[4], 8)
            if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
                raise LiteralError("invalid unicode code point")
            parts.append(chr(code))
        else:
            parts.append(_SIMPLE.get(found[5], found[5]))
    parts.append(body[last:])
    return parts

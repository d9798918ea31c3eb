"""Python source as text, laid out as the formatters `ruff format` and black lay it out."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from dradsl.records import Record, replace
from dradsl.values.printable import COMMANDING, LOG_COMMAND

__all__ = [
    "WIDTH",
    "Code",
    "Brackets",
    "Method",
    "Operators",
    "assignment",
    "call",
    "docstring",
    "literal",
    "named_item",
    "sequence",
    "statement",
    "text_lines",
]

WIDTH = 100
_INDENT = "    "
_BREAK = "\n"
_COMMANDING = re.compile(f"[{COMMANDING}]|{LOG_COMMAND}")


class Brackets(Record):
    """Something in brackets that may be broken over lines: a call, a list, a dict.

    `prefix` is what is before it: `name=`, `"key": `. The items of a text in several lines are
    joined without commas, and always broken.
    """

    opening: str
    items: tuple[Code, ...]
    closing: str
    prefix: str = ""
    comma: str = ","


class Operators(Record):
    """`a & b & c`: in parentheses and one a line if it does not fit.

    `grouped` keeps the parentheses in any case, for `|` inside `&`.
    """

    sign: str
    parts: tuple[Code, ...]
    prefix: str = ""
    grouped: bool = False


class Method(Record):
    """`operand.name(argument)`."""

    operand: Code
    name: str
    argument: Code
    prefix: str = ""


Code = str | Brackets | Operators | Method


def call(name: str, /, *items: Code, **keywords: Code) -> Brackets:
    """`name(item, keyword=item)`."""
    named = tuple(named_item(f"{key}=", item) for key, item in keywords.items())
    return Brackets(f"{name}(", items + named, ")")


def named_item(prefix: str, item: Code) -> Code:
    """`item` with something in front: a keyword's name, a dict's key."""
    if isinstance(item, str):
        return prefix + item
    return replace(item, prefix=prefix + item.prefix)


def sequence(items: Iterable[Code]) -> Brackets:
    """A list."""
    return Brackets("[", tuple(items), "]")


def text_lines(text: str) -> Code:
    """A text; one of several lines as one literal a line."""
    lines = text.splitlines(keepends=True)
    return (
        _string(text)
        if len(lines) < 2
        else Brackets("(", tuple(map(_string, lines)), ")", comma="")
    )


def literal(value: object) -> Code:
    """Plain data as Python writes it."""
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        entries = (named_item(f"{_string(key)}: ", literal(item)) for key, item in value.items())
        return Brackets("{", tuple(entries), "}")
    if isinstance(value, tuple) and len(value) == 1:
        return Brackets("(", (literal(value[0]), ""), ")")
    if isinstance(value, tuple):
        return Brackets("(", tuple(map(literal, value)), ")")
    if isinstance(value, Sequence):
        return sequence(map(literal, value))
    return repr(value)


def _string(text: str) -> str:
    escaped = _COMMANDING.sub(_escaped, json.dumps(text, ensure_ascii=False))
    if text.count('"') <= text.count("'"):
        return escaped
    return "'" + escaped[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def assignment(name: str, value: Code, depth: int = 0) -> str:
    """`name = value` at that depth of indentation."""
    return statement(named_item(f"{name} = ", value), depth)


def statement(code: Code, depth: int = 0, after: str = "") -> str:
    """`code` at that depth of indentation, broken where it does not fit into a line."""
    indent = _INDENT * depth
    line = indent + _flat(code) + after
    if isinstance(code, str) or (len(line) <= WIDTH and _BREAK not in line):
        return line
    if isinstance(code, Operators):
        return _broken_operators(code, depth) + after
    if isinstance(code, Method):
        return _broken_method(code, depth) + after
    if not code.items:
        return line
    opening = f"{indent}{code.prefix}{code.opening}"
    return "\n".join([opening, *_broken(code, depth + 1), f"{indent}{code.closing}{after}"])


def _broken_operators(code: Operators, depth: int) -> str:
    indent, inner = _INDENT * depth, _INDENT * (depth + 1)
    first, *rest = code.parts
    lines = [inner + f" {code.sign} ".join(map(_flat, code.parts))]
    if len(lines[0]) > WIDTH:
        signed = (named_item(f"{code.sign} ", part) for part in rest)
        lines = [statement(part, depth + 1) for part in (first, *signed)]
    return "\n".join([f"{indent}{code.prefix}(", *lines, f"{indent})"])


def _broken_method(code: Method, depth: int) -> str:
    indent = _INDENT * depth
    operand = f"{indent}{code.prefix}{_called(code.operand)}"
    if len(operand) + len(code.name) + 2 > WIDTH:
        if isinstance(code.operand, Operators):
            operand = _broken_operators(replace(code.operand, prefix=code.prefix), depth)
        else:
            operand = statement(named_item(code.prefix, code.operand), depth)
    items = code.argument.items if isinstance(code.argument, Brackets) else (code.argument,)
    lines = [statement(item, depth + 1) for item in items]
    return "\n".join([f"{operand}.{code.name}(", *lines, f"{indent})"])


def _called(operand: Code) -> str:
    """An operand as a method is called on it."""
    text = _flat(operand)
    return f"({text})" if isinstance(operand, Operators) and not operand.grouped else text


def _broken(code: Brackets, depth: int) -> list[str]:
    items = [item for item in code.items if item != ""]
    inner = _INDENT * depth + ", ".join(map(_flat, items))
    is_call = code.opening.endswith("(") and len(code.opening) > 1
    if is_call and code.comma and len(inner) <= WIDTH and _BREAK not in inner:
        return [inner]
    # One item alone takes no comma, but in a tuple.
    comma = "" if len(code.items) == 1 and code.opening != "{" else code.comma
    return [statement(item, depth, comma) for item in items]


def _flat(code: Code) -> str:
    match code:
        case str():
            return code
        case Method():
            operand = f"{code.prefix}{_called(code.operand)}"
            return f"{operand}.{code.name}({_flat(code.argument)})"
        case Operators():
            joined = f" {code.sign} ".join(map(_flat, code.parts))
            return f"{code.prefix}({joined})" if code.grouped else code.prefix + joined
    if not code.comma:
        return _BREAK
    inner = ", ".join(map(_flat, code.items)).removesuffix(" ")
    return f"{code.prefix}{code.opening}{inner}{code.closing}"


def docstring(text: str, depth: int = 0, *more: str) -> str:
    """A docstring: `text` as its first paragraph, `more` after it, wrapped."""
    indent = _INDENT * depth
    paragraphs = [_safe(one) for one in (text, *more) if one]
    first = f'{indent}"""{paragraphs[0]}"""'
    if len(paragraphs) == 1 and len(first) <= WIDTH:
        return first
    wrapped = [
        textwrap.fill(
            one, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False
        )
        for one in paragraphs
    ]
    body = "\n\n".join(wrapped).removeprefix(indent)
    return f'{indent}"""{body}\n{indent}"""'


def _safe(text: str) -> str:
    text = " ".join(text.split()).replace("\\", "\\\\").replace('"""', "'''")
    return text[:-1] + '\\"' if text.endswith('"') else text

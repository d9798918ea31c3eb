"""Python source as text, laid out as the formatters `ruff format` and black lay it out."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["WIDTH", "Call", "assignment", "call", "docstring", "literal", "sequence", "statement"]

WIDTH = 100
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Call:
    """Something in brackets that may be broken over lines: a call, a list, a dict."""

    opening: str
    items: tuple[str | Call, ...]
    closing: str
    prefix: str = ""
    """What stands before it as an argument or entry: `name=`, `"key": `."""


Code = str | Call


def call(name: str, *items: Code, **keywords: Code) -> Call:
    """`name(item, keyword=item)`."""
    named = tuple(named_item(f"{key}=", item) for key, item in keywords.items())
    return Call(f"{name}(", items + named, ")")


def named_item(prefix: str, item: Code) -> Code:
    """`item` with something in front: a keyword's name, a dict's key."""
    if isinstance(item, str):
        return prefix + item
    return Call(item.opening, item.items, item.closing, prefix + item.prefix)


def sequence(items: Iterable[Code]) -> Call:
    """A list."""
    return Call("[", tuple(items), "]")


def literal(value: object) -> Code:
    """Plain data as Python writes it."""
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        entries = (named_item(f"{literal(key)}: ", literal(item)) for key, item in value.items())
        return Call("{", tuple(entries), "}")
    if isinstance(value, tuple) and len(value) == 1:
        return Call("(", (literal(value[0]), ""), ")")
    if isinstance(value, tuple):
        return Call("(", tuple(map(literal, value)), ")")
    if isinstance(value, Sequence):
        return sequence(map(literal, value))
    return repr(value)


def _string(text: str) -> str:
    escaped = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")
    if '"' not in text or "'" in text:
        return escaped
    return "'" + escaped[1:-1].replace('\\"', '"') + "'"


def assignment(name: str, value: Code, depth: int = 0) -> str:
    """`name = value` at that depth of indentation."""
    return statement(named_item(f"{name} = ", value), depth)


def statement(code: Code, depth: int = 0, after: str = "") -> str:
    """`code` at that depth of indentation, broken where it does not fit into a line."""
    indent = _INDENT * depth
    line = indent + _flat(code) + after
    if isinstance(code, str) or not code.items or (len(line) <= WIDTH and "\n" not in line):
        return line
    opening = f"{indent}{code.prefix}{code.opening}"
    inner = ", ".join(_flat(item) for item in code.items if item != "")
    one_line = f"{indent}{_INDENT}{inner}"
    is_call = code.opening.endswith("(") and len(code.opening) > 1
    if is_call and len(one_line) <= WIDTH and "\n" not in inner and not _trailing(code):
        return f"{opening}\n{one_line}\n{indent}{code.closing}{after}"
    lines = [statement(item, depth + 1, ",") for item in code.items if item != ""]
    return "\n".join([opening, *lines, f"{indent}{code.closing}{after}"])


def _trailing(code: Call) -> bool:
    return code.items[-1] == ""


def _flat(code: Code) -> str:
    if isinstance(code, str):
        return code
    inner = ", ".join(map(_flat, code.items)).removesuffix(" ") if code.items else ""
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

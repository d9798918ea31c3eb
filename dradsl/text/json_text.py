"""JSON that is no YAML, composed to the same raw nodes: objects set end to end, surrogate pairs.

YAML's composer reads all other JSON faster, so this is only asked where that one gives up.
"""

from __future__ import annotations

import json

from dradsl.text.compose import RawNode, TooDeepError
from dradsl.text.pyyaml import yaml
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["JsonError", "compose_json"]

_SPACE = pattern(r"[ \t\r\n]*+")
_STRING = pattern(r'"(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+"')
_WORD = pattern(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")

_PLAIN = (True, False)
_QUOTED = (False, True)


class JsonError(ValueError):
    """The text is no JSON; `offset` is the first place where it is none."""

    def __init__(self, offset: int) -> None:
        super().__init__("no JSON")
        self.offset = offset


class _Mark:
    __slots__ = ("index", "line")

    def __init__(self, index: int, line: int) -> None:
        self.index = index
        self.line = line


def compose_json(text: str, max_depth: int) -> Iterator[tuple[int, int, RawNode]]:
    """Start, end and root of each JSON value in `text`. Raises JsonError and TooDeepError."""
    reader = _JsonTextReader(text, max_depth)
    offset = reader.skip(0)
    while offset < len(text):
        node, end = reader.value(offset, 0)
        yield offset, end, node
        offset = reader.skip(end)


class _JsonTextReader:
    def __init__(self, text: str, max_depth: int) -> None:
        self.text = text
        self.max_depth = max_depth

    def skip(self, offset: int) -> int:
        match = _SPACE.match(self.text, offset)
        return match.end() if match else offset

    def value(self, offset: int, depth: int) -> tuple[Any, int]:
        character = self.text[offset : offset + 1]
        if character == '"':
            return self.string(offset)
        if character == "{" or character == "[":
            if depth >= self.max_depth:
                raise TooDeepError(offset)
            return self.collection(offset, depth + 1, character)
        match = _WORD.match(self.text, offset)
        if match is None:
            raise JsonError(offset)
        return self.scalar(_PLAIN, match[0], offset, match.end(), ""), match.end()

    def string(self, offset: int) -> tuple[RawNode, int]:
        match = _STRING.match(self.text, offset)
        if match is None:
            raise JsonError(offset)
        # Lone surrogates become U+FFFD, as in Go.
        value = json.loads(match[0]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return self.scalar(_QUOTED, value, offset, match.end(), '"'), match.end()

    def scalar(self, tag: Any, value: str, start: int, end: int, style: str) -> RawNode:
        kind: Any = yaml.ScalarNode
        return kind(tag, value, _Mark(start, 0), _Mark(end, 0), style)

    def collection(self, offset: int, depth: int, opening: str) -> tuple[Any, int]:
        children: list[Any] = []
        closing = "}" if opening == "{" else "]"
        position = self.skip(offset + 1)
        if self.text[position : position + 1] != closing:
            while True:
                child, position = self.child(position, depth, opening)
                children.append(child)
                position = self.skip(position)
                separator = self.text[position : position + 1]
                if separator == closing:
                    break
                if separator != ",":
                    raise JsonError(position)
                position = self.skip(position + 1)
        kind: Any = yaml.MappingNode if opening == "{" else yaml.SequenceNode
        start, end = _Mark(offset, 0), _Mark(position + 1, 0)
        return kind(None, children, start, end, flow_style=True), position + 1

    def child(self, offset: int, depth: int, opening: str) -> tuple[Any, int]:
        if opening == "[":
            return self.value(offset, depth)
        key, position = self.string(offset)
        position = self.skip(position)
        if self.text[position : position + 1] != ":":
            raise JsonError(position)
        value, position = self.value(self.skip(position + 1), depth)
        return (key, value), position

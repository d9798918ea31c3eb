"""Field paths (`spec.devices.requests[0].exactly`), and the place in the file that they name."""

from __future__ import annotations

from dradsl.diagnostics import FieldPath
from dradsl.errors import DradslError
from dradsl.records import dataclass
from dradsl.text.nodes import Entry, MappingNode, Node, SequenceNode
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dradsl.diagnostics import Span

__all__ = [
    "FieldPath",
    "Located",
    "PathError",
    "format_path",
    "locate",
    "parse_path",
    "value_at",
    "values_named",
]

_NAME = pattern(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_TOKEN = pattern(
    r"\.?(?P<name>[A-Za-z_$][A-Za-z0-9_$-]*)|\[(?P<index>[0-9]{1,9})\]|\[(?P<key>[^\]]*)\]"
)


class PathError(DradslError, ValueError):
    """The text is no field path."""


@dataclass(frozen=True, slots=True)
class Located:
    """What a path leads to.

    `key_span` is the key that leads there, None for items and the root. `value_span` is the value
    (the `alias`, if it is one). If the path leads nowhere `exact` is false, and the rest is the
    nearest ancestor that exists. `entry` is the mapping's entry, where there is one. A `shared`
    node was reached through an alias or a merge: to edit it changes the other places too.
    """

    path: FieldPath
    node: Node
    exact: bool
    entry: Entry | None = None
    shared: bool = False
    alias: Span | None = None

    @property
    def key_span(self) -> Span | None:
        """Where the key stands."""
        return None if self.entry is None else self.entry.key.span

    @property
    def value_span(self) -> Span:
        """Where the value stands, or its alias."""
        return self.alias or self.node.span

    @property
    def best_span(self) -> Span:
        """Where to point: the value if the path exists and it is no mapping or list, else the key."""
        if self.exact and not isinstance(self.node, MappingNode | SequenceNode):
            return self.value_span
        return self.key_span or self.value_span


def format_path(path: FieldPath) -> str:
    """The text of a path as Kubernetes prints it; keys that are no plain names in brackets."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif _NAME.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f"[{part}]"
    return text


def parse_path(text: str) -> FieldPath:
    """The path in `text`, as `format_path` writes it; PathError if it is none."""
    parts: list[str | int] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or (match["name"] and (text[position] == ".") != bool(parts)):
            raise PathError(f"no field path: {text!r}")
        if match["index"] is not None:
            parts.append(int(match["index"]))
        else:
            parts.append(match["name"] or match["key"] or "")
        position = match.end()
    return tuple(parts)


def value_at(data: Any, path: FieldPath) -> Any:
    """The value at `path` in plain data; KeyError, IndexError or TypeError if it leads nowhere."""
    for part in path:
        data = data[part]
    return data


def values_named(data: Any, name: str) -> Iterator[Any]:
    """Every value that is under the key `name` in plain data, however deep; outer ones first."""
    if isinstance(data, dict):
        if name in data:
            yield data[name]
        for value in data.values():
            yield from values_named(value, name)
    elif isinstance(data, list):
        for value in data:
            yield from values_named(value, name)


def locate(root: Node, path: FieldPath) -> Located:
    """The node at `path` below `root`, or the nearest ancestor that exists."""
    node, entry, alias = root, None, None
    shared, steps = False, 0
    for part in path:
        following = _step(node, part)
        if following is None:
            break
        node, entry, alias = following
        shared = shared or alias is not None or (entry is not None and entry.merged)
        steps += 1
    return Located(
        path[:steps],
        node,
        steps == len(path),
        entry,
        shared,
        alias,
    )


def _step(node: Node, part: str | int) -> tuple[Node, Entry | None, Span | None] | None:
    """What is under a name or number: its node, its entry in a mapping, the alias if it is one."""
    if isinstance(node, MappingNode) and isinstance(part, str):
        entry = node.entry(part)
        return None if entry is None else (entry.value, entry, entry.alias)
    if isinstance(node, SequenceNode) and isinstance(part, int) and part < len(node.items):
        return node.items[part], None, node.aliases[part]
    return None

"""Raw YAML nodes to plain data, with everything that the Kubernetes reader rejects on the way."""

from __future__ import annotations

import sys

from dradsl.records import Record, replace
from dradsl.text.compose import RawAlias, RawNode, TooDeepError
from dradsl.text.pyyaml import yaml
from dradsl.text.scalars import NUMERIC, WORDS, ScalarError, key_name, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from typing import Any


__all__ = [
    "Complaint",
    "convert",
    "expansion_complaint",
    "is_merge",
    "style_and_tag",
]

# decode.go of go.yaml.in/yaml/v2: which share of the decoded nodes may come from aliases.
_RATIO_LOW = 400_000
_RATIO_HIGH = 4_000_000


class Complaint(Record):
    """Something wrong at offsets of the composed text. `fatal`: the reader gives up here.

    `related` is the place of the first key for a duplicate, `context` where the construct begins
    that the message ends with.
    """

    reason: str
    message: str
    start: int
    end: int
    upstream: str | None = None
    related: tuple[int, int] | None = None
    fatal: bool = True
    context: int | None = None


def convert(
    root: RawNode, max_depth: int, max_nodes: int, aliased: bool
) -> tuple[object, tuple[Complaint, ...]]:
    """The data of a composed document, None if a complaint is fatal, and the complaints.

    Raises TooDeepError beyond `max_depth` levels.

    Aliases are expanded into copies, at most `max_nodes` nodes in all (0: no alias is taken);
    `aliased` says whether there may be any.
    """
    converter = _Converter(max_depth)
    bomb = expansion_complaint(root, max_nodes) if aliased else None
    if bomb is not None:
        return None, (bomb,)
    data = converter.convert(root, 0)
    complaints = tuple(converter.complaints)
    if complaints and any(complaint.fatal for complaint in complaints):
        data = None
    return data, complaints


def style_and_tag(node: RawNode) -> tuple[str, str | None]:
    """Style and tag of a raw scalar as `scalars.resolve` wants them."""
    tag = node.tag
    if tag.__class__ is not tuple:
        return node.style or "", tag
    # Plain in style, but not to be resolved: nothing at all behind a lone `!`.
    return node.style or ("" if tag[0] else "'"), None


def is_merge(key: RawNode) -> bool:
    """Whether a mapping key is the merge key `<<`."""
    if key.__class__ is not yaml.ScalarNode or key.value != "<<":
        return False
    tag: Any = key.tag
    return bool(tag[0]) if isinstance(tag, tuple) else tag == "tag:yaml.org,2002:merge"


_SCALAR, _MAPPING, _SEQUENCE = yaml.ScalarNode, yaml.MappingNode, yaml.SequenceNode
_NONE: AbstractSet[str] = frozenset()
_NO_NAMES = NUMERIC | {"<"}  # first characters of plain keys that may be no text, or a merge


class _Converter:
    __slots__ = ("complaints", "first_keys", "max_depth")

    def __init__(self, max_depth: int) -> None:
        self.max_depth = max_depth
        self.first_keys: dict[RawNode, dict[str | None, RawNode]] = {}
        self.complaints: list[Complaint] = []

    def convert(self, node: Any, depth: int) -> Any:
        kind = node.__class__
        if kind is _SCALAR:
            tag = node.tag
            if tag.__class__ is tuple:
                text = node.value
                if (text not in WORDS and text[0] not in NUMERIC) or not tag[0]:
                    return text
            return self.scalar(node)
        if depth >= self.max_depth:
            raise TooDeepError(node.start_mark.index)
        if kind is _MAPPING:
            result: dict[str, object] = {}
            self.fill(node, result, depth + 1)
            return result
        if kind is _SEQUENCE:
            depth += 1
            convert = self.convert
            return [convert(item, depth) for item in node.value]
        return self.convert(node.target, depth)

    # The most work of reading is done here: what is common is not worth a call.
    def fill(self, node: RawNode, result: dict[str, object], depth: int) -> None:
        intern = sys.intern
        merged = _NONE
        twice: list[tuple[int, str, object]] | None = None
        for key, value in node.value:
            tag: Any = key.tag  # a tuple only of a scalar without one
            name: str | None
            if tag.__class__ is tuple and (
                ((text := key.value) not in WORDS and text[0] not in _NO_NAMES) or not tag[0]
            ):
                # The same few names again and again: kept once, a stream takes a third less memory.
                name = intern(text)
            elif is_merge(key):
                before = set(result)
                self.merge(key, value, result, depth)
                merged |= set(result) - before
                continue
            elif (name := self.key(key)) is None:
                continue
            if name in result and name not in merged:
                twice = twice or []
                twice.append((len(self.complaints), name, result[name]))
                self.duplicate(node, key, value, name)
            tag = value.tag
            if tag.__class__ is tuple:
                text = value.value
                if (text not in WORDS and text[0] not in NUMERIC) or not tag[0]:
                    result[name] = text
                else:
                    result[name] = self.scalar(value)
                continue
            kind = value.__class__
            if kind is _MAPPING and depth < self.max_depth:
                below: dict[str, object] = {}
                result[name] = below
                self.fill(value, below, depth + 1)
            elif kind is _SEQUENCE and depth + 1 < self.max_depth:
                items: list[object] = []
                result[name] = items
                for item in value.value:
                    if item.__class__ is _MAPPING:
                        below = {}
                        items.append(below)
                        self.fill(item, below, depth + 2)
                    else:
                        items.append(self.convert(item, depth + 1))
            else:
                result[name] = self.convert(value, depth)
        for number, name, value in twice or ():
            # By their texts: 1 and true are equal in Python.
            if value == result[name] and repr(value) == repr(result[name]):
                message = f'key "{name}" is given twice with the same value, so nothing is lost'
                self.complaints[number] = replace(
                    self.complaints[number], reason="repeated-key", message=message
                )

    def merge(self, key: Any, value: Any, result: dict[str, object], depth: int) -> None:
        """`<<`: the reader sets merged keys where they stand; of several mappings the first wins."""
        sources = value.value[::-1] if value.__class__ is yaml.SequenceNode else [value]
        for source in sources:
            target = source.target if source.__class__ is RawAlias else source
            if target.__class__ is not yaml.MappingNode:
                message = "map merge requires map or sequence of maps as the value"
                self.complain("merge-value", message, source, f"yaml: {message}")
                return
            if depth >= self.max_depth:
                raise TooDeepError(key.start_mark.index)
            copy: dict[str, object] = {}
            self.fill(target, copy, depth + 1)
            result.update(copy)

    def scalar(self, node: RawNode) -> Any:
        style, tag = style_and_tag(node)
        try:
            return resolve(node.value, style, tag)
        except ScalarError as error:
            upstream = str(error) if str(error).startswith("json:") else f"yaml: {error}"
            self.complain("unreadable-scalar", str(error), node, upstream)
            return None

    def key(self, node: Any) -> str | None:
        target = node.target if node.__class__ is RawAlias else node
        if target.__class__ is not yaml.ScalarNode:
            message = "a mapping or sequence cannot be a key"
            self.complain("invalid-key", message, node, "yaml: invalid map key")
            return None
        style, tag = style_and_tag(target)
        try:
            return key_name(target.value, style, tag)
        except ScalarError as error:
            self.complain("invalid-key", str(error), node, str(error))
            return None

    def complain(self, reason: str, message: str, node: Any, upstream: str) -> None:
        self.complaints.append(
            Complaint(reason, message, node.start_mark.index, node.end_mark.index, upstream)
        )

    def duplicate(self, node: RawNode, key: Any, value: Any, name: str) -> None:
        first = self.first_key(node, name)
        self.complaints.append(
            Complaint(
                "duplicate-key",
                f'key "{name}" is given twice; the first value is lost',
                key.start_mark.index,
                key.end_mark.index,
                f'yaml: unmarshal errors:\n  line {value.start_mark.line + 1}: key "{name}" '
                "already set in map",
                related=(first.start_mark.index, first.end_mark.index),
                fatal=False,
            )
        )

    def first_key(self, node: RawNode, name: str) -> Any:
        """The first key of that name. All names of a mapping are looked up at once, and kept."""
        names = self.first_keys.get(node)
        if names is None:
            count = len(self.complaints)
            names = self.first_keys[node] = {}
            for key, _ in node.value:
                if not is_merge(key):
                    names.setdefault(self.key(key), key)
            del self.complaints[count:]
        return names[name]


def expansion_complaint(root: RawNode, max_nodes: int) -> Complaint | None:
    """Whether aliases expand beyond what the reader allows; counted without expanding them."""
    aliases, outside = _count_written(root)
    if not aliases:
        return None
    if not max_nodes:
        return _at(aliases[0], "alias", "an alias is not allowed here; write the value out")
    sizes: dict[RawNode, int] = {}
    within = 0
    for node in aliases:
        size = _expanded_size(node, sizes)
        if size is None:
            return _at(node, "alias-loop", f"anchor '{node.name}' value contains itself")
        within += size - 1
    total = outside + within
    if total > max_nodes:
        message = f"aliases expand the document to more than {max_nodes} nodes"
        return _at(aliases[0], "alias-bomb", message, "document contains excessive aliasing")
    if within > 100 and total > 1000 and within / total > _allowed_ratio(total):
        return _at(aliases[0], "alias-bomb", "document contains excessive aliasing")
    return None


def _at(node: RawAlias, reason: str, message: str, upstream: str | None = None) -> Complaint:
    start, end = node.start_mark.index, node.end_mark.index
    return Complaint(reason, message, start, end, f"yaml: {upstream or message}")


def _allowed_ratio(count: int) -> float:
    if count <= _RATIO_LOW:
        return 0.99
    if count >= _RATIO_HIGH:
        return 0.10
    return 0.99 - 0.89 * ((count - _RATIO_LOW) / (_RATIO_HIGH - _RATIO_LOW))


def _children(node: Any) -> list[Any]:
    if isinstance(node, yaml.MappingNode):
        return [child for pair in node.value for child in pair]
    if isinstance(node, yaml.SequenceNode):
        return list(node.value)
    return []


def _count_written(root: RawNode) -> tuple[list[RawAlias], int]:
    """The aliases as written, in the order of the text, and how many nodes are written."""
    found: list[RawAlias] = []
    pending: list[Any] = [root]
    count = 0
    while pending:
        node = pending.pop()
        kind = node.__class__
        count += 1
        if kind is yaml.MappingNode:
            for pair in node.value:
                pending += pair
        elif kind is yaml.SequenceNode:
            pending += node.value
        elif kind is RawAlias:
            found.append(node)
    found.sort(key=lambda alias: alias.start_mark.index)
    return found, count


def _expanded_size(start: Any, sizes: dict[RawNode, int]) -> int | None:
    """How many nodes a node has with aliases expanded; None if it holds itself."""
    pending: list[tuple[Any, bool]] = [(start, False)]
    open_nodes: set[RawNode] = set()
    while pending:
        node, done = pending.pop()
        children = [node.target] if node.__class__ is RawAlias else _children(node)
        if done:
            open_nodes.discard(node)
            sizes[node] = 1 + sum(sizes[child] for child in children)
        elif node in open_nodes:
            return None
        elif node not in sizes:
            open_nodes.add(node)
            pending.append((node, True))
            pending += [(child, False) for child in children]
    return sizes[start]

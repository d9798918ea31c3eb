"""Raw YAML nodes to the positioned nodes that rules and edits look at."""

from __future__ import annotations

import yaml

from dradsl.text.compose import RawAlias, RawNode
from dradsl.text.masking import unmask
from dradsl.text.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode
from dradsl.text.plain import is_merge, style_and_tag
from dradsl.text.scalars import ScalarError, key_name, resolve
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.text.lines import Lines

__all__ = ["build_tree"]

_KEEP = pattern(r"[|>][0-9]*\+[0-9]*\s*$")


def build_tree(root: RawNode, base: int, lines: Lines, *, masked: bool = False) -> Node:
    """The nodes of a document composed from the text that starts at offset `base` of the file.

    The document must have been converted before: that bounds its depth and its aliases. `masked` says
    that the text was (`masking`).
    """
    return _Builder(base, lines, masked).build(root)


class _Builder:
    __slots__ = ("base", "built", "lines", "masked")

    def __init__(self, base: int, lines: Lines, masked: bool) -> None:
        self.base = base
        self.lines = lines
        self.masked = masked
        self.built: dict[int, Node] = {}

    def build(self, raw: Any) -> Node:
        if raw.__class__ is RawAlias:
            raw = raw.target
        known = self.built.get(id(raw))
        if known is None:
            if raw.__class__ is yaml.ScalarNode:
                known = self.scalar(raw)
            elif raw.__class__ is yaml.SequenceNode:
                known = self.sequence(raw)
            else:
                known = self.mapping(raw)
            self.built[id(raw)] = known
        return known

    def scalar(self, raw: yaml.ScalarNode) -> ScalarNode:
        style, tag = style_and_tag(raw)
        start = self.base + raw.start_mark.index
        end = self.base + raw.end_mark.index
        if raw.style in ("|", ">"):
            end = start + _block_length(self.lines.text[start:end])
        text = unmask(raw.value) if self.masked else raw.value
        try:
            value = resolve(text, style, tag)
        except ScalarError:
            value = text
        return ScalarNode(value, text, raw.style or "", tag, start, end, self.lines)

    def sequence(self, raw: yaml.SequenceNode) -> SequenceNode:
        items = tuple(self.build(item) for item in raw.value)
        aliases = tuple(self.alias_span(item) for item in raw.value)
        start = self.base + raw.start_mark.index
        end = self.end(raw, start)
        return SequenceNode(items, bool(raw.flow_style), start, end, self.lines, aliases)

    def mapping(self, raw: yaml.MappingNode) -> MappingNode:
        entries: list[Entry] = []
        for key, value in raw.value:
            if is_merge(key):
                entries += self.merged(value)
            else:
                node = self.key(key)
                name = self.name(node)
                entries.append(Entry(node, self.build(value), name, alias=self.alias_span(value)))
        start = self.base + raw.start_mark.index
        end = self.end(raw, start)
        return MappingNode(tuple(entries), bool(raw.flow_style), start, end, self.lines)

    def merged(self, value: Any) -> list[Entry]:
        sources = value.value[::-1] if value.__class__ is yaml.SequenceNode else [value]
        entries: list[Entry] = []
        for source in sources:
            node = self.build(source)
            if isinstance(node, MappingNode):
                entries += [
                    Entry(entry.key, entry.value, entry.name, merged=True, alias=entry.alias)
                    for entry in node.entries
                ]
        return entries

    def key(self, raw: Any) -> ScalarNode:
        node = self.build(raw)
        if isinstance(node, ScalarNode):
            return node
        # Only broken documents have such keys.
        return ScalarNode(None, "", "", None, node.start, node.end, self.lines)

    def name(self, node: ScalarNode) -> str:
        try:
            return key_name(node.text, node.style, node.tag)
        except ScalarError:
            return node.text

    def alias_span(self, raw: Any) -> Any:
        if raw.__class__ is not RawAlias:
            return None
        return self.lines.span(self.base + raw.start_mark.index, self.base + raw.end_mark.index)

    def end(self, raw: Any, start: int) -> int:
        """The end of a collection: its bracket, or the end of its last child as written."""
        if raw.flow_style:
            end: int = raw.end_mark.index
            return self.base + end
        if not raw.value:
            return start
        last = raw.value[-1]
        ends = [self.child_end(child) for child in (last if isinstance(last, tuple) else (last,))]
        return max(ends)

    def child_end(self, raw: Any) -> int:
        if raw.__class__ is RawAlias:
            index: int = raw.end_mark.index
            return self.base + index
        return self.build(raw).end


def _block_length(source: str) -> int:
    """The length of a block scalar without what follows its content.

    With `+` in its header the empty lines behind the content belong to the value.
    """
    header = source.partition("\n")[0].partition(" #")[0]
    if _KEEP.search(header):
        return len(source.removesuffix("\n").removesuffix("\r"))
    return len(source.rstrip())

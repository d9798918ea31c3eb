"""Raw YAML nodes to the positioned nodes that rules and edits look at."""

from __future__ import annotations

from dradsl.records import replace
from dradsl.text.compose import RawAlias, RawNode
from dradsl.text.masking import unmask
from dradsl.text.nodes import Entry, MappingNode, Node, ScalarNode, SequenceNode
from dradsl.text.plain import is_merge, style_and_tag
from dradsl.text.pyyaml import yaml
from dradsl.text.scalars import NUMERIC, WORDS, ScalarError, key_name, resolve
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.text.lines import Lines

__all__ = ["build_tree"]

_KEEP = pattern(r"[|>][0-9]*\+[0-9]*\s*$")


def build_tree(
    root: RawNode, base: int, lines: Lines, *, aliases: bool, masked: bool = False
) -> Node:
    """The nodes of a document composed from the text that starts at offset `base` of the file.

    Each is built when it is first asked for, and its raw nodes live as long as it does. `aliases`
    says whether the document can hold any: what they stand for is one node at all of its places.
    The document must have been converted before: that bounds its depth and its aliases. `masked` says
    that the text was (`masking`).
    """
    return _TreeReader(base, lines, {} if aliases else None, masked).node(root)


class _TreeReader:
    __slots__ = ("base", "built", "lines", "masked")

    def __init__(
        self, base: int, lines: Lines, built: dict[RawNode, Node] | None, masked: bool
    ) -> None:
        self.base = base
        self.lines = lines
        self.built = built
        self.masked = masked

    def node(self, raw: Any) -> Node:
        if self.built is None:
            return self.new(raw)
        if raw.__class__ is RawAlias:
            raw = raw.target
        known = self.built.get(raw)
        if known is None:
            known = self.built[raw] = self.new(raw)
        return known

    def new(self, raw: Any) -> Node:
        if raw.__class__ is yaml.ScalarNode:
            return self.scalar(raw)
        if raw.__class__ is yaml.SequenceNode:
            return self.sequence(raw)
        return self.mapping(raw)

    def scalar(self, raw: yaml.ScalarNode) -> ScalarNode:
        style, tag = style_and_tag(raw)
        start = self.base + raw.start_mark.index
        text = unmask(raw.value) if self.masked else raw.value
        try:
            value = resolve(text, style, tag)
        except ScalarError:
            value = text
        return ScalarNode(
            value, text, raw.style or "", tag, start, self.scalar_end(raw), self.lines
        )

    def sequence(self, raw: yaml.SequenceNode) -> SequenceNode:
        aliases = tuple(self.alias_span(item) for item in raw.value)
        start = self.base + raw.start_mark.index
        return SequenceNode(bool(raw.flow_style), start, aliases, self.lines, raw, self)

    def mapping(self, raw: yaml.MappingNode) -> MappingNode:
        start = self.base + raw.start_mark.index
        return MappingNode(bool(raw.flow_style), start, self.lines, raw, self)

    def items(self, raw: yaml.SequenceNode) -> tuple[Node, ...]:
        return tuple(self.node(item) for item in raw.value)

    def entries(self, raw: yaml.MappingNode) -> tuple[Entry, ...]:
        entries: list[Entry] = []
        no_aliases = self.built is None
        for pair in raw.value:
            key, value = pair
            tag: Any = key.tag if no_aliases and key.__class__ is yaml.ScalarNode else None
            if tag.__class__ is tuple:  # nearly all: not worth the calls below
                text: str = key.value
                if text not in WORDS and text[0] not in NUMERIC and text != "<<":
                    entries.append(Entry(text, False, None, pair, self))
                    continue
            if is_merge(key):
                entries += self.merged(value)
            else:
                entries.append(Entry(self.name(key), False, self.alias_span(value), pair, self))
        return tuple(entries)

    def merged(self, value: Any) -> list[Entry]:
        sources = value.value[::-1] if value.__class__ is yaml.SequenceNode else [value]
        entries: list[Entry] = []
        for source in sources:
            node = self.node(source)
            if isinstance(node, MappingNode):
                entries += [replace(entry, merged=True) for entry in node.entries]
        return entries

    def key(self, raw: Any) -> ScalarNode:
        node = self.node(raw)
        if isinstance(node, ScalarNode):
            return node
        # Only broken documents have such keys.
        return ScalarNode(None, "", "", None, node.start, node.end, self.lines)

    def name(self, raw: Any) -> str:
        if raw.__class__ is RawAlias:
            raw = raw.target
        if raw.__class__ is not yaml.ScalarNode:
            return ""
        text: str = raw.value
        try:
            return key_name(text, *style_and_tag(raw))
        except ScalarError:
            return text

    def alias_span(self, raw: Any) -> Any:
        if raw.__class__ is not RawAlias:
            return None
        return self.lines.span(self.base + raw.start_mark.index, self.base + raw.end_mark.index)

    def end(self, raw: Any) -> int:
        """The end of a node: its bracket, or the end of its last child as written."""
        if raw.__class__ is yaml.ScalarNode:
            return self.scalar_end(raw)
        if raw.__class__ is RawAlias or raw.flow_style:
            end: int = raw.end_mark.index
            return self.base + end
        if not raw.value:
            start: int = raw.start_mark.index
            return self.base + start
        last = raw.value[-1]
        return max(self.end(child) for child in (last if isinstance(last, tuple) else (last,)))

    def scalar_end(self, raw: yaml.ScalarNode) -> int:
        end: int = self.base + raw.end_mark.index
        if raw.style not in ("|", ">"):
            return end
        start = self.base + raw.start_mark.index
        return start + _block_length(self.lines.text[start:end])


def _block_length(source: str) -> int:
    """The length of a block scalar without what follows its content.

    With `+` in its header the empty lines behind the content belong to the value.
    """
    header = source.partition("\n")[0].partition(" #")[0]
    if _KEEP.search(header):
        return len(source.removesuffix("\n").removesuffix("\r"))
    return len(source.rstrip())

"""Positioned YAML nodes: what a document says, and where in the file it says so."""

from __future__ import annotations

from dradsl.records import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, TypeAlias

    from dradsl.diagnostics import Span
    from dradsl.text.lines import Lines

__all__ = [
    "Entry",
    "MappingNode",
    "Node",
    "PlainScalar",
    "ScalarNode",
    "SequenceNode",
    "to_plain",
]

PlainScalar: TypeAlias = str | int | float | bool | None

PLAIN: Final = ""


@dataclass(frozen=True, slots=True, eq=False)
class ScalarNode:
    """A scalar. `value` is what the Kubernetes reader makes of it, `text` the decoded characters.

    `style` is "" (plain), "'", '"', "|" or ">"; `tag` is None unless the file gives one.
    `start` and `end` are offsets in the file: quotes belong to the scalar, as do the header of a
    block scalar and an anchor or tag before it; white space after it does not.
    """

    value: PlainScalar
    text: str
    style: str
    tag: str | None
    start: int
    end: int
    lines: Lines = field(repr=False)

    @property
    def span(self) -> Span:
        """Where the scalar stands."""
        return self.lines.span(self.start, self.end)


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One `key: value` of a mapping.

    `name` is the key as JSON has it (`1: x` is named "1"). `merged` entries come from a `<<`:
    their key and value stand elsewhere. `alias` is the place of the `*anchor` if the value is one:
    the value then stands where the anchor is.
    """

    key: ScalarNode
    value: Node
    name: str
    merged: bool = False
    alias: Span | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MappingNode:
    """A mapping. Of entries with the same name the last one counts, as for the reader."""

    entries: tuple[Entry, ...]
    flow: bool
    start: int
    end: int
    lines: Lines = field(repr=False)
    _by_name: dict[str, Entry] = field(default_factory=dict, repr=False)

    @property
    def span(self) -> Span:
        """Where the mapping stands: from its first key, or brace, to the end of its last value."""
        return self.lines.span(self.start, self.end)

    def entry(self, name: str) -> Entry | None:
        """The entry that counts for `name`."""
        if not self._by_name:
            self._by_name.update((entry.name, entry) for entry in self.entries)
        return self._by_name.get(name)

    def get(self, name: str) -> Node | None:
        """The value under `name`."""
        entry = self.entry(name)
        return entry.value if entry else None


@dataclass(frozen=True, slots=True, eq=False)
class SequenceNode:
    """A sequence. `aliases[i]` is the place of the `*anchor` if item i is one, else None."""

    items: tuple[Node, ...]
    flow: bool
    start: int
    end: int
    lines: Lines = field(repr=False)
    aliases: tuple[Span | None, ...] = ()

    @property
    def span(self) -> Span:
        """Where the sequence stands, from its first dash or bracket to the end of its last item."""
        return self.lines.span(self.start, self.end)


Node: TypeAlias = MappingNode | SequenceNode | ScalarNode


def to_plain(node: Node | None) -> object:
    """The data of a node as dict, list, str, int, float, bool and None."""
    if isinstance(node, MappingNode):
        return {entry.name: to_plain(entry.value) for entry in node.entries}
    if isinstance(node, SequenceNode):
        return [to_plain(item) for item in node.items]
    return node.value if node is not None else None

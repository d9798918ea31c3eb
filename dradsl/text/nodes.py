"""Positioned YAML nodes: what a document says, and where in the file it says so.

What a mapping or sequence holds is made when it is first asked for: of most documents only the way
to a few places is looked at.
"""

from __future__ import annotations

from dradsl.records import cached, dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final, Protocol, TypeAlias

    from dradsl.diagnostics import Span
    from dradsl.text.lines import Lines

    class Reader(Protocol):
        """Makes nodes of what a composer gave; `raw` is its node."""

        def key(self, raw: Any) -> ScalarNode: ...
        def node(self, raw: Any) -> Node: ...
        def entries(self, raw: Any) -> tuple[Entry, ...]: ...
        def items(self, raw: Any) -> tuple[Node, ...]: ...
        def end(self, raw: Any) -> int: ...


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
_FEW = 8  # entries that are looked through; of more a table is made


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

    @cached
    def kept(self) -> dict[str, Any]:
        """What was worked out of it, by names that the modules give which did."""
        return {}


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One `key: value` of a mapping.

    `name` is the key as JSON has it (`1: x` is named "1"). `merged` entries come from a `<<`:
    their key and value are elsewhere. `alias` is the place of the `*anchor` if the value is one:
    the value then is where the anchor is.
    """

    name: str
    merged: bool
    alias: Span | None
    _raw: tuple[Any, Any] = field(repr=False)
    _reader: Reader = field(repr=False)

    @cached
    def key(self) -> ScalarNode:
        """The key as written."""
        return self._reader.key(self._raw[0])

    @cached
    def value(self) -> Node:
        """What is under the key."""
        return self._reader.node(self._raw[1])


@dataclass(frozen=True, slots=True, eq=False)
class MappingNode:
    """A mapping. Of entries with the same name the last one counts, as for the reader."""

    flow: bool
    start: int
    lines: Lines = field(repr=False)
    _raw: Any = field(repr=False)
    _reader: Reader = field(repr=False)

    @cached
    def entries(self) -> tuple[Entry, ...]:
        """The entries as written, those of a merge where its `<<` stands."""
        return self._reader.entries(self._raw)

    @cached
    def end(self) -> int:
        """The offset in the file behind the mapping."""
        return self._reader.end(self._raw)

    @cached
    def _by_name(self) -> Mapping[str, Entry]:
        return {entry.name: entry for entry in self.entries}

    @property
    def span(self) -> Span:
        """Where the mapping stands: from its first key, or brace, to the end of its last value."""
        return self.lines.span(self.start, self.end)

    def entry(self, name: str) -> Entry | None:
        """The entry that counts for `name`."""
        entries = self.entries
        if len(entries) > _FEW:
            return self._by_name.get(name)
        for each in reversed(entries):
            if each.name == name:
                return each
        return None

    def get(self, name: str) -> Node | None:
        """The value under `name`."""
        entry = self.entry(name)
        return entry.value if entry else None


@dataclass(frozen=True, slots=True, eq=False)
class SequenceNode:
    """A sequence. `aliases[i]` is the place of the `*anchor` if item i is one, else None."""

    flow: bool
    start: int
    aliases: tuple[Span | None, ...]
    lines: Lines = field(repr=False)
    _raw: Any = field(repr=False)
    _reader: Reader = field(repr=False)

    @cached
    def items(self) -> tuple[Node, ...]:
        """The items in order."""
        return self._reader.items(self._raw)

    @cached
    def end(self) -> int:
        """The offset in the file behind the sequence."""
        return self._reader.end(self._raw)

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

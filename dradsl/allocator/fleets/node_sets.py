"""Sets of nodes that stay in order: a bit for each node, so that much is cheap for many nodes at once.

A set of 30,000 nodes is a number of 4 KB. Which nodes two sets have in common, how many they are
and which comes first is one operation on numbers, whatever the nodes are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from dradsl.allocator.inventory.nodes import Node

__all__ = ["NodeList", "NodeSet", "bits_of"]

_KEPT = 16  # sets of which a list remembers who is first by name


class NodeList:
    """Nodes in an order of their own; sets of them are made by `of`."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.nodes = tuple(nodes)
        self.all_bits = (1 << len(self.nodes)) - 1
        self._places: dict[str, int] | None = None
        self._ranked: Sequence[int] | None = None
        self._first: list[tuple[int, int]] = []

    def of(self, bits: int) -> NodeSet:
        """The nodes whose bits are set."""
        return NodeSet(self, bits)

    def place(self, name: str) -> int:
        """Where the node with this name stands; raises KeyError if there is none."""
        if self._places is None:
            self._places = {node.name: place for place, node in enumerate(self.nodes)}
        return self._places[name]

    def first_by_name(self, bits: int) -> int:
        """Where the node stands whose name comes first, of the nodes whose bits are set."""
        ranked = self._ensure_ranked()
        if isinstance(ranked, range):
            return lowest(bits)
        # What a set lacked at the front, those that are part of it lack as well.
        larger = [known for known in self._first if not bits & ~known[0]]
        rank = max((known[1] for known in larger), default=0)
        while not bits >> ranked[rank] & 1:
            rank += 1
        others = [known for known in self._first if known not in larger]
        self._first = [*others[-_KEPT + 1 :], (bits, rank)]
        return ranked[rank]

    def _ensure_ranked(self) -> Sequence[int]:
        """The places by name."""
        if self._ranked is None:
            places = range(len(self.nodes))
            ranked = sorted(places, key=lambda place: self.nodes[place].name)
            self._ranked = places if ranked == list(places) else ranked
        return self._ranked


class NodeSet(Sequence["Node"]):
    """Some nodes of a list, in its order. It never changes."""

    __slots__ = ("bits", "every")

    def __init__(self, every: NodeList, bits: int) -> None:
        self.every = every
        self.bits = bits

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __iter__(self) -> Iterator[Node]:
        nodes = self.every.nodes
        if self.bits == self.every.all_bits:
            return iter(nodes)
        return (nodes[place] for place in _places(self.bits))

    @overload
    def __getitem__(self, index: int) -> Node: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Node, ...]: ...

    def __getitem__(self, index: int | slice) -> Node | tuple[Node, ...]:
        if index == 0 and self.bits:
            return self.every.nodes[lowest(self.bits)]
        return tuple(self)[index]

    def __repr__(self) -> str:
        return f"NodeSet({', '.join(node.name for node in self)})"

    def first_by_name(self) -> Node:
        """The node whose name comes first; raises IndexError if there is none."""
        if not self.bits:
            raise IndexError("no nodes")
        return self.every.nodes[self.every.first_by_name(self.bits)]


def bits_of(places: Iterable[int], size: int) -> int:
    """The number in which the bits at these places are set, all less than `size`."""
    found = bytearray(size // 8 + 1)
    for place in places:
        found[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(found, "little")


def lowest(bits: int) -> int:
    """The first place whose bit is set."""
    return (bits & -bits).bit_length() - 1


def _places(bits: int) -> Iterator[int]:
    for number, byte in enumerate(bits.to_bytes(bits.bit_length() // 8 + 1, "little")):
        if byte:
            for place in range(8 * number, 8 * number + 8):
                if byte >> (place & 7) & 1:
                    yield place

"""Which nodes have one answer, kept from claim to claim: only what is in use elsewhere now moves.

A node belongs to a group by its shape, which stays, and by its marks: what is in use on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.allocator.fleets.node_sets import NodeSet, bits_of, lowest
from dradsl.allocator.inventory.slices import PoolId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    from dradsl.allocator.fleets.node_sets import NodeList
    from dradsl.allocator.inventory.allocated import PoolUses
    from dradsl.allocator.inventory.nodes import Node

    Marks: TypeAlias = tuple[int, ...] | None
    """What is in use on a node, by position; None where that does not tell its answer."""

    _Likeness: TypeAlias = tuple[int | None, Marks]

__all__ = ["Grouping"]


class Grouping:
    """The groups of the nodes of a list.

    `shapes` are numbers by the names of nodes (those without one stand alone), `unlike` those of
    single nodes, `viewers` the names of the nodes that see a pool in which nodes have slices of
    their own, and `marks_of` gives the marks of such a node.
    """

    def __init__(
        self,
        every: NodeList,
        shapes: Mapping[str, int],
        unlike: frozenset[int],
        viewers: Mapping[PoolId, Sequence[str]],
        marks_of: Callable[[PoolUses, Node], Marks],
    ) -> None:
        self._every = every
        self._unlike = unlike
        self._viewers = viewers
        self._marks_of = marks_of
        self._shapes = [shapes.get(node.name) for node in every.nodes]
        self._uses: PoolUses | None = None
        self._marks: list[Marks] = []
        self._bits: dict[_Likeness, int] = {}

    def split(self, uses: PoolUses, bits: int) -> tuple[list[NodeSet], list[Node]]:
        """Nodes that have one answer while this is in use, and nodes that have to be looked at one
        by one, of those whose bits are set."""
        self._bring_to(uses)
        by_shape: dict[int | None, list[tuple[int, Marks, int]]] = {}
        everything = bits == self._every.all_bits
        for (shape, marks), members in self._bits.items():
            found = members if everything else members & bits
            if found:
                by_shape.setdefault(shape, []).append((lowest(found), marks, found))
        together: list[NodeSet] = []
        alone: list[Node] = []
        # In the order of the nodes, shape by shape.
        for groups in sorted(by_shape.values(), key=lambda groups: min(g[0] for g in groups)):
            for _, marks, found in sorted(groups, key=lambda group: group[0]):
                members_there = self._every.of(found)
                if marks is None:
                    alone += members_there
                else:
                    together.append(members_there)
        return together, alone

    def _bring_to(self, uses: PoolUses) -> None:
        if self._uses is uses:
            return
        changed = None if self._uses is None else uses.changed_since(self._uses)
        self._uses = uses
        if changed is None:
            self._begin(uses)
            return
        for name in self._viewing(changed):
            place = self._every.place(name)
            before = self._marks[place]
            marks = self._find_marks(uses, place)
            if marks != before:
                self._marks[place] = marks
                self._move(place, before, marks)

    def _begin(self, uses: PoolUses) -> None:
        nothing: Marks = ()
        self._marks = [None if shape is None else nothing for shape in self._shapes]
        names = self._viewing(uses)
        for place, node in enumerate(self._every.nodes):
            if node.name in names:
                self._marks[place] = self._find_marks(uses, place)
        found: dict[_Likeness, list[int]] = {}
        for place, node_key in enumerate(zip(self._shapes, self._marks, strict=True)):
            found.setdefault(node_key, []).append(place)
        size = len(self._every.nodes)
        self._bits = {node_key: bits_of(places, size) for node_key, places in found.items()}

    def _viewing(self, pools: Iterable[tuple[str, str]]) -> set[str]:
        """The names of the nodes that see one of these pools."""
        return {name for pool in pools for name in self._viewers.get(PoolId(*pool), ())}

    def _find_marks(self, uses: PoolUses, place: int) -> Marks:
        shape = self._shapes[place]
        if shape is None:
            return None
        # What is in use need not tell a node from others that is unlike all of them.
        return () if shape in self._unlike else self._marks_of(uses, self._every.nodes[place])

    def _move(self, place: int, marks: Marks, others: Marks) -> None:
        """Put a node with these marks where the others belong."""
        bit, shape = 1 << place, self._shapes[place]
        left = self._bits[shape, marks] ^ bit
        if left:
            self._bits[shape, marks] = left
        else:
            del self._bits[shape, marks]
        self._bits[shape, others] = self._bits.get((shape, others), 0) | bit

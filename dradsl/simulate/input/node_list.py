"""Which nodes there are: those of Node objects, and those that slices name.

A recording with Node objects is taken at its word: a node that only its slices name has gone, or was
not recorded. What is added to a recording (`--what-if`, manifests) is different: a slice there stands
for a node that is to come, and Node objects are not written by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.allocator.inventory.nodes import Node
from dradsl.allocator.inventory.slices import named_nodes, nodes_of
from dradsl.simulate.input.notes import Note

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from dradsl.allocator.inventory.slices import Slice

__all__ = ["all_nodes"]

_SHOWN = 3


def all_nodes(
    recorded: Mapping[str, Node],
    added: Mapping[str, Node],
    recorded_slices: Sequence[Slice],
    added_slices: Sequence[Slice],
) -> tuple[list[Node], list[Note]]:
    """The nodes of recorded and added objects, and what is to be said of them."""
    notes: list[Note] = []
    known = {**recorded, **added}
    if recorded:
        missing = sorted(named_nodes(recorded_slices) - known.keys() - named_nodes(added_slices))
        if missing:
            text = "no Node object is recorded: slices of it are not looked at"
            notes.append(Note("ignored", _label(missing), text))
        derived = [Node(name, known=False) for name in sorted(named_nodes(added_slices))]
    else:
        derived = list(nodes_of((*recorded_slices, *added_slices)))
    derived = [node for node in derived if node.name not in known]
    added_names = named_nodes(added_slices)
    new = [node.name for node in derived if recorded and node.name in added_names]
    if new:
        text = "derived from added slices: has any labels, no taints, and room for any pod"
        notes.append(Note("assumed", _label(new), text))
    return [*known.values(), *derived], notes


def _label(names: Collection[str] | Iterable[str]) -> str:
    listed = list(names)
    if len(listed) == 1:
        return f"node {listed[0]}"
    more = ", …" if len(listed) > _SHOWN else ""
    return f"{len(listed)} nodes ({', '.join(listed[:_SHOWN])}{more})"

"""Which of the nodes that fit a pod is taken, by a stated policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from dradsl.allocator.fleets.node_sets import NodeSet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.allocator.fleets.fleet import GatheredFleet
    from dradsl.allocator.inventory.allocated import AllocatedState
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.simulate.plugin.verdicts import Verdict

__all__ = ["NodeOrder", "choose_node"]

NodeOrder = Literal["score", "name", "pack", "spread"]


def choose_node(
    verdicts: Sequence[Verdict],
    order: NodeOrder,
    only: str,
    fleet: GatheredFleet,
    state: AllocatedState,
) -> tuple[Verdict, Node] | None:
    """The best node and what was said of it; only the one called `only`, if that is given."""
    best: tuple[Any, Verdict, Node] | None = None
    by_use = order in ("pack", "spread")
    for verdict in verdicts:
        nodes: Sequence[Node] = verdict.nodes if verdict.kind == "fits" else ()
        if only:
            nodes = [node for node in nodes if node.name == only]
        elif nodes and (not by_use or (verdict.group is not None and verdict.group.alike)):
            # The others of a group have as many devices left.
            by_name = nodes.first_by_name() if isinstance(nodes, NodeSet) else None
            nodes = (by_name or min(nodes, key=lambda one: one.name),)
        for node in nodes:
            rank = _rank(verdict, node, order, fleet, state)
            if best is None or rank < best[0]:
                best = rank, verdict, node
    return None if best is None else best[1:]


def _rank(
    verdict: Verdict, node: Node, order: NodeOrder, fleet: GatheredFleet, state: AllocatedState
) -> tuple[Any, ...]:
    match order:
        case "score":
            return -verdict.score, node.name
        case "pack":
            return _free(node, fleet, state), node.name
        case "spread":
            return -_free(node, fleet, state), node.name
    return (node.name,)


def _free(node: Node, fleet: GatheredFleet, state: AllocatedState) -> int:
    """Devices of the node that no claim holds."""
    return sum(
        (entry.driver, entry.pool, device.name) not in state.exclusive
        for pool in fleet.pools(node)
        for entry in pool.slices
        for device in entry.devices
    )

"""The nodes that nothing but devices may rule out for a pod, kept from one replica to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.simulate.extended import ExtendedClaim, extended_claim, has_extended
from dradsl.simulate.nodes.placement import pod_amounts, why_not
from dradsl.simulate.plugin.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.simulate.nodes.placement import Usage
    from dradsl.simulate.pods import Pod

__all__ = ["OpenNodes", "by_extended_claim"]


class OpenNodes:
    """Says which nodes are open to a pod; `usage` is what pods use of the nodes by now."""

    def __init__(self, nodes: Sequence[Node], usage: Usage) -> None:
        self._nodes = nodes
        self._usage = usage
        # Of the last pod spec alone: replicas follow each other, and share one.
        self._spec: Mapping[str, Any] | None = None
        self._reasons: dict[str, str | None] = {}
        self._stale: set[str] = set()

    def find(self, spec: Mapping[str, Any]) -> tuple[Sequence[Node], list[Verdict]]:
        """The nodes that are open, and why the others are out."""
        open_nodes: list[Node] = []
        reasons: dict[str, list[Node]] = {}
        known = self._known_reasons(spec)
        for node in self._nodes:
            reason = known[node.name]
            if reason is None:
                open_nodes.append(node)
            else:
                reasons.setdefault(reason, []).append(node)
        # All nodes are known to the fleet in groups.
        return open_nodes if reasons else self._nodes, [
            Verdict("filtered", tuple(nodes), reason) for reason, nodes in reasons.items()
        ]

    def taken(self, name: str) -> None:
        """A pod was placed on the node with this name."""
        self._stale.add(name)

    def _known_reasons(self, spec: Mapping[str, Any]) -> Mapping[str, str | None]:
        """Why each node is out for a pod; from one replica to the next only used nodes change."""
        amounts = pod_amounts(spec)
        changed: Iterable[Node] = self._nodes
        if spec is self._spec:
            changed = [node for node in changed if node.name in self._stale] if self._stale else ()
        else:
            self._spec, self._reasons = spec, {}
        self._stale = set()
        for node in changed:
            self._reasons[node.name] = why_not(spec, node, self._usage, amounts)
        return self._reasons


def by_extended_claim(
    pod: Pod, nodes: Sequence[Node], resources: Mapping[str, str], *, first_form: bool
) -> Iterator[tuple[tuple[Node, ...], ExtendedClaim | str | None]]:
    """Nodes by the claim for extended resources that they would need, or why they cannot do.

    `resources` are classes by the extended resource that they stand behind.
    """
    if not has_extended(pod.spec):
        if nodes:
            yield tuple(nodes), None
        return
    found: dict[Any, tuple[list[Node], ExtendedClaim | str | None]] = {}
    for node in nodes:
        extended = extended_claim(
            pod.spec,
            pod.name,
            pod.namespace,
            resources,
            node.allocatable,
            has_claims=bool(pod.claims),
            first_form=first_form,
        )
        key = repr(extended.document) if isinstance(extended, ExtendedClaim) else extended
        found.setdefault(key, ([], extended))[0].append(node)
    for members, extended in found.values():
        yield tuple(members), extended

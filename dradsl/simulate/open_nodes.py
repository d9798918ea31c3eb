"""The nodes that nothing but devices may rule out for a pod, kept from one pod to the next like it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.allocator.fleets.node_sets import bits_of, lowest
from dradsl.simulate.extended import ExtendedClaim, extended_claim, has_extended
from dradsl.simulate.nodes.placement import placed_by, pod_amounts, why_not
from dradsl.simulate.plugin.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from dradsl.allocator.fleets.node_sets import NodeList, NodeSet
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.simulate.nodes.placement import Amounts, Usage
    from dradsl.simulate.pods import Pod

__all__ = ["OpenNodes", "by_extended_claim"]

_KEPT = 32  # kinds of pods whose reasons are kept


class OpenNodes:
    """Says which nodes are open to a pod; `usage` is what pods use of the nodes by now."""

    def __init__(self, every: NodeList, usage: Usage) -> None:
        self._every = every
        self._usage = usage
        self._placed: list[Node] = []  # a node for each pod that was placed
        self._last: tuple[PodSpecDict, Amounts, _Reasons] | None = None
        self._kept: dict[Hashable, _Reasons] = {}

    def find(self, spec: PodSpecDict, only: str = "") -> tuple[NodeSet, list[Verdict]]:
        """The nodes that are open, and why the others are out; `only`: no other node is asked."""
        if self._last is None or self._last[0] is not spec:  # that of a replica is the same one
            amounts = pod_amounts(spec)
            self._last = spec, amounts, self._reasons(spec, amounts)
        _, amounts, reasons = self._last
        for node in self._placed[reasons.seen :]:
            reasons.change(self._every.place(node.name), why_not(spec, node, self._usage, amounts))
        reasons.seen = len(self._placed)
        asked = 1 << self._every.place(only) if only else -1
        given = {why: bits & asked for why, bits in reasons.bits.items() if bits & asked}
        found = [(lowest(bits), why, bits) for why, bits in given.items() if why is not None]
        return self._every.of(given.get(None, 0)), [
            Verdict("filtered", self._every.of(bits), why) for _, why, bits in sorted(found)
        ]

    def taken(self, name: str) -> None:
        """A pod was placed on the node with this name."""
        self._placed.append(self._every.nodes[self._every.place(name)])

    def _reasons(self, spec: PodSpecDict, amounts: Amounts) -> _Reasons:
        """What nodes say to pods with such a spec; the last few kinds of pods are kept."""
        key = placed_by(spec, amounts)
        known = self._kept.pop(key, None)
        if known is None:
            given = [why_not(spec, node, self._usage, amounts) for node in self._every.nodes]
            known = _Reasons(given, len(self._placed))
            if len(self._kept) >= _KEPT:
                del self._kept[next(iter(self._kept))]
        self._kept[key] = known
        return known


class _Reasons:
    """Why each node is out for a pod, and the nodes by that; `seen` pods are considered."""

    def __init__(self, given: list[str | None], seen: int) -> None:
        self._given = given
        self.seen = seen
        places: dict[str | None, list[int]] = {}
        for place, why in enumerate(given):
            places.setdefault(why, []).append(place)
        self.bits = {why: bits_of(found, len(given)) for why, found in places.items()}

    def change(self, place: int, why: str | None) -> None:
        """A node has another reason now, or none."""
        before, bit = self._given[place], 1 << place
        if why == before:
            return
        self._given[place] = why
        left = self.bits[before] ^ bit
        if left:
            self.bits[before] = left
        else:
            del self.bits[before]
        self.bits[why] = self.bits.get(why, 0) | bit


def by_extended_claim(
    pod: Pod, nodes: Sequence[Node], resources: Mapping[str, str], *, first_form: bool
) -> Iterator[tuple[Sequence[Node], ExtendedClaim | str | None]]:
    """Nodes by the claim for extended resources that they would need, or why they cannot do.

    `resources` are classes by the extended resource that they are behind.
    """
    if not has_extended(pod.spec):
        if nodes:
            yield nodes, None
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
    if len(found) == 1:
        yield from ((nodes, extended) for _, extended in found.values())
        return
    for members, extended in found.values():
        yield tuple(members), extended

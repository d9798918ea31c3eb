"""What the claims of pods take of nodes, from pod to pod: the part that a simulation keeps.

`node_resources` knows the rules; here they are applied to what the allocator has said of nodes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dradsl.allocator.inventory.device_lookup import Devices, results_of
from dradsl.simulate.extended import CLAIM_NAME
from dradsl.simulate.nodes.placement import Usage, pod_amounts
from dradsl.simulate.nodes.requests import with_defaults
from dradsl.simulate.nodes.resources import ClaimHeld, ResourceRejection, check, sharing
from dradsl.simulate.nodes.status import read_status
from dradsl.simulate.plugin.reserved import allocation_of
from dradsl.simulate.plugin.verdicts import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.fields.typed_dicts import AllocationResultDict, ResourceClaimDict
    from dradsl.releases.scheduling import NodeRules
    from dradsl.simulate.cluster import Cluster, Running
    from dradsl.simulate.nodes.status import ClaimStatus
    from dradsl.simulate.plugin.reserved import Reserved
    from dradsl.simulate.pods import Pod, PodClaimEntry

__all__ = ["NodeUse", "rejected_by", "usage_of"]


def usage_of(running: Iterable[Running], rules: NodeRules | None, *, stored: bool) -> Usage:
    """What the pods that run use of their nodes. `rules`: claims take of nodes as well; `stored`:
    the API server has filled in what specs leave out."""
    usage = Usage()
    for pod in running:
        statuses = () if rules is None else [read_status(one, rules) for one in pod.statuses]
        taken = [pair for status in statuses for pair in status.takes()]
        amounts = pod_amounts(pod.spec, taken, stored=stored)
        claims = [(pod.namespace, status.name) for status in statuses]
        usage.add(pod.node, amounts, claims, pod.uid)
    return usage


class NodeUse:
    """Judges nodes by what a pod's claims take of them.

    `stored`: pods are as the API server stores them, and a node has nothing that its object does
    not tell; else specs are filled in, and nodes that tell nothing have enough.
    """

    def __init__(self, cluster: Cluster, rules: NodeRules, *, stored: bool) -> None:
        self._rules = rules
        self._devices = Devices(cluster.inventory, rules)
        self._stored = stored

    def unshared(
        self,
        pod: Pod,
        entries: Sequence[tuple[PodClaimEntry, ResourceClaimDict]],
        reserved: Sequence[Reserved],
        nodes: Sequence[Node],
        usage: Usage,
    ) -> tuple[Sequence[Node], list[Verdict]]:
        """The nodes on which no allocated claim of the pod is another pod's alone, and the others."""
        held = [(entry, claim) for entry, claim in entries if allocation_of(claim) is not None]
        if not held:
            return nodes, []
        places = {one.name: one for one in reserved}
        mapped = {
            entry.key: self._devices.is_mapped(allocation_of(claim) or {}) for entry, claim in held
        }
        free: list[Node] = []
        rejected: dict[ResourceRejection, list[Node]] = {}
        for node in nodes:
            rejection = None
            for entry, claim in held:
                place = places.get(entry.key[1])
                if rejection is not None or (
                    place is not None and replace(place, stuck=None).why_not(node)
                ):
                    continue
                rejection = sharing(
                    self._rules,
                    entry.key[1],
                    pod.consumer["uid"],
                    mapped=mapped[entry.key],
                    reserved=(claim.get("status") or {}).get("reservedFor") or (),
                    consumers=usage.consumers(node.name, *entry.key),
                )
            (free if rejection is None else rejected.setdefault(rejection, [])).append(node)
        verdicts = [rejected_by(rejection, members) for rejection, members in rejected.items()]
        return tuple(free), verdicts

    def judge(
        self,
        verdict: Verdict,
        pod: Pod,
        entries: Sequence[tuple[PodClaimEntry, ResourceClaimDict]],
        found: Callable[[Node], Sequence[AllocationResultDict]],
        usage: Usage,
    ) -> Iterator[Verdict]:
        """The verdict on the nodes that have what the claims take, and rejections of the others.

        `found` are the allocations found on a node, of the pending claims in order, and of the one
        for extended resources.
        """
        if verdict.kind != "fits" or not self._devices.any_take:
            yield verdict
            return
        spec = pod.spec if self._stored else with_defaults(pod.spec)
        # Nodes that are alike get one answer; an error names the device, which may not be alike.
        known: dict[Any, ResourceRejection | tuple[ClaimStatus, ...]] = {}
        fitting: dict[bool, dict[str, tuple[ClaimStatus, ...]]] = {}
        nodes: dict[bool | ResourceRejection, list[Node]] = {}
        for node in verdict.nodes:
            claims = _held(pod, entries, found(node))
            unknown = not self._stored and not node.allocatable
            used = None if unknown else usage.used(node.name)
            alike = self._alike(claims, node, used)
            answer = None if alike is None else known.get(alike)
            if answer is None:
                answer = check(self._rules, self._devices, spec, claims, node, used)
                known[alike] = answer
            if isinstance(answer, ResourceRejection):
                nodes.setdefault(answer, []).append(node)
            else:
                nodes.setdefault(bool(answer), []).append(node)
                fitting.setdefault(bool(answer), {})[node.name] = answer
        for key, members in nodes.items():
            if isinstance(key, ResourceRejection):
                yield replace(rejected_by(key, members), steps=verdict.steps)
            else:
                yield replace(verdict, nodes=tuple(members), takes=fitting[key])

    def _alike(
        self, claims: Sequence[ClaimHeld], node: Node, used: Mapping[str, int] | None
    ) -> tuple[Any, ...] | None:
        """What the answer depends on; None if it may name more than that."""
        taken = []
        for claim in claims:
            for result in results_of(claim.allocation):
                device = self._devices.find(result, node)
                if isinstance(device, str):
                    return None
                resources = self._devices.resources_of(device)
                consumed = result.get("consumedCapacity")
                if consumed is None and any(one.capacity_key for one in resources):
                    return None
                taken.append((device.traits if resources else None, repr(consumed)))
            taken.append((None, claim.name))
        offered = None if used is None else tuple(node.allocatable.items())
        return (*taken, offered, None if used is None else tuple(sorted(used.items())))


def _held(
    pod: Pod,
    entries: Sequence[tuple[PodClaimEntry, ResourceClaimDict]],
    found: Sequence[AllocationResultDict],
) -> list[ClaimHeld]:
    """The claims of a pod, each once, as they are on a node where these allocations were found."""
    fresh = iter(found)
    nothing: AllocationResultDict = {}
    claims: dict[tuple[str, str], ClaimHeld] = {}
    for entry, claim in entries:
        before = allocation_of(claim)
        allocation = next(fresh, nothing) if before is None else before
        known = claims.get(entry.key)
        names = (entry.name,) if known is None else (*known.entries, entry.name)
        claims[entry.key] = ClaimHeld(*entry.key, names, allocation, before is None)
    extended = [ClaimHeld(pod.namespace, CLAIM_NAME, (), allocation, True) for allocation in fresh]
    return [*claims.values(), *extended]


def rejected_by(rejection: ResourceRejection, nodes: Sequence[Node]) -> Verdict:
    """What nodes say to a pod where a rule rejects it."""
    takes = r"too little \1 for the pod and what its claims take of the node"
    text = "; ".join(re.sub("^Insufficient (.+)", takes, one) for one in rejection.reasons)
    if rejection.code == "Error":
        return Verdict("error", tuple(nodes), text, "fatal", rejection=rejection)
    return Verdict("filtered", tuple(nodes), text, rejection=rejection)

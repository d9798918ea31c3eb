"""Resources that nodes hand out (cpu, memory, huge pages), taken through devices of claims.

With the gate DRANodeAllocatableResources a device says how much of them it stands for, or takes on
top. The scheduler's plugin then counts that with the requests of the pod, refuses nodes without
room, and writes what a claim takes to the status of the pod.

Follows nodeallocatabledynamicresources.go and the callers in dynamicresources.go (kubernetes
pkg/scheduler/framework/plugins/dynamicresources, 1.36.4 and 1.37.1), and NodeInfo of
pkg/scheduler/framework/types.go. Where upstream goes through a map, and so in any order, we go by
name, or in the order of the pod's claims.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dradsl.allocator.extended import CLAIM_NAME
from dradsl.allocator.nodes import Node, NodeSelector, SelectorError, compile_selector
from dradsl.allocator.requests import (
    HUGE_PAGES,
    add,
    allocatable_of,
    amounts,
    container_sum,
    pod_level,
    pod_requests,
)
from dradsl.values.quantity import Quantity, QuantityError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory import Device, Inventory, NodeResource, Slice
    from dradsl.allocator.switches import NodeRules

__all__ = [
    "ClaimHeld",
    "ClaimStatus",
    "Devices",
    "Refusal",
    "StatusProblem",
    "check",
    "read_status",
    "sharing",
    "status_problems",
]

_ALWAYS = ("cpu", "memory", "ephemeral-storage")
_NOT_AT_ALL = "UnschedulableAndUnresolvable"


@dataclass(frozen=True, slots=True)
class Refusal:
    """What the plugin says of a node: a code of the scheduler's framework, and its reasons."""

    code: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatusProblem:
    """Why a status cannot be written. `detail` is upstream's, from the place in the list on; `text`
    is for people."""

    detail: str
    text: str


@dataclass(frozen=True, slots=True)
class ClaimHeld:
    """A claim of a pod. `entries` are the pod's `resourceClaims` that mean it; `found`: it was
    allocated just now, for the node at hand."""

    namespace: str
    name: str
    entries: tuple[str, ...]
    allocation: Mapping[str, Any]
    found: bool


@dataclass(slots=True)
class ClaimStatus:
    """What a claim takes of the node: an entry of `nodeAllocatableResourceClaimStatuses`."""

    name: str
    containers: list[str] = field(default_factory=list)
    mapping: dict[str, Quantity] = field(default_factory=dict)
    per_pod: dict[str, Quantity] = field(default_factory=dict)
    per_container: dict[str, Quantity] = field(default_factory=dict)

    def takes(self) -> Iterator[tuple[str, Quantity]]:
        """What it takes for the pod in all, by resource."""
        yield from self.mapping.items()
        yield from self.per_pod.items()
        for name, amount in self.per_container.items():
            yield name, _times(amount, Quantity(len(self.containers)))

    def takes_for_one(self) -> Iterator[tuple[str, Quantity]]:
        """What it takes for one container that refers to it."""
        yield from self.mapping.items()
        yield from self.per_pod.items()
        yield from self.per_container.items()

    def as_v1(self, rules: NodeRules) -> dict[str, Any]:
        """The entry as the scheduler writes it."""
        document: dict[str, Any] = {"resourceClaimName": self.name}
        if self.containers:
            document["containers"] = list(self.containers)
        mapping = {name: str(amount) for name, amount in sorted(self.mapping.items())}
        if rules.mappings:
            return {**document, "resources": mapping}
        if mapping:
            document["mapping"] = [{"name": n, "quantity": amount} for n, amount in mapping.items()]
        overhead = []
        for name in sorted({*self.per_pod, *self.per_container}):
            entry = {"name": name}
            if name in self.per_pod:
                entry["perPod"] = str(self.per_pod[name])
            if name in self.per_container:
                entry["perContainer"] = str(self.per_container[name])
            overhead.append(entry)
        if overhead:
            document["overhead"] = overhead
        return document


def read_status(document: Mapping[str, Any], rules: NodeRules) -> ClaimStatus:
    """An entry of `nodeAllocatableResourceClaimStatuses` of a pod that runs, in the shape of the API.

    Amounts that are none are left out.
    """
    containers = list(document.get("containers") or ())
    status = ClaimStatus(str(document.get("resourceClaimName") or ""), containers)
    if rules.mappings:
        for name, amount in (document.get("resources") or {}).items():
            _add_given(status.mapping, name, amount)
        return status
    for entry in document.get("mapping") or ():
        _add_given(status.mapping, entry.get("name"), entry.get("quantity"))
    for entry in document.get("overhead") or ():
        _add_given(status.per_pod, entry.get("name"), entry.get("perPod"))
        _add_given(status.per_container, entry.get("name"), entry.get("perContainer"))
    return status


def _add_given(total: dict[str, Quantity], name: str | None, amount: Any) -> None:
    if name and amount is not None:
        with contextlib.suppress(QuantityError):
            add(total, [(name, Quantity.decode(amount))])


def status_problems(statuses: Sequence[ClaimStatus], rules: NodeRules) -> tuple[StatusProblem, ...]:
    """Why the API server does not let the scheduler write these to a pod, in the server's order.

    Follows validateNodeAllocatableResourceClaimStatus of pkg/apis/core/validation and the
    declarative rules of PodStatus. What only a slice that is not valid brings about is left out.
    """
    found = []
    for place, status in enumerate(statuses):
        if status.name == CLAIM_NAME:
            found.append(
                StatusProblem(
                    f"[{place}].resourceClaimName: "
                    f'Invalid value: "{status.name}": no mapping found in pod reference',
                    "the devices for its extended resources take resources of the node, and what the "
                    "scheduler writes about that names no claim of the pod, so the API server "
                    "refuses it",
                )
            )
    for place, status in enumerate(statuses if rules.lists_containers_once else ()):
        for number, name in enumerate(status.containers):
            if name in status.containers[:number]:
                found.append(
                    StatusProblem(
                        f'[{place}].containers[{number}]: Duplicate value: "{name}"',
                        f"container {name} refers to claim {status.name} twice, so the scheduler "
                        "names it twice among those for which the claim takes resources of the "
                        "node, and the API server refuses that",
                    )
                )
    return tuple(found)


class Devices:
    """Finds the devices that allocations name.

    Where several could be meant, upstream takes the one that its cache happens to list first: of
    slices of any generation, in 1.36 even of any driver and node. Ours is the newest that fits.
    """

    def __init__(self, inventory: Inventory, rules: NodeRules) -> None:
        self._rules = rules
        self._slices: dict[tuple[str, str], list[Slice]] = {}
        for entry in sorted(inventory.slices, key=lambda one: -one.generation):
            self._slices.setdefault((entry.driver, entry.pool), []).append(entry)
        self._selectors: dict[int, tuple[Mapping[str, Any], NodeSelector | None]] = {}
        self.any_take = any(self.resources_of(device) for _, device in inventory.devices())

    def resources_of(self, device: Device) -> tuple[NodeResource, ...]:
        """What a device takes of its node."""
        traits = device.traits
        return traits.node_mappings if self._rules.mappings else traits.node_resources

    def find(self, result: Mapping[str, Any], node: Node | None) -> Device | str:
        """The device of an allocation's result, for a node if one is given; or why there is none."""
        driver, pool = str(result.get("driver") or ""), str(result.get("pool") or "")
        name = result.get("device")
        text = f"device {name} not found in pool {pool} for driver {driver}"
        for entry in self._slices.get((driver, pool), ()):
            if node is not None and not self._reaches(entry, node):
                continue
            for device in entry.devices:
                if device.name == name:
                    if node is None or not entry.per_device or self._is_for(device, node):
                        return device
                    text = f"device {name} does not match node"
        return text

    def _is_for(self, device: Device, node: Node) -> bool:
        traits = device.traits
        there = traits.node_name == node.name or traits.all_nodes
        return there or self._matches(traits.node_selector, node)

    def is_mapped(self, allocation: Mapping[str, Any]) -> bool:
        """Whether a device of an allocation stands for a resource of nodes."""
        for result in _results(allocation):
            device = self.find(result, None)
            found = () if isinstance(device, str) else self.resources_of(device)
            if any(resource.mapped for resource in found):
                return True
        return False

    def takes(self, allocation: Mapping[str, Any], node: Node) -> bool:
        """Whether a device of an allocation takes resources of the node at all."""
        for result in _results(allocation):
            device = self.find(result, node)
            if not isinstance(device, str) and self.resources_of(device):
                return True
        return False

    def _reaches(self, entry: Slice, node: Node) -> bool:
        if entry.node_name == node.name or entry.all_nodes:
            return True
        if entry.node_selector is not None:
            return self._matches(entry.node_selector, node)
        return bool(entry.per_device)

    def _matches(self, selector: Mapping[str, Any] | None, node: Node) -> bool:
        if selector is None:
            return False
        if id(selector) not in self._selectors:
            try:
                self._selectors[id(selector)] = selector, compile_selector(selector)
            except SelectorError:
                self._selectors[id(selector)] = selector, None
        compiled = self._selectors[id(selector)][1]
        return compiled is not None and compiled.matches(node)


def sharing(
    rules: NodeRules,
    claim: str,
    uid: str,
    *,
    mapped: bool,
    reserved: Sequence[Mapping[str, Any]],
    consumers: Collection[str],
) -> Refusal | None:
    """Why a claim that is allocated already may not be used by this pod as well; None if it may.

    `mapped` as Devices.is_mapped says; `reserved` is the claim's `reservedFor`; `consumers` are the
    UIDs of pods on the node whose status names the claim.
    """
    text = None
    if rules.shared_by_node:
        if len(consumers) > 1:
            text = f"node allocatable resource claim {claim} shared by multiple pods"
        elif consumers and uid not in consumers:
            text = f"node allocatable resource claim {claim} is already used by another pod"
    elif mapped and reserved and all(one.get("uid") != uid for one in reserved):
        text = (
            f"node allocatable resource claim {claim} has a mapped device and cannot be "
            "shared across pods"
        )
    return None if text is None else Refusal(_NOT_AT_ALL, (text,))


def check(
    rules: NodeRules,
    devices: Devices,
    spec: Mapping[str, Any],
    claims: Sequence[ClaimHeld],
    node: Node,
    used: Mapping[str, int] | None,
) -> Refusal | tuple[ClaimStatus, ...]:
    """What the claims of a pod take of a node, or why the node is none for the pod.

    `spec` is the pod's as the API server stores it. `claims` are all of the pod; `used` is what
    the pods on the node use (requests.amounts), or None if nobody knows what the node has.
    """
    counted = [
        claim
        for claim in claims
        if (claim.found or rules.counts_held) and devices.takes(claim.allocation, node)
    ]
    if not counted:
        return ()
    found = _statuses(rules, devices, spec, counted, node)
    if isinstance(found, Refusal):
        return found
    if rules.needs_container:
        for status in found:
            if not status.containers:
                text = (
                    f"claim {status.name}: node-allocatable resource claim not referenced by any "
                    "container within the pod"
                )
                return Refusal(_NOT_AT_ALL, (text,))
    taken = [pair for status in found for pair in status.takes()]
    refusal = _uncovered(rules, spec, found, taken)
    if refusal is None and used is not None:
        refusal = _lacking(amounts(pod_requests(spec, taken)), node, used)
    return found if refusal is None else refusal


def _statuses(
    rules: NodeRules,
    devices: Devices,
    spec: Mapping[str, Any],
    claims: Sequence[ClaimHeld],
    node: Node,
) -> Refusal | tuple[ClaimStatus, ...]:
    statuses: dict[str, ClaimStatus] = {}
    for claim in claims:
        status = ClaimStatus(claim.name)
        for result in _results(claim.allocation):
            device = devices.find(result, node)
            where = f"claim {claim.namespace}/{claim.name}, device {result.get('device')}"
            if isinstance(device, str):
                text = f"{where}, driver {result.get('driver')}: {device}"
                return Refusal("Error", (text,))
            for resource in devices.resources_of(device):
                missing = _take(rules, status, resource, result)
                if missing is not None:
                    return Refusal("Error", (f"{where}: {missing}",))
        if status.mapping or status.per_pod or status.per_container:
            statuses[claim.name] = status
    named = {entry: claim.name for claim in claims for entry in claim.entries}
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        for one in (container.get("resources") or {}).get("claims") or ():
            referred = statuses.get(named.get(str(one.get("name")), ""))
            if referred is not None:
                referred.containers.append(str(container.get("name") or ""))
    return tuple(statuses[name] for name in sorted(statuses))


def _take(
    rules: NodeRules, status: ClaimStatus, resource: NodeResource, result: Mapping[str, Any]
) -> str | None:
    """Add what one device takes of one resource; or what is missing to know it."""
    if resource.per_pod is not None:
        add(status.per_pod, [(resource.name, resource.per_pod)])
    if resource.per_container is not None:
        add(status.per_container, [(resource.name, resource.per_container)])
    amount = resource.multiplier
    if resource.capacity_key is not None:
        consumed = result.get("consumedCapacity")
        if consumed is None:
            form = (
                "NodeAllocatableResourceMappings" if rules.mappings else "NodeAllocatableResources"
            )
            return (
                f"ConsumedCapacity is nil, but Capacity key '{resource.capacity_key}' is set in "
                f"{form} for resource {resource.name}"
            )
        if resource.capacity_key not in consumed:
            return None
        amount = Quantity.decode(consumed[resource.capacity_key])
        if resource.multiplier is not None:
            amount = _times(amount, resource.multiplier)
    elif amount is None and rules.mappings:
        amount = Quantity(0)
    if resource.mapped and amount is not None:
        if not rules.mappings:
            # The newer form adds to nothing, which makes the text canonical.
            amount = Quantity(0) + amount
        add(status.mapping, [(resource.name, amount)])
    return None


def _uncovered(
    rules: NodeRules,
    spec: Mapping[str, Any],
    statuses: Sequence[ClaimStatus],
    taken: Sequence[tuple[str, Quantity]],
) -> Refusal | None:
    """What the pod as a whole asks for has to do for its containers and its claims."""
    if not statuses and not rules.covers_without_claims:
        return None
    needed = container_sum(spec, "requests", taken)
    for name, asked in sorted(pod_level(spec, "requests").items()):
        if name in needed and needed[name] > asked:
            return _insufficient(
                "request", name, "aggregated container and node-allocatable DRA requests"
            )
    return _over_limits(spec, statuses, taken) if rules.covers_limits else None


def _over_limits(
    spec: Mapping[str, Any],
    statuses: Sequence[ClaimStatus],
    taken: Sequence[tuple[str, Quantity]],
) -> Refusal | None:
    limits = container_sum({"containers": [spec]}, "limits")
    together = container_sum(spec, "limits")
    # Huge pages cannot be overcommitted: without a limit nothing else is unlimited.
    add(together, [pair for pair in taken if pair[0].startswith(HUGE_PAGES)])
    for name, limit in sorted(limits.items()):
        if name.startswith(HUGE_PAGES) and name in together and together[name] > limit:
            return _insufficient(
                "limit", name, "aggregated container and node-allocatable DRA limits"
            )
    for container in spec.get("containers") or ():
        own = container_sum({"containers": [container]}, "limits")
        for status in statuses:
            if container.get("name") in status.containers:
                more = [pair for pair in status.takes_for_one() if pair[0] in own]
                add(own, more)
        for name, amount in sorted(own.items()):
            if name in limits and not name.startswith(HUGE_PAGES) and amount > limits[name]:
                what = f"limit and DRA overhead for container {container.get('name')}"
                return _insufficient("limit", name, what)
    return None


def _insufficient(kind: str, name: str, what: str) -> Refusal:
    text = f"pod level {kind} for {name} is insufficient to cover the {what}"
    return Refusal(_NOT_AT_ALL, (text,))


def _lacking(wanted: Mapping[str, int], node: Node, used: Mapping[str, int]) -> Refusal | None:
    """What the node has too little of; if it would not even do empty, nothing can be done."""
    offered = amounts(allocatable_of(node))
    reasons, hopeless = [], False
    for name in (*_ALWAYS, *sorted(n for n in wanted if n.startswith(HUGE_PAGES))):
        amount, capacity = wanted.get(name, 0), offered.get(name, 0)
        # Of huge pages even none may be too many, where others have taken too many already.
        counts = amount > 0 or name.startswith(HUGE_PAGES)
        if counts and amount > capacity - used.get(name, 0):
            reasons.append(f"Insufficient {name}")
            hopeless = hopeless or amount > capacity
    if not reasons:
        return None
    return Refusal(_NOT_AT_ALL if hopeless else "Unschedulable", tuple(reasons))


def _results(allocation: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    results: Iterable[Mapping[str, Any]] = (allocation.get("devices") or {}).get("results") or ()
    return results


def _times(amount: Quantity, factor: Quantity) -> Quantity:
    """The product, in decimal form as upstream computes it; the notation is the amount's."""
    mantissa, scale = amount.mantissa * factor.mantissa, amount.scale + factor.scale
    return Quantity(mantissa, scale, amount.format, small=False)

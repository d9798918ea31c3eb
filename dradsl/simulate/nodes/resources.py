"""Resources that nodes hand out (cpu, memory, huge pages), taken through devices of claims.

With the gate DRANodeAllocatableResources a device says how much of them it stands for, or takes on
top. The scheduler's plugin then counts that with the requests of the pod, rejects nodes without
room, and writes what a claim takes to the status of the pod.

Follows nodeallocatabledynamicresources.go and the callers in dynamicresources.go (kubernetes
pkg/scheduler/framework/plugins/dynamicresources, 1.36.4 and 1.37.1), and NodeInfo of
pkg/scheduler/framework/types.go. Where upstream goes through a map, and so in any order, we go by
name, or in the order of the pod's claims.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.allocator.inventory.device_lookup import results_of
from dradsl.records import Record
from dradsl.simulate.nodes.requests import (
    HUGE_PAGES,
    add,
    allocatable_of,
    amounts,
    container_sum,
    pod_level,
    pod_requests,
)
from dradsl.simulate.nodes.status import ClaimStatus, times
from dradsl.values.quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dradsl.allocator.inventory.device_lookup import Devices
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import NodeResource
    from dradsl.kube.fields.typed_dicts import (
        AllocationResultDict,
        DeviceRequestAllocationResultDict,
        ResourceClaimConsumerReferenceDict,
    )
    from dradsl.kube.pods.typed_dicts import ContainerDict, PodSpecDict
    from dradsl.releases.scheduling import NodeRules

__all__ = ["ClaimHeld", "ResourceRejection", "check", "sharing"]

_ALWAYS = ("cpu", "memory", "ephemeral-storage")
_NOT_AT_ALL = "UnschedulableAndUnresolvable"


class ResourceRejection(Record):
    """What the plugin says of a node: a code of the scheduler's framework, and its reasons."""

    code: str
    reasons: tuple[str, ...]


class ClaimHeld(Record):
    """A claim of a pod. `entries` are the pod's `resourceClaims` that mean it; `found`: it was
    allocated just now, for the node at hand."""

    namespace: str
    name: str
    entries: tuple[str, ...]
    allocation: AllocationResultDict
    found: bool


# Upstream: DynamicResources.validateNodeAllocatableDRAClaimSharing (plugins/dynamicresources/nodeallocatabledynamicresources.go)
def sharing(
    rules: NodeRules,
    claim: str,
    uid: str,
    *,
    mapped: bool,
    reserved: Sequence[ResourceClaimConsumerReferenceDict],
    consumers: Collection[str],
) -> ResourceRejection | None:
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
    return None if text is None else ResourceRejection(_NOT_AT_ALL, (text,))


# Upstream: DynamicResources.calculateAndCheckNodeAllocatableResources (plugins/dynamicresources/nodeallocatabledynamicresources.go)
def check(
    rules: NodeRules,
    devices: Devices,
    spec: PodSpecDict,
    claims: Sequence[ClaimHeld],
    node: Node,
    used: Mapping[str, int] | None,
) -> ResourceRejection | tuple[ClaimStatus, ...]:
    """What the claims of a pod take of a node, or why the node is none for the pod.

    `spec` is the pod's as the API server stores it. `claims` are all of the pod; `used` is what
    the pods on the node use (requests.amounts), or None if it is not known what the node has.
    """
    counted = [
        claim
        for claim in claims
        if (claim.found or rules.counts_held) and devices.takes(claim.allocation, node)
    ]
    if not counted:
        return ()
    found = _statuses(rules, devices, spec, counted, node)
    if isinstance(found, ResourceRejection):
        return found
    if rules.needs_container:
        for status in found:
            if not status.containers:
                text = (
                    f"claim {status.name}: node-allocatable resource claim not referenced by any "
                    "container within the pod"
                )
                return ResourceRejection(_NOT_AT_ALL, (text,))
    taken = [pair for status in found for pair in status.takes()]
    rejection = _uncovered(rules, spec, found, taken)
    if rejection is None and used is not None:
        rejection = _lacking(amounts(pod_requests(spec, taken)), node, used)
    return found if rejection is None else rejection


# Upstream: DynamicResources.buildNodeAllocatableDRAInfo (plugins/dynamicresources/nodeallocatabledynamicresources.go)
def _statuses(
    rules: NodeRules, devices: Devices, spec: PodSpecDict, claims: Sequence[ClaimHeld], node: Node
) -> ResourceRejection | tuple[ClaimStatus, ...]:
    statuses: dict[str, ClaimStatus] = {}
    for claim in claims:
        status = ClaimStatus(claim.name)
        for result in results_of(claim.allocation):
            device = devices.find(result, node)
            where = f"claim {claim.namespace}/{claim.name}, device {result.get('device')}"
            if isinstance(device, str):
                text = f"{where}, driver {result.get('driver')}: {device}"
                return ResourceRejection("Error", (text,))
            for resource in devices.resources_of(device):
                missing = _take(rules, status, resource, result)
                if missing is not None:
                    return ResourceRejection("Error", (f"{where}: {missing}",))
        if status.mapping or status.per_pod or status.per_container:
            statuses[claim.name] = status
    named = {entry: claim.name for claim in claims for entry in claim.entries}
    for container in (*(spec.get("initContainers") or ()), *(spec.get("containers") or ())):
        for one in (container.get("resources") or {}).get("claims") or ():
            referred = statuses.get(named.get(str(one.get("name")), ""))
            if referred is not None:
                referred.containers.append(str(container.get("name") or ""))
    return tuple(statuses[name] for name in sorted(statuses))


# Upstream: addDeviceMapping, addDeviceOverhead (plugins/dynamicresources/nodeallocatabledynamicresources.go)
def _take(
    rules: NodeRules,
    status: ClaimStatus,
    resource: NodeResource,
    result: DeviceRequestAllocationResultDict,
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
            amount = times(amount, resource.multiplier)
    elif amount is None and rules.mappings:
        amount = Quantity(0)
    if resource.mapped and amount is not None:
        if not rules.mappings:
            # The newer form adds to nothing, which makes the text canonical.
            amount = Quantity(0) + amount
        add(status.mapping, [(resource.name, amount)])
    return None


# Upstream: DynamicResources.validatePodLevelRequestsCoverDRA (plugins/dynamicresources/nodeallocatabledynamicresources.go)
# Upstream: DynamicResources.validatePodLevelResourcesCoverDRA (plugins/dynamicresources/nodeallocatabledynamicresources.go)
def _uncovered(
    rules: NodeRules,
    spec: PodSpecDict,
    statuses: Sequence[ClaimStatus],
    taken: Sequence[tuple[str, Quantity]],
) -> ResourceRejection | None:
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
    spec: PodSpecDict, statuses: Sequence[ClaimStatus], taken: Sequence[tuple[str, Quantity]]
) -> ResourceRejection | None:
    level = spec.get("resources") or {}
    whole: ContainerDict = {"resources": {"limits": level.get("limits") or {}}}
    limits = container_sum({"containers": [whole]}, "limits")
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


def _insufficient(kind: str, name: str, what: str) -> ResourceRejection:
    text = f"pod level {kind} for {name} is insufficient to cover the {what}"
    return ResourceRejection(_NOT_AT_ALL, (text,))


# Upstream: DynamicResources.nodeFitsResources (plugins/dynamicresources/nodeallocatabledynamicresources.go)
def _lacking(
    wanted: Mapping[str, int], node: Node, used: Mapping[str, int]
) -> ResourceRejection | None:
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
    return ResourceRejection(_NOT_AT_ALL if hopeless else "Unschedulable", tuple(reasons))

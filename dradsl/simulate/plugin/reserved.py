"""Claims that are allocated already: whether a pod may still use one, and on which nodes.

Follows Filter and PreBind of the DynamicResources plugin (dynamicresources.go, 1.34 to 1.37),
IsReservedForPod of k8s.io/dynamic-resource-allocation, and the API server's limits on consumers.
"""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from dradsl.allocator.inventory.nodes import Node, ParsedNodeSelector, compile_selector
from dradsl.records import Record
from dradsl.simulate.input.ailments import results_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.kube.fields.typed_dicts import (
        AllocatedDeviceStatusDict,
        AllocationResultDict,
        DeviceRequestAllocationResultDict,
        ResourceClaimConsumerReferenceDict,
        ResourceClaimDict,
        ResourceClaimStatusDict,
    )
    from dradsl.simulate.pods import PodClaimEntry

__all__ = [
    "ReservationRejected",
    "Reserved",
    "allocation_of",
    "binding",
    "find_rejected",
    "waits",
    "with_consumer",
    "without_consumer",
]

_CONSUMERS = 256  # resource.k8s.io ResourceClaimReservedForMaxSize
_BINDING_SECONDS = 600  # default of the plugin's BindingTimeout
_NODE_OPERATIONS = "DRAOptionalNodeOperations"

Binding = Literal["ready", "waiting", "failed"]


def allocation_of(claim: ResourceClaimDict) -> AllocationResultDict | None:
    """`status.allocation`; None if the claim is pending."""
    return (claim.get("status") or {}).get("allocation") or None


class ReservationRejected(Record):
    """A reservation that the API server rejects, and with it the pod.

    `first` is the earlier entry of the pod that names the same claim; without it the claim has as
    many consumers as it can have.
    """

    entry: PodClaimEntry
    first: PodClaimEntry | None = None

    @property
    def text(self) -> str:
        """Why the reservation is rejected, in a sentence."""
        name = self.entry.key[1]
        if self.first is None:
            return (
                f"claim {name} is reserved for {_CONSUMERS} consumers already; the scheduler does "
                "not mind, but the API server rejects one more"
            )
        return (
            f"entries {self.first.name} and {self.entry.name} of its resourceClaims both name the "
            f"claim {name}; the scheduler reserves a claim once for each entry, and the API server "
            "rejects the second reservation"
        )

    @property
    def remedy(self) -> str:
        """What to change."""
        if self.first is None:
            return f"let at most {_CONSUMERS} pods share a claim; more need a further claim"
        return "name the claim in one entry, and that entry in every container that needs it"


# Upstream: CanBeReserved, IsReservedForPod (dynamic-resource-allocation/resourceclaim/resourceclaim.go)
def find_rejected(
    entries: Iterable[tuple[PodClaimEntry, ResourceClaimDict]], uid: str
) -> ReservationRejected | None:
    """The first reservation for the pod with this UID that cannot be written."""
    seen: dict[object, PodClaimEntry] = {}
    for entry, claim in entries:
        consumers = (claim.get("status") or {}).get("reservedFor") or ()
        if any(one.get("uid") == uid for one in consumers):
            continue
        if len(consumers) + (entry.key in seen) >= _CONSUMERS:
            return ReservationRejected(entry)
        if entry.key in seen:
            return ReservationRejected(entry, seen[entry.key])
        seen[entry.key] = entry
    return None


# Upstream: DynamicResources.bindClaim (plugins/dynamicresources/dynamicresources.go)
def with_consumer(
    claim: ResourceClaimDict, consumer: ResourceClaimConsumerReferenceDict
) -> ResourceClaimDict:
    """The claim, reserved for a consumer as well."""
    status = claim.get("status") or {}
    consumers = list(status.get("reservedFor") or ())
    if all(one.get("uid") != consumer["uid"] for one in consumers):
        consumers.append(consumer.copy())
    return {**claim, "status": {**status, "reservedFor": consumers}}


def without_consumer(
    claim: ResourceClaimDict, consumer: ResourceClaimConsumerReferenceDict
) -> ResourceClaimDict:
    """The claim, no longer reserved for a consumer."""
    status: ResourceClaimStatusDict = {**(claim.get("status") or {})}
    if status.get("reservedFor"):
        status["reservedFor"] = [
            one for one in status["reservedFor"] if one.get("uid") != consumer["uid"]
        ]
    return {**claim, "status": status}


class Reserved(Record):
    """On which nodes an allocated claim can be used.

    `stuck` tells why it can be used nowhere. `operations`: only nodes that say they can go without
    preparing its devices.
    """

    name: str
    selector: ParsedNodeSelector | None
    operations: bool
    stuck: str | None

    # Upstream: nodeSelectorFromAllocation (plugins/dynamicresources/dynamicresources.go)
    # Upstream: allocationResultRequiresDRAOptionalNodeOperations (plugins/dynamicresources/dynamicresources.go)
    @classmethod
    def of(cls, claim: ResourceClaimDict, *, conditions: bool, operations: bool) -> Reserved:
        """What the status of a claim says.

        `conditions`: binding conditions count (gates DRADeviceBindingConditions and
        DRAResourceClaimDeviceStatus); `operations`: `skipNodeOperations` does (since 1.37).

        Raises:
            SelectorError: if the allocation's node selector does not parse.
        """
        allocation = allocation_of(claim) or {}
        given = allocation.get("nodeSelector")
        selector = None if given is None else compile_selector(given)
        skips = operations and any(one.get("skipNodeOperations") for one in results_of(claim))
        name = str((claim.get("metadata") or {}).get("name") or "")
        return cls(name, selector, skips, _stuck(claim) if conditions else None)

    @property
    def is_limited(self) -> bool:
        """Whether there may be nodes on which the claim cannot be used."""
        return self.selector is not None or self.operations or self.stuck is not None

    def why_not(self, node: Node) -> str | None:
        """Why the claim cannot be used on a node."""
        if self.selector is not None and not self.selector.matches(node):
            return f"{self.name} is allocated for other nodes"
        if self.operations and _NODE_OPERATIONS not in node.declared_features:
            return f"{self.name} has devices that need {_NODE_OPERATIONS} on the node"
        return None if self.stuck is None else f"{self.name} {self.stuck}"


def _stuck(claim: ResourceClaimDict) -> str | None:
    state = binding(claim)
    if state == "failed":
        return "failed its binding conditions"
    if state == "waiting" and _is_overdue(claim):
        return f"did not meet its binding conditions within {_BINDING_SECONDS} seconds"
    return None


# Upstream: hasBindingConditions (plugins/dynamicresources/dynamicresources.go)
def waits(claims: Iterable[ResourceClaimDict]) -> bool:
    """Whether PreBind waits for a driver before a pod with these claims can be bound."""
    return any(binding(claim) != "ready" for claim in claims)


# Upstream: DynamicResources.isClaimReadyForBinding (plugins/dynamicresources/dynamicresources.go)
# Upstream: DynamicResources.isPodReadyForBinding (plugins/dynamicresources/dynamicresources.go)
def binding(claim: ResourceClaimDict) -> Binding:
    """How far the binding conditions of a claim's devices are met; the first that is not decides."""
    for result in results_of(claim):
        wanted = result.get("bindingConditions") or ()
        if not wanted:
            continue
        status = _device_status(claim, result)
        if status is None:
            return "waiting"
        met = {one.get("type"): one.get("status") for one in status.get("conditions") or ()}
        if any(met.get(name) == "True" for name in result.get("bindingFailureConditions") or ()):
            return "failed"
        if any(met.get(name) != "True" for name in wanted):
            return "waiting"
    return "ready"


# Upstream: DynamicResources.isClaimTimeout (plugins/dynamicresources/dynamicresources.go)
def _is_overdue(claim: ResourceClaimDict) -> bool:
    stamp = (allocation_of(claim) or {}).get("allocationTimestamp")
    if not stamp or not any(one.get("bindingConditions") for one in results_of(claim)):
        return False
    try:
        since = datetime.fromisoformat(str(stamp)).timestamp()
    except ValueError:
        return False
    return since + _BINDING_SECONDS < time.time()


# Upstream: getAllocatedDeviceStatus (plugins/dynamicresources/dynamicresources.go)
def _device_status(
    claim: ResourceClaimDict, result: DeviceRequestAllocationResultDict
) -> AllocatedDeviceStatusDict | None:
    for status in (claim.get("status") or {}).get("devices") or ():
        if all(status.get(key) == result.get(key) for key in ("driver", "pool", "device")):
            return status
    return None

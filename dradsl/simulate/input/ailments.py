"""What recorded objects tell of trouble: pools that contradict themselves, devices that are unhealthy,
gone, or given out twice.

Health is read from `status.devices` of claims (written by drivers) and from `allocatedResourcesStatus` of
pods (written by the kubelet, KEP-4680). Neither is looked at by the scheduler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.allocator.inventory.slices import DeviceId, PoolId
from dradsl.simulate.input.notes import Note
from dradsl.values.quantity import exact_amount

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import Inventory
    from dradsl.kube.fields.typed_dicts import (
        AllocatedDeviceStatusDict,
        DeviceRequestAllocationResultDict,
        ResourceClaimDict,
    )
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "Published",
    "contradictions",
    "gone",
    "results_of",
    "twice",
    "unread_fields",
    "unhealthy",
    "unhealthy_in_pod",
]

_SHOWN = 3


def contradictions(inventory: Inventory) -> Iterator[Note]:
    """Pools whose slices do not agree on how many they are."""
    for name, slices in inventory.pools.items():
        newest = max(entry.generation for entry in slices)
        counts = sorted({entry.count for entry in slices if entry.generation == newest})
        if len(counts) > 1:
            shown = " and ".join(map(str, counts[:3]))
            text = (
                f"its slices announce {shown} slices; the scheduler goes by the one it meets first"
            )
            yield Note("contradiction", f"pool {name}", text)


def unread_fields(fields: Mapping[str, str]) -> Iterator[Note]:
    """Fields of recorded devices that v1 does not know, each with where the first one stands."""
    for field, at in fields.items():
        older = "; v1beta1 has it: is apiVersion right?" if field == "basic" else ""
        text = f"no field of resource.k8s.io/v1, so nothing in it is read{older}"
        yield Note("ignored", f"{at}.{field}", text)


def unhealthy(claim: ResourceClaimDict) -> Iterator[Note]:
    """Devices of a claim that their driver reports not to be ready."""
    for device in (claim.get("status") or {}).get("devices") or ():
        for condition in device.get("conditions") or ():
            if condition.get("type") == "Ready" and condition.get("status") == "False":
                told = ": ".join(
                    str(condition[key]) for key in ("reason", "message") if condition.get(key)
                )
                text = f"{_device(device)} is not ready{f' ({told})' if told else ''}"
                yield Note(
                    "unhealthy", _claim(claim), f"{text}; the scheduler does not look at this"
                )


def unhealthy_in_pod(pod: JsonMapping) -> Iterator[Note]:
    """Devices of a pod that the kubelet reports as unhealthy."""
    metadata, status = pod.get("metadata") or {}, pod.get("status") or {}
    subject = f"Pod {metadata.get('namespace') or 'default'}/{metadata.get('name')}"
    for kind in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"):
        for container in status.get(kind) or ():
            for resource in container.get("allocatedResourcesStatus") or ():
                for one in resource.get("resources") or ():
                    if one.get("health") == "Unhealthy":
                        told = f": {one['message']}" if one.get("message") else ""
                        text = f"{resource.get('name')}: {one.get('resourceID')} is unhealthy{told}"
                        yield Note("unhealthy", subject, text)


def gone(claims: Iterable[ResourceClaimDict], inventory: Inventory) -> Iterator[Note]:
    """Allocated devices that no slice of a complete pool publishes, of drivers of which slices are known."""
    published = Published(inventory)
    for claim in claims:
        for result in results_of(claim):
            device = DeviceId(
                str(result.get("driver")), str(result.get("pool")), str(result.get("device"))
            )
            if published.has(device) is False:
                text = f"holds {_device(result)}, which no slice publishes any more"
                yield Note("contradiction", _claim(claim), text)


class Published:
    """Tells whether slices publish a device."""

    def __init__(self, inventory: Inventory) -> None:
        self._pools = inventory.pools
        self._drivers = {entry.driver for entry in inventory.slices}
        self._names: dict[PoolId, frozenset[str] | None] = {}

    def has(self, device: DeviceId) -> bool | None:
        """Whether a slice of the newest generation does; None if the driver's slices are not known, or
        its pool is being updated and the others may have it."""
        if device.driver not in self._drivers:
            return None
        pool = PoolId(device.driver, device.pool)
        if pool not in self._pools:
            return False
        if pool not in self._names:
            self._names[pool] = self._read(pool)
        names = self._names[pool]
        return None if names is None else device.device in names

    def _read(self, pool: PoolId) -> frozenset[str] | None:
        slices = self._pools[pool]
        newest = max(entry.generation for entry in slices)
        current = [entry for entry in slices if entry.generation == newest]
        if len(current) < max(entry.count for entry in current):
            return None
        return frozenset(one.name for entry in current for one in entry.devices)


def results_of(claim: ResourceClaimDict) -> Sequence[DeviceRequestAllocationResultDict]:
    """The devices that a claim is allocated to."""
    allocation = (claim.get("status") or {}).get("allocation") or {}
    return (allocation.get("devices") or {}).get("results") or ()


def twice(
    inventory: Inventory, nodes: Iterable[Node], drivers_of: Callable[[str], frozenset[str]]
) -> Iterator[Note]:
    """Nodes with an extended resource of a device plugin, and slices of the driver that replaces it.

    `drivers_of`: the drivers that take the place of the device plugin of an extended resource.
    """
    publishing: dict[str, set[str]] = {}
    for entry in inventory.slices:
        if entry.node_name and entry.devices:
            publishing.setdefault(entry.node_name, set()).add(entry.driver)
    found: dict[tuple[str, str], list[str]] = {}
    for node in nodes:
        for resource, amount in node.allocatable.items():
            if (
                "/" not in resource
                or (exact_amount(amount) or 0) <= 0
                or node.name not in publishing
            ):
                continue
            for driver in sorted(drivers_of(resource) & publishing[node.name]):
                found.setdefault((resource, driver), []).append(node.name)
    for (resource, driver), names in found.items():
        more = ", …" if len(names) > _SHOWN else ""
        label = f"{'node' if len(names) == 1 else 'nodes'} {', '.join(names[:_SHOWN])}{more}"
        text = (
            f"offers {resource} by a device plugin, and devices of {driver} by slices: if these are the "
            "same devices, they may be given out twice"
        )
        yield Note("contradiction", label, text)


def _device(result: DeviceRequestAllocationResultDict | AllocatedDeviceStatusDict) -> str:
    return f"{result.get('driver')}/{result.get('pool')}/{result.get('device')}"


def _claim(claim: ResourceClaimDict) -> str:
    metadata = claim.get("metadata") or {}
    return f"ResourceClaim {metadata.get('namespace') or 'default'}/{metadata.get('name')}"

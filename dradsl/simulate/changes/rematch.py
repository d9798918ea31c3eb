"""Claims that hold devices, asked again after a change: would the allocator give them the same devices?

A claim keeps its devices whatever a driver publishes later. What is said here is what happens once its pod is made
again, as in an update of the workload.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dradsl.allocator.explain.node import Funnel, explain
from dradsl.allocator.fleets.fleet import GatheredFleet
from dradsl.allocator.inventory.allocated import AllocatedState
from dradsl.allocator.inventory.nodes import compile_selector
from dradsl.allocator.inventory.slices import DeviceId, Inventory, Traits
from dradsl.records import Record
from dradsl.simulate.input.ailments import results_of
from dradsl.simulate.plugin.prefilter import find_obstacle
from dradsl.simulate.plugin.reserved import allocation_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.allocator.inventory.slices import DeviceRecord, Slice
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.changes.objects import ClusterChange
    from dradsl.simulate.cluster import Key

__all__ = ["LostClaim", "claims_that_no_longer_match", "devices_of"]


class LostClaim(Record):
    """A claim that matched its devices before, and does not after. `users` are the pods that have it reserved.

    `funnels` say where its devices fall out; empty if `reason` says all. `unseen`: its devices go with their node, and
    no pod that uses it is recorded, so that nobody knows what else these pods need elsewhere.
    """

    key: Key
    users: tuple[str, ...]
    devices: tuple[DeviceId, ...]
    reason: str
    funnels: tuple[Funnel, ...] = ()
    unseen: bool = False


def claims_that_no_longer_match(
    before: Simulation, after: Simulation, change: ClusterChange
) -> Iterator[LostClaim]:
    """The claims that hold devices in both clusters and matched them only in the first.

    A claim whose devices and classes are the same in both is not asked.
    """
    earlier, later = _places(before), _places(after)
    classes = {
        name
        for name, document in before.cluster.class_documents.items()
        if document != after.cluster.class_documents.get(name)
    }
    for key, claim in after.cluster.claims.items():
        devices = devices_of(claim)
        known = [one for one in devices if one in earlier]
        if not known or key not in before.cluster.claims:
            continue
        same = all(one in later and _alike(earlier[one], later[one]) for one in known)
        if same and not classes:
            continue
        found = _asked_again(after, later, claim, devices)
        if found is None or _asked_again(before, earlier, claim, devices) is not None:
            continue
        used = (claim.get("status") or {}).get("reservedFor") or ()
        users = tuple(f"{key[0]}/{one.get('name')}" for one in used)
        seen = any(str(one.get("uid")) in change.recorded for one in used)
        goes = any(earlier[one][0].node_name in change.nodes for one in known)
        yield LostClaim(key, users, devices, *found, unseen=goes and not seen)


def devices_of(claim: ResourceClaimDict) -> tuple[DeviceId, ...]:
    """The devices that a claim holds."""
    return tuple(DeviceId(one["driver"], one["pool"], one["device"]) for one in results_of(claim))


def _places(simulation: Simulation) -> dict[DeviceId, tuple[Slice, DeviceRecord]]:
    """The devices that the newest slices of each pool publish."""
    found: dict[DeviceId, tuple[Slice, DeviceRecord]] = {}
    for slices in simulation.cluster.inventory.pools.values():
        newest = max(entry.generation for entry in slices)
        for entry in slices:
            for device in entry.devices if entry.generation == newest else ():
                found[DeviceId(entry.driver, entry.pool, device.name)] = entry, device
    return found


def _alike(one: tuple[Slice, DeviceRecord], other: tuple[Slice, DeviceRecord]) -> bool:
    a, b = one[1], other[1]
    alike = (getattr(a.traits, each) == getattr(b.traits, each) for each in Traits.__slots__)
    return a.attributes == b.attributes and all(alike)


def _asked_again(
    simulation: Simulation,
    places: Mapping[DeviceId, tuple[Slice, DeviceRecord]],
    claim: ResourceClaimDict,
    devices: tuple[DeviceId, ...],
) -> tuple[str, tuple[Funnel, ...]] | None:
    """Why the allocator does not give a claim these devices if there are no others; None if it does."""
    held = frozenset(map(tuple, devices))
    gone = [one for one in devices if one not in places]
    if gone:
        names = ", ".join(map(str, gone))
        return f"no slice publishes {names} any more", ()
    bare: ResourceClaimDict = {**claim, "status": {}}
    obstacle = find_obstacle([claim, bare], simulation.cluster.classes, simulation.features)
    if obstacle is not None:
        return obstacle.text, ()
    entries = [places[one][0] for one in devices]
    own_nodes = {entry.node_name for entry in entries if entry.node_name is not None}
    selector = (allocation_of(claim) or {}).get("nodeSelector")
    allowed = compile_selector(selector) if selector else None
    nodes = (
        node
        for node in simulation.cluster.inventory.nodes
        if own_nodes <= {node.name} and (allowed is None or allowed.matches(node))
    )
    node = next(nodes, None)
    if node is None:
        return "no node sees its devices any more", ()
    slices = [
        replace(entry, devices=tuple(d for d in entry.devices if (*entry.pool_id, d.name) in held))
        for entry in simulation.cluster.inventory.slices
        if entry.pool_id in {entry.pool_id for entry in entries}
    ]
    inventory = Inventory(slices, (node,))
    fleet = GatheredFleet(inventory, simulation.variant, simulation.allocator_features)
    allocator = simulation.allocator([bare], fleet, AllocatedState())
    result = allocator.allocate(node)
    if result.fits or result.error:
        return None if result.fits else (str(result.error), ())
    return "the devices that it has do not match", explain(
        allocator, fleet.problem(allocator, node)
    )

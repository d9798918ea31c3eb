"""The nodes on which a pod can use the volumes that it has already."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from dradsl.allocator.inventory.nodes import SelectorError, compile_selector
from dradsl.allocator.inventory.slices import Inventory
from dradsl.simulate.attempts import Simulation
from dradsl.values.counted import first_of
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import key_of

if TYPE_CHECKING:
    from dradsl.kube.fields.typed_dicts import NodeSelectorDict
    from dradsl.why.dump import Document
    from dradsl.why.world import RecordedCluster

__all__ = ["where_volumes_are"]


# Upstream: FindPodVolumes (pkg/scheduler/framework/plugins/volumebinding/binder.go), checkBoundClaims
def where_volumes_are(world: RecordedCluster, pod: Document) -> tuple[RecordedCluster, str]:
    """The world with the nodes alone that reach the bound volumes of a pod, and these in words; the same world and no words
    if all nodes do."""
    nodes, texts = world.simulation.cluster.inventory.nodes, list[str]()
    for volume in mappings_at(pod, "spec", "volumes"):
        name = mapping_at(volume, "persistentVolumeClaim").get("claimName")
        claim = world.dump.get("PersistentVolumeClaim", (key_of(pod)[0], str(name))) or {}
        bound = str(mapping_at(claim, "spec").get("volumeName") or "")
        found = world.dump.get("PersistentVolume", ("default", bound)) or {}
        required = cast("NodeSelectorDict", mapping_at(found, "spec", "nodeAffinity", "required"))
        with suppress(SelectorError):
            selector = compile_selector(required) if required else None
            there = [one for one in nodes if selector is None or selector.matches(one)]
            if len(there) < len(nodes):
                where = first_of([one.name for one in there]) or "no node of the dump"
                found_on = f"PersistentVolume {bound} of claim {name} can only be used on {where}"
                texts.append(found_on)
                nodes = tuple(there)
    if not texts:
        return world, ""
    old = world.simulation
    cluster = replace(old.cluster, inventory=Inventory(old.cluster.inventory.slices, nodes))
    simulation = Simulation(cluster, world.release, old.features, old.selectors)
    return replace(world, simulation=simulation, others={}), "; ".join(texts)

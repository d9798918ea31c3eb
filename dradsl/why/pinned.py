"""Pods that have devices in reach and do not get them: their claim is bound to another node, or no class offers
the extended resource that they ask for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from dradsl.simulate.extended import IMPLICIT, class_by_resource, extended_resources
from dradsl.simulate.input.ailments import results_of
from dradsl.simulate.plugin.reserved import Reserved, allocation_of
from dradsl.values.counted import first_of
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import Answer, TriedChange
from dradsl.why.changes import own_claim, spelled_alike, try_placement
from dradsl.why.dropped import default_from
from dradsl.why.dump import key_of
from dradsl.why.fixes import difference
from dradsl.why.holders import device_of, owners_of
from dradsl.why.lives import consumers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.kube.fields.typed_dicts import DeviceClassDict, ResourceClaimDict
    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.pods import Pod
    from dradsl.why.world import RecordedCluster

__all__ = ["held_apart", "pinned", "unnamed_resource", "usable_on"]

_TEMPLATE = ("spec", "template", "spec")
_DIFFERENT = "its claims are allocated on different nodes"


def pinned(world: RecordedCluster, report: PodReport, lines: tuple[str, ...]) -> Answer:
    """The answer for a pod whose allocated claim is usable only where the pod cannot be."""
    claims = _allocated(world, report.pod)
    cause = _where_allocated(world, report, claims)
    for kind, key in owners_of(world.dump, (report.pod.namespace, report.pod.name))[-1:]:
        entries = mappings_at(world.dump.get(kind, key) or {}, *_TEMPLATE, "resourceClaims")
        if any(f"{key[0]}/{one.get('resourceClaimName')}" in claims for one in entries):
            cause += f"; all pods of {kind} {key[1]} name this one claim"
    users = [(n, one) for n, claim in claims.items() for one in consumers_of(claim, world.dump)]
    reserved = (f"claim {n} is reserved for {one.name}, which is {one.state}" for n, one in users)
    _, change = try_placement(world.simulation, report.pod)
    own = claims.values() if "no node of this name" not in cause else ()
    change = own_claim(world, report.pod, own, change)
    for one in [one for _, one in users if one.command][:1]:
        cause += f"; {one.name} keeps it, and is {one.state}"
        text = f"let {one.name} go: its claim is then allocated anew once {one.release}"
        forced = TriedChange(text, patch=(one.command,), tried=False)
        change = forced.or_tried(change) if change else forced
    return Answer("", "", "allocation", cause, (*reserved, *lines), change=change)


def _where_allocated(
    world: RecordedCluster, report: PodReport, claims: Mapping[str, ResourceClaimDict]
) -> str:
    """Where the allocated claims of a pod are usable, and why the pod cannot be there."""
    bound = ", ".join(claims)
    pools = {str(one.get("pool")) for claim in claims.values() for one in results_of(claim)}
    filtered = (one for one in report.verdicts if one.kind == "filtered")
    said = {node.name: one.text.rstrip(".") for one in filtered for node in one.nodes}
    usable = usable_on(world, claims.values())
    if there := next((name for name in usable if name in said), ""):
        return f"its claim {bound} is allocated on {there}, where {said[there]}"
    apart = {name: first_of(usable_on(world, [one])) for name, one in claims.items()}
    if all(apart.values()) and not usable:
        places = ", ".join(f"{name} on {nodes}" for name, nodes in apart.items())
        return f"{_DIFFERENT}: {places}"
    selected = str([(allocation_of(one) or {}).get("nodeSelector") for one in claims.values()])
    gone = {one for one in pools if f"'{one}'" in selected}
    gone -= {key_of(one)[1] for one in world.dump.all("Node")}
    cause = f"its claim {bound} is allocated, and no node where it can be used does for the pod"
    text = f"{cause}: it is of pool {min(gone, default='')}, and the dump has no node of this name"
    own = f"{cause} (its devices are of pool {first_of(sorted(pools))})"
    return text if gone and world.dump.has("Node") else own


def _allocated(world: RecordedCluster, pod: Pod) -> dict[str, ResourceClaimDict]:
    """The claims of a pod that are allocated, by namespace and name."""
    return {
        "/".join(entry.key): claim
        for entry in pod.claims
        if (claim := world.simulation.claims.get(entry.key)) and allocation_of(claim)
    }


def held_apart(
    world: RecordedCluster, report: PodReport, reason: str, change: TriedChange | None
) -> tuple[str, TriedChange | None]:
    """The cause for a pod with an allocated claim that lacks other devices where this one can be used, and what helps."""
    claims = _allocated(world, report.pod)
    nodes = [node.name for one in report.verdicts if one.kind == "none" for node in one.nodes]
    text = f"its claim {', '.join(claims)} is allocated on {first_of(nodes)}, where {reason}"
    return text, own_claim(world, report.pod, claims.values(), change)


def usable_on(world: RecordedCluster, claims: Iterable[ResourceClaimDict]) -> list[str]:
    """The nodes on which all these allocated claims can be used."""
    found = [Reserved.of(one, conditions=False, operations=False).selector for one in claims]
    nodes = world.simulation.cluster.inventory.nodes
    return [node.name for node in nodes if all(one is None or one.matches(node) for one in found)]


def unnamed_resource(world: RecordedCluster, pod: Pod) -> Answer | None:
    """The answer for a pod with an extended resource that no node and no class offers, though a class has devices
    of the name that a vendor gives both: class gpu.example.com, resource example.com/gpu."""
    cluster = world.simulation.cluster
    offered = {
        name
        for node in cluster.inventory.nodes
        for name, amount in node.allocatable.items()
        if amount != "0"
    }
    documents = {
        str(mapping_at(one, "metadata").get("name")): one for one in world.dump.all("DeviceClass")
    }
    offered |= {
        str(mapping_at(one, "spec").get("extendedResourceName")) for one in documents.values()
    }
    for resource in sorted(extended_resources(pod.spec)):
        wanted = resource.removeprefix(IMPLICIT)
        if wanted != resource and wanted not in documents and documents:
            names = "".join(f"; there is {one}" for one in spelled_alike(wanted, documents, 1))
            text = (
                f"DeviceClass {wanted} does not exist, which the resource {resource} names{names}"
            )
            return Answer("", "", "class", text)
        domain, _, name = resource.partition("/")
        driver = f"{name}.{domain}"
        found = documents.get(driver, {})
        if resource in offered or not (
            found or any(one.driver == driver for one in cluster.inventory.slices)
        ):
            continue
        held = {device_of(one) for claim in world.dump.claims.values() for one in results_of(claim)}
        free = sum(
            entry.driver == driver and (entry.driver, entry.pool, device.name) not in held
            for entry, device in cluster.inventory.devices()
        )
        cause = f"no node offers {resource}, and "
        if not found:
            cause += f"no DeviceClass has extendedResourceName: {resource}; devices of driver {driver} that are free: {free}"
            return Answer("", "", "class", cause)
        label = f"DeviceClass {driver}"
        given = mapping_at(found, "spec").get("extendedResourceName")
        has = f"has extendedResourceName {given}" if given else "has no extendedResourceName"
        cause += f"{label} {has}; {free} of its devices are free"
        after = {**found, "spec": {**mapping_at(found, "spec"), "extendedResourceName": resource}}
        answer = Answer("", "", "class", cause)
        if (gate := "DRAExtendedResource") not in world.simulation.features:
            text = f"the feature gate {gate} that this needs is {default_from(gate)}"
            return replace(answer, cause=f"{cause}; {text}")
        other = world.simulation.fresh()
        classes = {**cluster.class_documents, driver: cast("DeviceClassDict", after)}
        other.resources = class_by_resource(classes)
        if not other.place(pod, commit=False).fits:
            return answer
        change = TriedChange(
            f"set extendedResourceName: {resource} in {label}",
            f"{given}, for pods that ask for it" if given else "",
            patch=tuple(difference(found, after)),
        )
        return replace(answer, change=change)
    return None

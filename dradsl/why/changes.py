"""The smallest change to a pod, besides its claims, that lets it start; each is tried before it is named."""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from dradsl.simulate.nodes.placement import why_not
from dradsl.simulate.nodes.requests import allocatable_of
from dradsl.values.plain import mapping_at, mappings_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.pods.typed_dicts import AffinityDict, PodSpecDict, TaintDict, TolerationDict
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.cluster import Key
    from dradsl.simulate.pods import Pod
    from dradsl.values.json_types import JsonObject

__all__ = ["change_of_placement", "similar_name"]

_NODES = 12
_TRIALS = 60
_COUNTED = ("cpu", "memory", "ephemeral-storage")


@dataclass(frozen=True, slots=True)
class _Edit:
    text: str
    spec: PodSpecDict


def change_of_placement(simulation: Simulation, pod: Pod) -> str:
    """A toleration, selector, affinity or request whose change makes the pod fit; empty if none does."""
    nodes = _distinct(simulation, pod)
    left = _TRIALS
    edits = [(node, list(_edits(pod.spec, node, simulation))) for node in nodes]
    for node, single in edits:
        for edit in single:
            left -= 1
            if left < 0:
                return ""
            if _fits(simulation, pod, edit.spec):
                return f"{edit.text} (node {node.name})"
    for node, single in edits:
        for first in single:
            for second in _edits(first.spec, node, simulation):
                left -= 1
                if left < 0:
                    return ""
                if _fits(simulation, pod, second.spec):
                    return f"{first.text} and {second.text} (node {node.name})"
    return ""


def similar_name(
    simulation: Simulation, pod: Pod, kind: str, key: Key, known: Iterable[Key]
) -> str:
    """The object of a name like the missing one with which the pod would fit; empty if there is none."""
    field = "resourceClaimTemplateName" if kind == "ResourceClaimTemplate" else "resourceClaimName"
    names = [name for namespace, name in known if namespace == key[0]]
    for near in get_close_matches(key[1], names, n=3):
        spec: JsonObject = copy.deepcopy(dict(pod.spec))
        for entry in spec.get("resourceClaims") or ():
            if entry.get(field) == key[1]:
                entry[field] = near
        if _fits(simulation, pod, cast("PodSpecDict", spec)):
            return f"name the {kind} {near}"
    return ""


def _distinct(simulation: Simulation, pod: Pod) -> list[Node]:
    """Nodes that say different things to the pod, a few."""
    usage = simulation.usage
    found: dict[str | None, Node] = {}
    for node in simulation.cluster.inventory.nodes:
        found.setdefault(why_not(pod.spec, node, usage, {}) or node.allocatable.get("cpu"), node)
    return list(itertools.islice(found.values(), _NODES))


def _fits(simulation: Simulation, pod: Pod, spec: PodSpecDict) -> bool:
    from dradsl.simulate.pod_claims import claims_of

    claims = tuple(claims_of(spec, pod.namespace, pod.name))
    return simulation.place(replace(pod, spec=spec, claims=claims), commit=False).fits


def _edits(spec: PodSpecDict, node: Node, simulation: Simulation) -> Iterator[_Edit]:
    if node.taints:
        added = [_toleration(taint) for taint in node.taints]
        shown = ", ".join(_taint(taint) for taint in node.taints)
        given = [*(spec.get("tolerations") or ()), *added]
        yield _Edit(f"tolerate {shown}", {**spec, "tolerations": given})
    if spec.get("nodeSelector"):
        without = spec.copy()
        del without["nodeSelector"]
        yield _Edit("drop the nodeSelector", without)
    affinity = spec.get("affinity") or {}
    of_nodes = affinity.get("nodeAffinity") or {}
    if of_nodes.get("requiredDuringSchedulingIgnoredDuringExecution"):
        kept = of_nodes.copy()
        del kept["requiredDuringSchedulingIgnoredDuringExecution"]
        whole: AffinityDict = {**affinity, "nodeAffinity": kept}
        yield _Edit("drop the required node affinity", {**spec, "affinity": whole})
    yield from _smaller(spec, node, simulation)


def _smaller(spec: PodSpecDict, node: Node, simulation: Simulation) -> Iterator[_Edit]:
    """Requests of a single container cut to what the node has left."""
    containers = mappings_at(spec, "containers")
    used, offered = simulation.usage.used(node.name), allocatable_of(node)
    for name in _COUNTED if len(containers) == 1 else ():
        wanted = mapping_at(containers[0], "resources", "requests").get(name)
        if wanted is None or name not in offered:
            continue
        scale = 1000 if name == "cpu" else 1
        total = offered[name].milli_value() if name == "cpu" else offered[name].value()
        free = total - used.get(name, 0)
        if free <= 0:
            continue
        amount = f"{free}m" if name == "cpu" and free % scale else str(free // scale)
        changed: JsonObject = copy.deepcopy(dict(spec))
        changed["containers"][0]["resources"]["requests"][name] = amount
        yield _Edit(f"request {name} {amount} instead of {wanted}", cast("PodSpecDict", changed))


def _toleration(taint: TaintDict) -> TolerationDict:
    found: TolerationDict = {"operator": "Exists"}
    if taint.get("key"):
        found["key"] = taint["key"]
    if taint.get("effect"):
        found["effect"] = taint["effect"]
    return found


def _taint(taint: TaintDict) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key')}{value}:{taint.get('effect')}"

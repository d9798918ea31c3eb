"""What objects of a dump say about reasons of a scheduler that dradsl does not simulate: volumes, resources of device
plugins, groups of pods."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.values.counted import first_of
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import conditions_of, key_of, label_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.why.dump import Document, Dump

__all__ = ["group_trouble", "lacking", "missing_labels", "volume_trouble"]

_GROUPS = (  # labels and annotations that name the PodGroup of a pod: coscheduling, Volcano, KAI
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io",
    "scheduling.k8s.io/group-name",
    "pod-group-name",
)
_BINDS = ("ProvisioningFailed", "FailedBinding", "ExternalProvisioning", "WaitForFirstConsumer")


def volume_trouble(dump: Dump, pod: Document) -> str:
    """What keeps the first PersistentVolumeClaim of a pod that is not bound; empty if none is known."""
    for volume in mappings_at(pod, "spec", "volumes"):
        name = mapping_at(volume, "persistentVolumeClaim").get("claimName")
        if name is None and volume.get("ephemeral"):
            name = f"{key_of(pod)[1]}-{volume.get('name')}"
        found = dump.get("PersistentVolumeClaim", (key_of(pod)[0], str(name)))
        if found is None or mapping_at(found, "status").get("phase") == "Bound":
            continue
        said = [text for reason, text in dump.events(found) if reason in _BINDS]
        state = mapping_at(found, "status").get("phase") or "Pending"
        return f"{label_of(found)} is {state}{f': {said[0]}' if said else ''}"
    return ""


def lacking(dump: Dump, rejection: str) -> Iterator[str]:
    """Which nodes offer the resources that the scheduler calls insufficient, and how much pods there ask for."""
    for name in dict.fromkeys(
        re.findall(r"Insufficient ([\w.-]+/[\w.-]*\w|hugepages-\w+)", rejection)
    ):
        offers = {
            key_of(node)[1]: str(amount)
            for node in dump.all("Node")
            if (amount := mapping_at(node, "status", "allocatable").get(name, "0")) != "0"
        }
        asked = [
            f"{key_of(pod)[1]} {amount}"
            for pod in dump.all("Pod")
            if mapping_at(pod, "spec").get("nodeName") in offers
            and mapping_at(pod, "status").get("phase") not in ("Succeeded", "Failed")
            for one in mappings_at(pod, "spec", "containers")
            if (amount := mapping_at(one, "resources", "limits").get(name))
        ]
        if dump.has("Node"):
            nodes = [f"{node} {amount}" for node, amount in offers.items()]
            held = f"; pods there ask for it: {first_of(asked)}" if asked else ""
            yield f"{name}: {f'nodes that offer it: {first_of(nodes)}{held}' if nodes else 'no node offers any'}"


def missing_labels(spec: PodSpecDict, nodes: Sequence[Node]) -> Iterator[str]:
    """The labels of which a pod selects or requires one, and that no node has; of required affinity, the keys."""
    for key, value in (spec.get("nodeSelector") or {}).items():
        if all(node.labels.get(key) != value for node in nodes):
            yield f"{key}={value}"
    path = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    for term in mappings_at(spec, *path, "nodeSelectorTerms"):
        for one in mappings_at(term, "matchExpressions"):
            absent = all(one.get("key") not in node.labels for node in nodes)
            if absent and one.get("operator") in ("In", "Exists", "Gt", "Lt"):
                yield str(one.get("key"))


def group_trouble(dump: Dump, pod: Document) -> Iterator[str]:
    """What the newest condition of the pod's PodGroup says, if it is not that all is well."""
    metadata = mapping_at(pod, "metadata")
    names = [
        mapping_at(metadata, field).get(key)
        for field in ("labels", "annotations")
        for key in _GROUPS
    ]
    names.append(mapping_at(pod, "spec", "schedulingGroup").get("podGroupName"))
    for name in filter(None, dict.fromkeys(names)):
        group = dump.get("PodGroup", (key_of(pod)[0], str(name)))
        found = {**conditions_of(group, "status", "schedulingConditions"), **conditions_of(group)}
        for kind, one in found.items():
            bad = {"True": "nschedulable", "False": "PodGroupScheduled"}
            if bad.get(str(one.get("status")), "-") in kind:
                yield f"{label_of(group or {})}: {words_of(one)}"
                return

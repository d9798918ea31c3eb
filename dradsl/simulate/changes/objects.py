"""A recorded cluster as it is after a change: without some nodes, and with other objects of the names that it has."""

from __future__ import annotations

import copy
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.allocator.inventory.slices import InventoryError
from dradsl.simulate.input.copies import nodes_in
from dradsl.values.plain import mapping_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dradsl.values.json_types import JsonObject

__all__ = [
    "ClusterChange",
    "changed",
    "key_of",
    "made_again",
    "stays_with_its_node",
    "without_nodes",
]

Document: TypeAlias = "JsonObject"

_MIRROR = "kubernetes.io/config.mirror"  # a static pod of the kubelet


@dataclass(slots=True)
class ClusterChange:
    """A cluster after a change.

    `rest` are its objects, `moving` the pods of `nodes` that went as they are created again, `places` the node that
    each of them was on by namespace and name. `ending` are pods that no other node gets: of DaemonSets, and static ones.
    `replaced` says what of the recorded objects is another one now, in words. `recorded` are the UIDs of all pods.
    """

    nodes: tuple[str, ...]
    rest: list[Document] = field(default_factory=list)
    moving: list[Document] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    ending: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    recorded: frozenset[str] = frozenset()


def without_nodes(documents: Sequence[Document], nodes: Sequence[str]) -> ClusterChange:
    """What is left of recorded objects. Claims whose consumers were all on these nodes are free again.

    Raises:
        InventoryError: for a node that no Node, slice or pod names.
    """
    pods = [one for one in documents if one.get("kind") == "Pod" and _node_of(one)]
    known = {*nodes_in(documents), *map(_node_of, pods)}
    for name in nodes:
        if name not in known:
            raise InventoryError(f"no Node, ResourceSlice or Pod of node {name} is recorded")
    gone = [one for one in pods if _node_of(one) in nodes]
    uids = {str(_metadata(pod).get("uid")) for pod in gone}
    claims = {_label(one) for one in documents if one.get("kind") == "ResourceClaim"}
    every = (str(_metadata(one).get("uid")) for one in documents if one.get("kind") == "Pod")
    change = ClusterChange(tuple(nodes), recorded=frozenset(every))
    for pod in gone:
        if (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed"):
            continue
        if stays_with_its_node(pod):
            change.ending.append(_label(pod))
            continue
        change.moving.append(made_again(pod, claims))
        change.places[_label(pod)] = _node_of(pod)
    lost: Counter[tuple[str, str]] = Counter()
    for one in documents:
        own = [_node_of(one)] if one.get("kind") == "Pod" else nodes_in([one])
        if own and own[0] in nodes:
            if one.get("kind") == "ResourceSlice":
                lost[_pool(one)] += 1
            continue
        change.rest.append(_freed(one, uids) if one.get("kind") == "ResourceClaim" else one)
    change.rest = [_fewer(one, lost) for one in change.rest]
    return change


def changed(
    documents: Sequence[Document], nodes: Sequence[str], others: Sequence[Document]
) -> ClusterChange:
    """What is left of recorded objects without `nodes`, and without what `others` take the place of.

    Raises:
        InventoryError: for a node that no Node, slice or pod names.
    """
    change = without_nodes(documents, nodes)
    given = {key_of(one) for one in others}
    keys = (key for one in change.rest if (key := key_of(one)) in given)
    gone = Counter(f"{key[0]} of {key[1]}" if key[0] == "ResourceSlice" else key[0] for key in keys)
    change.replaced = [f"{number:,} x {words}" for words, number in sorted(gone.items())]
    change.rest = [one for one in change.rest if key_of(one) not in given]
    return change


def key_of(document: Document) -> tuple[str, ...]:
    """What names an object: of slices their pool, which a driver publishes as a whole."""
    kind = str(document.get("kind"))
    if kind == "ResourceSlice":
        return kind, *_pool(document)
    if kind in ("Node", "DeviceClass", "DeviceTaintRule"):
        return kind, str(_metadata(document).get("name"))
    group = str(document.get("apiVersion")).rpartition("/")[0]
    return kind, group, _label(document)


def stays_with_its_node(pod: Document) -> bool:
    """Whether a pod ends and is not made again elsewhere: it is of a DaemonSet or of the kubelet, or ends already."""
    metadata = _metadata(pod)
    owners: Iterable[Document] = metadata.get("ownerReferences") or ()
    return (
        any(owner.get("kind") in ("DaemonSet", "Node") for owner in owners)
        or _MIRROR in (metadata.get("annotations") or {})
        or bool(metadata.get("deletionTimestamp"))
    )


def made_again(pod: Document, claims: set[str]) -> Document:
    """The pod as it is created again: with no node, and with the claims that were made for it."""
    made = copy.deepcopy(pod)
    made["spec"].pop("nodeName")
    namespace = _label(pod).partition("/")[0]
    listed = (made.pop("status", None) or {}).get("resourceClaimStatuses") or ()
    kept = [one for one in listed if f"{namespace}/{one.get('resourceClaimName')}" in claims]
    if kept:
        made["status"] = {"resourceClaimStatuses": kept}
    return made


def _freed(claim: Document, uids: set[str]) -> Document:
    """The claim without its allocation, if nobody uses it but pods with these UIDs."""
    users = (claim.get("status") or {}).get("reservedFor") or ()
    if not users or not all(str(user.get("uid")) in uids for user in users):
        return claim
    return {key: value for key, value in claim.items() if key != "status"}


def _fewer(document: Document, lost: Counter[tuple[str, str]]) -> Document:
    """A slice of a pool that has lost some slices: the driver announces fewer then."""
    if document.get("kind") != "ResourceSlice" or not lost[_pool(document)]:
        return document
    spec = document["spec"]
    count = int(spec["pool"].get("resourceSliceCount") or 1) - lost[_pool(document)]
    return {**document, "spec": {**spec, "pool": {**spec["pool"], "resourceSliceCount": count}}}


def _pool(document: Document) -> tuple[str, str]:
    spec = mapping_at(document, "spec")
    return str(spec.get("driver")), str(mapping_at(spec, "pool").get("name"))


def _metadata(document: Document) -> Mapping[str, Any]:
    return mapping_at(document, "metadata")


def _node_of(pod: Document) -> str:
    return str((pod.get("spec") or {}).get("nodeName") or "")


def _label(document: Document) -> str:
    metadata = _metadata(document)
    return f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}"

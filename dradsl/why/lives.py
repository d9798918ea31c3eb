"""What keeps a claim: the pods in `status.reservedFor`, whether they still run, and finalizers.

Facts of kube-controller-manager, 1.34 to 1.37: syncClaim and isPodDone of
pkg/controller/resourceclaim/controller.go (which reservations end, and when the finalizer goes; 1.34 and 1.35
stop at an entry that is no pod), and
gcTerminating and gcOrphaned of pkg/controller/podgc/gc_controller.go (pods on nodes that are off).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.records import Record
from dradsl.values.plain import list_at, mapping_at, mappings_at
from dradsl.why.dump import conditions_of, key_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.why.dump import Document, Dump

__all__ = [
    "ENDED",
    "ClaimConsumer",
    "consumers_of",
    "deletion_of",
    "foreign_of",
    "leftovers_of",
    "node_trouble",
    "pod_state",
]

_FINALIZER = "resource.kubernetes.io/delete-protection"
ENDED = ("Succeeded", "Failed")
_BY_CONTROLLER = (
    "kube-controller-manager has removed the reservation: it does this by itself, so if this lasts, see "
    "whether it runs and what it logs"
)


class ClaimConsumer(Record):
    """An entry of `status.reservedFor`: what became of it. `release`: what has to happen before the
    reservation of a pod ends that is gone, or cannot end by itself; empty for other pods. `command` ends it."""

    name: str
    state: str
    release: str = ""
    command: str = ""


def consumers_of(claim: Mapping[str, Any], dump: Dump) -> tuple[ClaimConsumer, ...]:
    """The consumers of a claim, in the order of `status.reservedFor`."""
    return tuple(_consumer(claim, one, dump) for one in mappings_at(claim, "status", "reservedFor"))


def _consumer(claim: Mapping[str, Any], entry: Mapping[str, Any], dump: Dump) -> ClaimConsumer:
    namespace, name = key_of(claim)[0], str(entry.get("name") or "")
    if entry.get("apiGroup") or entry.get("resource") != "pods":
        return ClaimConsumer(f"{entry.get('resource')} {namespace}/{name}", "not looked at")
    label, uid = f"pod {namespace}/{name}", str(entry.get("uid") or "")
    pod = dump.get("Pod", (namespace, name))
    state = pod_state(dump, pod)
    if pod is None:
        missing = _BY_CONTROLLER if dump.has("Pod") else ""
        return ClaimConsumer(label, f"{state} (reserved for UID {uid})", missing)
    metadata, own = mapping_at(pod, "metadata"), str(mapping_at(pod, "metadata").get("uid") or "")
    if uid and own and uid != own:
        state = f"another pod of this name (reserved for UID {uid}, the pod there has UID {own})"
        return ClaimConsumer(label, state, _BY_CONTROLLER)
    node = mapping_at(pod, "spec").get("nodeName")
    is_deleted = bool(metadata.get("deletionTimestamp"))
    if mapping_at(pod, "status").get("phase") in ENDED or (is_deleted and not node):
        return ClaimConsumer(label, state, _BY_CONTROLLER)
    if is_deleted and node_trouble(dump, str(node)):
        taint = "node.kubernetes.io/out-of-service:NoExecute"
        off = f"Node {node} is deleted or gets the taint {taint}"
        command = f"kubectl delete pod {name} -n {namespace} --force"
        release = f"the kubelet of {node} runs again; if {node} is off for good, once {off}, or the pod is deleted with {command}"
        return ClaimConsumer(label, state, release, command)
    return ClaimConsumer(label, state)


def pod_state(dump: Dump, pod: Document | None) -> str:
    """The state of a pod, its node, and the trouble of that node, in words."""
    if pod is None:
        return "not in the dump"
    phase = str(mapping_at(pod, "status").get("phase") or "Pending")
    deleted = mapping_at(pod, "metadata").get("deletionTimestamp")
    if deleted and phase not in ENDED:
        phase = f"Terminating since {deleted}"
    node = mapping_at(pod, "spec").get("nodeName")
    if not node:
        return f"{phase}, no node"
    trouble = "" if phase in ENDED else node_trouble(dump, str(node))
    return f"{phase} on {node}{f', which {trouble}' if trouble else ''}"


def node_trouble(dump: Dump, name: str) -> str:
    """Why no kubelet works on a node, as the end of a sentence; empty if the dump does not show it."""
    node = dump.get("Node", ("default", name))
    if node is None and dump.has("Node"):
        return "is not in the dump: it is deleted, or was not dumped"
    ready = conditions_of(node).get("Ready", {"status": "True"})
    is_ready = ready.get("status") == "True"
    return "" if is_ready else f"is not ready ({ready.get('reason') or ready.get('status')})"


def leftovers_of(claim: Mapping[str, Any], dump: Dump) -> tuple[str, ...]:
    """The pods that are gone or cannot end, if a claim is held for such only, and what releases it."""
    consumers = consumers_of(claim, dump)
    if not consumers and mapping_at(claim, "status").get("allocation"):
        return tuple(filter(None, ("; ".join(deletion_of(claim, dump)),)))
    if not consumers or not all(one.release for one in consumers):
        return ()
    return tuple(
        f"{one.name} is {one.state}; its devices are free once {one.release}" for one in consumers
    )


def foreign_of(claim: Mapping[str, Any]) -> str:
    """The first consumer of a claim that is no pod, with what is to be known of it; empty if all are pods."""
    for one in mappings_at(claim, "status", "reservedFor"):
        kind = ".".join(filter(None, (str(one.get("resource") or ""), one.get("apiGroup"))))
        if kind not in ("pods", "podgroups.scheduling.k8s.io"):
            return (
                f"claim {'/'.join(key_of(claim))} is reserved for {kind} {one.get('name')}, which is no pod: "
                "kube-controller-manager never removes this entry, and up to release 1.35 it removes no other entry of the claim"
            )
    return ""


def deletion_of(claim: Mapping[str, Any], dump: Dump) -> tuple[str, ...]:
    """Since when a claim is being deleted, and what keeps each finalizer; nothing for other claims."""
    metadata = mapping_at(claim, "metadata")
    since = metadata.get("deletionTimestamp")
    if not since:
        return ()
    found = [f"it is being deleted since {since}"]
    for name in list_at(metadata, "finalizers"):
        if name != _FINALIZER:
            found.append(f"the finalizer {name} stays until its owner removes it")
            continue
        kept = [f"{one.name}, which is {one.state}" for one in consumers_of(claim, dump)]
        why = f"reservedFor names {'; '.join(kept)}" if kept else ""
        why = why or "kube-controller-manager has not removed it yet; no pod is in reservedFor"
        found.append(f"the finalizer {name} stays because {why}")
    if len(found) == 1:
        found.append("no finalizer is left: the API server removes it next")
    return tuple(found)

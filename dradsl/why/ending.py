"""What keeps a pod that was deleted: finalizers, its node, and claims that no driver gives up.

The kubelet ends a pod after the drivers have unprepared its claims: SyncTerminatingPod of pkg/kubelet/kubelet.go, and
unprepareResources of pkg/kubelet/cm/dra/manager.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.simulate.pod_claims import claims_of
from dradsl.values.plain import list_at, mapping_at
from dradsl.why.answer import Answer
from dradsl.why.dump import key_of, label_of, spec_of, status_of
from dradsl.why.lives import node_trouble
from dradsl.why.observations import domain_ids, event_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.why.dump import Document, Dump

__all__ = ["explain_deleted"]


def explain_deleted(dump: Dump, pod: Document) -> Answer:
    """The answer for a pod with a deletion timestamp."""
    left = ", ".join(map(str, list_at(pod, "metadata", "finalizers"))) or "none"
    when = mapping_at(pod, "metadata")["deletionTimestamp"]
    node = str(mapping_at(pod, "spec").get("nodeName") or "")
    reasons = ("FailedKillPod", "FailedPrepareDynamicResources")
    facts = tuple(event_facts(dump, pod, reasons))
    first = [fact.text for fact in facts if reasons[0] in fact.about]
    trouble = node_trouble(dump, node) if node else ""
    last = [f"{node} {trouble}"] if trouble else []
    if node and left == "none" and not (first or trouble):
        why = next(_unprepared(dump, pod), "")
        first = [f"the kubelet of {node} has not ended it{f': {why}' if why else ''}"]
        first += [f"it reported: {fact.text}" for fact in facts if not why]
    cause = "; ".join((*first, f"deleted at {when}; finalizers left: {left}", *last))
    return Answer(label_of(pod), "terminating", "deleted", cause, facts=facts)


def _unprepared(dump: Dump, pod: Document) -> Iterator[str]:
    """Why drivers cannot unprepare the claims of a pod."""
    namespace, name = key_of(pod)
    domains = {str(mapping_at(one, "metadata").get("uid")) for one in dump.all("ComputeDomain")}
    for entry in claims_of(spec_of(pod), namespace, name, status_of(pod)):
        if entry.template is not None:
            yield f"its status names no claim for the entry {entry.name}, and the kubelet asks for one"
        claim = dump.claims.get(entry.key)
        for one in domain_ids(claim) if claim is not None and domains else ():
            if one not in domains:
                yield f"the ComputeDomain of its claim {entry.key[1]} (UID {one}) is not in the dump, without which the driver cannot unprepare it"

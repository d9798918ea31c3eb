"""What controllers say in objects around a pod or workload, whatever their kinds: in conditions, status and events."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.simulate.nodes.placement import GANGS
from dradsl.values.plain import list_at, mapping_at, mappings_at
from dradsl.why.dump import conditions_of, key_of, label_of, words_of
from dradsl.why.holders import owners_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.why.dump import Document, Dump

__all__ = ["about_groups", "about_pod", "awaited", "below", "ending_on", "queue_trouble", "said_by"]

_DEPTH = 6
_BAD = re.compile(r"Fail|Error|Breach|Degrad|nschedul|Stalled|Conflict")  # True is bad of these
_TROUBLE = re.compile(
    r"(?i)fail|forbidden|denied|exceed|not found|n't exist|not exist|missing|invalid|error|cannot|can't|unable|"
    r"insufficient|overused|not enough|inactive|limit|refused|violat|unschedulable|is clos(ed|ing)$"
)
# What follows from pods that wait, and does not say why they do.
_EFFECT = re.compile(
    r"(?i)(ready|available|scheduled|running) (pods|replicas)|minimum availability|timed out progressing|"
    r"vmi does not exist|guest vm is not"
)
# Labels and annotations that name the PodGroup of a pod; the last is KAI's.
_GROUPS = (*GANGS, "pod-group-name")


def said_by(dump: Dump, document: Document) -> Iterator[str]:
    """What is said against an object, the surest first: errors, failures, what is False, a state, events."""
    status, found = mapping_at(document, "status"), conditions_of(document)
    found |= conditions_of(document, "status", "schedulingConditions")
    bad = [one for kind, one in found.items() if _BAD.search(kind) and one.get("status") == "True"]
    no = [one for kind, one in found.items() if not _BAD.search(kind)]
    texts = [str(one.get("description")) for one in mappings_at(document, "status", "lastErrors")]
    texts += map(words_of, (*bad, status, *(one for one in no if one.get("status") == "False")))
    texts.append(f"status.state is {status.get('state')}")
    texts += [f"{reason}: {text}" for reason, text in dump.events(document)]
    for text in texts:
        if _TROUBLE.search(text) and not _EFFECT.search(text):
            yield f"{label_of(document)}: {text}"


def below(dump: Dump, document: Document, depth: int = _DEPTH) -> Iterator[Document]:
    """What an object owns, over all between, what is farthest first, and the object; neither pods nor claims."""
    for one in dump.owned_by(document) if depth else ():
        if one.get("kind") not in ("ResourceClaim", "Workload"):
            yield from below(dump, one, depth - 1)
    if document.get("kind") != "Pod":
        yield document


def about_groups(dump: Dump, pod: Document) -> Iterator[str]:
    """What is said against the PodGroups of a pod and their queues."""
    metadata = mapping_at(pod, "metadata")
    given = [mapping_at(metadata, field) for field in ("labels", "annotations")]
    names = [one.get(key) for one in given for key in _GROUPS]
    names.append(mapping_at(pod, "spec", "schedulingGroup").get("podGroupName"))
    for name in filter(None, dict.fromkeys(names)):
        group = dump.get("PodGroup", (key_of(pod)[0], str(name))) or {}
        yield from said_by(dump, group)
        queue = dump.get("Queue", ("default", str(mapping_at(group, "spec").get("queue"))))
        yield from said_by(dump, queue or {})


def about_pod(dump: Dump, pod: Document) -> Iterator[str]:
    """What is said against objects that belong to a pod, its groups and their queues, and its owners."""
    for one in dump.owned_by(pod):
        if one.get("kind") != "ResourceClaim":
            yield from said_by(dump, one)
    yield from about_groups(dump, pod)
    for owner in owners_of(dump, key_of(pod), every=True):
        yield from said_by(dump, dump.get(*owner) or {})


def awaited(dump: Dump, events: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is said against the NodeClaim that the newest event of Karpenter names."""
    named = re.search(r"\bnodeclaim/([\w.-]+)", events[0][1]) if events else None
    found = dump.get("NodeClaim", ("default", named[1])) if named else None
    return [("waits", text) for text in said_by(dump, found or {})][:1]


def ending_on(dump: Dump, node: str) -> Iterator[str]:
    """Pods on a node that are to end, as the end of a sentence."""
    for one in dump.all("Pod"):
        metadata = mapping_at(one, "metadata")
        if metadata.get("deletionTimestamp") and mapping_at(one, "spec").get("nodeName") == node:
            left = ", ".join(map(str, list_at(metadata, "finalizers"))) or "none"
            yield f", where {label_of(one)} is to end (finalizers left: {left})"


def queue_trouble(dump: Dump, workload: Document) -> Iterator[str]:
    """What is said against the queues and admission checks of a Workload of Kueue."""
    name = str(mapping_at(workload, "spec").get("queueName"))
    local = dump.get("LocalQueue", (key_of(workload)[0], name)) or {}
    named = [("ClusterQueue", mapping_at(local, "spec").get("clusterQueue"))]
    states = mappings_at(workload, "status", "admissionChecks")
    named += [("AdmissionCheck", one.get("name")) for one in states if one.get("state") != "Ready"]
    for kind, one in named:
        active = conditions_of(dump.get(kind, ("default", str(one))) or {}).get("Active", {})
        if active.get("status") == "False":
            yield f"{kind} {one}: {words_of(active)}"

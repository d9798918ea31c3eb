"""What the scheduler, autoscalers, the kubelet and volumes say of a pod: facts with which an answer has to be compatible."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Any

from dradsl.records import Record
from dradsl.values.plain import list_at, mapping_at, mappings_at
from dradsl.why.answer import ReadFact
from dradsl.why.dump import conditions_of, key_of, label_of, words_of
from dradsl.why.observed.controllers import said_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.why.dump import Document, Dump

__all__ = [
    "PodObservations",
    "container_trouble",
    "event_facts",
    "missing_labels",
    "observe",
    "short_reason",
    "volume_trouble",
]

_DEFAULT_SCHEDULER = "default-scheduler"
_WAITING = (
    "FailedScheduling",
    "FailedResourceClaimCreation",
    "BindingConditionsPending",
    "NotTriggerScaleUp",
    "FailedScaleUp",
    "TriggeredScaleUp",
    "Nominated",
)
_KARPENTER = "Failed to schedule pod, "  # its event has the reason of the scheduler's
_SCALING = {
    "NotTriggerScaleUp": "adds no",
    "FailedScaleUp": "could not add a",
    "TriggeredScaleUp": "adds a",
    "Nominated": "adds a",
}
_STARTING = ("", "ContainerCreating", "PodInitializing")
_NODES_APART = re.compile(
    r"Insufficient|taint|affinity/selector|node selector|unschedulable|Too many pods"
)
_DEVICES = re.compile(r"claim|device|DynamicResources|timed out|resource pools|Insufficient \S+/")
_BINDS = ("ProvisioningFailed", "FailedBinding", "ExternalProvisioning", "WaitForFirstConsumer")


class PodObservations(Record):
    """What the dump shows about a pod without a node.

    `rejection` is the scheduler's newest reason, with which it rejected the pod; `scheduler` is
    `spec.schedulerName` where it is not kube-scheduler's own profile; `nominated` the node that the
    scheduler wants to use; `scaling` what an autoscaler does for it; `facts` are all that was written.
    """

    rejection: str = ""
    scheduler: str = ""
    nominated: str = ""
    scaling: str = ""
    facts: tuple[ReadFact, ...] = ()

    def agree_with(self, step: str, cause: str = "") -> bool:
        """Whether the scheduler's reason is of the kind of a step that looks at nodes, or has the words of a cause.

        The words are those of kube-scheduler's plugins; what it says about preemption does not count.
        """
        words = short_reason(self.rejection)
        pattern = {"filter": _NODES_APART, "allocation": _DEVICES, "class": _DEVICES}.get(step)
        same = bool(cause) and cause.rpartition(": ")[2] in words
        return same or not words or pattern is None or pattern.search(words) is not None


def short_reason(rejection: str) -> str:
    """The scheduler's reason without what it says about preemption."""
    return re.sub(
        r"( still not schedulable,| no new claims to deallocate,)? preemption: .*", "", rejection
    )


def event_facts(dump: Dump, document: Document, reasons: Iterable[str]) -> Iterator[ReadFact]:
    """The newest event about an object for each of these reasons."""
    events = dump.events(document)
    for reason in reasons:
        for text in [text for one, text in events if one == reason][:1]:
            yield ReadFact(f"event {reason} of {label_of(document)}", text)


def observe(dump: Dump, pod: Document) -> PodObservations:
    """The observations of a pod without a node."""
    rejection, facts = "", []
    placed = conditions_of(pod).get("PodScheduled", {})
    if placed.get("status") == "False":
        rejection = str(placed.get("message") or placed.get("reason") or "")
        facts.append(ReadFact(f"condition PodScheduled of {label_of(pod)}", rejection))
    scheduler = str(mapping_at(pod, "spec").get("schedulerName") or _DEFAULT_SCHEDULER)
    # Other schedulers have reasons of their own.
    own = [one for one, _ in dump.events(pod) if one not in _WAITING]
    reasons = (*_WAITING, *(own if scheduler != _DEFAULT_SCHEDULER else ()))
    news = [fact for fact in event_facts(dump, pod, reasons) if fact.text != rejection]
    failing, events = ("FailedScheduling", *reasons[len(_WAITING) :]), dump.events(pod)
    failed = [one for why, one in events if why in failing and not one.startswith(_KARPENTER)]
    scaling = [one for one in events if one[0] in _SCALING or one[1].startswith(_KARPENTER)]
    scaling.sort(key=lambda one: one[0] == "TriggeredScaleUp")  # it tells less than what came of it
    told = [(f"{_SCALING.get(why, 'adds no')} node", one) for why, one in scaling[:1]]
    told = _awaited(dump, scaling) or told
    where = nominated = str(mapping_at(pod, "status").get("nominatedNodeName") or "")
    if nominated:
        nominated += next(_ending_on(dump, where), "")
        news.append(ReadFact(f"status.nominatedNodeName of {label_of(pod)}", where))
    return PodObservations(
        rejection or "".join(failed[:1]),
        "" if scheduler == _DEFAULT_SCHEDULER else scheduler,
        nominated,
        "".join(f"the autoscaler {does}: {text}" for does, text in told),
        (*facts, *news),
    )


def container_trouble(pod: Document) -> Iterator[str]:
    """What the kubelet reports of containers that wait, have failed, or keep others waiting."""
    inits = mappings_at(pod, "spec", "initContainers")
    sidecars = [one.get("name") for one in inits if one.get("restartPolicy") == "Always"]
    for field in ("initContainerStatuses", "containerStatuses"):
        for status in mappings_at(pod, "status", field):
            name, ended = status.get("name"), mapping_at(status, "state", "terminated")
            waiting = mapping_at(status, "state", "waiting")
            if str(waiting.get("reason") or "") not in _STARTING:
                last = mapping_at(status, "lastState", "terminated")
                yield f"container {name}: {_words(waiting)}{f'; the last run: {_words(last)}' if last else ''}"
            elif ended.get("exitCode"):
                yield f"container {name}: {_words(ended)}"
            elif "running" not in mapping_at(status, "state"):
                continue
            elif field == "containerStatuses" and not status.get("ready"):
                yield f"container {name} runs and is not ready"
            elif field != "containerStatuses" and name not in sidecars:
                yield f"init container {name} runs and has not ended"


def _words(state: Mapping[str, object]) -> str:
    code = state.get("exitCode")
    return words_of(state) + (f" (exit code {code})" if code is not None else "")


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


def missing_labels(spec: PodSpecDict, nodes: Sequence[Node]) -> Iterator[str]:
    """The labels of which a pod selects or requires one, and that no node has."""
    for key, value in (spec.get("nodeSelector") or {}).items():
        if all(node.labels.get(key) != value for node in nodes):
            yield f"{key}={value}"
    path = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    terms = [
        mappings_at(t, "matchExpressions") for t in mappings_at(spec, *path, "nodeSelectorTerms")
    ]
    absent = [[one for one in term if _is_absent(one, nodes)] for term in terms]
    for one in itertools.chain(*(absent if all(absent) else ())):  # one term without any is enough
        values = " or ".join(one.get("values") or () if one.get("operator") == "In" else ())
        yield f"{one.get('key')}={values}" if values else str(one.get("key"))


def _is_absent(rule: Mapping[str, Any], nodes: Sequence[Node]) -> bool:
    """Whether no node has what a rule of an affinity asks for."""
    key, values = str(rule.get("key")), rule.get("values") or ()
    some = [node.labels[key] for node in nodes if key in node.labels]
    if rule.get("operator") == "In":
        return not any(each in values for each in some)
    return rule.get("operator") in ("Exists", "Gt", "Lt") and not some


def _awaited(dump: Dump, events: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """What is said against the NodeClaim that the newest event of Karpenter names."""
    named = re.search(r"\bnodeclaim/([\w.-]+)", events[0][1]) if events else None
    found = dump.get("NodeClaim", ("default", named[1])) if named else None
    unknown = (one for one in conditions_of(found).values() if one.get("status") == "Unknown")
    waits = (f"{label_of(found or {})}: {words_of(one)}" for one in unknown)
    texts = itertools.chain(said_by(dump, found or {}), waits)
    return [("waits", text) for text in texts if "awaiting reconciliation" not in text][:1]


def _ending_on(dump: Dump, node: str) -> Iterator[str]:
    """Pods on a node that are to end, as the end of a sentence."""
    for one in dump.all("Pod"):
        metadata = mapping_at(one, "metadata")
        if metadata.get("deletionTimestamp") and mapping_at(one, "spec").get("nodeName") == node:
            left = ", ".join(map(str, list_at(metadata, "finalizers"))) or "none"
            yield f", where {label_of(one)} is to end (finalizers left: {left})"

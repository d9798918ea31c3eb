"""What other components wrote about a pod: facts with which an answer has to be compatible."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dradsl.values.plain import mapping_at, mappings_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.why.dump import Document, Dump

__all__ = ["PodObservations", "container_trouble", "observe"]

_DEFAULT_SCHEDULER = "default-scheduler"
_WARNINGS = ("FailedScheduling", "FailedResourceClaimCreation", "BindingConditionsPending")
_STARTING = ("", "ContainerCreating", "PodInitializing")
_NODES_APART = re.compile(
    r"Insufficient|taint|affinity/selector|node selector|unschedulable|Too many pods"
)
_DEVICES = re.compile(r"claim|device|DynamicResources|timed out|Insufficient \S+/")


@dataclass(frozen=True, slots=True)
class PodObservations:
    """What the dump shows about a pod without a node.

    `rejection` is the scheduler's newest reason, with which it rejected the pod; `scheduler` is
    `spec.schedulerName` where it is not kube-scheduler's own profile; `nominated` the node that the
    scheduler wants to use; `said` are all these words for a reader.
    """

    rejection: str = ""
    scheduler: str = ""
    nominated: str = ""
    said: tuple[str, ...] = ()

    def agree_with(self, step: str) -> bool:
        """Whether the scheduler's reason is of the kind of a step that looks at nodes.

        The words are those of kube-scheduler's plugins; what it says about preemption does not count.
        """
        words = self.rejection.partition(" preemption:")[0]
        pattern = {"filter": _NODES_APART, "allocation": _DEVICES, "class": _DEVICES}.get(step)
        return not words or pattern is None or pattern.search(words) is not None


def observe(dump: Dump, pod: Document) -> PodObservations:
    """The observations of a pod without a node."""
    rejection = ""
    for condition in mappings_at(pod, "status", "conditions"):
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            rejection = str(condition.get("message") or condition.get("reason") or "")
    events = dump.events(pod)
    said = [f"the scheduler: {rejection}"] if rejection else []
    news = [(one, text) for one, text in events if one in _WARNINGS and text != rejection]
    said += [f"event {reason}: {text}" for reason, text in news[:1]]
    said += [f"event {one}: {text}" for one, text in events if one == "NotTriggerScaleUp"][:1]
    failed = (text for reason, text in news if reason == "FailedScheduling")
    scheduler = str(mapping_at(pod, "spec").get("schedulerName") or _DEFAULT_SCHEDULER)
    nominated = str(mapping_at(pod, "status").get("nominatedNodeName") or "")
    if nominated:
        said.append(f"the scheduler: nominatedNodeName is {nominated}")
    return PodObservations(
        rejection or next(failed, ""),
        "" if scheduler == _DEFAULT_SCHEDULER else scheduler,
        nominated,
        tuple(said),
    )


def container_trouble(pod: Document) -> Iterator[str]:
    """What the kubelet reports of containers that wait or have failed."""
    for field in ("initContainerStatuses", "containerStatuses"):
        for status in mappings_at(pod, "status", field):
            name, ended = status.get("name"), mapping_at(status, "state", "terminated")
            waiting = mapping_at(status, "state", "waiting")
            if str(waiting.get("reason") or "") not in _STARTING:
                last = mapping_at(status, "lastState", "terminated")
                yield f"container {name}: {_words(waiting)}{f'; the last run: {_words(last)}' if last else ''}"
            elif ended.get("exitCode"):
                yield f"container {name}: {_words(ended)}"


def _words(state: object) -> str:
    given = mapping_at({"state": state}, "state")
    code = given.get("exitCode")
    words = [str(given[key]) for key in ("reason", "message") if given.get(key)]
    return ": ".join(words) + (f" (exit code {code})" if code is not None else "")

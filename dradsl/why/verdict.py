"""An answer that contradicts nothing of what the dump shows: the scheduler's words go before a guess."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dradsl.why.answer import Answer
from dradsl.why.observations import group_trouble, short_reason, volume_trouble

if TYPE_CHECKING:
    from dradsl.why.dump import Document, Dump
    from dradsl.why.observations import PodObservations
    from dradsl.why.world import RecordedCluster

__all__ = ["compatible", "doubt"]

_NODE = "no Node is in the dump: labels, taints, resources and other pods of nodes are not known"


def doubt(dump: Dump, kind: str) -> str:
    """Words for a kind of which the dump has no object, in front of what this would mean."""
    return (
        ""
        if dump.has(kind)
        else f"the dump has no {kind} at all, perhaps they were not dumped; otherwise "
    )


def compatible(
    world: RecordedCluster,
    document: Document,
    found: Answer,
    seen: PodObservations,
) -> Answer:
    """The answer for a pod that waits, by what dradsl found and what others wrote about the pod.

    Where the scheduler's reason is not what dradsl finds, it is the cause.
    """
    other = f"schedulerName is {seen.scheduler}: kube-scheduler looks at it only with a profile of this name"
    found = replace(found, details=(*((other,) if seen.scheduler else ()), *found.details))
    found = _of_the_dump(world, found, seen)
    vague = found.step in ("none", "unknown")
    if seen.rejection and (vague or not seen.agree_with(found.step, found.cause)):
        return _with_besides(_rejected(world, document, found, seen), seen)
    if found.step != "none":
        return _with_besides(found, seen)
    if groups := list(group_trouble(world.dump, document)):
        details = (f"by the rules of kube-scheduler {found.cause}", *found.details)
        return replace(found, step="rejected", cause=groups[0], details=details)
    if seen.scheduler:
        text = f"schedulerName is {seen.scheduler}, and it has no node"
        cause = f"{text}; by the rules of kube-scheduler {found.cause}"
        return replace(found, step="other-scheduler", cause=cause)
    if text := _besides(seen):
        details = (f"dradsl finds that {found.cause}", *found.details)
        return replace(found, step="rejected", cause=text, details=details)
    if not world.dump.has("Node"):
        return replace(found, step="unknown", cause=f"{_NODE}; {found.cause}")
    return replace(found, step="scheduler")


def _besides(seen: PodObservations) -> str:
    """What the scheduler or an autoscaler does for the pod."""
    if not seen.nominated:
        return seen.scaling
    return f"nominatedNodeName is {seen.nominated}: the scheduler waits there, as for pods that it preempts"


def _with_besides(found: Answer, seen: PodObservations) -> Answer:
    text = _besides(seen) if found.step in ("rejected", "filter", "allocation") else ""
    return replace(found, cause=f"{found.cause}; {text}") if text else found


def _of_the_dump(world: RecordedCluster, found: Answer, seen: PodObservations) -> Answer:
    """The answer that speaks of the nodes of the dump alone, where the scheduler counts more."""
    counted = re.match(r"0/(\d+) nodes", seen.rejection)
    there = len(world.simulation.cluster.inventory.nodes)
    if counted is None or int(counted[1]) <= there:
        return found
    cause = found.cause
    for words in ("the only node", "no node", f"none of {there} nodes"):
        cause = cause.replace(words, f"{words} of the dump")
    text = f"the scheduler counts {counted[1]} nodes, and the dump has {there}"
    return replace(found, cause=cause, details=(text, *found.details))


def _rejected(
    world: RecordedCluster,
    document: Document,
    found: Answer,
    seen: PodObservations,
) -> Answer:
    """The scheduler's reason, and beside it what dradsl finds."""
    kind = {"unknown": "not known", "none": ""}.get(found.step, "dradsl finds another reason")
    fits = f"by what dradsl simulates {found.cause}: it does not simulate the reason, or the reason no longer exists"
    own = f"{kind}: {found.cause}" if kind else fits
    apart = [] if world.dump.has("Node") else [_NODE]
    details = (*apart, *group_trouble(world.dump, document), own, *found.details)
    words = volume_trouble(world.dump, document) if "olume" in seen.rejection else ""
    cause = "; ".join(filter(None, (words, short_reason(seen.rejection))))
    return Answer("", "", "rejected", cause, details)

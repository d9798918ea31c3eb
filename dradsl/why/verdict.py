"""An answer that contradicts nothing of what the dump shows: the scheduler's words go before a guess."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from dradsl.releases import RELEASES, Features, get_release
from dradsl.simulate.extended import extended_resources
from dradsl.simulate.plugin.reserved import allocation_of
from dradsl.simulate.pod_claims import claims_of
from dradsl.simulate.pods import the_pod
from dradsl.values.counted import first_of
from dradsl.values.plain import mapping_at
from dradsl.why.answer import Answer
from dradsl.why.dropped import default_from
from dradsl.why.dump import key_of, label_of, spec_of, status_of
from dradsl.why.observed.controllers import about_groups, about_pod, groups_of
from dradsl.why.observed.pods import short_reason, volume_trouble
from dradsl.why.pinned import usable_on
from dradsl.why.world import build_world

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dradsl.releases import Release
    from dradsl.simulate.pods import Pod
    from dradsl.why.dump import Document, Dump
    from dradsl.why.observed.pods import PodObservations
    from dradsl.why.world import RecordedCluster

__all__ = ["compatible", "doubt"]

_GATE = "DRAExtendedResource"
_TRIED_OBJECTS = 2000
_VOLUME = "PersistentVolume "
_GROUP = 64  # pods of a group that are placed together
# What helps is to let these go on.
_AWAITED = re.compile(r"is to end|autoscaler waits|exceed limits|did not tol|no instance")
# Reasons of the scheduler that dradsl does not simulate: a change may have been tried on the wrong node.
_UNTRIED = re.compile(
    r"\d+ node\(s\) (didn't (match (PersistentVolume's|pod )|have free ports)|had volume )[^,.]+"
)
_OF_VOLUMES = re.compile(r"\d+ node\(s\) (didn't match PersistentVolume's|had volume )")
_NODE = "no Node is in the dump: labels, taints, resources and other pods of nodes are not known"


def doubt(dump: Dump, kind: str) -> str:
    """Words for a kind of which the dump has no object, in front of what this would mean."""
    text = f"the dump has no {kind} at all, perhaps they were not dumped; otherwise "
    return "" if dump.has(kind) else text


def compatible(
    world: RecordedCluster,
    document: Document,
    found: Answer,
    seen: PodObservations,
    place: Callable[[RecordedCluster, Pod], Answer],
) -> Answer:
    """The answer for a pod that waits, by what dradsl found and what others wrote about the pod.

    Where the scheduler's reason is not what dradsl finds, it is the cause. `place` then tries other
    feature gates and releases.
    """
    other = f"schedulerName is {seen.scheduler}: kube-scheduler looks at it only with a profile of this name"
    found = replace(found, details=(*((other,) if seen.scheduler else ()), *found.details))
    found = _of_the_dump(world, found, seen)
    vague = found.step in ("none", "unknown")
    if seen.rejection and (vague or not seen.agree_with(found.step, found.cause)):
        return _with_besides(_rejected(world, document, found, seen, place), seen)
    if found.step != "none":
        return _with_besides(found, seen)
    if groups := list((about_pod if seen.scheduler else about_groups)(world.dump, document)):
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
    said = short_reason(seen.rejection)
    said = _OF_VOLUMES.sub("", said) if found.cause.startswith(_VOLUME) else said
    beside = _UNTRIED.search(said) if found.step == "allocation" else None
    text = "; ".join(filter(None, (text, beside and f"besides, {beside[0]}")))
    ends = beside and found.change and "end pod " in found.change.text
    change = None if ends or _AWAITED.search(text) else found.change
    return replace(found, cause=f"{found.cause}; {text}", change=change) if text else found


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
    place: Callable[[RecordedCluster, Pod], Answer],
) -> Answer:
    """The scheduler's reason, and beside it what dradsl finds."""
    kind = {"unknown": "not known", "none": ""}.get(found.step, "dradsl finds another reason")
    fits = f"by what dradsl simulates {found.cause}: it does not simulate the reason, or the reason no longer exists"
    own = f"{kind}: {found.cause}" if kind else fits
    apart = [] if world.dump.has("Node") else [_NODE]
    details = (*apart, own, *found.details)
    words = volume_trouble(world.dump, document) if "olume" in seen.rejection else ""
    words = found.cause.partition("; ")[0] if found.cause.startswith(_VOLUME) else words
    bound = _bound(world, document) if "laim not available" in seen.rejection else ""
    group = next(about_groups(world.dump, document), "")
    offered = next(_offered(world, document, seen.rejection), "")
    rules = _UNTRIED.search(seen.rejection) if found.step == "none" and not bound else None
    some = re.search(r"fits on (\d+) of (?!\1 )", found.cause) if rules else None
    apart_from = f"apart from these rules {found.cause}" if some else ""
    together = _together(world, document) if found.step == "none" and not apart_from else ""
    said = (words, bound, short_reason(seen.rejection), apart_from, group, together, offered)
    cause = "; ".join(filter(None, said))
    answer = Answer("", "", "rejected", cause, details)
    if found.step != "none" or seen.scheduler or not seen.agree_with("allocation", found.cause):
        return answer
    explained = dict(_explained(world, document, place))
    if not explained:
        return answer
    first = next(iter(explained.values()))
    text = f"tried: with {' or '.join(explained)} dradsl finds it too: {first.cause}"
    return replace(
        answer,
        details=(*details, text, *first.details),
        change=first.change if len(explained) == 1 else None,
        holders=first.holders,
    )


def _together(world: RecordedCluster, document: Document) -> str:
    """How many pods of a pod's groups that wait fit one after the other, if it is not all of them."""
    own: set[object] = set(groups_of(document))
    pods = (p for p in world.dump.all("Pod") if own and not own.isdisjoint(groups_of(p)))
    pods = (one for one in pods if key_of(one)[0] == key_of(document)[0])
    alike = [one for one in pods if not mapping_at(one, "spec").get("nodeName")]
    if not 1 < len(alike) <= _GROUP:
        return ""
    features = world.simulation.features
    other = build_world(world.dump, alike, (), world.release, features, world.known_class)
    fit = sum(other.simulation.place(the_pod(one)).fits for one in other.asked.values())
    text = f"placed one after the other, {fit} of the {len(alike)} pods of its group that wait fit"
    return text if fit < len(other.asked) else ""


def _offered(world: RecordedCluster, document: Document, words: str) -> Iterator[str]:
    """That a class offers the extended resource of which the scheduler finds too little, if its gate is off by default."""
    gate = world.release.gates.get(_GATE)
    classes = {
        mapping_at(o, "spec").get("extendedResourceName"): o for o in world.dump.all("DeviceClass")
    }
    for name in () if gate and gate.default else extended_resources(spec_of(document)):
        if name in classes and f"Insufficient {name}" in words:
            yield f"{label_of(classes[name])} offers {name}, to a kube-scheduler with the feature gate {_GATE}, which is {default_from(_GATE)}"


def _bound(world: RecordedCluster, document: Document) -> str:
    """On which nodes alone an allocated claim of a pod can be used."""
    entries = claims_of(spec_of(document), *key_of(document), status_of(document))
    found = map(world.dump.claims.get, (entry.key for entry in entries))
    held = [one for one in found if one and allocation_of(one)]
    names = first_of(["/".join(key_of(one)) for one in held])
    nodes = first_of(usable_on(world, held)) or "no node of the dump"
    return f"its claim {names} is allocated on {nodes}" if held else ""


def _explained(
    world: RecordedCluster, document: Document, place: Callable[[RecordedCluster, Pod], Answer]
) -> Iterator[tuple[str, Answer]]:
    """The feature gates and neighbouring releases with which the devices stop the pod, each tried alone.

    Nothing is tried for a dump of more than 2,000 objects.
    """
    if sum(world.dump.counts.values()) > _TRIED_OBJECTS:
        return
    for label, release, features in _others(world):
        if label not in world.others:
            world.others[label] = build_world(
                world.dump, world.pending, (), release, features, world.known_class
            )
        workload = world.others[label].asked.get(key_of(document))
        answer = None if workload is None else place(world.others[label], the_pod(workload))
        if answer is not None and answer.step in ("allocation", "class"):
            yield label, answer


def _others(world: RecordedCluster) -> Iterator[tuple[str, Release, Features]]:
    release, enabled = world.release, world.simulation.features.enabled
    for name, gate in sorted(release.gates.items()):
        if name.startswith("DRA") and not gate.locked:
            label = f"{name}={str(name not in enabled).lower()}"
            yield label, release, Features(release.name, enabled ^ {name})
    names = list(RELEASES)
    place = names.index(release.name)
    for name in (*names[max(place - 1, 0) : place], *names[place + 1 : place + 2]):
        other = get_release(name)
        yield f"Kubernetes {name}", other, other.features()

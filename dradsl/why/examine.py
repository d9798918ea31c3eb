"""Answers for what is asked about: pods, claims, workloads, manifests."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from dradsl.simulate.extended import extended_resources
from dradsl.simulate.nodes.placement import NOT_CONSIDERED, why_not
from dradsl.simulate.pod_claims import claims_of
from dradsl.simulate.pods import count_of, expand
from dradsl.values.counted import first_of, plural
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import Answer
from dradsl.why.dump import (
    conditions_of,
    is_plugin,
    key_of,
    label_of,
    spec_of,
    status_of,
    words_of,
)
from dradsl.why.fixes import more_quota
from dradsl.why.holders import uses
from dradsl.why.lives import deletion_of, leftovers_of
from dradsl.why.observed.controllers import below, is_well, kueue_words, said_by, there_now
from dradsl.why.observed.operators import api_trouble, around
from dradsl.why.observed.plugins import left_out, no_node, not_created
from dradsl.why.pending.nodes import explain_placement
from dradsl.why.pending.pod import explain_pending
from dradsl.why.placed import explain_claim_devices, explain_deleted, explain_placed
from dradsl.why.target import KINDS, pods_of
from dradsl.why.verdict import doubt
from dradsl.why.world import build_world

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.why.dump import Document, Dump
    from dradsl.why.world import RecordedCluster

__all__ = ["examine", "examine_new", "is_waiting", "unknowns", "waiting_in"]

_PLACING = frozenset({"filter", "allocation", "class", "rejected", "scheduler", "other-scheduler"})
_OF_DEVICES = _PLACING - {"filter"}
_UNTOLD = ("none", "starting", "scheduler")
_SAID = frozenset({"claim-controller", "starting", "absent", "prepare"})
# Which steps cannot be told for sure where a kind was not dumped.
_MATTERS = (
    ("Pod", _PLACING, "pods: who uses claims, and what pods take of nodes, is not known"),
    ("ResourceClaim", _OF_DEVICES, "claims: which devices are in use is not known, if any are"),
    ("Node", _PLACING, "nodes: labels, taints, resources are not known: only devices are judged"),
    ("Event", _SAID, "events: what the claim controller, drivers and kubelets said is not known"),
    ("ResourceSlice", _OF_DEVICES, "slices: whether drivers publish devices is not known"),
    ("DeviceClass", _OF_DEVICES, "classes: those of known drivers are taken as they install them"),
)

_LOST = "the API server dropped them as the feature gate DynamicResourceAllocation was off, a webhook took them away, or the pod is older than the template"
_QUEUE = "kueue.x-k8s.io/queue-name"
_REJECTS = re.compile(r"FailedCreate|Error creating|forbidden|denied|is invalid|admission")
_PLACED = ("none", "allocation", "filter", "class")
_MATCHING = "insufficient matching devices"  # Kueue
# Upstream: conditions of Jobs (staging/src/k8s.io/api/batch/v1/types.go) and of ReplicaSets and Deployments (apps/v1)
_ENDS = {"Complete": "none", "SuccessCriteriaMet": "none", "Failed": "failed"}


def is_waiting(pod: Document) -> bool:
    """Whether a pod has no node yet, and still may get one."""
    phase = mapping_at(pod, "status").get("phase")
    return not mapping_at(pod, "spec").get("nodeName") and phase not in ("Succeeded", "Failed")


def has_claims(pod: Document, dump: Dump) -> bool:
    """Whether a pod asks for devices: by resource claims, or by extended resources of classes."""
    if mappings_at(pod, "spec", "resourceClaims"):
        return True
    offered = {
        str(mapping_at(one, "spec").get("extendedResourceName")) for one in dump.all("DeviceClass")
    }
    return not offered.isdisjoint(extended_resources(spec_of(pod)))


def waiting_in(dump: Dump, namespace: str) -> list[Document]:
    """The pods with claims that wait in a namespace, or in any."""
    pods = [one for one in dump.all("Pod") if namespace in ("", key_of(one)[0])]
    return [one for one in pods if is_waiting(one) and has_claims(one, dump)]


def examine(world: RecordedCluster, documents: Iterable[Document]) -> Iterator[Answer]:
    """The answers for objects of the dump."""
    for document in documents:
        kind = document.get("kind")
        if kind == "Pod":
            yield _of_pod(world, document)
        elif kind == "ResourceClaim":
            yield _of_claim(world, cast("ResourceClaimDict", document))
        else:
            yield from _of_workload(world, document)


def _of_pod(world: RecordedCluster, document: Document) -> Answer:
    metadata = mapping_at(document, "metadata")
    since = metadata.get("deletionTimestamp") or metadata.get("creationTimestamp")
    return replace(_of_its_state(world, document), since=str(since or ""))


def _of_its_state(world: RecordedCluster, document: Document) -> Answer:
    if mapping_at(document, "metadata").get("deletionTimestamp"):
        return explain_deleted(world, document)
    found = (explain_pending if is_waiting(document) else explain_placed)(world, document)
    found = _with_others(world.dump, document, found)
    lost = _lost_claims(world.dump, document) if found.step in _UNTOLD else ""
    return replace(found, step="claim", cause=lost) if lost else found


def _with_others(dump: Dump, document: Document, found: Answer) -> Answer:
    """The answer with what other objects tell of its cause; if what it misses is there by now, nothing is to be made."""
    found = replace(found, cause=f"{found.cause}{api_trouble(dump, found.cause)}")
    told = there_now(dump, document, found.cause)
    return replace(found, cause=f"{found.cause}{told}", change=None) if told else found


def _of_claim(world: RecordedCluster, claim: ResourceClaimDict) -> Answer:
    label, key = label_of(claim), key_of(claim)
    devices = tuple(explain_claim_devices(world, claim))
    if devices or mapping_at(claim, "status").get("allocation"):
        bad = [f"{use.name}: {one}" for use in devices for one in (*use.trouble, *use.taints)]
        gone = (use.name for use in devices if use.published is False)
        bad += [f"{name}: no slice publishes it any more" for name in gone]
        leftover = leftovers_of(claim, world.dump)
        if words := deletion_of(claim, world.dump):
            details = (*words[2:], *bad)
            return Answer(label, "allocated", "deleted", "; ".join(words[:2]), details, devices)
        if leftover:
            return Answer(
                label, "allocated", "leftover", leftover[0], (*leftover[1:], *bad), devices
            )
        if bad:
            return Answer(label, "allocated", "device", bad[0], tuple(bad[1:]), devices)
        return Answer(label, "allocated", "none", "it has its devices", (), devices)
    users = [
        pod
        for pod in world.dump.all("Pod")
        if any(one.key == key for one in claims_of(spec_of(pod), *key_of(pod), status_of(pod)))
    ]
    waiting = [pod for pod in users if is_waiting(pod)]
    if words := deletion_of(claim, world.dump):
        return Answer(label, "not allocated", "deleted", "; ".join(words[:2]), words[2:])
    if not waiting:
        text = "no pod that waits names it: a claim is allocated when a pod needs it"
        text = f"{doubt(world.dump, 'Pod')}{text}"
        return Answer(label, "not allocated", "unclaimed", text)
    found = _of_pod(world, waiting[0])
    more = tuple(label_of(pod) for pod in waiting[1:])
    cause = f"{label_of(waiting[0])} waits: {found.cause}"
    return replace(found, subject=label, state="not allocated", cause=cause, alike=more)


def _of_workload(world: RecordedCluster, document: Document) -> Iterator[Answer]:
    pods = list(pods_of(world.dump, document))
    label = label_of(document)
    groups: dict[tuple[str, str, tuple[str, ...]], tuple[Answer, list[str]]] = {}
    for pod in pods:
        found = _of_pod(world, pod)
        key = (found.step, found.cause if found.is_stopped else "", found.details)
        groups.setdefault(key, (found, []))[1].append(found.subject)
    for found, names in groups.values():
        one = (
            found.cause if found.is_stopped or len(names) == 1 else "nothing in the dump stops them"
        )
        yield replace(found, subject=f"{names[0]} of {label}", cause=one, alike=tuple(names[1:]))
    stopped = any(found.is_stopped for found, _ in groups.values())
    missing = _missing_pods(world, document, pods)
    if missing and not (stopped and missing.step == "controller"):  # it follows from the pods
        yield _with_others(world.dump, document, missing)


# Workloads without pods, and pods without what their template has


def _missing_pods(
    world: RecordedCluster, document: Document, pods: Sequence[Document]
) -> Answer | None:
    """What keeps a workload from having more pods than these; None if it has all, or nothing is known of it."""
    spec, status = mapping_at(document, "spec"), mapping_at(document, "status")
    is_known = document.get("kind") in KINDS.values()
    if not is_known and is_well(document):
        return None
    said = next(_not_created(world.dump, document), "")
    step = "api-server" if is_known or _REJECTS.search(said) else "controller"
    step = "quota" if "exceeded quota" in said else step
    change = more_quota(said, key_of(document)[0], world.dump)
    if said and not is_known:
        return Answer(label_of(document), "waits", step, said, change=change)
    counts = (spec.get("replicas"), spec.get("parallelism"), status.get("desiredNumberScheduled"))
    wanted = next((one for one in counts if isinstance(one, int)), 0)
    if pods and len(pods) >= wanted:
        return _left_out(world, document)
    state = f"has {len(pods)} of {wanted} pods" if pods else "without pods"
    if said:
        return Answer(label_of(document), state, step, said, change=change)
    if not pods:
        step, cause, *details = next(_without_pods(world, document))
        after = _once_admitted(world, document) if spec.get("suspend") else None
        if after is not None and after.step in _PLACED:
            details.append(f"once it is no longer suspended: {after.cause}")
            if _MATCHING in cause and after.step == "allocation":
                cause, change = f"{cause}; {after.cause}", after.change
        return Answer(label_of(document), state, step, cause, tuple(details), change=change)
    waits = [key_of(pod)[1] for pod in pods if _status(pod, "Ready") != "True"]
    parallel = spec.get("podManagementPolicy") == "Parallel"
    if document.get("kind") != "StatefulSet" or parallel or not waits:
        return None
    text = f"its pods are made in order: the next one waits until {first_of(waits)} is Ready"
    return Answer(label_of(document), state, "absent", text)


def _left_out(world: RecordedCluster, document: Document) -> Answer | None:
    """That a DaemonSet of a plugin has no pod on nodes with a taint; those of the control plane are not meant."""
    label = label_of(document)
    some = left_out(document, world.simulation) if is_plugin(document) else {}
    for reason, names in some.items():
        if reason.startswith("node taint") and "node-role.kubernetes.io/" not in reason:
            where = f"has no pod on {first_of(names)}"
            return Answer(label, where, "filter", f"{label}: it {where}: {reason}")
    return None


def _once_admitted(world: RecordedCluster, document: Document) -> Answer | None:
    """What the scheduler would say to the pods of a suspended workload."""
    spec = mapping_at(document, "spec", "template", "spec")
    head = dict(zip(("namespace", "name"), key_of(document), strict=True))
    pod: Document = {"apiVersion": "v1", "kind": "Pod", "metadata": head, "spec": spec}
    features = world.simulation.features
    other = build_world(world.dump, (), [pod], world.release, features, world.known_class)
    return next((one for one in examine_new(other) if one.step != "api-server"), None)


def _status(document: Document, condition: str) -> object:
    return conditions_of(document).get(condition, {}).get("status")


def _not_created(dump: Dump, document: Document) -> Iterator[str]:
    """Why the API server rejects its pods: of events, the newest first, then of conditions; then what else is said."""
    yield from not_created(dump, document)
    for one in below(dump, document):
        yield from said_by(dump, one) if one.get("kind") not in KINDS.values() else ()


def _without_pods(world: RecordedCluster, document: Document) -> Iterator[tuple[str, ...]]:
    """Why a workload has no pods, the likeliest first: step, cause and details."""
    spec, is_job = mapping_at(document, "spec"), document.get("kind") == "Job"
    for kind, step in _ENDS.items() if is_job else ():
        if _status(document, kind) == "True":
            text = words_of(conditions_of(document)[kind])
            yield step, f"it has ended ({kind}{f': {text}' if text else ''})"
    if spec.get("suspend"):
        cause, details = kueue_words(world.dump, document)
        queue = mapping_at(document, "metadata", "labels").get(_QUEUE)
        if cause.startswith("no Workload"):
            more = f"; it is for queue {queue} of Kueue, and the dump has no Workload for it"
            yield "kueue" if queue else "gate", f"spec.suspend is true{more if queue else ''}"
        yield "kueue", cause, *details
    for field in ("replicas", "parallelism", "completions"):
        if spec.get(field) == 0:
            yield "absent", f"it wants no pods: spec.{field} is 0"
    template = cast("PodSpecDict", mapping_at(spec, "template", "spec"))
    nodes, usage = world.simulation.cluster.inventory.nodes, world.simulation.usage
    counted = mapping_at(document, "status").get("desiredNumberScheduled")
    alone = nodes and all(why_not(template, node, usage, {}) for node in nodes)
    if document.get("kind") == "DaemonSet" and alone and not counted:
        text = f"its controller {no_node(document, world.simulation)}"
        behind = around(world.dump, text, simulation=world.simulation)
        yield "filter", "; ".join((text, *behind))
    if spec.get("paused"):
        yield "absent", "its rollout is paused (spec.paused)"
    yield "absent", "the dump has no pod of it, and no event or condition is known that says why"


def _lost_claims(dump: Dump, pod: Document) -> str:
    """That a pod has no claims though its controller's template has some; empty if it is not so."""
    above = mappings_at(pod, "metadata", "ownerReferences")
    owners = [one for one in above if one.get("controller")]
    for owner in owners if not mappings_at(pod, "spec", "resourceClaims") else ():
        found = dump.get(str(owner.get("kind")), (key_of(pod)[0], str(owner.get("name")))) or {}
        if mappings_at(found, "spec", "template", "spec", "resourceClaims"):
            return (
                f"the pod has no resourceClaims, and the template of {label_of(found)} has: {_LOST}"
            )
    return ""


def examine_new(world: RecordedCluster) -> Iterator[Answer]:
    """The answers for manifests that no cluster has seen."""
    waiting = {key_of(pod)[1] for pod in world.pending}
    for subject, text in world.rejected:
        if subject.rpartition(" ")[2].rpartition("/")[2] not in waiting:
            yield Answer(subject, "not created", "api-server", text)
    for rule in world.rules:
        yield _of_rule(world, rule)
    for workload in world.new:
        count = count_of(workload)
        pod = next(expand(workload, 1), None) if count else None
        if pod is None:
            continue
        found = explain_placement(world, pod)
        others = f"the other {count - 1} were not looked at: see dradsl simulate"
        details = (*found.details, *([others] if count > 1 else ()))
        yield replace(found, subject=workload.label, state="not created", details=details)


def _of_rule(world: RecordedCluster, rule: Document) -> Answer:
    """What a DeviceTaintRule would do: the devices that it taints, and the pods that it would end."""
    taint = mapping_at(rule, "spec", "taint")
    value = f"={taint['value']}" if taint.get("value") else ""
    text = f"{taint.get('key')}{value}:{taint.get('effect')}"
    hit = [
        use for use in uses(world.dump, world.simulation.cluster.inventory) if text in use.taints
    ]
    pods = list(dict.fromkeys(pod for use in hit for pod in use.pods))
    subject = f"DeviceTaintRule {key_of(rule)[1]}"
    if not hit:
        return Answer(subject, "not created", "none", f"no claim holds a device that gets {text}")
    if taint.get("effect") == "NoExecute":
        cause = f"it would end {plural(len(pods), 'pod')}: {', '.join(pods[:8])}{', …' if len(pods) > 8 else ''}"
        return Answer(subject, "not created", "taint", cause, (), tuple(hit))
    cause = f"{plural(len(hit), 'device')} in use: {text} does not evict the {plural(len(pods), 'pod')} there"
    return Answer(subject, "not created", "none", cause, (), tuple(hit))


def unknowns(world: RecordedCluster, steps: Collection[str]) -> tuple[str, ...]:
    """What cannot be known from the dump, as far as it matters to answers of these steps."""
    dump = world.dump
    ignored = tuple(
        note.text for note in world.simulation.cluster.notes if note.subject == "DeviceTaintRule"
    )
    absent = tuple(
        text for kind, of, text in _MATTERS if not of.isdisjoint(steps) and not dump.has(kind)
    )
    apart = f"not considered: {NOT_CONSIDERED}; logs of drivers, kubelets and controllers"
    open_ones = {"rejected", "scheduler", "other-scheduler", "unknown"}
    return (
        *dump.unread[:3],
        *dump.hidden,
        *ignored,
        *absent,
        *([apart] if not open_ones.isdisjoint(steps) else ()),
    )

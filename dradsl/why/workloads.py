"""What stops a workload whose pods are not there, what Kueue says of it, and pods that lack what their template has."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from dradsl.simulate.nodes.placement import why_not
from dradsl.values.counted import first_of
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import Answer
from dradsl.why.dump import conditions_of, key_of, label_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.why.dump import Document, Dump
    from dradsl.why.world import RecordedCluster

__all__ = ["kueue_words", "lost_claims", "missing_pods"]

_LOST = (
    "the API server dropped them as the feature gate DynamicResourceAllocation was off, a webhook took them away, or "
    "the pod is older than the template"
)
_QUEUE = "kueue.x-k8s.io/queue-name"
# Upstream: conditions of Jobs (staging/src/k8s.io/api/batch/v1/types.go) and of ReplicaSets and Deployments (apps/v1)
_ENDS = {"Complete": "none", "SuccessCriteriaMet": "none", "Failed": "failed"}


def missing_pods(
    world: RecordedCluster, document: Document, pods: Sequence[Document]
) -> Answer | None:
    """What keeps a workload from having more pods than these; None if it has all, or nothing is known of it."""
    spec, status = mapping_at(document, "spec"), mapping_at(document, "status")
    counts = (spec.get("replicas"), spec.get("parallelism"), status.get("desiredNumberScheduled"))
    wanted = next((one for one in counts if isinstance(one, int)), 0)
    if pods and len(pods) >= wanted:
        return None
    state = f"has {len(pods)} of {wanted} pods" if pods else "without pods"
    for text in _not_created(world.dump, document):
        step = "quota" if "exceeded quota" in text else "api-server"
        return Answer(label_of(document), state, step, text)
    if not pods:
        step, cause, *details = next(_without_pods(world, document))
        return Answer(label_of(document), state, step, cause, tuple(details))
    waits = [key_of(pod)[1] for pod in pods if _status(pod, "Ready") != "True"]
    parallel = spec.get("podManagementPolicy") == "Parallel"
    if document.get("kind") != "StatefulSet" or parallel or not waits:
        return None
    text = f"its pods are made in order: the next one waits until {first_of(waits)} is Ready"
    return Answer(label_of(document), state, "absent", text)


def _status(document: Document, condition: str) -> object:
    return conditions_of(document).get(condition, {}).get("status")


def _not_created(dump: Dump, document: Document) -> Iterator[str]:
    """Why the API server rejects its pods: of events, the newest first, then of conditions."""
    both = [document, *(one for one in dump.owned_by(document) if one.get("kind") == "ReplicaSet")]
    for one in both:
        yield from (text for reason, text in dump.events(one) if reason == "FailedCreate")
    for one in both:
        if _status(one, "ReplicaFailure") == "True":
            yield str(conditions_of(one)["ReplicaFailure"].get("message"))


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
    said: dict[str | None, list[str]] = {}
    template = cast("PodSpecDict", mapping_at(spec, "template", "spec"))
    for node in world.simulation.cluster.inventory.nodes:
        reason = why_not(template, node, world.simulation.usage, {})
        said.setdefault(reason and reason.rstrip("."), []).append(node.name)
    if document.get("kind") == "DaemonSet" and said and None not in said:
        texts = "; ".join(f"{reason} ({first_of(names)})" for reason, names in said.items())
        yield "filter", f"its controller makes pods for no node: {texts}"
    if spec.get("paused"):
        yield "absent", "its rollout is paused (spec.paused)"
    yield "absent", "the dump has no pod of it, and no event or condition that says why"


def lost_claims(dump: Dump, pod: Document) -> str:
    """That a pod has no claims though its controller's template has some; empty if it is not so."""
    owners = [
        one for one in mappings_at(pod, "metadata", "ownerReferences") if one.get("controller")
    ]
    for owner in owners if not mappings_at(pod, "spec", "resourceClaims") else ():
        found = dump.get(str(owner.get("kind")), (key_of(pod)[0], str(owner.get("name")))) or {}
        if mappings_at(found, "spec", "template", "spec", "resourceClaims"):
            return (
                f"the pod has no resourceClaims, and the template of {label_of(found)} has: {_LOST}"
            )
    return ""


def kueue_words(dump: Dump, document: Document) -> tuple[str, tuple[str, ...]]:
    """What Kueue's Workload of a pod or job says."""
    owners = [
        dump.get(str(owner.get("kind")), (key_of(document)[0], str(owner.get("name"))))
        for owner in mappings_at(document, "metadata", "ownerReferences")
    ]
    owned = [
        one
        for owner in (document, *owners)
        for one in dump.owned_by(owner or {})
        if one.get("kind") == "Workload" and str(one.get("apiVersion")).startswith("kueue")
    ]
    if not owned:
        return "no Workload of Kueue belongs to it in the dump", ()
    workload = owned[0]
    conditions = conditions_of(workload)
    name = "Workload {}".format("/".join(key_of(workload)))
    queue = mapping_at(workload, "spec").get("queueName") or "(no queue)"
    if mapping_at(workload, "spec").get("active") is False:
        return f"{name} is not active (spec.active: false)", ()
    true = {kind for kind, one in conditions.items() if one.get("status") == "True"}
    reserved, checks = "QuotaReserved" in true, _checks(workload)
    # A Workload that is not requeued is not looked at: what QuotaReserved says of it is older.
    for kind in ("Evicted", "Requeued", "QuotaReserved"):
        bad = kind in conditions and (kind in true) == (kind == "Evicted")
        if bad and (kind != "Evicted" or not reserved):
            waits = "is not looked at (Requeued is False)" if kind == "Requeued" else "waits"
            return f"{name} in queue {queue} {waits}: {words_of(conditions[kind])}", checks
    if "Admitted" in true:
        return f"{name} is admitted; Kueue takes the gate away next", ()
    if reserved:
        return f"{name} in queue {queue} has its quota and waits for admission checks", checks
    return f"{name} in queue {queue} was not looked at yet", ()


def _checks(workload: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(
        f"admission check {one.get('name')}: {one.get('state')}: {one.get('message')}"
        for one in mappings_at(workload, "status", "admissionChecks")
        if one.get("state") != "Ready"
    )

"""What stops a workload whose pods are not there, and pods that lack what their template has."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from dradsl.simulate.nodes.placement import why_not
from dradsl.values.counted import first_of
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.answer import Answer
from dradsl.why.dump import key_of, label_of
from dradsl.why.kueue import kueue_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.why.dump import Document, Dump
    from dradsl.why.world import RecordedCluster

__all__ = ["lost_claims", "missing_pods", "without_pods"]

_QUEUE = "kueue.x-k8s.io/queue-name"
# Upstream: conditions of Jobs (staging/src/k8s.io/api/batch/v1/types.go) and of ReplicaSets and Deployments (apps/v1)
_ENDS = {"Complete": "none", "SuccessCriteriaMet": "none", "Failed": "failed"}


def without_pods(world: RecordedCluster, document: Document) -> Answer:
    """The answer for a workload without pods: what its controller says, that it has ended, or that it wants none."""
    label, dump, spec = label_of(document), world.dump, mapping_at(document, "spec")
    if texts := list(_not_created(dump, document)):
        step = "quota" if "exceeded quota" in texts[0] else "api-server"
        return Answer(label, "without pods", step, texts[0])
    for one in mappings_at(document, "status", "conditions"):
        step = _ENDS.get(str(one.get("type")), "")
        if step and one.get("status") == "True" and document.get("kind") == "Job":
            words = [str(one[key]) for key in ("reason", "message") if one.get(key)]
            return Answer(label, "has ended", step, ": ".join((str(one["type"]), *words)))
    if spec.get("suspend"):
        cause, details = kueue_words(world.dump, document)
        queue = mapping_at(document, "metadata", "labels").get(_QUEUE)
        if cause.startswith("no Workload"):
            more = f"; it is for queue {queue} of Kueue, and the dump has no Workload for it"
            cause = f"spec.suspend is true{more if queue else ''}"
            return Answer(label, "suspended", "kueue" if queue else "gate", cause)
        return Answer(label, "suspended", "kueue", cause, details)
    for field in ("replicas", "parallelism", "completions"):
        if spec.get(field) == 0:
            return Answer(label, "without pods", "absent", f"it wants no pods: spec.{field} is 0")
    if said := list(_of_nodes(world, document)):
        text = f"its controller makes pods for no node: {'; '.join(said)}"
        return Answer(label, "without pods", "filter", text)
    if spec.get("paused"):
        return Answer(label, "without pods", "absent", "its rollout is paused (spec.paused)")
    text = "the dump has no pod of it, and no event or condition that says why"
    return Answer(label, "without pods", "absent", text)


def _not_created(dump: Dump, document: Document) -> Iterator[str]:
    """Why the API server rejects its pods: of events, the newest first, then of conditions."""
    owned = [one for one in dump.owned_by(document) if one.get("kind") == "ReplicaSet"]
    for one in (document, *owned):
        yield from (text for reason, text in dump.events(one) if reason == "FailedCreate")
    for one in (document, *owned):
        for condition in mappings_at(one, "status", "conditions"):
            if condition.get("type") == "ReplicaFailure" and condition.get("status") == "True":
                yield str(condition.get("message") or condition.get("reason"))


def _of_nodes(world: RecordedCluster, document: Document) -> Iterator[str]:
    """Why a DaemonSet's pods belong on no node, each reason once with its nodes."""
    wanted = mapping_at(document, "status").get("desiredNumberScheduled")
    if document.get("kind") != "DaemonSet" or wanted:
        return
    spec = cast("PodSpecDict", mapping_at(document, "spec", "template", "spec"))
    said: dict[str, list[str]] = {}
    for node in world.simulation.cluster.inventory.nodes:
        reason = why_not(spec, node, world.simulation.usage, {})
        if reason is None:
            return
        said.setdefault(reason, []).append(node.name)
    yield from (f"{reason.rstrip('.')} ({first_of(names)})" for reason, names in said.items())


def missing_pods(
    world: RecordedCluster, document: Document, pods: Sequence[Document]
) -> Answer | None:
    """What keeps a workload from having more pods than these; None if it has all, or nothing is known of it."""
    spec, status = mapping_at(document, "spec"), mapping_at(document, "status")
    counts = (spec.get("replicas"), spec.get("parallelism"), status.get("desiredNumberScheduled"))
    wanted = next((one for one in counts if isinstance(one, int)), 0)
    if len(pods) >= wanted:
        return None
    state = f"has {len(pods)} of {wanted} pods"
    if texts := list(_not_created(world.dump, document)):
        step = "quota" if "exceeded quota" in texts[0] else "api-server"
        return Answer(label_of(document), state, step, texts[0])
    if document.get("kind") == "StatefulSet" and spec.get("podManagementPolicy") != "Parallel":
        waits = [key_of(pod)[1] for pod in pods if not _is_ready(pod)]
        text = f"its pods are made in order: the next one waits until {first_of(waits)} is Ready"
        return Answer(label_of(document), state, "absent", text) if waits else None
    return None


def _is_ready(pod: Document) -> bool:
    return any(
        one.get("type") == "Ready" and one.get("status") == "True"
        for one in mappings_at(pod, "status", "conditions")
    )


def lost_claims(dump: Dump, pod: Document) -> str:
    """That a pod has no claims though its controller's template has some; empty if it is not so."""
    if mappings_at(pod, "spec", "resourceClaims"):
        return ""
    for owner in mappings_at(pod, "metadata", "ownerReferences"):
        found = dump.get(str(owner.get("kind")), (key_of(pod)[0], str(owner.get("name"))))
        template = mapping_at(found, "spec", "template", "spec")
        if owner.get("controller") and mappings_at(template, "resourceClaims"):
            return (
                f"the pod has no resourceClaims, and the template of {label_of(found or {})} has: the API server "
                "dropped them as the feature gate DynamicResourceAllocation was off, a webhook took them away, or "
                "the pod is older than the template"
            )
    return ""

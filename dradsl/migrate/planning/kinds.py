"""Kinds that keep claims in their pod templates, kinds that may not, and what else counts a request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dradsl.migrate.mapping.kind_table import row_of
from dradsl.migrate.mapping.resource import Rejection

if TYPE_CHECKING:
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.kind_table import KindRow
    from dradsl.migrate.mapping.questions import Decisions
    from dradsl.migrate.places import PodAt

__all__ = ["BY_CLASS", "kind_notes", "kind_obstacle"]

_BUILT_IN = frozenset({"", "apps", "batch"})
# Their pod specs are immutable (k8s.io/kubernetes pkg/apis/{core,batch}/validation).
_NEVER_CHANGED = frozenset({("", "Pod"), ("batch", "Job")})
# KServe's LLMInferenceService (kserve pkg/controller/v1alpha2/llmisvc/managed_dra.go @ aaac4e29).
_MANAGED = "serving.kserve.io/exp-dra-"
# llm-d-incubation/llm-d-fast-model-actuation pkg/controller/dual-pods/inference-server.go @ 553c7b7; the first is its
# older name.
_COPIED = tuple(
    f"{domain}/{name}"
    for domain in ("dual-pod.llm-d.ai", "dual-pods.llm-d.ai")
    for name in ("server-patch", "inference-server-config")
)
_QUEUE_LABEL = "kueue.x-k8s.io/queue-name"


def kind_obstacle(pod: PodAt, decisions: Decisions, evidence: Evidence) -> Rejection | None:
    """Why claims in this kind may be lost: a CRD without the field drops it silently."""
    manifest = pod.manifest
    copied = next((key for key in _COPIED if key in pod.annotations), None)
    if copied is not None:
        return Rejection(
            f"annotation {copied} makes llm-d's dual-pods controller copy this pod: it takes nvidia.com/gpu out of "
            "the copy, but no claims, so both would get devices of their own",
            routes=BY_CLASS,
        )
    managed = next((key for key in pod.annotations if key.startswith(_MANAGED)), None)
    if managed is not None and decisions.existing_claims is None:
        return Rejection(
            f"annotation {managed} makes KServe write a claim of its own for this service: both would "
            "be allocated",
            "existing-claims",
        )
    if not manifest.api_version or pod.set_values or pod.spec.get("resourceClaims"):
        return None  # an object that has claims already keeps them
    name = f"{manifest.kind}.{manifest.group}"
    if name in decisions.accept:
        return None
    if manifest.kind.startswith("Cluster") and manifest.namespace is None:
        return Rejection(
            f"a {manifest.kind} has no namespace: its pods run where it is used, and the claim "
            "template must be in each of these namespaces",
            "accept",
            name,
        )
    seen = evidence.seen_kind(manifest.group, manifest.kind, manifest.path)
    row = row_of(manifest.group, manifest.kind)
    if seen is not None and not seen.keeps:
        return Rejection(
            f"the CRD of {manifest.kind} in {seen.place} has no resourceClaims in its pods: claims are dropped "
            "silently, and the pods run without devices",
            routes=BY_CLASS,
        )
    if seen is not None or (row is not None and row.verdict == "keeps"):
        return None
    if row is not None and row.verdict != "varies":
        return Rejection(_lost(manifest.kind, row), routes=BY_CLASS)
    why = f" ({row.why})" if row is not None else ""
    return Rejection(
        f"whether the CRD of {manifest.kind} ({manifest.api_version}) keeps resourceClaims is not "
        f"known{why}: one without the field drops it silently, and the pods run without devices",
        "accept",
        name,
    )


BY_CLASS = ("--set strategy=extended-resource keeps the request and lets a DeviceClass answer it",)


def _lost(kind: str, row: KindRow) -> str:
    why = f" ({row.why})" if row.why else ""
    if row.verdict == "rejects":
        return f"a {kind} with resourceClaims is rejected{why}"
    return f"a {kind} drops resourceClaims silently{why}: its pods would run without devices"


def kind_notes(pod: PodAt) -> Iterator[str]:
    """What else counts the request that is removed, by kind and labels."""
    manifest = pod.manifest
    if (
        manifest.kind.startswith("values of ")
        and not pod.chart_writes_template
        and pod.objects is None
    ):
        yield "the new object must come to the cluster and the namespace of the chart's pods"
    if (manifest.group, manifest.kind) in _NEVER_CHANGED:
        yield f"a {manifest.kind} that runs cannot be changed: delete it and create it again"
    if manifest.kind.startswith("Cluster") and manifest.namespace is None:
        yield "apply the claim template in every namespace where pods of this run"
    if manifest.api_version and manifest.group not in _BUILT_IN and not pod.set_values:
        row = row_of(manifest.group, manifest.kind)
        if row is not None and row.since:
            yield f"{manifest.kind} keeps resourceClaims since {row.since}: before, they are dropped silently"
        elif row is None or row.verdict == "varies":
            yield (
                f"the CRD of {manifest.kind} must hold resourceClaims: an old one drops the field "
                "silently"
            )
    if pod.spec.get("schedulerName") == "volcano" or manifest.group == "batch.volcano.sh":
        yield "Volcano's queues and gangs count the extended resource, not the claim"
    metadata = manifest.data.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    if isinstance(labels, Mapping) and _QUEUE_LABEL in labels:
        yield "Kueue counts the claim only with deviceClassMappings for its class"
    if pod.spec.get("priorityClassName"):
        yield "pods are not preempted to free devices of claims, whatever their priority"

"""Claims and pods that are created one after the other, as the quotas of their namespace let them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dradsl.kube.quota import (
    CLAIM_COUNT,
    IMPLICIT,
    PER_CLASS,
    REQUESTS,
    charges,
    counts_claim_key,
    counts_extended,
    extended_usage,
    pod_usage,
)
from dradsl.releases import validation_of
from dradsl.values.quantity import Quantity
from tests.replay.protocol import Answer, Question, QuestionError, gates_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.kube.quota import Usage
    from dradsl.releases import Release
    from dradsl.values.json_types import JsonMapping

__all__ = ["answer_quota"]

_EXTENDED_CLAIM = "resource.kubernetes.io/extended-resource-claim"


@dataclass(slots=True)
class _Quota:
    name: str
    hard: Mapping[str, Quantity]
    used: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Namespace:
    """What the evaluators see: classes, and what was created so far."""

    extended: bool
    carried: Mapping[str, str | None]
    pods: dict[str, JsonMapping] = field(default_factory=dict)
    usage_of_pods: dict[str, Usage] = field(default_factory=dict)
    claims: list[JsonMapping] = field(default_factory=list)


def answer_quota(question: Question, release: Release) -> list[Answer]:
    """For each object as how much it counts, and the rejection if a quota is exceeded."""
    extended = counts_extended(release, gates_of(question, release, locked=True))
    classes = question.get("classes") or ()
    carried = {
        one["metadata"]["name"]: (one.get("spec") or {}).get("extendedResourceName")
        for one in classes
    }
    namespace = _Namespace(extended, carried)
    quotas = [
        _Quota(
            one["metadata"]["name"],
            {key: Quantity.decode(amount) for key, amount in one["spec"]["hard"].items()},
        )
        for one in question.get("quotas") or ()
    ]
    return [
        _create(document, quotas, namespace, release, defaulted=bool(question.get("default")))
        for document in question["objects"]
    ]


def _create(
    document: JsonMapping,
    quotas: list[_Quota],
    namespace: _Namespace,
    release: Release,
    *,
    defaulted: bool,
) -> Answer:
    kind = document.get("kind")
    if kind == "Pod":
        usage = _of_pod(document, release, defaulted=defaulted)
        resource = "pods"
    elif kind == "ResourceClaim":
        usage = _of_claim(_as_v1(document, defaulted=defaulted), namespace, release)
        resource = "resourceclaims.resource.k8s.io"
    else:
        raise QuestionError(f"no evaluator for {kind}")
    answer: Answer = {"usage": {key: _shown(number) for key, number in usage.items()}}
    name = document["metadata"]["name"]
    near = [quota for quota in quotas if _counts(quota, kind, namespace, release)]
    for quota in near:
        why = _exceeded(quota, usage)
        if why:
            return answer | {"refused": f'{resource} "{name}" is forbidden: {why}'}
    for quota in near:
        for key, number in usage.items():
            quota.used[key] = quota.used.get(key, 0) + number
    if kind == "Pod":
        namespace.pods[name], namespace.usage_of_pods[name] = document, usage
    else:
        namespace.claims.append(document)
    return answer


def _counts(quota: _Quota, kind: str, namespace: _Namespace, release: Release) -> bool:
    """Whether a quota has a key that counts objects of a kind: then all its keys do."""
    implicit = validation_of(release.name).quota_counts_extended
    if kind == "Pod":
        return any(_counts_pods(key, implicit=implicit) for key in quota.hard)
    if not namespace.extended:
        return any(key == CLAIM_COUNT or key.endswith(PER_CLASS) for key in quota.hard)
    carried = {name for name in namespace.carried.values() if name}
    return any(counts_claim_key(key, carried, namespace.carried.__contains__) for key in quota.hard)


# Upstream: podEvaluator.MatchingResources, isExtendedResourceNameForQuota (pkg/quota/v1/evaluator/core/pods.go)
def _counts_pods(key: str, *, implicit: bool) -> bool:
    """Whether a quota with this key counts what pods request of an extended resource."""
    if key.startswith(IMPLICIT):
        return implicit
    return key.startswith(REQUESTS) and "/" in key and "kubernetes.io/" not in key


# Upstream: CheckRequest (apiserver/pkg/admission/plugin/resourcequota/controller.go)
def _exceeded(quota: _Quota, usage: Usage) -> str:
    asked = {key: number for key, number in usage.items() if key in quota.hard and number}
    beyond = sorted(
        key
        for key, number in asked.items()
        if Quantity.from_int(quota.used.get(key, 0) + number) > quota.hard[key]
    )
    if not beyond:
        return ""
    requested = ",".join(f"{key}={_shown(asked[key])}" for key in beyond)
    used = ",".join(f"{key}={_shown(quota.used.get(key, 0))}" for key in beyond)
    limited = ",".join(f"{key}={quota.hard[key]}" for key in beyond)
    return f"exceeded quota: {quota.name}, requested: {requested}, used: {used}, limited: {limited}"


def _shown(number: int) -> str:
    return str(Quantity.from_int(number))


def _as_v1(claim: Mapping[str, object], *, defaulted: bool) -> Mapping[str, object]:
    from dradsl.kube.fields.conversion import to_v1
    from dradsl.kube.fields.defaulting import default

    return to_v1(default(dict(claim)) if defaulted else dict(claim))


def _of_claim(claim: JsonMapping, namespace: _Namespace, release: Release) -> dict[str, int]:
    by_class = {name: charge.number for name, charge in charges(claim["spec"]).items()}
    usage = {CLAIM_COUNT: 1, **{f"{name}{PER_CLASS}": number for name, number in by_class.items()}}
    if namespace.extended:
        of_pod = _counted_already(claim, namespace, release)
        usage |= extended_usage(by_class, namespace.carried.get, of_pod)
    return usage


# Upstream: claimEvaluator.getVerifiedPodUsage (pkg/quota/v1/evaluator/core/resource_claims.go)
def _counted_already(claim: JsonMapping, namespace: _Namespace, release: Release) -> Usage:
    """As how much the pod counts for whose extended resources a claim was made."""
    owner = _owner(claim)
    pod = namespace.pods.get(owner["name"]) if owner else None
    if owner is None or pod is None or pod["metadata"].get("uid", "") != owner["uid"]:
        return {}
    status = (pod.get("status") or {}).get("extendedResourceClaimStatus")
    name = claim["metadata"]["name"]
    if status is not None and status.get("resourceClaimName") != name:
        return {}
    if status is None and validation_of(release.name).quota_first_claim_only:
        # Without a status the first claim counts: all are equally old here, so the first by name.
        others = [one for one in namespace.claims if _owner(one) == owner]
        if any(one["metadata"]["name"] < name for one in others):
            return {}
    return namespace.usage_of_pods[pod["metadata"]["name"]]


def _owner(claim: JsonMapping) -> JsonMapping | None:
    metadata = claim["metadata"]
    if (metadata.get("annotations") or {}).get(_EXTENDED_CLAIM) != "true":
        return None
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller"):
            known = owner.get("kind") == "Pod" and owner.get("apiVersion") == "v1"
            return owner if known else None
    return None


def _of_pod(pod: JsonMapping, release: Release, *, defaulted: bool) -> dict[str, int]:
    implicit = validation_of(release.name).quota_counts_extended
    return pod_usage(pod["spec"], _whole, implicit=implicit, defaulted=defaulted)


def _whole(amount: object) -> int | None:
    return Quantity.decode(amount).value() if isinstance(amount, str | int | float) else None

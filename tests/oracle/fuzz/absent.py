"""What Go writes for no list and no map, null, put into made-up clusters wherever nothing stands; and
claims in states that the pods which name them do not expect."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["fill", "varied"]

Json = dict[str, Any]

_POD = ("containers", "initContainers", "resourceClaims", "tolerations", "volumes")
_CONTAINER = ("env", "ports", "resources")
_RESOURCES = ("claims", "limits", "requests")
_SLICE = ("devices", "sharedCounters", "nodeSelector")
_DEVICE = (
    "attributes",
    "bindingConditions",
    "bindingFailureConditions",
    "capacity",
    "consumesCounters",
    "taints",
)
_CLAIM = ("config", "constraints", "requests")
_ASK = ("selectors", "tolerations")
_STATUS = ("devices", "reservedFor")
_RESULT = ("bindingConditions", "bindingFailureConditions", "consumedCapacity", "tolerations")
_METADATA = ("annotations", "finalizers", "labels", "ownerReferences")
_TERM = ("matchExpressions", "matchFields")


def varied(questions: Iterable[Json]) -> Iterator[Json]:
    """The questions, every third of them with nulls, and some with claims that cannot be used."""
    for question in questions:
        rng = random.Random(f"absent {question['id']}")
        if rng.random() < 0.3:
            fill(rng, question)
        if "pods" in question and rng.random() < 0.25:
            _make_unusable(rng, question["claims"])
        yield question


def fill(rng: random.Random, question: Json) -> None:
    """Writes null for what a question lacks."""
    for key in ("pods", "running"):
        for pod in question.get(key) or ():
            _fill_pod(rng, pod)
    for one in question.get("slices") or ():
        _nulls(rng, one["spec"], _SLICE)
        for device in one["spec"].get("devices") or ():
            _nulls(rng, device, _DEVICE)
        _fill_terms(rng, one["spec"])
    for one in question.get("classes") or ():
        _nulls(rng, one["spec"], ("config", "selectors"))
    for claim in question.get("claims") or ():
        _fill_claim(rng, claim)


def _nulls(rng: random.Random, holder: Json, names: Iterable[str]) -> None:
    for name in names:
        if not holder.get(name) and rng.random() < 0.3:
            holder[name] = None


def _fill_pod(rng: random.Random, pod: Json) -> None:
    _nulls(rng, pod["metadata"], _METADATA)
    _nulls(rng, pod["spec"], _POD)
    for key in ("containers", "initContainers"):
        for container in pod["spec"].get(key) or ():
            _nulls(rng, container, _CONTAINER)
            if container.get("resources"):
                _nulls(rng, container["resources"], _RESOURCES)
    if rng.random() < 0.1:
        # Pods that ask for nothing but claims need no more than that.
        pod["spec"]["containers"] = None
    _nulls(rng, pod.setdefault("status", {}), ("conditions", "resourceClaimStatuses"))


def _fill_claim(rng: random.Random, claim: Json) -> None:
    _nulls(rng, claim["metadata"], _METADATA)
    devices = claim["spec"]["devices"]
    _nulls(rng, devices, _CLAIM)
    for request in devices.get("requests") or ():
        asks = [request.get("exactly"), *(request.get("firstAvailable") or ())]
        for ask in filter(None, asks):
            _nulls(rng, ask, _ASK)
    for constraint in devices.get("constraints") or ():
        _nulls(rng, constraint, ("requests",))
    status = claim.get("status")
    if not status:
        _nulls(rng, claim, ("status",))
        return
    _nulls(rng, status, _STATUS)
    allocation = status.get("allocation") or {}
    for result in (allocation.get("devices") or {}).get("results") or ():
        _nulls(rng, result, _RESULT)
    _fill_terms(rng, allocation)


def _fill_terms(rng: random.Random, holder: Json) -> None:
    for term in (holder.get("nodeSelector") or {}).get("nodeSelectorTerms") or ():
        _nulls(rng, term, _TERM)


def _make_unusable(rng: random.Random, claims: list[Json]) -> None:
    """One claim that is being deleted, or belongs to another pod, whoever names it."""
    if not claims:
        return
    metadata = rng.choice(claims)["metadata"]
    if rng.random() < 0.5:
        metadata |= {"deletionTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["x"]}
    else:
        owner = {"apiVersion": "v1", "kind": "Pod", "name": "stranger", "uid": "uid-stranger"}
        metadata["ownerReferences"] = [{**owner, "controller": rng.random() < 0.8}]

"""Pods that meet claims which are allocated already, in every state that the scheduler's plugin minds.

The clusters are those of `schedule`, with the themes that need the newest gates as well. Claims have
consumers, node selectors of all kinds, binding conditions met and unmet, and operations left out;
some are what an earlier attempt left over.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.oracle.fuzz import alloc, schedule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["generate"]

Json = dict[str, Any]

# What only `alloc` can be given is left out.
_THEMES = tuple(theme for theme in alloc.THEMES if theme not in ("state", "errors", "many"))
_NEWER_GATES = (
    "DRADerivedAttributes",
    "DRADeviceCompatibilityGroups",
    "DRAListTypeAttributes",
    "DRAOptionalNodeOperations",
    "DRAPrioritizedList",
)
_CONDITIONS = ("example.com/ready", "example.com/attached")
_FAILURES = ("example.com/failed",)
_LONG_AGO, _FAR_AWAY = "2020-01-01T00:00:00Z", "2120-01-01T00:00:00Z"
_CONSUMERS = 256  # as many as a claim can have


def generate(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `schedule` without end, about pools whose slices do not contradict."""
    while True:
        seed = rng.getrandbits(48)
        question = _question(random.Random(seed))
        if schedule.is_of_one_mind(question):
            yield {"id": f"reserved-{seed:x}", **question}


def _question(rng: random.Random) -> Json:
    question = schedule.question(rng, _THEMES)
    question["features"] = _features(rng, question["features"])
    for pod in question["pods"]:
        if rng.random() < 0.5:
            _add_entry(rng, pod, question["claims"])
    for claim in question["claims"]:
        if rng.random() < 0.35 and "status" not in claim:
            _allocate(rng, question["slices"], claim)
        if "status" in claim:
            _vary(rng, claim, question["nodes"])
    for pod in question["pods"]:
        if rng.random() < 0.06:
            question["claims"].append(_left_over(rng, pod, question["slices"]))
        elif rng.random() < 0.05:
            _break_request(rng, question["claims"])
    return question


def _features(rng: random.Random, features: object) -> object:
    if features == "defaults":
        return "all" if rng.random() < 0.3 else features
    chosen = dict(features) if isinstance(features, dict) else {}
    for gate in _NEWER_GATES:
        if rng.random() < 0.5:
            chosen[gate] = rng.random() < 0.7
    return chosen


def _add_entry(rng: random.Random, pod: Json, claims: list[Json]) -> None:
    """One more claim, so that allocated and pending ones meet in a pod."""
    entries = pod["spec"].setdefault("resourceClaims", [])
    named = {entry.get("resourceClaimName") for entry in entries}
    free = [c for c in claims if c["metadata"]["name"] not in named and not _is_owned(c)]
    if free:
        name = rng.choice(free)["metadata"]["name"]
        entries.append({"name": f"c{len(entries)}", "resourceClaimName": name})


def _is_owned(claim: Json) -> bool:
    return "ownerReferences" in claim["metadata"]


def _allocate(rng: random.Random, slices: list[Json], claim: Json) -> None:
    results = _results(rng, slices, claim)
    if results:
        claim["status"] = {"allocation": {"devices": {"results": results}}}


def _results(rng: random.Random, slices: list[Json], claim: Json) -> list[Json]:
    places = [(one, device) for one in slices for device in one["spec"].get("devices", ())]
    requests = claim["spec"]["devices"].get("requests") or [{"name": "r0"}]
    results = []
    for request in requests[: rng.choice((1, 1, 2))]:
        if not places:
            break
        one, device = places.pop(rng.randrange(len(places)))
        name = request["name"]
        if request.get("firstAvailable"):
            name += "/" + rng.choice(request["firstAvailable"])["name"]
        result = {"request": name, "driver": one["spec"]["driver"], "device": device["name"]}
        results.append(result | {"pool": one["spec"]["pool"]["name"]})
    return results


def _vary(rng: random.Random, claim: Json, nodes: list[Json]) -> None:
    status = claim["status"]
    allocation = status["allocation"]
    if rng.random() < 0.5:
        allocation["nodeSelector"] = {"nodeSelectorTerms": _terms(rng, nodes)}
    if rng.random() < 0.4:
        _conditions(rng, status)
    if rng.random() < 0.15:
        rng.choice(allocation["devices"]["results"])["skipNodeOperations"] = ["*"]
    if rng.random() < 0.15:
        count = rng.choice((1, _CONSUMERS - 1, _CONSUMERS, _CONSUMERS))
        consumers = [
            {"resource": "pods", "name": f"x{i}", "uid": f"uid-x{i}"} for i in range(count)
        ]
        if rng.random() < 0.3:
            consumers[-1] = {"resource": "pods", "name": "pod0", "uid": "uid-pod0"}
        status["reservedFor"] = consumers


def _terms(rng: random.Random, nodes: list[Json]) -> list[Json]:
    names = [node["metadata"]["name"] for node in nodes]
    by_name = {"key": "metadata.name", "operator": "In", "values": [rng.choice(names)]}
    label = {"key": "zone", "operator": rng.choice(("In", "NotIn")), "values": ["z0"]}
    larger = {"key": "size", "operator": "Gt", "values": ["4" if rng.random() < 0.8 else "many"]}
    roll = rng.random()
    if roll < 0.5:
        return [{"matchFields": [by_name]}]
    if roll < 0.7:
        return [{"matchExpressions": [label]}]
    if roll < 0.85:
        return [{"matchExpressions": [larger]}]
    return [{"matchExpressions": [label], "matchFields": [by_name]}, {"matchExpressions": [larger]}]


def _conditions(rng: random.Random, status: Json) -> None:
    """Binding conditions of the allocated devices, and what their drivers say of them."""
    allocation = status["allocation"]
    if rng.random() < 0.7:
        allocation["allocationTimestamp"] = rng.choice((_LONG_AGO, _FAR_AWAY))
    for result in allocation["devices"]["results"]:
        if rng.random() < 0.8:
            result["bindingConditions"] = list(_CONDITIONS[: rng.choice((1, 2))])
            result["bindingFailureConditions"] = list(_FAILURES)
        if rng.random() < 0.75:
            conditions = [
                {"type": name, "status": value, "reason": "X", "lastTransitionTime": _LONG_AGO}
                for name in (*_CONDITIONS, *_FAILURES)
                if (value := rng.choice(("True", "True", "False", "")))
                and (name not in _FAILURES or rng.random() < 0.3)
            ]
            device = {key: result[key] for key in ("driver", "pool", "device")}
            status.setdefault("devices", []).append({**device, "conditions": conditions})


def _left_over(rng: random.Random, pod: Json, slices: list[Json]) -> Json:
    """The claim that an attempt to schedule the pod's extended resources may have left."""
    name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
    owner = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, "controller": True}
    if rng.random() < 0.2:
        owner |= rng.choice(({"uid": "other"}, {"name": "other"}, {"controller": False}))
    claim: Json = {
        "metadata": {
            "name": f"{name}-extended-resources-x",
            "namespace": "default",
            "uid": f"uid-left-{name}",
            "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
            "ownerReferences": [owner],
        },
        "spec": {
            "devices": {
                "requests": [
                    {
                        "name": "container-0-request-0",
                        "exactly": {
                            "deviceClassName": rng.choice(("c0", "gone")),
                            "allocationMode": "ExactCount",
                            "count": 1,
                        },
                    }
                ]
            }
        },
    }
    if rng.random() < 0.5:
        _allocate(rng, slices, claim)
    return claim


def _break_request(rng: random.Random, claims: list[Json]) -> None:
    """A request of no known kind, or without a class: as an older release may have stored it."""
    requests = rng.choice(claims)["spec"]["devices"].get("requests")
    if not requests:
        return
    request = rng.choice(requests)
    if rng.random() < 0.5:
        request.pop("exactly", None)
        request.pop("firstAvailable", None)
    elif "exactly" in request:
        request["exactly"]["deviceClassName"] = rng.choice(("", "nowhere"))

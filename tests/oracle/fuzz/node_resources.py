"""Devices that take cpu, memory and other resources of their nodes (gate DRANodeAllocatableResources).

The clusters are those of `schedule`. Devices say what they take in the forms of all releases, nodes say
what they have, pods ask for some of it themselves, and some pods run already.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.oracle.fuzz import alloc, schedule

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["generate"]

Json = dict[str, Any]

_THEMES = tuple(
    theme
    for theme in alloc.THEMES
    if theme
    not in ("state", "errors", "many", "derived", "groups", "lists", "operations", "invalid")
)
_TAKEN = ("cpu", "cpu", "memory", "memory", "hugepages-2Mi", "hugepages-1Gi")
_NAMES = (*_TAKEN, "ephemeral-storage")
_SMALL = ("0", "1", "1", "2", "3", "500m", "0.25", "+1", "1500m", "3n")
_LARGE = ("1Gi", "512Mi", "2Gi", "1G", "1e9", "1073741824", "0", "1536Mi", "0.5Gi")
_FACTORS = ("1", "2", "0.5", "1500m", "3n", "1Ki", "1e3", "0")


def generate(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `schedule` without end."""
    while True:
        seed = rng.getrandbits(48)
        question = _question(random.Random(seed))
        if not _left_to_chance(question["slices"]):
            yield {"id": f"node-resources-{seed:x}", **question}


def _left_to_chance(slices: list[Json]) -> bool:
    """Whether two devices have one name, or slices of a pool disagree on how many they are: which of
    them counts is nobody's choice."""
    names = [
        (one["spec"]["pool"]["name"], device["name"])
        for one in slices
        for device in one["spec"].get("devices", ())
    ]
    pools = {one["spec"]["pool"]["name"] for one in slices}
    sizes = {(p["name"], p["resourceSliceCount"]) for p in (one["spec"]["pool"] for one in slices)}
    return len(set(names)) < len(names) or len(pools) < len(sizes)


def _question(rng: random.Random) -> Json:
    question = schedule.question(rng, _THEMES)
    _separate(question)
    for one in question["slices"]:
        for device in one["spec"].get("devices", ()):
            _take(rng, device)
    for node in question["nodes"]:
        status = node.setdefault("status", {})
        status["allocatable"] = {**status.get("allocatable", {}), **_allocatable(rng)}
    for pod in question["pods"]:
        _ask(rng, pod["spec"])
    if rng.random() < 0.3 and question["pods"]:
        question["running"] = [_running(rng, n, question) for n in range(rng.choice((1, 2, 3)))]
    features = question["features"]
    if not isinstance(features, dict):
        features = {"DRAConsumableCapacity": True}
    # Without shares the implementation may be one that visits pools in any order.
    gates = {"DRAConsumableCapacity": True, "DRANodeAllocatableResources": rng.random() < 0.97}
    question["features"] = {**features, **gates}
    return question


def _separate(question: Json) -> None:
    """Give each driver pools of its own: 1.36 does not tell apart whose pool it is."""
    results: list[Json] = []
    for claim in question["claims"]:
        allocation = claim.get("status", {}).get("allocation") or {"devices": {"results": []}}
        results += allocation["devices"]["results"]
    for one in results:
        one["pool"] = f"{one['driver'][0]}-{one['pool']}"
    for one in question["slices"]:
        pool = one["spec"]["pool"]
        pool["name"] = f"{one['spec']['driver'][0]}-{pool['name']}"


def _amount(rng: random.Random, name: str) -> str:
    return rng.choice(_SMALL if name == "cpu" else _LARGE)


def _take(rng: random.Random, device: Json) -> None:
    if rng.random() < 0.35:
        return
    capacities = [*device.get("capacity", ()), "nope"]
    now: Json = {}
    before: Json = {}
    for name in sorted({rng.choice(_TAKEN) for _ in range(rng.choice((1, 1, 2, 3)))}):
        mapping: Json | None = {"deviceMultiplier": _amount(rng, name)}
        mapped: Json = {"allocationMultiplier": _amount(rng, name)}
        # Without any capacity there is an error, and which of several is told is left to chance.
        if device.get("allowMultipleAllocations") and len(capacities) > 1 and rng.random() < 0.6:
            key = capacities[0] if rng.random() < 0.85 else rng.choice(capacities)
            mapping, mapped = {"capacityKey": key}, {"capacityKey": key}
            if rng.random() < 0.7:
                factor = rng.choice(_FACTORS)
                mapping["capacityMultiplier"] = mapped["allocationMultiplier"] = factor
        elif rng.random() < 0.1:
            mapping, mapped = {}, {}
        overhead: Json | None = None
        if rng.random() < 0.45:
            keys = rng.choice((("perPod",), ("perContainer",), ("perPod", "perContainer"), ()))
            overhead = {key: _amount(rng, name) for key in keys}
            if rng.random() < 0.5:
                mapping = None
        now[name] = {"mapping": mapping} if mapping is not None else {}
        if overhead is not None:
            now[name]["overhead"] = overhead
        before[name] = mapped
    device["nodeAllocatableResources"] = now
    device["nodeAllocatableResourceMappings"] = before


def _allocatable(rng: random.Random) -> Json:
    if rng.random() < 0.05:
        return {}
    found = {
        "cpu": rng.choice(("2", "4", "4", "16", "3500m")),
        "memory": rng.choice(("2Gi", "4Gi", "16Gi")),
        "ephemeral-storage": rng.choice(("4Gi", "16Gi")),
    }
    for name in ("hugepages-2Mi", "hugepages-1Gi"):
        if rng.random() < 0.6:
            found[name] = rng.choice(("0", "1Gi", "4Gi", "16Gi"))
    return found


def _resources(rng: random.Random) -> Json:
    names = {rng.choice(_NAMES) for _ in range(rng.choice((0, 1, 1, 2)))}
    requests = {name: _amount(rng, name) for name in sorted(names)}
    found: Json = {"requests": requests}
    if rng.random() < 0.4:
        found["limits"] = {name: _amount(rng, name) for name in sorted(names | {"cpu"})}
    return found


def _ask(rng: random.Random, spec: Json) -> None:
    """What containers and the pod as a whole ask for, and which claims the containers refer to."""
    entries = [entry["name"] for entry in spec.get("resourceClaims", ())]
    for container in (*spec["containers"], *spec.get("initContainers", ())):
        given = container.setdefault("resources", {})
        if rng.random() < 0.6:
            for kind, amounts in _resources(rng).items():
                given[kind] = {**amounts, **given.get(kind, {})}
            # As the API server does.
            given["requests"] = {**given.get("limits", {}), **given["requests"]}
        if rng.random() < 0.3:
            given["claims"] = [{"name": name} for name in entries if rng.random() < 0.6]
            if given["claims"] and rng.random() < 0.15:
                given["claims"].append({**given["claims"][0], "request": "r0"})
    if rng.random() < 0.3:
        spec["resources"] = {}
        if rng.random() < 0.7:
            name = rng.choice(_NAMES)
            spec["resources"]["requests"] = {name: rng.choice(("4", "1500m", "3Gi", "8Gi"))}
        if rng.random() < 0.6:
            name = rng.choice(_NAMES)
            spec["resources"]["limits"] = {name: rng.choice(("4", "1500m", "3Gi", "8Gi"))}
    if rng.random() < 0.15:
        spec["overhead"] = {"cpu": "250m", "memory": "64Mi"}


def _running(rng: random.Random, number: int, question: Json) -> Json:
    """A pod that is on a node already, with what its claims take there."""
    spec: Json = {
        "nodeName": rng.choice(question["nodes"])["metadata"]["name"],
        "containers": [{"name": "k0", "image": "x"}],
    }
    _ask(rng, spec)
    pod: Json = {"metadata": {"name": f"running{number}", "namespace": "default"}, "spec": spec}
    if question["claims"] and rng.random() < 0.6:
        claim = rng.choice(question["claims"])
        name = rng.choice(_NAMES)
        amount = _amount(rng, name)
        pod["status"] = {
            "nodeAllocatableResourceClaimStatuses": [
                {
                    "resourceClaimName": claim["metadata"]["name"],
                    "containers": ["k0"] * rng.choice((0, 1, 2)),
                    "resources": {name: amount},
                    "mapping": [{"name": name, "quantity": amount}],
                    "overhead": [{"name": name, "perPod": amount, "perContainer": amount}],
                }
            ]
        }
    return pod

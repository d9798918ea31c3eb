"""Pods on made-up clusters: claims shared and generated, extended resources, taint rules, allocations.

The clusters are those of `alloc`; what is added is what only the scheduler's plugin deals with.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from tests.oracle.fuzz import alloc

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FUZZED", "generate", "is_of_one_mind", "question"]

Json = dict[str, Any]

# Themes of `alloc` that need no state of their own and no fields that the plugin does not pass on.
_THEMES = tuple(
    theme
    for theme in alloc.THEMES
    if theme not in ("state", "errors", "many", "derived", "groups", "lists", "operations")
)
FUZZED = (*_THEMES, "zeros")
_GATES = (
    "DRAExtendedResource",
    "DRADeviceTaints",
    "DRADeviceTaintRules",
    "DRAConsumableCapacity",
    "DRAPartitionableDevices",
    "DRADeviceBindingConditions",
)


def generate(rng: random.Random, themes: tuple[str, ...] = _THEMES) -> Iterator[Json]:
    """Questions of subject `schedule` without end."""
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        yield {"id": f"schedule-{seed:x}", **question(one, themes)}


def question(rng: random.Random, themes: tuple[str, ...] = _THEMES) -> Json:
    """One question about a cluster in which some of these themes of `alloc` meet."""
    cluster = next(alloc.generate(rng, themes))
    nodes = cluster["nodes"]
    for number, one in enumerate(cluster["slices"]):
        one["metadata"] = {"name": f"{one['metadata']['name']}-{number}", "resourceVersion": "1"}
    for i, one in enumerate(cluster["classes"]):
        one["metadata"]["creationTimestamp"] = f"2020-01-0{rng.randrange(1, 4)}T00:00:00Z"
        if rng.random() < 0.7:
            one["spec"]["extendedResourceName"] = f"example.com/res{rng.choice((0, 0, i))}"
    claims = cluster["claims"]
    for claim in claims:
        claim["metadata"]["namespace"] = "default"
    pods = [
        _pod(rng, n, claims, cluster["classes"], nodes) for n in range(rng.choice((1, 2, 2, 3)))
    ]
    if rng.random() < 0.4:
        _allocate(rng, cluster["slices"], claims)
    for node in nodes:
        if rng.random() < 0.3:
            node.setdefault("status", {})["allocatable"] = {
                "example.com/res0": rng.choice(("0", "2"))
            }
    asked = {
        "features": _features(rng),
        "nodes": nodes,
        "slices": cluster["slices"],
        "classes": cluster["classes"],
        "claims": claims,
        "pods": pods,
    }
    if rng.random() < 0.35:
        asked["taintRules"] = [_rule(rng, n, cluster["slices"]) for n in range(rng.choice((1, 2)))]
    return asked


def is_of_one_mind(asked: Json) -> bool:
    """Whether the slices of each pool announce one number: else the first in a cache decides."""
    counts: dict[tuple[str, str], set[int]] = {}
    for one in asked["slices"]:
        pool = one["spec"]["pool"]
        key = one["spec"]["driver"], pool["name"]
        counts.setdefault(key, set()).add(pool["resourceSliceCount"])
    return all(len(found) == 1 for found in counts.values())


def _features(rng: random.Random) -> object:
    roll = rng.random()
    if roll < 0.5:
        return "defaults"
    if roll < 0.75:
        return dict.fromkeys(_GATES, True)
    wanted = {gate: rng.random() < 0.8 for gate in _GATES}
    # Rules need taints, and some gates are locked on in newer releases.
    wanted["DRADeviceTaints"] |= wanted["DRADeviceTaintRules"]
    wanted["DRAExtendedResource"] = True
    return wanted


def _pod(
    rng: random.Random, n: int, claims: list[Json], classes: list[Json], nodes: list[Json]
) -> Json:
    name = f"pod{n}"
    entries: list[Json] = []
    statuses: list[Json] = []
    for i in range(rng.choice((0, 1, 1, 1, 2))):
        roll = rng.random()
        if roll < 0.5:
            claim = rng.choice(claims)
            entries.append({"name": f"c{i}", "resourceClaimName": claim["metadata"]["name"]})
        elif roll < 0.94:
            claim = _generated(rng, name, f"c{i}", claims)
            entries.append({"name": f"c{i}", "resourceClaimTemplateName": "template"})
            if rng.random() < 0.92:
                statuses.append(
                    {"name": f"c{i}", "resourceClaimName": claim["metadata"]["name"]}
                    if rng.random() < 0.9
                    else {"name": f"c{i}"}
                )
        else:
            entries.append({"name": f"c{i}", "resourceClaimName": "nowhere"})
    containers = [_container(rng, f"k{i}", classes) for i in range(rng.choice((1, 1, 2)))]
    spec: Json = {"containers": containers}
    if rng.random() < 0.25:
        spec["initContainers"] = [_container(rng, "i0", classes)]
        if rng.random() < 0.4:
            spec["initContainers"][0]["restartPolicy"] = "Always"
    if entries:
        spec["resourceClaims"] = entries
        containers[0].setdefault("resources", {})["claims"] = [{"name": e["name"]} for e in entries]
    pod: Json = {
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": spec,
    }
    if statuses:
        pod["status"] = {"resourceClaimStatuses": statuses}
    return pod


def _container(rng: random.Random, name: str, classes: list[Json]) -> Json:
    container: Json = {"name": name, "image": "x"}
    if rng.random() < 0.45:
        wanted: Json = {}
        for _ in range(rng.choice((1, 1, 2))):
            if rng.random() < 0.7:
                resource = f"example.com/res{rng.choice((0, 0, 1, 2))}"
            else:
                resource = (
                    "deviceclass.resource.kubernetes.io/" + rng.choice(classes)["metadata"]["name"]
                )
            wanted[resource] = str(rng.choice((0, 1, 1, 1, 2)))
        container["resources"] = {"requests": wanted, "limits": dict(wanted)}
    return container


def _generated(rng: random.Random, pod: str, entry: str, claims: list[Json]) -> Json:
    """A claim made from a template for one pod; now and then it is somebody else's."""
    model = rng.choice(claims)
    owner = pod if rng.random() < 0.95 else "other"
    claim = {
        "metadata": {
            "name": f"{pod}-{entry}-x",
            "namespace": "default",
            "uid": f"uid-{pod}-{entry}",
            "ownerReferences": [
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "name": owner,
                    "uid": f"uid-{owner}",
                    "controller": True,
                }
            ],
        },
        "spec": model["spec"],
    }
    if rng.random() < 0.04:
        claim["metadata"] |= {"deletionTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["x"]}
    claims.append(claim)
    return claim


def _allocate(rng: random.Random, slices: list[Json], claims: list[Json]) -> None:
    """Allocations of claims that other pods use, and of some that the pods here use."""
    places = [
        (one, device)
        for one in slices
        for device in one["spec"].get("devices", ())
        if rng.random() < 0.25
    ]
    if not places:
        return
    for number, (one, device) in enumerate(places[:4]):
        result: Json = {
            "request": "r0",
            "driver": one["spec"]["driver"],
            "pool": one["spec"]["pool"]["name"],
            "device": device["name"],
        }
        if device.get("allowMultipleAllocations"):
            result["shareID"] = f"00000000-0000-0000-0000-{number:012d}"
            names = list(device.get("capacity", ()))
            if names and rng.random() < 0.8:
                result["consumedCapacity"] = {name: rng.choice(("1", "256Mi")) for name in names}
        elif rng.random() < 0.1:
            result["adminAccess"] = True
        allocation: Json = {"devices": {"results": [result]}}
        node = one["spec"].get("nodeName")
        if node:
            allocation["nodeSelector"] = {
                "nodeSelectorTerms": [
                    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
                ]
            }
        unallocated = [claim for claim in claims if "status" not in claim]
        if unallocated and rng.random() < 0.4:
            rng.choice(unallocated)["status"] = {"allocation": allocation}
        else:
            claims.append(
                {
                    "metadata": {
                        "name": f"taken{number}",
                        "namespace": "default",
                        "uid": f"uid-taken{number}",
                    },
                    "spec": {
                        "devices": {
                            "requests": [{"name": "r0", "exactly": {"deviceClassName": "c0"}}]
                        }
                    },
                    "status": {
                        "allocation": allocation,
                        "reservedFor": [{"resource": "pods", "name": "x", "uid": f"uid-x{number}"}],
                    },
                }
            )


def _rule(rng: random.Random, n: int, slices: list[Json]) -> Json:
    one = rng.choice(slices)
    devices = one["spec"].get("devices") or [{"name": "none"}]
    full = {
        "driver": one["spec"]["driver"],
        "pool": one["spec"]["pool"]["name"],
        "device": rng.choice(devices)["name"],
    }
    selector = {key: value for key, value in full.items() if rng.random() < 0.6}
    spec: Json = {
        "taint": {
            "key": "k1",
            "value": "v",
            "effect": rng.choice(("NoSchedule", "NoExecute", "None")),
        }
    }
    if rng.random() < 0.9:
        spec["deviceSelector"] = selector
    return {"metadata": {"name": f"rule{n}", "resourceVersion": "1"}, "spec": spec}

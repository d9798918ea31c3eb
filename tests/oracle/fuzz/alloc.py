"""Whole clusters made up at random, small enough to be searched and rich enough to meet every rule.

A cluster mixes a few themes (taints, counters, shares, constraints, …), so that rules meet each
other without every case being infeasible for ten reasons at once.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FUZZED", "MORE_THEMES", "THEMES", "combined", "generate", "question", "twins", "zeros"]

Json = dict[str, Any]

_DRIVERS = ("a.example.com", "b.example.com", "gpu.example.org")
_MODELS = ("x", "y", "z")
_ROOTS = ("pci0", "pci1", "pci2")
_TAINT_KEYS = ("k1", "example.com/k2")
_EFFECTS = ("NoSchedule", "NoExecute", "None")
_SHARED = "resource.kubernetes.io/pcieRoot"
# Strings that can stand for nothing but an amount, wherever these clusters have them.
_AMOUNT = re.compile(r"\d+(m|[KMGE]i)?")
# Mostly there has to be something, and no step may be zero, which crashes upstream.
_ZEROS: dict[object, float] = {"value": 0.15, "max": 0.1, "step": 0.0}


@dataclass
class _Cluster:
    """What has been made up so far."""

    rng: random.Random
    themes: frozenset[str]
    nodes: list[Json] = field(default_factory=list)
    slices: list[Json] = field(default_factory=list)
    classes: list[Json] = field(default_factory=list)
    claims: list[Json] = field(default_factory=list)
    drivers: list[str] = field(default_factory=list)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def on(self, theme: str, share: float = 1.0) -> bool:
        return theme in self.themes and self.chance(share)


THEMES = (
    "admin",
    "all",
    "binding",
    "classes",
    "constraints",
    "counters",
    "errors",
    "generations",
    "groups",
    "incomplete",
    "invalid",
    "lists",
    "many",
    "operations",
    "per-device",
    "prioritized",
    "selectors",
    "shares",
    "state",
    "taints",
    "topology",
    "derived",
)

# Asked for by name only, so that the questions of a seed stay the same: counters beside the devices
# that consume them (the form of 1.34), plenty of like devices, amounts beyond what can be computed,
# steps on nodes without the feature, choices between more devices than a claim can hold, amounts
# of zero, and names that are published twice.
MORE_THEMES = ("together", "generous", "huge", "unready", "crowd", "zeros", "twins")

# What is asked afresh, from seeds that nobody has recorded.
FUZZED = (*THEMES, "zeros", "twins")


def generate(rng: random.Random, themes: tuple[str, ...] = THEMES) -> Iterator[Json]:
    """Questions without end; the same generator state gives the same questions."""
    number = 0
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        chosen = frozenset(one.sample(themes, one.choice((0, 1, 2, 2, 3, 3, 4))))
        yield {"id": f"alloc-{seed:x}", **_question(_Cluster(one, chosen))}
        number += 1


# What can be had together, and still be had.
_COMBINED = (
    "admin", "all", "binding", "classes", "constraints", "counters", "derived", "generations", "groups",
    "lists", "operations", "per-device", "prioritized", "selectors", "shares", "state", "taints",
    "together", "topology",
)  # fmt: skip


def combined(rng: random.Random) -> Iterator[Json]:
    """Questions in which several features meet, about clusters that have plenty of devices."""
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        chosen = frozenset({"generous", *one.sample(_COMBINED, one.choice((3, 4, 4, 5, 6)))})
        yield {"id": f"combined-{seed:x}", **_question(_Cluster(one, chosen))}


_BESIDE_ZEROS = ("admin", "all", "constraints", "counters", "generous", "prioritized", "selectors",
                 "state", "together")  # fmt: skip


def zeros(rng: random.Random) -> Iterator[Json]:
    """Questions about shares of which many consume nothing, so that only their number tells."""
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        more = one.sample(_BESIDE_ZEROS, one.choice((0, 1, 2, 3)))
        yield {"id": f"zeros-{seed:x}", **question(one, frozenset({"shares", "zeros", *more}))}


_BESIDE_TWINS = ("all", "counters", "generations", "incomplete", "per-device", "prioritized",
                 "selectors", "shares", "state", "taints", "topology")  # fmt: skip


def twins(rng: random.Random) -> Iterator[Json]:
    """Questions about names that are published twice: of devices in a pool, of pools by drivers."""
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        more = one.sample(_BESIDE_TWINS, one.choice((0, 1, 2, 3)))
        yield {"id": f"twins-{seed:x}", **question(one, frozenset({"twins", *more}))}


def question(rng: random.Random, themes: frozenset[str]) -> Json:
    """A question in which these themes meet."""
    return _question(_Cluster(rng, themes))


def _question(c: _Cluster) -> Json:
    rng = c.rng
    c.drivers = rng.sample(_DRIVERS, rng.choice((1, 1, 2, 2, 3)))
    c.nodes = [_node(c, i) for i in range(rng.choice((1, 2, 2, 3)))]
    for driver in c.drivers:
        _pools(c, driver)
    c.classes = [_class(c, i) for i in range(rng.choice((1, 2, 3)))]
    c.claims = [_claim(c, i) for i in range(rng.choice((1, 1, 1, 2, 2, 3)))]
    if c.on("twins"):
        _publish_twice(c)
    question: Json = {
        "features": _features(c),
        "fixShareID": True,
        "timeoutMS": 2000,
        "classes": c.classes,
        "claims": c.claims,
        "nodes": c.nodes,
        "slices": c.slices,
    }
    question |= _state(c)
    if c.on("zeros"):
        _with_zeros(c, [c.slices, c.claims, question["consumedCapacity"]])
    return question


def _with_zeros(c: _Cluster, value: Any) -> None:
    """Makes zeros of some amounts: of devices, counters, policies, requests and what is consumed."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, dict | list):
            _with_zeros(c, item)
        elif isinstance(item, str) and _AMOUNT.fullmatch(item) and c.chance(_ZEROS.get(key, 0.5)):
            value[key] = "0"


def _features(c: _Cluster) -> object:
    roll = c.rng.random()
    if c.themes & {"derived", "groups", "lists", "operations"} and c.chance(0.7):
        return "all"
    if roll < 0.45:
        return "defaults"
    if roll < 0.75:
        return "all"
    gates = (
        "AdminAccess",
        "PrioritizedList",
        "PartitionableDevices",
        "DeviceTaints",
        "DeviceBindingAndStatus",
        "ConsumableCapacity",
        "ListTypeAttributes",
        "FractionalCapacityRange",
        "CompatibilityGroups",
        "DerivedAttributes",
        "OptionalNodeOperations",
    )
    return {gate: c.chance(0.75) for gate in gates}


# Nodes and slices


def _node(c: _Cluster, i: int) -> Json:
    labels = {"zone": f"z{i % 2}", "size": str(c.rng.choice((1, 4, 16)))}
    if c.chance(0.3):
        labels["rack"] = f"r{i}"
    node: Json = {"metadata": {"name": f"n{i}", "labels": labels}}
    if c.on("operations", 0.6):
        node["status"] = {"declaredFeatures": ["DRAOptionalNodeOperations"]}
    return node


def _pools(c: _Cluster, driver: str) -> None:
    rng = c.rng
    per_node = c.chance(0.7)
    places = [node["metadata"]["name"] for node in c.nodes] if per_node else [None]
    for place in places:
        for p in range(rng.choice((1, 1, 2))):
            name = f"{place or 'shared'}-{p}" if c.chance(0.8) else f"pool{p}"
            _pool(c, driver, name, place)


def _pool(c: _Cluster, driver: str, name: str, place: str | None) -> None:
    rng = c.rng
    generation = rng.choice((1, 1, 2))
    count = rng.choice((1, 1, 2, 3))
    counted = c.on("counters", 0.8)
    sets = _counter_sets(c) if counted else []
    slices = []
    number = 0
    for s in range(count):
        devices = []
        many = (4, 6, 8) if c.on("generous") else (1, 2, 3, 4, 6)
        for _ in range(rng.choice((12, 20)) if c.on("crowd") else rng.choice(many)):
            devices.append(_device(c, number, sets))
            number += 1
        slices.append(_slice(c, driver, name, generation, place, f"{s}", devices))
    if sets and c.on("together", 0.8):
        slices[0]["spec"]["sharedCounters"] = sets
    elif sets:
        holder = _slice(c, driver, name, generation, place, "c", [])
        holder["spec"].pop("devices")
        holder["spec"]["sharedCounters"] = sets
        slices.append(holder)
    for one in slices:
        one["spec"]["pool"]["resourceSliceCount"] = len(slices)
    _spoil(c, slices)
    c.slices += slices


def _spoil(c: _Cluster, slices: list[Json]) -> None:
    """Pools that are being written, stale or wrong."""
    rng = c.rng
    if c.on("incomplete", 0.4):
        slices[0]["spec"]["pool"]["resourceSliceCount"] += 1
        if len(slices) > 1 and c.chance(0.3):
            slices[-1]["spec"]["pool"]["resourceSliceCount"] += 1
    if c.on("generations", 0.6):
        stale = _copy(rng.choice(slices))
        stale["metadata"]["name"] += "-old"
        stale["spec"]["pool"]["generation"] -= 1
        if c.chance(0.3):
            stale["spec"]["pool"]["generation"] += 2
        slices.append(stale)
    if c.on("invalid", 0.4):
        devices = [d for one in slices for d in one["spec"].get("devices", [])]
        if len(devices) > 1 and c.chance(0.5):
            devices[-1]["name"] = devices[0]["name"]
        elif devices:
            devices[0]["consumesCounters"] = [
                {"counterSet": "unknown", "counters": {"m": {"value": "1"}}}
            ]


def _publish_twice(c: _Cluster) -> None:
    """Devices of one name in two slices of a pool or in one, and pools of one name by all drivers."""
    rng = c.rng
    if c.chance(0.5):
        number = {one["spec"]["pool"]["name"]: rng.choice((0, 0, 1)) for one in c.slices}
        for one in c.slices:
            one["spec"]["pool"]["name"] = f"pool{number[one['spec']['pool']['name']]}"
        for place, one in enumerate(c.slices):
            one["metadata"]["name"] += f"-{place}"
    pools: dict[tuple[str, str], list[Json]] = {}
    for one in c.slices:
        key = one["spec"]["driver"], one["spec"]["pool"]["name"]
        pools.setdefault(key, []).append(one)
    for listed in pools.values():
        if c.chance(0.4):
            devices = [one for each in listed for one in each["spec"].get("devices", [])]
            if len(devices) > 1:
                one, other = rng.sample(devices, 2)
                one["name"] = other["name"]


def _slice(
    c: _Cluster,
    driver: str,
    pool: str,
    generation: int,
    place: str | None,
    suffix: str,
    devices: list[Json],
) -> Json:
    spec: Json = {
        "driver": driver,
        "pool": {"name": pool, "generation": generation, "resourceSliceCount": 1},
        "devices": devices,
    }
    if c.on("per-device", 0.6):
        spec["perDeviceNodeSelection"] = True
        for device in devices:
            device |= _selection(c, place)
    else:
        spec |= _selection(c, place)
    if c.on("operations", 0.5) or c.on("unready", 0.3):
        spec["skipNodeOperations"] = c.rng.choice(
            (["*"], ["NodeUnprepareResources"], ["NodePrepareResources", "NodeUnprepareResources"])
        )
    short = driver.partition(".")[0]
    return {"metadata": {"name": f"{short}-{pool}-{suffix}"}, "spec": spec}


def _selection(c: _Cluster, place: str | None) -> Json:
    rng = c.rng
    if place is not None and not c.on("topology", 0.5):
        return {"nodeName": place}
    roll = rng.random()
    if roll < 0.4:
        return {"allNodes": True}
    if roll < 0.55 and place is not None:
        return {"nodeName": place}
    return {"nodeSelector": {"nodeSelectorTerms": [_term(c, place)]}}


def _term(c: _Cluster, place: str | None) -> Json:
    rng = c.rng
    choice = rng.randrange(6)
    if choice == 0 and place is not None:
        return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [place]}]}
    expressions: list[Json] = [
        {"key": "zone", "operator": "In", "values": rng.choice((["z0"], ["z0", "z1"], ["z1"]))}
    ]
    if choice == 1:
        expressions = [{"key": "size", "operator": "Gt", "values": ["2"]}]
    elif choice == 2:
        expressions = [{"key": "rack", "operator": rng.choice(("Exists", "DoesNotExist"))}]
    elif choice == 3:
        expressions.append({"key": "zone", "operator": "NotIn", "values": ["z9"]})
    return {"matchExpressions": expressions}


# Devices


def _counter_sets(c: _Cluster) -> list[Json]:
    return [
        {
            "name": f"cs{i}",
            "counters": {
                "m": {"value": c.rng.choice(("4Gi", "6Gi", "8Gi"))},
                "s": {"value": str(c.rng.choice((2, 3, 4)))},
            },
        }
        for i in range(c.rng.choice((1, 1, 2)))
    ]


def _device(c: _Cluster, number: int, sets: list[Json]) -> Json:
    rng = c.rng
    device: Json = {"name": f"d{number}"}
    models = _MODELS[:2] if c.on("generous") else _MODELS
    attributes: Json = {"model": {"string": rng.choice(models)}}
    if c.chance(0.8):
        attributes["idx"] = {"int": rng.randrange(4)}
    if c.chance(0.7):
        attributes[_SHARED] = {"string": rng.choice(_ROOTS)}
    if c.chance(0.3):
        attributes["ok"] = {"bool": c.chance(0.5)}
    if c.chance(0.3):
        attributes["ver"] = {"version": rng.choice(("1.0.0", "1.2.3", "2.0.0-rc.1"))}
    if c.on("lists", 0.6):
        attributes["links"] = {"strings": rng.sample(_ROOTS, rng.choice((1, 2, 3)))}
    if c.on("errors", 0.03):
        attributes["odd"] = {}
    device["attributes"] = attributes
    if c.chance(0.8):
        device["capacity"] = {"memory": {"value": rng.choice(("1Gi", "2Gi", "4Gi"))}}
        if c.chance(0.3):
            device["capacity"]["cores"] = {"value": str(rng.choice((4, 8)))}
    if sets and c.chance(0.8):
        device["consumesCounters"] = _consumption(c, sets)
    if c.on("taints", 0.35):
        device["taints"] = [_taint(c) for _ in range(rng.choice((1, 1, 2)))]
    if c.on("shares", 0.7):
        _share(c, device)
    if c.on("binding", 0.5):
        device["bindingConditions"] = ["example.com/ready"]
        device["bindingFailureConditions"] = ["example.com/failed"]
        if c.chance(0.5):
            device["bindsToNode"] = True
    elif c.on("binding", 0.3):
        device["bindsToNode"] = c.chance(0.5)
    return device


def _consumption(c: _Cluster, sets: list[Json]) -> list[Json]:
    chosen = c.rng.sample(sets, min(len(sets), c.rng.choice((1, 1, 2))))
    uses = []
    for one in chosen:
        counters = {"m": {"value": c.rng.choice(("1Gi", "2Gi", "4Gi"))}}
        if c.chance(0.7):
            counters["s"] = {"value": "1"}
        use: Json = {"counterSet": one["name"], "counters": counters}
        if c.on("groups", 0.8):
            use["compatibilityGroups"] = c.rng.sample(("g0", "g1", "g2"), c.rng.choice((1, 1, 2)))
        uses.append(use)
    return uses


def _taint(c: _Cluster) -> Json:
    taint = {"key": c.rng.choice(_TAINT_KEYS), "effect": c.rng.choice(_EFFECTS)}
    if c.chance(0.6):
        taint["value"] = c.rng.choice(("v", "w"))
    return taint


def _share(c: _Cluster, device: Json) -> None:
    rng = c.rng
    device["allowMultipleAllocations"] = c.chance(0.9)
    for capacity in device.get("capacity", {}).values():
        policy = rng.randrange(6)
        if policy == 1:
            capacity["requestPolicy"] = {"default": rng.choice(("1", "512Mi"))}
        elif policy == 2:
            capacity["requestPolicy"] = {
                "default": "1Gi",
                "validRange": {"min": "256Mi", "max": "4Gi", "step": "256Mi"},
            }
        elif policy == 3:
            capacity["requestPolicy"] = {"default": "1", "validValues": ["1", "2", "4", "1Gi"]}
        elif c.on("huge", 0.5):
            capacity["requestPolicy"] = {
                "default": rng.choice(("-1", "1Gi", "9Ei")),
                "validRange": {"min": "1", "step": rng.choice(("3", "1Gi", "4Ei"))},
            }
        elif policy == 4:
            capacity["requestPolicy"] = {"default": "1", "validRange": {"min": "1"}}
        elif policy == 5 and c.chance(0.3):
            capacity["requestPolicy"] = {
                "default": "500m",
                "validRange": {"min": "500m", "max": "3500m", "step": "250m"},
            }


# Classes and claims


def _class(c: _Cluster, i: int) -> Json:
    spec: Json = {}
    if c.chance(0.6):
        spec["selectors"] = [_cel(f"device.driver == {c.rng.choice(c.drivers)!r}")]
        if c.on("selectors", 0.4):
            spec["selectors"].append(_cel(_selector(c)))
    if c.on("classes", 0.6) or c.chance(0.1):
        spec["config"] = [
            {"opaque": {"driver": c.rng.choice(c.drivers), "parameters": {"class": i, "n": n}}}
            for n in range(c.rng.choice((1, 1, 2)))
        ]
    return {"metadata": {"name": f"c{i}"}, "spec": spec}


def _cel(expression: str) -> Json:
    return {"cel": {"expression": expression}}


def _selector(c: _Cluster) -> str:
    rng = c.rng
    domain = rng.choice(c.drivers)
    own = f'device.attributes["{domain}"]'
    safe = (
        f"{own}.?model.orValue('none') != {rng.choice(_MODELS)!r}",
        f"has({own}.idx) && {own}.idx >= {rng.randrange(3)}",
        f"{own}.?ver.hasValue()",
        f'device.capacity["{domain}"].?memory.orValue(quantity("0")).compareTo(quantity("2Gi")) >= 0',
        f"device.driver == {domain!r}",
        f"!(device.driver == {domain!r} && {own}.?ok.orValue(true))",
        "true",
    )
    risky = (
        f"{own}.idx < 3",
        f'{own}.model in ["x", "y"]',
        f'device.capacity["{domain}"].memory.isGreaterThan(quantity("1Gi"))',
        f"{own}.model",
        f"{own}.model > 1",
        "device.nope",
        f'device.attributes["{_SHARED.partition("/")[0]}"].pcieRoot == "pci0"',
        "device.allowMultipleAllocations",
    )
    return rng.choice(risky if c.on("errors", 0.3) else safe)


def _claim(c: _Cluster, i: int) -> Json:
    rng = c.rng
    requests = [_request(c, f"r{n}") for n in range(rng.choice((1, 1, 2, 2, 3)))]
    devices: Json = {"requests": requests}
    if c.on("constraints", 0.9):
        devices["constraints"] = [_constraint(c, requests) for _ in range(rng.choice((1, 1, 2)))]
    if c.on("classes", 0.5):
        devices["config"] = [_config(c, requests, n) for n in range(rng.choice((1, 2)))]
    metadata = {"name": f"claim{i}", "namespace": "ns", "uid": f"u{i}"}
    return {"metadata": metadata, "spec": {"devices": devices}}


def _request(c: _Cluster, name: str) -> Json:
    if c.on("prioritized", 0.6):
        alternatives = [
            {"name": f"s{n}", **_ask(c, alternative=True)} for n in range(c.rng.choice((1, 2, 3)))
        ]
        return {"name": name, "firstAvailable": alternatives}
    return {"name": name, "exactly": _ask(c, alternative=False)}


def _ask(c: _Cluster, *, alternative: bool) -> Json:
    rng = c.rng
    ask: Json = {"deviceClassName": rng.choice(c.classes)["metadata"]["name"]}
    if c.on("errors", 0.03):
        ask["deviceClassName"] = "missing"
    if c.on("all", 0.4):
        ask["allocationMode"] = "All"
    else:
        ask["allocationMode"] = "ExactCount"
        ask["count"] = rng.choice((1, 1, 2, 2, 3))
        if c.on("crowd", 0.6):
            ask["count"] = rng.choice((9, 14, 18, 24))
        if c.on("many", 0.3):
            ask["count"] = rng.choice((4, 8, 8, 17, 33, 2**62))
    if c.on("selectors", 0.5) or c.on("errors", 0.4):
        ask["selectors"] = [_cel(_selector(c)) for _ in range(rng.choice((1, 1, 2)))]
    if c.on("admin", 0.5) and not alternative:
        ask["adminAccess"] = c.chance(0.8)
    if c.on("taints", 0.5):
        ask["tolerations"] = [_toleration(c) for _ in range(rng.choice((1, 2)))]
    if c.on("shares", 0.6) or c.on("capacity", 0.5):
        ask["capacity"] = {"requests": _demand(c)}
    if c.on("derived", 0.6):
        ask["derivedAttributes"] = [_derived(c)]
    return ask


def _derived(c: _Cluster) -> Json:
    own = f'device.attributes["{c.rng.choice(c.drivers)}"]'
    expression = c.rng.choice(
        (
            f"{own}.?model.orValue('none')",
            f"{own}.?idx.orValue(0) / 2",
            f"{own}.?idx.orValue(0) > 1",
            f"{own}.idx",
            "device.driver",
            f"[{own}.?model.orValue('none')]",
        )
    )
    return {"name": "derived.example.com/group", "expression": expression}


def _demand(c: _Cluster) -> Json:
    demand = {}
    if c.chance(0.8):
        demand["memory"] = c.rng.choice(("256Mi", "300Mi", "1Gi", "2Gi", "1", "1500m"))
    if c.on("huge", 0.5):
        demand["memory"] = c.rng.choice(("7Ei", "9223372036854775807", "20Ei", "-1", "0"))
    if c.chance(0.25):
        demand["cores"] = c.rng.choice(("1", "2", "3", "8", "500m"))
    if c.on("errors", 0.1):
        demand["other"] = "1"
    return demand


def _toleration(c: _Cluster) -> Json:
    rng = c.rng
    if c.on("generous", 0.6) or c.chance(0.4):
        toleration = {"operator": "Exists"}
        if c.chance(0.7):
            toleration["key"] = rng.choice(_TAINT_KEYS)
    else:
        toleration = {"key": rng.choice(_TAINT_KEYS), "operator": "Equal"}
        if c.chance(0.7):
            toleration["value"] = rng.choice(("v", "w"))
    if c.chance(0.4):
        toleration["effect"] = rng.choice(_EFFECTS)
    return toleration


def _constraint(c: _Cluster, requests: list[Json]) -> Json:
    rng = c.rng
    domain = rng.choice(c.drivers)
    names = [f"{domain}/model", f"{domain}/idx", _SHARED]
    if "lists" in c.themes:
        names += [f"{domain}/links"] * 2
    if "derived" in c.themes:
        names += ["derived.example.com/group"] * 4
    constraint: Json = {
        rng.choice(("matchAttribute", "matchAttribute", "distinctAttribute")): rng.choice(names)
    }
    if c.chance(0.5):
        constraint["requests"] = _some_names(c, requests)
    return constraint


def _some_names(c: _Cluster, requests: list[Json]) -> list[str]:
    names = []
    for request in requests:
        if c.chance(0.6):
            name = request["name"]
            if "firstAvailable" in request and c.chance(0.4):
                name += "/" + c.rng.choice(request["firstAvailable"])["name"]
            names.append(name)
    return names or [requests[0]["name"]]


def _config(c: _Cluster, requests: list[Json], n: int) -> Json:
    config: Json = {"opaque": {"driver": c.rng.choice(c.drivers), "parameters": {"claim": n}}}
    if c.chance(0.6):
        config["requests"] = _some_names(c, requests)
    return config


# What is taken already


def _state(c: _Cluster) -> Json:
    state: Json = {"allocated": [], "allocatedShared": [], "consumedCapacity": []}
    if not c.on("state"):
        return state
    for one in c.slices:
        for device in one["spec"].get("devices", []):
            if not c.chance(0.15 if "generous" in c.themes else 0.3):
                continue
            place = {
                "driver": one["spec"]["driver"],
                "pool": one["spec"]["pool"]["name"],
                "device": device["name"],
            }
            if not device.get("allowMultipleAllocations"):
                state["allocated"].append(place)
                continue
            share = f"00000000-0000-0000-0000-{len(state['allocatedShared']):012d}"
            state["allocatedShared"].append({**place, "shareID": share})
            names = [name for name in device.get("capacity", {}) if c.chance(0.8)]
            if names:
                consumed = {name: c.rng.choice(("1", "256Mi", "1Gi")) for name in names}
                state["consumedCapacity"].append({**place, "consumed": consumed})
    return state


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value

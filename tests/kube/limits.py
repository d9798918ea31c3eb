"""Objects near the limits of the API, which random changes of small objects rarely reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

__all__ = ["at_a_limit"]

# Nothing that needs a big.Int in Go's Quantity but is written short (10E), and nothing that is not
# canonical (0.5): what upstream says of doubled values then depends on how it holds them.
_AMOUNTS = (
    *("0", "1", "2", "3", "10", "500m", "1500m", "250m", "1Gi", "1Mi", "-1", "1u", "1n", "2n"),
    *("9223372036854775807", "9223372036854775808", "1E", "3k", "1k", "100u"),
)
_UUIDS = (
    "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
    "AAAAAAAA-bbbb-4ccc-8ddd-eeeeeeeeeeee",
    "urn:uuid:aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
    "urn_uuid:aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
    "{aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee}",
    "(aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee]",
    "aaaaaaaabbbb4ccc8dddeeeeeeeeeeee",
    "aaaaaaaabbbb4ccc8dddeeeeeeeeeeeg",
    "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeeg",
    "aaaaaaaab-bbb-4ccc-8ddd-eeeeeeeeeeee",
    "a",
)
_ADDRESSES = (
    *("10.0.0.1/24", "10.0.0.1/33", "10.0.0.1", "010.0.0.1/8", "10.0.0.1/024", "10.0.0/8", "a/8"),
    *(
        "::1/64",
        "::1/129",
        "2001:DB8::1/64",
        "2001:db8:0:0::1/64",
        "::ffff:1.2.3.4/120",
        "1.2.3.4/-1",
    ),
    *("::ffff:1.2.3.4/20", "fe80::1%eth0/64", "::1/", "/8", "1.2.3.4/8/8", " 1.2.3.4/8"),
)
_TIME = "2024-01-01T00:00:00Z"


def _meta(**fields: Any) -> dict[str, Any]:
    return {"name": "a", **fields}


def _slice(random: Random, **spec: Any) -> dict[str, Any]:
    pool = {"name": "p", "generation": random.choice([0, 1, -1]), "resourceSliceCount": 1}
    return {
        "apiVersion": random.choice(["resource.k8s.io/v1", "resource.k8s.io/v1beta2"]),
        "kind": "ResourceSlice",
        "metadata": _meta(),
        "spec": {"driver": "d.example.com", "allNodes": True, "pool": pool, **spec},
    }


def _policies(random: Random) -> dict[str, Any]:
    def amount() -> str:
        return random.choice(_AMOUNTS)

    def policy() -> dict[str, Any]:
        found: dict[str, Any] = {}
        if random.random() < 0.9:
            found["default"] = amount()
        if random.random() < 0.4:
            values = [amount() for _ in range(random.choice([0, 1, 2, 3, 10, 11]))]
            found["validValues"] = values
        if random.random() < 0.7:
            names = random.sample(["min", "max", "step"], random.randint(1, 3))
            found["validRange"] = {name: amount() for name in names}
        return found

    capacity = {f"c{i}": {"value": amount(), "requestPolicy": policy()} for i in range(4)}
    device = {"name": "a", "allowMultipleAllocations": random.random() < 0.9, "capacity": capacity}
    return _slice(random, devices=[device])


def _counters(random: Random) -> dict[str, Any]:
    def some(count: int) -> dict[str, Any]:
        return {f"c{i}": {"value": random.choice(_AMOUNTS)} for i in range(count)}

    sizes = [0, 1, 2, 8, 31, 32, 33]
    sets = [
        {"name": f"s{i}", "counters": some(random.choice(sizes))}
        for i in range(random.choice([1, 2, 7, 8, 9]))
    ]
    consumed = [
        {"counterSet": f"s{i}", "counters": some(random.choice(sizes))}
        for i in range(random.choice([1, 2, 3]))
    ]
    count = random.choice([1, 2, 40, 63, 64, 65])
    devices = [{"name": f"d{i}", "consumesCounters": consumed} for i in range(count)]
    choices: list[dict[str, Any]] = [{"sharedCounters": sets}, {"devices": devices}, {}]
    parts = random.choice(choices)
    if random.random() < 0.2:
        parts = {"sharedCounters": sets, "devices": devices}
    return _slice(random, **parts)


def _attributes(random: Random) -> dict[str, Any]:
    texts = ["", "a" * 64, "a" * 65, "é" * 32, "é" * 33]
    lists: dict[str, Callable[[int], list[Any]]] = {
        "ints": lambda n: list(range(n)),
        "strings": lambda n: [random.choice(texts) for _ in range(n)],
        "bools": lambda n: [True] * n,
        "versions": lambda n: [random.choice(["1.0.0", "1.0", "v1.0.0"]) for _ in range(n)],
    }
    attributes: dict[str, Any] = {}
    for index in range(random.choice([1, 2, 31, 32, 33])):
        kind = random.choice(["string", "version", *lists])
        if kind == "string":
            value: Any = random.choice(texts)
        elif kind == "version":
            value = random.choice(["1.0.0", "1.0.0-" + "a" * 58, "1.0.0-" + "a" * 59, "01.0.0"])
        else:
            value = lists[kind](random.choice([0, 1, 2, 4, 32, 64]))
        attributes[f"a{index}"] = {kind: value}
    capacity = {f"c{index}": {"value": "1"} for index in range(random.choice([0, 1, 2]))}
    chosen: dict[str, Any] = {}
    if random.random() < 0.4:
        chosen = {"nodeName": random.choice(["n", "", "N_"]), "allNodes": random.random() < 0.5}
    device = {"name": "a", "attributes": attributes, "capacity": capacity, **chosen}
    count = random.choice([1, 1, 2, 64, 65, 128, 129])
    devices = [device, *({"name": f"d{i}"} for i in range(count - 1))]
    found = _slice(random, devices=devices)
    if chosen and random.random() < 0.8:
        del found["spec"]["allNodes"]
        found["spec"]["perDeviceNodeSelection"] = True
    return found


def _node_resources(random: Random) -> dict[str, Any]:
    def maybe(name: str, values: Any) -> dict[str, Any]:
        return {name: random.choice(values)} if random.random() < 0.6 else {}

    names = ["cpu", "memory", "hugepages-2Mi", "example.com/a", "pods", "kubernetes.io/a"]
    keys = ["mem", "other", ""]

    def new() -> dict[str, Any]:
        mapping = {
            **maybe("capacityKey", keys),
            **maybe("capacityMultiplier", _AMOUNTS),
            **maybe("deviceMultiplier", _AMOUNTS),
        }
        overhead = {**maybe("perPod", _AMOUNTS), **maybe("perContainer", _AMOUNTS)}
        return {**maybe("mapping", [mapping]), **maybe("overhead", [overhead])}

    def old() -> dict[str, Any]:
        return {**maybe("capacityKey", keys), **maybe("allocationMultiplier", _AMOUNTS)}

    device = {
        "name": "a",
        "capacity": {"mem": {"value": "1Gi"}},
        "nodeAllocatableResources": {name: new() for name in random.sample(names, 2)},
        "nodeAllocatableResourceMappings": {name: old() for name in random.sample(names, 2)},
    }
    return _slice(random, devices=[device])


def _claim(random: Random) -> dict[str, Any]:
    condition = {
        "type": random.choice(["A", "a/b/c", "x" * 317]),
        "status": random.choice(["True", "true"]),
        "reason": random.choice(["R", "r-r", "R" * 1025, ""]),
        "message": random.choice(["", "m" * 32769]),
        "observedGeneration": random.choice([0, -1]),
        "lastTransitionTime": _TIME,
    }
    network = {
        "interfaceName": random.choice(["e", "e" * 257]),
        "hardwareAddress": random.choice(["a", "a" * 129]),
        "ips": random.sample(_ADDRESSES, random.randint(1, 3)),
    }
    identifier = random.choice(_UUIDS)
    result = {"request": "r", "driver": "d", "pool": "p", "device": "a", "shareID": identifier}
    device: dict[str, Any] = {"driver": "d", "pool": "p", "device": "a", "shareID": identifier}
    consumers = [
        {"resource": "pods", "name": f"p{i}", "uid": f"u{i}"}
        for i in range(random.choice([0, 1, 2, 256, 257]))
    ]
    device |= {"conditions": [condition] * random.choice([0, 1, 1, 9]), "networkData": network}
    request = {"name": "r", "exactly": {"deviceClassName": "c"}}
    meta = _meta(namespace="default")
    if random.random() < 0.3:
        meta |= {"deletionTimestamp": _TIME, "finalizers": ["a.b/c"]}
    return {
        "apiVersion": random.choice(["resource.k8s.io/v1", "resource.k8s.io/v1beta2"]),
        "kind": "ResourceClaim",
        "metadata": meta,
        "spec": {"devices": {"requests": [request]}},
        "status": {
            "allocation": {"devices": {"results": [result]}},
            "reservedFor": consumers,
            "devices": [device],
        },
    }


def _class(random: Random) -> dict[str, Any]:
    size = random.choice([10, 262_143, 262_144, 262_145])
    parameters = {"a": "x" * random.choice([1, 10_000, 10_240])}
    selectors = [{"cel": {"expression": "true"}}] * random.choice([0, 1, 32, 33])
    config = [{"opaque": {"driver": "d", "parameters": parameters}}] * random.choice([1, 32, 33])
    meta = _meta(annotations={"a": "x" * (size - 1)} if random.random() < 0.05 else {})
    meta["generation"] = random.choice([0, 1, 2, -1])
    return {
        "apiVersion": random.choice(["resource.k8s.io/v1", "resource.k8s.io/v1beta1"]),
        "kind": "DeviceClass",
        "metadata": meta,
        "spec": {"selectors": selectors, "config": config if random.random() < 0.2 else []},
    }


_MAKERS: tuple[Callable[[Random], dict[str, Any]], ...] = (
    *(_policies, _policies, _policies, _counters, _attributes, _attributes),
    *(_node_resources, _node_resources, _claim, _claim, _class),
)


def at_a_limit(random: Random) -> tuple[dict[str, Any], dict[str, Any] | None, bool]:
    """An object, perhaps one of before it, and whether the status is written."""
    make = random.choice(_MAKERS)
    obj = make(random)
    if make is _claim:
        old = make(random) if random.random() < 0.5 else {**obj, "status": {}}
        old = {**old, "apiVersion": obj["apiVersion"], "metadata": obj["metadata"]}
        old["status"] = {k: v for k, v in old["status"].items() if random.random() < 0.6}
        return obj, old, True
    return obj, make(random) if random.random() < 0.3 else None, False

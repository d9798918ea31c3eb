"""Questions by hand, one for each thing that implementations of the allocator do differently.

Every question is put under gates that lead to each implementation: see `_GATES`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["questions"]

Json = dict[str, Any]

_A, _B = "a.example.com", "b.example.com"
_FOUR = ("AdminAccess", "PrioritizedList", "PartitionableDevices", "DeviceTaints")
_SIX = (*_FOUR, "DeviceBindingAndStatus", "ConsumableCapacity")
_SEVEN = (*_SIX, "FractionalCapacityRange")
_EVERY = (
    *_SEVEN, "ListTypeAttributes", "CompatibilityGroups", "DerivedAttributes", "OptionalNodeOperations",
)  # fmt: skip


def _gates(*on: str) -> dict[str, bool]:
    return {name: name in on for name in _EVERY}


# Which gates are on decides which implementation is taken: the first that knows all of them.
_GATES: dict[str, Any] = {
    "none": _gates(),
    "four": _gates(*_FOUR),
    "six": _gates(*_SIX),
    "seven": _gates(*_SEVEN),
    "all": _gates(*_EVERY),
    "all-but-groups": _gates(*(name for name in _EVERY if name != "CompatibilityGroups")),
    "four-and-lists": _gates(*_FOUR, "ListTypeAttributes"),
    "four-and-status": _gates(*_FOUR, "DeviceBindingAndStatus"),
    "only-conditions": {
        **{name: on for name, on in _gates().items() if name != "DeviceBindingAndStatus"},
        "DRADeviceBindingConditions": True,
        "DRAResourceClaimDeviceStatus": False,
    },
}


def _device(name: str, **more: Any) -> Json:
    return {"name": name, **more}


def _attributes(**values: Any) -> Json:
    kinds = {bool: "bool", int: "int", str: "string"}
    return {name: {kinds[type(value)]: value} for name, value in values.items()}


def _slice(
    name: str, devices: list[Json], *, node: str = "n0", count: int = 1, **more: Any
) -> Json:
    """`more`: driver, pool, generation, or further fields of the spec."""
    spec: Json = {
        "driver": more.pop("driver", _A),
        "pool": {"name": more.pop("pool", "p"), "generation": 1, "resourceSliceCount": count},
        "nodeName": node,
    }
    if devices:
        spec["devices"] = devices
    return {"metadata": {"name": name}, "spec": {**spec, **more}}


def _ask(count: int | str = 1, *expressions: str, **more: Any) -> Json:
    mode: Json = {"allocationMode": "All"}
    if not isinstance(count, str):
        mode = {"allocationMode": "ExactCount", "count": count}
    ask: Json = {"deviceClassName": more.pop("cls", "any"), **mode}
    if expressions:
        ask["selectors"] = [{"cel": {"expression": one}} for one in expressions]
    return {**ask, **more}


def _exactly(name: str, *arguments: Any, **more: Any) -> Json:
    return {"name": name, "exactly": _ask(*arguments, **more)}


def _first(name: str, *asks: Json) -> Json:
    return {
        "name": name,
        "firstAvailable": [{"name": f"s{i}", **ask} for i, ask in enumerate(asks)],
    }


def _claim(*requests: Json, number: int = 0, **more: Any) -> Json:
    metadata = {"name": f"claim{number}", "namespace": "ns", "uid": f"u{number}"}
    return {"metadata": metadata, "spec": {"devices": {"requests": list(requests), **more}}}


def _question(
    slices: list[Json], *claims: Json, nodes: tuple[str, ...] = ("n0",), **more: Any
) -> Json:
    classes: list[Json] = [{"metadata": {"name": "any"}, "spec": {}}]
    for name, driver in (("a", _A), ("b", _B)):
        selector = {"cel": {"expression": f"device.driver == '{driver}'"}}
        classes.append({"metadata": {"name": name}, "spec": {"selectors": [selector]}})
    return {
        "fixShareID": True,
        "timeoutMS": 2000,
        "classes": classes,
        "claims": list(claims),
        "nodes": [{"metadata": {"name": name}} for name in nodes],
        "slices": slices,
        "allocated": [],
        "allocatedShared": [],
        "consumedCapacity": [],
        **more,
    }


def _uses(amount: str, **more: Any) -> list[Json]:
    return [{"counterSet": "cs", "counters": {"m": {"value": amount}}, **more}]


def _sets(amount: str) -> list[Json]:
    return [{"name": "cs", "counters": {"m": {"value": amount}}}]


def _counted(amount: str, *devices: Json, driver: str = _A, node: str = "n0") -> list[Json]:
    """A pool with counters in a slice of their own, its devices in a slice each."""
    short = driver[0]
    total = len(devices) + 1
    slices = [
        _slice(f"{short}-{i}", [device], count=total, driver=driver, node=node)
        for i, device in enumerate(devices)
    ]
    sets = _slice(f"{short}-sets", [], count=total, driver=driver, node=node)
    sets["spec"]["sharedCounters"] = _sets(amount)
    return [*slices, sets]


def _together(amount: str, *devices: Json, name: str = "s", count: int = 1) -> Json:
    """Counters in the slice of the devices that consume them: the form of 1.34."""
    return _slice(name, list(devices), count=count, sharedCounters=_sets(amount))


def _held(device: str, **more: Any) -> Json:
    return {"driver": _A, "pool": "p", "device": device, **more}


_SHARE = "00000000-0000-0000-0000-000000000001"


def _searches() -> Iterator[tuple[str, Json]]:
    """How the search goes on, and when it is cut short."""
    numbered = [
        _device(f"d{i:02}", attributes=_attributes(idx=i) if i < 20 else {}) for i in range(40)
    ]
    yield (
        "too many devices cut the search short",
        _question(
            [_slice("s", numbered)],
            _claim(
                _first("r0", _ask(20, f'device.attributes["{_A}"].idx < 20'), _ask(1)),
                _exactly("r1", 12),
            ),
        ),
    )
    yield (
        "too many devices cut the search short, in the claim after",
        _question(
            [_slice("s", numbered)],
            _claim(
                _first("r0", _ask(16, f'device.attributes["{_A}"].idx < 20'), _ask(1)),
                _first("r1", _ask(17), _ask(18)),
            ),
        ),
    )
    mixed = [_device(f"d{i}", attributes=_attributes(model="xyz"[i])) for i in range(3)]
    for count in (2, 3):
        yield (
            "steps of a search that finds nothing",
            _question(
                [_slice("s", mixed)],
                _claim(_exactly("r0", count), constraints=[{"matchAttribute": f"{_A}/model"}]),
                stats=True,
            ),
        )
    yield (
        "steps of a search over two requests",
        _question(
            [_slice("s", mixed)],
            _claim(_exactly("r0", 2), _exactly("r1", 2)),
            stats=True,
        ),
    )
    model = f'device.attributes["{_A}"].model == '
    kinds = [_device(f"d{i}", attributes=_attributes(model="xyy"[i])) for i in range(3)]
    yield (
        "the second device of an alternative that takes all",
        _question([_slice("s", kinds)], _claim(_first("r0", _ask(5), _ask("All", model + "'y'")))),
    )
    yield (
        "two alternatives that take all",
        _question(
            [_slice("s", kinds)],
            _claim(_first("r0", _ask("All", model + "'x'"), _ask("All", model + "'y'"))),
            allocated=[_held("d0")],
        ),
    )


def _pools() -> Iterator[tuple[str, Json]]:
    """Which slices make up a pool."""
    far = _counted("4Gi", _device("d0", consumesCounters=_uses("1Gi")), driver=_B)
    for one in far:
        one["spec"]["pool"]["resourceSliceCount"] = 3
    near = _slice("near", [_device("d0"), _device("d1")], node="n1")
    yield (
        "a slice with counters matters to other nodes",
        _question([near, *far], _claim(_exactly("r0", "All", cls="a")), nodes=("n0", "n1")),
    )
    yield (
        "an incomplete pool with a device twice",
        _question([_slice("s", [_device("d0"), _device("d0")], count=2)], _claim(_exactly("r0"))),
    )
    grouped = _device("d0", consumesCounters=_uses("1Gi", compatibilityGroups=["g"]))
    yield (
        "a slice that uses compatibility groups, without counters",
        _question(
            [
                _slice("s0", [grouped, _device("d2")], count=2),
                _slice("s1", [_device("d1")], count=2),
            ],
            _claim(_exactly("r0", 2)),
        ),
    )
    yield (
        "a slice that uses compatibility groups",
        _question(_counted("4Gi", grouped, _device("d1")), _claim(_exactly("r0"))),
    )
    ready = _device("d0", bindingConditions=["c"], bindingFailureConditions=["f"])
    yield (
        "binding conditions by themselves",
        _question(
            [_slice("s", [ready, _device("d1", bindingFailureConditions=["f"])])],
            _claim(_exactly("r0")),
        ),
    )
    yield (
        "operations of nodes that do not know them",
        _question([_slice("s", [_device("d0")], skipNodeOperations=["*"])], _claim(_exactly("r0"))),
    )


def _counters() -> Iterator[tuple[str, Json]]:
    """What shared counters are kept by, and who holds them."""
    full = {"consumesCounters": _uses("4Gi")}
    two = [_device("d0", **full), _device("d1", **full)]
    yield "counters over slices", _question(_counted("4Gi", *two), _claim(_exactly("r0", 2)))
    both = [
        *_counted("4Gi", _device("d0", **full)),
        *_counted("4Gi", _device("d0", **full), driver=_B),
    ]
    yield (
        "pools of two drivers with one name",
        _question(both, _claim(_exactly("r0", cls="a"), _exactly("r1", cls="b"))),
    )
    yield (
        "counters of each slice",
        _question(
            [
                _together("4Gi", *two, name="s0", count=2),
                _together("4Gi", _device("d2", **full), name="s1", count=2),
            ],
            _claim(_exactly("r0", 2)),
        ),
    )
    tainted = _device("d0", **full, taints=[{"key": "k", "effect": "NoSchedule"}])
    wanted = _claim(_exactly("r0"))
    yield (
        "counters of a device that is tainted",
        _question(_counted("4Gi", tainted, two[1]), wanted),
    )
    yield (
        "counters of a device that is tainted, in one slice",
        _question([_together("4Gi", tainted, two[1])], wanted),
    )
    shared = _device("d0", **full, allowMultipleAllocations=True, capacity={"c": {"value": "4"}})
    plain = _device("d1", **full)
    share: Json = {"allocatedShared": [_held("d0", shareID=_SHARE)]}
    amounts: Json = {"consumedCapacity": [_held("d0", consumed={"c": "1"})]}
    ask = _claim(_exactly("r0", capacity={"requests": {"c": "1"}}))
    one = _claim(_exactly("r0", 1, "device.allowMultipleAllocations == false"))
    for text, held in (
        ("a share", share),
        ("a share with its amount", {**share, **amounts}),
        ("an amount", amounts),
        ("a device", {"allocated": [_held("d0")]}),
    ):
        for slices in (_counted("4Gi", shared, plain), [_together("4Gi", shared, plain)]):
            for claim in (ask, one, wanted):
                yield f"{text} holds counters", _question(slices, claim, **held)
    yield (
        "two shares in one claim",
        _question(
            _counted("4Gi", shared, plain),
            _claim(*(_exactly(f"r{i}", capacity={"requests": {"c": "1"}}) for i in range(2))),
        ),
    )


def _more_counters() -> Iterator[tuple[str, Json]]:
    """The same where the order of slices would hide it."""
    full = {"consumesCounters": _uses("4Gi")}
    plain = _device("d1", **full)
    shared = _device("d0", **full, allowMultipleAllocations=True, capacity={"c": {"value": "4"}})
    share: Json = {"allocatedShared": [_held("d0", shareID=_SHARE)]}
    asks = [{"capacity": {"requests": {"c": "1"}}}, {"capacity": {"requests": {"c": "2"}}}]
    two = _claim(*(_exactly(f"r{i}", **ask) for i, ask in enumerate(asks)))
    other = _claim(
        _exactly("r0", 1, "device.allowMultipleAllocations", **asks[0]),
        _exactly("r1", 1, "!device.allowMultipleAllocations"),
    )
    tainted = _device("d0", **full, taints=[{"key": "k", "effect": "NoSchedule"}])
    for slices, text in (
        ([_together("4Gi", shared)], "one slice"),
        (_counted("4Gi", shared), "two"),
    ):
        yield f"two shares of one device, counters and device in {text}", _question(slices, two)
    for held in ({}, share):
        for slices in (_in_two("4Gi", shared, plain), [_together("4Gi", shared, plain)]):
            yield "a share beside a device", _question(slices, other, **held)
    yield (
        "counters of a device that is tainted, before another in its slice",
        _question(_in_two("4Gi", tainted, plain), _claim(_exactly("r0"))),
    )


def _in_two(amount: str, *devices: Json) -> list[Json]:
    """A pool with counters in one slice and all its devices in another."""
    sets = _slice("sets", [], count=2, sharedCounters=_sets(amount))
    return [_slice("devices", list(devices), count=2), sets]


def _capacities() -> Iterator[tuple[str, Json]]:
    """Amounts that cannot be computed, their notation, and what All mode leaves out."""

    def device(name: str, policy: Json, value: str = "4Gi") -> Json:
        capacity = {"memory": {"value": value, "requestPolicy": policy}}
        return _device(name, allowMultipleAllocations=True, capacity=capacity)

    steps = {"default": "1Gi", "validRange": {"min": "1", "step": "1Gi"}}
    for amount in ("20Ei", "9223372036854775807", "-1"):
        claim = _claim(_exactly("r0", capacity={"requests": {"memory": amount}}))
        yield "an amount beyond computing", _question([_slice("s", [device("d0", steps)])], claim)
    negative = device("d0", {"default": "-1", "validRange": {"min": "-5", "step": "1"}})
    yield "a negative amount", _question([_slice("s", [negative])], _claim(_exactly("r0")))
    decimal = device("d0", {"default": "1k", "validRange": {"min": "1k", "step": "1k"}}, "1M")
    claim = _claim(_exactly("r0", capacity={"requests": {"memory": "1500"}}))
    yield "the notation of a step", _question([_slice("s", [decimal])], claim)
    fraction = {"default": "500m", "validRange": {"min": "500m", "max": "3500m", "step": "250m"}}
    claim = _claim(_exactly("r0", capacity={"requests": {"memory": "1100m"}}))
    yield "steps of fractions", _question([_slice("s", [device("d0", fraction, "4")])], claim)
    busy = [device(f"d{i}", {}) for i in range(2)]
    claim = _claim(_exactly("r0", "All", capacity={"requests": {"memory": "2Gi"}}))
    yield (
        "all devices, one without room",
        _question(
            [_slice("s", busy)],
            claim,
            allocatedShared=[_held("d0", shareID=_SHARE)],
            consumedCapacity=[_held("d0", consumed={"memory": "3Gi"})],
        ),
    )
    claim = _claim(_first("r0", _ask(1, capacity={"requests": {"memory": "1Gi"}})))
    yield "capacity of an alternative", _question([_slice("s", busy)], claim)


def _values() -> Iterator[tuple[str, Json]]:
    """What selectors, constraints and taints make of devices."""
    multiple = [_device("d0"), _device("d1", allowMultipleAllocations=True)]
    for expression in ("device.allowMultipleAllocations", "!device.allowMultipleAllocations"):
        yield (
            "selectors see that a device is shared",
            _question([_slice("s", multiple)], _claim(_exactly("r0", 1, expression))),
        )
    for expression in (f'device.attributes["{_A}"].nope == 1', "1 / 0 == 1"):
        yield (
            "a selector that fails",
            _question([_slice("s", [_device("d0")])], _claim(_exactly("r0", 1, expression))),
        )
    derived = [{"name": "derived.example.com/group", "expression": "device.driver"}]
    yield (
        "derived attributes",
        _question([_slice("s", multiple)], _claim(_exactly("r0", derivedAttributes=derived))),
    )
    values: list[Json] = [_attributes(v=v) for v in (True, False, True, False)]
    values += [{"v": {"version": v}} for v in ("1.0.0", "2.0.0", "1.0.0")]
    values += [_attributes(v=v) for v in (1, 2, 1, "x", "y", "x")]
    for start, end in ((0, 3), (1, 4), (4, 7), (7, 10), (10, 13)):
        devices = [_device(f"d{i}", attributes=values[i]) for i in range(start, end)]
        for key in ("matchAttribute", "distinctAttribute"):
            for requests in ([_exactly("r0", 2)], [_exactly("r0"), _exactly("r1")]):
                claim = _claim(*requests, constraints=[{key: f"{_A}/v"}])
                yield f"{key} over each kind", _question([_slice("s", devices)], claim)
    for effect in ("None", "NoSchedule", "NoExecute"):
        tainted = [_device("d0", taints=[{"key": "k", "effect": effect}]), _device("d1")]
        yield f"taints: {effect}", _question([_slice("s", tainted)], _claim(_exactly("r0")))
    tolerations = [{"key": "k", "operator": "Exists", "effect": "NoSchedule"}]
    yield (
        "tolerations",
        _question(
            [_slice("s", [_device("d0", taints=[{"key": "k", "effect": "NoSchedule"}])])],
            _claim(_exactly("r0", tolerations=tolerations)),
        ),
    )


def _torn() -> Iterator[tuple[str, Json]]:
    """Pools that each node takes for whole, and that are not the same on all of them."""
    near = _slice("a", [_device("d0", consumesCounters=_uses("3")),
                        _device("d1", consumesCounters=_uses("3"))], count=2)  # fmt: skip
    far = _slice("b", [_device("d2", consumesCounters=_uses("2"))], count=2, node="n1")
    sets = _slice("c", [], count=2)
    sets["spec"]["sharedCounters"] = _sets("4")
    sets["spec"].pop("nodeName")
    sets["spec"]["allNodes"] = True
    for nodes in (("n0", "n1"), ("n1", "n0")):
        yield (
            f"what is left of counters is known from {nodes[0]}",
            _question(
                [near, far, sets], _claim(_exactly("r0")), nodes=nodes, allocated=[_held("d0")]
            ),
        )


def _sums() -> Iterator[tuple[str, Json]]:
    """Numbers of devices whose sum is more than an integer holds."""
    few = [_slice("s", [_device("d0"), _device("d1")])]
    for requests in (2, 3, 4):
        yield (
            f"{requests} requests for 2**62 devices each",
            _question(few, _claim(*(_exactly(f"r{i}", 2**62) for i in range(requests)))),
        )
    yield (
        "a sum that is small again",
        _question(few, _claim(*(_exactly(f"r{i}", 2**62) for i in range(4)), _exactly("r4", 2))),
    )
    yield (
        "the least of alternatives counts",
        _question(
            few,
            _claim(_first("r0", _ask(2**62), _ask(1)), _exactly("r1", 2**62), _exactly("r2", 2)),
        ),
    )


def questions() -> Iterator[Json]:
    """The questions, each under every set of gates; those with steps once for each implementation."""
    number = 0
    for group in (_searches, _pools, _counters, _capacities, _values, _more_counters, _torn, _sums):
        for note, question in group():
            for name, gates in _GATES.items():
                yield {
                    "id": f"{group.__name__[1:]}-{number}-{name}",
                    "note": note,
                    "features": gates,
                    **question,
                }
            number += 1

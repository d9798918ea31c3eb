"""Questions by hand about the scheduler's plugin: one for each thing that it minds before and after
devices are looked for.

Two nodes with a pool of two devices each; pods take their claims by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["questions"]

Json = dict[str, Any]

_DRIVER = "a.example.com"
_RESOURCE = "example.com/gpu"
_LONG_AGO, _FAR_AWAY = "2020-01-01T00:00:00Z", "2120-01-01T00:00:00Z"
_EXTENDED = {"resource.kubernetes.io/extended-resource-claim": "true"}
_ON_1 = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
_CONDITIONS: Json = {
    "bindingConditions": ["example.com/ready"],
    "bindingFailureConditions": ["example.com/failed"],
}


def questions() -> Iterator[Json]:
    """All of them, each under the gates that it is about and under those that take it away."""
    for name, question in _all():
        yield {"id": name, **question}


def _all() -> Iterator[tuple[str, Json]]:
    yield from _elsewhere()
    yield from _selectors()
    yield from _binding()
    yield from _operations()
    yield from _consumers()
    yield from _left_over()
    yield from _requests()
    yield from _lists()
    yield from _scores()
    yield from _order()


# Building blocks


def _device(name: str, **more: Any) -> Json:
    return {"name": name, **more}


def _slice(node: str, *devices: Json) -> Json:
    return {
        "metadata": {"name": f"a-{node}", "resourceVersion": "1"},
        "spec": {
            "driver": _DRIVER,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "nodeName": node,
            "devices": list(devices),
        },
    }


def _exactly(name: str = "r0", cls: str = "any", **more: Any) -> Json:
    mode = {"allocationMode": "ExactCount", "count": 1}
    return {"name": name, "exactly": {"deviceClassName": cls, **mode, **more}}


def _first(name: str, *classes: str) -> Json:
    asks = [
        {"name": f"s{i}", "deviceClassName": cls, "allocationMode": "ExactCount", "count": 1}
        for i, cls in enumerate(classes)
    ]
    return {"name": name, "firstAvailable": asks}


def _claim(name: str, *requests: Json, status: Json | None = None, **more: Any) -> Json:
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}"}
    devices = {"requests": list(requests) or [_exactly()], **more}
    claim: Json = {"metadata": metadata, "spec": {"devices": devices}}
    return claim if status is None else {**claim, "status": status}


def _allocated(*terms: Json, request: str = "r0", **more: Any) -> Json:
    """The status of a claim that has d1 of n1; `more` goes into the result."""
    result = {"request": request, "driver": _DRIVER, "pool": "n1", "device": "d1", **more}
    allocation: Json = {"devices": {"results": [result]}}
    if terms:
        allocation["nodeSelector"] = {"nodeSelectorTerms": list(terms)}
    return {"allocation": allocation}


def _pod(number: int, *claims: str, resources: Json | None = None) -> Json:
    name = f"pod{number}"
    container: Json = {"name": "c", "image": "x"}
    if resources is not None:
        container["resources"] = {"requests": resources, "limits": dict(resources)}
    spec: Json = {"containers": [container]}
    if claims:
        spec["resourceClaims"] = [
            {"name": f"e{i}", "resourceClaimName": claim} for i, claim in enumerate(claims)
        ]
        container.setdefault("resources", {})["claims"] = [
            {"name": entry["name"]} for entry in spec["resourceClaims"]
        ]
    return {"metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"}, "spec": spec}


def _question(claims: list[Json], *pods: Json, **more: Any) -> Json:
    devices = [_device("d0"), _device("d1")]
    nodes = [
        {"metadata": {"name": name, "labels": {"zone": zone, "size": size}}}
        for name, zone, size in (("n0", "z0", "1"), ("n1", "z1", "8"))
    ]
    classes = [
        {"metadata": {"name": "any"}, "spec": {}},
        {"metadata": {"name": "second"}, "spec": {"extendedResourceName": _RESOURCE}},
    ]
    return {
        "features": "defaults",
        "nodes": nodes,
        "slices": [_slice("n0", *devices), _slice("n1", *devices)],
        "classes": classes,
        "claims": claims,
        "pods": list(pods),
        **more,
    }


# Nodes on which an allocated claim is of no use


def _elsewhere() -> Iterator[tuple[str, Json]]:
    """The devices for the other claims are looked for first, there as well."""
    pinned = _claim("pinned", status=_allocated(_ON_1))
    both = _pod(0, "pinned", "other")
    yield "elsewhere-fits", _question([pinned, _claim("other")], both)
    yield "elsewhere-alone", _question([pinned], _pod(0, "pinned"))
    none = _claim("other", _exactly(count=3))
    yield "elsewhere-none", _question([pinned, none], both)
    broken = _slice("n0", _device("d0"), _device("d0"))
    fine = _slice("n1", _device("d0"), _device("d1"))
    question = _question([pinned, _claim("other")], both)
    yield "elsewhere-invalid-pool", {**question, "slices": [broken, fine]}
    failing = {"cel": {"expression": "device.attributes['a.example.com'].gone == 1"}}
    wrong = _claim("other", _exactly(selectors=[failing]))
    yield "elsewhere-selector-fails", _question([pinned, wrong], both)
    yield "usable-everywhere", _question([_claim("pinned", status=_allocated())], _pod(0, "pinned"))
    yield (
        "two-pinned",
        _question(
            [pinned, _claim("more", status=_allocated({"matchExpressions": [_in_zone("z0")]}))],
            _pod(0, "pinned", "more"),
        ),
    )


def _in_zone(zone: str, operator: str = "In") -> Json:
    return {"key": "zone", "operator": operator, "values": [zone]}


def _selectors() -> Iterator[tuple[str, Json]]:
    cases: dict[str, list[Json]] = {
        "label": [{"matchExpressions": [_in_zone("z1")]}],
        "not-label": [{"matchExpressions": [_in_zone("z1", "NotIn")]}],
        "larger": [{"matchExpressions": [{"key": "size", "operator": "Gt", "values": ["4"]}]}],
        "no-number": [{"matchExpressions": [{"key": "size", "operator": "Gt", "values": ["x"]}]}],
        "two-wrong": [
            {"matchExpressions": [{"key": "size", "operator": "Lt", "values": ["x"]}]},
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": []}]},
        ],
        "empty-term": [{}],
    }
    for name, terms in cases.items():
        claim = _claim("pinned", status=_allocated(*terms))
        yield f"selector-{name}", _question([claim], _pod(0, "pinned"))
    wrong = _claim("pinned", status=_allocated(*cases["no-number"]))
    gone = _claim("other", _exactly(cls="gone"))
    yield "selector-wrong-first", _question([wrong, gone], _pod(0, "pinned", "other"))
    yield "selector-wrong-second", _question([wrong, gone], _pod(0, "other", "pinned"))


# Binding conditions


def _conditions(**values: str) -> list[Json]:
    return [
        {"type": f"example.com/{name}", "status": value, "reason": "R", "message": "m",
         "lastTransitionTime": _LONG_AGO}
        for name, value in values.items()
    ]  # fmt: skip


def _bound(since: str | None, conditions: list[Json] | None, device: str = "d1") -> Json:
    status = _allocated(**_CONDITIONS)
    if since is not None:
        status["allocation"]["allocationTimestamp"] = since
    if conditions is not None:
        told = {"driver": _DRIVER, "pool": "n1", "device": device, "conditions": conditions}
        status["devices"] = [told]
    return status


def _binding() -> Iterator[tuple[str, Json]]:
    on = {"DRADeviceBindingConditions": True, "DRAResourceClaimDeviceStatus": True}
    states = {
        "nothing": (None, None),
        "nothing-overdue": (_LONG_AGO, None),
        "nothing-early": (_FAR_AWAY, None),
        "ready": (_LONG_AGO, _conditions(ready="True")),
        "not-ready": (_LONG_AGO, _conditions(ready="False")),
        "not-ready-early": (_FAR_AWAY, _conditions(ready="Unknown")),
        "failed": (_FAR_AWAY, _conditions(ready="True", failed="True")),
        "failed-false": (_FAR_AWAY, _conditions(ready="True", failed="False")),
        "other": (_LONG_AGO, _conditions(other="True")),
    }
    for name, (since, conditions) in states.items():
        claim = _claim("waiting", status=_bound(since, conditions))
        question = _question([claim, _claim("other")], _pod(0, "waiting"))
        yield f"binding-{name}", {**question, "features": on}
        both = _question([claim, _claim("other")], _pod(0, "waiting", "other"))
        yield f"binding-{name}-and-pending", {**both, "features": on}
        for gate in on:
            off = {**on, gate: False}
            yield f"binding-{name}-without-{gate}", {**question, "features": off}
    for name, told in (("other-device", "d0"), ("same-device", "d1")):
        status = _bound(_LONG_AGO, _conditions(ready="True"), told)
        question = _question([_claim("waiting", status=status)], _pod(0, "waiting"))
        yield f"binding-{name}", {**question, "features": on}
    status = _bound(_LONG_AGO, _conditions(ready="True"))
    status["allocation"]["devices"]["results"].append(
        {"request": "r1", "driver": _DRIVER, "pool": "n1", "device": "d0", **_CONDITIONS}
    )
    question = _question([_claim("waiting", status=status)], _pod(0, "waiting"))
    yield "binding-second-waits", {**question, "features": on}
    status = _allocated()
    status["allocation"]["allocationTimestamp"] = _LONG_AGO
    yield "binding-none", _question([_claim("waiting", status=status)], _pod(0, "waiting"))
    new = _question([_claim("new")], _pod(0, "new"))
    slow = [_slice(node, _device("d0", **_CONDITIONS)) for node in ("n0", "n1")]
    yield "binding-new", {**new, "slices": slow, "features": on}
    # What a pod that waits has consumed is told apart from what its claim holds.
    gates = {**on, "DRAConsumableCapacity": True}
    shared: Json = {"allowMultipleAllocations": True, "capacity": {"m": {"value": "6"}}}
    ask: Json = {"capacity": {"requests": {"m": "2"}}}
    claims = [_claim(f"c{i}", _exactly(**ask)) for i in range(4)]
    for name, device in (("waits", {**shared, **_CONDITIONS}), ("ready", shared)):
        few = [_slice("n0", _device("d0", **device))]
        question = _question(claims, *(_pod(i, f"c{i}") for i in range(4)))
        yield f"binding-capacity-{name}", {**question, "slices": few, "features": gates}


# Operations left out


def _operations() -> Iterator[tuple[str, Json]]:
    claim = _claim("remote", status=_allocated(skipNodeOperations=["*"]))
    declared = {"status": {"declaredFeatures": ["DRAOptionalNodeOperations"]}}
    gate = {"DRAOptionalNodeOperations": True}
    for name, features in (("on", gate), ("off", "defaults")):
        question = _question([claim], _pod(0, "remote"), features=features)
        yield f"operations-{name}-undeclared", question
        nodes = [question["nodes"][0], {**question["nodes"][1], **declared}]
        yield f"operations-{name}-declared", {**question, "nodes": nodes}


# Consumers


def _consumers() -> Iterator[tuple[str, Json]]:
    for count in (255, 256, 257):
        status = {**_allocated(), "reservedFor": _pods(count)}
        shared = _claim("shared", status=status)
        question = _question([shared, _claim("other")], _pod(0, "shared"), _pod(1, "shared"))
        yield f"consumers-{count}", question
        after = _question([shared, _claim("other")], _pod(0, "other", "shared"), _pod(1, "other"))
        yield f"consumers-{count}-after", after
        before = _question([shared, _claim("other")], _pod(0, "shared", "other"), _pod(1, "other"))
        yield f"consumers-{count}-before", before
        twice = _question([shared], _pod(0, "shared", "shared"))
        yield f"consumers-{count}-twice", twice
        own = [*_pods(count - 1), {"resource": "pods", "name": "pod0", "uid": "uid-pod0"}]
        mine = _claim("shared", status={**status, "reservedFor": own})
        yield f"consumers-{count}-own", _question([mine], _pod(0, "shared"), _pod(1, "shared"))
        full = _claim("full", status={**status, "reservedFor": _pods(256)})
        lost = _question([mine, full], _pod(0, "shared", "full"), _pod(1, "shared"))
        yield f"consumers-{count}-given-back", lost
        again = _question([mine], _pod(0, "shared", "shared"))
        yield f"consumers-{count}-own-twice", again


def _pods(count: int) -> list[Json]:
    return [{"resource": "pods", "name": f"x{i}", "uid": f"uid-x{i}"} for i in range(count)]


# What an earlier attempt left over


def _left_over() -> Iterator[tuple[str, Json]]:
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": "pod0",
        "uid": "uid-pod0",
        "controller": True,
    }
    changes: dict[str, tuple[Json, Json | None]] = {
        "own": ({}, _EXTENDED),
        "other-uid": ({"uid": "uid-other"}, _EXTENDED),
        "other-name": ({"name": "other"}, _EXTENDED),
        "no-controller": ({"controller": False}, _EXTENDED),
        "not-marked": ({}, None),
        "marked-false": ({}, dict.fromkeys(_EXTENDED, "false")),
    }
    gate = {"DRAExtendedResource": True}
    for name, (change, marks) in changes.items():
        claim = _claim("left", _exactly("container-0-request-0", cls="second"))
        claim["metadata"] |= {"ownerReferences": [{**owner, **change}]}
        if marks is not None:
            claim["metadata"]["annotations"] = marks
        pod = _pod(0, resources={_RESOURCE: "1"})
        yield f"left-over-{name}", _question([claim], pod, features=gate)
        plain = _question([claim, _claim("other")], _pod(0, "other"), features=gate)
        yield f"left-over-{name}-unneeded", plain
        wrong = {"matchExpressions": [{"key": "size", "operator": "Gt", "values": ["x"]}]}
        for kind, terms in (("allocated", ()), ("broken", (wrong,))):
            held = {**claim, "status": _allocated(*terms, request="container-0-request-0")}
            yield f"left-over-{name}-{kind}", _question([held], pod, features=gate)


# Requests and classes


def _requests() -> Iterator[tuple[str, Json]]:
    cases = {
        "unknown": {"name": "r0"},
        "no-class": _exactly(cls=""),
        "gone-class": _exactly(cls="gone"),
        "first-fine": _first("r0", "any", "second"),
        "first-gone": _first("r0", "any", "gone"),
        "first-no-class": _first("r0", "", "gone"),
    }
    for name, request in cases.items():
        question = _question([_claim("asks", request)], _pod(0, "asks"))
        yield f"request-{name}", question
        off = {"DRAPrioritizedList": False}
        if name.startswith("first"):
            yield f"request-{name}-off", {**question, "features": off}
        done = _claim("asks", request, status=_allocated())
        yield f"request-{name}-allocated", _question([done], _pod(0, "asks"))
    two = _claim("asks", _exactly(), _exactly("r1", cls="gone"))
    yield "request-second-gone", _question([two], _pod(0, "asks"))


def _lists() -> Iterator[tuple[str, Json]]:
    """A constraint on a list attribute, which not every plugin tells the allocator of."""
    listed = {"roots": {"strings": ["x", "y"]}}
    other = {"roots": {"strings": ["y", "z"]}}
    slices = [_slice("n0", _device("d0", attributes=listed), _device("d1", attributes=other))]
    constraint = {"matchAttribute": f"{_DRIVER}/roots", "requests": ["r0", "r1"]}
    claim = _claim("pair", _exactly("r0"), _exactly("r1"), constraints=[constraint])
    for on in (True, False):
        question = _question([claim], _pod(0, "pair"), features={"DRAListTypeAttributes": on})
        yield f"lists-{on}", {**question, "slices": slices}


def _scores() -> Iterator[tuple[str, Json]]:
    held = _claim("held", _first("r0", "gone", "any"), status=_allocated(request="r0/s1"))
    asks = _claim("asks", _first("r0", "any", "second"))
    pod = _pod(0, "held", "asks")
    yield "score-both", _question([held, asks], pod)
    yield "score-held", _question([held], _pod(0, "held"))
    only = {"cel": {"expression": "false"}}
    second = _claim("asks", _first("r0", "never", "any"))
    question = _question([held, second], pod)
    never = {"metadata": {"name": "never"}, "spec": {"selectors": [only]}}
    yield "score-second", {**question, "classes": [*question["classes"], never]}
    two = _first("r0", "any", "any")
    two["firstAvailable"][0]["count"] = 2
    question = _question([_claim("asks", two)], _pod(0, "asks"))
    few = _slice("n0", _device("d0"))
    yield "score-better-node", {**question, "slices": [few, question["slices"][1]]}


def _order() -> Iterator[tuple[str, Json]]:
    """What is said where several things are true."""
    pinned = _claim("pinned", status=_allocated(_ON_1))
    gate = {"DRAExtendedResource": True}
    pod = _pod(0, "pinned", resources={_RESOURCE: "3"})
    yield "order-extended-and-pinned", _question([pinned], pod, features=gate)
    unknown = _pod(0, "pinned", resources={_RESOURCE: "1", "example.com/unknown": "1"})
    yield "order-unknown-resource", _question([pinned], unknown, features=gate)
    few = _question([pinned], _pod(0, "pinned", resources={_RESOURCE: "1"}), features=gate)
    offered = [{**node, "status": {"allocatable": {_RESOURCE: "4"}}} for node in few["nodes"]]
    yield "order-offered-by-nodes", {**few, "nodes": offered}
    yield "order-offered-by-one", {**few, "nodes": [few["nodes"][0], offered[1]]}

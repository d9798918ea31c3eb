"""Questions by hand about devices that take resources of their nodes (DRANodeAllocatableResources).

Devices say what they take in the form of 1.36 and in that of 1.37, so that one question is for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["questions"]

Json = dict[str, Any]

_DRIVER = "a.example.com"
_GATES = {"DRANodeAllocatableResources": True, "DRAConsumableCapacity": True}
_RELEASES = ["1.36", "1.37"]
_HUGE = "hugepages-2Mi"


def questions() -> Iterator[Json]:
    """All of them; `releases` are those that have the gate."""
    groups = (
        _amounts, _capacities, _overheads, _lacking, _sharing, _containers, _pod_level,
        _held, _places, _extended, _one_after_another, _running_pods,
    )  # fmt: skip
    for group in groups:
        for number, (note, question) in enumerate(group()):
            name = f"{group.__name__[1:].replace('_', '-')}-{number}"
            yield {
                "id": name,
                "note": note,
                "features": _GATES,
                "releases": _RELEASES,
                **question,
            }
    for number, amount in enumerate(("3Gi", "3Gi", "5Gi")):
        # 1.37 knows of cpu, memory and huge pages only.
        used = {"requests": {"ephemeral-storage": "2Gi"}} if number else {}
        others = [_running("other", {"containers": [{"name": "x", "resources": used}]})]
        device = _device("d0", {"ephemeral-storage": amount})
        yield {
            "id": f"storage-{number}",
            "note": "storage of the node",
            "features": _GATES,
            "releases": ["1.36"],
            **_ask([device], [_claim()], [_simple()], running=others),
        }
    note, question = next(_lacking())
    yield {
        "id": "gate-off",
        "note": note,
        "features": "defaults",
        "releases": _RELEASES,
        **question,
    }


# Building blocks


def _device(name: str, takes: Json | None = None, **more: Any) -> Json:
    """`takes`: resource to an amount for each device, or to (form of 1.37, form of 1.36)."""
    now: Json = {}
    before: Json = {}
    for resource, amount in (takes or {}).items():
        if isinstance(amount, str):
            now[resource] = {"mapping": {"deviceMultiplier": amount}}
            before[resource] = {"allocationMultiplier": amount}
        else:
            now[resource], before[resource] = amount
    if takes is None:
        return {"name": name, **more}
    return {
        "name": name,
        "nodeAllocatableResources": now,
        "nodeAllocatableResourceMappings": before,
        **more,
    }


def _of_capacity(key: str, factor: str | None = None) -> tuple[Json, Json]:
    now: Json = {"capacityKey": key}
    before: Json = {"capacityKey": key}
    if factor is not None:
        now["capacityMultiplier"] = before["allocationMultiplier"] = factor
    return {"mapping": now}, before


def _overhead(amount: str | None = None, **overhead: str) -> tuple[Json, Json]:
    """Besides what it stands for, if anything; 1.36 has no overhead, there it stands for it."""
    now: Json = {"overhead": overhead}
    if amount is not None:
        now["mapping"] = {"deviceMultiplier": amount}
    return now, {"allocationMultiplier": amount or next(iter(overhead.values()), "0")}


def _shared(name: str, takes: Json) -> Json:
    capacity = {"cores": {"value": "8"}, "memory": {"value": "8Gi"}}
    return _device(name, takes, allowMultipleAllocations=True, capacity=capacity)


def _slice(*devices: Json, node: str | None = "n0", pool: str = "p0", **more: Any) -> Json:
    spec: Json = {
        "driver": more.pop("driver", _DRIVER),
        "pool": {"name": pool, "generation": 1, "resourceSliceCount": 1},
        "devices": list(devices),
        **more,
    }
    if node is not None:
        spec["nodeName"] = node
    return {
        "metadata": {"name": f"{spec['driver'][0]}-{pool}", "resourceVersion": "1"},
        "spec": spec,
    }


def _node(name: str = "n0", cpu: str = "4", memory: str = "4Gi", **more: str) -> Json:
    allocatable = {"cpu": cpu, "memory": memory, "ephemeral-storage": "4Gi"}
    for key, amount in more.items():
        allocatable["hugepages-" + key[-3:]] = amount
    return {
        "metadata": {"name": name, "labels": {"zone": name}},
        "status": {"allocatable": allocatable},
    }


def _exactly(count: int = 1, name: str = "r0", **more: Any) -> Json:
    mode = {"allocationMode": "ExactCount", "count": count}
    return {"name": name, "exactly": {"deviceClassName": "any", **mode, **more}}


def _claim(name: str = "c0", *requests: Json, status: Json | None = None) -> Json:
    asked = list(requests) or [_exactly()]
    claim: Json = {
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {"devices": {"requests": asked}},
    }
    return claim if status is None else {**claim, "status": status}


def _allocated(
    *devices: str, pool: str = "p0", node: str | None = "n0", reserved: tuple[str, ...] = (),
    **more: Any,
) -> Json:  # fmt: skip
    """The status of a claim that is allocated already. `reserved` are names of pods."""
    results = [
        {"request": "r0", "driver": _DRIVER, "pool": pool, "device": device, **more}
        for device in devices
    ]
    allocation: Json = {"devices": {"results": results}}
    if node is not None:
        need = {"key": "metadata.name", "operator": "In", "values": [node]}
        allocation["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": [need]}]}
    status: Json = {"allocation": allocation}
    if reserved:
        status["reservedFor"] = [
            {"resource": "pods", "name": name, "uid": f"uid-{name}"} for name in reserved
        ]
    return status


def _container(
    name: str, *claims: Any, limits: Json | None = None, requests: Json | None = None
) -> Json:
    resources: Json = {"claims": [{"name": c} if isinstance(c, str) else c for c in claims]}
    asked = {**(limits or {}), **(requests or {})}
    if asked:
        resources["requests"] = asked
    if limits:
        resources["limits"] = limits
    return {"name": name, "image": "x", "resources": resources}


def _pod(name: str, containers: list[Json], *claims: str, **more: Any) -> Json:
    """`claims` are named e0, e1, … in the pod."""
    spec: Json = {"containers": containers, **more}
    if claims:
        spec["resourceClaims"] = [
            {"name": f"e{i}", "resourceClaimName": claim} for i, claim in enumerate(claims)
        ]
    metadata = {"name": name, "namespace": "default", "uid": f"uid-{name}"}
    return {"metadata": metadata, "spec": spec}


def _simple(name: str = "pod0", claim: str = "c0", **requests: str) -> Json:
    asked = {key.replace("_", "-"): amount for key, amount in requests.items()}
    return _pod(name, [_container("k0", "e0", requests=asked)], claim)


def _ask(
    devices: list[Json] | Json, claims: list[Json], pods: list[Json], *nodes: Json, **more: Any
) -> Json:
    """`devices`: of one slice for n0, or a dict with the slices."""
    slices = devices["slices"] if isinstance(devices, dict) else [_slice(*devices)]
    return {
        "nodes": list(nodes) or [_node()],
        "slices": slices,
        "classes": [
            {"metadata": {"name": "any"}, "spec": {"extendedResourceName": "example.com/x"}}
        ],
        "claims": claims,
        "pods": pods,
        **more,
    }


def _running(name: str, spec: Json, *statuses: Json, node: str = "n0") -> Json:
    """A pod that runs; its UID is that of the pod called so, if there is one to be placed."""
    return {
        "metadata": {"name": f"running-{name}", "namespace": "default", "uid": f"uid-{name}"},
        "spec": {"nodeName": node, "containers": [], **spec},
        "status": {"nodeAllocatableResourceClaimStatuses": list(statuses)},
    }


def _took(claim: str, resource: str, amount: str, **overhead: str) -> Json:
    """A status in the forms of both releases, for two containers."""
    status: Json = {
        "resourceClaimName": claim,
        "containers": ["k0", "k1"],
        "resources": {resource: amount},
        "mapping": [{"name": resource, "quantity": amount}],
    }
    return {**status, "overhead": [{"name": resource, **overhead}]} if overhead else status


# Groups


def _amounts() -> Iterator[tuple[str, Json]]:
    """What a device stands for, in every notation."""
    for amount in ("2", "500m", "1.5", "+1", "1e0", "3n", "0", "0.0001", "1Ki"):
        device = _device("d0", {"cpu": amount})
        yield f"cpu {amount}", _ask([device], [_claim()], [_simple()])
    for amount in ("1Gi", "1G", "1e9", "1073741824", "0.5Gi", "1.5", "1k", "+5Mi", "12345678"):
        device = _device("d0", {"memory": amount})
        yield f"memory {amount}", _ask([device], [_claim()], [_simple()])
    many = {"memory": "1Gi", "cpu": "1", _HUGE: "2Mi"}
    both = [_device("d0", many), _device("d1", {"cpu": "500m", "memory": "1M"}), _device("d2")]
    claim = _claim("c0", _exactly(3))
    yield "devices add up", _ask(both, [claim], [_simple()], _node(h2Mi="2Mi"))
    yield "notations add up", _ask(list(reversed(both)), [claim], [_simple()], _node(h2Mi="2Mi"))
    empty = _device("d0", {"cpu": ({}, {}), "memory": ({"mapping": {}}, {})})
    yield "neither amount nor capacity", _ask([empty], [_claim()], [_simple()])
    yield "nothing at all", _ask([_device("d0", {})], [_claim()], [_simple(cpu="100")])
    ours, other = _claim("c0"), _claim("c1", _exactly(name="x"))
    pod = _pod("pod0", [_container("k0", "e1"), _container("k1", "e0")], "c1", "c0")
    two = [_device("d0", {"cpu": "1"}), _device("d1", {"cpu": "2", "memory": "1Gi"})]
    yield "two claims, in order of their names", _ask(two, [ours, other], [pod])
    mixed = [_device("d0", {"cpu": "1"}), _device("d1")]
    yield "one claim of two", _ask(mixed, [ours, other], [pod])
    admin = _claim("c0", _exactly(adminAccess=True))
    admins = {"features": {**_GATES, "DRAAdminAccess": True}}
    yield "admin access", {**_ask([_device("d0", {"cpu": "2"})], [admin], [_simple()]), **admins}


def _capacities() -> Iterator[tuple[str, Json]]:
    """What a unit of a capacity stands for."""
    cores = _claim("c0", _exactly(capacity={"requests": {"cores": "3"}}))
    for factor in (None, "1", "2", "0.5", "1500m", "0", "1Ki", "3n", "1e3"):
        device = _shared("d0", {"cpu": _of_capacity("cores", factor)})
        node = _node(cpu="4000")
        yield f"capacity times {factor}", _ask([device], [cores], [_simple()], node)
    memory = _claim("c0", _exactly(capacity={"requests": {"memory": "1536Mi"}}))
    for factor in (None, "1", "2", "0.1", "3n", "1e-3", "1Ki"):
        device = _shared("d0", {"memory": _of_capacity("memory", factor)})
        node = _node(memory="4Ti")
        yield f"memory times {factor}", _ask([device], [memory], [_simple()], node)
    for key in ("nope", ""):
        device = _shared("d0", {"cpu": _of_capacity(key, "2")})
        yield f"capacity {key!r}, which is not consumed", _ask([device], [cores], [_simple()])
    both = _shared("d0", {"cpu": _of_capacity("nope"), "memory": _of_capacity("memory")})
    yield "one capacity consumed, one not", _ask([both], [memory], [_simple()])
    plain = _device("d0", {"cpu": _of_capacity("cores")}, capacity={"cores": {"value": "8"}})
    yield "a capacity that is not shared", _ask([plain], [_claim()], [_simple()])
    first = _shared("d0", {"cpu": _of_capacity("cores", "0.3")})
    two = _claim(
        "c0", *(_exactly(name=f"r{i}", capacity={"requests": {"cores": "1"}}) for i in (0, 1))
    )
    yield "two devices by capacity", _ask([first, {**first, "name": "d1"}], [two], [_simple()])


def _overheads() -> Iterator[tuple[str, Json]]:
    """What comes on top, for the pod or for each of its containers."""
    k0, k1, i0 = _container("k0", "e0"), _container("k1", "e0"), _container("i0", "e0")
    for overhead in (
        {"perPod": "1"},
        {"perContainer": "1"},
        {"perPod": "1", "perContainer": "500m"},
    ):
        for amount in (None, "1"):
            device = _device("d0", {"cpu": _overhead(amount, **overhead)})
            for containers in ([k0], [k0, k1], [k0, _container("k1")]):
                pod = _pod("pod0", containers, "c0")
                yield f"overhead {overhead} on {amount}", _ask([device], [_claim()], [pod])
    device = _device("d0", {"cpu": _overhead(perPod="500m", perContainer="1")})
    for sidecar in ({}, {"restartPolicy": "Always"}):
        pod = _pod("pod0", [k0, k1], "c0", initContainers=[{**i0, **sidecar}])
        for cpu in ("4", "3", "2"):
            yield "init containers count", _ask([device], [_claim()], [pod], _node(cpu=cpu))
    nothing = _device("d0", {"cpu": _overhead(), "memory": _overhead("1Gi")})
    yield "overhead of nothing", _ask([nothing], [_claim()], [_simple()])
    two = [
        _device("d0", {"cpu": _overhead(perPod="+1"), _HUGE: _overhead(perContainer="4Mi")}),
        _device("d1", {"cpu": _overhead("1", perContainer="1m", perPod="1m")}),
    ]
    claim = _claim("c0", _exactly(2))
    yield "overheads add up", _ask(two, [claim], [_pod("pod0", [k0, k1], "c0")], _node(h2Mi="8Mi"))
    unnamed = _pod("pod0", [_container("k0")], "c0")
    for cpu in ("2", "1"):
        yield "overhead for no container", _ask([device], [_claim()], [unnamed], _node(cpu=cpu))


def _lacking() -> Iterator[tuple[str, Json]]:
    """What the node has too little of, and whether it would do empty."""
    takes = {"cpu": "2", "memory": "2Gi", _HUGE: "2Gi", "hugepages-1Gi": "1Gi"}
    pod = _simple(cpu="1", memory="1Gi", ephemeral_storage="1Gi")
    devices = [_device("d0", takes)]
    nodes = (
        _node(cpu="3", memory="3Gi", h2Mi="2Gi", h1Gi="1Gi"),
        _node("n1", cpu="3", memory="3Gi", h2Mi="2Gi", h1Gi="1Gi"),
    )
    yield "just enough", _ask(devices, [_claim()], [pod], nodes[0])
    for missing in (
        {"cpu": "2999m"},
        {"memory": "3Gi", "cpu": "1"},
        {"memory": "2Gi"},
        {"h2Mi": "1Gi"},
        {"h1Gi": "0"},
        {"cpu": "2", "memory": "2Gi", "h2Mi": "1Gi", "h1Gi": "0"},
    ):
        enough = {"cpu": "3", "memory": "3Gi", "h2Mi": "2Gi", "h1Gi": "1Gi"}
        yield f"only {missing}", _ask(devices, [_claim()], [pod], _node(**{**enough, **missing}))
    yield "no huge pages", _ask(devices, [_claim()], [pod], _node())
    yield "a node without amounts", _ask(devices, [_claim()], [pod], {"metadata": {"name": "n0"}})
    for used in (
        {"cpu": "1"}, {"cpu": "1", "memory": "1Gi"}, {"cpu": "100"}, {"ephemeral-storage": "4Gi"},
        {_HUGE: "1"}, {"hugepages-1Gi": "2Gi", _HUGE: "2Gi"},
    ):  # fmt: skip
        others = [
            _running("other", {"containers": [{"name": "x", "resources": {"requests": used}}]})
        ]
        yield f"others use {used}", _ask(devices, [_claim()], [pod], nodes[0], running=others)
        yield f"others use {used} elsewhere", _ask(devices, [_claim()], [pod], *nodes, running=[
            {**others[0], "spec": {**others[0]["spec"], "nodeName": "n1"}}])  # fmt: skip
    none = [_device("d0", {_HUGE: "0", "cpu": "0", "memory": "0"})]
    over = {"requests": {_HUGE: "3Gi", "cpu": "9", "memory": "9Gi"}}
    others = [_running("other", {"containers": [{"name": "x", "resources": over}]})]
    yield (
        "none of what is overcommitted",
        _ask(none, [_claim()], [_simple()], nodes[0], running=others),
    )
    for storage in ("4Gi", "5Gi"):
        pod = _simple(ephemeral_storage=storage)
        yield "storage of containers", _ask(devices, [_claim()], [pod], nodes[0])


def _sharing() -> Iterator[tuple[str, Json]]:
    """Claims of several pods."""
    two = [_simple("pod0"), _simple("pod1")]
    mapped, on_top = _device("d0", {"cpu": "1"}), _device("d0", {"cpu": _overhead(perPod="1")})
    nodes = (_node(), _node("n1"))
    anywhere = _slice(mapped, node=None, allNodes=True)
    yield "one pod after the other", _ask([mapped], [_claim()], two, *nodes)
    yield "overhead alone", _ask([on_top], [_claim()], two, *nodes)
    yield "nothing taken", _ask([_device("d0")], [_claim()], two, *nodes)
    everywhere = {"slices": [anywhere]}
    yield "on every node", _ask(everywhere, [_claim()], two, *nodes)
    for reserved in (("pod1",), ("pod0",), ("pod0", "pod1"), ("x",)):
        for device in (mapped, on_top):
            claim = _claim(status=_allocated("d0", reserved=reserved))
            yield f"reserved for {reserved}", _ask([device], [claim], two[:1], *nodes)
            mixed = _pod("pod0", [_container("k0", "e0", "e1")], "c0", "c1")
            spare = [device, _device("d1", {"cpu": "1"})]
            yield (
                f"reserved for {reserved}, and a claim that waits",
                _ask(spare, [claim, _claim("c1")], [mixed], *nodes),
            )
    claim = _claim(status=_allocated("d0", node=None))
    for consumers in (("x",), ("x", "y"), ("pod0",), ("pod0", "x")):
        for claim_name in ("c0", "c1"):
            others = [_running(one, {}, _took(claim_name, "cpu", "1")) for one in consumers]
            yield (
                f"used by {consumers} on the node",
                _ask(everywhere, [claim, _claim("c1")], two[:1], *nodes, running=others),
            )
    both = _pod("pod0", [_container("k0", "e0", "e1")], "c0", "c1")
    taken = _claim("c0", status=_allocated("d0", pool="p1", node="n1", reserved=("x",)))
    far = _slice(mapped, node="n1", pool="p1")
    slices = {"slices": [far, _slice(_device("d1", {"cpu": "1"}), _device("d2"))]}
    yield "another's claim, on another node", _ask(slices, [taken, _claim("c1")], [both], *nodes)


def _containers() -> Iterator[tuple[str, Json]]:
    """Which containers refer to a claim."""
    mapped = [_device("d0", {"cpu": "1"})]
    k0, none = _container("k0", "e0"), _container("k1")
    for text, containers, more in (
        ("none", [none], {}),
        ("one of two", [none, k0], {}),
        ("an init container", [none], {"initContainers": [_container("i0", "e0")]}),
        ("all", [k0, _container("k1", "e0")], {"initContainers": [_container("i0", "e0")]}),
        ("another claim's name", [_container("k0", "c0")], {}),
        ("one twice", [_container("k0", "e0", {"name": "e0", "request": "r0"}), none], {}),
        ("one three times", [_container("k0", "e0", "e0", {"name": "e0", "request": "r0"})], {}),
    ):
        pod = _pod("pod0", containers, "c0", **more)
        yield f"{text} refers", _ask(mapped, [_claim()], [pod, _simple("pod1", "c1")])
    twice = _pod("pod0", [_container("k0", "e1"), _container("k1", "e0")], "c0", "c0")
    yield "two entries for one claim", _ask(mapped, [_claim()], [twice])
    held = _claim(status=_allocated("d0"))
    yield "two entries for one claim that is allocated", _ask(mapped, [held], [twice])
    two = [*mapped, _device("d1", {"cpu": "1"})]
    only = _pod("pod0", [_container("k0", "e0")], "c0", "c1")
    yield "one claim of two is named", _ask(two, [_claim(), _claim("c1")], [only])


def _pod_level() -> Iterator[tuple[str, Json]]:
    """What the pod as a whole asks for."""
    takes = {"cpu": "2", "memory": "1Gi", _HUGE: "2Mi"}
    devices = [_device("d0", takes)]
    node = _node(cpu="8", memory="8Gi", h2Mi="64Mi")
    limits = {"cpu": "1", "memory": "1Gi", _HUGE: "2Mi"}
    whole: list[Json] = [{"requests": {"cpu": cpu}} for cpu in ("3", "2999m", "9", "8")]
    whole += [
        {"requests": {"memory": "2Gi"}}, {"requests": {"memory": "2047Mi"}},
        {"requests": {_HUGE: "4Mi"}}, {"requests": {_HUGE: "2Mi"}}, {"requests": {}},
        {"requests": {"ephemeral-storage": "1"}}, {"limits": {}},
        {"limits": {"cpu": "3"}}, {"limits": {"cpu": "2999m"}}, {"limits": {"memory": "2Gi"}},
        {"limits": {"memory": "2047Mi"}}, {"limits": {_HUGE: "4Mi"}}, {"limits": {_HUGE: "2Mi"}},
        {"limits": {"hugepages-1Gi": "0"}}, {"requests": {"cpu": "4"}, "limits": {"cpu": "2"}},
        {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}, {"limits": {"ephemeral-storage": "1"}},
    ]  # fmt: skip
    for resources in whole:
        pod = _pod("pod0", [_container("k0", "e0", limits=limits)], "c0", resources=resources)
        yield f"{resources}", _ask(devices, [_claim()], [pod], node)
    for resources in (
        {"requests": {"cpu": "3"}},
        {"requests": {"cpu": "2"}},
        {"limits": {"cpu": "3"}},
    ):
        more = {"resources": resources, "overhead": {"cpu": "1", "memory": "64Mi"}}
        pod = _pod("pod0", [_container("k0", "e0", limits=limits)], "c0", **more)
        for cpu in ("4", "3999m", "3"):
            yield (
                f"{resources} and overhead of the pod",
                _ask(devices, [_claim()], [pod], _node(cpu=cpu, h2Mi="64Mi")),
            )
    for limit in ("4", "3500m", "3", "2"):
        on_top = [_device("d0", {"cpu": _overhead("1", perPod="1", perContainer="500m")})]
        level = {"resources": {"limits": {"cpu": limit}}}
        containers = [
            _container("k0", "e0", limits={"cpu": "1"}),
            _container("k1", limits={"cpu": "2"}),
        ]
        pod = _pod("pod0", containers, "c0", **level)
        yield f"a limit of {limit}, and what comes on top", _ask(on_top, [_claim()], [pod], node)
        start = [_container("i0", "e0", limits={"cpu": "1"})]
        pod = _pod("pod0", containers[1:], "c0", initContainers=start, **level)
        yield f"a limit of {limit}, of an init container", _ask(on_top, [_claim()], [pod], node)
    none = [_shared("d0", {"cpu": _of_capacity("nope")})]
    level = {"resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}}
    pod = _pod("pod0", [_container("k0", "e0", limits={"cpu": "2"})], "c0", **level)
    yield "claims that take nothing", _ask(none, [_claim()], [pod], node)
    sidecar = {**_container("i1", requests={"cpu": "1"}), "restartPolicy": "Always"}
    starting = [
        _container("i0", requests={"cpu": "5"}),
        sidecar,
        _container("i2", requests={"cpu": "2"}),
    ]
    for cpu in ("7", "6"):
        pod = _pod(
            "pod0", [_container("k0", "e0", requests={"cpu": "1"})], "c0", initContainers=starting
        )
        yield (
            "the peak of the init containers",
            _ask(devices, [_claim()], [pod], _node(cpu=cpu, h2Mi="64Mi")),
        )


def _held() -> Iterator[tuple[str, Json]]:
    """Claims that were allocated before."""
    devices = [_device("d0", {"cpu": "3"}), _device("d1", {"cpu": "2"}), _device("d2")]
    nodes = (_node(), _node("n1"))
    for text, status in (
        ("one", _allocated("d0")),
        ("two", _allocated("d0", "d1")),
        ("one that takes nothing", _allocated("d2")),
        ("one that is gone", _allocated("gone")),
        ("one that is gone, and one that is there", _allocated("d0", "gone")),
        ("one of a pool that is gone", _allocated("d0", pool="gone")),
        ("one, for all nodes", _allocated("d0", node=None)),
        ("two, for all nodes", _allocated("d0", "d1", node=None)),
        ("one, for another node", _allocated("d0", node="n1")),
    ):
        claim = _claim(status=status)
        yield f"{text} allocated", _ask(devices, [claim], [_simple()], *nodes)
        both = _pod("pod0", [_container("k0", "e0", "e1")], "c0", "c1")
        spare = [*devices, _device("d3", {"cpu": "1", "memory": "1Gi"})]
        pending = _claim("c1")
        yield (
            f"{text} allocated, and a claim that waits",
            _ask(spare, [claim, pending], [both], *nodes),
        )
    shared = [_shared("d0", {"cpu": _of_capacity("cores", "2")})]
    for consumed in ({"cores": "1"}, {"cores": "2"}, {"memory": "1"}):
        status = _allocated("d0", shareID="00000000-0000-0000-0000-000000000001")
        status["allocation"]["devices"]["results"][0]["consumedCapacity"] = consumed
        claim = _claim(status=status)
        yield f"consumed {consumed}", _ask(shared, [claim], [_simple()], *nodes)
    absent = _claim(status=_allocated("d0"))
    yield "consumed nothing that is known", _ask(shared, [absent], [_simple()], *nodes)
    asks = [{"name": f"s{i}", "deviceClassName": "any", "allocationMode": "ExactCount", "count": 1} for i in (0, 1)]  # fmt: skip
    listed = _claim("c0", {"name": "r0", "firstAvailable": asks}, status=_allocated("d1"))
    listed["status"]["allocation"]["devices"]["results"][0]["request"] = "r0/s1"
    for taking in (devices, [_device("d1")]):
        yield "an alternative allocated", _ask(taking, [listed], [_simple()], *nodes)


def _places() -> Iterator[tuple[str, Json]]:
    """Where a device is looked for."""
    takes = {"cpu": "3"}
    nodes = (_node(), _node("n1"))
    zone = {
        "nodeSelectorTerms": [
            {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["n1"]}]}
        ]
    }
    held = _claim(status=_allocated("d0", node=None))
    for claim in (_claim(), held):
        for text, one in (
            ("a node", _slice(_device("d0", takes))),
            ("another node", _slice(_device("d0", takes), node="n1")),
            ("all nodes", _slice(_device("d0", takes), node=None, allNodes=True)),
            ("a zone", _slice(_device("d0", takes), node=None, nodeSelector=zone)),
        ):
            slices = {"slices": [one]}
            yield f"a slice for {text}", _ask(slices, [claim], [_simple(cpu="2")], *nodes)
        for text, place in (
            ("a node", {"nodeName": "n0"}),
            ("all nodes", {"allNodes": True}),
            ("a zone", {"nodeSelector": zone}),
            ("nothing", {}),
        ):
            devices = [_device("d0", takes, **place), _device("d1", {"cpu": "1"}, allNodes=True)]
            one = _slice(*devices, node=None, perDeviceNodeSelection=True)
            yield (
                f"a device for {text}",
                _ask({"slices": [one]}, [claim], [_simple(cpu="2")], *nodes),
            )
            both = _claim(status=_allocated("d1", "d0", node=None))
            yield (
                f"a device for {text}, and one for all",
                _ask({"slices": [one]}, [both], [_simple(cpu="2")], *nodes),
            )
    two = [
        _slice(_device("d0", takes)),
        _slice(_device("d1", {"cpu": "1"}), driver="b.example.com"),
    ]
    driver = {"cel": {"expression": "device.driver == 'b.example.com'"}}
    claim = _claim("c0", _exactly(selectors=[driver]))
    yield "another driver's pool of that name", _ask({"slices": two}, [claim], [_simple()], *nodes)


def _extended() -> Iterator[tuple[str, Json]]:
    """Devices that pods get as extended resources."""
    devices = [_device("d0", {"cpu": "1"}), _device("d1", {"cpu": "1"}), _device("d2")]
    gates = {"features": {**_GATES, "DRAExtendedResource": True}}
    asks = {"example.com/x": "1"}

    def pod(name: str, *claims: str) -> Json:
        return _pod(
            name, [_container("k0", *(f"e{i}" for i in range(len(claims))), limits=asks)], *claims
        )

    for cpu in ("4", "0"):
        pods = [pod("pod0"), pod("pod1")]
        yield "extended resources", {**_ask(devices, [], pods, _node(cpu=cpu)), **gates}
    plain = [_device("d0")]
    yield "extended resources that take nothing", {**_ask(plain, [], [pod("pod0")]), **gates}
    pods = [pod("pod0", "c0"), pod("pod1", "c1")]
    claims = [_claim("c0"), _claim("c1")]
    yield "and claims", {**_ask(devices, claims, pods), **gates}
    yield (
        "and claims that take nothing",
        {**_ask([_device("d0"), *devices[1:2]], claims, pods), **gates},
    )
    twice = pod("pod0", "c0")
    twice["spec"]["containers"][0]["resources"]["claims"] *= 2
    yield "and a claim named twice", {**_ask(devices, claims, [twice]), **gates}
    offered = _node()
    offered["status"]["allocatable"]["example.com/x"] = "2"
    yield "of the node itself", {**_ask(devices, claims, pods, offered), **gates}


def _one_after_another() -> Iterator[tuple[str, Json]]:
    """Pods until nothing is left, on two nodes."""
    takes = {"cpu": _overhead("1", perContainer="250m"), "memory": "512Mi"}
    slices = [
        _slice(*(_device(f"d{i}", takes) for i in range(3)), node=f"n{n}", pool=f"p{n}")
        for n in (0, 1)
    ]
    for cpu, requests in (
        ("3", {}),
        ("4", {"cpu": "1"}),
        ("9", {"memory": "1Gi"}),
        ("2", {"cpu": "2"}),
    ):
        pods = [_simple(f"pod{i}", f"c{i}", **requests) for i in range(5)]
        claims = [_claim(f"c{i}") for i in range(5)]
        nodes = (_node(cpu=cpu), _node("n1", cpu=cpu))
        yield f"requests {requests} of {cpu} cpu", _ask({"slices": slices}, claims, pods, *nodes)
        level = [
            _pod(f"pod{i}", [_container("k0", "e0", requests=requests)], f"c{i}",
                 resources={"requests": {"cpu": "2"}}) for i in range(3)
        ]  # fmt: skip
        yield (
            f"two cpu of the pod, requests {requests}",
            _ask({"slices": slices}, claims, level, *nodes),
        )


def _running_pods() -> Iterator[tuple[str, Json]]:
    """Pods that are on the node, with what their claims take."""
    devices = [_device("d0", {"cpu": "1", "memory": "1Gi"})]
    spec = {"containers": [{"name": "k0", "resources": {"requests": {"cpu": "1"}}}]}
    level = {**spec, "resources": {"requests": {"cpu": "2"}}, "overhead": {"cpu": "500m"}}
    for text, status in (
        ("nothing", None),
        ("cpu", _took("x", "cpu", "1")),
        ("cpu and more on top", _took("x", "cpu", "1", perPod="500m", perContainer="250m")),
        ("cpu for containers", _took("x", "cpu", "0", perContainer="1")),
        ("memory", _took("x", "memory", "3Gi")),
    ):
        for cpu in ("2", "3", "3500m", "4"):
            for form in (spec, level):
                others = [_running("other", form, *([status] if status else []))]
                yield (
                    f"{text} taken of {cpu}",
                    _ask(devices, [_claim()], [_simple()], _node(cpu=cpu), running=others),
                )

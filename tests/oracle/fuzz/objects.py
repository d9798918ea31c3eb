"""API objects: complete valid ones of every kind, and what happens to them when fields go wrong.

Every case starts from a valid object and spoils one to three places: removed, of another type, at a
limit and beyond it, misspelt, doubled. Some are updates of the object that was valid.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = [
    "BASES",
    "claim",
    "generate",
    "generate_pods",
    "generate_undefaulted",
    "in_beta1",
    "pod",
    "singles",
    "spoil",
]

Json = dict[str, Any]
Path = tuple[str | int, ...]

_UUID = "0f9e0b38-52f6-4b0e-9d5b-6a1f6f1f2c11"
_LONG_LABEL = "a" * 63
_NAMES: tuple[Any, ...] = (
    "", "a", "A", "a.b", "a-", "-a", "a_b", "a/b", "a/b/c", "/a", "a/", "a b", "é", "0a", "a" * 63,
    "a" * 64, "a" * 253, "a" * 254, "a.example.com", "A.Example.com", "a..b", "example.com/Name_1",
    "example.com/0x", "example.com/" + "x" * 32, "example.com/" + "x" * 33, "x" * 33, "x-y", "_x",
    "kubernetes.io/x", "sub.kubernetes.io/x", "requests.example.com/x", "EXAMPLE.com/x", "r0", "r0/s0",
    "r1/s0", "r9", "r0/s9", "r1/s0/x", "*", "All", "NoExecute",
)  # fmt: skip
_QUANTITIES: tuple[Any, ...] = (
    "0", "-1", "1", "1k", "1Ki", "500m", "1.5Gi", "10Gi", "100Gi", "x", "", 5, 1.5, "9223372036854775808",
    "1e3", "0.1n", "3", "2", "4", "-1Gi", None,
)  # fmt: skip
_NUMBERS: tuple[Any, ...] = (0, 1, -1, 2, 33, 2**31, 2**63 - 1, 2**63, 1.5, "1", None, True)
_BOOLS: tuple[Any, ...] = (True, False, None, "true", 1)
_TEXTS: tuple[Any, ...] = (
    "", "x", "true", "device.driver == 'a'", "1", "device.nope", "device.attributes['a'].b",
    "a" * 10241, "[1, 2].all(x, x", "device.driver.matches('[')", "x" * 65, "1.2.3", "v1.2", "2020-01-01T00:00:00Z",
    "device.capacity['a'].b != device.capacity['a'].c", "device.allowMultipleAllocations",
)  # fmt: skip
_ANYTHING: tuple[Any, ...] = (None, "", "x", 0, 7, True, [], {}, [1], {"x": 1}, ["x"])
_OPERATORS = ("Exists", "Equal", "", "In", "NotIn", "DoesNotExist", "Gt", "Lt", "Nope", None)
_EFFECTS = ("NoSchedule", "NoExecute", "None", "", "Nope", "PreferNoSchedule", None)
_MODES = ("ExactCount", "All", "", "Nope", None)
_TIMES = ("2020-01-01T00:00:00Z", "2020-01-01", "x", "", None, 5)
_PARAMETERS: tuple[Any, ...] = (
    None, {}, [], "x", 1, {"a": "b"}, {"a": "x" * 10240}, {"apiVersion": "v1", "kind": "K"}, False,
)  # fmt: skip

_BY_KEY: dict[str, tuple[Any, ...]] = {
    "count": _NUMBERS, "generation": _NUMBERS, "resourceSliceCount": _NUMBERS, "int": _NUMBERS,
    "tolerationSeconds": _NUMBERS, "limit": _NUMBERS, "ints": ([], [1], [1, "x"], [1] * 49, None),
    "adminAccess": _BOOLS, "allNodes": _BOOLS, "bool": _BOOLS, "perDeviceNodeSelection": _BOOLS,
    "bindsToNode": _BOOLS, "allowMultipleAllocations": _BOOLS, "bools": ([], [True], None),
    "expression": _TEXTS, "string": _TEXTS, "version": ("1.2.3", "v1.2.3", "1.2", "", "1.2.3-rc.1+b", "1." * 40, None),
    "strings": ([], ["a"], ["x" * 65], ["a"] * 49, None), "versions": ([], ["1.2.3"], ["x"], None),
    "operator": _OPERATORS, "effect": _EFFECTS, "allocationMode": _MODES, "source": ("FromClass", "FromClaim", "", "Nope"),
    "timeAdded": _TIMES, "allocationTimestamp": _TIMES, "lastTransitionTime": _TIMES, "parameters": _PARAMETERS,
    "value": (*_QUANTITIES, "v w", "a" * 64), "default": _QUANTITIES, "min": _QUANTITIES, "max": _QUANTITIES,
    "step": _QUANTITIES, "validValues": ([], ["1"], ["2", "1"], ["1", "1"], ["100Gi"], [str(i) for i in range(11)], ["500m", "1"]),
    "memory": _QUANTITIES, "m": _QUANTITIES, "shareID": (_UUID, "x", "", _UUID.upper(), None), "uid": (_UUID, "", "x"),
    "skipNodeOperations": ([], ["*"], ["NodePrepareResources"], ["NodeUnprepareResources"], ["*", "*"], ["x"],
                           ["NodePrepareResources", "NodeUnprepareResources"]),
    "ips": ([], ["10.0.0.1/24"], ["10.0.0.1"], ["x"], ["10.0.0.1/24", "10.0.0.1/24"], ["10.0.0.01/24"], [f"10.0.0.{i}/24" for i in range(17)]),
    "interfaceName": ("eth0", "x" * 257, ""), "hardwareAddress": ("aa:bb", "x" * 129, ""),
    "compatibilityGroups": ([], ["g"], ["g", "g"], ["a", "b", "c"], ["A"], [""]),
    "capacityMultiplier": _QUANTITIES, "deviceMultiplier": _QUANTITIES, "perPod": _QUANTITIES, "perContainer": _QUANTITIES,
    "allocationMultiplier": _QUANTITIES, "status": ("True", "False", "Unknown", "", "x"),
    "metadata": ({}, {"name": "a"}, {"labels": {"a": "b"}}, {"name": "a", "generateName": "b-"}, None),
}  # fmt: skip

# How long a list must be to touch its limit.
_SIZES = (0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 16, 17, 32, 33, 64, 65, 128, 129, 256, 257)


def claim() -> Json:
    """A claim that uses every field of its spec."""
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "claim", "namespace": "ns", "labels": {"app": "x"}},
        "spec": _claim_spec(),
    }


def _ask(**more: Any) -> Json:
    return {
        "deviceClassName": "gpu.example.com",
        "selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}],
        "allocationMode": "ExactCount",
        "count": 2,
        "tolerations": [
            {"key": "example.com/k", "operator": "Equal", "value": "v", "effect": "NoSchedule"},
            {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30},
        ],
        "capacity": {"requests": {"memory": "10Gi"}},
        **more,
    }


def _claim_spec() -> Json:
    return {
        "devices": {
            "requests": [
                {"name": "r0", "exactly": _ask(adminAccess=False)},
                {"name": "r1", "firstAvailable": [{"name": "s0", **_ask()}, {"name": "s1", "deviceClassName": "c"}]},
            ],
            "constraints": [
                {"requests": ["r0", "r1/s0"], "matchAttribute": "example.com/numa"},
                {"distinctAttribute": "example.com/slot"},
            ],
            "config": [
                {"requests": ["r0"], "opaque": {"driver": "gpu.example.com", "parameters": {"a": 1}}},
                {"requests": ["r1"], "opaque": {"driver": "gpu.example.com", "parameters": {"b": 1}}},
            ],
        }
    }  # fmt: skip


def _allocated_claim() -> Json:
    one = claim()
    result = {
        "request": "r0", "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0", "adminAccess": False,
        "tolerations": [{"key": "k", "operator": "Exists"}],
        "bindingConditions": ["example.com/ready"], "bindingFailureConditions": ["example.com/failed"],
        "shareID": _UUID, "consumedCapacity": {"memory": "10Gi"},
    }  # fmt: skip
    one["status"] = {
        "allocation": {
            "devices": {
                "results": [result, {"request": "r1/s0", "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-1"}],
                "config": [
                    {"source": "FromClass", "requests": ["r0"], "opaque": {"driver": "gpu.example.com", "parameters": {"a": 1}}},
                    {"source": "FromClaim", "requests": [], "opaque": {"driver": "gpu.example.com", "parameters": {}}},
                ],
            },
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}]},
            "allocationTimestamp": "2020-01-01T00:00:00Z",
        },
        "reservedFor": [{"resource": "pods", "name": "p", "uid": "u-1"}, {"apiGroup": "g", "resource": "jobs", "name": "j", "uid": "u-2"}],
        "devices": [
            {
                "driver": "gpu.example.com", "pool": "node-1", "device": "gpu-1", "data": {"a": 1},
                "conditions": [{"type": "Ready", "status": "True", "reason": "Done", "message": "m", "lastTransitionTime": "2020-01-01T00:00:00Z"}],
                "networkData": {"interfaceName": "eth0", "ips": ["10.0.0.1/24"], "hardwareAddress": "aa:bb"},
            }
        ],
    }  # fmt: skip
    return one


def _unallocated_claim() -> Json:
    one = claim()
    one["status"] = {}
    return one


def _template() -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "template", "namespace": "ns"},
        "spec": {
            "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}},
            "spec": _claim_spec(),
        },
    }


def _class() -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu.example.com"},
        "spec": {
            "selectors": [{"cel": {"expression": "device.driver == 'gpu.example.com'"}}],
            "config": [{"opaque": {"driver": "gpu.example.com", "parameters": {"a": 1}}}],
            "extendedResourceName": "example.com/gpu",
        },
    }


def _slice() -> Json:
    device: Json = {
        "name": "gpu-0",
        "attributes": {
            "model": {"string": "x"}, "index": {"int": 1}, "example.com/ok": {"bool": True}, "fw": {"version": "1.2.3"},
        },
        "capacity": {
            "memory": {"value": "10Gi", "requestPolicy": {"default": "1Gi", "validRange": {"min": "1Gi", "max": "8Gi", "step": "1Gi"}}},
            "example.com/cores": {"value": "4", "requestPolicy": {"default": "1", "validValues": ["1", "2", "4"]}},
        },
        "allowMultipleAllocations": True,
        "consumesCounters": [{"counterSet": "cs", "counters": {"m": {"value": "1Gi"}}}],
        "taints": [{"key": "example.com/k", "value": "v", "effect": "NoSchedule", "timeAdded": "2020-01-01T00:00:00Z"}, {"key": "k", "effect": "NoExecute"}],
        "bindsToNode": True, "bindingConditions": ["example.com/ready"], "bindingFailureConditions": ["example.com/failed"],
    }  # fmt: skip
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "slice"},
        "spec": {
            "driver": "gpu.example.com",
            "pool": {"name": "node-1", "generation": 1, "resourceSliceCount": 1},
            "nodeName": "node-1",
            "devices": [device, {"name": "gpu-1"}],
        },
    }


def _per_device_slice() -> Json:
    one = _slice()
    del one["spec"]["nodeName"]
    one["spec"]["perDeviceNodeSelection"] = True
    one["spec"]["devices"] = [
        {"name": "a", "nodeName": "n"},
        {"name": "b", "allNodes": True},
        {"name": "c", "nodeSelector": _selector()},
    ]
    return one


def _selector() -> Json:
    return {
        "nodeSelectorTerms": [
            {
                "matchExpressions": [{"key": "zone", "operator": "In", "values": ["a", "b"]}],
                "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}],
            }
        ]
    }


def _counter_slice() -> Json:
    one = _slice()
    del one["spec"]["devices"], one["spec"]["nodeName"]
    one["spec"]["nodeSelector"] = _selector()
    one["spec"]["sharedCounters"] = [
        {"name": "cs", "counters": {"m": {"value": "8Gi"}, "s": {"value": "4"}}},
        {"name": "cs2", "counters": {"m": {"value": "8Gi"}}},
    ]
    return one


def _new_slice() -> Json:
    """What 1.36 and 1.37 add behind gates."""
    one = _slice()
    device = one["spec"]["devices"][0]
    device["attributes"] = {
        "l": {"strings": ["a", "b"]}, "n": {"ints": [1, 2]}, "b": {"bools": [True]}, "v": {"versions": ["1.2.3"]},
        "example.com/kind": {"string": "whole"},
    }  # fmt: skip
    device["consumesCounters"][0]["compatibilityGroups"] = ["g"]
    device["nodeAllocatableResources"] = {
        "cpu": {"mapping": {"capacityKey": "example.com/cores", "capacityMultiplier": "1"}, "overhead": {"perPod": "1", "perContainer": "100m"}},
        "memory": {"mapping": {"deviceMultiplier": "2"}},
    }  # fmt: skip
    one["spec"]["skipNodeOperations"] = ["NodeUnprepareResources"]
    one["spec"]["partitionTypeAttribute"] = "example.com/kind"
    return one


def _derived_claim() -> Json:
    one = claim()
    ask = one["spec"]["devices"]["requests"][0]["exactly"]
    ask["derivedAttributes"] = [
        {"name": "example.com/numa", "expression": "device.attributes['a'].numa"}
    ]
    return one


def _taint_rule() -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "rule"},
        "spec": {
            "deviceSelector": {"driver": "gpu.example.com", "pool": "node-1", "device": "gpu-0"},
            "taint": {
                "key": "k",
                "value": "v",
                "effect": "NoExecute",
                "timeAdded": "2020-01-01T00:00:00Z",
            },
        },
    }


def _pool_request() -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1alpha3",
        "kind": "ResourcePoolStatusRequest",
        "metadata": {"name": "request"},
        "spec": {"driver": "gpu.example.com", "poolName": "node-1", "limit": 10},
    }


def pod() -> Json:
    """A pod whose containers use claims in every way."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ns"},
        "spec": {
            "resourceClaims": [
                {"name": "a", "resourceClaimName": "claim"},
                {"name": "b", "resourceClaimTemplateName": "template"},
            ],
            "initContainers": [
                {"name": "i", "image": "x", "resources": {"claims": [{"name": "a"}]}}
            ],
            "containers": [
                {
                    "name": "c",
                    "image": "x",
                    "resources": {
                        "claims": [{"name": "a", "request": "r0"}, {"name": "b"}],
                        "requests": {"example.com/gpu": "1"},
                        "limits": {"example.com/gpu": "1"},
                    },
                },
                {"name": "d", "image": "x"},
            ],
        },
    }


BASES = (
    claim, claim, _derived_claim, _template, _class, _slice, _slice, _per_device_slice, _counter_slice, _new_slice,
    _taint_rule, _pool_request,
)  # fmt: skip


def in_beta1(value: Any) -> Any:
    """The same object in the shape of v1beta1: flat requests, devices under `basic`."""
    if isinstance(value, list):
        return [in_beta1(item) for item in value]
    if not isinstance(value, dict):
        return value
    shaped = {key: in_beta1(item) for key, item in value.items()}
    exactly = shaped.get("exactly")
    if isinstance(exactly, dict):
        del shaped["exactly"]
        shaped |= exactly
    if isinstance(shaped.get("devices"), list) and "pool" in shaped:
        shaped["devices"] = [
            {"name": d.get("name"), "basic": {k: v for k, v in d.items() if k != "name"}}
            if isinstance(d, dict)
            else d
            for d in shaped["devices"]
        ]
    return shaped


def _paths(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key)
            yield from _paths(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield (*path, index)
            yield from _paths(item, (*path, index))


def _parent(value: Any, path: Path) -> Any:
    for step in path[:-1]:
        value = value[step]
    return value


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy(item) for item in value]
    return value


def spoil(obj: Json, rng: random.Random) -> None:
    """Changes one place of an object."""
    candidates = [p for p in _paths(obj) if p[0] not in ("apiVersion", "kind")]
    if not candidates:
        return
    path = rng.choice(candidates)
    parent, last = _parent(obj, path), path[-1]
    here = parent[last]
    choice = rng.random()
    if choice < 0.14:
        del parent[last]
    elif choice < 0.22 and isinstance(parent, list):
        parent.insert(rng.randrange(len(parent) + 1), _copy(here))
    elif choice < 0.42 and isinstance(here, list) and here:
        parent[last] = _resized(here, rng)
    elif choice < 0.5 and isinstance(here, dict) and here:
        _disturb_keys(here, rng)
    elif choice < 0.56:
        parent[last] = _copy(rng.choice(_ANYTHING))
    elif isinstance(here, dict | list):
        parent[last] = _copy(rng.choice((None, [], {}, here)))
    else:
        parent[last] = _copy(rng.choice(_BY_KEY.get(str(last), _NAMES)))


def _resized(items: list[Any], rng: random.Random) -> list[Any]:
    size = rng.choice(_SIZES)
    sized = [_copy(items[i % len(items)]) for i in range(size)]
    if rng.random() < 0.7:
        for number, item in enumerate(sized):
            if isinstance(item, dict):
                for key in ("name", "uid", "device", "counterSet"):
                    if isinstance(item.get(key), str):
                        item[key] = f"{item[key]}{number}"[:63]
            elif isinstance(item, str):
                sized[number] = f"{item}{number}"
    return sized


def _disturb_keys(here: Json, rng: random.Random) -> None:
    key = rng.choice(list(here))
    turn = rng.randrange(4)
    if turn == 0:
        here[key + "x"] = here.pop(key)
    elif turn == 1:
        here[rng.choice(_NAMES) or "x"] = _copy(here[key])
    elif turn == 2:
        here[key.upper()] = here.pop(key)
    else:
        for number in range(rng.choice((3, 31, 33))):
            here[f"{key}{number}"] = _copy(here[key])


def singles() -> Iterator[Json]:
    """Every field of every base removed, and set to every value that is made for it."""
    for base in dict.fromkeys(BASES):
        yield _single(base, base(), "as-is", ())
        for path in _paths(base()):
            if path[0] in ("apiVersion", "kind"):
                continue
            obj = base()
            del _parent(obj, path)[path[-1]]
            yield _single(base, obj, "without", path)
            here = _parent(base(), path)[path[-1]]
            if isinstance(here, list) and here:
                values: list[Any] = [_resized(here, random.Random(size)) for size in range(9)]
            elif isinstance(here, dict):
                values = [{}, None]
            else:
                values = list(_BY_KEY.get(str(path[-1]), _NAMES))
            for number, value in enumerate(values):
                obj = base()
                _parent(obj, path)[path[-1]] = _copy(value)
                yield _single(base, obj, str(number), path)


def _single(base: Callable[[], Json], obj: Json, what: str, path: Path) -> Json:
    place = ".".join(str(step) for step in path)
    features = (
        "all"
        if "partitionTypeAttribute" in str(obj) or "derivedAttributes" in str(obj)
        else "defaults"
    )
    return {
        "id": f"{base.__name__.strip('_')}-{place}-{what}",
        "default": True,
        "features": features,
        "object": obj,
    }


def generate(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `validate` without end."""
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        yield {"id": f"validate-{seed:x}", **_question(one)}


def _question(rng: random.Random) -> Json:
    if rng.random() < 0.2:
        return _status_question(rng)
    obj = rng.choice(BASES)()
    old = _copy(obj) if rng.random() < 0.2 else None
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        spoil(obj, rng)
    version = rng.choice(("v1", "v1", "v1", "v1beta2", "v1beta1"))
    if obj.get("kind") == "ResourcePoolStatusRequest":
        version = "v1alpha3"
    elif obj.get("kind") == "DeviceTaintRule":
        version = rng.choice(("v1", "v1beta2", "v1alpha3"))
    obj = _in_version(obj, version)
    question: Json = {
        "default": True,
        "features": rng.choice(("defaults", "defaults", "all")),
        "object": obj,
    }
    if old is not None:
        question["old"] = _in_version(old, version)
    return question


def _status_question(rng: random.Random) -> Json:
    old = rng.choice((_allocated_claim, _unallocated_claim))()
    obj = _allocated_claim()
    for _ in range(rng.choice((0, 1, 1, 2))):
        status = {"status": obj["status"]}
        spoil(status, rng)
        if "status" not in status:
            obj.pop("status")
            break
        obj["status"] = status["status"]
        if not isinstance(obj["status"], dict):
            break
    return {
        "default": True,
        "subresource": "status",
        "features": rng.choice(("defaults", "defaults", "all")),
        "object": obj,
        "old": old,
    }


def _in_version(obj: Json, version: str) -> Json:
    shaped: Json = in_beta1(obj) if version == "v1beta1" else obj
    return {**shaped, "apiVersion": f"resource.k8s.io/{version}"}


def generate_undefaulted(rng: random.Random) -> Iterator[Json]:
    """The questions of `generate` about objects as they are written, without defaults."""
    for question in generate(rng):
        yield {key: value for key, value in question.items() if key != "default"}


def generate_pods(rng: random.Random) -> Iterator[Json]:
    """Questions of subject `pod` without end: only what concerns claims is spoilt."""
    while True:
        seed = rng.getrandbits(48)
        one = random.Random(seed)
        obj = pod()
        for _ in range(one.choice((1, 1, 2))):
            _spoil_pod(obj, one)
        yield {"id": f"pod-{seed:x}", "default": True, "features": "defaults", "object": obj}


def _spoil_pod(obj: Json, rng: random.Random) -> None:
    spec = obj["spec"]
    place = rng.choice(("claims", "container", "container", "init", "resources"))
    if place == "claims":
        part = {"resourceClaims": spec.get("resourceClaims", [])}
        spoil(part, rng)
        spec |= part
    elif place == "resources":
        resources = spec["containers"][0].setdefault("resources", {})
        name = rng.choice(("example.com/gpu", "deviceclass.resource.kubernetes.io/c"))
        for kind in ("requests", "limits"):
            if rng.random() < 0.7:
                resources.setdefault(kind, {})[name] = rng.choice(
                    ("1", "2", "500m", "0", "-1", "1.5")
                )
    else:
        containers = spec["containers" if place == "container" else "initContainers"]
        chosen = rng.choice(containers)
        part = {"claims": chosen.setdefault("resources", {}).get("claims", [{"name": "a"}])}
        spoil(part, rng)
        chosen["resources"] |= part

"""Broken objects: valid ones from bases.yaml with random changes, and questions made of them."""

from __future__ import annotations

import copy
import datetime as dt
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from dradsl.releases import Release, Served
from tests.kube.limits import at_a_limit

if TYPE_CHECKING:
    from random import Random

__all__ = ["Question", "bases", "mutated", "question"]

Question = dict[str, Any]

# Values that are right somewhere and wrong almost everywhere else.
_VALUES: tuple[Any, ...] = (
    *("", "a", "x-y", "A.b", "UPPER", "bad_name", "a" * 64, "b" * 254, "dra.example.com"),
    *("example.com/foo", "example.com/", "/foo", "a/b/c", "Ex.com/model", "r1", "r1/s1", "r1/zz"),
    *("r2", "gpu.nvidia.com/Mod-el", "1.2.3", "v1.2", "1.2.3-rc.1+b", "5", "10Gi", "1500m", "-3"),
    *("1e3", "0.5", "NoExecute", "None", "Exists", "Equal", "All", "ExactCount", "Foo", "In", "Gt"),
    *("metadata.name", "true", "kubernetes.io/foo", "requests.x/y", "e.com/" + "n" * 70),
    *("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee", "AAAAAAAA-bbbb-4ccc-8ddd-eeeeeeeeeeee", "zz", "*"),
    *("10.0.0.1/24", "10.0.00.1/24", "::1/64", "::ffff:1.2.3.4/120", "cpu", "memory"),
    *("hugepages-2Mi", "foo.com/bar", "NodePrepareResources", "NodeUnprepareResources"),
    *("orphan", "foregroundDeletion", "Apply", "Update", "FieldsV1", "v1", "Event", "/v1", "v1/"),
    *("a" * 129, "b" * 257, "c" * 1025, "A" * 32769, "é" * 40, "n.com/" + "v" * 64, "-a", "a-"),
    *("2024-01-01T00:00:00Z", 0, 1, -1, 5, 200, 2**40, 1.5, True, False, None, [], {}),
)
_FIELDS = [
    "adminAccess",
    "allNodes",
    "allocationMode",
    "allowMultipleAllocations",
    "annotations",
    "attributes",
    "basic",
    "bindingConditions",
    "bindingFailureConditions",
    "bindsToNode",
    "bool",
    "bools",
    "capacity",
    "capacityKey",
    "capacityMultiplier",
    "compatibilityGroups",
    "config",
    "constraints",
    "consumesCounters",
    "count",
    "counterSet",
    "counters",
    "default",
    "derivedAttributes",
    "device",
    "deviceClassName",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "deviceMultiplier",
    "deviceSelector",
    "devices",
    "distinctAttribute",
    "driver",
    "effect",
    "exactly",
    "extendedResourceName",
    "finalizers",
    "firstAvailable",
    "generateName",
    "generation",
    "int",
    "ints",
    "key",
    "labels",
    "managedFields",
    "mapping",
    "matchAttribute",
    "max",
    "metadata",
    "min",
    "name",
    "namespace",
    "nodeAllocatableResources",
    "nodeName",
    "nodeSelector",
    "opaque",
    "operator",
    "overhead",
    "ownerReferences",
    "parameters",
    "partitionTypeAttribute",
    "perContainer",
    "perDeviceNodeSelection",
    "perPod",
    "pool",
    "requestPolicy",
    "requests",
    "resourceVersion",
    "selectors",
    "shareID",
    "sharedCounters",
    "skipNodeOperations",
    "spec",
    "status",
    "step",
    "string",
    "strings",
    "taint",
    "taints",
    "timeAdded",
    "tolerationSeconds",
    "tolerations",
    "uid",
    "unknownField",
    "validRange",
    "validValues",
    "value",
    "version",
    "versions",
]
_LABELS = {"resource.kubernetes.io/admin-access": "true"}
# Gates that other features need, or that do not change what is stored.
_UNTOUCHED = frozenset(
    {
        "DRADeviceTaintRules",
        "DRAResourceClaimDeviceStatus",
        "DRAResourceClaimGranularStatusAuthorization",
        "DRASchedulerFilterTimeout",
        "DRAWorkloadResourceClaims",
    }
)
_NEEDS = {
    "DRADeviceCompatibilityGroups": ("DRAPartitionableDevices",),
    "DRADeviceTaintRules": ("DRADeviceTaints",),
    "DRAFractionalCapacityRange": ("DRAConsumableCapacity",),
    "DRAPartitionableDevicesType": ("DRAPartitionableDevices", "DRAResourcePoolStatus"),
}


class _Loader(yaml.SafeLoader):
    """Times stay text."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in rows if tag != "tag:yaml.org,2002:timestamp"]
    for first, rows in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@cache
def bases() -> list[dict[str, Any]]:
    """The rows of bases.yaml."""
    text = (Path(__file__).parent / "bases.yaml").read_text()
    rows: list[dict[str, Any]] = yaml.load(text, _Loader)
    assert not any(isinstance(row, dt.date) for row in rows)
    return rows


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        items: Any = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return [path]
    return [path, *(found for key, item in items for found in _paths(item, (*path, key)))]


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for element in path:
        value = value[element]
    return value


def mutated(obj: Any, random: Random) -> Any:
    """A copy with one to four changes: other values, lost, doubled, moved and misplaced parts."""
    obj = copy.deepcopy(obj)
    for _ in range(random.choice([1, 1, 1, 2, 2, 3, 4])):
        paths = [p for p in _paths(obj) if p and p[0] not in ("apiVersion", "kind")]
        if paths:
            _change(obj, random.choice(paths), paths, random)
    return obj


def _change(obj: Any, path: tuple[Any, ...], paths: list[tuple[Any, ...]], random: Random) -> None:
    parent, last, action = _at(obj, path[:-1]), path[-1], random.random()
    if action < 0.4:
        parent[last] = copy.deepcopy(random.choice(_VALUES))
    elif action < 0.52:
        del parent[last]
    elif action < 0.65 and isinstance(parent, list):
        times = random.choice([1, 1, 1, 2, 35])
        parent.extend(copy.deepcopy(parent[last]) for _ in range(times))
    elif action < 0.8 and isinstance(parent, dict):
        parent[random.choice(_FIELDS)] = copy.deepcopy(random.choice(_VALUES))
    elif action < 0.9:
        parent[last] = copy.deepcopy(_at(obj, random.choice(paths)))
    elif isinstance(parent, dict):
        value = parent.pop(last)
        names = [v for v in _VALUES if isinstance(v, str)]
        parent[random.choice([*names, *_FIELDS])] = value
    else:
        parent[last] = copy.deepcopy(random.choice(_VALUES))


def question(release: Release, random: Random) -> Question:
    """A question of the protocol about a broken object of a kind that `release` serves."""
    if random.random() < 0.1:
        return _limit_question(release, random)
    rows = [row for row in bases() if _served(row["object"], release)]
    row = random.choice(rows)
    found: Question = {"default": True, "object": mutated(row["object"], random)}
    meta = found["object"].get("metadata")
    if isinstance(meta, dict) and isinstance(meta.get("generateName"), str):
        # The server cuts a longer prefix before it adds to it; the oracle does not.
        meta["generateName"] = meta["generateName"][:58]
    found["features"] = random.choice([{}, {}, _gates(release, random)])
    if row.get("status") or random.random() < 0.25:
        old = row["object"] if random.random() < 0.8 else mutated(row["object"], random)
        if row.get("status"):
            found["subresource"] = "status"
            if random.random() < 0.5:
                old = {key: value for key, value in old.items() if key != "status"}
        found["old"] = old
    if random.random() < 0.5:
        found["namespaceLabels"] = _LABELS
    return found


def _limit_question(release: Release, random: Random) -> Question:
    obj, old, status = at_a_limit(random)
    found: Question = {"default": True, "object": obj, "features": {}}
    if random.random() < 0.7:
        found["features"] = _gates(release, random)
    if old is not None:
        found["old"] = old
    if status:
        found["subresource"] = "status"
    return found


def _served(obj: dict[str, Any], release: Release) -> bool:
    version = obj["apiVersion"].rpartition("/")[2]
    return release.serves(version, obj["kind"]) is not Served.NO


def _gates(release: Release, random: Random) -> dict[str, bool]:
    gates = {
        name: random.random() < 0.7
        for name, gate in release.gates.items()
        if name.startswith("DRA") and not gate.locked and name not in _UNTOUCHED
    }
    for name, needed in _NEEDS.items():
        known = name in release.gates and not release.gates[name].locked
        if known and not all(gates.get(other, True) for other in needed):
            gates[name] = False
    return gates

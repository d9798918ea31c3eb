"""Questions by hand for rules of validation that a change of one field of a valid object rarely meets.

A row names the base (tests/oracle/fuzz/objects.py) and what is set in it; `...` takes a field away.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from tests.oracle.fuzz import objects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["pod_rules", "validate_rules", "yaml_rules"]

Json = dict[str, Any]
Edits = dict[str, Any]

_UUID = "0f9e0b38-52f6-4b0e-9d5b-6a1f6f1f2c11"
_R0 = "spec.devices.requests.0"
_DEVICE = "spec.devices.0"
_RESULT = "status.allocation.devices.results.0"
_NO_DEVICE_STATUS = dict.fromkeys(
    (
        "DRAResourceClaimDeviceStatus",
        "DRADeviceBindingConditions",
        "DRAResourceClaimGranularStatusAuthorization",
    ),
    False,
)
_NO_CAPACITY = {"DRAConsumableCapacity": False}
_NO_PARTITION_TYPE = {"DRAPartitionableDevicesType": False}
# Rejected in a new expression for what it reads and what it compares, in a stored one only for that.
_TWICE_WRONG = "device.allowMultipleAllocations && 1"
# What only stored expressions may read while the gate is off.
_STORED_ONLY = "device.allowMultipleAllocations"
_COSTLY = "lists.range(400000).size()"
_POOL_STATUS: dict[str, Any] = {
    "poolCount": 1,
    "pools": [
        {
            "driver": "gpu.example.com",
            "poolName": "node-1",
            "generation": 1,
            "resourceSliceCount": 1,
            "totalDevices": 2,
            "allocatedDevices": 1,
            "availableDevices": 1,
            "unavailableDevices": 0,
            "nodeName": "node-1",
        }
    ],
    "conditions": [
        {
            "type": "Complete",
            "status": "True",
            "reason": "R",
            "message": "",
            "lastTransitionTime": "2020-01-01T00:00:00Z",
        }
    ],
}
_POOL = "status.pools.0"
_WRITTEN = {"metadata.resourceVersion": "1"}
_DERIVED = f"{_R0}.exactly.derivedAttributes"
_PARTITION = {"attribute": "example.com/kind", "type": "a", "total": 2, "allocatable": 1}
_SHAREABLE: dict[str, Any] = {
    "fullyAvailableDevices": 1,
    "partiallyAvailableDevices": 1,
    "capacity": [{"name": "memory", "total": "10Gi", "consumed": "1Gi", "available": "9Gi"}],
}
_OWNER = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}
_MANAGED = {
    "manager": "m",
    "operation": "Apply",
    "apiVersion": "v1",
    "fieldsType": "FieldsV1",
    "fieldsV1": {},
}


def _numbered(count: int, item: Callable[[int], Any]) -> list[Any]:
    return [item(i) for i in range(count)]


# base, edits, more of the question
_CREATES: list[tuple[str, Edits, Json]] = [
    # What is no object of the group at all
    ("claim", {"apiVersion": ...}, {}),
    ("claim", {"kind": ...}, {}),
    ("claim", {"apiVersion": "resource.k8s.io/v2"}, {}),
    ("claim", {"kind": "Claim"}, {}),
    ("claim", {"apiVersion": "resource.k8s.io/v1alpha3"}, {}),
    ("claim", {"apiVersion": "resource.k8s.io/v1alpha2"}, {}),
    ("taint_rule", {"apiVersion": "resource.k8s.io/v1beta1"}, {}),
    # Shapes of the versions
    ("claim", {f"{_R0}.deviceClassName": "c"}, {}),
    ("claim", {"apiVersion": "resource.k8s.io/v1beta1"}, {}),
    ("slice", {f"{_DEVICE}.basic": {}}, {}),
    ("slice", {"apiVersion": "resource.k8s.io/v1beta1"}, {}),
    ("claim", {f"{_R0}.exactly.selectors": [{"expression": "true"}]}, {}),
    ("class", {"spec.selectors": [{"expression": "true"}]}, {}),
    ("template", {"spec.devices": {"requests": []}}, {}),
    ("template", {"spec.spec": ..., "spec.devices": {"requests": []}}, {}),
    ("claim", {"spec.devices.requests.1.firstAvailable.0.adminAccess": True}, {}),
    ("claim", {f"{_R0}.firstAvailable": [{"name": "s", "deviceClassName": "c"}]}, {}),
    ("claim", {f"{_R0}.firstAvailable": []}, {}),
    ("claim", {f"{_R0}.exactly": {}}, {}),
    # Metadata
    ("claim", {"metadata.name": ..., "metadata.generateName": "x-"}, {}),
    ("claim", {"metadata.name": ..., "metadata.generateName": "X-"}, {}),
    ("claim", {"metadata.name": ...}, {}),
    ("class", {"metadata.namespace": "ns"}, {}),
    ("slice", {"metadata.namespace": "ns"}, {}),
    ("claim", {"metadata.namespace": "NS"}, {}),
    ("claim", {"metadata.generation": -1}, {}),
    ("claim", {"metadata.annotations": {"a": "x" * 262145}}, {}),
    ("claim", {"metadata.annotations": {"A b": "x"}}, {}),
    ("claim", {"metadata.labels": {"a/b/c": "x", "ok": "no no"}}, {}),
    ("claim", {"metadata.ownerReferences": [{"kind": "Pod"}]}, {}),
    ("claim", {"metadata.ownerReferences": [{**_OWNER, "kind": "Event"}]}, {}),
    ("claim", {"metadata.ownerReferences": [{**_OWNER, "controller": True}, {**_OWNER, "uid": "v", "controller": True}]}, {}),
    ("claim", {"metadata.ownerReferences": [{**_OWNER, "apiVersion": "a/b/c"}]}, {}),
    ("claim", {"metadata.finalizers": ["x"]}, {}),
    ("claim", {"metadata.finalizers": ["a b"]}, {}),
    ("claim", {"metadata.finalizers": ["orphan", "foregroundDeletion"]}, {}),
    ("claim", {"metadata.managedFields": [{**_MANAGED, "operation": "Nope"}]}, {}),
    ("claim", {"metadata.managedFields": [{**_MANAGED, "fieldsType": "Nope"}]}, {}),
    ("claim", {"metadata.managedFields": [{**_MANAGED, "manager": "m" * 129}]}, {}),
    ("claim", {"metadata.managedFields": [{**_MANAGED, "manager": "", "subresource": "x" * 257}]}, {}),
    ("template", {"spec.metadata": {"name": "x"}}, {}),
    ("template", {"spec.metadata": {"labels": {"A b": "c"}}}, {}),
    ("template", {"spec.metadata": {"ownerReferences": [_OWNER], "finalizers": ["a/b"]}}, {}),
    # Claims
    ("claim", {"spec.devices.requests": _numbered(33, lambda i: {"name": f"r{i}", "exactly": {"deviceClassName": "c"}})}, {}),
    ("claim", {"spec.devices.constraints": _numbered(33, lambda _: {"matchAttribute": "a.b/c"})}, {}),
    ("claim", {"spec.devices.config": _numbered(33, lambda _: {"opaque": {"driver": "d", "parameters": {}}})}, {}),
    ("claim", {"spec.devices.config.0.opaque.parameters": {"x": "y" * 10240}}, {}),
    ("claim", {"spec.devices.constraints.0": {"matchAttribute": "a.b/c", "distinctAttribute": "-"}}, {}),
    ("claim", {"spec.devices.constraints.0": {}}, {}),
    ("claim", {"spec.devices.constraints.0": {"requests": ["r0"]}}, {"features": {"DRAConsumableCapacity": False}}),
    ("claim", {"spec.devices.constraints.0": {"distinctAttribute": "a.b/c"}}, {"features": {"DRAConsumableCapacity": False}}),
    ("claim", {"spec.devices.constraints.0.matchAttribute": "Example.com/numa"}, {}),
    ("claim", {"spec.devices.constraints.0.matchAttribute": f"{'a' * 64}/numa"}, {}),
    ("claim", {f"{_R0}.exactly.adminAccess": True}, {}),
    ("claim", {f"{_R0}.exactly.adminAccess": True}, {"namespaceLabels": {"resource.kubernetes.io/admin-access": "true"}}),
    ("claim", {f"{_R0}.exactly.adminAccess": True}, {"namespaceLabels": {"resource.kubernetes.io/admin-access": "false"}}),
    ("template", {"spec.spec.devices.requests.0.exactly.adminAccess": True}, {}),
    ("claim", {"spec.devices.requests.1.firstAvailable": _numbered(9, lambda i: {"name": f"s{i}", "deviceClassName": "c"})}, {}),
    ("claim", {"spec.devices.requests.1.firstAvailable": [{"name": "s", "deviceClassName": "c"}] * 2}, {}),
    ("claim", {"spec.devices.requests.1.firstAvailable": [{"name": "s", "deviceClassName": "c"}]}, {"features": {"DRAPrioritizedList": False}}),
    ("claim", {f"{_R0}.exactly.tolerations": _numbered(17, lambda i: {"key": f"k{i}", "operator": "Exists"})}, {}),
    ("claim", {f"{_R0}.exactly.tolerations.0": {"operator": "Exists", "value": "v"}}, {}),
    ("derived_claim", {f"{_R0}.exactly.derivedAttributes": [{"name": "example.com/numa", "expression": "1"}] * 2}, {"features": "all"}),
    ("derived_claim", {f"{_R0}.exactly.derivedAttributes": [{"name": "example.com/other", "expression": "1"}]}, {"features": "all"}),
    ("derived_claim", {f"{_R0}.exactly.derivedAttributes": _numbered(33, lambda i: {"name": f"example.com/n{i}", "expression": "1"})}, {"features": "all"}),
    ("derived_claim", {f"{_R0}.exactly.derivedAttributes.0.expression": "{'a': 1}"}, {"features": "all"}),
    ("derived_claim", {f"{_R0}.exactly.derivedAttributes.0.expression": ""}, {"features": "all"}),
    ("derived_claim", {f"{_R0}.exactly.derivedAttributes.0.name": "numa"}, {"features": "all"}),
    ("derived_claim", {f"{_R0}.exactly.derivedAttributes.0.expression": "device.attributes['a'].b.matches('x') ? lists.range(700000).size() : 1"}, {"features": "all"}),
    # Slices
    ("slice", {"spec.allNodes": True}, {}),
    ("slice", {"spec.nodeName": ""}, {}),
    ("slice", {"spec.sharedCounters": [{"name": "cs", "counters": {"m": {"value": "1"}}}]}, {}),
    ("counter_slice", {"spec.sharedCounters": [{"name": "cs", "counters": {"m": {"value": "1"}}}] * 2}, {}),
    ("counter_slice", {"spec.sharedCounters.0.counters": {f"c{i}": {"value": "1"} for i in range(33)}}, {}),
    ("counter_slice", {"spec.sharedCounters.0.counters": {}}, {}),
    ("counter_slice", {"spec.sharedCounters": _numbered(9, lambda i: {"name": f"cs{i}", "counters": {"m": {"value": "1"}}})}, {}),
    ("counter_slice", {"spec.nodeSelector": {"nodeSelectorTerms": [{}, {}]}}, {}),
    ("slice", {f"{_DEVICE}.consumesCounters": [{"counterSet": "cs", "counters": {"m": {"value": "1"}}}] * 2}, {}),
    ("slice", {f"{_DEVICE}.consumesCounters": _numbered(3, lambda i: {"counterSet": f"c{i}", "counters": {"m": {"value": "1"}}})}, {}),
    ("slice", {f"{_DEVICE}.attributes": {f"a{i}": {"int": i} for i in range(33)}}, {}),
    ("slice", {f"{_DEVICE}.attributes.model": {"int": 1, "string": "x"}}, {}),
    ("slice", {f"{_DEVICE}.attributes.model": {}}, {}),
    ("slice", {f"{_DEVICE}.nodeName": "n"}, {}),
    ("per_device_slice", {f"{_DEVICE}.allNodes": True}, {}),
    ("per_device_slice", {f"{_DEVICE}.nodeName": ...}, {}),
    ("per_device_slice", {f"{_DEVICE}.nodeName": ""}, {}),
    ("slice", {f"{_DEVICE}.bindingConditions": ["a", "b"], f"{_DEVICE}.bindingFailureConditions": ["b"]}, {}),
    ("slice", {f"{_DEVICE}.bindingConditions": _numbered(5, lambda i: f"c{i}")}, {}),
    ("slice", {f"{_DEVICE}.bindingFailureConditions": ...}, {}),
    ("slice", {f"{_DEVICE}.bindingConditions": ...}, {}),
    ("slice", {f"{_DEVICE}.capacity.memory.requestPolicy.validValues": ["1Gi"]}, {}),
    ("slice", {f"{_DEVICE}.capacity.memory.requestPolicy.validRange.step": "0"}, {}),
    ("slice", {f"{_DEVICE}.capacity.memory.requestPolicy.validRange.step": "-1"}, {}),
    ("slice", {f"{_DEVICE}.capacity.memory.requestPolicy.validRange.step": "500m"}, {}),
    ("slice", {f"{_DEVICE}.capacity.memory.requestPolicy.default": "500m"}, {}),
    ("slice", {f"{_DEVICE}.allowMultipleAllocations": ...}, {}),
    ("slice", {f"{_DEVICE}.taints": _numbered(17, lambda i: {"key": f"k{i}", "effect": "NoSchedule"})}, {}),
    ("slice", {"spec.devices": _numbered(129, lambda i: {"name": f"d{i}"})}, {}),
    ("slice", {"spec.devices": _numbered(65, lambda i: {"name": f"d{i}", "taints": [{"key": "k", "effect": "NoSchedule"}]})}, {}),
    ("slice", {"spec.devices": [{"name": "d"}, {"name": "d"}]}, {}),
    ("new_slice", {"spec.skipNodeOperations": ["NodePrepareResources"]}, {"features": "all"}),
    ("new_slice", {"spec.skipNodeOperations": ["*", "*"]}, {"features": "all"}),
    ("new_slice", {"spec.skipNodeOperations": ["Nope"]}, {"features": "all"}),
    ("new_slice", {"spec.partitionTypeAttribute": "kind"}, {"features": "all"}),
    ("new_slice", {"spec.partitionTypeAttribute": "example.com/other"}, {"features": "all"}),
    ("new_slice", {f"{_DEVICE}.consumesCounters": ...}, {"features": "all"}),
    ("new_slice", {f"{_DEVICE}.consumesCounters.0.compatibilityGroups": ["g", "g"]}, {"features": "all"}),
    ("new_slice", {f"{_DEVICE}.consumesCounters.0.compatibilityGroups": ["a", "b", "c"]}, {"features": "all"}),
    ("new_slice", {f"{_DEVICE}.nodeAllocatableResources": {"example.com/x": {"mapping": {"deviceMultiplier": "1"}}}}, {"features": "all"}),
    ("new_slice", {f"{_DEVICE}.nodeAllocatableResources": {"cpu": {}}}, {"features": "all"}),
    ("new_slice", {f"{_DEVICE}.nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": "0"}}}}, {"features": "all"}),
    ("new_slice", {f"{_DEVICE}.nodeAllocatableResources": {"cpu": {"mapping": {"capacityKey": "none"}}}}, {"features": "all"}),
    ("new_slice", {f"{_DEVICE}.nodeAllocatableResourceMappings": {"cpu": {"capacityKey": "none", "allocationMultiplier": "-1"}}}, {"features": "all"}),
    ("new_slice", {f"{_DEVICE}.attributes.l": {"strings": []}}, {"features": "all"}),
    ("new_slice", {f"{_DEVICE}.attributes.n": {"ints": list(range(60))}}, {"features": "all"}),
    # Other kinds
    ("class", {"spec.extendedResourceName": "kubernetes.io/gpu"}, {}),
    ("class", {"spec.extendedResourceName": "gpu"}, {}),
    ("class", {"spec.extendedResourceName": "requests.a.b/gpu"}, {}),
    ("class", {"spec.selectors": _numbered(33, lambda _: {"cel": {"expression": "true"}})}, {}),
    ("class", {"spec.config.0.opaque": ...}, {}),
    ("class", {"spec.config.0.opaque.driver": "a" * 64}, {}),
    ("class", {"spec.config.0.opaque.parameters": "text"}, {}),
    ("taint_rule", {"spec.taint": ...}, {}),
    ("taint_rule", {"spec.deviceSelector": ...}, {}),
    ("taint_rule", {"spec.deviceSelector": {}}, {}),
    ("pool_request", {"spec.limit": 1001}, {}),
    ("pool_request", {"spec.limit": 0}, {}),
    ("pool_request", {"spec.driver": ...}, {}),
    ("pool_request", {"spec.poolName": "A b"}, {}),
    ("pool_request", {"spec.defaultPartitionTypeAttribute": "example.com/kind"}, {}),
    ("pool_request", {"spec.defaultPartitionTypeAttribute": "kind"}, {"features": "all"}),
    # What only some releases look at
    ("claim", {f"{_R0}.exactly.count": -1, f"{_R0}.firstAvailable": [{"name": "A", "deviceClassName": "c"}]}, {}),
    ("slice", {f"{_DEVICE}.taints": _numbered(17, lambda i: {"key": f"k{i}", "effect": "NoSchedule"})}, {"features": "all"}),
    ("slice", {f"{_DEVICE}.taints": _numbered(5, lambda i: {"key": f"k{i}", "effect": "NoSchedule"})}, {"features": "all"}),
    ("slice", {"spec.devices": _numbered(65, lambda i: {"name": f"d{i}", "taints": [{"key": "k", "effect": "NoSchedule"}]})}, {"features": "all"}),
    ("slice", {f"{_DEVICE}.taints.0.effect": "None"}, {"features": "all"}),
    # What a type's own decoder rejects is told before what was met earlier
    ("taint_rule", {"spec.taint.value": [], "spec.taint.timeAdded": {}}, {}),
    ("taint_rule", {"spec.taint.value": [], "spec.taint.timeAdded": "x"}, {}),
    ("slice", {f"{_DEVICE}.capacity": [], f"{_DEVICE}.taints.0.timeAdded": 0}, {}),
    ("slice", {f"{_DEVICE}.taints.0.timeAdded": 0, f"{_DEVICE}.capacity": {"memory": {"value": []}}}, {}),
    # Kinds that are gone, and what the compiler finds out last
    ("claim", {"apiVersion": "resource.k8s.io/v1alpha3", "kind": "PodSchedulingContext"}, {}),
    ("claim", {"apiVersion": "resource.k8s.io/v1beta1", "kind": "ResourceClassParameters"}, {}),
    ("claim", {f"{_R0}.exactly.selectors.0.cel.expression": "int('x') == 1"}, {}),
    ("class", {"spec.selectors.0.cel.expression": "duration(device.driver) == duration('1s') && bytes('x') == b'x' && uint('-1') == 1u"}, {}),
    # Derived attributes that cost too much together
    *[
        ("derived_claim", {_DERIVED: _numbered(count, lambda i: {"name": f"example.com/d{i}", "expression": _COSTLY}), "spec.devices.constraints": _numbered(count, lambda i: {"requests": ["r0"], "matchAttribute": f"example.com/d{i}"})}, {"features": "all"})
        for count in (1, 2, 3)
    ],
]  # fmt: skip

_POOL_STATUS_EDITS: tuple[Edits, ...] = (
    {},
    {"status.poolCount": ...},
    {"status.poolCount": -1},
    {"status.pools": ...},
    {"status.pools": []},
    {"status.conditions": ...},
    {"status.conditions": _numbered(11, lambda i: {**_POOL_STATUS["conditions"][0], "type": f"C{i}"})},
    {"status.conditions": [_POOL_STATUS["conditions"][0]] * 2},
    {"status.pools": _numbered(1001, lambda i: {"driver": "d", "poolName": f"p{i}", "generation": 1})},
    {f"{_POOL}.driver": ...},
    {f"{_POOL}.driver": "A_b"},
    {f"{_POOL}.driver": "a" * 64},
    {f"{_POOL}.poolName": ...},
    {f"{_POOL}.poolName": "A b"},
    {f"{_POOL}.poolName": "a/" * 130},
    {f"{_POOL}.generation": ...},
    {f"{_POOL}.generation": -1},
    *({f"{_POOL}.{name}": value} for name in ("resourceSliceCount", "totalDevices", "allocatedDevices", "availableDevices", "unavailableDevices") for value in (-1, 0, ...)),
    {f"{_POOL}.nodeName": "A b"},
    {f"{_POOL}.nodeName": "a" * 254},
    {f"{_POOL}.validationError": "x" * 256},
    {f"{_POOL}.validationError": "x" * 257},
    {f"{_POOL}.partitionSummary": [_PARTITION]},
    {f"{_POOL}.partitionSummary": [_PARTITION, _PARTITION]},
    {f"{_POOL}.partitionSummary": [_PARTITION, {**_PARTITION, "type": "b"}]},
    {f"{_POOL}.partitionSummary": _numbered(33, lambda i: {**_PARTITION, "type": f"t{i}"})},
    *({f"{_POOL}.partitionSummary": [{name: value for name, value in _PARTITION.items() if name != gone}]} for gone in _PARTITION),
    {f"{_POOL}.partitionSummary": [{**_PARTITION, "total": -1, "allocatable": -1}]},
    {f"{_POOL}.shareableSummary": _SHAREABLE},
    {f"{_POOL}.shareableSummary": {}},
    {f"{_POOL}.shareableSummary": {**_SHAREABLE, "fullyAvailableDevices": -1, "partiallyAvailableDevices": -1}},
    {f"{_POOL}.shareableSummary": {**_SHAREABLE, "capacity": [{}]}},
    {f"{_POOL}.shareableSummary": {**_SHAREABLE, "capacity": _numbered(33, lambda i: {**_SHAREABLE["capacity"][0], "name": f"c{i}"})}},
)  # fmt: skip

# base, edits of the new object, edits of the old one, more
_UPDATES: list[tuple[str, Edits, Edits, Json]] = [
    ("claim", {f"{_R0}.exactly.count": 3}, {}, {}),
    ("claim", {"metadata.labels": {"new": "x"}}, {}, {}),
    ("claim", {"metadata.finalizers": ["a.b/c"]}, {"metadata.deletionTimestamp": "2020-01-01T00:00:00Z"}, {}),
    ("claim", {"metadata.name": "other"}, {}, {}),
    ("claim", {"metadata.uid": "x"}, {"metadata.uid": "y"}, {}),
    ("claim", {"metadata.generation": 1}, {"metadata.generation": 5}, {}),
    ("template", {"spec.metadata.labels.a": "c"}, {}, {}),
    ("class", {"spec.selectors.0.cel.expression": "1"}, {}, {}),
    ("class", {"metadata.labels": {"x": "y"}, "spec.selectors.0.cel.expression": "1"}, {"spec.selectors.0.cel.expression": "1"}, {}),
    ("class", {"spec.config": []}, {}, {}),
    ("class", {"spec.extendedResourceName": "example.com/other"}, {}, {}),
    ("slice", {"spec.driver": "other.example.com"}, {}, {}),
    ("slice", {"spec.pool.name": "other"}, {}, {}),
    ("slice", {"spec.nodeName": "other"}, {}, {}),
    ("slice", {"spec.pool.generation": 2, "spec.devices": []}, {}, {}),
    ("slice", {"metadata.labels": {"x": "y"}, f"{_DEVICE}.taints.0.effect": "Nope"}, {f"{_DEVICE}.taints.0.effect": "Nope"}, {}),
    ("slice", {"metadata.labels": {"x": "y"}, f"{_DEVICE}.capacity.memory.requestPolicy.default": "99Gi"}, {f"{_DEVICE}.capacity.memory.requestPolicy.default": "99Gi"}, {}),
    ("slice", {f"{_DEVICE}.taints": [{"key": "k", "effect": "NoSchedule"}]}, {}, {"features": {"DRADeviceTaints": False, "DRADeviceTaintRules": False}}),
    ("slice", {f"{_DEVICE}.name": "other"}, {f"{_DEVICE}.taints": ...}, {}),
    ("taint_rule", {"spec.taint.effect": "NoSchedule"}, {}, {}),
    ("taint_rule", {"spec.taint.effect": "Nope", "spec.taint.value": "w"}, {"spec.taint.effect": "Nope"}, {}),
    ("taint_rule", {"metadata.resourceVersion": "1", "spec.taint.value": "w"}, {}, {}),
    ("pool_request", {"spec.limit": 20}, {}, {}),
    # Status
    ("allocated_claim", {_RESULT + ".device": "other"}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.allocation": ...}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.allocation": ..., "status.reservedFor": ..., "status.devices": ...}, {}, {"subresource": "status"}),
    ("allocated_claim", {}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {"status.reservedFor": _numbered(257, lambda i: {"resource": "pods", "name": "p", "uid": f"u{i}"})}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}] * 2}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.reservedFor": [{"name": "p", "uid": "u"}]}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.allocation": ...}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {"status.reservedFor.1.uid": "new"}, {"metadata.deletionTimestamp": "2020-01-01T00:00:00Z", "metadata.finalizers": ["a.b/c"]}, {"subresource": "status"}),
    ("allocated_claim", {"status.allocation.devices.results": _numbered(33, lambda i: {"request": "r0", "driver": "d", "pool": "p", "device": f"d{i}"})}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {"status.allocation.devices.config": _numbered(65, lambda _: {"source": "FromClass", "opaque": {"driver": "d", "parameters": {}}})}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".shareID": "x"}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".shareID": _UUID.upper()}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".request": "none"}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".pool": "A b/c//d"}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".driver": "a" * 64}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".device": "A"}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".adminAccess": True}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".adminAccess": True}, {"status": {}}, {"subresource": "status", "namespaceLabels": {"resource.kubernetes.io/admin-access": "true"}}),
    ("allocated_claim", {_RESULT + ".bindingConditions": _numbered(5, lambda i: f"c{i}")}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".bindingConditions": ["a", "a"]}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".skipNodeOperations": ["NodePrepareResources"]}, {"status": {}}, {"subresource": "status", "features": "all"}),
    ("allocated_claim", {"status.allocation.devices.config.0.source": "Nope"}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {"status.devices.0.device": "other"}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.devices": [{"driver": "gpu.example.com", "pool": "node-1", "device": "gpu-1"}] * 2}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.devices.0.conditions": [{"type": "Ready", "status": "True", "reason": "R", "message": "", "lastTransitionTime": "2020-01-01T00:00:00Z"}] * 2}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.devices.0.conditions": _numbered(9, lambda i: {"type": f"C{i}", "status": "True", "reason": "R", "message": "", "lastTransitionTime": "2020-01-01T00:00:00Z"})}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.devices.0.networkData.ips": ["10.0.0.1/24"] * 2}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.devices.0.networkData.ips": [f"10.0.0.{i}/24" for i in range(17)]}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.devices.0.data": {"x": "y" * 10240}}, {}, {"subresource": "status"}),
    ("allocated_claim", {"status.devices.0.data": []}, {}, {"subresource": "status"}),
    ("allocated_claim", {}, {}, {"subresource": "status", "features": _NO_DEVICE_STATUS}),
    ("template", {"spec.spec.devices.requests.0.exactly.count": -1}, {}, {}),
    ("claim", {"metadata.labels": {"x": "y"}, f"{_R0}.exactly.selectors.0.cel.expression": "device.nope"}, {f"{_R0}.exactly.selectors.0.cel.expression": "device.nope"}, {}),
    ("claim", {"metadata.labels": {"x": "y"}, f"{_R0}.exactly.count": -1}, {f"{_R0}.exactly.count": -1}, {}),
    ("class", {"spec.selectors": [{"cel": {"expression": "device.nope"}}, {"cel": {"expression": "true"}}]}, {"spec.selectors": [{"cel": {"expression": "device.nope"}}]}, {}),
    ("allocated_claim", {_RESULT + ".tolerations": [{"key": "A b", "operator": "Nope", "effect": "Nope"}]}, {"status": {}}, {"subresource": "status"}),
    ("allocated_claim", {_RESULT + ".tolerations": [{"key": "k", "operator": "Exists", "value": "v"}]}, {"status": {}}, {"subresource": "status"}),
    ("taint_rule", {"metadata.labels": {"x": "y"}}, {}, {"features": "all"}),
    # Expressions that were stored before, with what only they may read
    *[
        (base, {"metadata.labels": {"x": "y"}, path: text}, {path: text}, {"features": _NO_CAPACITY})
        for text in (_STORED_ONLY, _TWICE_WRONG)
        for base, path in (
            ("class", "spec.selectors.0.cel.expression"),
            ("claim", f"{_R0}.exactly.selectors.0.cel.expression"),
            ("template", f"spec.{_R0}.exactly.selectors.0.cel.expression"),
        )
    ],
    ("template", {f"spec.{_R0}.exactly.selectors.0.cel.expression": _TWICE_WRONG}, {}, {"features": _NO_CAPACITY}),
    ("claim", {f"{_R0}.exactly.selectors.0.cel.expression": _TWICE_WRONG}, {}, {"features": _NO_CAPACITY}),
    ("class", {"spec.selectors.0.cel.expression": _TWICE_WRONG, "spec.config": []}, {"spec.selectors.0.cel.expression": _TWICE_WRONG}, {"features": _NO_CAPACITY}),
    # Gated fields that the stored object has, so that they are not dropped
    ("new_slice", {"spec.partitionTypeAttribute": "example.com/b"}, {"spec.partitionTypeAttribute": "example.com/a"}, {"features": _NO_PARTITION_TYPE}),
    ("pool_request", {**_WRITTEN, "spec.defaultPartitionTypeAttribute": "example.com/b"}, {"spec.defaultPartitionTypeAttribute": "example.com/a"}, {"features": _NO_PARTITION_TYPE}),
    # Status of pool requests
    *[
        ("pool_request", {**_WRITTEN, "status": _POOL_STATUS, **edits}, {}, {"subresource": "status", "features": "all"})
        for edits in _POOL_STATUS_EDITS
    ],
    *[
        ("pool_request", {**_WRITTEN, "status": _POOL_STATUS, **edits}, {"status": _POOL_STATUS}, {"subresource": "status", "features": "all"})
        for edits in ({}, {"status.poolCount": 2}, {f"{_POOL}.nodeName": "node-2"}, {"status.conditions.0.status": "False"}, {f"{_POOL}.nodeName": "A b", "status.poolCount": ...})
    ],
    ("pool_request", _WRITTEN, {"status": _POOL_STATUS}, {"subresource": "status", "features": "all"}),
    ("pool_request", _WRITTEN, {}, {"subresource": "status", "features": "all"}),
    # When the effect of a taint changes, so does its time
    *[
        ("taint_rule", {"apiVersion": "resource.k8s.io/v1alpha3", **edits}, {"apiVersion": "resource.k8s.io/v1alpha3"}, {})
        for edits in ({"spec.taint.effect": "NoSchedule"}, {"spec.taint.effect": "NoSchedule", "spec.taint.timeAdded": "2020-01-01T01:00:00+01:00"}, {"spec.taint.effect": "NoSchedule", "spec.taint.timeAdded": "2020-01-02T00:00:00Z"}, {"spec.taint.value": "w"})
    ],
]  # fmt: skip

_PODS: list[tuple[Edits, Json]] = [
    ({"spec.ephemeralContainers": [{"name": "e", "image": "x", "resources": {"claims": [{"name": "a"}]}}]}, {}),
    ({"spec.ephemeralContainers": [{"name": "e", "image": "x", "resources": {"limits": {"example.com/gpu": "1"}}}]}, {}),
    ({"spec.ephemeralContainers": [{"name": "e", "image": "x"}]}, {}),
    ({"spec.resourceClaims.0.source": {"resourceClaimName": "x"}}, {}),
    ({"spec.resourceClaims.0": {"name": "a", "source": {"resourceClaimName": "x"}}}, {}),
    ({"spec.containers.0.claims": [{"name": "a"}]}, {}),
    ({"metadata.annotations": {"kubernetes.io/config.mirror": "x"}, "spec.nodeName": "n"}, {}),
    ({"spec.resourceClaims.0.resourceClaimTemplateName": "t"}, {}),
    ({"spec.resources": {"claims": [{"name": "a"}]}}, {}),
    ({"spec.containers.0.resources.claims": [{"name": "a"}, {"name": "a"}]}, {}),
    ({"spec.containers.0.resources.claims": [{"name": "a"}, {"name": "a", "request": "r"}]}, {}),
    ({"spec.containers.0.resources.claims": [{"name": "a", "request": "r"}, {"name": "a"}]}, {}),
    ({"spec.containers.0.resources.claims": [{"name": "a", "request": "r"}, {"name": "a", "request": "s"}]}, {}),
    ({"spec.resourceClaims": ..., "spec.initContainers": ...}, {}),
    ({"spec.containers.0.resources.requests": {"example.com/gpu": "1"}, "spec.containers.0.resources.limits": ...}, {}),
    ({"spec.containers.0.resources.limits": {"example.com/gpu": "1"}, "spec.containers.0.resources.requests": ...}, {}),
    ({"spec.containers.0.resources.requests": {"example.com/gpu": "1"}, "spec.containers.0.resources.limits": {"example.com/gpu": "2"}}, {}),
    ({"spec.containers.0.resources.requests": {"example.com/gpu": "500m"}, "spec.containers.0.resources.limits": {"example.com/gpu": "500m"}}, {}),
    ({"spec.containers.0.resources.requests": {"deviceclass.resource.kubernetes.io/c": "500m"}, "spec.containers.0.resources.limits": ...}, {}),
    ({"spec.containers.0.resources.requests": {"deviceclass.resource.kubernetes.io/c": "2"}, "spec.containers.0.resources.limits": {"deviceclass.resource.kubernetes.io/c": "1"}}, {}),
    ({"spec.containers.0.resources.requests": {f"example.com/{'x' * 64}": "1"}, "spec.containers.0.resources.limits": {f"example.com/{'x' * 64}": "1"}}, {}),
    ({"spec.containers.0.resources.requests": {"example.com/gpu": "-1"}, "spec.containers.0.resources.limits": {"example.com/gpu": "-1"}}, {}),
]  # fmt: skip


# What starts with a space is the spec of a device class.
_YAML = (
    "  extendedResourceName: example.com/gpu\n",
    "  selectors:\n  - cel:\n      expression: device.driver == 'a'\n      expression: device.driver == 'b'\n",
    "  selectors:\n  - cel: {expression: 'true'}\n  selectors: []\n  config: []\n  config: []\n",
    "  extendedResourceName: [\n",
    "  \textendedResourceName: a\n",
    "  extendedResourceName: yes\n",
    "  nope: 1\n  nope: 2\n",
    "  extendedResourceName: example.com/gpu\n---\napiVersion: v1\n",
    "  selectors: &a\n  - cel: {expression: 'true'}\n  config: *a\n",
    "  selectors:\n  - cel: {expression: 1.0}\n",
    "  selectors:\n  - cel: {expression: !!str true}\n",
    "  selectors:\n  - cel:\n      expression: |\n        true\n",
    "  selectors: *nope\n",
    "",
    "a",
    "- 1\n",
    "null\n",
    "{}\n",
    "# only a comment\n",
)


def _edited(base: Json, edits: Edits) -> Json:
    obj = copy.deepcopy(base)
    for dotted, value in edits.items():
        steps = _steps(obj, dotted)
        parent = obj
        for step in steps[:-1]:
            parent = parent[step]
        if value is ...:
            del parent[steps[-1]]
        else:
            parent[steps[-1]] = copy.deepcopy(value)
    return obj


def _steps(obj: Any, dotted: str) -> list[Any]:
    """The path as keys and indices; a key may itself hold dots."""
    steps: list[Any] = []
    rest = dotted.split(".")
    while rest:
        if isinstance(obj, list):
            step: Any = int(rest.pop(0))
            obj = obj[step]
        else:
            step = rest.pop(0)
            obj = obj.get(step) if isinstance(obj, dict) else None
        steps.append(step)
    return steps


def _base(name: str) -> Json:
    made: Json = getattr(objects, name, None) or getattr(objects, f"_{name}")
    return dict(made())  # type: ignore[operator] # a function, by name


def validate_rules() -> Iterator[Json]:
    """Questions of subject `validate`."""
    common = {"default": True, "features": "defaults"}
    for number, (name, edits, more) in enumerate(_CREATES):
        yield {"id": f"create-{number}", **common, **more, "object": _edited(_base(name), edits)}
    for number, (name, edits, before, more) in enumerate(_UPDATES):
        yield {
            "id": f"update-{number}",
            **common,
            **more,
            "object": _edited(_base(name), edits),
            "old": _edited(_base(name), before),
        }


def yaml_rules() -> Iterator[Json]:
    """Questions of subject `validate` that hand over a text."""
    head = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: c\n"
    for number, text in enumerate(_YAML):
        text = f"{head}spec:\n{text}" if text.startswith(" ") else text
        yield {"id": f"yaml-{number}", "default": True, "features": "defaults", "yaml": text}


def pod_rules() -> Iterator[Json]:
    """Questions of subject `pod`."""
    for number, (edits, more) in enumerate(_PODS):
        yield {
            "id": f"rule-{number}",
            "default": True,
            "features": "defaults",
            **more,
            "object": _edited(objects.pod(), edits),
        }

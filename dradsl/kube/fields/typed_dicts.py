"""Objects of resource.k8s.io/v1 as plain data, for type checkers. Generated; do not edit.

Every field of every release, as `dradsl.kube.fields.table` has them; a field that the API
server requires is required. `python -m maintenance.field_types` writes this file.
"""

# ruff: noqa: TC003, UP013 (names of fields are names of types)
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Required, TypedDict


class OwnerReferenceDict(TypedDict, total=False):
    """An object that this one goes with."""

    apiVersion: Required[str]
    kind: Required[str]
    name: Required[str]
    uid: Required[str]
    controller: bool
    blockOwnerDeletion: bool


class ManagedFieldsEntryDict(TypedDict, total=False):
    """Which fields a field manager set."""

    manager: str
    operation: str
    apiVersion: str
    time: str
    fieldsType: str
    fieldsV1: object
    subresource: str


class ObjectMetaDict(TypedDict, total=False):
    """Name, namespace, labels and what the server keeps about an object."""

    name: str
    generateName: str
    namespace: str
    selfLink: str
    uid: str
    resourceVersion: str
    generation: int
    creationTimestamp: str
    deletionTimestamp: str
    deletionGracePeriodSeconds: int
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    ownerReferences: Sequence[OwnerReferenceDict]
    finalizers: Sequence[str]
    managedFields: Sequence[ManagedFieldsEntryDict]


class CELDeviceSelectorDict(TypedDict, total=False):
    """A CEL expression over `device`."""

    expression: Required[str]


class DeviceSelectorDict(TypedDict, total=False):
    """What a device must be like."""

    cel: CELDeviceSelectorDict


class OpaqueDeviceConfigurationDict(TypedDict, total=False):
    """Parameters in a driver's own format."""

    driver: Required[str]
    parameters: Required[object]


class DeviceClassConfigurationDict(TypedDict, total=False):
    """Configuration that a class brings along."""

    opaque: OpaqueDeviceConfigurationDict


class DeviceClassSpecDict(TypedDict, total=False):
    """Selectors and configuration of a class."""

    selectors: Sequence[DeviceSelectorDict]
    config: Sequence[DeviceClassConfigurationDict]
    extendedResourceName: str


class DeviceClassDict(TypedDict, total=False):
    """A cluster-wide kind of devices to ask for."""

    apiVersion: str
    kind: str
    metadata: ObjectMetaDict
    spec: DeviceClassSpecDict


class DeviceTolerationDict(TypedDict, total=False):
    """Which taint a request puts up with."""

    key: str
    operator: str
    value: str
    effect: str
    tolerationSeconds: int


class CapacityRequirementsDict(TypedDict, total=False):
    """How much of which capacities a request needs."""

    requests: Mapping[str, str | int | float]


class DeviceDerivedAttributeDict(TypedDict, total=False):
    """An attribute computed for each device, for constraints (1.37)."""

    name: Required[str]
    expression: Required[str]


class ExactDeviceRequestDict(TypedDict, total=False):
    """A request for devices of one class."""

    deviceClassName: Required[str]
    selectors: Sequence[DeviceSelectorDict]
    allocationMode: str
    count: int
    adminAccess: bool
    tolerations: Sequence[DeviceTolerationDict]
    capacity: CapacityRequirementsDict
    derivedAttributes: Sequence[DeviceDerivedAttributeDict]


class DeviceSubRequestDict(TypedDict, total=False):
    """One of several alternatives of a request."""

    name: Required[str]
    deviceClassName: Required[str]
    selectors: Sequence[DeviceSelectorDict]
    allocationMode: str
    count: int
    tolerations: Sequence[DeviceTolerationDict]
    capacity: CapacityRequirementsDict
    derivedAttributes: Sequence[DeviceDerivedAttributeDict]


class DeviceRequestDict(TypedDict, total=False):
    """A request: `exactly` one thing, or the `first_available` of several."""

    name: Required[str]
    exactly: ExactDeviceRequestDict
    firstAvailable: Sequence[DeviceSubRequestDict]


class DeviceConstraintDict(TypedDict, total=False):
    """What devices of several requests must have in common, or not."""

    requests: Sequence[str]
    matchAttribute: str
    distinctAttribute: str


class DeviceClaimConfigurationDict(TypedDict, total=False):
    """Configuration for devices of a claim."""

    requests: Sequence[str]
    opaque: OpaqueDeviceConfigurationDict


class DeviceClaimDict(TypedDict, total=False):
    """Requests, constraints and configuration."""

    requests: Sequence[DeviceRequestDict]
    constraints: Sequence[DeviceConstraintDict]
    config: Sequence[DeviceClaimConfigurationDict]


class ResourceClaimSpecDict(TypedDict, total=False):
    """What a claim asks for."""

    devices: DeviceClaimDict


class DeviceRequestAllocationResultDict(TypedDict, total=False):
    """A device that was allocated for a request."""

    request: Required[str]
    driver: Required[str]
    pool: Required[str]
    device: Required[str]
    adminAccess: bool
    tolerations: Sequence[DeviceTolerationDict]
    bindingConditions: Sequence[str]
    bindingFailureConditions: Sequence[str]
    shareID: str
    consumedCapacity: Mapping[str, str | int | float]
    skipNodeOperations: Sequence[str]


class DeviceAllocationConfigurationDict(TypedDict, total=False):
    """Configuration that goes with an allocation, from the class or the claim."""

    source: Required[str]
    requests: Sequence[str]
    opaque: OpaqueDeviceConfigurationDict


class DeviceAllocationResultDict(TypedDict, total=False):
    """All devices of an allocation."""

    results: Sequence[DeviceRequestAllocationResultDict]
    config: Sequence[DeviceAllocationConfigurationDict]


class NodeSelectorRequirementDict(TypedDict, total=False):
    """A requirement on a label or field of a node."""

    key: Required[str]
    operator: Required[str]
    values: Sequence[str]


class NodeSelectorTermDict(TypedDict, total=False):
    """Requirements that a node must meet all."""

    matchExpressions: Sequence[NodeSelectorRequirementDict]
    matchFields: Sequence[NodeSelectorRequirementDict]


class NodeSelectorDict(TypedDict, total=False):
    """Terms of which one must fit a node."""

    nodeSelectorTerms: Required[Sequence[NodeSelectorTermDict]]


class AllocationResultDict(TypedDict, total=False):
    """Devices, and the nodes from which they can be used."""

    devices: DeviceAllocationResultDict
    nodeSelector: NodeSelectorDict
    allocationTimestamp: str


class ResourceClaimConsumerReferenceDict(TypedDict, total=False):
    """Who may use an allocated claim."""

    apiGroup: str
    resource: Required[str]
    name: Required[str]
    uid: Required[str]


class ConditionDict(TypedDict, total=False):
    """One aspect of an observed state."""

    type: Required[str]
    status: Required[str]
    observedGeneration: int
    lastTransitionTime: Required[str]
    reason: Required[str]
    message: Required[str]


class NetworkDeviceDataDict(TypedDict, total=False):
    """What a driver reports about a network interface."""

    interfaceName: str
    ips: Sequence[str]
    hardwareAddress: str


class AllocatedDeviceStatusDict(TypedDict, total=False):
    """What a driver reports about an allocated device."""

    driver: Required[str]
    pool: Required[str]
    device: Required[str]
    shareID: str
    conditions: Sequence[ConditionDict]
    data: object
    networkData: NetworkDeviceDataDict


class ResourceClaimStatusDict(TypedDict, total=False):
    """Allocation, consumers and device status of a claim."""

    allocation: AllocationResultDict
    reservedFor: Sequence[ResourceClaimConsumerReferenceDict]
    devices: Sequence[AllocatedDeviceStatusDict]


class ResourceClaimDict(TypedDict, total=False):
    """A request for devices, and its allocation."""

    apiVersion: str
    kind: str
    metadata: ObjectMetaDict
    spec: ResourceClaimSpecDict
    status: ResourceClaimStatusDict


class ResourceClaimTemplateSpecDict(TypedDict, total=False):
    """Labels, annotations and spec of claims made from a template."""

    metadata: ObjectMetaDict
    spec: ResourceClaimSpecDict


class ResourceClaimTemplateDict(TypedDict, total=False):
    """A template that makes a claim for every pod."""

    apiVersion: str
    kind: str
    metadata: ObjectMetaDict
    spec: ResourceClaimTemplateSpecDict


class ResourcePoolDict(TypedDict, total=False):
    """The pool that a slice belongs to."""

    name: Required[str]
    generation: Required[int]
    resourceSliceCount: Required[int]


DeviceAttributeDict = TypedDict(
    "DeviceAttributeDict",
    {
        "int": "int",
        "bool": "bool",
        "string": "str",
        "version": "str",
        "ints": "Sequence[int]",
        "bools": "Sequence[bool]",
        "strings": "Sequence[str]",
        "versions": "Sequence[str]",
    },
    total=False,
)
"""A value: exactly one of its fields is set."""


class CapacityRequestPolicyRangeDict(TypedDict, total=False):
    """From how much to how much may be requested, in which steps."""

    min: Required[str | int | float]
    max: str | int | float
    step: str | int | float


class CapacityRequestPolicyDict(TypedDict, total=False):
    """What may be requested of a shared capacity."""

    default: str | int | float
    validValues: Sequence[str | int | float]
    validRange: CapacityRequestPolicyRangeDict


class DeviceCapacityDict(TypedDict, total=False):
    """An amount, and what may be requested of it."""

    value: Required[str | int | float]
    requestPolicy: CapacityRequestPolicyDict


class CounterDict(TypedDict, total=False):
    """An amount that several devices draw from."""

    value: Required[str | int | float]


class DeviceCounterConsumptionDict(TypedDict, total=False):
    """What a device takes from a counter set."""

    counterSet: Required[str]
    counters: Required[Mapping[str, CounterDict]]
    compatibilityGroups: Sequence[str]


class DeviceTaintDict(TypedDict, total=False):
    """What keeps claims away from a device."""

    key: Required[str]
    value: str
    effect: Required[str]
    timeAdded: str


class NodeAllocatableMappingDict(TypedDict, total=False):
    """How a device or a capacity counts as a resource of the node."""

    capacityKey: str
    capacityMultiplier: str | int | float
    deviceMultiplier: str | int | float


class NodeAllocatableOverheadDict(TypedDict, total=False):
    """What using a device costs of the node's resources."""

    perPod: str | int | float
    perContainer: str | int | float


class NodeAllocatableResourceDict(TypedDict, total=False):
    """What a device takes of the node's resources (1.37)."""

    mapping: NodeAllocatableMappingDict
    overhead: NodeAllocatableOverheadDict


class NodeAllocatableResourceMappingDict(TypedDict, total=False):
    """How a capacity counts as a resource of the node (1.36)."""

    capacityKey: str
    allocationMultiplier: str | int | float


class DeviceDict(TypedDict, total=False):
    """A device with attributes, capacities and taints."""

    name: Required[str]
    attributes: Mapping[str, DeviceAttributeDict]
    capacity: Mapping[str, DeviceCapacityDict]
    consumesCounters: Sequence[DeviceCounterConsumptionDict]
    nodeName: str
    nodeSelector: NodeSelectorDict
    allNodes: bool
    taints: Sequence[DeviceTaintDict]
    bindsToNode: bool
    bindingConditions: Sequence[str]
    bindingFailureConditions: Sequence[str]
    allowMultipleAllocations: bool
    nodeAllocatableResources: Mapping[str, NodeAllocatableResourceDict]
    nodeAllocatableResourceMappings: Mapping[str, NodeAllocatableResourceMappingDict]


class CounterSetDict(TypedDict, total=False):
    """Counters that devices of the pool share."""

    name: Required[str]
    counters: Required[Mapping[str, CounterDict]]


class ResourceSliceSpecDict(TypedDict, total=False):
    """Devices or counter sets of a pool, and the nodes that can use them."""

    driver: Required[str]
    pool: Required[ResourcePoolDict]
    nodeName: str
    nodeSelector: NodeSelectorDict
    allNodes: bool
    devices: Sequence[DeviceDict]
    perDeviceNodeSelection: bool
    sharedCounters: Sequence[CounterSetDict]
    partitionTypeAttribute: str
    skipNodeOperations: Sequence[str]

"""Pydantic models of resource.k8s.io objects in the shape of v1, for Python programs. Generated.

Every field of every release; camelCase aliases, snake_case names; frozen; unknown fields and wrong
types are errors, as the API server has them. Validation beyond the shape is `dradsl.kube.validation`.
`model_dump()` gives plain data back. dradsl itself works on plain
data and never imports this module; `python -m maintenance.field_types` writes it from the field
table.
"""

# ruff: noqa: TC003 (pydantic reads the annotations)
from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    Strict,
    model_serializer,
)
from pydantic.alias_generators import to_camel

__all__ = [
    "AllocatedDeviceStatus",
    "AllocationResult",
    "CELDeviceSelector",
    "CapacityRequestPolicy",
    "CapacityRequestPolicyRange",
    "CapacityRequirements",
    "Condition",
    "Counter",
    "CounterSet",
    "Device",
    "DeviceAllocationConfiguration",
    "DeviceAllocationResult",
    "DeviceAttribute",
    "DeviceCapacity",
    "DeviceClaim",
    "DeviceClaimConfiguration",
    "DeviceClass",
    "DeviceClassConfiguration",
    "DeviceClassSpec",
    "DeviceConstraint",
    "DeviceCounterConsumption",
    "DeviceDerivedAttribute",
    "DeviceRequest",
    "DeviceRequestAllocationResult",
    "DeviceSelector",
    "DeviceSubRequest",
    "DeviceTaint",
    "DeviceTaintRule",
    "DeviceTaintRuleSpec",
    "DeviceTaintRuleStatus",
    "DeviceTaintSelector",
    "DeviceToleration",
    "ExactDeviceRequest",
    "ManagedFieldsEntry",
    "NetworkDeviceData",
    "NodeAllocatableMapping",
    "NodeAllocatableOverhead",
    "NodeAllocatableResource",
    "NodeAllocatableResourceMapping",
    "NodeSelector",
    "NodeSelectorRequirement",
    "NodeSelectorTerm",
    "ObjectMeta",
    "OpaqueDeviceConfiguration",
    "OwnerReference",
    "ResourceClaim",
    "ResourceClaimConsumerReference",
    "ResourceClaimSpec",
    "ResourceClaimStatus",
    "ResourceClaimTemplate",
    "ResourceClaimTemplateSpec",
    "ResourcePool",
    "ResourceSlice",
    "ResourceSliceSpec",
]


def _quantity(value: object) -> str:
    """The text of a quantity, which may be written as a number."""
    from dradsl.values.quantity import Quantity

    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("a quantity is text or a number")
    quantity = Quantity.decode(value)
    return value.strip() if isinstance(value, str) else str(quantity)


Text = Annotated[str, Strict()]
Bool = Annotated[bool, Strict()]
Int = Annotated[int, Strict()]
QuantityText = Annotated[str, BeforeValidator(_quantity)]


class Model(BaseModel):
    """What the models have in common."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    @model_serializer(mode="wrap")
    def _as_json(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """As JSON has it: without what is not set, and with lists."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in fields(self).items()
            if value is not None
        }


class OwnerReference(Model):
    """An object that this one goes with."""

    api_version: Text
    kind: Text
    name: Text
    uid: Text
    controller: Bool | None = None
    block_owner_deletion: Bool | None = None


class ManagedFieldsEntry(Model):
    """Which fields a field manager set."""

    manager: Text | None = None
    operation: Text | None = None
    api_version: Text | None = None
    time: Text | None = None
    fields_type: Text | None = None
    fields_v1: Any = None
    subresource: Text | None = None


class ObjectMeta(Model):
    """Name, namespace, labels and what the server keeps about an object."""

    name: Text | None = None
    generate_name: Text | None = None
    namespace: Text | None = None
    self_link: Text | None = None
    uid: Text | None = None
    resource_version: Text | None = None
    generation: Int | None = None
    creation_timestamp: Text | None = None
    deletion_timestamp: Text | None = None
    deletion_grace_period_seconds: Int | None = None
    labels: Mapping[Text, Text] | None = None
    annotations: Mapping[Text, Text] | None = None
    owner_references: tuple[OwnerReference, ...] | None = None
    finalizers: tuple[Text, ...] | None = None
    managed_fields: tuple[ManagedFieldsEntry, ...] | None = None


class CELDeviceSelector(Model):
    """A CEL expression over `device`."""

    expression: Text


class DeviceSelector(Model):
    """What a device must be like."""

    cel: CELDeviceSelector | None = None


class OpaqueDeviceConfiguration(Model):
    """Parameters in a driver's own format."""

    driver: Text
    parameters: Any


class DeviceClassConfiguration(Model):
    """Configuration that a class brings along."""

    opaque: OpaqueDeviceConfiguration | None = None


class DeviceClassSpec(Model):
    """Selectors and configuration of a class."""

    selectors: tuple[DeviceSelector, ...] | None = None
    config: tuple[DeviceClassConfiguration, ...] | None = None
    extended_resource_name: Text | None = None


class DeviceClass(Model):
    """A cluster-wide kind of devices to ask for."""

    api_version: Literal["resource.k8s.io/v1"] = "resource.k8s.io/v1"
    kind: Literal["DeviceClass"] = "DeviceClass"
    metadata: ObjectMeta | None = None
    spec: DeviceClassSpec | None = None


class DeviceToleration(Model):
    """Which taint a request puts up with."""

    key: Text | None = None
    operator: Text | None = None
    value: Text | None = None
    effect: Text | None = None
    toleration_seconds: Int | None = None


class CapacityRequirements(Model):
    """How much of which capacities a request needs."""

    requests: Mapping[Text, QuantityText] | None = None


class DeviceDerivedAttribute(Model):
    """An attribute computed for each device, for constraints (1.37)."""

    name: Text
    expression: Text


class ExactDeviceRequest(Model):
    """A request for devices of one class."""

    device_class_name: Text
    selectors: tuple[DeviceSelector, ...] | None = None
    allocation_mode: Text | None = None
    count: Int | None = None
    admin_access: Bool | None = None
    tolerations: tuple[DeviceToleration, ...] | None = None
    capacity: CapacityRequirements | None = None
    derived_attributes: tuple[DeviceDerivedAttribute, ...] | None = None


class DeviceSubRequest(Model):
    """One of several alternatives of a request."""

    name: Text
    device_class_name: Text
    selectors: tuple[DeviceSelector, ...] | None = None
    allocation_mode: Text | None = None
    count: Int | None = None
    tolerations: tuple[DeviceToleration, ...] | None = None
    capacity: CapacityRequirements | None = None
    derived_attributes: tuple[DeviceDerivedAttribute, ...] | None = None


class DeviceRequest(Model):
    """A request: `exactly` one thing, or the `first_available` of several."""

    name: Text
    exactly: ExactDeviceRequest | None = None
    first_available: tuple[DeviceSubRequest, ...] | None = None


class DeviceConstraint(Model):
    """What devices of several requests must have in common, or not."""

    requests: tuple[Text, ...] | None = None
    match_attribute: Text | None = None
    distinct_attribute: Text | None = None


class DeviceClaimConfiguration(Model):
    """Configuration for devices of a claim."""

    requests: tuple[Text, ...] | None = None
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceClaim(Model):
    """Requests, constraints and configuration."""

    requests: tuple[DeviceRequest, ...] | None = None
    constraints: tuple[DeviceConstraint, ...] | None = None
    config: tuple[DeviceClaimConfiguration, ...] | None = None


class ResourceClaimSpec(Model):
    """What a claim asks for."""

    devices: DeviceClaim | None = None


class DeviceRequestAllocationResult(Model):
    """A device that was allocated for a request."""

    request: Text
    driver: Text
    pool: Text
    device: Text
    admin_access: Bool | None = None
    tolerations: tuple[DeviceToleration, ...] | None = None
    binding_conditions: tuple[Text, ...] | None = None
    binding_failure_conditions: tuple[Text, ...] | None = None
    share_id: Text | None = Field(default=None, alias="shareID")
    consumed_capacity: Mapping[Text, QuantityText] | None = None
    skip_node_operations: tuple[Text, ...] | None = None


class DeviceAllocationConfiguration(Model):
    """Configuration that goes with an allocation, from the class or the claim."""

    source: Text
    requests: tuple[Text, ...] | None = None
    opaque: OpaqueDeviceConfiguration | None = None


class DeviceAllocationResult(Model):
    """All devices of an allocation."""

    results: tuple[DeviceRequestAllocationResult, ...] | None = None
    config: tuple[DeviceAllocationConfiguration, ...] | None = None


class NodeSelectorRequirement(Model):
    """A requirement on a label or field of a node."""

    key: Text
    operator: Text
    values: tuple[Text, ...] | None = None


class NodeSelectorTerm(Model):
    """Requirements that a node must meet all."""

    match_expressions: tuple[NodeSelectorRequirement, ...] | None = None
    match_fields: tuple[NodeSelectorRequirement, ...] | None = None


class NodeSelector(Model):
    """Terms of which one must fit a node."""

    node_selector_terms: tuple[NodeSelectorTerm, ...]


class AllocationResult(Model):
    """Devices, and the nodes from which they can be used."""

    devices: DeviceAllocationResult | None = None
    node_selector: NodeSelector | None = None
    allocation_timestamp: Text | None = None


class ResourceClaimConsumerReference(Model):
    """Who may use an allocated claim."""

    api_group: Text | None = None
    resource: Text
    name: Text
    uid: Text


class Condition(Model):
    """One aspect of an observed state."""

    type: Text
    status: Text
    observed_generation: Int | None = None
    last_transition_time: Text
    reason: Text
    message: Text


class NetworkDeviceData(Model):
    """What a driver reports about a network interface."""

    interface_name: Text | None = None
    ips: tuple[Text, ...] | None = None
    hardware_address: Text | None = None


class AllocatedDeviceStatus(Model):
    """What a driver reports about an allocated device."""

    driver: Text
    pool: Text
    device: Text
    share_id: Text | None = Field(default=None, alias="shareID")
    conditions: tuple[Condition, ...] | None = None
    data: Any = None
    network_data: NetworkDeviceData | None = None


class ResourceClaimStatus(Model):
    """Allocation, consumers and device status of a claim."""

    allocation: AllocationResult | None = None
    reserved_for: tuple[ResourceClaimConsumerReference, ...] | None = None
    devices: tuple[AllocatedDeviceStatus, ...] | None = None


class ResourceClaim(Model):
    """A request for devices, and its allocation."""

    api_version: Literal["resource.k8s.io/v1"] = "resource.k8s.io/v1"
    kind: Literal["ResourceClaim"] = "ResourceClaim"
    metadata: ObjectMeta | None = None
    spec: ResourceClaimSpec | None = None
    status: ResourceClaimStatus | None = None


class ResourceClaimTemplateSpec(Model):
    """Labels, annotations and spec of claims made from a template."""

    metadata: ObjectMeta | None = None
    spec: ResourceClaimSpec | None = None


class ResourceClaimTemplate(Model):
    """A template that makes a claim for every pod."""

    api_version: Literal["resource.k8s.io/v1"] = "resource.k8s.io/v1"
    kind: Literal["ResourceClaimTemplate"] = "ResourceClaimTemplate"
    metadata: ObjectMeta | None = None
    spec: ResourceClaimTemplateSpec | None = None


class ResourcePool(Model):
    """The pool that a slice belongs to."""

    name: Text
    generation: Int
    resource_slice_count: Int


class DeviceAttribute(Model):
    """A value: exactly one of its fields is set."""

    int_: Int | None = Field(default=None, alias="int")
    bool_: Bool | None = Field(default=None, alias="bool")
    string: Text | None = None
    version: Text | None = None
    ints: tuple[Int, ...] | None = None
    bools: tuple[Bool, ...] | None = None
    strings: tuple[Text, ...] | None = None
    versions: tuple[Text, ...] | None = None


class CapacityRequestPolicyRange(Model):
    """From how much to how much may be requested, in which steps."""

    min: QuantityText
    max: QuantityText | None = None
    step: QuantityText | None = None


class CapacityRequestPolicy(Model):
    """What may be requested of a shared capacity."""

    default: QuantityText | None = None
    valid_values: tuple[QuantityText, ...] | None = None
    valid_range: CapacityRequestPolicyRange | None = None


class DeviceCapacity(Model):
    """An amount, and what may be requested of it."""

    value: QuantityText
    request_policy: CapacityRequestPolicy | None = None


class Counter(Model):
    """An amount that several devices draw from."""

    value: QuantityText


class DeviceCounterConsumption(Model):
    """What a device takes from a counter set."""

    counter_set: Text
    counters: Mapping[Text, Counter]
    compatibility_groups: tuple[Text, ...] | None = None


class DeviceTaint(Model):
    """What keeps claims away from a device."""

    key: Text
    value: Text | None = None
    effect: Text
    time_added: Text | None = None


class NodeAllocatableMapping(Model):
    """How a device or a capacity counts as a resource of the node."""

    capacity_key: Text | None = None
    capacity_multiplier: QuantityText | None = None
    device_multiplier: QuantityText | None = None


class NodeAllocatableOverhead(Model):
    """What using a device costs of the node's resources."""

    per_pod: QuantityText | None = None
    per_container: QuantityText | None = None


class NodeAllocatableResource(Model):
    """What a device takes of the node's resources (1.37)."""

    mapping: NodeAllocatableMapping | None = None
    overhead: NodeAllocatableOverhead | None = None


class NodeAllocatableResourceMapping(Model):
    """How a capacity counts as a resource of the node (1.36)."""

    capacity_key: Text | None = None
    allocation_multiplier: QuantityText | None = None


class Device(Model):
    """A device with attributes, capacities and taints."""

    name: Text
    attributes: Mapping[Text, DeviceAttribute] | None = None
    capacity: Mapping[Text, DeviceCapacity] | None = None
    consumes_counters: tuple[DeviceCounterConsumption, ...] | None = None
    node_name: Text | None = None
    node_selector: NodeSelector | None = None
    all_nodes: Bool | None = None
    taints: tuple[DeviceTaint, ...] | None = None
    binds_to_node: Bool | None = None
    binding_conditions: tuple[Text, ...] | None = None
    binding_failure_conditions: tuple[Text, ...] | None = None
    allow_multiple_allocations: Bool | None = None
    node_allocatable_resources: Mapping[Text, NodeAllocatableResource] | None = None
    node_allocatable_resource_mappings: Mapping[Text, NodeAllocatableResourceMapping] | None = None


class CounterSet(Model):
    """Counters that devices of the pool share."""

    name: Text
    counters: Mapping[Text, Counter]


class ResourceSliceSpec(Model):
    """Devices or counter sets of a pool, and the nodes that can use them."""

    driver: Text
    pool: ResourcePool
    node_name: Text | None = None
    node_selector: NodeSelector | None = None
    all_nodes: Bool | None = None
    devices: tuple[Device, ...] | None = None
    per_device_node_selection: Bool | None = None
    shared_counters: tuple[CounterSet, ...] | None = None
    partition_type_attribute: Text | None = None
    skip_node_operations: tuple[Text, ...] | None = None


class ResourceSlice(Model):
    """A part of a pool of devices, published by a driver."""

    api_version: Literal["resource.k8s.io/v1"] = "resource.k8s.io/v1"
    kind: Literal["ResourceSlice"] = "ResourceSlice"
    metadata: ObjectMeta | None = None
    spec: ResourceSliceSpec


class DeviceTaintSelector(Model):
    """Which devices a taint rule is for."""

    driver: Text | None = None
    pool: Text | None = None
    device: Text | None = None


class DeviceTaintRuleSpec(Model):
    """The devices and their taint."""

    device_selector: DeviceTaintSelector | None = None
    taint: DeviceTaint


class DeviceTaintRuleStatus(Model):
    """What came of a taint rule."""

    conditions: tuple[Condition, ...] | None = None


class DeviceTaintRule(Model):
    """Taints on devices that an administrator chooses."""

    api_version: Literal["resource.k8s.io/v1"] = "resource.k8s.io/v1"
    kind: Literal["DeviceTaintRule"] = "DeviceTaintRule"
    metadata: ObjectMeta | None = None
    spec: DeviceTaintRuleSpec
    status: DeviceTaintRuleStatus | None = None

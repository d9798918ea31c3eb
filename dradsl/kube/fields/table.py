"""The one table of every kind and field of resource.k8s.io: types, required flags, releases, gates.

Everything that knows about the shape of an object reads it from here: strict decoding, semantic
equality, the editor JSON Schemas and the check of the pydantic models.

A type is a block: its name (with `@VERSION` where one API version differs from the others), then a
line a field: name, type as Go spells it (`*` = pointer, so that "absent" and "empty" differ; a
leading `!` = required in the published schema), and options: `gate=` (feature gates that guard it),
`keys=` (map keys of a list). Since when and until when a field exists, and until when it is required, say
the pages of the releases (`releases.page.Fields`).

Sources: kubernetes/api `resource/{v1,v1beta2,v1beta1,v1alpha3}/types.go` at 0.34.12, 0.35.8, 0.36.5
and 0.37.2; apimachinery `meta/v1` and api `core/v1` for the shared types. The required flags are
those of the published JSON Schemas.
"""

from __future__ import annotations

import enum
import functools
from types import MappingProxyType

from dradsl.records import dataclass
from dradsl.releases import RELEASES
from dradsl.releases.table import NOT_REQUIRED_SINCE, REMOVED_IN, SINCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "GROUP",
    "KINDS",
    "VERSIONS",
    "Category",
    "Field",
    "Kind",
    "FieldType",
    "fields_of",
    "known_somewhere",
    "type_names",
]

GROUP = "resource.k8s.io"
VERSIONS = ("v1", "v1beta2", "v1beta1", "v1alpha3")


class Category(enum.StrEnum):
    """What a value of a type looks like in JSON."""

    STRING = "string"
    BOOL = "bool"
    INT32 = "int32"
    INT64 = "int64"
    QUANTITY = "quantity"  # a string or a number
    TIME = "time"  # an RFC 3339 string
    RAW = "raw"  # any JSON value, not looked into
    STRUCT = "struct"
    LIST = "list"
    MAP = "map"


@dataclass(frozen=True, slots=True)
class FieldType:
    """A Go type: `name` is the Go name of scalars and structs, `item` the element of lists and maps."""

    category: Category
    name: str
    pointer: bool = False
    item: FieldType | None = None

    def __str__(self) -> str:
        """As Go writes it, without the package."""
        star = "*" if self.pointer else ""
        if self.category is Category.LIST:
            return f"{star}[]{self.item}"
        if self.category is Category.MAP:
            return f"{star}map[{self.name}]{self.item}"
        return star + self.name


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a type: JSON name, type, and where and when it exists.

    `keys` are the fields that identify an item of a list with map semantics; `gates` must all be on
    for the server to keep the field.
    """

    name: str
    type: FieldType
    required: bool = False
    required_until: str | None = None
    since: str | None = None
    until: str | None = None
    gates: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def exists_in(self, release: str) -> bool:
        """Whether `release` ("1.36") knows the field."""
        order = tuple(RELEASES)
        index = order.index(release)
        after = self.since is None or index >= order.index(self.since)
        return after and (self.until is None or index <= order.index(self.until))

    def required_in(self, release: str) -> bool:
        """Whether the published schema of `release` lists the field as required."""
        if self.required_until is not None:
            order = tuple(RELEASES)
            return order.index(release) <= order.index(self.required_until)
        return self.required


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of the group: namespaced or not, and whether it has a status that users cannot write."""

    name: str
    namespaced: bool
    status: bool


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            Kind("DeviceClass", namespaced=False, status=False),
            Kind("ResourceClaim", namespaced=True, status=True),
            Kind("ResourceClaimTemplate", namespaced=True, status=False),
            Kind("ResourceSlice", namespaced=False, status=False),
            Kind("DeviceTaintRule", namespaced=False, status=True),
            Kind("ResourcePoolStatusRequest", namespaced=False, status=True),
        )
    }
)

_TABLE = """
DeviceClass
  apiVersion string
  kind string
  metadata ObjectMeta
  spec !DeviceClassSpec
DeviceClassSpec
  selectors []DeviceSelector
  config []DeviceClassConfiguration
  extendedResourceName *string gate=DRAExtendedResource
DeviceClassConfiguration
  opaque *OpaqueDeviceConfiguration
DeviceSelector
  cel *CELDeviceSelector
CELDeviceSelector
  expression !string
OpaqueDeviceConfiguration
  driver !string
  parameters !RawExtension

ResourceClaim
  apiVersion string
  kind string
  metadata ObjectMeta
  spec !ResourceClaimSpec
  status ResourceClaimStatus
ResourceClaimSpec
  devices DeviceClaim
DeviceClaim
  requests []DeviceRequest
  constraints []DeviceConstraint
  config []DeviceClaimConfiguration
DeviceRequest
  name !string
  exactly *ExactDeviceRequest
  firstAvailable []DeviceSubRequest gate=DRAPrioritizedList
DeviceRequest@v1beta1
  name !string
  deviceClassName string
  selectors []DeviceSelector
  allocationMode DeviceAllocationMode
  count int64
  adminAccess *bool gate=DRAAdminAccess
  firstAvailable []DeviceSubRequest gate=DRAPrioritizedList
  tolerations []DeviceToleration gate=DRADeviceTaints
  capacity *CapacityRequirements gate=DRAConsumableCapacity
  derivedAttributes []DeviceDerivedAttribute gate=DRADerivedAttributes
ExactDeviceRequest
  deviceClassName !string
  selectors []DeviceSelector
  allocationMode DeviceAllocationMode
  count int64
  adminAccess *bool gate=DRAAdminAccess
  tolerations []DeviceToleration gate=DRADeviceTaints
  capacity *CapacityRequirements gate=DRAConsumableCapacity
  derivedAttributes []DeviceDerivedAttribute gate=DRADerivedAttributes
DeviceSubRequest
  name !string
  deviceClassName !string
  selectors []DeviceSelector
  allocationMode DeviceAllocationMode
  count int64
  tolerations []DeviceToleration gate=DRADeviceTaints
  capacity *CapacityRequirements gate=DRAConsumableCapacity
  derivedAttributes []DeviceDerivedAttribute gate=DRADerivedAttributes
DeviceToleration
  key string
  operator DeviceTolerationOperator
  value string
  effect DeviceTaintEffect
  tolerationSeconds *int64
CapacityRequirements
  requests map[QualifiedName]Quantity
DeviceDerivedAttribute
  name !FullyQualifiedName
  expression !string
DeviceConstraint
  requests []string
  matchAttribute *FullyQualifiedName
  distinctAttribute *FullyQualifiedName gate=DRAConsumableCapacity
DeviceClaimConfiguration
  requests []string
  opaque *OpaqueDeviceConfiguration

ResourceClaimStatus
  allocation *AllocationResult
  reservedFor []ResourceClaimConsumerReference keys=uid
  devices []AllocatedDeviceStatus gate=DRAResourceClaimDeviceStatus keys=driver,device,pool,shareID
ResourceClaimConsumerReference
  apiGroup string
  resource !string
  name !string
  uid !UID
AllocationResult
  devices DeviceAllocationResult
  nodeSelector *NodeSelector
  allocationTimestamp *Time gate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
DeviceAllocationResult
  results []DeviceRequestAllocationResult
  config []DeviceAllocationConfiguration
DeviceRequestAllocationResult
  request !string
  driver !string
  pool !string
  device !string
  adminAccess *bool gate=DRAAdminAccess
  tolerations []DeviceToleration gate=DRADeviceTaints
  bindingConditions []string gate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
  bindingFailureConditions []string gate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
  shareID *UID gate=DRAConsumableCapacity
  consumedCapacity map[QualifiedName]Quantity gate=DRAConsumableCapacity
  skipNodeOperations []SkipNodeOperation gate=DRAOptionalNodeOperations
DeviceAllocationConfiguration
  source !AllocationConfigSource
  requests []string
  opaque *OpaqueDeviceConfiguration
AllocatedDeviceStatus
  driver !string
  pool !string
  device !string
  shareID *string gate=DRAConsumableCapacity
  conditions []Condition keys=type
  data *RawExtension
  networkData *NetworkDeviceData
NetworkDeviceData
  interfaceName string
  ips []string
  hardwareAddress string

ResourceClaimTemplate
  apiVersion string
  kind string
  metadata ObjectMeta
  spec !ResourceClaimTemplateSpec
ResourceClaimTemplateSpec
  metadata ObjectMeta
  spec !ResourceClaimSpec

ResourceSlice
  apiVersion string
  kind string
  metadata ObjectMeta
  spec !ResourceSliceSpec
ResourceSliceSpec
  driver !string
  pool !ResourcePool
  nodeName *string
  nodeSelector *NodeSelector
  allNodes *bool
  devices []Device
  perDeviceNodeSelection *bool gate=DRAPartitionableDevices
  sharedCounters []CounterSet gate=DRAPartitionableDevices
  partitionTypeAttribute *FullyQualifiedName gate=DRAPartitionableDevicesType
  skipNodeOperations []SkipNodeOperation gate=DRAOptionalNodeOperations
ResourceSliceSpec@v1beta1
  driver !string
  pool !ResourcePool
  nodeName string
  nodeSelector *NodeSelector
  allNodes bool
  devices []Device
  perDeviceNodeSelection *bool gate=DRAPartitionableDevices
  sharedCounters []CounterSet gate=DRAPartitionableDevices
  partitionTypeAttribute *FullyQualifiedName gate=DRAPartitionableDevicesType
  skipNodeOperations []SkipNodeOperation gate=DRAOptionalNodeOperations
ResourcePool
  name !string
  generation !int64
  resourceSliceCount !int64
CounterSet
  name !string
  counters !map[string]Counter
Counter
  value !Quantity
Device
  name !string
  attributes map[QualifiedName]DeviceAttribute
  capacity map[QualifiedName]DeviceCapacity
  consumesCounters []DeviceCounterConsumption gate=DRAPartitionableDevices
  nodeName *string gate=DRAPartitionableDevices
  nodeSelector *NodeSelector gate=DRAPartitionableDevices
  allNodes *bool gate=DRAPartitionableDevices
  taints []DeviceTaint gate=DRADeviceTaints
  bindsToNode *bool gate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
  bindingConditions []string gate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
  bindingFailureConditions []string gate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
  allowMultipleAllocations *bool gate=DRAConsumableCapacity
  nodeAllocatableResourceMappings map[ResourceName]NodeAllocatableResourceMapping gate=DRANodeAllocatableResources
  nodeAllocatableResources map[ResourceName]NodeAllocatableResource gate=DRANodeAllocatableResources
Device@v1beta1
  name !string
  basic *BasicDevice
BasicDevice
  attributes map[QualifiedName]DeviceAttribute
  capacity map[QualifiedName]DeviceCapacity
  consumesCounters []DeviceCounterConsumption gate=DRAPartitionableDevices
  nodeName *string gate=DRAPartitionableDevices
  nodeSelector *NodeSelector gate=DRAPartitionableDevices
  allNodes *bool gate=DRAPartitionableDevices
  taints []DeviceTaint gate=DRADeviceTaints
  bindsToNode *bool gate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
  bindingConditions []string gate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
  bindingFailureConditions []string gate=DRADeviceBindingConditions,DRAResourceClaimDeviceStatus
  allowMultipleAllocations *bool gate=DRAConsumableCapacity
  nodeAllocatableResourceMappings map[ResourceName]NodeAllocatableResourceMapping gate=DRANodeAllocatableResources
  nodeAllocatableResources map[ResourceName]NodeAllocatableResource gate=DRANodeAllocatableResources
DeviceAttribute
  int *int64
  bool *bool
  string *string
  version *string
  ints []int64 gate=DRAListTypeAttributes
  bools []bool gate=DRAListTypeAttributes
  strings []string gate=DRAListTypeAttributes
  versions []string gate=DRAListTypeAttributes
DeviceCapacity
  value !Quantity
  requestPolicy *CapacityRequestPolicy gate=DRAConsumableCapacity
CapacityRequestPolicy
  default *Quantity
  validValues []Quantity
  validRange *CapacityRequestPolicyRange
CapacityRequestPolicyRange
  min !*Quantity
  max *Quantity
  step *Quantity
DeviceCounterConsumption
  counterSet !string
  counters !map[string]Counter
  compatibilityGroups []string gate=DRADeviceCompatibilityGroups
DeviceTaint
  key !string
  value string
  effect !DeviceTaintEffect
  timeAdded *Time
NodeAllocatableResourceMapping
  capacityKey *QualifiedName
  allocationMultiplier *Quantity
NodeAllocatableResource
  mapping *NodeAllocatableMapping
  overhead *NodeAllocatableOverhead
NodeAllocatableMapping
  capacityKey *QualifiedName
  capacityMultiplier *Quantity
  deviceMultiplier *Quantity
NodeAllocatableOverhead
  perPod *Quantity
  perContainer *Quantity

DeviceTaintRule
  apiVersion string
  kind string
  metadata ObjectMeta
  spec !DeviceTaintRuleSpec
  status DeviceTaintRuleStatus
DeviceTaintRuleSpec
  deviceSelector *DeviceTaintSelector
  taint !DeviceTaint
DeviceTaintSelector
  deviceClassName *string
  driver *string
  pool *string
  device *string
  selectors []DeviceSelector
DeviceTaintRuleStatus
  conditions []Condition keys=type

ResourcePoolStatusRequest
  apiVersion string
  kind string
  metadata !ObjectMeta
  spec !ResourcePoolStatusRequestSpec
  status *ResourcePoolStatusRequestStatus
ResourcePoolStatusRequestSpec
  driver !string
  poolName *string
  limit *int32
  defaultPartitionTypeAttribute *string gate=DRAPartitionableDevicesType
ResourcePoolStatusRequestStatus
  poolCount !*int32
  pools []PoolStatus
  conditions []Condition keys=type
PoolStatus
  driver !string
  poolName !string
  generation !int64
  resourceSliceCount *int32
  totalDevices *int32
  allocatedDevices *int32
  availableDevices *int32
  unavailableDevices *int32
  nodeName *string
  validationError *string
  partitionSummary []PartitionTypeStatus
  shareableSummary *ShareableSummaryStatus
PartitionTypeStatus
  attribute !string
  type !string
  total !*int32
  allocatable !*int32
ShareableSummaryStatus
  fullyAvailableDevices !*int32
  partiallyAvailableDevices !*int32
  capacity []ShareableCapacityStatus
ShareableCapacityStatus
  name !string
  total !*Quantity
  consumed !*Quantity
  available !*Quantity

ObjectMeta
  name string
  generateName string
  namespace string
  selfLink string
  uid UID
  resourceVersion string
  generation int64
  creationTimestamp Time
  deletionTimestamp *Time
  deletionGracePeriodSeconds *int64
  labels map[string]string
  annotations map[string]string
  ownerReferences []OwnerReference keys=uid
  finalizers []string
  managedFields []ManagedFieldsEntry
OwnerReference
  apiVersion !string
  kind !string
  name !string
  uid !UID
  controller *bool
  blockOwnerDeletion *bool
ManagedFieldsEntry
  manager string
  operation ManagedFieldsOperationType
  apiVersion string
  time *Time
  fieldsType string
  fieldsV1 *FieldsV1
  subresource string
Condition
  type !string
  status !ConditionStatus
  observedGeneration int64
  lastTransitionTime !Time
  reason !string
  message !string
NodeSelector
  nodeSelectorTerms ![]NodeSelectorTerm
NodeSelectorTerm
  matchExpressions []NodeSelectorRequirement
  matchFields []NodeSelectorRequirement
NodeSelectorRequirement
  key !string
  operator !NodeSelectorOperator
  values []string
"""

_SCALARS: Mapping[str, Category] = MappingProxyType(
    {
        "bool": Category.BOOL,
        "int32": Category.INT32,
        "int64": Category.INT64,
        "Quantity": Category.QUANTITY,
        "Time": Category.TIME,
        "RawExtension": Category.RAW,
        "FieldsV1": Category.RAW,
        "string": Category.STRING,
        "UID": Category.STRING,
        "QualifiedName": Category.STRING,
        "FullyQualifiedName": Category.STRING,
        "DeviceAllocationMode": Category.STRING,
        "DeviceTaintEffect": Category.STRING,
        "DeviceTolerationOperator": Category.STRING,
        "AllocationConfigSource": Category.STRING,
        "SkipNodeOperation": Category.STRING,
        "ConditionStatus": Category.STRING,
        "ManagedFieldsOperationType": Category.STRING,
        "NodeSelectorOperator": Category.STRING,
    }
)


@functools.cache
def _type(text: str) -> FieldType:
    pointer = text.startswith("*")
    text = text.removeprefix("*")
    if text.startswith("[]"):
        return FieldType(Category.LIST, "", pointer, _type(text[2:]))
    if text.startswith("map["):
        key, _, item = text[4:].partition("]")
        return FieldType(Category.MAP, key, pointer, _type(item))
    return FieldType(_SCALARS.get(text, Category.STRUCT), text, pointer)


def _field(block: str, line: str) -> Field:
    name, type_text, *options = line.split()
    key = f"{block}.{name}"
    values = dict(option.split("=", 1) for option in options)
    return Field(
        name,
        _type(type_text.removeprefix("!")),
        required=type_text.startswith("!"),
        required_until=_before(NOT_REQUIRED_SINCE.get(key)),
        since=SINCE.get(key),
        until=_before(REMOVED_IN.get(key)),
        gates=tuple(values["gate"].split(",")) if "gate" in values else (),
        keys=tuple(values["keys"].split(",")) if "keys" in values else (),
    )


def _before(release: str | None) -> str | None:
    """The release before this one: the last one of what went with it."""
    order = tuple(RELEASES)
    return None if release is None else order[order.index(release) - 1]


@functools.cache
def _blocks() -> Mapping[str, list[str]]:
    """The lines of each type; one is read when it is asked for."""
    blocks: dict[str, list[str]] = {}
    block: list[str] = []
    for line in _TABLE.splitlines():
        if line.startswith("  "):
            block.append(line)
        elif line:
            block = blocks[line] = []
    return blocks


@functools.cache
def _rows(type_name: str, version: str) -> tuple[Field, ...]:
    blocks = _blocks()
    name = f"{type_name}@{version}"
    if name not in blocks:
        name = type_name
    return tuple([_field(name, line) for line in blocks[name]])


def type_names() -> tuple[str, ...]:
    """Every block of the table, `NAME` or `NAME@VERSION`, in the table's order."""
    return tuple(_blocks())


@functools.cache
def fields_of(type_name: str, version: str, release: str) -> Mapping[str, Field]:
    """The fields of a type in API `version` as `release` knows them, by name, in the table's order."""
    return {field.name: field for field in _rows(type_name, version) if field.exists_in(release)}


def known_somewhere(type_name: str, version: str, name: str) -> Field | None:
    """The field called `name` in any release, for saying that it came later or was removed."""
    return next((field for field in _rows(type_name, version) if field.name == name), None)

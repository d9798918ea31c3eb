"""One device of a ResourceSlice: attributes, taints, counters, node selection, binding conditions.

Source: kubernetes pkg/apis/resource/validation/validation.go (validateDevice) at 1.34.10 to 1.37.1.
Capacities are in `capacity`.
"""

from __future__ import annotations

from dradsl.kube.equality import field_equal
from dradsl.kube.errors import (
    FieldError,
    MapKey,
    Path,
    duplicate,
    invalid,
    not_found,
    required,
    too_long,
)
from dradsl.kube.fields.table import fields_of
from dradsl.kube.validation.capacity import check_capacity, sign
from dradsl.kube.validation.formats import (
    check_label_key,
    check_qualified_name,
    check_short_name,
)
from dradsl.kube.validation.lists import check_list, check_map, check_set
from dradsl.kube.validation.selectors import check_node_name, check_node_selector
from dradsl.kube.validation.taints import check_taint
from dradsl.records import Record
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.fields.typed_dicts import (
        CounterDict,
        DeviceCounterConsumptionDict,
        DeviceDict,
        NodeAllocatableOverheadDict,
    )
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "KEY_LENGTH",
    "DeviceCheck",
    "check_binding_conditions",
    "check_counters",
    "check_skip_node_operations",
]

KEY_LENGTH = 63 + 1 + 32
_MAX_NAMES = 32
_MAX_VALUES = 48
_MAX_TEXT = 64
_MAX_CONSUMPTIONS = 2
_MAX_COUNTERS = 32
_MAX_CONDITIONS = 4
_LABEL_LENGTH = 63
_LISTS = ("bools", "ints", "strings", "versions")
_SEMVER = pattern(
    r"(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)"
    r"(?:-(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
    r"(?:\.(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?"
)


class DeviceCheck(Record):
    """The check of the devices of one slice: what they may choose and what they may refer to.

    `old` are the stored devices by name; `counter_sets` the counters of the slice by set.
    """

    context: Context
    chooses_nodes: bool
    old: Mapping[str, DeviceDict]
    counter_sets: Mapping[str, Mapping[str, CounterDict]]

    # Upstream: validateDevice, lookupDevice (pkg/apis/resource/validation/validation.go)
    def __call__(self, device: DeviceDict, path: Path) -> list[FieldError]:
        """Everything that is wrong with one device, in upstream's order."""
        context = self.context
        old = self.old.get(device.get("name", ""))
        errors = check_short_name(device.get("name", ""), (*path, "name"))
        errors += _check_sizes(device, path, context)
        errors += check_map(
            device.get("attributes"),
            None,
            KEY_LENGTH,
            lambda key, at: check_qualified_name(key, at, context.rules),
            self._check_attribute,
            (*path, "attributes"),
            context.rules,
            reason="too-many-attributes",
        )
        tolerated = context.rules.capacity_unchanged_tolerated
        if not (tolerated and self._unchanged(device, old, "capacity")):
            errors += self._check_capacities(device, path)
        tolerated = context.rules.taint_unchanged_tolerated
        if not (tolerated and self._unchanged(device, old, "taints")):
            errors += check_list(
                device.get("taints"),
                context.rules.max_taints,
                lambda taint, at: check_taint(taint, None, at, context),
                (*path, "taints"),
                context.rules,
                reason="too-many-taints",
                covered=False,
            )
        errors += self._check_consumption(device, path)
        errors += self._check_nodes(device, path)
        errors += check_binding_conditions(device, path, context)
        return errors + _check_node_resources(device, path)

    def _unchanged(self, device: DeviceDict, old: DeviceDict | None, name: str) -> bool:
        if old is None:
            return False
        field = fields_of("Device", "v1", self.context.release)[name]
        return field_equal(device.get(name), old.get(name), field, self.context.release)

    # Upstream: validateMultiAllocatableDeviceCapacity (pkg/apis/resource/validation/validation.go)
    # Upstream: validateSingleAllocatableDeviceCapacity (pkg/apis/resource/validation/validation.go)
    # Upstream: numEntriesDeviceAttribute (pkg/apis/resource/validation/validation.go)
    def _check_capacities(self, device: DeviceDict, path: Path) -> list[FieldError]:
        shared = bool(device.get("allowMultipleAllocations"))
        context = self.context
        return check_map(
            device.get("capacity"),
            None,
            KEY_LENGTH,
            lambda key, at: check_qualified_name(key, at, context.rules),
            lambda capacity, at: check_capacity(capacity, at, context, shared=shared),
            (*path, "capacity"),
            context.rules,
            reason="too-many-attributes",
        )

    # Upstream: validateDeviceAttribute (pkg/apis/resource/validation/validation.go)
    def _check_attribute(self, attribute: JsonMapping, path: Path) -> list[FieldError]:
        errors: list[FieldError] = []
        count = sum(name in attribute for name in ("bool", "int", "string", "version"))
        if "string" in attribute:
            errors += _check_text(attribute["string"], (*path, "string"))
        if "version" in attribute:
            errors += _check_version(attribute["version"], (*path, "version"))
        for name in _LISTS:
            if name not in attribute:
                continue
            count += 1
            at: Path = (*path, name)
            if not attribute[name]:
                detail = "must not be empty if specified"
                errors.append(invalid(at, "attribute-list-empty", [], detail))
            for index, item in enumerate(attribute[name]):
                if name == "strings":
                    found = _check_text(item, (*at, index))
                    errors += [error.as_covered("maxBytes") for error in found]
                elif name == "versions":
                    errors += _check_version(item, (*at, index))
        if count != 1:
            reason = "attribute-without-value" if count == 0 else "attribute-ambiguous"
            detail = "exactly one value must be specified"
            if count == 0 and self.context.rules.attribute_missing_required:
                errors.append(required(path, reason, detail))
            else:
                from dradsl.kube.validation.shown import internal_attribute

                value = internal_attribute(attribute, self.context.release) if count else ""
                errors.append(invalid(path, reason, value, detail).as_covered("union"))
        return errors

    # Upstream: validateDeviceCounterConsumption (pkg/apis/resource/validation/validation.go)
    def _check_consumption(self, device: DeviceDict, path: Path) -> list[FieldError]:
        rules = self.context.rules
        consumptions = device.get("consumesCounters") or ()
        at: Path = (*path, "consumesCounters")
        errors = check_set(
            consumptions,
            None if rules.counters_in_total else _MAX_CONSUMPTIONS,
            self._check_counters,
            at,
            rules,
            reason="too-many-counter-consumptions",
            duplicate_reason="duplicate-counter-consumption",
            key_field="counterSet",
        )
        if not rules.counters_in_total:
            return errors
        total = sum(len(consumption.get("counters") or {}) for consumption in consumptions)
        if total > _MAX_COUNTERS:
            detail = f"the total number of counters must not exceed {_MAX_COUNTERS}"
            errors.append(invalid(path, "too-many-counters", total, detail))
        for index, consumption in enumerate(consumptions):
            errors += self._check_reference(consumption, (*at, index))
        return errors

    def _check_counters(
        self, consumption: DeviceCounterConsumptionDict, path: Path
    ) -> list[FieldError]:
        name, at = consumption.get("counterSet", ""), (*path, "counterSet")
        errors: list[FieldError] = []
        if not name:
            errors.append(required(at, "counter-set-name-required").as_covered())
        elif not self.context.rules.counters_in_total:
            errors += [error.as_covered() for error in check_short_name(name, at)]
        place: Path = (*path, "counters")
        if not consumption.get("counters"):
            return [*errors, required(place, "counters-required").as_covered()]
        return errors + check_counters(consumption["counters"], place, self.context)

    def _check_reference(
        self, consumption: DeviceCounterConsumptionDict, path: Path
    ) -> list[FieldError]:
        """1.34 wants consumed counters to exist in the same slice."""
        reason = "unknown-counter"
        counters = self.counter_sets.get(consumption.get("counterSet", ""))
        if counters is None:
            detail = "must reference a counterSet defined in the ResourceSlice sharedCounters"
            name = consumption.get("counterSet", "")
            return [invalid((*path, "counterSet"), reason, name, detail)]
        detail = "must reference a counter defined in the ResourceSlice sharedCounters"
        return [
            invalid((*path, "counters"), reason, name, detail)
            for name in sorted(consumption.get("counters") or {})
            if name not in counters
        ]

    def _check_nodes(self, device: DeviceDict, path: Path) -> list[FieldError]:
        name, selector = device.get("nodeName"), device.get("nodeSelector")
        everywhere = device.get("allNodes")
        if not self.chooses_nodes:
            if name is None and selector is None and everywhere is None:
                return []
            detail = (
                "`nodeName`, `nodeSelector` and `allNodes` can only be set if"
                " `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
            )
            return [invalid(path, "device-node-choice-not-allowed", None, detail)]
        errors: list[FieldError] = []
        chosen = []
        if name:
            chosen.append("`nodeName`")
            errors += check_node_name(name, (*path, "nodeName"))
        elif name is not None:
            at: Path = (*path, "nodeName")
            errors.append(invalid(at, "node-choice-empty", name, "must not be empty"))
        if selector is not None:
            chosen.append("`nodeSelector`")
            errors += check_node_selector(selector, (*path, "nodeSelector"), self.context)
        if everywhere:
            chosen.append("`allNodes`")
        elif everywhere is not None:
            detail = "must be either unset or set to true"
            errors.append(invalid((*path, "allNodes"), "node-choice-empty", everywhere, detail))
        detail = (
            "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when"
            " `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
        )
        if not chosen:
            errors.append(required(path, "device-node-choice-missing", detail))
        elif len(chosen) > 1:
            value = f"{{{', '.join(chosen)}}}"
            errors.append(invalid(path, "device-node-choice-ambiguous", value, detail))
        return errors


# Upstream: validateDeviceCounter (pkg/apis/resource/validation/validation.go)
def check_counters(counters: Any, path: Path, context: Context) -> list[FieldError]:
    """Counters by name; any quantity will do."""
    limit = None if context.rules.counters_in_total else _MAX_COUNTERS
    return check_map(
        counters,
        limit,
        _LABEL_LENGTH,
        check_short_name,
        lambda _counter, _path: [],
        path,
        context.rules,
        reason="too-many-counters",
        keys_covered=True,
    )


def _check_sizes(device: DeviceDict, path: Path, context: Context) -> list[FieldError]:
    errors: list[FieldError] = []
    attributes: Mapping[str, JsonMapping] = device.get("attributes") or {}
    names = len(attributes) + len(device.get("capacity") or {})
    if names > _MAX_NAMES:
        detail = f"the total number of attributes and capacities must not exceed {_MAX_NAMES}"
        errors.append(invalid(path, "too-many-attributes", names, detail))
    if "ints" not in fields_of("DeviceAttribute", "v1", context.release):
        return errors
    values = sum(
        sum(len(attribute.get(name) or ()) for name in _LISTS) or 1
        for attribute in attributes.values()
    )
    if values > _MAX_VALUES:
        detail = f"the total number of attribute values must not exceed {_MAX_VALUES}"
        errors.append(invalid(path, "too-many-attribute-values", values, detail))
    return errors


# Upstream: validateDeviceAttributeStringValue (pkg/apis/resource/validation/validation.go)
def _check_text(text: str, path: Path) -> list[FieldError]:
    if len(text.encode(errors="surrogatepass")) > _MAX_TEXT:
        return [too_long(path, "attribute-value-too-long", _MAX_TEXT)]
    return []


# Upstream: validateDeviceAttributeVersionValue (pkg/apis/resource/validation/validation.go)
def _check_version(text: str, path: Path) -> list[FieldError]:
    errors: list[FieldError] = []
    if not _SEMVER.fullmatch(text):
        detail = "must be a string compatible with semver.org spec 2.0.0"
        errors.append(invalid(path, "invalid-version", text, detail))
    return errors + _check_text(text, path)


# Upstream: validateDeviceBindingParameters (pkg/apis/resource/validation/validation.go)
def check_binding_conditions(parent: JsonMapping, path: Path, context: Context) -> list[FieldError]:
    """Binding and binding failure conditions: both or none, unique, disjoint."""
    errors: list[FieldError] = []
    both = {}
    for field in ("bindingConditions", "bindingFailureConditions"):
        both[field] = parent.get(field) or ()
        errors += check_list(
            both[field],
            _MAX_CONDITIONS,
            lambda name, at: check_label_key(name, at, context.rules, "invalid-binding-condition"),
            (*path, field),
            context.rules,
            reason="too-many-binding-conditions",
        )
    binding, failure = both.values()
    seen: set[str] = set()
    for index, name in enumerate(binding):
        if name in seen:
            at: Path = (*path, "bindingConditions", index)
            errors.append(duplicate(at, "duplicate-binding-condition", name))
        seen.add(name)
    failed: set[str] = set()
    for index, name in enumerate(failure):
        at = (*path, "bindingFailureConditions", index)
        if name in failed:
            errors.append(duplicate(at, "duplicate-binding-condition", name))
        failed.add(name)
        if name in seen:
            detail = "bindingFailureConditions must not overlap with bindingConditions"
            errors.append(invalid(at, "binding-conditions-overlap", name, detail))
    if bool(binding) != bool(failure):
        missing, given = "bindingConditions", "bindingFailureConditions"
        if binding:
            missing, given = given, missing
        detail = f"{missing} are required to use {given}"
        shown: list[object] | None = None if parent.get(missing) is None else []
        errors.append(invalid((*path, missing), "binding-conditions-incomplete", shown, detail))
    return errors


# Upstream: validateSkipNodeOperations (pkg/apis/resource/validation/validation.go)
def check_skip_node_operations(operations: Any, path: Path) -> list[FieldError]:
    """Preparation can only be skipped together with unpreparation (1.37)."""
    chosen = set(operations or ())
    if "NodePrepareResources" in chosen and not chosen & {"NodeUnprepareResources", "*"}:
        detail = (
            "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped"
        )
        return [invalid(path, "skip-prepare-only", operations, detail)]
    return []


# Upstream: validateNodeAllocatableResources (pkg/apis/resource/validation/validation.go)
def _check_node_resources(device: DeviceDict, path: Path) -> list[FieldError]:
    errors: list[FieldError] = []
    capacities = device.get("capacity") or {}
    mappings = device.get("nodeAllocatableResourceMappings") or {}
    for name in sorted(mappings):
        at: Path = (*path, "nodeAllocatableResourceMappings", MapKey(name))
        if "/" in name and "kubernetes.io/" not in name:
            errors.append(_not_node_resource(name, at))
        errors += _check_old_mapping(mappings[name], capacities, at)
    resources = device.get("nodeAllocatableResources") or {}
    for name in sorted(resources):
        at = (*path, "nodeAllocatableResources", MapKey(name))
        if name not in ("cpu", "memory") and not name.startswith("hugepages-"):
            errors.append(_not_node_resource(name, at))
        mapping, overhead = resources[name].get("mapping"), resources[name].get("overhead")
        if mapping is None and overhead is None:
            detail = "at least one of mapping or overhead must be set"
            errors.append(required(at, "node-resource-incomplete", detail))
        if mapping is not None:
            errors += _check_mapping(mapping, capacities, (*at, "mapping"))
        if overhead is not None:
            errors += _check_overhead(overhead, (*at, "overhead"))
    return errors


def _not_node_resource(name: str, path: Path) -> FieldError:
    return invalid(path, "not-a-node-resource", name, "must be a node allocatable resource name")


# Upstream: validateNodeAllocatableResourceMappings (pkg/apis/resource/validation/validation.go)
def _check_old_mapping(
    mapping: JsonMapping, capacities: JsonMapping, path: Path
) -> list[FieldError]:
    multiplier = mapping.get("allocationMultiplier")
    if multiplier is None and mapping.get("capacityKey") is None:
        detail = "at least one of allocationMultiplier or capacityKey must be set"
        return [invalid(path, "node-resource-incomplete", "", detail)]
    errors: list[FieldError] = []
    if multiplier is not None and sign(multiplier) <= 0:
        errors.append(_not_positive(multiplier, (*path, "allocationMultiplier")))
    return errors + _check_capacity_key(mapping, capacities, path)


def _check_capacity_key(
    mapping: JsonMapping, capacities: JsonMapping, path: Path
) -> list[FieldError]:
    key, at = mapping.get("capacityKey"), (*path, "capacityKey")
    if key is None or key in capacities:
        return []
    if not key:
        detail = "capacityKey must not be an empty string"
        return [invalid(at, "unknown-capacity-key", "", detail)]
    return [not_found(at, "unknown-capacity-key", key)]


def _not_positive(value: str | float, path: Path) -> FieldError:
    return invalid(path, "multiplier-not-positive", value, "must be positive")


# Upstream: validateNodeAllocatableMapping (pkg/apis/resource/validation/validation.go)
def _check_mapping(mapping: JsonMapping, capacities: JsonMapping, path: Path) -> list[FieldError]:
    errors: list[FieldError] = []
    key, multiplier = mapping.get("capacityKey"), mapping.get("capacityMultiplier")
    if key is not None:
        errors += _check_capacity_key(mapping, capacities, path)
        at: Path = (*path, "capacityMultiplier")
        if multiplier is None:
            detail = "capacityMultiplier is required when capacityKey is set"
            error = required(at, "node-resource-incomplete", detail)
            errors.append(error.as_covered("dependentRequired"))
        elif sign(multiplier) <= 0:
            errors.append(_not_positive(multiplier, at))
    per_device = mapping.get("deviceMultiplier")
    if per_device is not None and sign(per_device) <= 0:
        errors.append(_not_positive(per_device, (*path, "deviceMultiplier")))
    if multiplier is not None and key is None:
        detail = "capacityKey is required when capacityMultiplier is set"
        error = required((*path, "capacityKey"), "node-resource-incomplete", detail)
        errors.append(error.as_covered("dependentRequired"))
    return errors


# Upstream: validateNodeAllocatableOverheadMapping (pkg/apis/resource/validation/validation.go)
def _check_overhead(overhead: NodeAllocatableOverheadDict, path: Path) -> list[FieldError]:
    if overhead.get("perPod") is None and overhead.get("perContainer") is None:
        detail = "at least one of perPod or perContainer must be set"
        return [invalid(path, "node-resource-incomplete", "", detail)]
    return [
        invalid((*path, name), "overhead-negative", overhead[name], "must be non-negative")
        for name in ("perPod", "perContainer")
        if overhead.get(name) is not None and sign(overhead[name]) < 0
    ]

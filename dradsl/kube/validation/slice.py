"""ResourceSlice: pool, node selection, counter sets, and the limits over all devices.

Source: kubernetes pkg/apis/resource/validation/validation.go (validateResourceSliceSpec) at 1.34.10
to 1.37.1. Single devices are in `device`.
"""

from __future__ import annotations

from dradsl.kube.equality import field_equal
from dradsl.kube.errors import FieldError, MapKey, Path, invalid, required
from dradsl.kube.fields.table import fields_of
from dradsl.kube.validation.device import (
    DeviceCheck,
    check_counters,
    check_skip_node_operations,
)
from dradsl.kube.validation.formats import (
    check_driver_name,
    check_fully_qualified_name,
    check_pool_name,
    check_short_name,
)
from dradsl.kube.validation.lists import check_set
from dradsl.kube.validation.metadata import check_metadata, check_metadata_update
from dradsl.kube.validation.selectors import check_node_name, check_node_selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.fields.typed_dicts import (
        CounterSetDict,
        ObjectMetaDict,
        ResourcePoolDict,
        ResourceSliceSpecDict,
    )
    from dradsl.values.json_types import JsonMapping

__all__ = ["check_slice"]

_SPEC: Path = ("spec",)
_MAX_DEVICES = 128
_MAX_COUNTER_SETS = 8
_MAX_COUNTERS_IN_SETS = 32  # all sets of a slice together, 1.34 only
_MAX_COUNTERS_IN_DEVICES = 1024  # all devices of a slice together, 1.34 only
_IMMUTABLE = "field is immutable"


# Upstream: ValidateResourceSlice, ValidateResourceSliceUpdate (pkg/apis/resource/validation/validation.go)
# Upstream: validateResourceSliceSpec (pkg/apis/resource/validation/validation.go)
def check_slice(obj: JsonMapping, old: JsonMapping | None, context: Context) -> list[FieldError]:
    """A ResourceSlice, new or as an update of `old`."""
    meta: ObjectMetaDict = obj.get("metadata") or {}
    spec: Any = obj.get("spec") or {}
    if old is None:
        errors = check_metadata(meta, context, namespaced=False)
    else:
        errors = check_metadata_update(meta, old.get("metadata") or {}, context)
    old_spec = None if old is None else old.get("spec") or {}
    errors += check_driver_name(spec.get("driver", ""), (*_SPEC, "driver"), context.rules)
    pool: Any = spec.get("pool") or {}
    errors += _check_pool(pool)
    if old_spec is not None:
        errors += _check_immutable(spec, old_spec, context)
    errors += _check_nodes(spec, context)
    errors += _check_devices(spec, old_spec, context)
    errors += _check_counter_sets(spec.get("sharedCounters"), context)
    if spec.get("partitionTypeAttribute") is not None:
        errors += _check_partition_type(spec, context)
    at: Path = (*_SPEC, "skipNodeOperations")
    return errors + check_skip_node_operations(spec.get("skipNodeOperations"), at)


# Upstream: validateResourcePool (pkg/apis/resource/validation/validation.go)
def _check_pool(pool: ResourcePoolDict) -> list[FieldError]:
    path: Path = (*_SPEC, "pool")
    errors = check_pool_name(pool.get("name", ""), (*path, "name"))
    count, generation = pool.get("resourceSliceCount", 0), pool.get("generation", 0)
    if count <= 0:
        at: Path = (*path, "resourceSliceCount")
        errors.append(invalid(at, "slice-count-not-positive", count, "must be greater than zero"))
    if generation < 0:
        at = (*path, "generation")
        detail = "must be greater than or equal to zero"
        errors.append(invalid(at, "pool-generation-negative", generation, detail))
    return errors


def _check_immutable(spec: JsonMapping, old: JsonMapping, context: Context) -> list[FieldError]:
    errors: list[FieldError] = []
    pool, old_pool = spec.get("pool") or {}, old.get("pool") or {}
    if pool.get("name", "") != old_pool.get("name", ""):
        at: Path = (*_SPEC, "pool", "name")
        errors.append(invalid(at, "slice-immutable", pool.get("name", ""), _IMMUTABLE))
    fields = fields_of("ResourceSliceSpec", "v1", context.release)
    for name in ("driver", "nodeName"):
        if not field_equal(spec.get(name), old.get(name), fields[name], context.release):
            at = (*_SPEC, name)
            errors.append(invalid(at, "slice-immutable", spec.get(name), _IMMUTABLE))
    return errors


def _check_nodes(spec: ResourceSliceSpecDict, context: Context) -> list[FieldError]:
    errors: list[FieldError] = []
    chosen = []
    name, selector = spec.get("nodeName"), spec.get("nodeSelector")
    if name:
        chosen.append("`nodeName`")
        errors += check_node_name(name, (*_SPEC, "nodeName"))
    elif name is not None:
        detail = "must be either unset or set to a non-empty string"
        errors.append(invalid((*_SPEC, "nodeName"), "node-choice-empty", name, detail))
    if selector is not None:
        chosen.append("`nodeSelector`")
        at: Path = (*_SPEC, "nodeSelector")
        errors += check_node_selector(selector, at, context)
        terms = selector.get("nodeSelectorTerms")
        if len(terms or ()) != 1:
            from dradsl.kube.validation.shown import internal_terms

            detail = "must have exactly one node selector term"
            at = (*at, "nodeSelectorTerms")
            errors.append(invalid(at, "node-selector-not-one-term", internal_terms(terms), detail))
    for field in ("allNodes", "perDeviceNodeSelection"):
        if spec.get(field):
            chosen.append(f"`{field}`")
        elif spec.get(field) is not None:
            detail = "must be either unset or set to true"
            errors.append(invalid((*_SPEC, field), "node-choice-empty", False, detail))
    text = (
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is"
        " required"
    )
    if not chosen:
        errors.append(required(_SPEC, "node-choice-missing", text))
    elif len(chosen) > 1:
        value = f"{{{', '.join(chosen)}}}"
        text += ", but multiple fields are set"
        errors.append(invalid(_SPEC, "node-choice-ambiguous", value, text))
    return errors


def _check_devices(
    spec: JsonMapping, old: JsonMapping | None, context: Context
) -> list[FieldError]:
    rules = context.rules
    errors: list[FieldError] = []
    devices, counter_sets = spec.get("devices"), spec.get("sharedCounters")
    if devices is not None and counter_sets is not None and not rules.counters_in_total:
        detail = "only one of `sharedCounters` or `devices` is allowed"
        errors.append(invalid(_SPEC, "devices-and-counters", "", detail))
    limit = rules.max_devices_with_extras if _has_extras(devices or ()) else _MAX_DEVICES
    old_devices = {d.get("name", ""): d for d in reversed((old or {}).get("devices") or ())}
    check = DeviceCheck(
        context,
        bool(spec.get("perDeviceNodeSelection")),
        old_devices,
        {s.get("name", ""): s.get("counters") or {} for s in counter_sets or ()},
    )
    errors += check_set(
        devices,
        limit,
        check,
        (*_SPEC, "devices"),
        rules,
        reason="too-many-devices",
        duplicate_reason="duplicate-device",
        key_field="name",
        covered=False,
    )
    if rules.counters_in_total:
        errors += _check_totals(devices or (), counter_sets or ())
    return errors


# Upstream: haveDeviceTaints, haveConsumesCounters (pkg/apis/resource/validation/validation.go)
# Upstream: haveListAttributes (pkg/apis/resource/validation/validation.go)
def _has_extras(devices: Any) -> bool:
    """Whether the lower limit of devices applies: taints, counters, or lists as attributes."""
    lists = ("bools", "ints", "strings", "versions")
    return any(
        device.get("taints")
        or device.get("consumesCounters")
        or any(
            name in attribute
            for attribute in (device.get("attributes") or {}).values()
            for name in lists
        )
        for device in devices
    )


# Upstream: gatherSharedCounterCounterNames (pkg/apis/resource/validation/validation.go)
def _check_totals(devices: Any, counter_sets: Any) -> list[FieldError]:
    errors: list[FieldError] = []
    consumed = sum(
        len(consumption.get("counters") or {})
        for device in devices
        for consumption in device.get("consumesCounters") or ()
    )
    if consumed > _MAX_COUNTERS_IN_DEVICES:
        detail = (
            f"the total number of counters in devices must not exceed {_MAX_COUNTERS_IN_DEVICES}"
        )
        errors.append(invalid((*_SPEC, "devices"), "too-many-counters", consumed, detail))
    shared = sum(len(item.get("counters") or {}) for item in counter_sets)
    if shared > _MAX_COUNTERS_IN_SETS:
        detail = f"the total number of shared counters must not exceed {_MAX_COUNTERS_IN_SETS}"
        errors.append(invalid((*_SPEC, "sharedCounters"), "too-many-counters", shared, detail))
    return errors


# Upstream: validateCounterSet (pkg/apis/resource/validation/validation.go)
def _check_counter_sets(counter_sets: Any, context: Context) -> list[FieldError]:
    in_total = context.rules.counters_in_total

    def check(counter_set: CounterSetDict, path: Path) -> list[FieldError]:
        name = counter_set.get("name", "")
        at: Path = (*path, "name")
        if name:
            errors = [error.as_covered() for error in check_short_name(name, at)]
        else:
            errors = [required(at, "counter-set-name-required").as_covered()]
        at = (*path, "counters")
        if not counter_set.get("counters"):
            return [*errors, required(at, "counters-required").as_covered()]
        return errors + check_counters(counter_set["counters"], at, context)

    return check_set(
        counter_sets,
        None if in_total else _MAX_COUNTER_SETS,
        check,
        (*_SPEC, "sharedCounters"),
        context.rules,
        reason="too-many-counter-sets",
        duplicate_reason="duplicate-counter-set",
        key_field="name",
    )


# Upstream: validatePartitionTypeAttribute (pkg/apis/resource/validation/validation.go)
# Upstream: lookupQualifiedAttribute (pkg/apis/resource/validation/validation.go)
def _check_partition_type(spec: ResourceSliceSpecDict, context: Context) -> list[FieldError]:
    name = spec["partitionTypeAttribute"]
    devices = spec.get("devices") or ()
    if not any(device.get("consumesCounters") for device in devices):
        detail = "may only be set on a slice which declares devices that consume counters"
        at: Path = (*_SPEC, "partitionTypeAttribute")
        return [invalid(at, "partition-type-without-counters", name, detail)]
    if check_fully_qualified_name(name, (), context.rules):
        return []
    errors: list[FieldError] = []
    bare = name.removeprefix(f"{spec.get('driver', '')}/")
    for index, device in enumerate(devices):
        if not device.get("consumesCounters"):
            continue
        attributes = device.get("attributes") or {}
        attribute = attributes.get(name)
        if attribute is None and bare:
            attribute = attributes.get(bare)
        at = (*_SPEC, "devices", index, "attributes", MapKey(name))
        if attribute is None:
            detail = (
                "device consumes counters and `partitionTypeAttribute` names this attribute, so it"
                " must be set"
            )
            errors.append(required(at, "partition-type-missing", detail))
        elif attribute.get("string") is None:
            detail = "must be a string value because `partitionTypeAttribute` names this attribute"
            errors.append(invalid(at, "partition-type-missing", attribute, detail))
    return errors

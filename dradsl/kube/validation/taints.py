"""Taints of devices, tolerations of requests, and the kind DeviceTaintRule.

Source: kubernetes pkg/apis/resource/validation/validation.go at 1.34.10 to 1.37.1.
"""

from __future__ import annotations

from dradsl.kube.equality import field_equal
from dradsl.kube.errors import FieldError, Path, invalid, not_supported, required, too_many
from dradsl.kube.fields.table import fields_of
from dradsl.kube.validation.formats import (
    check_driver_name,
    check_label_key,
    check_label_value,
    check_pool_name,
    check_short_name,
    check_subdomain,
)
from dradsl.kube.validation.metadata import (
    check_conditions,
    check_metadata,
    check_metadata_update,
)
from dradsl.kube.validation.selectors import check_selectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.fields.typed_dicts import DeviceTaintDict, DeviceTolerationDict, ObjectMetaDict
    from dradsl.values.json_types import JsonMapping

__all__ = ["check_taint", "check_taint_rule", "check_tolerations"]

_MAX_CONDITIONS = 8


# Upstream: validateDeviceTaint (pkg/apis/resource/validation/validation.go)
def check_taint(
    taint: DeviceTaintDict, old: Mapping[str, object] | None, path: Path, context: Context
) -> list[FieldError]:
    """A taint; an effect that `old` has as well is tolerated from 1.35 on."""
    rules = context.rules
    errors = check_label_key(taint.get("key", ""), (*path, "key"), rules)
    if taint.get("value"):
        errors += check_label_value(taint["value"], (*path, "value"), rules)
    effect = taint.get("effect", "")
    if old is not None and rules.taint_unchanged_tolerated and old.get("effect", "") == effect:
        return errors
    at: Path = (*path, "effect")
    if not effect:
        errors.append(required(at, "taint-effect-required").as_covered())
    elif effect not in rules.effects:
        error = not_supported(at, "unknown-taint-effect", effect, rules.effects)
        errors.append(error.as_covered())
    return errors


def check_tolerations(tolerations: Any, path: Path, context: Context) -> list[FieldError]:
    """Tolerations; their number is not limited, whatever the documentation says."""
    errors: list[FieldError] = []
    for index, toleration in enumerate(tolerations or ()):
        errors += _check_toleration(toleration, (*path, "tolerations", index), context)
    return errors


# Upstream: validateDeviceToleration (pkg/apis/resource/validation/validation.go)
def _check_toleration(
    toleration: DeviceTolerationDict, path: Path, context: Context
) -> list[FieldError]:
    rules = context.rules
    errors: list[FieldError] = []
    if toleration.get("key"):
        keys = check_label_key(toleration["key"], (*path, "key"), rules)
        errors += [error.as_covered() for error in keys]
    operator, value = toleration.get("operator", ""), toleration.get("value", "")
    at: Path = (*path, "operator")
    if operator == "Exists":
        if value:
            detail = "must be empty for operator `Exists`"
            errors.append(invalid((*path, "value"), "toleration-value-unused", value, detail))
    elif operator == "Equal":
        errors += check_label_value(value, (*path, "value"), rules)
    elif not operator:
        errors.append(required(at, "unknown-toleration-operator").as_covered())
    else:
        error = not_supported(at, "unknown-toleration-operator", operator, ("Equal", "Exists"))
        errors.append(error.as_covered())
    effect = toleration.get("effect", "")
    if effect and effect not in rules.effects:
        error = not_supported((*path, "effect"), "unknown-taint-effect", effect, rules.effects)
        errors.append(error.as_covered())
    return errors


# Upstream: ValidateDeviceTaintRule (pkg/apis/resource/validation/validation.go)
# Upstream: ValidateDeviceTaintRuleUpdate (pkg/apis/resource/validation/validation.go)
# Upstream: ValidateDeviceTaintRuleStatusUpdate (pkg/apis/resource/validation/validation.go)
# Upstream: validateDeviceTaintRuleSpec (pkg/apis/resource/validation/validation.go)
def check_taint_rule(
    obj: JsonMapping, old: JsonMapping | None, context: Context, *, status: bool
) -> list[FieldError]:
    """A DeviceTaintRule, new or as an update of `old`; `status`: an update of its status."""
    meta: ObjectMetaDict = obj.get("metadata") or {}
    if old is None:
        errors = check_metadata(meta, context, namespaced=False)
    else:
        errors = check_metadata_update(meta, old.get("metadata") or {}, context)
    if status:
        conditions = (obj.get("status") or {}).get("conditions") or ()
        at: Path = ("status", "conditions")
        errors += check_conditions(conditions, at, context)
        if len(conditions) > _MAX_CONDITIONS:
            errors.append(too_many(at, "too-many-conditions", len(conditions), _MAX_CONDITIONS))
        return errors
    spec: Any = obj.get("spec") or {}
    old_spec: Any = None if old is None else old.get("spec") or {}
    old_filter = None if old_spec is None else old_spec.get("deviceSelector")
    errors += _check_filter(spec.get("deviceSelector"), old_filter, context)
    old_taint = None if old_spec is None else old_spec.get("taint") or {}
    taint: Any = spec.get("taint") or {}
    return errors + check_taint(taint, old_taint, ("spec", "taint"), context)


# Upstream: validateDeviceTaintSelector (pkg/apis/resource/validation/validation.go)
def _check_filter(
    selector: JsonMapping | None, old: JsonMapping | None, context: Context
) -> list[FieldError]:
    if selector is None:
        return []
    path: Path = ("spec", "deviceSelector")
    errors: list[FieldError] = []
    if selector.get("deviceClassName") is not None:
        errors += check_subdomain(selector["deviceClassName"], (*path, "deviceClassName"))
    if selector.get("driver") is not None:
        errors += check_driver_name(selector["driver"], (*path, "driver"), context.rules)
    if selector.get("pool") is not None:
        errors += check_pool_name(selector["pool"], (*path, "pool"))
    if selector.get("device") is not None:
        errors += check_short_name(selector["device"], (*path, "device"))
    field = fields_of("DeviceTaintSelector", "v1", context.release).get("selectors")
    if field is not None:
        new, before = selector.get("selectors"), (old or {}).get("selectors")
        stored = old is not None and field_equal(new, before, field, context.release)
        errors += check_selectors(new, (*path, "selectors"), context, stored=stored)
    return errors

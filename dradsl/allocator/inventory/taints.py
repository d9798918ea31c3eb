"""Device taints: DeviceTaintRules put on devices, and what a request tolerates.

Follows `resourceslice/tracker` and `resourceclaim.ToleratesTaint` of
k8s.io/dynamic-resource-allocation.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dradsl.allocator.inventory.slices import DeviceRecord, Slice, TaintRecord, Traits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dradsl.kube.fields.typed_dicts import DeviceTolerationDict
    from dradsl.kube.pods.typed_dicts import TolerationDict
    from dradsl.values.json_types import JsonMapping


__all__ = ["apply_rules", "blocking_taint", "tolerates"]

_BLOCKING = frozenset({"NoSchedule", "NoExecute"})


# Upstream: taintTolerated, allTaintsTolerated (structured/internal/*/allocator_*.go)
# Upstream: ToleratesTaint (resourceclaim/devicetoleration.go)
def tolerates(toleration: DeviceTolerationDict | TolerationDict, taint: TaintRecord) -> bool:
    """Whether one toleration covers a taint: of a request that of a device, of a pod that of a node."""
    effect, key = toleration.get("effect") or "", toleration.get("key") or ""
    if (effect and effect != taint.effect) or (key and key != taint.key):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Exists":
        return True
    return operator == "Equal" and (toleration.get("value") or "") == taint.value


# Upstream: taintPreventsAllocation (structured/internal/*/allocator_*.go)
def blocking_taint(
    taints: Sequence[TaintRecord], tolerations: Sequence[DeviceTolerationDict], every_effect: bool
) -> TaintRecord | None:
    """The first taint that keeps the device from being used, if any.

    `every_effect`: release 1.34 honours taints of any effect, later ones only NoSchedule and
    NoExecute.
    """
    for taint in taints:
        if (every_effect or taint.effect in _BLOCKING) and not any(
            tolerates(toleration, taint) for toleration in tolerations
        ):
            return taint
    return None


# Upstream: Tracker.ListPatchedResourceSlices, Tracker.syncSlice (resourceslice/tracker/tracker.go)
def apply_rules(
    slices: Iterable[Slice], rules: Sequence[JsonMapping], *, bare_rules_apply: bool
) -> tuple[Slice, ...]:
    """The slices with the taints of DeviceTaintRules added, in the order of the rules.

    `bare_rules_apply`: a rule without `deviceSelector` applies to every device. The API says that
    it applies to none, but the tracker began to see it that way only in 1.37.
    """
    if not bare_rules_apply:
        rules = [
            rule for rule in rules if (rule.get("spec") or {}).get("deviceSelector") is not None
        ]
    tainted: dict[tuple[Traits, tuple[TaintRecord, ...]], Traits] = {}
    return tuple(_with_rules(entry, rules, tainted) for entry in slices)


# Upstream: Tracker.applyPatches (resourceslice/tracker/tracker.go)
def _with_rules(
    entry: Slice,
    rules: Sequence[Mapping[str, object]],
    tainted: dict[tuple[Traits, tuple[TaintRecord, ...]], Traits],
) -> Slice:
    added = [
        (_selector_of(rule).get("device"), _taint_of(rule))
        for rule in rules
        if _picks(_selector_of(rule), entry)
    ]
    if not added:
        return entry
    devices = []
    for device in entry.devices:
        extra = tuple(taint for name, taint in added if name is None or name == device.name)
        if extra:
            key = (device.traits, extra)
            if key not in tainted:
                old = device.traits
                tainted[key] = replace(old, taints=(*old.taints, *extra))
            device = DeviceRecord(device.name, device.attributes, tainted[key], device.odd)
        devices.append(device)
    return replace(entry, devices=tuple(devices))


def _selector_of(rule: JsonMapping) -> JsonMapping:
    return (rule.get("spec") or {}).get("deviceSelector") or {}


def _picks(selector: Mapping[str, object], entry: Slice) -> bool:
    driver, pool = selector.get("driver"), selector.get("pool")
    return (driver is None or driver == entry.driver) and (pool is None or pool == entry.pool)


def _taint_of(rule: JsonMapping) -> TaintRecord:
    taint = (rule.get("spec") or {}).get("taint") or {}
    return TaintRecord(taint.get("key") or "", taint.get("value") or "", taint.get("effect") or "")

"""Status of a ResourceClaim: allocation, reservations, device status. Written through /status only.

Source: kubernetes pkg/apis/resource/validation/validation.go (ValidateResourceClaimStatusUpdate) and
pkg/registry/resource/utils.go at 1.34.10 to 1.37.1. Permissions of the writer are not checked.
"""

from __future__ import annotations

import ipaddress
import re

from dradsl.kube.equality import semantic_equal
from dradsl.kube.errors import (
    FieldError,
    Format,
    Path,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from dradsl.kube.validation.claim import (
    RequestNames,
    admin_access_text,
    check_request_reference,
    check_request_references,
    request_names,
)
from dradsl.kube.validation.configs import check_configuration, check_raw
from dradsl.kube.validation.device import check_binding_conditions, check_skip_node_operations
from dradsl.kube.validation.formats import (
    check_driver_name,
    check_pool_name,
    check_short_name,
    check_uid,
)
from dradsl.kube.validation.lists import check_list, check_set
from dradsl.kube.validation.metadata import check_conditions, check_metadata_update
from dradsl.kube.validation.selectors import check_node_selector
from dradsl.kube.validation.taints import check_tolerations
from dradsl.values.digits import whole_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.kube.context import Context
    from dradsl.kube.fields.typed_dicts import (
        AllocatedDeviceStatusDict,
        AllocationResultDict,
        DeviceAllocationConfigurationDict,
        DeviceRequestAllocationResultDict,
        ObjectMetaDict,
        ResourceClaimConsumerReferenceDict,
        ResourceClaimDict,
        ResourceClaimStatusDict,
    )
    from dradsl.values.json_types import JsonMapping

__all__ = ["check_admin_access_status", "check_claim_status", "device_key"]

_STATUS: Path = ("status",)
_MAX_RESERVED = 256
_MAX_RESULTS = 32
_MAX_CONFIG = 64
_MAX_CONDITIONS = 8
_MAX_IPS = 16
_MAX_INTERFACE_NAME = 256
_MAX_HARDWARE_ADDRESS = 128
_ADMIN_LABEL = "resource.kubernetes.io/admin-access"


# Upstream: makeDeviceKey (pkg/registry/resource/utils.go)
def device_key(entry: JsonMapping) -> tuple[str, str, str, str]:
    """What identifies an allocated device or a share of one."""
    share = entry.get("shareID") or ""
    return entry.get("driver", ""), entry.get("pool", ""), entry.get("device", ""), share


# Upstream: ValidateResourceClaimStatusUpdate (pkg/apis/resource/validation/validation.go)
# Upstream: validateResourceClaimStatusUpdate (pkg/apis/resource/validation/validation.go)
def check_claim_status(
    obj: ResourceClaimDict, old: ResourceClaimDict, context: Context
) -> list[FieldError]:
    """An update of a claim's status."""
    meta = obj.get("metadata") or {}
    errors = check_metadata_update(meta, old.get("metadata") or {}, context)
    status, old_status = obj.get("status") or {}, old.get("status") or {}
    names = request_names((obj.get("spec") or {}).get("devices") or {})
    errors += _check_reserved(status, context)
    errors += _check_devices(status, context)
    errors += _check_reservation(status, old_status, meta)
    allocation, old_allocation = status.get("allocation"), old_status.get("allocation")
    at: Path = (*_STATUS, "allocation")
    if allocation is None:
        return errors
    if old_allocation is None:
        return errors + _check_allocation(allocation, names, at, context)
    if not semantic_equal(allocation, old_allocation, "AllocationResult", context.release):
        error = invalid(at, "allocation-immutable", allocation, "field is immutable")
        errors.append(error.as_covered("update"))
    return errors


# Upstream: AuthorizedForAdminStatus (pkg/registry/resource/utils.go)
def check_admin_access_status(
    obj: ResourceClaimDict, old: ResourceClaimDict, namespace_labels: Mapping[str, str]
) -> list[FieldError]:
    """Admin access newly granted by an allocation needs a label on the namespace."""
    if _admin_result(old) is not None:
        return []
    index = _admin_result(obj)
    if index is None or namespace_labels.get(_ADMIN_LABEL) == "true":
        return []
    path: Path = (*_STATUS, "allocation", "devices", "results", index, "adminAccess")
    return [forbidden(path, "admin-access-not-allowed", admin_access_text())]


def _admin_result(obj: ResourceClaimDict) -> int | None:
    allocation = (obj.get("status") or {}).get("allocation") or {}
    results = (allocation.get("devices") or {}).get("results") or ()
    return next((i for i, result in enumerate(results) if result.get("adminAccess")), None)


def _check_reserved(status: ResourceClaimStatusDict, context: Context) -> list[FieldError]:
    def check(consumer: ResourceClaimConsumerReferenceDict, path: Path) -> list[FieldError]:
        return [
            required((*path, name), "consumer-incomplete")
            for name in ("resource", "name", "uid")
            if not consumer.get(name)
        ]

    return check_set(
        status.get("reservedFor"),
        _MAX_RESERVED,
        check,
        (*_STATUS, "reservedFor"),
        context.rules,
        reason="too-many-consumers",
        duplicate_reason="duplicate-consumer",
        key_field="uid",
    )


# Upstream: validateResourceClaimUserReference (pkg/apis/resource/validation/validation.go)
def _check_reservation(
    status: ResourceClaimStatusDict, old: ResourceClaimStatusDict, meta: ObjectMetaDict
) -> list[FieldError]:
    reserved = status.get("reservedFor") or ()
    at: Path = (*_STATUS, "reservedFor")
    if not reserved:
        return []
    if status.get("allocation") is None:
        detail = "may not be specified when `allocated` is not set"
        return [forbidden(at, "reserved-without-allocation", detail)]
    if meta.get("deletionTimestamp") is None:
        return []

    def key(consumer: JsonMapping) -> tuple[str, ...]:
        return tuple(consumer.get(name, "") for name in ("apiGroup", "resource", "name", "uid"))

    if {key(c) for c in reserved} - {key(c) for c in old.get("reservedFor") or ()}:
        detail = (
            "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are"
            " set"
        )
        return [forbidden(at, "reserved-while-deleted", detail)]
    return []


# Upstream: gatherAllocatedDevices (pkg/apis/resource/validation/validation.go)
def _check_devices(status: ResourceClaimStatusDict, context: Context) -> list[FieldError]:
    allocation = status.get("allocation") or {}
    results = (allocation.get("devices") or {}).get("results") or ()
    allocated = {device_key(result) for result in results}
    return check_set(
        status.get("devices"),
        None,
        lambda device, path: _check_device(device, path, allocated, context),
        (*_STATUS, "devices"),
        context.rules,
        key=device_key,
        reason="too-many-devices",
        duplicate_reason="duplicate-device-status",
        key_field="deviceID",
    )


# Upstream: validateDeviceStatus (pkg/apis/resource/validation/validation.go)
def _check_device(
    device: AllocatedDeviceStatusDict,
    path: Path,
    allocated: set[tuple[str, str, str, str]],
    context: Context,
) -> list[FieldError]:
    errors = check_driver_name(device.get("driver", ""), (*path, "driver"), context.rules)
    errors += check_pool_name(device.get("pool", ""), (*path, "pool"))
    errors += check_short_name(device.get("device", ""), (*path, "device"))
    if device.get("shareID") is not None:
        shares = check_uid(device["shareID"], (*path, "shareID"))
        errors += [error.as_covered() for error in shares]
    if device_key(device) not in allocated:
        detail = "must be an allocated device in the claim"
        errors.append(invalid(path, "device-not-allocated", list(device_key(device)), detail))
    conditions, at = device.get("conditions") or (), (*path, "conditions")
    if len(conditions) > _MAX_CONDITIONS:
        errors.append(too_many(at, "too-many-conditions", len(conditions), _MAX_CONDITIONS))
    errors += check_conditions(conditions, at, context)
    if device.get("data") is not None:
        errors += check_raw(device["data"], (*path, "data"))
    return errors + _check_network(device.get("networkData"), (*path, "networkData"), context)


# Upstream: validateNetworkDeviceData (pkg/apis/resource/validation/validation.go)
def _check_network(data: JsonMapping | None, path: Path, context: Context) -> list[FieldError]:
    if data is None:
        return []
    errors: list[FieldError] = []
    limits = {"interfaceName": _MAX_INTERFACE_NAME, "hardwareAddress": _MAX_HARDWARE_ADDRESS}
    for name, limit in limits.items():
        if len(data.get(name, "").encode(errors="surrogatepass")) > limit:
            error = too_long((*path, name), "network-value-too-long", limit)
            errors.append(error.as_covered("maxBytes"))
    return errors + check_set(
        data.get("ips"),
        _MAX_IPS,
        _check_address,
        (*path, "ips"),
        context.rules,
        key=lambda address: address,
        reason="too-many-addresses",
        duplicate_reason="duplicate-address",
    )


def _check_address(text: str, path: Path) -> list[FieldError]:
    """An interface address in CIDR form, canonical (apimachinery IsValidInterfaceAddress)."""
    canonical = _canonical_address(text)
    if canonical is None:
        rule, hint = (
            "must be a valid address in CIDR form",
            ", (e.g. 10.9.8.7/24 or 2001:db8::1/64)",
        )
        return [invalid(path, "invalid-address", text, Format(rule, hint))]
    if text != canonical:
        detail = f'must be in canonical form ("{canonical}")'
        return [invalid(path, "invalid-address", text, detail)]
    return []


def _canonical_address(text: str) -> str | None:
    address, slash, length = text.partition("/")
    if not slash or not re.fullmatch("[0-9]+", length) or "%" in address:
        return None
    # Go's old parser takes leading zeros in IPv4 parts.
    plain = re.sub(r"(?<![0-9A-Fa-f:])0+(?=\d)", "", address) if ":" not in address else address
    try:
        parsed = ipaddress.ip_address(plain)
    except ValueError:
        return None
    bits = whole_number(length)
    if bits is None or bits > parsed.max_prefixlen:
        return None
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    if mapped is not None:
        return f"{mapped}/{bits - 96}" if bits > 32 else f"{mapped}/{bits}"
    return f"{parsed}/{bits}"


# Upstream: validateAllocationResult (pkg/apis/resource/validation/validation.go)
# Upstream: validateDeviceAllocationResult (pkg/apis/resource/validation/validation.go)
def _check_allocation(
    allocation: AllocationResultDict, names: RequestNames, path: Path, context: Context
) -> list[FieldError]:
    devices, at = allocation.get("devices") or {}, (*path, "devices")
    errors = check_list(
        devices.get("results"),
        _MAX_RESULTS,
        lambda result, place: _check_result(result, names, place, context),
        (*at, "results"),
        context.rules,
        reason="too-many-results",
    )
    errors += check_list(
        devices.get("config"),
        _MAX_CONFIG,
        lambda config, place: _check_config(config, names, place, context),
        (*at, "config"),
        context.rules,
        reason="too-many-configs",
    )
    if allocation.get("nodeSelector") is not None:
        selector = allocation["nodeSelector"]
        errors += check_node_selector(selector, (*path, "nodeSelector"), context)
    return errors


# Upstream: validateDeviceRequestAllocationResult (pkg/apis/resource/validation/validation.go)
def _check_result(
    result: DeviceRequestAllocationResultDict, names: RequestNames, path: Path, context: Context
) -> list[FieldError]:
    errors = check_request_reference(result.get("request", ""), names, (*path, "request"))
    errors += check_driver_name(
        result.get("driver", ""), (*path, "driver"), context.rules, covered=True
    )
    pools = check_pool_name(result.get("pool", ""), (*path, "pool"))
    errors += [error.as_covered() for error in pools]
    errors += check_short_name(result.get("device", ""), (*path, "device"))
    errors += check_binding_conditions(result, path, context)
    if context.rules.tolerations_in_results:
        errors += check_tolerations(result.get("tolerations"), path, context)
    if result.get("shareID") is not None:
        shares = check_uid(result["shareID"], (*path, "shareID"))
        errors += [error.as_covered() for error in shares]
    at: Path = (*path, "skipNodeOperations")
    return errors + check_skip_node_operations(result.get("skipNodeOperations"), at)


# Upstream: validateDeviceAllocationConfiguration (pkg/apis/resource/validation/validation.go)
# Upstream: validateAllocationConfigSource (pkg/apis/resource/validation/validation.go)
def _check_config(
    config: DeviceAllocationConfigurationDict, names: RequestNames, path: Path, context: Context
) -> list[FieldError]:
    source, at = config.get("source", ""), (*path, "source")
    errors: list[FieldError] = []
    if not source:
        errors.append(required(at, "config-source-unknown").as_covered())
    elif source not in ("FromClaim", "FromClass"):
        error = not_supported(at, "config-source-unknown", source, ("FromClaim", "FromClass"))
        errors.append(error.as_covered())
    errors += check_request_references(config.get("requests"), names, path, context)
    return errors + check_configuration(config, path, context)

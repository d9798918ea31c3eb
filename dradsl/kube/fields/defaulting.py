"""What the API server fills in: defaults of each API version, on plain data in the written shape.

Works on decoded objects (see `structure`), before conversion, as upstream does. The input is not
changed. `timeAdded` of taints is only filled in if the caller says what time it is.

Sources: kubernetes pkg/apis/resource/{v1,v1beta2,v1beta1,v1alpha3}/defaults.go and
zz_generated.defaults.go at 1.34.10, 1.35.8, 1.36.4 and 1.37.1, which agree on the fields they share.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dradsl.values.json_types import JsonObject

__all__ = ["copy_plain", "default", "fill_defaults"]

_POOL_REQUEST_LIMIT = 100


def copy_plain(value: Any) -> Any:
    """A deep copy of plain data."""
    if isinstance(value, dict):
        return {key: copy_plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy_plain(item) for item in value]
    return value


# Upstream: SetDefaults_* (pkg/apis/resource/v*/defaults.go)
def default(obj: dict[str, object], now: str | None = None) -> dict[str, object]:
    """A copy of a decoded object with the defaults of its API version and kind.

    `now` (RFC 3339, whole seconds) becomes `timeAdded` of taints without one; None leaves it out.
    """
    result: dict[str, object] = copy_plain(obj)
    fill_defaults(result, now)
    return result


def fill_defaults(result: JsonObject, now: str | None = None) -> None:
    """As `default`, in the object itself."""
    version = str(result.get("apiVersion", "")).rpartition("/")[2]
    kind = result.get("kind")
    if kind == "ResourceClaim":
        _claim_spec(_child(result, "spec"), version)
        allocation = _child(result, "status").get("allocation")
        for item in _items(_child(allocation or {}, "devices"), "results"):
            _tolerations(item)
    elif kind == "ResourceClaimTemplate":
        _claim_spec(_child(_child(result, "spec"), "spec"), version)
    elif kind == "ResourceSlice":
        for device in _items(_child(result, "spec"), "devices"):
            _device(_child(device, "basic") if version == "v1beta1" else device, now)
    elif kind == "DeviceTaintRule":
        spec = result.setdefault("spec", {}) if now else _child(result, "spec")
        taint = spec.setdefault("taint", {}) if now else {}
        _taint(taint, now)
    elif kind == "ResourcePoolStatusRequest":
        result.setdefault("spec", {}).setdefault("limit", _POOL_REQUEST_LIMIT)


def _child(parent: JsonObject, name: str) -> JsonObject:
    child: dict[str, object] = parent.get(name) or {}
    return child


def _items(parent: JsonObject, name: str) -> Iterator[JsonObject]:
    yield from parent.get(name) or ()


def _claim_spec(spec: dict[str, object], version: str) -> None:
    for request in _items(_child(spec, "devices"), "requests"):
        if version == "v1beta1":
            # Without a class this is a request with alternatives, or an invalid one: left alone.
            if request.get("deviceClassName"):
                _allocation_mode(request)
            _tolerations(request)
        elif "exactly" in request:
            _allocation_mode(request["exactly"])
            _tolerations(request["exactly"])
        for alternative in _items(request, "firstAvailable"):
            _allocation_mode(alternative)
            _tolerations(alternative)


def _allocation_mode(request: dict[str, object]) -> None:
    if not request.get("allocationMode"):
        request["allocationMode"] = "ExactCount"
    if request["allocationMode"] == "ExactCount" and not request.get("count"):
        request["count"] = 1


def _tolerations(parent: dict[str, object]) -> None:
    for toleration in _items(parent, "tolerations"):
        if not toleration.get("operator"):
            toleration["operator"] = "Equal"


def _device(device: dict[str, object], now: str | None) -> None:
    for taint in _items(device, "taints"):
        _taint(taint, now)
    for mapping in _child(device, "nodeAllocatableResourceMappings").values():
        mapping.setdefault("allocationMultiplier", "1")


def _taint(taint: dict[str, object], now: str | None) -> None:
    if now is not None:
        taint.setdefault("timeAdded", now)

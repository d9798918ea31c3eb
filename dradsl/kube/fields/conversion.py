"""Between API versions: v1beta1 and v1beta2 to v1 and back, objects and field paths.

v1beta2 and v1 have one shape; v1beta1 has flat requests, `basic` around a device, and an empty
nodeName or a false allNodes that mean "not set". Pure functions on decoded plain data; the input is
not changed, parts of it are shared with the result. Defaults must be filled in before (as upstream
does): an empty v1beta1 request turns into nothing, one with defaults into `exactly`.

Source: kubernetes pkg/apis/resource/v1beta1/conversion.go at 1.34.10 to 1.37.1.
"""

from __future__ import annotations

from dradsl.kube.fields.table import GROUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from dradsl.kube.errors import Path
    from dradsl.values.json_types import JsonObject

__all__ = ["from_v1", "path_from_v1", "path_to_v1", "to_v1"]

_FLAT = (
    "deviceClassName",
    "selectors",
    "allocationMode",
    "count",
    "adminAccess",
    "tolerations",
    "capacity",
    "derivedAttributes",
)
_DROPPED_WHEN_EMPTY = ("attributes", "capacity", "consumesCounters", "taints")


# Upstream: Convert_v1beta1_*_To_resource_* (pkg/apis/resource/v1beta1/conversion.go)
# Upstream: convert_v1beta1_*_To_resource_* (pkg/apis/resource/v1beta1/conversion.go)
# Upstream: hasAnyMainRequestFieldsSet (pkg/apis/resource/v1beta1/conversion.go)
def to_v1(obj: JsonObject) -> JsonObject:
    """The object in the shape of v1; its `apiVersion` becomes `resource.k8s.io/v1`.

    Kinds that only v1alpha3 has keep their shape.
    """
    result = dict(obj, apiVersion=f"{GROUP}/v1")
    if str(obj.get("apiVersion")).endswith("/v1beta1"):
        _convert(result, _request_to_v1, _device_to_v1, _slice_spec_to_v1)
    return result


# Upstream: Convert_resource_*_To_v1beta1_* (pkg/apis/resource/v1beta1/conversion.go)
# Upstream: convert_resource_*_To_v1beta1_* (pkg/apis/resource/v1beta1/conversion.go)
def from_v1(obj: JsonObject, api_version: str) -> JsonObject:
    """A v1 object in the shape of `api_version` ("resource.k8s.io/v1beta1" or just "v1beta1")."""
    version = api_version.rpartition("/")[2]
    result = dict(obj, apiVersion=f"{GROUP}/{version}")
    if version == "v1beta1":
        _convert(result, _request_to_v1beta1, _device_to_v1beta1, _slice_spec_to_v1beta1)
    return result


_Change: TypeAlias = "Callable[[JsonObject], JsonObject]"


def _convert(obj: JsonObject, request: _Change, device: _Change, slice_spec: _Change) -> None:
    kind, spec = obj.get("kind"), obj.get("spec")
    if spec is None:
        return
    if kind == "ResourceClaim":
        obj["spec"] = _claim_spec(spec, request)
    elif kind == "ResourceClaimTemplate" and spec.get("spec") is not None:
        obj["spec"] = dict(spec, spec=_claim_spec(spec["spec"], request))
    elif kind == "ResourceSlice":
        spec = slice_spec(spec)
        if "devices" in spec:
            spec = dict(spec, devices=[device(item) for item in spec["devices"]])
        obj["spec"] = spec


def _claim_spec(spec: JsonObject, request: _Change) -> JsonObject:
    devices = spec.get("devices")
    if not devices or "requests" not in devices:
        return spec
    requests = [request(item) for item in devices["requests"]]
    return dict(spec, devices=dict(devices, requests=requests))


def _request_to_v1(request: dict[str, object]) -> dict[str, object]:
    exactly = {name: request[name] for name in _FLAT if name in request}
    is_set = any(value not in ("", 0) or value is False for value in exactly.values())
    result = {name: value for name, value in request.items() if name not in _FLAT}
    if is_set:
        if not exactly.get("tolerations", True):
            del exactly["tolerations"]
        result["exactly"] = exactly
    return result


def _request_to_v1beta1(request: JsonObject) -> JsonObject:
    result = {name: value for name, value in request.items() if name != "exactly"}
    exactly = request.get("exactly")
    if exactly is not None:
        result.update((name, exactly[name]) for name in _FLAT if name in exactly)
        if not result.get("tolerations", True):
            del result["tolerations"]
    return result


def _device_to_v1(device: JsonObject) -> JsonObject:
    result = {name: value for name, value in device.items() if name != "basic"}
    result.update(_without_empty(device.get("basic") or {}))
    return result


def _device_to_v1beta1(device: JsonObject) -> JsonObject:
    basic = {name: value for name, value in device.items() if name != "name"}
    result = {"name": device["name"]} if "name" in device else {}
    return {**result, "basic": _without_empty(basic)}


def _without_empty(device: dict[str, object]) -> dict[str, object]:
    return {
        name: value for name, value in device.items() if value or name not in _DROPPED_WHEN_EMPTY
    }


def _slice_spec_to_v1(spec: dict[str, object]) -> dict[str, object]:
    unset = {name for name in ("nodeName", "allNodes") if name in spec and not spec[name]}
    return {name: value for name, value in spec.items() if name not in unset}


def _slice_spec_to_v1beta1(spec: dict[str, object]) -> dict[str, object]:
    return _slice_spec_to_v1(spec)


def path_to_v1(path: Path, kind: str, api_version: str) -> Path:
    """Where the v1 object holds what the object in `api_version` holds at `path`."""
    if not api_version.endswith("v1beta1"):
        return path
    cut = _request_depth(path, kind)
    if cut is not None and len(path) > cut and path[cut] in _FLAT:
        return (*path[:cut], "exactly", *path[cut:])
    if _in_device(path, kind) and path[3] == "basic":
        return (*path[:3], *path[4:])
    return path


def path_from_v1(path: Path, kind: str, api_version: str) -> Path:
    """Where the object in `api_version` holds what its v1 form holds at `path`."""
    if not api_version.endswith("v1beta1"):
        return path
    cut = _request_depth(path, kind)
    if cut is not None and len(path) > cut and path[cut] == "exactly":
        return (*path[:cut], *path[cut + 1 :])
    if _in_device(path, kind) and path[3] not in ("name", "basic"):
        return (*path[:3], "basic", *path[3:])
    return path


def _request_depth(path: Path, kind: str) -> int | None:
    """How many elements of `path` lead to a request, if any do."""
    prefix = {
        "ResourceClaim": ("spec", "devices", "requests"),
        "ResourceClaimTemplate": ("spec", "spec", "devices", "requests"),
    }.get(kind)
    if prefix is None or path[: len(prefix)] != prefix or len(path) <= len(prefix):
        return None
    return len(prefix) + 1


def _in_device(path: Path, kind: str) -> bool:
    return kind == "ResourceSlice" and path[:2] == ("spec", "devices") and len(path) > 3

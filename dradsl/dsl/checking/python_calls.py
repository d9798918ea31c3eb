"""From the field of an object to the call and the argument of a builder that make it."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from dradsl.dsl.data.fragment import FieldPath

__all__ = ["KEYWORDS", "argument_of", "call_of", "keyword_of"]

# Field of the API -> keyword of the builder, where that is not the name in another spelling.
KEYWORDS: Mapping[str, str] = MappingProxyType(
    {
        "selectors": "select",
        "deviceClassName": "device_class",
        "config": "configs",
        "tolerationSeconds": "seconds",
        "matchAttribute": "attribute",
        "distinctAttribute": "attribute",
        "firstAvailable": "alternatives",
        "opaque": "parameters",
        "deviceSelector": "driver",
    }
)

# Fields that only hold others: no argument stands for them.
_HOLDERS = frozenset({"exactly", "spec", "devices", "metadata"})


def keyword_of(field: str) -> str:
    """What builders call a field of the API."""
    return KEYWORDS.get(field, re.sub(r"([A-Z])", lambda m: f"_{m[1].lower()}", field))


def call_of(data: Mapping[str, object], path: FieldPath) -> tuple[str, FieldPath]:
    """The builder's call that makes the part of an object at a path, and what of the path is below that.

    `Request("gpus")` and `("exactly", "count")`, for instance.
    """
    kind, metadata = str(data.get("kind")), data.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    call, below = _shown(kind, name), path
    value: Any = data
    for number, part in enumerate(path):
        try:
            value = value[part]
        except (LookupError, TypeError):
            break
        found = _call(kind, path[number - 1] if number else "", part, value)
        if found:
            call, below = found, path[number + 1 :]
    return call, below


def argument_of(call: str, below: FieldPath) -> str:
    """The argument that stands for what is below a call; "" if the path says no more."""
    parameters = _parameters(call.partition("(")[0])
    names = [part for part in below if isinstance(part, str)]
    # `metadata` and `devices` hold fields with arguments of their own, but are arguments, too.
    for name in sorted(names, key=_HOLDERS.__contains__):
        if keyword_of(name) in parameters and (name != "metadata" or len(names) > 1):
            return keyword_of(name)
    left = [name for name in names if name not in _HOLDERS]
    return "other" if left and "other" in parameters else ""


def _call(kind: str, above: str | int, part: str | int, value: object) -> str:
    """The builder of an item of a list, or of a mapping that has a builder of its own."""
    if kind == "DeviceTaintRule" and part == "taint":
        return "Taint(...)"
    if not isinstance(part, int) or not isinstance(value, Mapping):
        return ""
    if above == "requests":
        builder = "FirstAvailable" if "firstAvailable" in value else "Request"
        return _shown(builder, value.get("name"))
    if above == "firstAvailable":
        return _shown("Request", value.get("name"))
    if above == "devices" and kind == "ResourceSlice":
        return _shown("Device", value.get("name"))
    if above == "constraints":
        return "distinct(...)" if "distinctAttribute" in value else "same(...)"
    return {"tolerations": "Toleration(...)", "taints": "Taint(...)", "config": "Config(...)"}.get(
        str(above), ""
    )


def _shown(builder: str, name: object) -> str:
    return f'{builder}("{name}")' if isinstance(name, str) and name else f"{builder}(...)"


@functools.cache
def _parameters(builder: str) -> frozenset[str]:
    from dradsl.dsl.objects.claims import ResourceClaim, ResourceClaimTemplate
    from dradsl.dsl.objects.classes import DeviceClass
    from dradsl.dsl.objects.compute_domains import ComputeDomain
    from dradsl.dsl.objects.configs import Config
    from dradsl.dsl.objects.constraints import distinct, same
    from dradsl.dsl.objects.requests import FirstAvailable, Request, Toleration
    from dradsl.dsl.objects.slices import Device, DeviceTaintRule, ResourceSlice, Taint

    builders: tuple[Callable[..., object], ...] = (
        ComputeDomain, Config, Device, DeviceClass, DeviceTaintRule, FirstAvailable, Request,
        ResourceClaim, ResourceClaimTemplate, ResourceSlice, Taint, Toleration, distinct, same,
    )  # fmt: skip
    found = next((one for one in builders if one.__name__ == builder), None)
    return frozenset() if found is None else frozenset(inspect.signature(found).parameters)

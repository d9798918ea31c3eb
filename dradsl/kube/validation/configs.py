"""Opaque driver configuration: the driver's name and parameters that are a JSON object.

Source: kubernetes pkg/apis/resource/validation/validation.go (validateDeviceConfiguration,
validateRawExtension) at 1.34.10 to 1.37.1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from dradsl.kube.errors import FieldError, Path, invalid, required, too_long
from dradsl.kube.validation.formats import check_driver_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.fields.typed_dicts import DeviceClassConfigurationDict

__all__ = ["check_configuration", "check_raw", "json_size"]

_MAX_PARAMETERS = 10 * 1024


# Upstream: validateDeviceConfiguration (pkg/apis/resource/validation/validation.go)
# Upstream: validateOpaqueConfiguration (pkg/apis/resource/validation/validation.go)
def check_configuration(
    config: DeviceClassConfigurationDict, path: Path, context: Context, *, stored: bool = False
) -> list[FieldError]:
    """A configuration, which today must be an opaque one."""
    opaque = config.get("opaque")
    at: Path = (*path, "opaque")
    if opaque is None:
        return [required(at, "config-empty")]
    errors = check_driver_name(
        opaque.get("driver", ""), (*at, "driver"), context.rules, covered=True
    )
    return errors + check_raw(opaque.get("parameters"), (*at, "parameters"), stored=stored)


# Upstream: validateRawExtension (pkg/apis/resource/validation/validation.go)
def check_raw(value: Any, path: Path, *, stored: bool = False) -> list[FieldError]:
    """Embedded JSON: an object of at most 10 KiB; the size of `stored` parameters is not checked."""
    if value is None:
        return [required(path, "parameters-required")]
    if not stored and json_size(value) > _MAX_PARAMETERS:
        return [too_long(path, "parameters-too-long", _MAX_PARAMETERS)]
    if not isinstance(value, Mapping):
        detail = "must be a valid JSON object"
        return [invalid(path, "parameters-not-an-object", "<value omitted>", detail)]
    return []


def json_size(value: Any) -> int:
    """Bytes of the value as compact JSON the way Go writes it (HTML characters escaped)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    escaped = sum(text.count(character) * 5 for character in "<>&")
    separators = sum(text.count(character) * 3 for character in "\u2028\u2029")
    return len(text.encode(errors="replace")) + escaped + separators

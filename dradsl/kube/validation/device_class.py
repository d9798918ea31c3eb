"""DeviceClass: selectors, configuration, extended resource name.

Sources: kubernetes pkg/apis/resource/validation/validation.go (ValidateDeviceClass) and
pkg/registry/resource/deviceclass/strategy.go at 1.34.10 to 1.37.1.
"""

from __future__ import annotations

from dradsl.kube.errors import FieldError, Path, invalid
from dradsl.kube.fields.table import fields_of
from dradsl.kube.limits import MAX_CONFIG
from dradsl.kube.validation.formats import is_extended_resource_name
from dradsl.kube.validation.lists import check_list
from dradsl.kube.validation.metadata import check_metadata, check_metadata_update
from dradsl.kube.validation.selectors import check_selectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.kube.context import Context
    from dradsl.kube.fields.typed_dicts import (
        DeviceClassConfigurationDict,
        DeviceClassDict,
        DeviceClassSpecDict,
    )

__all__ = ["check_device_class"]

_SPEC: Path = ("spec",)


# Upstream: ValidateDeviceClass, ValidateDeviceClassUpdate (pkg/apis/resource/validation/validation.go)
def check_device_class(
    obj: DeviceClassDict, old: DeviceClassDict | None, context: Context
) -> list[FieldError]:
    """A DeviceClass, new or as an update of `old`."""
    rules = context.rules
    meta, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    errors = check_metadata(
        meta, context, namespaced=False, declared_name=rules.class_name_declared
    )
    if old is None or rules.class_update_twice:
        errors += _check_spec(spec, None, context)
    if old is not None:
        errors += check_metadata_update(meta, old.get("metadata") or {}, context)
        errors += _check_spec(spec, old.get("spec") or {}, context)
    return errors


# Upstream: validateDeviceClassSpec (pkg/apis/resource/validation/validation.go)
# Upstream: validateDeviceClassConfiguration (pkg/apis/resource/validation/validation.go)
def _check_spec(
    spec: DeviceClassSpecDict, old: DeviceClassSpecDict | None, context: Context
) -> list[FieldError]:
    fields = fields_of("DeviceClassSpec", "v1", context.release)

    def unchanged(name: str) -> bool:
        if old is None:
            return False
        from dradsl.kube.equality import field_equal

        return field_equal(spec.get(name), old.get(name), fields[name], context.release)

    at: Path = (*_SPEC, "selectors")
    errors = check_selectors(spec.get("selectors"), at, context, stored=unchanged("selectors"))
    stored = unchanged("config")

    def check_config(config: DeviceClassConfigurationDict, path: Path) -> list[FieldError]:
        from dradsl.kube.validation.configs import check_configuration

        return check_configuration(config, path, context, stored=stored)

    errors += check_list(
        spec.get("config"),
        MAX_CONFIG,
        check_config,
        (*_SPEC, "config"),
        context.rules,
        reason="too-many-configs",
    )
    name = spec.get("extendedResourceName")
    if name is not None and not is_extended_resource_name(name, context.rules):
        at = (*_SPEC, "extendedResourceName")
        detail = "must be a valid extended resource name"
        error = invalid(at, "invalid-extended-resource-name", name, detail)
        errors.append(error.as_covered("format=k8s-extended-resource-name"))
    return errors

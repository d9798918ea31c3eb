"""ResourcePoolStatusRequest: metadata and, once it is there, an unchangeable status.

The spec is checked by declarative rules alone. Source: kubernetes
pkg/apis/resource/validation/validation_resourcepoolstatusrequest.go at 1.36.4 and 1.37.1.
"""

from __future__ import annotations

from dradsl.kube.equality import semantic_equal
from dradsl.kube.errors import FieldError, Path, duplicate, invalid
from dradsl.kube.validation.metadata import check_conditions, check_metadata, check_metadata_update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.kube.context import Context
    from dradsl.kube.fields.typed_dicts import ObjectMetaDict
    from dradsl.values.json_types import JsonMapping

__all__ = ["check_pool_request"]

_MAX_CONDITIONS = 10


# Upstream: * (pkg/apis/resource/validation/validation_resourcepoolstatusrequest.go)
def check_pool_request(
    obj: JsonMapping, old: JsonMapping | None, context: Context, *, status: bool
) -> list[FieldError]:
    """A ResourcePoolStatusRequest, new or as an update of `old`."""
    meta: ObjectMetaDict = obj.get("metadata") or {}
    if old is None:
        return check_metadata(meta, context, namespaced=False)
    errors = check_metadata_update(meta, old.get("metadata") or {}, context)
    new_status, old_status = obj.get("status"), old.get("status")
    if not status:
        return errors
    at: Path = ("status",)
    if not context.rules.declarative:
        errors += _doubled_conditions(new_status or {}, old_status or {})
    if old_status is not None:
        type_name = "ResourcePoolStatusRequestStatus"
        same = new_status is not None and semantic_equal(
            new_status, old_status, type_name, context.release, "v1alpha3"
        )
        if not same:
            errors.append(invalid(at, "pool-status-immutable", new_status, "field is immutable"))
        return errors
    if new_status is not None:
        errors += check_conditions(new_status.get("conditions"), (*at, "conditions"), context)
    return errors


def _doubled_conditions(new: JsonMapping, old: JsonMapping) -> list[FieldError]:
    """The declarative rule of 1.36, which 1.37 only watches: types of conditions are once."""
    conditions = new.get("conditions") or ()
    if len(conditions) > _MAX_CONDITIONS or conditions == old.get("conditions"):
        return []
    types = [condition.get("type", "") for condition in conditions]
    return [
        duplicate(("status", "conditions", index), "duplicate-condition", name)
        for index, name in enumerate(types)
        if name in types[:index]
    ]

"""What the API server of a release rejects in objects of resource.k8s.io, a module a kind or part.

`validate` returns every error that upstream returns, in its order, on v1-shaped plain data that was
decoded, defaulted, converted and freed of gated fields before (`dradsl.kube.server.admission` does all of
it). Errors of declarative rules (1.37) come last and have paths in the client's API version.
"""

from __future__ import annotations

from dradsl.kube.fields.conversion import from_v1

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.errors import FieldError
    from dradsl.kube.fields.typed_dicts import ObjectMetaDict
    from dradsl.values.json_types import JsonMapping

__all__ = ["validate"]


def validate(
    obj: Mapping[str, object],
    context: Context,
    *,
    old: Mapping[str, object] | None,
    subresource: str | None,
    api_version: str,
    namespace_labels: Mapping[str, str] | None,
) -> list[FieldError]:
    """Everything the API server finds wrong with an object.

    `old` is the stored object of an update, in the same shape; `subresource` is "status" or None.
    `api_version` is the version that the client wrote: declarative rules run on that. Where the
    labels of the namespace are not known (None), admin access cannot be judged.
    """
    version = api_version.rpartition("/")[2]
    kind = str(obj.get("kind"))
    status = subresource == "status"
    errors = [] if old is None else _common(obj, old, context)
    errors += _admin_access(obj, old, namespace_labels, status=status)
    errors += _hand_written(obj, old, context, status=status)
    # The spec of pool requests was never checked in another way.
    if not (context.rules.declarative or kind == "ResourcePoolStatusRequest"):
        return errors
    from dradsl.kube.validation.declarative import check_declaratively, merge

    written = from_v1(dict(obj), version)
    written_old = None if old is None else from_v1(dict(old), version)
    declared = check_declaratively(written, written_old, version, context)
    return merge(errors, declared, kind, version)


def _common(obj: JsonMapping, old: JsonMapping, context: Context) -> list[FieldError]:
    """What the server checks of every update before the kind's own checks."""
    from dradsl.kube.fields.table import KINDS
    from dradsl.kube.validation.metadata import check_metadata, check_metadata_update

    meta: ObjectMetaDict = obj.get("metadata") or {}
    namespaced = KINDS[str(obj.get("kind"))].namespaced
    errors = check_metadata(meta, context, namespaced=namespaced, common=True)
    return errors + check_metadata_update(meta, old.get("metadata") or {}, context)


def _admin_access(
    obj: Any,
    old: Any,
    labels: Mapping[str, str] | None,
    *,
    status: bool,
) -> list[FieldError]:
    kind = obj.get("kind")
    if labels is None or kind not in ("ResourceClaim", "ResourceClaimTemplate"):
        return []
    if status and old is not None:
        from dradsl.kube.validation.status import check_admin_access_status

        return check_admin_access_status(obj, old, labels)
    if old is not None:
        return []
    from dradsl.kube.validation.claim import check_admin_access

    return check_admin_access(obj, labels)


def _hand_written(obj: Any, old: Any, context: Context, *, status: bool) -> list[FieldError]:
    """What each kind's own module says: the kind is what tells the type of `obj`."""
    kind = obj.get("kind")
    if kind == "ResourceClaim" and status and old is not None:
        from dradsl.kube.validation.status import check_claim_status

        return check_claim_status(obj, old, context)
    if kind == "ResourceClaim":
        from dradsl.kube.validation.claim import check_claim

        return check_claim(obj, old, context)
    if kind == "ResourceClaimTemplate":
        from dradsl.kube.validation.claim import check_claim_template

        return check_claim_template(obj, old, context)
    if kind == "ResourceSlice":
        from dradsl.kube.validation.slice import check_slice

        return check_slice(obj, old, context)
    if kind == "DeviceClass":
        from dradsl.kube.validation.device_class import check_device_class

        return check_device_class(obj, old, context)
    if kind == "DeviceTaintRule":
        from dradsl.kube.validation.taints import check_taint_rule

        return check_taint_rule(obj, old, context, status=status)
    if kind == "ResourcePoolStatusRequest":
        from dradsl.kube.validation.pool_request import check_pool_request

        return check_pool_request(obj, old, context, status=status)
    raise ValueError(f"no validation for kind {kind!r}")

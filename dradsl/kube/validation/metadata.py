"""Object metadata and conditions: names, namespaces, labels, owners, and what updates may change.

Sources: apimachinery pkg/api/validation/objectmeta.go and pkg/apis/meta/v1/validation/validation.go
at 0.34.12 to 0.37.2; kubernetes pkg/apis/core/validation (ValidateTemplateObjectMeta).
"""

from __future__ import annotations

from dradsl.kube.errors import (
    FieldError,
    Path,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
    too_long,
)
from dradsl.kube.fields.table import fields_of
from dradsl.kube.validation.formats import (
    check_label_key,
    check_label_value,
    dns_label,
    dns_subdomain,
    expected_as,
    label_key,
)
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.fields.typed_dicts import ConditionDict, ObjectMetaDict, OwnerReferenceDict
    from dradsl.releases.server import Validation

__all__ = [
    "check_conditions",
    "check_metadata",
    "check_metadata_update",
    "check_template_metadata",
]

_META: Path = ("metadata",)
_ANNOTATION_BYTES = 256 * 1024
_IMMUTABLE = "field is immutable"
_REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_REASON_RE = pattern(r"[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_MAX_REASON = 1024
_MAX_MESSAGE = 32 * 1024


# Upstream: ValidateObjectMeta (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
# Upstream: ValidateObjectMetaWithOpts (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
# Upstream: ValidateObjectMetaDeclaratively (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
# Upstream: ValidateObjectMetaAccessor (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
# Upstream: ValidateObjectMetaAccessorWithOpts (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
# Upstream: validateObjectMetaAccessorWithOptsCommon (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
def check_metadata(
    meta: ObjectMetaDict,
    context: Context,
    *,
    namespaced: bool,
    declared_name: bool = False,
    common: bool = False,
) -> list[FieldError]:
    """The metadata of a new object (ValidateObjectMeta).

    `declared_name`: the name is checked as declarative rules do (DeviceClass from 1.35 on), with
    their words, and generateName is not checked. `common`: the check that every kind gets on update,
    which lets any name pass that fits into a path.
    """
    errors: list[FieldError] = []
    generate, name = meta.get("generateName", ""), meta.get("name", "")
    path: Path = (*_META, "name")
    if generate and not declared_name:
        masked = generate[:-2] + "a" if len(generate) > 1 and generate.endswith("-") else generate
        messages = _path_segment(generate, prefix=True) if common else dns_subdomain(masked)
        at = (*_META, "generateName")
        errors += [invalid(at, "invalid-object-name", generate, m) for m in messages]
    if not name:
        errors.append(required(path, "name-required", "name or generateName is required"))
    elif declared_name:
        for message in dns_subdomain(name, "bytes"):
            error = invalid(path, "invalid-object-name", name, message)
            errors.append(error.as_covered("format=k8s-long-name"))
    else:
        messages = _path_segment(name) if common else dns_subdomain(name)
        errors += [invalid(path, "invalid-object-name", name, m) for m in messages]
    errors += _check_namespace(meta, namespaced)
    errors += _check_common(meta, context)
    errors += _check_finalizers(meta.get("finalizers") or (), context.rules)
    errors += _check_managed_fields(meta, context.rules)
    if not common:
        errors += _check_finalizer_names(meta.get("finalizers") or ())
    return errors


# Upstream: IsPathSegmentName (k8s.io/apimachinery/pkg/api/validate/content/path.go)
def _path_segment(name: str, *, prefix: bool = False) -> list[str]:
    """What keeps a name out of a path (apimachinery pkg/api/validation/path)."""
    if name in (".", "..") and not prefix:
        return [f"may not be '{name}'"]
    return [f"may not contain '{part}'" for part in ("/", "%") if part in name]


def _check_namespace(meta: ObjectMetaDict, namespaced: bool) -> list[FieldError]:
    path: Path = (*_META, "namespace")
    namespace = meta.get("namespace", "")
    if not namespaced:
        if not namespace:
            return []
        return [forbidden(path, "namespace-on-cluster-kind", "not allowed on this type")]
    if not namespace:
        return [required(path, "namespace-required")]
    return [invalid(path, "invalid-namespace", namespace, m) for m in dns_label(namespace)]


def _check_common(meta: ObjectMetaDict, context: Context) -> list[FieldError]:
    errors: list[FieldError] = []
    generation = meta.get("generation", 0)
    if generation < 0:
        detail = "must be greater than or equal to 0"
        errors.append(invalid((*_META, "generation"), "invalid-generation", generation, detail))
    errors += _check_labels(meta.get("labels") or {}, (*_META, "labels"), context.rules)
    errors += _check_annotations(meta.get("annotations") or {}, (*_META, "annotations"), context)
    errors += _check_owners(meta.get("ownerReferences") or (), context.rules)
    return errors


# Upstream: ValidateLabels (k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go)
def _check_labels(labels: Mapping[str, str], path: Path, rules: Validation) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in sorted(labels):
        errors += check_label_key(key, path, rules)
        errors += check_label_value(labels[key], path, rules)
    return errors


# Upstream: ValidateAnnotations (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
# Upstream: ValidateAnnotationsSize (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
def _check_annotations(
    annotations: Mapping[str, str], path: Path, context: Context
) -> list[FieldError]:
    errors: list[FieldError] = []
    for key in sorted(annotations):
        messages = label_key(key.lower(), context.rules)
        errors += [invalid(path, "invalid-label-key", key, message) for message in messages]
    size = len("".join((*annotations, *annotations.values())).encode(errors="surrogatepass"))
    if size > _ANNOTATION_BYTES:
        errors.append(too_long(path, "annotations-too-long", _ANNOTATION_BYTES))
    return errors


# Upstream: ValidateOwnerReferences (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
def _check_owners(owners: Any, rules: Validation) -> list[FieldError]:
    errors: list[FieldError] = []
    base: Path = (*_META, "ownerReferences")
    controller = ""
    for index, owner in enumerate(owners):
        path: Path = (*base, index) if rules.owners_indexed else base
        errors += _check_owner(owner, path, rules)
        if owner.get("controller"):
            current = f"{owner.get('kind', '')}/{owner.get('name', '')}"
            if controller:
                detail = (
                    'Only one reference can have Controller set to true. Found "true" in'
                    f" references for {controller} and {current}"
                )
                errors.append(invalid(base, "several-controllers", owners, detail))
            else:
                controller = current
    return errors


# Upstream: validateOwnerReference (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
def _check_owner(owner: OwnerReferenceDict, path: Path, rules: Validation) -> list[FieldError]:
    errors: list[FieldError] = []
    version = owner.get("apiVersion", "")
    at: Path = (*path, "apiVersion")
    group, _, plain = version.rpartition("/")
    broken = version.count("/") > 1
    if rules.owners_indexed and not version:
        errors.append(required(at, "owner-incomplete", "must not be empty"))
    elif rules.owners_indexed and (broken or not plain):
        detail = "must be <group>/<version> or <version>"
        errors.append(invalid(at, "owner-incomplete", version, detail))
    elif not rules.owners_indexed and (broken or not plain):
        errors.append(invalid(at, "owner-incomplete", version, "version must not be empty"))
    for name in ("kind", "name", "uid"):
        if owner.get(name):
            continue
        at = (*path, name)
        if rules.owners_indexed:
            errors.append(required(at, "owner-incomplete", "must not be empty"))
        else:
            errors.append(invalid(at, "owner-incomplete", "", "must not be empty"))
    if (group, plain, owner.get("kind")) == ("", "v1", "Event"):
        detail = "/v1, Kind=Event is disallowed from being an owner"
        errors.append(invalid(path, "owner-not-allowed", owner, detail))
    return errors


# Upstream: ValidateFinalizers (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
def _check_finalizers(finalizers: Any, rules: Validation) -> list[FieldError]:
    path: Path = (*_META, "finalizers")
    errors = [
        invalid(path, "invalid-finalizer", finalizer, message)
        for finalizer in finalizers
        for message in label_key(finalizer, rules)
    ]
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        errors.append(invalid(path, "invalid-finalizer", finalizers, detail))
    return errors


# Upstream: ValidateFinalizerName (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
# Upstream: ValidateNoNewFinalizers (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
def _check_finalizer_names(finalizers: Any) -> list[FieldError]:
    detail = "name is neither a standard finalizer name nor is it fully qualified"
    return [
        invalid((*_META, "finalizers", index), "invalid-finalizer", finalizer, detail)
        for index, finalizer in enumerate(finalizers)
        if "/" not in finalizer and finalizer not in _STANDARD_FINALIZERS
    ]


# Upstream: ValidateManagedFields (k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go)
# Upstream: ValidateFieldManager (k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go)
def _check_managed_fields(meta: ObjectMetaDict, rules: Validation) -> list[FieldError]:
    errors: list[FieldError] = []
    reason = "invalid-managed-fields"
    for index, entry in enumerate(meta.get("managedFields") or ()):
        path: Path = (*_META, "managedFields", index)
        operation = entry.get("operation", "")
        at = (*path, "operation")
        if operation not in ("Apply", "Update"):
            if not rules.conditions_required:
                detail = "must be `Apply` or `Update`"
                errors.append(invalid(at, reason, operation, detail))
            elif operation:
                errors.append(not_supported(at, reason, operation, ("Apply", "Update")))
            else:
                errors.append(required(at, reason, "must not be empty"))
        if entry.get("fieldsType", "FieldsV1") not in ("", "FieldsV1"):
            at = (*path, "fieldsType")
            errors.append(invalid(at, reason, entry["fieldsType"], "must be `FieldsV1`"))
        if len(entry.get("manager", "").encode(errors="surrogatepass")) > 128:
            errors.append(too_long((*path, "manager"), reason, 128))
        if len(entry.get("subresource", "").encode(errors="surrogatepass")) > 256:
            errors.append(too_long((*path, "subresource"), reason, 256))
    return errors


# Upstream: ValidateObjectMetaUpdate (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
# Upstream: ValidateObjectMetaAccessorUpdate (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
def check_metadata_update(
    meta: ObjectMetaDict, old: ObjectMetaDict, context: Context
) -> list[FieldError]:
    """What an update may not do to metadata (ValidateObjectMetaUpdate)."""
    errors: list[FieldError] = []
    if old.get("deletionTimestamp") is not None:
        extra = sorted(set(meta.get("finalizers") or ()) - set(old.get("finalizers") or ()))
        if extra:
            shown = ", ".join(f'"{name}"' for name in extra)
            detail = (
                "no new finalizers can be added if the object is being deleted, found new"
                f" finalizers []string{{{shown}}}"
            )
            errors.append(forbidden((*_META, "finalizers"), "finalizer-while-deleted", detail))
    if not meta.get("resourceVersion"):
        at: Path = (*_META, "resourceVersion")
        errors.append(
            invalid(at, "resource-version-required", "", "must be specified for an update")
        )
    generation = meta.get("generation", 0)
    at = (*_META, "generation")
    if generation < 0:
        detail = "must be greater than or equal to 0"
        errors.append(invalid(at, "invalid-generation", generation, detail))
    if generation < old.get("generation", 0):
        errors.append(invalid(at, "invalid-generation", generation, "must not be decremented"))
    errors += _check_unchanged(meta, old, context)
    rules = context.rules
    errors += _check_labels(meta.get("labels") or {}, (*_META, "labels"), rules)
    errors += _check_annotations(meta.get("annotations") or {}, (*_META, "annotations"), context)
    errors += _check_owners(meta.get("ownerReferences") or (), rules)
    errors += _check_managed_fields(meta, rules)
    return errors


_STANDARD_FINALIZERS = frozenset({"foregroundDeletion", "kubernetes", "orphan"})
_UNCHANGED = (
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)


# Upstream: ValidateImmutableField (k8s.io/apimachinery/pkg/api/validation/objectmeta.go)
def _check_unchanged(
    meta: ObjectMetaDict, old: ObjectMetaDict, context: Context
) -> list[FieldError]:
    fields = fields_of("ObjectMeta", "v1", context.release)
    from dradsl.kube import equality

    return [
        invalid((*_META, name), "metadata-immutable", meta.get(name), _IMMUTABLE)
        for name in _UNCHANGED
        if not equality.field_equal(meta.get(name), old.get(name), fields[name], context.release)
    ]


def check_template_metadata(meta: ObjectMetaDict, path: Path, context: Context) -> list[FieldError]:
    """Metadata inside a template: labels and annotations only."""
    errors = _check_annotations(meta.get("annotations") or {}, (*path, "annotations"), context)
    errors += _check_labels(meta.get("labels") or {}, (*path, "labels"), context.rules)
    for name, field in fields_of("ObjectMeta", "v1", context.release).items():
        # Go's field is called UID, and only its first letter is lowered.
        shown = "uID" if name == "uid" else name
        if name in ("labels", "annotations") or name not in meta:
            continue
        if meta.get(name) in ("", 0) and not field.type.pointer:
            continue
        errors.append(forbidden((*path, shown), "template-metadata-not-allowed", "cannot be set"))
    return errors


# Upstream: ValidateConditions (k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go)
def check_conditions(conditions: Any, path: Path, context: Context) -> list[FieldError]:
    """Status conditions (metav1validation.ValidateConditions)."""
    errors: list[FieldError] = []
    seen = set()
    for index, condition in enumerate(conditions or ()):
        at: Path = (*path, index)
        type_ = condition.get("type", "")
        if type_ in seen:
            place = at if context.rules.conditions_required else (*at, "type")
            errors.append(duplicate(place, "duplicate-condition", type_))
        seen.add(type_)
        errors += _check_condition(condition, at, context.rules)
    return errors


# Upstream: ValidateCondition (k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go)
# Upstream: isValidConditionReason (k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go)
# Upstream: IsValidConditionReason (k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go)
# Upstream: ValidateCustom_Condition_LastTransitionTime (k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go)
def _check_condition(condition: ConditionDict, path: Path, rules: Validation) -> list[FieldError]:
    errors: list[FieldError] = []
    reason = "invalid-condition"
    if not condition.get("type") and rules.conditions_required:
        errors.append(required((*path, "type"), reason, "is required"))
    else:
        errors += check_label_key(condition.get("type", ""), (*path, "type"), rules, reason)
    status = condition.get("status", "")
    if not status and rules.conditions_required:
        errors.append(required((*path, "status"), reason))
    elif status not in ("True", "False", "Unknown"):
        at = (*path, "status")
        errors.append(not_supported(at, reason, status, ("False", "True", "Unknown")))
    observed = condition.get("observedGeneration", 0)
    if observed < 0:
        detail = "must be greater than or equal to zero"
        errors.append(invalid((*path, "observedGeneration"), reason, observed, detail))
    if not condition.get("lastTransitionTime"):
        errors.append(required((*path, "lastTransitionTime"), reason))
    text = condition.get("reason", "")
    at = (*path, "reason")
    if not text:
        errors.append(required(at, reason))
    else:
        if not _REASON_RE.fullmatch(text):
            errors.append(invalid(at, reason, text, expected_as("reason", _REASON)))
        if len(text.encode(errors="surrogatepass")) > _MAX_REASON:
            errors.append(too_long(at, reason, _MAX_REASON))
    if len(condition.get("message", "").encode(errors="surrogatepass")) > _MAX_MESSAGE:
        errors.append(too_long((*path, "message"), reason, _MAX_MESSAGE))
    return errors

"""ResourceClaim and ResourceClaimTemplate: requests, constraints and configuration of a claim.

Sources: kubernetes pkg/apis/resource/validation/validation.go and pkg/registry/resource/
{resourceclaim,resourceclaimtemplate}/strategy.go, pkg/registry/resource/utils.go at 1.34.10 to
1.37.1.
"""

from __future__ import annotations

from collections.abc import Mapping

from dradsl.kube.errors import FieldError, Path, forbidden, invalid, not_supported, required
from dradsl.kube.limits import MAX_ALTERNATIVES, MAX_CONFIG, MAX_CONSTRAINTS, MAX_REQUESTS
from dradsl.kube.validation.formats import (
    check_fully_qualified_name,
    check_short_name,
    check_subdomain,
)
from dradsl.kube.validation.lists import check_list, check_set
from dradsl.kube.validation.metadata import (
    check_metadata,
    check_metadata_update,
    check_template_metadata,
)
from dradsl.kube.validation.selectors import check_expression, check_selectors
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.fields.typed_dicts import (
        DeviceClaimConfigurationDict,
        DeviceClaimDict,
        DeviceConstraintDict,
        DeviceDerivedAttributeDict,
        DeviceRequestDict,
        DeviceSubRequestDict,
        ExactDeviceRequestDict,
        ResourceClaimDict,
        ResourceClaimSpecDict,
        ResourceClaimTemplateDict,
        ResourceClaimTemplateSpecDict,
    )
    from dradsl.values.json_types import JsonMapping

__all__ = [
    "RequestNames",
    "check_admin_access",
    "check_claim",
    "check_claim_template",
    "check_request_references",
]

_MAX_DERIVED_COST = 1_000_000
_ADMIN_LABEL = "resource.kubernetes.io/admin-access"
_UNKNOWN_REQUEST = (
    "must be the name of a request in the claim or the name of a request and a subrequest"
    " separated by '/'"
)

RequestNames = Mapping[str, frozenset[str]]


# Upstream: ValidateResourceClaim, ValidateResourceClaimUpdate (pkg/apis/resource/validation/validation.go)
def check_claim(
    obj: ResourceClaimDict, old: ResourceClaimDict | None, context: Context
) -> list[FieldError]:
    """A ResourceClaim, new or as an update of `old` (its spec must stay as it was)."""
    meta, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    errors = check_metadata(meta, context, namespaced=True)
    if old is None:
        return errors + _check_spec(spec, ("spec",), context)
    if context.rules.claim_update_in_full:
        errors += _check_spec(spec, ("spec",), context)
    errors += check_metadata_update(meta, old.get("metadata") or {}, context)
    from dradsl.kube import equality

    same = equality.semantic_equal(spec, old.get("spec"), "ResourceClaimSpec", context.release)
    if not same:
        error = invalid(("spec",), "spec-immutable", spec, "field is immutable")
        errors.append(error.as_covered("immutable"))
    if context.rules.claim_update_in_full:
        errors += _check_spec(spec, ("spec",), context, stored=True)
    return errors


# Upstream: ValidateResourceClaimTemplate (pkg/apis/resource/validation/validation.go)
# Upstream: ValidateResourceClaimTemplateUpdate (pkg/apis/resource/validation/validation.go)
def check_claim_template(
    obj: ResourceClaimTemplateDict, old: ResourceClaimTemplateDict | None, context: Context
) -> list[FieldError]:
    """A ResourceClaimTemplate, new or as an update of `old`: upstream checks it in full both times."""
    meta, spec = obj.get("metadata") or {}, obj.get("spec") or {}
    errors = check_metadata(meta, context, namespaced=True)
    errors += _check_template_spec(spec, context)
    if old is None:
        return errors
    errors += check_metadata_update(meta, old.get("metadata") or {}, context)
    from dradsl.kube import equality

    if not equality.semantic_equal(
        spec, old.get("spec"), "ResourceClaimTemplateSpec", context.release
    ):
        errors.append(invalid(("spec",), "spec-immutable", spec, "field is immutable"))
    if context.rules.template_update_spec:
        errors += _check_template_spec(spec, context, stored=True)
    return errors


# Upstream: validateResourceClaimTemplateSpec (pkg/apis/resource/validation/validation.go)
def _check_template_spec(
    spec: ResourceClaimTemplateSpecDict, context: Context, *, stored: bool = False
) -> list[FieldError]:
    errors = check_template_metadata(spec.get("metadata") or {}, ("spec", "metadata"), context)
    inner = spec.get("spec") or {}
    return errors + _check_spec(inner, ("spec", "spec"), context, stored=stored)


# Upstream: AuthorizedForAdmin, adminRequested (pkg/registry/resource/utils.go)
def check_admin_access(obj: JsonMapping, namespace_labels: Mapping[str, str]) -> list[FieldError]:
    """Admin access needs a label on the namespace; only the first such request is reported.

    As upstream, the path leaves out `exactly` and, in a template, the outer `spec`.
    """
    spec = obj.get("spec") or {}
    if obj.get("kind") == "ResourceClaimTemplate":
        spec = spec.get("spec") or {}
    for index, request in enumerate((spec.get("devices") or {}).get("requests") or ()):
        if not (request.get("exactly") or {}).get("adminAccess"):
            continue
        if namespace_labels.get(_ADMIN_LABEL) == "true":
            return []
        path: Path = ("spec", "devices", "requests", index, "adminAccess")
        return [forbidden(path, "admin-access-not-allowed", admin_access_text())]
    return []


def admin_access_text() -> str:
    """What the server says about admin access in an ordinary namespace."""
    return (
        f"admin access to devices requires the `{_ADMIN_LABEL}: true` label on the containing"
        " namespace"
    )


# Upstream: validateResourceClaimSpec (pkg/apis/resource/validation/validation.go)
def _check_spec(
    spec: ResourceClaimSpecDict, path: Path, context: Context, *, stored: bool = False
) -> list[FieldError]:
    devices: DeviceClaimDict = spec.get("devices") or {}
    return _DeviceClaim(devices, (*path, "devices"), context, stored).check()


# Upstream: gatherRequestNames, *.Has (pkg/apis/resource/validation/validation.go)
def request_names(devices: DeviceClaimDict) -> RequestNames:
    """The names of a claim's requests, each with those of its alternatives."""
    return {
        request.get("name", ""): frozenset(
            alternative.get("name", "") for alternative in request.get("firstAvailable") or ()
        )
        for request in devices.get("requests") or ()
    }


def check_request_references(
    names: Any, known: RequestNames, path: Path, context: Context
) -> list[FieldError]:
    """A list of requests that a constraint or configuration is for."""
    return check_set(
        names,
        MAX_REQUESTS,
        lambda name, at: check_request_reference(name, known, at),
        (*path, "requests"),
        context.rules,
        key=lambda name: name,
        reason="too-many-request-references",
        duplicate_reason="duplicate-request-reference",
    )


# Upstream: validateRequestNameRef (pkg/apis/resource/validation/validation.go)
def check_request_reference(name: str, known: RequestNames, path: Path) -> list[FieldError]:
    """`REQUEST` or `REQUEST/ALTERNATIVE`."""
    reason, parts = "unknown-request-reference", name.split("/")
    if len(parts) > 2:
        return [invalid(path, reason, name, _UNKNOWN_REQUEST)]
    errors: list[FieldError] = []
    for part in parts:
        errors += check_short_name(part, path)
    if parts[0] not in known or (len(parts) == 2 and parts[1] not in known[parts[0]]):
        error = invalid(path, reason, name, _UNKNOWN_REQUEST)
        errors.append(replace(error, suggestion=_near_request(name, known)))
    return errors


def _near_request(name: str, known: RequestNames) -> str | None:
    """The request or alternative that was probably meant."""
    from dradsl.kube.fields.decoding import similar

    alternatives = (f"{one}/{other}" for one, others in known.items() for other in others)
    return similar(name, (*known, *alternatives))


class _DeviceClaim:
    """The check of one `devices` block, which adds up the cost of derived attributes."""

    def __init__(
        self, devices: DeviceClaimDict, path: Path, context: Context, stored: bool
    ) -> None:
        self.devices = devices
        self.path = path
        self.context = context
        self.stored = stored
        self.names = request_names(devices)
        self.derived_cost = 0
        self.constrained = _constrained_attributes(devices.get("constraints") or ())

    # Upstream: validateDeviceClaim (pkg/apis/resource/validation/validation.go)
    def check(self) -> list[FieldError]:
        rules = self.context.rules
        errors = check_set(
            self.devices.get("requests"),
            MAX_REQUESTS,
            self._check_request,
            (*self.path, "requests"),
            rules,
            reason="too-many-requests",
            duplicate_reason="duplicate-request",
            key_field="name",
        )
        errors += check_list(
            self.devices.get("constraints"),
            MAX_CONSTRAINTS,
            self._check_constraint,
            (*self.path, "constraints"),
            rules,
            reason="too-many-constraints",
        )
        errors += check_list(
            self.devices.get("config"),
            MAX_CONFIG,
            self._check_config,
            (*self.path, "config"),
            rules,
            reason="too-many-configs",
        )
        if self.derived_cost > _MAX_DERIVED_COST:
            detail = (
                "too complex, total cost of derived attribute CEL expressions in the claim exceeds"
                " cost limit"
            )
            errors.append(forbidden(self.path, "derived-attributes-too-complex", detail))
        return errors

    # Upstream: validateDeviceRequest (pkg/apis/resource/validation/validation.go)
    def _check_request(self, request: DeviceRequestDict, path: Path) -> list[FieldError]:
        name = request.get("name", "")
        errors = check_short_name(name, (*path, "name"))
        exactly, alternatives = request.get("exactly"), request.get("firstAvailable") or ()
        members: list[FieldError] = []
        if alternatives:
            members += self._check_alternatives(alternatives, name, path)
        if exactly is not None:
            members += self._check_exactly(exactly, name, (*path, "exactly"))
        always = self.context.rules.union_members_always
        if always:
            errors += members
        text = "exactly one of `exactly` or `firstAvailable` is required"
        if exactly is None and not alternatives:
            errors.append(required(path, "request-empty", text))
        elif exactly is not None and alternatives:
            text += ", but multiple fields are set"
            errors.append(invalid(path, "request-ambiguous", None, text))
        elif not always:
            errors += members
        return errors

    def _check_alternatives(self, items: Any, request: str, path: Path) -> list[FieldError]:
        return check_set(
            items,
            MAX_ALTERNATIVES,
            lambda item, at: self._check_alternative(item, request, at),
            (*path, "firstAvailable"),
            self.context.rules,
            reason="too-many-alternatives",
            duplicate_reason="duplicate-alternative",
            key_field="name",
        )

    # Upstream: validateDeviceSubRequest (pkg/apis/resource/validation/validation.go)
    def _check_alternative(
        self, item: DeviceSubRequestDict, request: str, path: Path
    ) -> list[FieldError]:
        name = item.get("name", "")
        errors = check_short_name(name, (*path, "name"))
        classes = _check_class(item.get("deviceClassName", ""), (*path, "deviceClassName"))
        errors += [error.as_covered() for error in classes]
        return errors + self._check_common(item, f"{request}/{name}", path)

    # Upstream: validateExactDeviceRequest (pkg/apis/resource/validation/validation.go)
    def _check_exactly(
        self, exactly: ExactDeviceRequestDict, request: str, path: Path
    ) -> list[FieldError]:
        errors = _check_class(exactly.get("deviceClassName", ""), (*path, "deviceClassName"))
        return errors + self._check_common(exactly, request, path)

    def _check_common(
        self, request: ExactDeviceRequestDict | DeviceSubRequestDict, reference: str, path: Path
    ) -> list[FieldError]:
        context = self.context
        at: Path = (*path, "selectors")
        errors = check_selectors(request.get("selectors"), at, context, stored=self.stored)
        errors += self._check_derived(request.get("derivedAttributes"), reference, path)
        errors += _check_count(request.get("allocationMode", ""), request.get("count", 0), path)
        if request.get("tolerations"):
            from dradsl.kube.validation.taints import check_tolerations

            errors += check_tolerations(request["tolerations"], path, context)
        return errors

    # Upstream: validateDeviceDerivedAttributes (pkg/apis/resource/validation/validation.go)
    # Upstream: validateDeviceDerivedAttribute (pkg/apis/resource/validation/validation.go)
    def _check_derived(self, attributes: Any, reference: str, path: Path) -> list[FieldError]:
        def check(attribute: DeviceDerivedAttributeDict, at: Path) -> list[FieldError]:
            errors: list[FieldError] = []
            name, expression = attribute.get("name", ""), attribute.get("expression", "")
            if name and not self._is_constrained(name, reference):
                detail = (
                    "must be referenced by at least one matchAttribute or distinctAttribute"
                    " constraint targeting this request"
                )
                place: Path = (*at, "name")
                errors.append(invalid(place, "derived-attribute-unused", name, detail))
            if expression and not (self.stored and not self.context.rules.stored_cel):
                place = (*at, "expression")
                errors += check_expression(expression, place, self.context, "derived")
                cost = self.context.expressions.judge(expression, "derived").cost or 0
                self.derived_cost = (self.derived_cost + cost) % 2**64  # uint64, as upstream
            return errors

        return check_set(
            attributes,
            None,
            check,
            (*path, "derivedAttributes"),
            self.context.rules,
            key=lambda attribute: attribute.get("name", ""),
            reason="too-many-derived-attributes",
            duplicate_reason="duplicate-derived-attribute",
            covered=False,
        )

    # Upstream: isAttributeUsedByConstraint (pkg/apis/resource/validation/validation.go)
    def _is_constrained(self, attribute: str, reference: str) -> bool:
        targets = ("", reference, reference.partition("/")[0])
        return any(attribute in self.constrained.get(target, ()) for target in targets)

    # Upstream: validateDeviceConstraint (pkg/apis/resource/validation/validation.go)
    def _check_constraint(self, constraint: DeviceConstraintDict, path: Path) -> list[FieldError]:
        context = self.context
        errors = check_request_references(constraint.get("requests"), self.names, path, context)
        for field, name in (
            ("matchAttribute", constraint.get("matchAttribute")),
            ("distinctAttribute", constraint.get("distinctAttribute")),
        ):
            if name is not None:
                found = check_fully_qualified_name(name, (*path, field), context.rules)
                return errors + [error.as_covered() for error in found]
        if "DRAConsumableCapacity" in context.features:
            detail = (
                'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple'
                " fields are set"
            )
            errors.append(required(path, "constraint-empty", detail))
        else:
            errors.append(required((*path, "matchAttribute"), "constraint-empty"))
        return errors

    # Upstream: validateDeviceClaimConfiguration (pkg/apis/resource/validation/validation.go)
    def _check_config(self, config: DeviceClaimConfigurationDict, path: Path) -> list[FieldError]:
        from dradsl.kube.validation.configs import check_configuration

        errors = check_request_references(config.get("requests"), self.names, path, self.context)
        return errors + check_configuration(config, path, self.context, stored=self.stored)


# Upstream: gatherConstraintAttributes (pkg/apis/resource/validation/validation.go)
def _constrained_attributes(constraints: Any) -> dict[str, set[str]]:
    """Which attributes constraints use, by the request that they are for ("" = all)."""
    found: dict[str, set[str]] = {}
    for constraint in constraints:
        name = constraint.get("matchAttribute")
        if name is None:
            name = constraint.get("distinctAttribute")
        if name is not None:
            for request in constraint.get("requests") or ("",):
                found.setdefault(request, set()).add(name)
    return found


# Upstream: validateDeviceClass (pkg/apis/resource/validation/validation.go)
def _check_class(name: str, path: Path) -> list[FieldError]:
    if not name:
        return [required(path, "device-class-required")]
    return check_subdomain(name, path, "invalid-device-class-name")


# Upstream: validateDeviceAllocationMode (pkg/apis/resource/validation/validation.go)
def _check_count(mode: str, count: int, path: Path) -> list[FieldError]:
    at: Path = (*path, "count")
    if mode == "All":
        if count == 0:
            return []
        detail = "must not be specified when allocationMode is 'All'"
        return [invalid(at, "count-with-all", count, detail)]
    if mode == "ExactCount":
        if count > 0:
            return []
        return [invalid(at, "count-not-positive", count, "must be greater than zero")]
    error = not_supported(
        (*path, "allocationMode"), "unknown-allocation-mode", mode, ("All", "ExactCount")
    )
    return [error.as_covered()]

"""The claim-related parts of a pod: resourceClaims, claims of containers, extended resources.

Checks what the API server of a release rejects in them, in any pod spec, wherever it stands. Shapes
that the decoder would reject are reported and not looked into.

Sources: kubernetes pkg/apis/core/validation/validation.go (validatePodResourceClaims,
validateResourceClaimNames, validateResourceRequirements) at 1.34.10 to 1.37.1, which agree.
"""

from __future__ import annotations

import functools

from dradsl.kube.errors import (
    DECODING,
    FieldError,
    MapKey,
    Path,
    duplicate,
    forbidden,
    invalid,
    not_found,
    required,
)
from dradsl.kube.fields.decoding import similar, well_formed
from dradsl.kube.pods.claim_entries import (
    CLAIM_FIELDS,
    SOURCES,
    ListType,
    mappings,
    read_entries,
    wrong_type,
)
from dradsl.kube.pods.fields import means_claims, mentions_claims, misplaced_claims
from dradsl.kube.validation.formats import (
    check_short_name,
    dns_subdomain,
    is_extended_resource_name,
    label_key,
)
from dradsl.records import replace
from dradsl.releases import validation_of
from dradsl.values.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.releases import Features
    from dradsl.releases.server import Validation
    from dradsl.values.quantity import Quantity

__all__ = ["MIRROR", "of_concern", "pod_spec_errors", "quantity_of"]

# The annotation of static pods.
MIRROR = "kubernetes.io/config.mirror"
_SHOWN_SOURCES = tuple(f"`{field}`" for field in SOURCES)
_POD_CLAIMS = ListType("PodSpec", "PodResourceClaim", CLAIM_FIELDS)
_CONTAINER_CLAIMS = ListType("ResourceRequirements", "ResourceClaim", ("name", "request"))


def of_concern(errors: list[FieldError], spec: object) -> list[FieldError]:
    """The `pod_spec_errors` without those of plain amounts, where the spec does not mention claims."""
    if not isinstance(spec, dict) or not any(map(_is_plain, errors)) or mentions_claims(spec):
        return errors
    return [error for error in errors if not _is_plain(error)]


def pod_spec_errors(
    spec: object,
    features: Features,
    *,
    annotations: Mapping[str, object],
    path: Path,
    defaulted: bool = False,
) -> list[FieldError]:
    """What the server rejects in the claim-related parts of a pod spec, and in the plain amounts of any.

    `annotations` are those of the pod (static pods are told by one); `path` leads to the spec and
    starts every path of the result.  With `defaulted`, the requests that the server copies from the
    limits of a pod are judged as well: it then says again there what it says of the limits.

    Where the spec cannot be decoded, those errors come first, as they are in the document.
    """
    if not isinstance(spec, dict):
        return []
    rules = validation_of(features.release)
    at: Path = (*path, "resourceClaims")
    claims, errors = read_entries(spec.get("resourceClaims"), at, _POD_CLAIMS)
    if MIRROR in annotations:
        text = "static pods do not support resource claims"
        nowhere = MapKey("")  # upstream's path has an empty name, printed as []
        errors += [forbidden((nowhere,), "claims-in-static-pod", text) for _ in claims[:1]]
    else:
        errors += _check_pod_claims(claims, at)
    for key in _alike(spec, "resourceClaims"):
        errors += misplaced_claims(spec, key, path, suggestion="resourceClaims")
    names = {c["name"] for _, c in claims if c.get("name")}
    known = _one_of(names)
    for part in ("containers", "initContainers", "ephemeralContainers"):
        for index, container in mappings(spec.get(part)):
            place: Path = (*path, part, index, "resources")
            for key in ("claims", "resourceClaims"):
                if key in container:
                    errors += misplaced_claims(container, key, place[:-1])
            resources = container.get("resources")
            if part == "ephemeralContainers":
                errors += _check_ephemeral(resources, place)
                continue
            if defaulted:
                resources = _with_requests(resources)
            if resources is not None:
                errors += _check_resources(resources, names, known, place, rules)
    resources = spec.get("resources")
    if isinstance(resources, dict):
        place = (*path, "resources")
        errors += _check_amounts(resources, place, domains=True)
        errors += misplaced_claims(resources, "resourceClaims", place, suggestion="claims")
        if resources.get("claims") is not None:
            text = "claims may not be set for Resources at pod-level"
            errors.append(forbidden((*place, "claims"), "claims-at-pod-level", text))
            errors += _check_claims(resources, names, known, place)
    undecoded = [error for error in errors if error.type == DECODING]
    if not undecoded:
        return errors
    places = _Places(spec)
    # The decoder of an amount ends the reading, a value of the wrong type is remembered.
    undecoded.sort(
        key=lambda error: (error.reason not in _AT_ONCE, places.of(error.path[len(path) :]))
    )
    return undecoded + [error for error in errors if error.type != DECODING]


_AT_ONCE = frozenset({"invalid-quantity", "claims-among-amounts"})


def _is_plain(error: FieldError) -> bool:
    """Whether an error is one of an amount of a resource without a domain."""
    return error.reason in _AT_ONCE and "/" not in str(error.path[-1])


class _Places:
    """Where in a document paths lead."""

    def __init__(self, document: object) -> None:
        self._document = document
        self._keys: dict[Path, dict[Any, int]] = {}

    def of(self, path: Path) -> tuple[int, ...]:
        """The place of a path, as the number of its element at each level."""
        places = []
        value = self._document
        for depth, element in enumerate(path):
            if isinstance(value, dict):
                places.append(self._keys_of(value, path[:depth]).get(element, len(value)))
                value = value.get(element)
            elif isinstance(value, list) and isinstance(element, int):
                places.append(element)
                value = value[element]
        return tuple(places)

    def _keys_of(self, value: dict[Any, Any], path: Path) -> dict[Any, int]:
        """The number of each key of the mapping at `path`."""
        found = self._keys.get(path)
        if found is None:
            found = self._keys[path] = {key: number for number, key in enumerate(value)}
        return found


def _with_requests(resources: object) -> object:
    if not isinstance(resources, dict) or not isinstance(resources.get("limits"), dict):
        return resources
    requests = resources.get("requests")
    if requests is None:
        requests = {}
    if not isinstance(requests, dict):
        return resources
    return {**resources, "requests": {**resources["limits"], **requests}}


# Upstream: validatePodResourceClaims, validatePodResourceClaim (pkg/apis/core/validation/validation.go)
# Upstream: gatherPodResourceClaimNames (pkg/apis/core/validation/validation.go)
def _check_pod_claims(claims: list[tuple[int, dict[str, str]]], path: Path) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, claim in claims:
        at: Path = (*path, index)
        name = claim.get("name", "")
        place: Path = (*at, "name")
        if not name:
            errors.append(required(place, "pod-claim-name-required"))
        elif name in seen:
            errors.append(duplicate(place, "duplicate-pod-claim", name))
        else:
            errors += check_short_name(name, place, "invalid-pod-claim-name")
            seen.add(name)
        chosen = [field for field in SOURCES if field in claim]
        if len(chosen) != 1:
            from dradsl.kube.validation.shown import internal_pod_claim

            shown = internal_pod_claim(claim)
        if len(chosen) > 1:
            text = f"at most one of {' or '.join(_SHOWN_SOURCES)} may be specified"
            errors.append(invalid(at, "pod-claim-ambiguous", shown, text))
        elif not chosen:
            text = f"must specify one of: {', '.join(_SHOWN_SOURCES)}"
            errors.append(invalid(at, "pod-claim-without-source", shown, text))
        for field in chosen:
            for message in dns_subdomain(claim[field]):
                place = (*at, field)
                errors.append(invalid(place, "invalid-claim-name", claim[field], message))
    return errors


# Upstream: validateResourceRequirements (pkg/apis/core/validation/validation.go)
def _check_resources(
    resources: object, names: set[str], known: str, path: Path, rules: Validation
) -> list[FieldError]:
    if resources is None:
        return []
    if not isinstance(resources, dict):
        return [wrong_type(path, resources, "Container", "mapping", "v1.ResourceRequirements")]
    errors = _check_amounts(resources, path) + _check_extended(resources, path, rules)
    for key in _alike(resources, "claims"):
        errors += misplaced_claims(resources, key, path, suggestion="claims")
    return errors + _check_claims(resources, names, known, path)


# As validateEphemeralContainers of pkg/apis/core/validation/validation.go forbids them.
def _check_ephemeral(resources: object, path: Path) -> list[FieldError]:
    if not resources:
        return []
    errors: list[FieldError] = []
    if isinstance(resources, dict):
        errors = read_entries(resources.get("claims"), (*path, "claims"), _CONTAINER_CLAIMS)[1]
        for key in _alike(resources, "claims"):
            errors += misplaced_claims(resources, key, path, suggestion="claims")
        errors += _check_amounts(resources, path, domains=True)
    text = "cannot be set for an Ephemeral Container"
    return [*errors, forbidden(path, "resources-in-ephemeral-container", text)]


def _check_claims(
    resources: Mapping[str, object], names: set[str], known: str, path: Path
) -> list[FieldError]:
    at: Path = (*path, "claims")
    claims, unreadable = read_entries(resources.get("claims"), at, _CONTAINER_CLAIMS)
    return unreadable + _check_container_claims(claims, names, known, at)


# Upstream: validateResourceClaimNames (pkg/apis/core/validation/validation.go)
def _check_container_claims(
    claims: list[tuple[int, dict[str, str]]], names: set[str], known: str, path: Path
) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    entries_of: dict[str, int] = {}  # how many keys of `seen` begin with a name
    for index, claim in claims:
        at: Path = (*path, index)
        name, request = claim.get("name", ""), claim.get("request", "")
        if not name:
            errors.append(required(at, "container-claim-name-required"))
            continue
        reason = "duplicate-container-claim"
        if name in seen:
            errors.append(duplicate(at, reason, name))
        else:
            key = f"{name}/{request}" if request else name
            if request:
                errors += check_short_name(request, (*at, "request"), "invalid-request-name")
            if key in seen:
                errors.append(duplicate(at, reason, key))
            elif not request:
                errors += [duplicate(at, reason, name)] * entries_of.get(name, 0)
            if key not in seen:
                seen.add(key)
                head = key.partition("/")[0]
                entries_of[head] = entries_of.get(head, 0) + 1
        if name not in names:
            error = not_found(at, "unknown-pod-claim", name, known)
            errors.append(replace(error, suggestion=similar(name, sorted(names))))
    return errors


def _alike(value: Mapping[str, object], name: str) -> list[str]:
    """The keys that may stand for a list of claims: those nearly called so, and `claims` or `resourceClaims`."""
    swapped = "claims" if name == "resourceClaims" else "resourceClaims"
    keys = (key for key in value if isinstance(key, str) and key != name)
    return [key for key in keys if key == swapped or _is_like(key, name)]


@functools.lru_cache(1024)  # pods have the same few keys
def _is_like(key: str, name: str) -> bool:
    return similar(key, (name,)) is not None


_NAMES_SHOWN = 200


def _one_of(names: set[str]) -> str:
    """The server repeats all names in each error; here a very long list ends early."""
    text = "must be one of the names in pod.spec.resourceClaims"
    if not names:
        return f"{text} which is empty"
    left = len(names) - _NAMES_SHOWN
    more = f" and {left} more" if left > 0 else ""
    return f"{text}: {', '.join(sorted(names)[:_NAMES_SHOWN])}{more}"


# Amounts that most pods have.
_USUAL = pattern(r"[0-9]{1,9}(?:m|k|[KMG]i?)?")


def _check_amounts(
    resources: Mapping[str, object], path: Path, *, domains: bool = False
) -> list[FieldError]:
    """Amounts that the decoder does not read; those of resources with a domain are left out unless `domains`."""
    errors: list[FieldError] = []
    for part in ("limits", "requests"):
        amounts = resources.get(part)
        for name, value in amounts.items() if isinstance(amounts, dict) else ():
            if isinstance(value, str) and _USUAL.fullmatch(value):
                continue
            if not isinstance(name, str) or ("/" in name and not domains):
                continue
            detail = quantity_of(value)
            if isinstance(detail, str):
                lists = isinstance(value, list | dict) and means_claims(name)
                reason = "claims-among-amounts" if lists else "invalid-quantity"
                errors.append(
                    FieldError((*path, part, MapKey(name)), reason, DECODING, detail, value)
                )
    return errors


def quantity_of(value: Any) -> Quantity | str:
    """The amount that the decoder reads, or what it says."""
    from dradsl.values.quantity import Quantity, QuantityError

    try:
        if isinstance(value, bool) or not isinstance(value, str | int | float | None):
            return Quantity.parse("?")
        return Quantity.decode("0" if value is None else value)
    except QuantityError as error:
        return str(error)


# Upstream: validateContainerResourceName (pkg/apis/core/validation/validation.go)
def _check_extended(
    resources: Mapping[str, object], path: Path, rules: Validation
) -> list[FieldError]:
    """Amounts of resources with a domain: extended ones may not be overcommitted."""
    if "limits" not in resources and "requests" not in resources:
        return []
    amounts: dict[str, dict[str, Quantity]] = {}
    errors: list[FieldError] = []
    for part in ("limits", "requests"):
        values = resources.get(part)
        amounts[part] = {}
        if values is not None and not isinstance(values, dict):
            place = (*path, part)
            owner = "ResourceRequirements"
            errors.append(wrong_type(place, values, owner, "mapping", "v1.ResourceList"))
            continue
        for name, value in (values or {}).items():
            if not isinstance(name, str) or "/" not in name:
                continue
            at: Path = (*path, part, MapKey(name))
            amount = quantity_of(value)
            if isinstance(amount, str):
                errors.append(FieldError(at, "invalid-quantity", DECODING, amount, value))
            else:
                amounts[part][well_formed(name)] = amount
    if errors:
        return errors
    for part, values in amounts.items():
        for name in sorted(values):
            at = (*path, part, MapKey(name))
            errors += _check_amount(name, values[name], at, rules)
            if part == "requests":
                errors += _check_request(name, values[name], amounts["limits"].get(name), path)
    return errors


def _is_native(name: str) -> bool:
    return "kubernetes.io/" in name


# Upstream: ValidateResourceQuantityValue (pkg/apis/core/validation/validation.go)
def _check_amount(name: str, amount: Any, path: Path, rules: Validation) -> list[FieldError]:
    reason = "invalid-resource-name"
    errors = [invalid(path, reason, name, message) for message in label_key(name, rules)]
    extended = is_extended_resource_name(name, rules)
    if not _is_native(name) and not extended:
        text = "doesn't follow extended resource name standard"
        errors.append(invalid(path, reason, name, text))
    if amount.sign() < 0:
        text = "must be greater than or equal to 0"
        errors.append(invalid(path, "extended-resource-negative", str(amount), text))
    if extended and amount.milli_value() % 1000 != 0:
        text = "must be an integer"
        errors.append(invalid(path, "extended-resource-not-whole", str(amount), text))
    return errors


def _check_request(name: str, amount: Any, limit: Any, path: Path) -> list[FieldError]:
    at: Path = (*path, "requests")
    native = _is_native(name)
    if limit is None:
        if native:
            return []
        text = "Limit must be set for non overcommitable resources"
        return [required((*path, "limits"), "extended-resource-without-limit", text)]
    if not native and amount != limit:
        text = f"must be equal to {name} limit of {limit}"
        return [invalid(at, "extended-resource-not-equal", str(amount), text)]
    if amount > limit:
        text = f"must be less than or equal to {name} limit of {limit}"
        return [invalid(at, "extended-resource-above-limit", str(amount), text)]
    return []

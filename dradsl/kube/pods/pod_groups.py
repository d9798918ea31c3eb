"""The claims of PodGroups and of the templates of such in Workloads (scheduling.k8s.io).

Of these objects only the lists `resourceClaims` are judged, with what decides whether the server
looks into them: the API versions of the release, the gates that drop them, the limits of the lists
above them, and in an update the object as it was.

Sources: kubernetes pkg/registry/scheduling/{podgroup,workload}/strategy.go and
pkg/apis/scheduling/*/zz_generated.validations.go at 1.36.4 and 1.37.1; 1.34.10 and 1.35.8 have no
such claims.
"""

from __future__ import annotations

from dradsl.kube.errors import (
    FieldError,
    Path,
    UnservedKind,
    duplicate,
    invalid,
    required,
    too_many,
)
from dradsl.kube.fields.decoding import NO_MATCH, split_api_version
from dradsl.kube.pods.claim_entries import (
    CLAIM_FIELDS,
    SOURCES,
    ListType,
    mappings,
    read_entries,
    unknown,
)
from dradsl.kube.validation.formats import dns_label, dns_subdomain
from dradsl.records import Record, replace
from dradsl.releases import RELEASES, validation_of
from dradsl.values.gotext import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    from dradsl.releases import Features

    Entries: TypeAlias = "list[tuple[int, dict[str, str]]]"

__all__ = [
    "GROUP",
    "KINDS",
    "DroppedClaims",
    "dropped_claims",
    "group_errors",
    "has_claims",
    "no_match",
    "stored_group",
]

GROUP = "scheduling.k8s.io"
KINDS = ("PodGroup", "Workload")
_CLAIMS_GATE = "DRAWorkloadResourceClaims"
_COMPOSITE_GATE = "CompositePodGroup"
_MAX_CLAIMS = 4
_MAX_TEMPLATES = 8
# Composite templates in each other that are looked into; the server rejects more than 4.
_MAX_DEPTH = 40
_SHOWN_SOURCES = ", ".join(f"`{field}`" for field in SOURCES)


class _Version(Record):
    """What sets one API version apart: its kinds, whether they have claims, whether no update may
    change a template, and whether there are templates of templates."""

    kinds: tuple[str, ...] = KINDS
    claims: bool = True
    templates_immutable: bool = False
    composite: bool = True


_VERSIONS = {
    "v1alpha1": _Version(("Workload",), claims=False, composite=False),
    "v1alpha2": _Version(templates_immutable=True, composite=False),
    "v1alpha3": _Version(),
    "v1beta1": _Version(),
}


class DroppedClaims(Record):
    """A list of claims that the server drops without a word, and the gate that would keep it."""

    path: Path
    gate: str


def group_errors(
    obj: Mapping[str, object], features: Features, old: Mapping[str, object] | None = None
) -> list[FieldError]:
    """What the server rejects in the claims of a PodGroup or of a Workload's templates of such.

    `old` is the stored object of an update. Claims of gates that are off are dropped unread, but for
    what cannot be decoded. An object without claims is none of our business.
    """
    if not _is_group(obj):
        return []
    lists = list(_claim_lists(obj))
    mismatch = no_match(obj, features)
    if mismatch is not None:
        return [mismatch] if has_claims(obj) else []
    errors: list[FieldError] = []
    for path, owner, claims in lists:
        if owner:
            errors += _read(obj, path, owner, claims)[1]
        else:
            errors.append(unknown("resourceClaims", (), path, claims))
    stored = stored_group(obj, features, old)
    for path, claims, before in _judged(stored, old, features):
        entries, _ = _read(obj, path, "", claims)
        if before is None:
            errors += _check_claims(entries, path)
        else:
            errors += _check_update(entries, _read(obj, path, "", before)[0], path)
    return errors


def has_claims(obj: Mapping[str, object]) -> bool:
    """Whether there is a claim anywhere in the object."""
    return any(claims for _, _, claims in _claim_lists(obj))


def no_match(obj: Mapping[str, object], features: Features) -> FieldError | None:
    """Why no decoder of the release takes the PodGroup or Workload, if none does."""
    api_version, kind = obj.get("apiVersion"), obj.get("kind")
    version = split_api_version(api_version)[1]
    known = _versions_of(kind, features.release)
    if version in known:
        return None
    known = [version for version in known if _VERSIONS[version].claims]
    text = f"no matches for kind {quote(str(kind))} in version {quote(str(api_version))}"
    suggestion = f"{GROUP}/{known[0]}" if known else None
    path: Path = ("apiVersion",)
    error = FieldError(path, "kind-not-served", NO_MATCH, text, api_version)
    releases = tuple(name for name in RELEASES if version in _versions_of(kind, name))
    return replace(error, suggestion=suggestion, data=UnservedKind(text, releases))


def _versions_of(kind: object, release: str) -> list[str]:
    """The versions of scheduling.k8s.io in which a release serves the kind, the preferred first."""
    return [v for v in validation_of(release).group_versions if kind in _VERSIONS[v].kinds]


def _is_group(obj: Mapping[str, object]) -> bool:
    return obj.get("kind") in KINDS and split_api_version(obj.get("apiVersion"))[0] == GROUP


def _version_of(obj: Mapping[str, object]) -> _Version:
    return _VERSIONS.get(split_api_version(obj.get("apiVersion"))[1], _Version())


def _spec(obj: Mapping[str, object] | None) -> Mapping[str, object]:
    spec = None if obj is None else obj.get("spec")
    return spec if isinstance(spec, dict) else {}


def _templates(value: object) -> list[Mapping[str, object]]:
    """A list of templates; what is no mapping counts as an empty one."""
    if not isinstance(value, list):
        return []
    return [item if isinstance(item, dict) else {} for item in value]


def _name(template: Mapping[str, object]) -> str:
    name = template.get("name")
    return name if isinstance(name, str) else ""


# -- every list -----------------------------------------------------------------------------


def _claim_lists(obj: Mapping[str, object]) -> Iterator[tuple[Path, str, object]]:
    """Every list of claims in the order of the document: path, Go struct around it, content.

    There is no such struct ("") for lists that are where there is no such field.
    """
    if not _version_of(obj).claims:
        for index, one in mappings(_spec(obj).get("podGroups")):
            if "resourceClaims" in one:
                yield ("spec", "podGroups", index, "resourceClaims"), "", one["resourceClaims"]
        return
    if obj.get("kind") == "PodGroup":
        if "resourceClaims" in _spec(obj):
            yield ("spec", "resourceClaims"), "PodGroupSpec", _spec(obj)["resourceClaims"]
        return
    yield from _lists_in(_spec(obj), ("spec",), _version_of(obj).composite)


def _lists_in(
    level: Mapping[str, object], path: Path, composite: bool
) -> Iterator[tuple[Path, str, object]]:
    for key, items in level.items():
        if key == "podGroupTemplates":
            for index, template in mappings(items):
                if "resourceClaims" in template:
                    at: Path = (*path, key, index, "resourceClaims")
                    yield at, "PodGroupTemplate", template["resourceClaims"]
        elif key == "compositePodGroupTemplates" and composite and len(path) < 2 * _MAX_DEPTH:
            for index, template in mappings(items):
                yield from _lists_in(template, (*path, key, index), composite)
        elif key == "resourceClaims":
            yield (*path, key), "", items


def _read(
    obj: Mapping[str, object], path: Path, owner: str, claims: object
) -> tuple[Entries, list[FieldError]]:
    package = split_api_version(obj.get("apiVersion"))[1]
    of = ListType(owner, "PodGroupResourceClaim", CLAIM_FIELDS, package)
    return read_entries(claims, path, of)


# -- what is dropped ------------------------------------------------------------------------


# Upstream: dropDisabledDRAWorkloadResourceClaimsFields (pkg/registry/scheduling/*/strategy.go)
# Upstream: draWorkloadResourceClaimsInUse, dropDisabledPodGroupFields (pkg/registry/scheduling/*/strategy.go)
# Upstream: dropDisabledPodGroupSpecFields, dropDisabledWorkloadFields (pkg/registry/scheduling/*/strategy.go)
# Upstream: dropDisabledWorkloadSpecFields (pkg/registry/scheduling/*/strategy.go)
# Upstream: dropDisabledCompositePodGroupFields (pkg/registry/scheduling/*/strategy.go)
# Upstream: dropDisabledCompositePodGroupSpecFields (pkg/registry/scheduling/*/strategy.go)
# Upstream: dropDisabledCompositePodGroupTemplatesFields (pkg/registry/scheduling/*/strategy.go)
def stored_group(
    obj: Mapping[str, object], features: Features, old: Mapping[str, object] | None = None
) -> dict[str, object]:
    """The object without what the server drops of its claims, and of their unknown fields.

    What the stored object `old` has in the same place is kept, whatever the gates say.
    """
    spec = _spec(obj)
    if not spec:
        return dict(obj)
    if not _version_of(obj).claims:
        groups = [_without_claims(one) for one in _templates(spec.get("podGroups"))]
        return {**obj, "spec": {**spec, "podGroups": groups}}
    if obj.get("kind") == "PodGroup":
        return {**obj, "spec": _kept(spec, _spec(old), features)}
    if not _version_of(obj).composite:
        spec = {k: v for k, v in spec.items() if k != "compositePodGroupTemplates"}
    return {**obj, "spec": _kept_templates(spec, _spec(old), features)}


def _kept(
    holder: Mapping[str, object], old: Mapping[str, object], features: Features
) -> Mapping[str, object]:
    """A spec or template, with its claims if the gate is on or they were there before."""
    kept = _without_claims(holder)
    claims = holder.get("resourceClaims")
    if not claims or not (_CLAIMS_GATE in features or old.get("resourceClaims")):
        return kept
    if isinstance(claims, list):
        claims = [_known(one) if isinstance(one, dict) else one for one in claims]
    return {**kept, "resourceClaims": claims}


def _without_claims(holder: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in holder.items() if key != "resourceClaims"}


def _known(claim: Mapping[str, object]) -> Mapping[str, object]:
    return {key: value for key, value in claim.items() if key in CLAIM_FIELDS}


def _kept_templates(
    level: Mapping[str, object], old: Mapping[str, object], features: Features, depth: int = 0
) -> dict[str, object]:
    """One level of templates: plain ones are matched with the old by place, composite ones by name."""
    kept = _without_claims(level)
    templates, before = level.get("podGroupTemplates"), _templates(old.get("podGroupTemplates"))
    if isinstance(templates, list):
        kept["podGroupTemplates"] = [
            _kept(one, before[place] if place < len(before) else {}, features)
            for place, one in enumerate(_templates(templates))
        ]
    composite = level.get("compositePodGroupTemplates")
    old_ones = _templates(old.get("compositePodGroupTemplates"))
    if depth >= _MAX_DEPTH or (_COMPOSITE_GATE not in features and not old_ones):
        kept.pop("compositePodGroupTemplates", None)
    elif isinstance(composite, list):
        by_name = {_name(one): one for one in old_ones}
        kept["compositePodGroupTemplates"] = [
            _kept_templates(one, by_name.get(_name(one), {}), features, depth + 1)
            for one in _templates(composite)
        ]
    return kept


def dropped_claims(
    obj: Mapping[str, object], features: Features, old: Mapping[str, object] | None = None
) -> Iterator[DroppedClaims]:
    """The lists of claims that the server drops from a PodGroup or Workload that it knows."""
    if not _is_group(obj) or no_match(obj, features) is not None:
        return
    kept = {path for path, _, _ in _claim_lists(stored_group(obj, features, old))}
    for path, owner, claims in _claim_lists(obj):
        if claims and owner and path not in kept:
            nested = "compositePodGroupTemplates" in path and _COMPOSITE_GATE not in features
            yield DroppedClaims(path, _COMPOSITE_GATE if nested else _CLAIMS_GATE)


# -- what is judged -------------------------------------------------------------------------


# Upstream: ValidatePodGroupUpdate, ValidateWorkload (pkg/apis/scheduling/validation/validation.go)
# Upstream: ValidateWorkloadSpec, ValidateWorkloadUpdate (pkg/apis/scheduling/validation/validation.go)
# Upstream: ValidateCompositePodGroup (pkg/apis/scheduling/validation/validation.go)
# Upstream: ValidateCompositePodGroupUpdate (pkg/apis/scheduling/validation/validation.go)
# Upstream: validateWorkloadSpec, validateWorkloadSpecUpdate (pkg/apis/scheduling/validation/validation.go)
def _judged(
    obj: Mapping[str, object], old: Mapping[str, object] | None, features: Features
) -> Iterator[tuple[Path, object, object]]:
    """The lists of claims that the server looks into: path, content, content before (None: a create).

    It does not get to them where it rejects the list of templates above.
    """
    if not _version_of(obj).claims:
        return
    if obj.get("kind") == "PodGroup":
        before = None if old is None else _claims(_spec(old))
        yield ("spec", "resourceClaims"), _claims(_spec(obj)), before
    elif old is None or not _version_of(obj).templates_immutable:
        before = None if old is None else _spec(old)
        yield from _judged_templates(_spec(obj), before, ("spec",), features)


def _claims(holder: Mapping[str, object]) -> object:
    """The claims of a spec or template; no list is as good as an empty one."""
    return holder.get("resourceClaims") or []


def _judged_templates(
    level: Mapping[str, object], old: Mapping[str, object] | None, path: Path, features: Features
) -> Iterator[tuple[Path, object, object]]:
    for index, template, before in _pairs(level, old, "podGroupTemplates"):
        at: Path = (*path, "podGroupTemplates", index, "resourceClaims")
        yield at, _claims(template), None if before is None else _claims(before)
    if _COMPOSITE_GATE not in features:
        return
    for index, template, before in _pairs(level, old, "compositePodGroupTemplates"):
        at = (*path, "compositePodGroupTemplates", index)
        yield from _judged_templates(template, before, at, features)


def _pairs(
    level: Mapping[str, object], old: Mapping[str, object] | None, key: str
) -> Iterator[tuple[int, Mapping[str, object], Mapping[str, object] | None]]:
    """The templates of a list with the old one of the same name.

    None if there are too many, or if an update adds or removes one.
    """
    templates = _templates(level.get(key))
    if len(templates) > _MAX_TEMPLATES:
        return
    if old is None:
        yield from ((index, template, None) for index, template in enumerate(templates))
        return
    before = _templates(old.get(key))
    names = [_name(one) for one in before]
    if any(_name(one) not in names for one in templates):
        return
    if any(name not in [_name(one) for one in templates] for name in names):
        return
    for index, template in enumerate(templates):
        yield index, template, before[names.index(_name(template))]


def _check_update(entries: Entries, before: Entries, path: Path) -> list[FieldError]:
    if [_full(entry) for _, entry in entries] == [_full(entry) for _, entry in before]:
        return []
    reason = "group-claims-immutable"
    errors = [invalid(path, reason, None, "field is immutable"), *_too_many(entries, path)]
    return [replace(error, declarative=True) for error in errors]


def _full(entry: Mapping[str, str]) -> Mapping[str, str]:
    """An entry whose name may be left out where it is empty."""
    return {"name": "", **entry}


def _too_many(entries: Entries, path: Path) -> list[FieldError]:
    if len(entries) <= _MAX_CLAIMS:
        return []
    return [too_many(path, "too-many-group-claims", len(entries), _MAX_CLAIMS)]


# Upstream: validatePodGroup, ValidatePodGroup (pkg/apis/scheduling/validation/validation.go)
# Upstream: havePodGroupClaim (pkg/apis/scheduling/validation/validation.go)
def _check_claims(entries: Entries, path: Path) -> list[FieldError]:
    errors = _too_many(entries, path)
    if errors:
        return [replace(error, declarative=True) for error in errors]
    seen: set[str] = set()
    for index, claim in entries:
        at: Path = (*path, index)
        name = claim.get("name", "")
        if name in seen:
            errors.append(duplicate(at, "duplicate-pod-claim", claim))
        seen.add(name)
        errors += _check_claim(claim, at)
    return [replace(error, declarative=True) for error in errors]


def _check_claim(claim: Mapping[str, str], path: Path) -> list[FieldError]:
    errors: list[FieldError] = []
    chosen = [field for field in SOURCES if field in claim]
    if len(chosen) > 1:
        value = f"{{{', '.join(chosen)}}}"
        text = f"must specify exactly one of: {_SHOWN_SOURCES}"
        errors.append(invalid(path, "pod-claim-ambiguous", value, text))
    elif not chosen:
        text = f"must specify one of: {_SHOWN_SOURCES}"
        errors.append(invalid(path, "pod-claim-without-source", "", text))
    name, at = claim.get("name", ""), (*path, "name")
    if not name:
        errors.append(required(at, "pod-claim-name-required"))
    else:
        messages = dns_label(name, "bytes")
        errors += [invalid(at, "invalid-pod-claim-name", name, m) for m in messages]
    for field in chosen:
        messages = dns_subdomain(claim[field], "bytes")
        place = (*path, field)
        errors += [invalid(place, "invalid-claim-name", claim[field], m) for m in messages]
    return errors

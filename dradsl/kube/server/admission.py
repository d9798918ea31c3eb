"""What the API server of a release does with an object that is created or updated, step by step.

Strict decoding, defaults, conversion to v1, metadata that the server fills in, dropping of gated
fields, validation: the server's own order. Problems carry upstream's path and, for the place in the
file, the path in the shape that was written.

Sources: apiserver pkg/registry/rest/{create,update,meta}.go; kubernetes pkg/registry/resource/*/
strategy.go at 1.34.10 to 1.37.1.
"""

from __future__ import annotations

from dradsl.kube.fields.conversion import path_from_v1, to_v1
from dradsl.kube.fields.decoding import decode
from dradsl.kube.fields.defaulting import copy_plain, fill_defaults
from dradsl.kube.fields.table import KINDS
from dradsl.kube.server.gates import Dropped, drop_disabled
from dradsl.records import Record, dataclass, field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from dradsl.kube.context import Context
    from dradsl.kube.errors import FieldError, Path
    from dradsl.releases import Features, Release
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["DEFAULT_NAMESPACE", "Admission", "AdmissionProblem", "admit"]

# Where the objects of a request go that names no namespace.
DEFAULT_NAMESPACE = "default"

# Kinds whose generation counts the changes of their spec.
_COUNTED = frozenset({"DeviceClass", "DeviceTaintRule", "ResourceSlice"})
_GENERATED_SUFFIX = "xxxxx"
_UID = "00000000-0000-0000-0000-000000000001"


class AdmissionProblem(Record):
    """Something the server rejects: the error with upstream's path, and where it was written."""

    error: FieldError
    written: Path


@dataclass(frozen=True, slots=True, eq=False)
class Admission:
    """The server's answer.

    `dropped` are fields of disabled gates, paths as written. What is `stored` may be the object of another
    one that was accepted: then `own` are the names and the values of the metadata that differ, and `spec` is the object's
    if it differs too. A run keeps one of these for each object, and puts few of them together.
    """

    version: str
    kind: str
    problems: tuple[AdmissionProblem, ...]
    stored: JsonObject | None = field(default=None, repr=False)
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    own: tuple[Any, ...] = ()
    own_spec: Mapping[str, object] | None = field(default=None, repr=False)

    @property
    def object(self) -> JsonObject | None:
        """The v1-shaped object as it would be stored, or None if it could not be decoded; it is there even if
        validation failed."""
        if not self.own or self.stored is None:
            return self.stored
        metadata = dict(self.stored["metadata"])
        names, *values = self.own
        for name, value in zip(names, values, strict=True):
            if name in metadata:  # some kinds lose their namespace
                metadata[name] = value
        made = {**self.stored, "metadata": metadata}
        if self.own_spec is not None:
            made["spec"] = self.own_spec
        return made

    @property
    def decoded(self) -> bool:
        """Whether there is an `object`."""
        return self.stored is not None

    @property
    def spec(self) -> Any:
        """The `spec` of the object, without putting it together; None if there is none."""
        if self.own_spec is not None:
            return self.own_spec
        return None if self.stored is None else self.stored.get("spec")

    def __eq__(self, other: Any) -> bool:  # noqa: PYI032 - `object` is a property here
        return isinstance(other, Admission) and self._shown() == other._shown()

    __hash__ = None  # type: ignore[assignment] # it holds an object

    def _shown(self) -> tuple[Any, ...]:
        words = self.version, self.kind, self.problems, self.dropped, self.warnings
        return (*words, self.object)

    @property
    def accepted(self) -> bool:
        """Whether the server (with strict field validation, as kubectl asks for) takes the object."""
        return not self.problems


# Upstream: *.Validate, *.ValidateUpdate (pkg/registry/resource/*/strategy.go)
def admit(
    obj: object,
    release: Release,
    context: Context,
    *,
    namespace: str,
    namespace_labels: Mapping[str, str] | None,
    old: object = None,
    subresource: str | None = None,
    defaulted: bool = True,
) -> Admission:
    """What the server does with an object of group resource.k8s.io.

    `namespace` is that of the request, `namespace_labels` its labels (None: not known, admin access
    cannot be judged). `old` is the stored object of an update, in any served API version.
    `defaulted`: with the defaults that decoding brings, as always in a server.
    """
    features = context.features
    decoded = decode(obj, release)
    problems = [AdmissionProblem(error, error.path) for error in decoded.problems]
    version, kind = decoded.version, decoded.kind
    if not decoded.readable or decoded.object is None:
        return Admission(version, kind, tuple(problems))
    new = _to_stored(decoded.object, defaulted=defaulted)
    before = None
    if old is not None:
        stored = decode(old, release)
        if stored.object is not None:
            before = _to_stored(stored.object, defaulted=defaulted)
    _prepare(new, before, version, subresource, namespace, context)
    new, dropped = drop_disabled(new, features, before, subresource)
    if kind == "ResourceClaim" and subresource == "status" and before is not None:
        _drop_deallocated(new, before, features)
    from dradsl.kube.validation import validate

    errors = validate(
        new,
        context,
        old=before,
        subresource=subresource,
        api_version=version,
        namespace_labels=namespace_labels,
    )
    seen: set[tuple[Path, str, str]] = set()
    for error in errors:
        # An update repeats the checks of metadata; one of each is enough.
        key = (error.path, error.type, error.message)
        if key not in seen:
            problems.append(AdmissionProblem(error, _written(error, kind, version)))
        seen.add(key)
    places = tuple(replace(d, path=path_from_v1(d.path, kind, version)) for d in dropped)
    warnings = () if errors else tuple(_warnings(new, features))
    return Admission(version, kind, tuple(problems), new, places, warnings)


def _to_stored(obj: dict[str, object], *, defaulted: bool) -> dict[str, object]:
    """The decoded object, which is ours alone, with defaults and in the shape of v1."""
    if defaulted:
        fill_defaults(obj)
    # A kind that v1 never had keeps its shape and its version.
    return obj if obj.get("kind") == "ResourcePoolStatusRequest" else to_v1(obj)


# Upstream: *.PrepareForCreate, *.NamespaceScoped, *.Canonicalize (pkg/registry/resource/*/strategy.go)
def _prepare(
    new: JsonObject,
    old: JsonObject | None,
    version: str,
    subresource: str | None,
    namespace: str,
    context: Context,
) -> None:
    """Metadata and status as the generic registry and the strategy of the kind set them."""
    kind = KINDS[new["kind"]]
    meta = new["metadata"] = dict(new.get("metadata") or {})
    if kind.namespaced:
        meta.setdefault("namespace", namespace)
        if not meta["namespace"]:
            meta["namespace"] = namespace
    else:
        meta.pop("namespace", None)
    if not meta.get("name") and meta.get("generateName"):
        # The server cuts the prefix so that the name stays within a label's length.
        meta["name"] = meta["generateName"][: 63 - len(_GENERATED_SUFFIX)] + _GENERATED_SUFFIX
    if old is None:
        if kind.status:
            new.pop("status", None)
        if kind.name in _COUNTED:
            meta["generation"] = 1
        return
    _prepare_update(new, old, version, subresource, namespace if kind.namespaced else None, context)


# Upstream: *.PrepareForUpdate (pkg/registry/resource/*/strategy.go)
def _prepare_update(
    new: JsonObject,
    old: JsonObject,
    version: str,
    subresource: str | None,
    namespace: str | None,
    context: Context,
) -> None:
    meta, stored = new["metadata"], old.setdefault("metadata", {})
    if namespace is not None:
        stored["namespace"] = stored.get("namespace") or namespace
    stored.setdefault("uid", _UID)
    stored.setdefault("resourceVersion", "1")
    if not meta.get("resourceVersion") and _allows_unconditional_update(new["kind"], version):
        meta["resourceVersion"] = stored["resourceVersion"]
    _copy(meta, stored, "generation")
    if subresource == "status":
        _copy(new, old, "spec")
        for name in (
            "deletionTimestamp",
            "generation",
            "selfLink",
            "labels",
            "annotations",
            "finalizers",
            "ownerReferences",
        ):
            _copy(meta, stored, name)
    elif KINDS[new["kind"]].status:
        _copy(new, old, "status")
    if not meta.get("uid"):
        meta["uid"] = stored["uid"]
    for name in ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"):
        if stored.get(name) is not None and (
            name != "deletionGracePeriodSeconds" or meta.get(name) is None
        ):
            meta[name] = stored[name]
    if subresource is None and new["kind"] == "DeviceTaintRule":
        _renew_time(new, old, context)
    _count_generation(new, old, subresource)


# Upstream: deviceTaintRuleStrategy.PrepareForUpdate (pkg/registry/resource/devicetaintrule/strategy.go)
def _renew_time(new: dict[str, object], old: dict[str, object], context: Context) -> None:
    """A taint with another effect is as old as that effect, unless the update says when it was added.

    What the clock says is left out of what is stored, as it is where defaults fill it in.
    """
    from dradsl.kube.equality import field_equal
    from dradsl.kube.fields.table import fields_of

    taint, before, release = _taint(new), _taint(old), context.release
    changed = (taint.get("effect") or "") != (before.get("effect") or "")
    if not changed or not context.rules.new_effect_new_time:
        return
    added = fields_of("DeviceTaint", "v1", release)["timeAdded"]
    if field_equal(taint.get("timeAdded"), before.get("timeAdded"), added, release):
        taint.pop("timeAdded", None)


def _taint(rule: JsonObject) -> JsonObject:
    taint: dict[str, object] = (rule.get("spec") or {}).get("taint") or {}
    return taint


# Upstream: *.AllowUnconditionalUpdate, *.AllowCreateOnUpdate (pkg/registry/resource/*/strategy.go)
def _allows_unconditional_update(kind: str, version: str) -> bool:
    if kind == "ResourcePoolStatusRequest":
        return False
    return not (kind == "DeviceTaintRule" and version == "v1")


def _copy(new: dict[str, object], stored: dict[str, object], name: str) -> None:
    if name in stored:
        new[name] = copy_plain(stored[name])
    else:
        new.pop(name, None)


def _count_generation(new: JsonObject, old: JsonObject, subresource: str | None) -> None:
    if subresource is not None or new["kind"] not in _COUNTED:
        return
    if new.get("spec") != old.get("spec"):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1


# Upstream: dropDeallocatedStatusDevices (pkg/registry/resource/resourceclaim/strategy.go)
def _drop_deallocated(new: JsonObject, old: JsonObject, features: Features) -> None:
    """Device status goes with the device: what this update deallocates loses its status entry."""
    from dradsl.kube.validation.status import device_key

    if "DRAResourceClaimDeviceStatus" not in features and not _devices(old):
        return
    gone = {device_key(r) for r in _results(old)} - {device_key(r) for r in _results(new)}
    kept = [device for device in _devices(new) if device_key(device) not in gone]
    status = new.get("status")
    if status is not None and "devices" in status:
        status["devices"] = kept
        if not kept:
            del status["devices"]


def _devices(obj: JsonMapping) -> Any:
    return (obj.get("status") or {}).get("devices") or ()


def _results(obj: JsonMapping) -> Any:
    allocation = (obj.get("status") or {}).get("allocation") or {}
    return (allocation.get("devices") or {}).get("results") or ()


def _written(error: FieldError, kind: str, version: str) -> Path:
    """Where in the written object the cause of an error stands."""
    path = error.path
    if error.declarative:
        return path
    if error.reason == "admin-access-not-allowed" and path[:1] == ("spec",):
        # Upstream's path leaves out `exactly` and the outer `spec` of a template.
        path = (*path[:4], "exactly", *path[4:])
        if kind == "ResourceClaimTemplate":
            path = ("spec", *path)
    return path_from_v1(path, kind, version)


# Upstream: *.WarningsOnCreate, *.WarningsOnUpdate (pkg/registry/resource/*/strategy.go)
def _warnings(obj: JsonMapping, features: Features) -> Iterator[str]:
    """What the server accepts but warns of."""
    from dradsl.releases import validation_of

    if (
        obj.get("kind") != "ResourceSlice"
        or not validation_of(features.release).warns_of_driver_case
    ):
        return
    driver = (obj.get("spec") or {}).get("driver", "")
    if driver != driver.lower():
        from dradsl.values.gotext import quote

        yield (
            f"spec.driver: driver names should be lowercase; {quote(driver)} contains uppercase"
            " characters"
        )

"""Fields that a struct does not have, and what was probably meant: another name, or another place.

The struct of a pod spec has one place in each of Kubernetes' own kinds; lists of claims have one in a pod spec and one
in the resources of a container.
"""

from __future__ import annotations

from dradsl.kube.errors import UnknownField, unknown_field, upstream_path
from dradsl.kube.fields.decoding import similar
from dradsl.kube.pods.claim_entries import CLAIM_FIELDS, SOURCES, mappings, unknown
from dradsl.kube.pods.fields import lists_claims, means_claims, of_container
from dradsl.kube.pods.types import fields_of
from dradsl.kube.pods.workloads import PLACES
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from dradsl.kube.errors import FieldError, Path

__all__ = ["StructAt", "UnknownFields"]

_POD_SPEC = "v1.PodSpec"
_CONTAINERS = frozenset({"v1.Container", "v1.EphemeralContainer"})
_LEVELS = 2  # above, in which the place of a field is looked for
# Names that say nothing of the place of a field, but for metadata.
_COMMON = frozenset(
    {"conditions", "key", "kind", "message", "name", "path", "reason", "status", "type", "value"}
)


@dataclass(frozen=True, slots=True)
class StructAt:
    """A struct, by the name of its type, and the mapping that it is decoded from."""

    type: str
    path: Path
    value: Mapping[Any, object]


class UnknownFields:
    """The unknown fields of one object."""

    def __init__(self, obj: Mapping[str, object], release: str) -> None:
        self._release = release
        self._place = PLACES[str(obj["apiVersion"]), str(obj["kind"])]
        self._taken: set[str] = set()
        spec: object = obj
        for step in self._place:
            spec = spec.get(step) if isinstance(spec, dict) else None
        self._spec = spec

    def error(self, key: str, value: object, around: Sequence[StructAt]) -> FieldError:
        """The error of a field of the last of the structs `around`, which are from the outside in."""
        of = around[-1]
        data = UnknownField((*of.path, key))
        field = fields_of(of.type).get(key)
        if field is not None:
            data = UnknownField(data.path, field.since, field.until)
            return unknown_field("field-not-in-release", data)
        if of.type == "v1.PodResourceClaim":
            return unknown(key, CLAIM_FIELDS, data.path, value)
        claims = means_claims(key)
        if of.path == self._place[: len(of.path)] and of.type != _POD_SPEC:
            if claims and any("spec" in each for _, each in mappings(value)):
                return unknown_field("unknown-field", data)  # templates themselves
            name = "resourceClaims" if claims else _same(key, self._names(_POD_SPEC))
            if name is not None:
                return self._above(data, name, value)
        if claims and of.type != _POD_SPEC and _has_sources(value):
            return self._above(data, "resourceClaims", value)
        if of.type in _CONTAINERS and claims:
            return unknown_field("claims-outside-resources", data)
        if of.type == _POD_SPEC and claims:
            if of_container(value):
                return unknown_field("claims-outside-resources", data)
            return _named(data, "resourceClaims", of)
        if of.type == "v1.ResourceRequirements" and (claims or lists_claims(key, of.value)):
            return _named(data, "claims", of)
        same = _same(key, self._names(of.type))
        places = [] if same else self._places(key, around)
        if len(places) == 1:
            return unknown_field("field-of-another-level", data, upstream_path(places[0]))
        return _named(data, same or similar(key, self._names(of.type)), of)

    def _above(self, data: UnknownField, name: str, value: object) -> FieldError:
        """The error of a field of a pod spec above it."""
        if name == "resourceClaims" and of_container(value):
            return unknown_field("claims-outside-resources", data)
        to = ".".join((*self._place, name))
        free = isinstance(self._spec, dict) and name not in self._spec and to not in self._taken
        self._taken.add(to)
        return unknown_field("field-above-pod-spec", data, to if free else None)

    def _places(self, key: str, around: Sequence[StructAt]) -> list[Path]:
        """Where a field of this name can be set: in the next struct above that has it, otherwise below, in the
        structs that are there or else in others."""
        common = key in _COMMON
        for each in around[-2 : -2 - _LEVELS : -1] if not common else ():
            if key in self._names(each.type):
                return [] if key in each.value else [(*each.path, key)]
        of = around[-1]
        there: list[Path] = []
        absent: list[Path] = []
        for name, field in fields_of(of.type).items():
            type_, inner = field.type, of.value.get(name)
            path: Path = (*of.path, name)
            if type_.startswith("[]") and isinstance(inner, list) and len(inner) == 1:
                type_, inner, path = type_[2:], inner[0], (*path, 0)
            if (common and name != "metadata") or key not in self._names(type_):
                continue
            if not isinstance(inner, dict):
                absent.append((*path, key))
            elif key not in inner:
                there.append((*path, key))
        return there or absent

    def _names(self, type_: str) -> list[str]:
        """The fields that a struct has in the release."""
        fields = fields_of(type_)
        return [name for name, field in fields.items() if field.exists_in(self._release)]


def _has_sources(entries: object) -> bool:
    """Whether entries name objects, as only those of a pod do."""
    return any(not each.keys().isdisjoint(SOURCES) for _, each in mappings(entries))


def _same(key: str, names: Sequence[str]) -> str | None:
    """The name with other capitals, or with an s more or less."""
    bare = key.lower().removesuffix("s")
    return next((name for name in names if name.lower().removesuffix("s") == bare), None)


def _named(data: UnknownField, name: str | None, of: StructAt) -> FieldError:
    """The error of a key that should be called `name`, if it is not there."""
    return unknown_field("unknown-field", data, None if name in of.value else name)

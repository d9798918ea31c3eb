"""CustomResourceDefinitions of a run: whether the pods in their kinds can carry claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.records import dataclass
from dradsl.values.limits import MOST_LEVELS
from dradsl.values.plain import list_at, member

__all__ = ["SeenKind", "kinds_in"]

# Other fields that a schema with containers has if it is the schema of a pod.
_OF_PODS = ("nodeSelector", "tolerations", "restartPolicy", "volumes")


@dataclass(frozen=True, slots=True)
class SeenKind:
    """A kind by its CRD at a `place`: whether all its pods keep claims."""

    place: str
    keeps: bool


def kinds_in(data: Mapping[str, object], place: str) -> Iterator[tuple[tuple[str, str], SeenKind]]:
    """The kind that a CRD at a place defines, by group and name, if it holds pods and its schema lists their fields."""
    group, kind = member(data, "spec", "group"), member(data, "spec", "names", "kind")
    found = [
        keeps
        for version in list_at(data, "spec", "versions")
        for keeps in _pods(member(version, "schema", "openAPIV3Schema"), 0)
    ]
    if isinstance(group, str) and isinstance(kind, str) and found:
        yield (group, kind), SeenKind(place, all(found))


def _pods(schema: object, depth: int) -> Iterator[bool]:
    if not isinstance(schema, Mapping) or depth > MOST_LEVELS:
        return
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        if "containers" in properties and any(name in properties for name in _OF_PODS):
            kept = schema.get("x-kubernetes-preserve-unknown-fields") is True
            yield kept or "resourceClaims" in properties
            return
        for each in properties.values():
            yield from _pods(each, depth + 1)
    for key in ("items", "additionalProperties"):
        yield from _pods(schema.get(key), depth + 1)

"""What charts make of values, as far as claims are concerned.

For a chart with known templates the objects are made as the chart makes them. For others only lists of claims are
found, by their shape.
"""

from __future__ import annotations

from dradsl.tree.charts import app_template
from dradsl.tree.charts.chart_objects import ChartObject
from dradsl.values.limits import LEVELS_OF_SUBCHARTS, MOST_LEVELS
from dradsl.values.patterns import pattern
from dradsl.values.plain import string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from dradsl.text.paths import FieldPath

__all__ = ["holds_whole_objects", "objects_in", "objects_made_of", "with_open_texts"]


def objects_made_of(
    values: object, release: str | None, chart: str | None
) -> Iterator[ChartObject]:
    """What a chart makes of its values; `release` and `chart` are names, None where they are not known.

    Values whose shape is that of a known chart are read as that chart's, but their chart may be another one with
    other defaults. The same holds for a chart within a chart.
    """
    roots = list(_roots(values, LEVELS_OF_SUBCHARTS))
    for path, data in roots:
        known = not path and chart == app_template.NAME
        yield from app_template.objects_made_of(
            data, path, release if not path else None, known=known
        )
    yield from _objects_by_shape(values, tuple(path for path, _ in roots))


def _roots(values: object, depth: int) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
    if not isinstance(values, dict):
        return
    if app_template.is_shaped(values):
        yield (), values
    if depth:
        for key, value in values.items():
            for path, found in _roots(value, depth - 1):
                yield (key, *path), found


# Charts that are not known: what is read holds whatever the chart makes of it

_GROUP = "resource.k8s.io/"
_CONTAINER_FIELDS = frozenset({"name", "request"})


def _objects_by_shape(values: object, known: Sequence[FieldPath]) -> Iterator[ChartObject]:
    """The lists of claims and the objects of resource.k8s.io below values, except for the parts that
    are `known` already.

    Each list of a pod's claims is one object; all lists of containers' claims together are one object,
    since it is not known which pod each of them belongs to.
    """
    found = _Lists(frozenset(known))
    found.collect(values, ())
    for path, data in found.objects:
        name = string_at(data, "metadata", "name")
        names = () if name is None else (name,)
        whole = holds_whole_objects(path)
        yield ChartObject("an object", data, {(): path}, names, known=whole, by_key=whole)
    claims: dict[str, tuple[FieldPath, Any]] = {}
    for path, entries in found.of_pods:
        for index, entry in enumerate(entries):
            called = entry.get("name") if isinstance(entry, dict) else None
            if isinstance(called, str):
                claims.setdefault(called, ((*path, index), entry))
        pod: dict[str, object] = {"containers": [], "resourceClaims": entries}
        at: dict[FieldPath, FieldPath] = {(): path, ("spec", "resourceClaims"): path}
        yield ChartObject("a list of claims", {"spec": pod}, at, known=False)
    if found.of_containers and claims:
        yield _containers(found, claims)


def _containers(found: _Lists, claims: Mapping[str, tuple[FieldPath, Any]]) -> ChartObject:
    """The containers, in a pod with all claims. Of several claims with one name the first counts."""
    places: dict[FieldPath, FieldPath] = {(): ()}
    containers = []
    for index, (path, entries) in enumerate(found.of_containers):
        containers.append({"name": f"c{index}", "resources": {"claims": entries}})
        places["spec", "containers", index, "resources", "claims"] = path
    for index, (path, _) in enumerate(claims.values()):
        places["spec", "resourceClaims", index] = path
    listed = [entry for _, entry in claims.values()]
    spec = {"containers": containers, "resourceClaims": listed}
    return ChartObject("the containers", {"spec": spec}, places, known=False)


_HEADER = pattern(
    r"(?m)^([ ]*(?:- +)*(?:[\w.-]+:[ ]*)?)[|>][-+0-9]*(?=[ \t]*\n(?:[ \t]*\n)*[ ]+(?:apiVersion|kind):)"
)
_WHOLE = pattern(r"(?:extra|additional|raw|custom)[A-Z_]\w*|manifests")


def holds_whole_objects(path: FieldPath) -> bool:
    """Whether charts make of an object below a key such as `extraObjects` what it is, and nothing else."""
    return any(isinstance(step, str) and _WHOLE.fullmatch(step) for step in path)


def with_open_texts(text: str) -> str:
    """Values with the objects in their texts as parts of the YAML, every character at its place."""
    return _HEADER.sub(lambda found: found[1] + " " * (len(found[0]) - len(found[1])), text)


def objects_in(data: object) -> list[tuple[FieldPath, dict[str, object]]]:
    """The objects in values, with their paths."""
    found = _Lists(frozenset())
    found.collect(data, ())
    return found.objects


class _Lists:
    """What was found on the way through values."""

    def __init__(self, known: frozenset[FieldPath]) -> None:
        self._known = known
        self._seen: set[int] = set()  # what several aliases share is read once
        self.of_pods: list[tuple[FieldPath, list[Any]]] = []
        self.of_containers: list[tuple[FieldPath, list[Any]]] = []
        self.objects: list[tuple[FieldPath, dict[str, object]]] = []

    def collect(self, value: Any, path: FieldPath) -> None:
        if len(path) > MOST_LEVELS or path in self._known or not isinstance(value, dict | list):
            return
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        if isinstance(value, list):
            for index, each in enumerate(value):
                self.collect(each, (*path, index))
            return
        version, kind = value.get("apiVersion"), value.get("kind")
        if (
            isinstance(version, str)
            and isinstance(kind, str)
            and (version.startswith(_GROUP) or holds_whole_objects(path))
        ):
            self.objects.append((path, value))
            return
        for key, each in value.items():
            here = (*path, key)
            if key == "resourceClaims" and _are_pod_claims(each):
                self.of_pods.append((here, each))
            elif key == "claims" and path[-1:] == ("resources",) and _are_container_claims(each):
                self.of_containers.append((here, each))
            else:
                self.collect(each, here)


def _are_pod_claims(value: object) -> bool:
    return isinstance(value, list) and any(
        isinstance(each, dict)
        and "name" in each
        and any(str(key).lower().startswith("resourceclaim") for key in each)
        for each in value
    )


def _are_container_claims(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, dict) and each.keys() <= _CONTAINER_FIELDS for each in value)
    )

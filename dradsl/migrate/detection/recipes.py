"""The pods that recipes find in objects and in values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.charts.recipes import find, first, shipped_recipes
from dradsl.migrate.detection.pods import container_at, uses_in
from dradsl.migrate.places import ContainerAt, PodAt, Use, whole
from dradsl.records import dataclass, replace

if TYPE_CHECKING:
    from dradsl.charts.recipes import Amount, Computed, Place, Recipe
    from dradsl.lint.input.manifests import Manifest
    from dradsl.text.paths import FieldPath

__all__ = ["apply_recipes", "switched_off"]


@dataclass(frozen=True, slots=True)
class _Spot:
    """A place that was found: its data at `path` of the document, within a chart's values `root`."""

    manifest: Manifest
    place: Place
    path: FieldPath
    data: Mapping[str, Any]
    root: Any

    def find(self, pattern: str) -> Iterator[tuple[FieldPath, Any]]:
        return find(self.data, pattern, self.root)

    def first(self, *patterns: str) -> Any:
        return first(self.data, patterns, self.root)


def apply_recipes(manifest: Manifest, own: tuple[Recipe, ...] = ()) -> Iterator[PodAt]:
    """The pods that recipes find in an object, or in values; the user's own go first."""
    kind = manifest.kind if manifest.api_version else ""
    for recipe in (*own, *shipped_recipes()):
        for prefix, root in recipe.roots(kind, manifest.group, manifest.data):
            for place in recipe.places:
                for path, data in find(root, place.at):
                    if isinstance(data, Mapping) and place.counts_for(data, root):
                        full = (*manifest.prefix, *prefix, *path)
                        yield from _pods(_Spot(manifest, place, full, data, root))


def _pods(spot: _Spot) -> Iterator[PodAt]:
    place, data, manifest = spot.place, spot.data, spot.manifest
    containers = tuple(c for c in _containers(spot) if c.uses)
    if not containers:
        return
    off = next((k for k in place.enabled_by if any(v is False for _, v in spot.find(k))), None)
    why_off = f"{off} is false: nothing is deployed from this" if off else None
    if not manifest.api_version:
        path = spot.path[len(manifest.prefix) :]
        why_off = why_off or switched_off(manifest.data, path)
    reasons = [why for key, why in place.blocked_if if any(value for _, value in spot.find(key))]
    reasons += _disagreements(spot, containers)
    pod = PodAt(
        manifest,
        spot.path,
        data,
        {},
        containers,
        _role(spot.path[len(manifest.prefix) :], manifest, place),
        blocked=next(iter(reasons), place.blocked),
        off=why_off,
        puts=place.puts,
        own_template=place.own_template,
        zero=place.zero,
        tells=place.tells,
        tells_for=place.tells_for,
        pod_fields=place.pod_fields,
        rendered=place.rendered and not manifest.api_version,
        notes=place.notes,
    )
    metadata = manifest.data.get("metadata")
    own = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    yield replace(pod, annotations=own) if isinstance(own, Mapping) else pod


def switched_off(data: Any, path: FieldPath) -> str | None:
    """Why nothing is deployed from the values at `path`, as charts go: they are not enabled, or
    disabled, there or above."""
    for depth in range(len(path) + 1):
        for key, value in (("enabled", False), ("disabled", True)):
            if isinstance(data, Mapping) and data.get(key) is value:
                keys = ".".join(map(str, (*path[:depth], key)))
                return f"{keys} is {str(value).lower()}: nothing is deployed from this"
        if depth < len(path):
            data = data[path[depth]]
    return None


def _containers(spot: _Spot) -> Iterator[ContainerAt]:
    place, data, path = spot.place, spot.data, spot.path
    for pattern in place.containers:
        for below, value in find(data, pattern) if pattern != "." else (((), data),):
            if isinstance(value, Mapping):
                container = container_at(value, (*path, *below), "main")
                computed = place.computed
                yield container if computed is None else _computed(spot, computed, container)
    for limits, requests in place.resources:
        uses = tuple(_pair(data, path, limits, requests))
        yield ContainerAt(path, limits.rpartition(".")[2], "main", data, uses)
    if place.amounts or place.counts:
        yield ContainerAt(path, "", "main", data, tuple(_counted(place, data, path)))


def _computed(spot: _Spot, computed: Computed, container: ContainerAt) -> ContainerAt:
    """The container with the amount that the chart adds where the values have none."""
    if computed.without and computed.without in str(container.data.get("image")):
        return container
    resource = _resource(spot, computed)
    if resource is None or any(use.resource == resource for use in container.uses):
        return container
    factors = [found for key in computed.product for found in spot.find(key)]
    amount = 1
    for _, value in factors:
        amount *= whole(value) or 0 if value is not None else 1
    place = (*spot.path, *factors[0][0]) if factors else container.path
    return replace(container, uses=(*container.uses, Use(resource, amount, None, place)))


def _resource(spot: _Spot, computed: Computed) -> str | None:
    named = str(spot.first(*computed.type) or computed.default)
    own = spot.first(computed.overrides) if computed.overrides else None
    if isinstance(own, Mapping) and isinstance(own.get(named), str):
        return str(own[named])
    return computed.resources.get(named)


def _disagreements(spot: _Spot, containers: tuple[ContainerAt, ...]) -> Iterator[str]:
    """Why a chart that counts devices itself would not give the pod what it has now."""
    computed = spot.place.computed
    if computed is None or not containers or not spot.place.own_template:
        return
    if len(containers) > 1:
        yield (
            f"each of {len(containers)} containers gets devices of its own from the chart, and with "
            "claims they would share those of one"
        )
    bare = _computed(spot, computed, replace(containers[0], uses=()))
    counted = {use.resource: use.amount for use in bare.uses}
    for use in containers[0].uses:
        if whole(use.amount) != counted.get(use.resource):
            yield (
                f"{use.text} stands here, and with claims the chart counts by "
                f"{' times '.join(computed.product)}: that is {counted.get(use.resource, 0)}"
            )


def _pair(data: Mapping[str, Any], path: FieldPath, limits: str, requests: str) -> Iterator[Use]:
    """Uses in two mappings that stand apart and are called other than limits and requests."""
    found = {name: next((v for _, v in find(data, name)), None) for name in (limits, requests)}
    resources = {"limits": found[limits], "requests": found[requests]}
    for use in uses_in(resources, path):
        section = limits if use.limit is not None else requests
        yield replace(use, path=(*path, *section.split("."), use.resource))


def _counted(place: Place, data: Mapping[str, Any], path: FieldPath) -> Iterator[Use]:
    for amount in place.amounts:
        for below, value in find(data, amount.key):
            number = value if amount.number is None else amount.number
            if number not in (None, ""):
                yield Use(_named(amount, data), number, None, (*path, *below))
    for below, value in find(data, place.counts) if place.counts else ():
        # `1g.10gb: 2`: the profile is the key.
        if isinstance(value, int | str) and not isinstance(value, bool):
            yield Use(f"nvidia.com/mig-{below[-1]}", value, None, (*path, *below))


def _named(amount: Amount, data: Mapping[str, Any]) -> str:
    named = find(data, amount.resource_key) if amount.resource_key else ()
    return next((str(value) for _, value in named if value), amount.resource)


def _role(path: FieldPath, manifest: Manifest, place: Place) -> str:
    if manifest.api_version and "*" not in place.at:
        return ""
    words: list[str] = []
    data: Any = manifest.data
    for part in path:
        data = data[part]
        name = data.get("name") or data.get("display_name") if isinstance(data, Mapping) else None
        if isinstance(part, int) and isinstance(name, str):
            words[-1:] = [name]
        else:
            words.append(str(part))
    return ".".join(words)

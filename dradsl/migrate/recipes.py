"""Recipes: data that says where operators and charts hold device requests, and where claims go.

A recipe is a YAML file in `recipes/`; docs/migrate.md describes its keys. A new chart needs a new
file, no code.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.migrate.detect import container_at, uses_in
from dradsl.migrate.places import ContainerAt, PodAt, Use
from dradsl.records import dataclass, replace

if TYPE_CHECKING:
    from dradsl.lint.manifests import Manifest
    from dradsl.text.paths import FieldPath

__all__ = ["Recipe", "RecipeError", "apply_recipes", "read_recipe", "shipped_recipes"]


@dataclass(frozen=True, slots=True)
class Amount:
    """A key that holds a number of devices; their resource is fixed or stands under a key."""

    key: str
    resource: str
    resource_key: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Pods of a recipe: `at` leads to each of them, everything else is relative to that.

    `enabled_by` are keys that, if false, say that nothing is deployed; `unless` are keys in whose presence
    the place does not count, `when` keys with the values that they must have (None: it may be
    missing). `blocked_if` holds keys with the reason that their presence is.
    """

    at: str
    containers: tuple[str, ...] = ()
    resources: tuple[tuple[str, str], ...] = ()
    amounts: tuple[Amount, ...] = ()
    counts: str | None = None
    enabled_by: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    when: tuple[tuple[str, tuple[object, ...]], ...] = ()
    blocked: str | None = None
    blocked_if: tuple[tuple[str, str], ...] = ()
    puts: tuple[tuple[str, object], ...] = ()
    pod_fields: bool = False
    rendered: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recipe:
    """Where one kind of object (`kinds`) or the values of one chart (`values`: paths that they all
    have) hold device requests."""

    name: str
    title: str
    source: str
    kinds: frozenset[str]
    values: tuple[str, ...]
    places: tuple[Place, ...]

    def matches(self, manifest: Manifest) -> bool:
        if manifest.api_version:
            return f"{manifest.kind}.{manifest.group}" in self.kinds
        data = manifest.data
        return bool(self.values) and all(any(_find(data, path)) for path in self.values)


class RecipeError(ValueError):
    """A file is no recipe; `str()` names it and says why."""


def apply_recipes(manifest: Manifest, own: tuple[Recipe, ...] = ()) -> Iterator[PodAt]:
    """The pods that recipes find in an object, or in values; the user's own go first."""
    for recipe in (*own, *shipped_recipes()):
        if recipe.matches(manifest):
            for place in recipe.places:
                for path, data in _find(manifest.data, place.at):
                    pod = _pod(manifest, place, path, data)
                    if pod is not None:
                        yield pod


@functools.cache
def shipped_recipes() -> tuple[Recipe, ...]:
    """The recipes that come with dradsl."""
    folder = Path(__file__).parent / "recipes"
    return tuple(read_recipe(path) for path in sorted(folder.glob("*.yaml")))


def read_recipe(path: Path) -> Recipe:
    """The recipe in a file.

    Raises:
        RecipeError: if the file has another shape.
        FileError: if it cannot be read.
    """
    from dradsl.text.documents import load
    from dradsl.text.files import read_bytes

    documents = load(read_bytes(path)).documents
    try:
        return _recipe(documents[0].data)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise RecipeError(f"{path}: no recipe: {error}") from error


def _recipe(data: Any) -> Recipe:
    return Recipe(
        name=data["recipe"],
        title=data["title"],
        source=data["source"],
        kinds=frozenset(data.get("kinds", ())),
        values=tuple(data.get("values", ())),
        places=tuple(_place(**_snake(place)) for place in data["pods"]),
    )


def _snake(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("-", "_"): value for key, value in data.items()}


def _place(
    resources: Any = (),
    amounts: Any = (),
    puts: Any = None,
    blocked_if: Any = None,
    when: Any = None,
    **rest: Any,
) -> Place:
    lists: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in rest.items()}
    return Place(
        resources=tuple((pair["limits"], pair["requests"]) for pair in resources),
        amounts=tuple(Amount(**_snake(each)) for each in amounts),
        puts=tuple((puts or {}).items()),
        when=tuple((key, tuple(values)) for key, values in (when or {}).items()),
        blocked_if=tuple((blocked_if or {}).items()),
        **lists,
    )


def _pod(manifest: Manifest, place: Place, path: FieldPath, data: object) -> PodAt | None:
    if not isinstance(data, Mapping) or not _counts(place, data):
        return None
    full = (*manifest.prefix, *path)
    containers = tuple(c for c in _containers(place, data, full) if c.uses)
    if not containers:
        return None
    off = next((k for k in place.enabled_by if any(v is False for _, v in _find(data, k))), None)
    reasons = (why for key, why in place.blocked_if if any(_find(data, key)))
    pod = PodAt(
        manifest,
        full,
        data,
        {},
        containers,
        _role(path, manifest, place),
        blocked=next(reasons, place.blocked),
        off=f"{off} is false: nothing is deployed from this" if off else None,
        puts=place.puts,
        pod_fields=place.pod_fields,
        rendered=place.rendered and not manifest.api_version,
        notes=place.notes,
    )
    metadata = manifest.data.get("metadata")
    own = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    return replace(pod, annotations=own) if isinstance(own, Mapping) else pod


def _counts(place: Place, data: Mapping[str, Any]) -> bool:
    if any(any(_find(data, key)) for key in place.unless):
        return False
    found = {key: next((v for _, v in _find(data, key)), None) for key, _ in place.when}
    return all(found[key] in values for key, values in place.when)


def _containers(place: Place, data: Mapping[str, Any], path: FieldPath) -> Iterator[ContainerAt]:
    for pattern in place.containers:
        for below, value in _find(data, pattern) if pattern != "." else (((), data),):
            if isinstance(value, Mapping):
                yield container_at(value, (*path, *below), "main")
    for limits, requests in place.resources:
        uses = tuple(_pair(data, path, limits, requests))
        yield ContainerAt(path, limits.rpartition(".")[2], "main", data, uses)
    if place.amounts or place.counts:
        yield ContainerAt(path, "of the values", "main", data, tuple(_counted(place, data, path)))


def _pair(data: Mapping[str, Any], path: FieldPath, limits: str, requests: str) -> Iterator[Use]:
    """Uses in two mappings that stand apart and are called other than limits and requests."""
    found = {name: next((v for _, v in _find(data, name)), None) for name in (limits, requests)}
    resources = {"limits": found[limits], "requests": found[requests]}
    for use in uses_in(resources, path):
        section = limits if use.limit is not None else requests
        yield replace(use, path=(*path, *section.split("."), use.resource))


def _counted(place: Place, data: Mapping[str, Any], path: FieldPath) -> Iterator[Use]:
    for amount in place.amounts:
        for below, value in _find(data, amount.key):
            named = _find(data, amount.resource_key) if amount.resource_key else ()
            resource = next((str(v) for _, v in named if v), amount.resource)
            if value not in (None, ""):
                yield Use(resource, value, None, (*path, *below))
    for below, value in _find(data, place.counts) if place.counts else ():
        # `1g.10gb: 2`: the profile is the key.
        if isinstance(value, int | str) and not isinstance(value, bool):
            yield Use(f"nvidia.com/mig-{below[-1]}", value, None, (*path, *below))


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


def _find(data: object, pattern: str | None) -> Iterator[tuple[FieldPath, Any]]:
    """The values at a path in which `*` is any key or item; "" is the data itself."""
    if not pattern:
        yield (), data
        return
    head, _, rest = pattern.partition(".")
    if head == "*":
        items: Any = ()
        if isinstance(data, Mapping):
            items = data.items()
        elif isinstance(data, list):
            items = enumerate(data)
        for key, value in items:
            for path, found in _find(value, rest):
                yield (key, *path), found
    elif isinstance(data, Mapping) and head in data:
        for path, found in _find(data[head], rest):
            yield (head, *path), found

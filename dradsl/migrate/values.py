"""Device requests in Helm values, and in objects whose pods nobody can see from outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dradsl.migrate.detect import container_at, pods_of
from dradsl.migrate.places import PodAt
from dradsl.migrate.recipes import apply_recipes
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.charts.recipes import Recipe
    from dradsl.lint.manifests import Manifest
    from dradsl.migrate.places import ContainerAt
    from dradsl.text.paths import FieldPath

__all__ = ["all_pods"]

_MAX_DEPTH = 40
_UNKNOWN_CHART = (
    "whether the chart's templates can carry claims, for the pod as well as for the container, "
    "cannot be seen from its values"
)
# Kinds that count device requests of others, or hold none of their own.
_NOT_PODS = frozenset(
    {"ResourceQuota", "LimitRange", "ClusterQueue", "ConfigMap", "Node", "Secret", "ResourceSlice"}
)


def all_pods(manifest: Manifest, recipes: tuple[Recipe, ...] = ()) -> Iterator[PodAt]:
    """Pod specs, what recipes know (the user's own first), and device requests anywhere else."""
    found: dict[FieldPath, PodAt] = {}
    if manifest.api_version:
        found = {pod.path: pod for pod in pods_of(manifest)}
    seen = {use.path for pod in found.values() for c in pod.containers for use in c.uses}
    for sure, pod in (
        *((True, pod) for pod in apply_recipes(manifest, recipes)),
        *((False, pod) for pod in _elsewhere(manifest)),
    ):
        fresh = tuple(c for c in pod.containers if not any(use.path in seen for use in c.uses))
        known = found.get(pod.path)
        if known is not None and (sure or fresh):
            found[pod.path] = _joined(known, pod, fresh)
        elif known is None and len(fresh) == len(pod.containers):
            found[pod.path] = pod
        seen |= {use.path for container in fresh for use in container.uses}
    yield from found.values()


def _joined(known: PodAt, pod: PodAt, fresh: tuple[ContainerAt, ...]) -> PodAt:
    """The same pod, found twice: with containers in two shapes, or with more that a recipe knows."""
    return replace(
        known,
        containers=known.containers + fresh,
        blocked=known.blocked or pod.blocked,
        zero=known.zero or pod.zero,
        notes=tuple(dict.fromkeys((*known.notes, *pod.notes))),
    )


def _elsewhere(manifest: Manifest) -> Iterator[PodAt]:
    if manifest.kind in _NOT_PODS:
        return
    blocked = _UNKNOWN_CHART
    if manifest.api_version:
        blocked = (
            f"how {manifest.kind} makes pods of this, and whether it hands claims on, is unknown"
        )
    for path, data in _holders(manifest.data, ()):
        container = container_at(data, (*manifest.prefix, *path), "main")
        if container.uses:
            yield PodAt(
                manifest,
                container.path,
                data,
                {},
                (container,),
                ".".join(map(str, path)),
                blocked=blocked,
                pod_fields=False,
                rendered=not manifest.api_version,
            )


def _holders(value: object, path: FieldPath) -> Iterator[tuple[FieldPath, Mapping[str, Any]]]:
    """Mappings with a `resources` that has limits or requests, wherever they are."""
    if len(path) > _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        resources = value.get("resources")
        if isinstance(resources, Mapping) and resources.keys() & {"limits", "requests"}:
            yield path, value
        for key, item in value.items():
            if isinstance(key, str) and key != "status":
                yield from _holders(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _holders(item, (*path, index))

"""Device requests in Helm values, and in objects whose pods nobody can see from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.lint.manifests import Manifest
from dradsl.migrate.detect import container_at, pods_of
from dradsl.migrate.places import PodAt
from dradsl.migrate.recipes import apply_recipes
from dradsl.records import replace

if TYPE_CHECKING:
    from dradsl.lint.sources import SourceText
    from dradsl.migrate.recipes import Recipe
    from dradsl.text.documents import Document
    from dradsl.text.paths import FieldPath

__all__ = ["all_pods", "values_of"]

_MAX_DEPTH = 40
_UNKNOWN_CHART = (
    "whether the chart's templates can carry claims, for the pod as well as for the container, "
    "cannot be seen from its values"
)
# Kinds that count device requests of others, or hold none of their own.
_NOT_PODS = frozenset(
    {"ResourceQuota", "LimitRange", "ClusterQueue", "ConfigMap", "Node", "Secret", "ResourceSlice"}
)


def values_of(source: SourceText) -> Iterator[Manifest]:
    """The documents of a file that are no objects but values, in the clothes of one."""
    for document in source.stream.documents:
        if is_values(document):
            name = source.name.rpartition("/")[2].rpartition(".")[0]
            data: Any = document.data
            yield Manifest(source, document, (), data, "", "values", None, name or source.name)


def is_values(document: Document) -> bool:
    """Whether a document is a mapping that is no Kubernetes object."""
    data = document.data
    return isinstance(data, Mapping) and not ("apiVersion" in data and "kind" in data)


def all_pods(manifest: Manifest, recipes: tuple[Recipe, ...] = ()) -> Iterator[PodAt]:
    """Pod specs, what recipes know (the user's own first), and device requests anywhere else."""
    found: dict[FieldPath, PodAt] = {}
    if manifest.api_version:
        found = {pod.path: pod for pod in pods_of(manifest)}
    seen = {use.path for pod in found.values() for c in pod.containers for use in c.uses}
    for pod in (*apply_recipes(manifest, recipes), *_elsewhere(manifest)):
        paths = {use.path for container in pod.containers for use in container.uses}
        if paths & seen:
            continue
        seen |= paths
        known = found.get(pod.path)
        if known is not None:  # the same pod, with containers in two shapes
            pod = replace(known, containers=known.containers + pod.containers)
        found[pod.path] = pod
    yield from found.values()


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

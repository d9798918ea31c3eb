"""Device requests in Helm values, and in objects whose pods are not visible in the manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.migrate.detection.charts.values import question_of, reason_of, template_pods
from dradsl.migrate.detection.pods import container_at, devices_of, pods_of, uses_in
from dradsl.migrate.detection.recipes import apply_recipes, switched_off
from dradsl.migrate.detection.texts import FIGURES, LABELS, is_condition
from dradsl.migrate.mapping.kind_table import counting_kinds
from dradsl.migrate.mapping.resource import is_device
from dradsl.migrate.places import ContainerAt, PodAt, Use, is_extended, whole
from dradsl.records import replace
from dradsl.tree.manifests.manifest import Manifest, manifests_of
from dradsl.tree.values.values import INSTALLERS
from dradsl.values.limits import MOST_LEVELS
from dradsl.values.plain import list_at, string_at

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.detection.charts.folders import ChartFolders
    from dradsl.migrate.detection.recipes import RecipeBook
    from dradsl.text.paths import FieldPath
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["all_pods", "is_template_object", "kind_of", "objects_in", "objects_of"]


def kind_of(data: Mapping[str, Any]) -> tuple[str, str]:
    """The kind and the group of an object; two empty texts for anything else."""
    kind, version = data.get("kind"), data.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str):
        return "", ""
    return kind, version.rpartition("/")[0]


def objects_in(
    value: object, path: FieldPath = ()
) -> Iterator[tuple[FieldPath, Mapping[str, Any]]]:
    """The mappings with a kind and an API version, and their paths."""
    if len(path) > MOST_LEVELS:
        return
    if isinstance(value, Mapping):
        if kind_of(value)[0]:
            yield path, value
            return
        for key, item in value.items():
            if isinstance(key, str):
                yield from objects_in(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from objects_in(item, (*path, index))


def is_template_object(data: object) -> bool:
    """Whether a document is a Template of OpenShift."""
    return isinstance(data, dict) and kind_of(data) == ("Template", "template.openshift.io")


def objects_of(source: SourceText) -> Iterator[Manifest]:
    """The objects of a file; those in a Template take its place."""
    for manifest in manifests_of(source):
        if not is_template_object(manifest.data):
            yield manifest
            continue
        for index, data in enumerate(list_at(manifest.data, "objects")):
            if isinstance(data, dict) and kind_of(data)[0]:
                kind, group = kind_of(data)
                yield replace(
                    manifest, prefix=(*manifest.prefix, "objects", index), data=data, kind=kind, group=group,
                    api_version=str(data["apiVersion"]), name=string_at(data, "metadata", "name"),
                    namespace=string_at(data, "metadata", "namespace"),
                )  # fmt: skip


_UNKNOWN_CHART = (
    "no recipe and no templates beside them say what makes pods of these values: whether claims reach the pod as "
    "well as the container cannot be seen here"
)
# Kinds that count device requests of other objects, or hold none themselves.
_NOT_PODS = frozenset(
    {"ResourceQuota", "LimitRange", "ClusterQueue", "ConfigMap", "Node", "Secret", "ResourceSlice"}
)

# The requests of these groups are in their pod specs.
_BUILT_IN = frozenset({"", "apps", "batch"})


def all_pods(manifest: Manifest, catalogue: Catalogue, recipes: RecipeBook) -> Iterator[PodAt]:
    """Pod specs, pods that recipes find (the user's own first), and device requests anywhere else."""
    if f"{manifest.kind}.{manifest.group}" in INSTALLERS:
        return  # requests in its values belong to the values
    found = _of_object(manifest) if manifest.api_version else {}
    seen = {use.path for pod in found.values() for c in pod.containers for use in c.uses}
    for sure, pod in (
        *((True, pod) for pod in apply_recipes(manifest, recipes)),
        *((True, pod) for pod in _of_templates(manifest, recipes.folders)),
        *((False, pod) for pod in _elsewhere(manifest, catalogue, recipes)),
    ):
        fresh = tuple(c for c in pod.containers if not any(use.path in seen for use in c.uses))
        known = found.get(pod.path)
        if known is not None and (sure or fresh):
            found[pod.path] = _joined(known, pod, fresh)
        elif known is None and len(fresh) == len(pod.containers):
            found[pod.path] = pod
        seen |= {at for c in fresh for use in c.uses for at in (use.path, use.beside)}
    space = recipes.namespaces.get(manifest.source.name) if manifest.kind == "values" else None
    yield from (
        found.values() if space is None else (replace(pod, goes_to=space) for pod in found.values())
    )


def _of_object(manifest: Manifest) -> dict[FieldPath, PodAt]:
    """The pods of an object by their paths, with devices that its kind asks for elsewhere."""
    found = {pod.path: pod for pod in pods_of(manifest)}
    for pod in devices_of(manifest):
        known = found.get(pod.path)
        found[pod.path] = pod if known is None else _joined(known, pod, pod.containers)
    return found


def _joined(known: PodAt, pod: PodAt, fresh: tuple[ContainerAt, ...]) -> PodAt:
    """The same pod that was found twice: with containers in two shapes, or with more fields from a recipe."""
    return replace(
        known,
        containers=known.containers + fresh,
        blocked=known.blocked or pod.blocked,
        keep_zero_limits=known.keep_zero_limits or pod.keep_zero_limits,
        notes=tuple(dict.fromkeys((*known.notes, *pod.notes))),
    )


def _of_templates(manifest: Manifest, folders: ChartFolders) -> Iterator[PodAt]:
    """The pods in the values, according to templates among the files."""
    for pod in template_pods(manifest, folders):
        path = pod.path[len(manifest.prefix) :]
        yield replace(pod, off=switched_off(manifest.data, path))


def _elsewhere(manifest: Manifest, catalogue: Catalogue, recipes: RecipeBook) -> Iterator[PodAt]:
    if manifest.kind in _NOT_PODS or (manifest.kind, manifest.group) in counting_kinds():
        return
    if manifest.api_version and manifest.group in _BUILT_IN:
        return
    folders = recipes.folders
    blocked = recipes.lacking(manifest) or _UNKNOWN_CHART
    if manifest.api_version:
        blocked = (
            f"how {manifest.kind} makes pods of this, and whether it hands claims on, is unknown"
        )
    for path, data in _mappings(manifest.data, ()):
        if is_condition(manifest.group, path):
            continue
        reason: str | None = None
        full = (*manifest.prefix, *path)
        for container in _requests(full, data, catalogue):
            reason = reason or reason_of(manifest, folders, path) or blocked
            yield PodAt(
                manifest,
                full,
                data,
                {},
                (container,),
                ".".join(map(str, path)),
                blocked=reason,
                question=question_of(manifest, folders, path),
                pod_fields=False,
                off=None if manifest.api_version else switched_off(manifest.data, path),
                rendered=not manifest.api_version,
            )


def _requests(
    path: FieldPath, data: Mapping[str, object], catalogue: Catalogue
) -> Iterator[ContainerAt]:
    """The requests of a mapping: in `resources`, in limits and requests of its own, or in an entry
    with the name of a known device."""
    resources = data.get("resources")
    if isinstance(resources, Mapping) and resources.keys() & {"limits", "requests"}:
        container = container_at(data, path, "main")
        if container.uses:
            yield container
    name = str(path[-1]) if path else ""
    uses = () if name == "resources" else uses_in(data, path)
    if not uses and name not in ("limits", "requests", *FIGURES):
        uses = tuple(
            Use(key, value, None, (*path, key))
            for key, value in data.items()
            if isinstance(key, str)
            and is_extended(key)
            and whole(value) is not None
            and is_device(key, catalogue)
        )
    if uses:
        yield ContainerAt(path, name, "main", data, uses)


def _mappings(value: object, path: FieldPath) -> Iterator[tuple[FieldPath, Mapping[str, object]]]:
    """Every mapping that may hold device requests."""
    if len(path) > MOST_LEVELS:
        return
    if isinstance(value, Mapping):
        if path and kind_of(value) in counting_kinds():
            return
        yield path, value
        for key, item in value.items():
            if isinstance(key, str) and key != "status" and key not in LABELS:
                yield from _mappings(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _mappings(item, (*path, index))

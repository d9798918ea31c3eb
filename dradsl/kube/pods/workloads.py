"""Every pod spec in any object: Pods, their controllers, job and serving kinds, and custom kinds.

Kubernetes' own kinds have it at one place, and nowhere else. In other kinds a pod spec is recognised by its
shape: a mapping with a list `containers` of mappings that have a name or an image. No kind has to be known
for that; the tables only say how many pods a spec stands for, and which kinds hold something close to a pod
spec in another form.
"""

from __future__ import annotations

import functools
from types import MappingProxyType

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, TypeAlias

    from dradsl.kube.errors import Path
    from dradsl.values.json_types import JsonMapping

__all__ = ["PLACES", "PodSpecAt", "pod_specs", "same_path"]

_MAX_DEPTH = 40
_COLLECTIONS = (dict, list)

# Numbers above a pod spec that multiply the pods made of it, by the field's name.
_FACTORS = frozenset({"replicas", "parallelism", "minReplicas", "instances", "numNodes"})
# (kind, number's field): the number says something else there.
_NO_FACTORS = frozenset({("CronJob", "replicas")})
# Kinds with a pod for every node that fits.
_PER_NODE = frozenset({"DaemonSet"})
# Kinds whose objects hold no workload, however their content looks.
_NO_WORKLOADS = frozenset(
    {
        "ConfigMap",
        "CustomResourceDefinition",
        "Event",
        "HelmRelease",  # what it holds are values of a chart
        "Node",
        "PodGroup",
        "ResourceSlice",
        "Secret",
    }
)
# Groups of pods have claims, but no pod spec; Kueue has Workloads of its own, which do.
_NO_WORKLOAD_GROUP = "scheduling.k8s.io/"
# Argo CD's name what to install; of other groups' Applications some hold pods.
_ARGO_CD = ("argoproj.io/", frozenset({"Application", "ApplicationSet"}))
# Argo Workflows: one container under another name, in a template.
_SINGLE_CONTAINERS = ("container", "script")
_TEMPLATE = ("spec", "template", "spec")
PLACES: Mapping[tuple[str, str], tuple[str, ...]] = MappingProxyType(
    {
        ("v1", "Pod"): ("spec",),
        ("v1", "PodTemplate"): ("template", "spec"),
        ("v1", "ReplicationController"): _TEMPLATE,
        ("apps/v1", "DaemonSet"): _TEMPLATE,
        ("apps/v1", "Deployment"): _TEMPLATE,
        ("apps/v1", "ReplicaSet"): _TEMPLATE,
        ("apps/v1", "StatefulSet"): _TEMPLATE,
        ("batch/v1", "Job"): _TEMPLATE,
        ("batch/v1", "CronJob"): ("spec", "jobTemplate", *_TEMPLATE),
    }
)
"""Where Kubernetes' own kinds have their pod spec, by API version and kind (k8s.io/api core/v1, apps/v1 and
batch/v1 types.go)."""
# One of them is in whatever is a pod spec.
_MARKS = frozenset({"containers", "resourceClaims", *_SINGLE_CONTAINERS})


@dataclass(frozen=True, slots=True)
class PodSpecAt:
    """A pod spec and where it stands.

    `replicas` is the number of pods made of it as far as the object says (None: unknown, or one for
    every node, then `per_node`). `metadata` is that of the pod template, if there is one. `named` is
    False where the kind is not a Pod itself: such pods get generated names.
    """

    path: Path
    spec: JsonMapping
    metadata: JsonMapping
    replicas: int | None = 1
    per_node: bool = False
    named: bool = False

    @property
    def annotations(self) -> Mapping[str, object]:
        found = self.metadata.get("annotations")
        return found if isinstance(found, dict) else {}


@functools.lru_cache(1024)
def same_path(path: Path) -> Path:
    """The path, one object for equal ones: the pods of a long stream are at a few."""
    return path


def pod_specs(obj: object) -> Iterator[PodSpecAt]:
    """The pod specs of an object, in the order in which they are there."""
    if not isinstance(obj, dict):
        return
    kind = str(obj.get("kind"))
    version = str(obj.get("apiVersion"))
    if version.startswith(_NO_WORKLOAD_GROUP) or kind in _NO_WORKLOADS:
        return
    if version.startswith(_ARGO_CD[0]) and kind in _ARGO_CD[1]:
        return
    is_pod = kind == "Pod"
    per_node = kind in _PER_NODE
    place = PLACES.get((version, kind))
    for path, spec, parents in _find(obj, 0) if place is None else _known_place(obj, place):
        yield PodSpecAt(
            same_path(path),
            spec,
            _metadata(path, parents),
            None if per_node else _replicas(kind, path, parents),
            per_node,
            named=is_pod and path == ("spec",),
        )


_Found: TypeAlias = "tuple[Path, Mapping[str, object], tuple[object, ...]]"


def _known_place(obj: Mapping[str, object], path: Path) -> Iterator[_Found]:
    """The one pod spec of an object of Kubernetes itself, if it is there."""
    parents: list[object] = []
    value: object = obj
    for name in path:
        parents.append(value)
        value = value.get(name) if isinstance(value, dict) else None
    if isinstance(value, dict):
        containers = value.get("containers")
        some = isinstance(containers, list) and any(isinstance(each, dict) for each in containers)
        if some or "resourceClaims" in value:
            yield path, value, tuple(parents)


def _find(value: object, depth: int) -> list[_Found]:
    """The pod specs below, with the way and the values on the way to each.

    Nearly all of an object is none: only the way to what is found is written down.
    """
    if depth > _MAX_DEPTH:
        return []
    if isinstance(value, dict):
        if depth and not _MARKS.isdisjoint(value) and _is_pod_spec(value):
            return [((), value, ())]
        kind: type[str | int] = str
        rows: Iterable[tuple[Any, Any]] = value.items()
    else:
        kind, rows = int, enumerate(value) if isinstance(value, list) else ()
    found: list[_Found] = []
    for key, item in rows:
        if isinstance(item, _COLLECTIONS) and key != "status" and isinstance(key, kind):
            for path, spec, parents in _find(item, depth + 1):
                found.append(((key, *path), spec, (value, *parents)))
    return found


def _is_pod_spec(value: dict[Any, Any]) -> bool:
    containers = value.get("containers")
    claims = value.get("resourceClaims")
    if isinstance(containers, list):
        if any(_is_container(item) for item in containers):
            return True
        if not containers and "resourceClaims" in value:
            return True
    if isinstance(claims, list):
        # Parts of pod specs that operators complete: no container of one's own, but claims.
        names = ("resourceClaimName", "resourceClaimTemplateName", "source")
        return any(isinstance(c, dict) and any(n in c for n in names) for c in claims)
    return "name" in value and any(
        isinstance(value.get(name), dict) and "image" in value[name] for name in _SINGLE_CONTAINERS
    )


def _is_container(item: object) -> bool:
    return isinstance(item, dict) and ("image" in item or "name" in item)


def _metadata(path: Path, parents: tuple[object, ...]) -> Mapping[str, object]:
    """The metadata beside a spec."""
    if path[-1] == "spec" and isinstance(parents[-1], dict):
        found = parents[-1].get("metadata")
        if isinstance(found, dict):
            return found
    return {}


def _replicas(kind: str, path: Path, parents: tuple[object, ...]) -> int | None:
    """The product of the numbers above the spec; None if one of them is no number."""
    product = 1
    for depth, parent in enumerate(parents):
        if not isinstance(parent, dict):
            continue
        below = path[depth] if depth < len(path) else ""
        for name in _FACTORS:  # not by operations on sets: they go through the parent's keys
            if name not in parent or (kind, name) in _NO_FACTORS:
                continue
            if name == "minReplicas" and "replicas" in parent:
                continue  # of Ray's groups: the least of what is scaled, not a factor
            number = parent[name]
            if isinstance(number, bool) or not isinstance(number, int):
                return None
            product *= number
        if below == "leaderWorkerTemplate" and "workerTemplate" in path:
            workers = _workers(parent[below])
            if workers is None:
                return None
            product *= workers
    return product


def _workers(group: object) -> int | None:
    """The workers of a group of `size` pods: all of them, or all but the leader with a spec of its
    own."""
    if not isinstance(group, dict):
        return 1
    size = group.get("size", 1)
    if isinstance(size, bool) or not isinstance(size, int):
        return None
    return max(size - 1, 0) if "leaderTemplate" in group else size

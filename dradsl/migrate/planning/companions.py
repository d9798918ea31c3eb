"""Kinds whose controllers read the device request themselves, and need the number in another field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from dradsl.migrate.edits.operations import Put
from dradsl.text.paths import value_at
from dradsl.tree.charts.recipes import find

if TYPE_CHECKING:
    from dradsl.migrate.planning.plan import PodPlan

__all__ = ["companions"]

_RAY_GROUPS = ("headGroupSpec", "workerGroupSpecs")


def _is_gpu(resource: str) -> bool:
    """Whether Ray counts a resource as GPUs (ray-project/kuberay common/pod.go)."""
    return resource.endswith("gpu") or resource.startswith("nvidia.com/mig-")


def _count_fields(plan: PodPlan) -> Iterator[Put]:
    """Fields of a chart for the number of devices, unless the values set them already."""
    pod = plan.pod
    count = sum(
        request.target.count
        for request in plan.requests
        if any(fnmatchcase(request.target.resource, each) for each in pod.count_resources)
    )
    for path, text in pod.count_fields if count else ():
        if not any(find(pod.spec, path)):
            yield Put((*pod.path, *path.split(".")), text.replace("{count}", str(count)))


def companions(plan: PodPlan) -> Iterator[Put]:
    """Fields for a number that a controller read from the limit before, such as Ray's number of GPUs."""
    pod = plan.pod
    yield from _count_fields(plan)
    in_group = pod.path[-2:] == ("template", "spec") and {*_RAY_GROUPS} & {*pod.path}
    if pod.manifest.group != "ray.io" or not in_group:
        return
    group = pod.path[:-2]  # <group>.template.spec
    data: object = value_at(pod.manifest.document.data, group)
    parameters = data.get("rayStartParams") if isinstance(data, Mapping) else None
    gpus = sum(r.target.count for r in plan.requests if _is_gpu(r.target.resource))
    own = data.get("resources") if isinstance(data, Mapping) else None
    if isinstance(own, Mapping) and own:
        # KubeRay rejects a group that has its resources both here and in rayStartParams.
        if gpus and not any(_is_gpu(str(key).lower()) for key in own):
            yield Put((*group, "resources", "GPU"), str(gpus))
    elif gpus and not (isinstance(parameters, Mapping) and "num-gpus" in parameters):
        yield Put((*group, "rayStartParams", "num-gpus"), str(gpus))

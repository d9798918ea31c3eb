"""Finding the pods that use device plugins, in every kind that holds pod specs, and devices that limits do not request.

Follows kubevirt/kubevirt staging/src/kubevirt.io/api/core/v1/schema.go (GPU, HostDevice, ClaimRequest; gates
GPUsWithDRA and HostDevicesWithDRA, alpha in v1.6.0, beta in v1.9.0) and kai-scheduler/KAI-Scheduler
docs/gpu-sharing/README.md.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.mapping.resource import KAI_PARTS
from dradsl.migrate.places import ContainerAt, PodAt, Role, Use, is_extended
from dradsl.tree.charts.recipes import find
from dradsl.values.plain import list_at, mapping_at, mappings_at, member

if TYPE_CHECKING:
    from dradsl.text.paths import FieldPath
    from dradsl.tree.manifests.manifest import Manifest

__all__ = [
    "switched_off",
    "container_at",
    "containers_of",
    "devices_of",
    "pods_of",
    "uses_in",
    "words_of_path",
]

_LISTS: tuple[tuple[str, Role], ...] = (("initContainers", "init"), ("containers", "main"))
# Argo Workflows: one container under its own key, beside the lists.
_SINGLES = ("container", "script")


def pods_of(manifest: Manifest) -> Iterator[PodAt]:
    """The pods of an object that use an extended resource, in their order in the object."""
    found = [
        (at, containers)
        for at in pod_specs(manifest.data)
        if (containers := tuple(containers_of(at.spec, (*manifest.prefix, *at.path))))
    ]
    roles = _roles([at.path for at, _ in found], manifest.data)
    for (at, containers), role in zip(found, roles, strict=True):
        if any(container.uses for container in containers):
            yield PodAt(
                manifest,
                (*manifest.prefix, *at.path),
                at.spec,
                {**mapping_at(manifest.data, "metadata", "annotations"), **at.annotations},
                containers,
                role,
                None if at.per_node else at.replicas,
            )


def uses_in(resources: object, path: FieldPath) -> tuple[Use, ...]:
    """The extended resources of a `resources` mapping at `path`."""
    if not isinstance(resources, Mapping):
        return ()
    limits, requests = _amounts(resources, "limits"), _amounts(resources, "requests")
    found = []
    for name in dict.fromkeys((*limits, *requests)):
        if is_extended(name):
            section = "limits" if name in limits else "requests"
            use = Use(name, limits.get(name), requests.get(name), (*path, section, name))
            found.append(use)
    return tuple(found)


def container_at(data: Mapping[str, object], path: FieldPath, role: Role) -> ContainerAt:
    """The container in the mapping `data` at `path`."""
    name = data.get("name")
    if role == "init" and data.get("restartPolicy") == "Always":
        role = "sidecar"
    return ContainerAt(
        path,
        name if isinstance(name, str) and name else str(path[-1] if path else ""),
        role,
        data,
        uses_in(data.get("resources"), (*path, "resources")),
    )


def containers_of(spec: Mapping[str, object], path: FieldPath) -> Iterator[ContainerAt]:
    """The containers of a pod spec at `path`, init containers first."""
    for key, role in _LISTS:
        for index, item in enumerate(list_at(spec, key)):
            if isinstance(item, Mapping):
                yield container_at(item, (*path, key, index), role)
    for key in _SINGLES:
        item = spec.get(key)
        if isinstance(item, Mapping) and "image" in item:
            yield container_at(item, (*path, key), "main")


def _amounts(resources: Mapping[str, object], section: str) -> Mapping[str, object]:
    found = mapping_at(resources, section)
    return {str(key): value for key, value in found.items() if value is not None}


def _roles(paths: list[FieldPath], data: Mapping[str, object]) -> list[str]:
    """A word for each pod of an object: where their paths differ."""
    if len(paths) <= 1:
        return ["" for _ in paths]
    shared = 0
    while all(len(p) > shared and p[shared] == paths[0][shared] for p in paths):
        shared += 1
    ways = ["-".join(words_of_path(path, data, shared, ("template", "spec"))) for path in paths]
    roles = [way.removesuffix("Template").lower() or "pod" for way in ways]
    return [
        f"{role}-{roles[:index].count(role) + 1}" if roles.count(role) > 1 else role
        for index, role in enumerate(roles)
    ]


def words_of_path(
    path: FieldPath, data: Any, shared: int = 0, left_out: Collection[str] = ()
) -> list[str]:
    """The steps of a path in data behind those that are `shared`; an item of a list that has a name stands for itself
    and its list."""
    words: list[str] = []
    for depth, part in enumerate(path):
        data = data[part]
        names = (member(data, key) for key in ("name", "display_name", "groupName"))
        name = next(filter(None, names), None) if isinstance(part, int) else None
        if depth < shared or part in left_out:
            continue
        if isinstance(name, str):
            words[-1:] = [name]
        else:
            words.append(str(part))
    return words


# The path of the spec of a virtual machine instance, by kind.
_MACHINES: Mapping[str, str] = {
    "VirtualMachine": "spec.template.spec",
    "VirtualMachineInstance": "spec",
    "VirtualMachineInstanceReplicaSet": "spec.template.spec",
    "VirtualMachinePool": "spec.virtualMachineTemplate.spec.template.spec",
}
_GROUPS = ("kubevirt.io", "pool.kubevirt.io")
_NOTE = (
    "needs KubeVirt's gate GPUsWithDRA or HostDevicesWithDRA (alpha in v1.6.0, beta in v1.9.0), and a driver "
    "that hands the device over for passthrough"
)


def devices_of(manifest: Manifest) -> Iterator[PodAt]:
    """The pods that ask for devices in other ways than limits."""
    place = _MACHINES.get(manifest.kind)
    if place is not None and manifest.group in _GROUPS:
        for path, spec in find(manifest.data, place):
            yield from _machine(manifest, (*manifest.prefix, *path), spec)
    else:
        yield from _parts(manifest)


def _machine(manifest: Manifest, path: tuple[str | int, ...], spec: object) -> Iterator[PodAt]:
    containers = []
    for kind in ("gpus", "hostDevices"):
        for below, data in find(spec, f"domain.devices.{kind}.*"):
            name: Any = data.get("deviceName") if isinstance(data, Mapping) else None
            if isinstance(name, str) and name and isinstance(data, Mapping):
                here = (*path, *below)
                use = Use(name, 1, None, (*here, "deviceName"))
                containers.append(ContainerAt(here, str(data.get("name")), "main", data, (use,)))
    if containers and isinstance(spec, Mapping):
        yield PodAt(manifest, path, spec, {}, tuple(containers), notes=(_NOTE,))


def _parts(manifest: Manifest) -> Iterator[PodAt]:
    """Pods whose annotations ask KAI's scheduler for a part of a GPU."""
    for at in pod_specs(manifest.data):
        uses = []
        for key in KAI_PARTS:
            value = at.annotations.get(key)
            if value is not None:
                path = (*manifest.prefix, *at.path[:-1], "metadata", "annotations", key)
                uses.append(Use(key, value, None, path))
        if uses:
            base = (*manifest.prefix, *at.path)
            named = at.annotations.get("gpu-fraction-container-name")
            found = mappings_at(at.spec, "containers")
            data = next((c for c in found if named in (None, c.get("name"))), {})
            name = str(data.get("name", ""))
            here = ContainerAt((*base, "annotations"), name, "main", data, tuple(uses))
            yield PodAt(manifest, base, at.spec, at.annotations, (here,))


def switched_off(data: Any, path: FieldPath) -> str | None:
    """Why nothing is deployed from the values at `path`, by the usual keys of charts: they are not enabled, or
    disabled, there or above."""
    for depth in range(len(path) + 1):
        for key, value in (("enabled", False), ("disabled", True)):
            if isinstance(data, Mapping) and data.get(key) is value:
                keys = ".".join(map(str, (*path[:depth], key)))
                return f"{keys} is {str(value).lower()}: nothing is deployed from this"
        if depth < len(path):
            data = data[path[depth]]
    return None

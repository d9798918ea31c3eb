"""Devices that are not requested by limits: those of KubeVirt's virtual machines, and parts of GPUs that annotations name.

Follows kubevirt/kubevirt staging/src/kubevirt.io/api/core/v1/schema.go (GPU, HostDevice, ClaimRequest; gates
GPUsWithDRA and HostDevicesWithDRA, alpha in v1.6.0, beta in v1.9.0) and kai-scheduler/KAI-Scheduler
docs/gpu-sharing/README.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.mapping.resource import KAI_PARTS
from dradsl.migrate.places import ContainerAt, PodAt, Use
from dradsl.tree.charts.recipes import find
from dradsl.values.plain import mappings_at

if TYPE_CHECKING:
    from dradsl.tree.manifests.manifest import Manifest

__all__ = ["devices_of"]

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

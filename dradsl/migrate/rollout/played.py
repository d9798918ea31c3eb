"""A moment of a rollout played on recorded nodes: which pods have a device while some nodes are with the driver."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.places import is_extended
from dradsl.migrate.proof.simulation import simulation_of
from dradsl.migrate.targets.extended import class_object
from dradsl.records import dataclass
from dradsl.values.plain import list_at, mapping_at, member

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.releases import Release
    from dradsl.values.deadline import Deadline
    from dradsl.values.json_types import JsonMapping

__all__ = ["PlayedFleet", "Pods"]

Pods: TypeAlias = "Counter[str]"


@dataclass(frozen=True, slots=True)
class PlayedFleet:
    """Recorded nodes and slices. `resources` are the extended resources that a plugin serves in the place of a driver,
    by driver; `sharers` how many pods it puts on a device, by resource; `bridges` the classes that carry them; `shares` what
    drivers will publish of each device, also where the recording is from before."""

    recorded: tuple[Mapping[str, object], ...]
    resources: Mapping[str, tuple[str, ...]]
    sharers: Mapping[str, int]
    bridges: tuple[JsonMapping, ...]
    shares: Mapping[str, str]
    release: Release
    catalogue: Catalogue
    deadline: Deadline

    @property
    def nodes(self) -> tuple[str, ...]:
        """The recorded nodes with devices of these drivers, in the order in which they move."""
        drivers: dict[str, set[str]] = {}
        for each in self._slices():
            drivers.setdefault(str(member(each, "spec", "nodeName")), set()).add(
                str(member(each, "spec", "driver"))
            )
        names = sorted(name for each in self._nodes() if (name := _name(each)) in drivers)
        firsts = [next((n for n in names if each in drivers[n]), "") for each in self.resources]
        return tuple(dict.fromkeys([*filter(None, firsts), *names]))

    def running(self, objects: Iterable[Any], moved: Collection[str], without: str = "") -> Pods:
        """How many pods of each workload have their devices, with the `moved` nodes served by the driver and one node
        drained (`without`). Pods with many devices are placed first."""
        from dradsl.simulate.pods import expand

        simulation = simulation_of(
            self.release,
            self.catalogue,
            self._served(moved, without),
            ((e, str(e.get("kind"))) for e in (*self._classes(), *self._asking(objects))),
            nodes_known=True,
        )
        pods = [pod for workload in simulation.cluster.workloads for pod in expand(workload)]
        found: Pods = Counter()
        for pod in sorted(pods, key=lambda each: -_size(each.spec)):
            self.deadline.check()
            if simulation.place(pod).fits:
                found[f"{pod.workload.kind} {pod.namespace}/{pod.workload.name}"] += 1
        return found

    def _slices(self) -> list[Mapping[str, object]]:
        return [
            each
            for each in self.recorded
            if each.get("kind") == "ResourceSlice"
            and member(each, "spec", "driver") in self.resources
        ]

    def _nodes(self) -> list[Mapping[str, object]]:
        return [each for each in self.recorded if each.get("kind") == "Node"]

    def _asking(self, objects: Iterable[Any]) -> list[JsonMapping]:
        """What asks for these devices, without other extended resources, which recordings seldom have; and the claims,
        templates and classes."""
        ours = {resource for each in self.resources.values() for resource in each}
        found: list[JsonMapping] = []
        for obj in objects:
            if str(member(obj, "apiVersion")).startswith("resource.k8s.io/"):
                found.append(obj)
            elif isinstance(obj, dict):
                made = copy_plain(obj)
                if sum(_narrowed(at.spec, ours) for at in pod_specs(made)):
                    found.append(made)
        return found

    def _served(
        self, moved: Collection[str], without: str
    ) -> Iterator[tuple[Mapping[str, object], str]]:
        """The nodes with what plugins and drivers serve on them."""
        for node in self._nodes():
            if _name(node) != without:
                yield self._bare(node), "recording"
            if _name(node) not in (*moved, without):
                yield from ((made, "plugin") for made in self._plugin_slices(node))
        for each in self.recorded:
            node_name = member(each, "spec", "nodeName")
            served = node_name in moved or member(each, "spec", "driver") not in self.resources
            if each.get("kind") == "ResourceSlice" and served and node_name != without:
                yield self._published(each), "recording"

    def _published(self, recorded: Mapping[str, object]) -> dict[str, Any]:
        """A slice as the driver publishes it once pods share its devices.

        Source: kubernetes-sigs/dra-driver-nvidia-gpu v0.5.0 cmd/gpu-kubelet-plugin/consumable_shares.go.
        """
        made: dict[str, Any] = copy_plain(recorded)
        shares = self.shares.get(str(member(made, "spec", "driver")))
        for each in list_at(made, "spec", "devices") if shares else ():
            device = each.get("basic") or each
            if device.get("allowMultipleAllocations"):
                continue
            device["allowMultipleAllocations"] = True
            capacity = device.setdefault("capacity", {})
            if "memory" in capacity:
                capacity["memory"] = {**capacity["memory"], "requestPolicy": _policy("0", "1Mi")}
            if shares != "unlimited":
                capacity["shares"] = {"value": shares, "requestPolicy": _policy("1", "1")}
        return made

    # What a plugin serves is played as devices of a driver of its own, since both are counted alike.

    def _classes(self) -> Iterator[JsonMapping]:
        """For each extended resource one class: what the plugin serves, or what the bridge answers with."""
        bridges = {str(member(each, "spec", "extendedResourceName")): each for each in self.bridges}
        for resource in (name for names in self.resources.values() for name in names):
            bridge = list_at(bridges.get(resource), "spec", "selectors")
            other = " && ".join(f"({member(each, 'cel', 'expression')})" for each in bridge)
            ours = f"device.attributes['{_PLUGIN}'].resource == '{resource}'"
            rule = f"device.driver == '{_PLUGIN}' ? {ours} : {other or 'false'}"
            yield class_object(f"played.{resource.replace('/', '.')}", [rule], resource)

    def _bare(self, node: Mapping[str, object]) -> dict[str, Any]:
        """A node without what plugins offer there."""
        made: dict[str, Any] = copy_plain(node)
        for names in self.resources.values():
            for name in names:
                made.get("status", {}).get("allocatable", {}).pop(name, None)
        return made

    def _plugin_slices(self, node: Mapping[str, object]) -> Iterator[dict[str, Any]]:
        """What the plugin serves on a node: as often as it was recorded to, else as the node has devices."""
        devices = []
        for driver, names in self.resources.items():
            for number, name in enumerate(names):
                said = str(member(node, "status", "allocatable", name) or "")
                each = self.sharers.get(name, 1)
                count = (
                    int(said)
                    if said.isdecimal()
                    else self._devices(_name(node), driver, name) * each
                )
                attributes = {"resource": {"string": name}}
                devices += [
                    {"name": f"d{number}-{n}", "attributes": attributes} for n in range(count)
                ]
        pools = [devices[start : start + _SLICE] for start in range(0, len(devices), _SLICE)]
        for number, part in enumerate(pools):
            name = f"{_name(node)}-plugin-{number}"
            pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
            spec = {"driver": _PLUGIN, "nodeName": _name(node), "pool": pool, "devices": part}
            kind = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice"}
            yield {**kind, "metadata": {"name": name}, "spec": spec}

    def _devices(self, node: str, driver: str, resource: str) -> int:
        """The devices of a node that the plugin would serve under this name."""
        return sum(
            _is_called(device, resource)
            for each in self._slices()
            if member(each, "spec", "nodeName") == node and member(each, "spec", "driver") == driver
            for device in list_at(each, "spec", "devices")
        )


_PLUGIN = "plugin.example.com"
_SLICE = 128  # devices


def _policy(least: str, step: str) -> JsonMapping:
    return {"default": least, "validRange": {"min": least, "step": step}}


def _name(node: Mapping[str, object]) -> str:
    return str(member(node, "metadata", "name"))


def _is_called(device: object, resource: str) -> bool:
    attributes = mapping_at(mapping_at(device, "basic") or device, "attributes")
    kind, profile = (member(attributes.get(each), "string") for each in ("type", "profile"))
    if "/mig-" in resource:
        return kind == "mig" and resource.endswith(f"/mig-{profile}")
    return resource != "nvidia.com/gpu" or kind in (None, "gpu")


def _narrowed(spec: Any, ours: Collection[str]) -> bool:
    """Take extended resources that are not `ours` out of a pod; say if it asks for devices then."""
    asks = bool(spec.get("resourceClaims"))
    for container in (*list_at(spec, "containers"), *list_at(spec, "initContainers")):
        for amounts in (
            member(container, "resources", each) or {} for each in ("limits", "requests")
        ):
            for name in [*amounts]:
                asks |= name in ours
                if is_extended(str(name)) and name not in ours:
                    del amounts[name]
    return asks


def _size(spec: Any) -> int:
    """How many devices a pod asks for, about."""
    limits = [mapping_at(each, "resources", "limits") for each in list_at(spec, "containers")]
    amounts = [str(n) for each in limits for name, n in each.items() if is_extended(name)]
    return len(list_at(spec, "resourceClaims")) + sum(int(n) for n in amounts if n.isdecimal())

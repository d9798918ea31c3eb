"""A moment of a rollout played on recorded nodes: which pods have a device while some nodes are with the driver."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.kube.fields.defaulting import copy_plain
from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.places import is_extended
from dradsl.records import dataclass
from dradsl.values.plain import list_at, mapping_at, member

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from dradsl.allocator.engine.plan import ClassRecord
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.releases import Release
    from dradsl.simulate.attempts import Simulation
    from dradsl.values.deadline import Deadline
    from dradsl.values.json_types import JsonMapping

__all__ = ["Fleet", "Pods"]

Pods: TypeAlias = "Counter[str]"


@dataclass(frozen=True, slots=True)
class Fleet:
    """Recorded nodes and slices. `resources` are the extended resources that a plugin serves in the place of a driver,
    by driver; `sharers` how many pods it puts on a device, by resource; `bridges` the classes that carry them."""

    recorded: tuple[Mapping[str, object], ...]
    resources: Mapping[str, tuple[str, ...]]
    sharers: Mapping[str, int]
    bridges: tuple[JsonMapping, ...]
    release: Release
    catalogue: Catalogue
    deadline: Deadline

    @property
    def nodes(self) -> tuple[str, ...]:
        """The recorded nodes with devices of these drivers."""
        with_devices = {str(member(each, "spec", "nodeName")) for each in self._slices()}
        return tuple(
            sorted(name for each in self._nodes() if (name := _name(each)) in with_devices)
        )

    def running(self, objects: Iterable[Any], moved: Collection[str], without: str = "") -> Pods:
        """How many pods of each workload have their devices, with the `moved` nodes served by the driver and one node
        drained (`without`). Pods with many devices are placed first."""
        from dradsl.simulate.pods import expand

        simulation = self._simulation(self._asking(objects), moved, without)
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

    def _simulation(
        self, objects: Sequence[JsonMapping], moved: Collection[str], without: str
    ) -> Simulation:
        from dradsl.allocator.engine.selectors import CelSelectors
        from dradsl.kube.server.api_server import ApiServer
        from dradsl.simulate.attempts import Simulation
        from dradsl.simulate.cluster import ClusterBuilder

        features = self.release.features()
        server = ApiServer(self.release, features)
        builder = ClusterBuilder(server, known_class=self._class, nodes_known=True)
        for node in self._nodes():
            if _name(node) != without:
                builder.add_recorded(self._as_served(node, moved), "recording")
        for each in self.recorded:
            node_name = member(each, "spec", "nodeName")
            served = node_name in moved or member(each, "spec", "driver") not in self.resources
            if each.get("kind") == "ResourceSlice" and served and node_name != without:
                builder.add_recorded(dict(each), "recording")
        for document in (*self.bridges, *objects):
            builder.add_manifest(dict(document), str(document.get("kind")))
        return Simulation(
            builder.build(), self.release, features, CelSelectors(self.release, features)
        )

    def _class(self, name: str) -> ClassRecord | None:
        from dradsl.allocator.engine.plan import ClassRecord

        found = self.catalogue.device_class(name)
        return None if found is None else ClassRecord(name, tuple(found[1].selectors))

    def _as_served(self, node: Mapping[str, object], moved: Collection[str]) -> dict[str, Any]:
        """A node as it is while the plugin serves it, or the driver."""
        made: Any = copy_plain(node)
        allocatable = made.setdefault("status", {}).setdefault("allocatable", {})
        for driver, resources in self.resources.items():
            for resource in resources:
                if _name(node) in moved:
                    allocatable[resource] = "0"
                elif resource not in allocatable:
                    count = self._devices(_name(node), driver, resource)
                    allocatable[resource] = str(count * self.sharers.get(resource, 1))
        result: dict[str, Any] = made
        return result

    def _devices(self, node: str, driver: str, resource: str) -> int:
        """The devices of a node that the plugin would serve under this name."""
        return sum(
            _is_called(device, resource)
            for each in self._slices()
            if member(each, "spec", "nodeName") == node and member(each, "spec", "driver") == driver
            for device in list_at(each, "spec", "devices")
        )


def _name(node: Mapping[str, object]) -> str:
    return str(member(node, "metadata", "name"))


def _is_called(device: object, resource: str) -> bool:
    attributes = mapping_at(mapping_at(device, "basic") or device, "attributes")
    kind, profile = (member(attributes.get(each), "string") for each in ("type", "profile"))
    if "/mig-" in resource:
        return kind == "mig" and resource.endswith(f"/mig-{profile}")
    return kind in (None, "gpu")


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

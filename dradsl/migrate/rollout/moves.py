"""What a rollout moves: for each driver its plugins, whether a class bridges, and how a stage fares on recorded nodes.

A moment is played: which pods have a device while some nodes are with the driver.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

from dradsl.drivers.schema.device_plugin import find_resources
from dradsl.kube.fields.defaulting import copy_plain
from dradsl.kube.pods.workloads import pod_specs
from dradsl.migrate.places import is_extended
from dradsl.migrate.proof.prove import asking_for, simulation_of
from dradsl.migrate.result import Outcome
from dradsl.migrate.rollout.plugins import platform_of, plugins_in, read_facts
from dradsl.migrate.targets.extended import answering_class, class_object
from dradsl.records import Record
from dradsl.values.plain import list_at, mapping_at, member

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.cluster.facts import Cluster
    from dradsl.migrate.mapping.resource import Target
    from dradsl.migrate.planning.answers import Options
    from dradsl.migrate.result import Migration
    from dradsl.migrate.rollout.plugins import Facts, InstalledPlugin
    from dradsl.migrate.survey import RunEvidence
    from dradsl.releases import Release
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.deadline import Deadline
    from dradsl.values.json_types import JsonMapping

__all__ = ["Move", "Moves", "moves_of"]

Pods: TypeAlias = "Counter[str]"


class PlayedFleet(Record):
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
                made = asking_for(obj, ours)
                if any(_asks(at.spec) for at in pod_specs(made)):
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


def _asks(spec: Any) -> bool:
    """Whether a pod without requests for other resources asks for devices."""
    every = (*list_at(spec, "containers"), *list_at(spec, "initContainers"))
    amounts = (mapping_at(e, "resources", key) for e in every for key in ("limits", "requests"))
    return bool(spec.get("resourceClaims")) or any(is_extended(str(n)) for a in amounts for n in a)


def _size(spec: Any) -> int:
    """How many devices a pod asks for, about."""
    limits = [mapping_at(each, "resources", "limits") for each in list_at(spec, "containers")]
    amounts = [str(n) for each in limits for name, n in each.items() if is_extended(name)]
    return len(list_at(spec, "resourceClaims")) + sum(int(n) for n in amounts if n.isdecimal())


_GATE = "DRAExtendedResource"


class Move(Record):
    """One vendor's devices: the facts of the `driver`, and what serves them now. Without a bridge (`alone` says why) pods
    move with their node. `classes` are those that bridge, beyond the chart's own. `shares` is what the driver
    publishes of each device, if pods share them. `installed`: the tree has a release of the driver already."""

    driver: Facts
    plugins: tuple[InstalledPlugin, ...]
    resources: tuple[str, ...]
    alone: str = ""
    classes: tuple[JsonMapping, ...] = ()
    shares: str | None = None
    installed: bool = False


class Moves(Record):
    """All that moves in a tree for a `platform`. `workloads` are the objects whose pods ask for devices. Without a recording
    of the nodes there is no `fleet`."""

    platform: Facts
    evidence: tuple[str, ...]
    moves: tuple[Move, ...]
    unplanned: tuple[str, ...]
    workloads: tuple[str, ...]
    fleet: PlayedFleet | None

    @property
    def bridged(self) -> bool:
        return not any(move.alone for move in self.moves)

    def played(self, stage: str, old: Sequence[Any], new: Sequence[Any]) -> dict[str, Any]:
        """How a stage fares, as fields of it: `old` are the objects before the rollout, `new` those after the stage."""
        moving = stage == ("driver" if self.bridged else "workloads")
        fleet = self.fleet
        unknown = (_UNKNOWN + ", ".join(self.workloads),) if moving else ()
        if fleet is None:
            return {"unproven": (_NOT_PLAYED,), "waiting": unknown}
        nodes = fleet.nodes
        had = fleet.running(old, ())
        has = fleet.running(new, nodes if moving or stage in ("workloads", "plugin-off") else ())
        lost = tuple(f"{name}: {n} of {had[name]} pods" for name, n in sorted((had - has).items()))
        if lost:
            return {"lost": lost}
        if not had:
            return {"unproven": (_NO_PODS,), "waiting": unknown}
        waits: list[str] = []
        first = len(self.moves)  # a node of each vendor moves before the workloads do
        for position, node in enumerate(nodes) if moving else ():
            there = fleet.running(old, nodes[:position], node)
            if not self.bridged and position >= first:
                rolled = fleet.running(new, nodes[:position], node)
                ends = _ending(new)
                there = Counter(
                    {n: rolled[n] if n in ends else max(there[n], rolled[n]) for n in had}
                )
            names = ", ".join(sorted(had - there))
            said = f"from the drain until it is back: {names}" if names else _ELSEWHERE
            waits.append(f"{node}, {said}")
        proven = f"{had.total()} pods had devices before and have them after it, on {len(nodes)} recorded nodes"
        return {"proven": (proven,), "waiting": waits}


def _ending(objects: Sequence[Any]) -> frozenset[str]:
    """The workloads whose old pods end before new ones start."""
    return frozenset(
        f"{member(each, 'kind')} {member(each, 'metadata', 'namespace') or 'default'}/{member(each, 'metadata', 'name')}"
        for each in objects
        if member(each, "kind") in ("StatefulSet", "DaemonSet", "Job")
        or member(each, "spec", "strategy", "type") == "Recreate"
    )


_ELSEWHERE = "while its pods start on another node: there is room for each"
_NOT_PLAYED = "that every pod with a device has one after this stage: no recorded nodes with devices (--slices)"
_NO_PODS = (
    "that every pod with a device has one after this stage: no such pod is seen in what is built"
)
_UNKNOWN = (
    "the pods of the node that is drained, from the drain until they run on another node with free devices; with a "
    "single node, until that one is back: "
)


def moves_of(
    sources: Sequence[SourceText], options: Options, migration: Migration, catalogue: Catalogue
) -> Moves:
    """What has to move, as the files and a first migration of them show."""
    from dradsl.migrate.survey import survey

    facts = read_facts()
    drivers = {each["driver"]: each for each in facts["drivers"]}
    platform, seen = platform_of(sources)
    plugins = plugins_in(sources)
    known = survey(sources, options, catalogue)
    uses = [i for i in migration.items() if i.about == "use" and i.outcome is not Outcome.LEFT]
    targets = [t for file in migration.files for each in file.workloads for t in each.targets]
    asked = dict.fromkeys([*(t.driver for t in targets), *_drivers_of(uses, catalogue)])
    wanted = dict.fromkeys([*(each.facts["driver"] for each in plugins), *asked])
    moves = [_move(drivers[n], plugins, targets, known) for n in wanted if n in drivers]
    unplanned = [_guide(facts["unplanned"][name]) for name in asked if name in facts["unplanned"]]
    guide = _without_plan(platform, moves)
    if guide:
        unplanned, moves = [*unplanned, guide], []
    return Moves(
        platform,
        (*([seen] if seen else []), *(each.place for each in plugins)),
        tuple(moves),
        tuple(unplanned),
        tuple(dict.fromkeys(item.object for item in uses)),
        _fleet(moves, known, options) if options.inventory and moves else None,
    )


def _without_plan(platform: Facts, moves: Sequence[Move]) -> str:
    """Why the platform has no plan for what moves."""
    together = any(move.alone and not move.alone.startswith(_GATE) for move in moves)
    shared = together and platform.get("shares") is False
    if not moves or not (shared or platform.get("planned") is False):
        return ""
    title = platform["platform"] + (", where pods do not get whole devices" if shared else "")
    return _guide({"title": title, "guide": platform["guide"]})


def _guide(facts: Mapping[str, str]) -> str:
    return f"{facts['title']}: no plan; see the vendor's guide, {facts['guide']}"


def _drivers_of(uses: Iterable[Any], catalogue: Catalogue) -> Iterable[str]:
    """The drivers of what is asked for, also where nothing is translated yet."""
    for item in uses:
        name = item.before.partition(":")[0].replace("~1", "/")
        yield from (match.driver.name for match in find_resources(name, catalogue)[:1])


def _fleet(moves: Sequence[Move], known: RunEvidence, options: Options) -> PlayedFleet | None:
    resources = {move.driver["driver"]: move.resources for move in moves}
    every = [resource for each in resources.values() for resource in each]
    cluster = known.evidence.cluster
    sharers = {each: int(number) for each in every for number in cluster.sharers(each)[:1]}
    bridges = [
        *(each for move in moves if not move.alone for each in move.classes),
        *(each for move in moves if not move.alone for each in _own_classes(move, known.catalogue)),
    ]
    fleet = PlayedFleet(
        tuple(options.inventory), resources, sharers, tuple(bridges),
        {move.driver["driver"]: move.shares for move in moves if move.shares}, known.release, known.catalogue,
        options.deadline,
    )  # fmt: skip
    return fleet if fleet.nodes else None


def _own_classes(move: Move, catalogue: Catalogue) -> Iterable[JsonMapping]:
    """The classes of the driver's chart that carry an extended resource."""
    schema = catalogue.get(move.driver["driver"])
    for each in schema.classes if schema is not None else ():
        if each.extended_resource_name in move.driver["own_resources"]:
            yield class_object(each.name, each.selectors, each.extended_resource_name)


def _move(
    driver: Facts, plugins: Sequence[InstalledPlugin], every: Iterable[Target], known: RunEvidence
) -> Move:
    targets = [each for each in every if each.driver == driver["driver"]]
    ours = tuple(each for each in plugins if each.facts["driver"] == driver["driver"])
    resources = tuple(dict.fromkeys([*(t.resource for t in targets), driver["resource"]]))
    file = ours[0].file if ours else known.sources[0].name
    cluster = known.evidence.cluster_of(file)
    classes: dict[str, JsonMapping] = {}
    alone = [f"{_GATE} is off in Kubernetes {known.release.name}"]
    alone = [] if _GATE in known.release.features() else alone
    alone += filter(None, (cluster.sharing(each) for each in resources))
    for target in targets:
        made = answering_class(target, known.catalogue)
        name = made["metadata"]["name"]
        if not target.whole:
            alone.append(f"pods share devices of {target.resource}")
        elif target.resource in driver["own_resources"]:
            if name != target.device_class:
                alone.append(
                    f"{target.resource} is not what the class of the driver's chart selects"
                )
        elif not known.evidence.classes_for(target.resource, file):
            # The driver's chart has a class of this name, without the resource.
            apart = f"extended.{name}" if name == target.device_class else name
            classes[apart] = {**made, "metadata": {"name": apart}}
    return Move(
        driver, ours, resources, alone[0] if alone else "", tuple(classes.values()),
        _shares(targets, cluster, known), _is_installed(driver, known),
    )  # fmt: skip


def _is_installed(driver: Facts, known: RunEvidence) -> bool:
    named = re.compile(rf"^[\s-]*(?:chart|name):\s*[\"']?{driver['chart']}\b", re.MULTILINE)
    by_name = any(named.search(source.stream.text) for source in known.sources)
    return by_name or (known.has_driver and driver["driver"] == "gpu.nvidia.com")


def _shares(targets: Iterable[Target], cluster: Cluster, known: RunEvidence) -> str | None:
    """What the driver publishes of each device, where pods get shares by consumable capacity."""
    for target in targets:
        if target.mode == "share" and target.driver == "gpu.nvidia.com":
            numbers = cluster.sharers(target.resource)
            unlimited = known.options.answers.defaults.get("sharing") == "unlimited-shares"
            return "unlimited" if unlimited or not numbers else numbers[0]
    return None

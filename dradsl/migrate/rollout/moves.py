"""What a rollout moves: for each driver its plugins, whether a class bridges, and how a stage fares on recorded nodes."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from dradsl.migrate.result import Outcome
from dradsl.migrate.rollout.facts import platform_of, read_facts
from dradsl.migrate.rollout.played import PlayedFleet
from dradsl.migrate.rollout.plugins import plugins_in
from dradsl.migrate.targets.extended import answering_class, class_object
from dradsl.records import dataclass
from dradsl.values.plain import member

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.cluster.facts import Cluster
    from dradsl.migrate.mapping.targets import Target
    from dradsl.migrate.options import Options
    from dradsl.migrate.result import Migration
    from dradsl.migrate.rollout.facts import Facts
    from dradsl.migrate.rollout.plugins import InstalledPlugin
    from dradsl.migrate.survey import RunEvidence
    from dradsl.tree.inputs.sources import SourceText
    from dradsl.values.json_types import JsonMapping

__all__ = ["Move", "Moves", "moves_of"]

_GATE = "DRAExtendedResource"


@dataclass(frozen=True, slots=True)
class Move:
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


@dataclass(frozen=True, slots=True)
class Moves:
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
    from dradsl.drivers.schema.device_plugin import find_resources

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

"""Orders of pools and slices under which our scheduler places pods as upstream did.

Upstream lists the slices once a pod, in the order of its cache, and the pools once a node, in that of
a Go map. One pod after the other is looked at, each in the state in which upstream's lines leave the
cluster: an order that gives the line of a pod also gives the state after it.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from unittest import mock

from dradsl.allocator.fleets.fleet import GatheredFleet
from dradsl.allocator.inventory.pools import GatherError, Pool, PoolGatherer
from dradsl.allocator.inventory.slices import Inventory, PoolId
from dradsl.releases.scheduling import SearchOrder
from dradsl.simulate import extended
from dradsl.simulate.attempts import Simulation
from tests.replay import QuestionError, answer
from tests.verdicts import corpus

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import Slice
    from dradsl.releases import Release
    from dradsl.simulate.plugin.verdicts import PodReport
    from dradsl.simulate.pods import Pod

__all__ = ["are_pods"]

Line = dict[str, Any]

_TRIES = 300
_EVERY_ORDER = 2_000
_SAME_SLICES = 8
"""So many orders of pools are tried with the slices in one order."""


@dataclass(frozen=True, slots=True)
class _Arrangement:
    """How one pod meets the cluster.

    Slices by name, and per node the pools, first ones first. 1.34 asks for extended resources in the
    order of a map, and of the classes behind one it takes what its cache happens to list last.
    """

    slices: tuple[str, ...] = ()
    pools: Mapping[str, tuple[PoolId, ...]] = field(default_factory=dict)
    classes: Mapping[str, str] = field(default_factory=dict)
    resources: tuple[str, ...] = ()


class _ArrangedFleet(GatheredFleet):
    """A fleet whose slices and pools stand in a given order where upstream keeps none."""

    def __init__(self, simulation: Simulation, arrangement: _Arrangement) -> None:
        inventory, variant = simulation.cluster.inventory, simulation.variant
        place = {name: number for number, name in enumerate(arrangement.slices)}
        listed = sorted(
            inventory.slices, key=lambda entry: (place.get(entry.name, len(place)), entry.name)
        )
        super().__init__(inventory, variant, simulation.allocator_features)
        self.gatherer = PoolGatherer(
            Inventory(listed, inventory.nodes),
            variant,
            simulation.allocator_features,
            as_listed=True,
        )
        self.by_chance = variant.order is not SearchOrder.SORTED
        self._last = variant.order is SearchOrder.CONDITIONS_LAST
        self._arranged = arrangement.pools
        self._known: set[str] = set()

    def pools(self, node: Node) -> tuple[Pool, ...]:
        found = super().pools(node)
        if self.by_chance and node.name not in self._known:
            self._known.add(node.name)
            place = {name: i for i, name in enumerate(self._arranged.get(node.name, ()))}
            found = tuple(
                sorted(
                    found,
                    key=lambda pool: (
                        self._last and pool.has_conditions,
                        place.get(pool.id, len(place)),
                    ),
                )
            )
            self._pools[node.name] = found
        return found


class _Runs:
    """Our answers to one question under one arrangement of each pod after the other."""

    def __init__(self, question: Mapping[str, Any], release: Release) -> None:
        self.question = question
        self.release = release
        self.fleet: _ArrangedFleet | None = None
        self.simulation: Simulation | None = None
        self.resources: Mapping[str, str] = {}
        self.first_form = False

    def line(self, number: int, arrangements: Sequence[_Arrangement]) -> Line | None:
        """The line of a pod, those before arranged as well; None if the question makes no sense."""
        place = Simulation.place
        pods = [*self.question["pods"]][: number + 1]
        names = [(pod.get("metadata") or {}).get("name") or "" for pod in pods]

        def arranged(simulation: Simulation, pod: Pod, *, commit: bool = True) -> PodReport:
            if self.simulation is not simulation:
                self.simulation, self.resources = simulation, dict(simulation.resources)
                self.first_form = simulation.plugin.extended_first_form
            arrangement = arrangements[names.index(pod.name)]
            self.fleet = simulation.fleet = _ArrangedFleet(simulation, arrangement)
            simulation.resources = {**self.resources, **arrangement.classes}
            place_of = {name: i for i, name in enumerate(arrangement.resources)}

            def requests(spec: Any, resources: Sequence[str], classes: Any) -> Any:
                ordered = sorted(resources, key=lambda name: place_of.get(name, len(place_of)))
                return plain(spec, ordered, classes)

            with mock.patch.object(extended, "_plain_requests", requests):
                return place(simulation, pod, commit=commit)

        self.fleet = self.simulation = None
        plain = extended._plain_requests
        with mock.patch.object(Simulation, "place", arranged):
            try:
                lines = answer("schedule", {**self.question, "pods": pods}, self.release)
            except (KeyError, QuestionError):  # a question that was reduced too far
                return None
        return lines[number]

    def choices(self) -> _Choices | None:
        """What the last pod met that may be in another order; None if upstream keeps an order."""
        simulation, fleet = self.simulation, self.fleet
        if simulation is None or fleet is None or not fleet.by_chance:
            return None
        pools: dict[str, tuple[PoolId, ...]] = {}
        for node in simulation.cluster.inventory.nodes:
            try:
                pools[node.name] = tuple(pool.id for pool in fleet.pools(node))
            except GatherError:
                pools[node.name] = ()
        classes: dict[str, list[str]] = {}
        if self.first_form:
            for name, document in sorted(simulation.cluster.class_documents.items()):
                resource = str((document.get("spec") or {}).get("extendedResourceName"))
                if resource in self.resources:
                    classes.setdefault(resource, []).append(name)
        return _Choices(fleet.gatherer.inventory.slices, pools, classes)


@dataclass(frozen=True, slots=True)
class _Choices:
    """What may be in any order: slices, pools of each node, classes that have one extended resource."""

    slices: Sequence[Slice]
    pools: Mapping[str, tuple[PoolId, ...]]
    classes: Mapping[str, list[str]]

    def suggested_by(self, line: Line) -> _Arrangement:
        """What a line uses comes first, and pools that an error names; classes as in its claim."""
        used = _used(line)
        errors = {one["node"]: str(one.get("reasons")) for one in line.get("nodes") or ()}
        first: dict[PoolId, int] = {}
        for (driver, pool, _), number in used.items():
            first.setdefault(PoolId(driver, pool), number)

        def of_slice(entry: Slice) -> int:
            found = (used.get((*entry.pool_id, device.name), len(used)) for device in entry.devices)
            return min(found, default=len(used))

        return _Arrangement(
            tuple(entry.name for entry in sorted(self.slices, key=of_slice)),
            {
                node: tuple(
                    sorted(
                        pools,
                        key=lambda one: (
                            f" {one} is " not in errors.get(node, "")
                            and f"pool {one.pool} is " not in errors.get(node, ""),
                            first.get(one, len(used)),
                        ),
                    )
                )
                for node, pools in self.pools.items()
            },
            _classes_of(line),
            _resources_of(line),
        )

    def others(self, arrangement: _Arrangement, line: Line, rng: random.Random) -> _Arrangement:
        """The arrangement with other slices, and with classes and resources where no line shows them."""
        slices = tuple(rng.sample(arrangement.slices, len(arrangement.slices)))
        classes = {resource: rng.choice(names) for resource, names in self.classes.items()}
        resources = sorted(self.classes)
        return replace(
            arrangement,
            slices=slices,
            classes=classes | _classes_of(line),
            resources=_resources_of(line) or tuple(rng.sample(resources, len(resources))),
        )

    def count(self) -> int:
        """How many arrangements there are."""
        items = [*map(len, self._by_pool()), *map(len, self.pools.values())]
        orders = math.prod(map(math.factorial, items))
        orders *= math.prod(map(len, self.classes.values()))
        return orders * math.factorial(len(self.classes))

    def every(self) -> Iterator[_Arrangement]:
        """All of them."""
        for slices in itertools.product(*map(itertools.permutations, self._by_pool())):
            listed = tuple(itertools.chain.from_iterable(slices))
            for orders in itertools.product(*map(itertools.permutations, self.pools.values())):
                pools = dict(zip(self.pools, orders, strict=True))
                for classes in itertools.product(*self.classes.values()):
                    chosen = dict(zip(self.classes, classes, strict=True))
                    for resources in itertools.permutations(self.classes):
                        yield _Arrangement(listed, pools, chosen, resources)

    def _by_pool(self) -> list[list[str]]:
        by_pool: dict[PoolId, list[str]] = {}
        for entry in self.slices:
            by_pool.setdefault(entry.pool_id, []).append(entry.name)
        return list(by_pool.values())


def are_pods(
    question: Mapping[str, Any], release: Release, lines: Sequence[Line], rng: random.Random
) -> bool | None:
    """Whether these lines, one a pod, are ours under some order of slices and pools.

    Up to the first line that tells of a crash: a scheduler that is gone places no pods. False if
    every order was tried for a pod, None if there are too many of them.
    """
    pods = question.get("pods") or ()
    names = {(pod.get("metadata") or {}).get("name") for pod in pods}
    if len(lines) != len(pods) or len(names) != len(pods):
        return False
    runs = _Runs(question, release)
    found: list[_Arrangement] = []
    for number, line in enumerate(lines):
        arrangement = _PodSearch(runs, found, number, line).run(rng)
        if not isinstance(arrangement, _Arrangement):
            return arrangement
        if line.get("errorKind") == "crash":
            break
        found.append(arrangement)
    return True


class _PodSearch:
    """The search for the arrangement that gives the line of one pod, those before being known."""

    def __init__(
        self, runs: _Runs, before: Sequence[_Arrangement], number: int, line: Line
    ) -> None:
        self._runs = runs
        self._before = before
        self._number = number
        self._line = line
        self._ours: Line | None = None

    def run(self, rng: random.Random) -> _Arrangement | bool | None:
        """The arrangement; False if there is none, None if none was found."""
        if self._gives(_Arrangement()):
            return _Arrangement()
        choices = self._runs.choices()
        if choices is None:
            return False
        directed = choices.suggested_by(self._line)
        by_name = replace(directed, slices=tuple(sorted(directed.slices)))
        is_all = choices.count() <= _EVERY_ORDER
        every = choices.every() if is_all else iter(())
        near = self._near(choices, directed, rng)
        for candidate in itertools.chain((directed, by_name), near, every):
            if self._gives(candidate):
                return candidate
        return False if is_all else None

    def _gives(self, arrangement: _Arrangement) -> bool:
        self._ours = self._runs.line(self._number, [*self._before, arrangement])
        if self._ours is None:
            return False
        lines = self._line, self._ours
        if self._runs.first_form:
            lines = _with_mappings_in_order(self._line), _with_mappings_in_order(self._ours)
        return corpus.agree("schedule", ((lines[0],),), [lines[1]])

    def _near(
        self, choices: _Choices, directed: _Arrangement, rng: random.Random
    ) -> Iterator[_Arrangement]:
        """Other orders of the pools of those nodes that answer otherwise, now and then of slices."""
        for turn in range(_TRIES):
            pools = dict(directed.pools)
            wrong = _differing(self._line, self._ours or {}) or set(pools)
            for name in sorted(wrong & pools.keys()):
                pools[name] = tuple(rng.sample(pools[name], len(pools[name])))
            directed = replace(directed, pools=pools)
            if turn % _SAME_SLICES == _SAME_SLICES - 1:
                directed = choices.others(directed, self._line, rng)
            yield directed


def _used(line: Line) -> dict[tuple[str, str, str], int]:
    """The devices of a line's claims, by when they first come."""
    devices = [
        (result["driver"], result["pool"], result["device"])
        for claim in line.get("claims") or ()
        for result in ((claim.get("allocation") or {}).get("devices") or {}).get("results") or ()
    ]
    return {device: place for place, device in reversed([*enumerate(devices)])}


def _classes_of(line: Line) -> dict[str, str]:
    """The classes that a line shows behind extended resources."""
    asked: dict[str, str] = {
        request["name"]: str((request.get("exactly") or {}).get("deviceClassName"))
        for claim in line.get("claims") or ()
        for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ()
    }
    status = line.get("extendedResourceClaimStatus") or {}
    return {
        mapping["resourceName"]: asked[mapping["requestName"]]
        for mapping in status.get("requestMappings") or ()
        if mapping["requestName"] in asked
    }


def _resources_of(line: Line) -> tuple[str, ...]:
    """The extended resources of a line in the order in which its claim asks for them."""
    status = line.get("extendedResourceClaimStatus") or {}
    resources = {
        mapping["requestName"]: str(mapping["resourceName"])
        for mapping in status.get("requestMappings") or ()
    }
    asked = [
        request["name"]
        for claim in line.get("claims") or ()
        for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ()
    ]
    return tuple(dict.fromkeys(resources[name] for name in asked if name in resources))


def _with_mappings_in_order(line: Line) -> Line:
    """The line with the mappings of each container by resource: 1.34 takes them from a map."""
    status = line.get("extendedResourceClaimStatus")
    if not status:
        return line
    mappings: list[dict[str, str]] = []
    listed = status.get("requestMappings") or ()
    for _, part in itertools.groupby(listed, key=lambda one: one["containerName"]):
        mappings += sorted(part, key=lambda one: str(one["resourceName"]))
    return {**line, "extendedResourceClaimStatus": {**status, "requestMappings": mappings}}


def _differing(line: Line, ours: Line) -> set[str]:
    """The nodes whose answers differ; the chosen one if all are alike."""
    pairs = zip(line.get("nodes") or (), ours.get("nodes") or (), strict=False)
    names = {
        one["node"]
        for one, other in pairs
        if one["code"] != other["code"]
        or (one["code"] == "Error" and one.get("reasons") != other.get("reasons"))
    }
    scores, our_scores = line.get("scores") or {}, ours.get("scores") or {}
    names |= {name for name in scores if scores[name] != our_scores.get(name)}
    return names or {name for name in [line.get("chosen")] if name}

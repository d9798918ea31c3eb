"""Orders of pools and slices under which our scheduler places pods as upstream did.

Upstream lists the slices once a pod, in the order of its cache, and the pools once a node, in that of
a Go map. One pod after the other is looked at, each in the state in which upstream's lines leave the
cluster: an order that gives the line of a pod also gives the state after it.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest import mock

from dradsl.allocator.fleet import Fleet
from dradsl.allocator.inventory import Inventory, PoolId
from dradsl.allocator.pools import GatherError, Pool, PoolGatherer
from dradsl.allocator.simulate import Simulation
from dradsl.allocator.switches import Order
from dradsl.replay import QuestionError, answer
from tests.verdicts import corpus

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.allocator.nodes import Node
    from dradsl.allocator.pods import Pod
    from dradsl.allocator.verdicts import PodReport
    from dradsl.releases import Release

__all__ = ["are_pods"]

Line = dict[str, Any]

_TRIES = 300
_EVERY_ORDER = 2_000
_SAME_SLICES = 8
"""So many orders of pools are tried with the slices in one order."""


@dataclass(frozen=True, slots=True)
class _Arrangement:
    """How one pod meets the cluster: slices by name, and per node the pools, first ones first."""

    slices: tuple[str, ...] = ()
    pools: Mapping[str, tuple[PoolId, ...]] = field(default_factory=dict)


class _ArrangedFleet(Fleet):
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
        self.by_chance = variant.order is not Order.SORTED
        self._last = variant.order is Order.CONDITIONS_LAST
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
        self.nodes: tuple[Node, ...] = ()

    def line(self, number: int, arrangements: Sequence[_Arrangement]) -> Line | None:
        """The line of a pod, those before arranged as well; None if the question makes no sense."""
        place, names = Simulation.place, self._names(number)

        def arranged(simulation: Simulation, pod: Pod, *, commit: bool = True) -> PodReport:
            turn = names.index(pod.name)
            self.fleet = simulation.fleet = _ArrangedFleet(simulation, arrangements[turn])
            self.nodes = simulation.cluster.inventory.nodes
            return place(simulation, pod, commit=commit)

        pods = [*self.question["pods"]][: number + 1]
        self.fleet = None
        with mock.patch.object(Simulation, "place", arranged):
            try:
                lines = answer("schedule", {**self.question, "pods": pods}, self.release)
            except QuestionError:
                return None
        return lines[number]

    def _names(self, number: int) -> list[str]:
        return [pod["metadata"]["name"] for pod in self.question["pods"][: number + 1]]

    def seen(self) -> dict[str, tuple[Pool, ...]]:
        """What the last pod met on each node."""
        found: dict[str, tuple[Pool, ...]] = {}
        if self.fleet is None:
            return found
        for node in self.nodes:
            try:
                found[node.name] = self.fleet.pools(node)
            except GatherError:
                found[node.name] = ()
        return found


def are_pods(
    question: Mapping[str, Any], release: Release, lines: Sequence[Line], rng: random.Random
) -> bool | None:
    """Whether these lines, one a pod, are ours under some order of slices and pools.

    False if every order was tried for a pod, None if there are too many of them.
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
        fleet, seen = self._runs.fleet, self._runs.seen()
        if fleet is None or not fleet.by_chance:
            return False
        slices = tuple(entry.name for entry in fleet.gatherer.inventory.slices)
        pools = {name: tuple(pool.id for pool in listed) for name, listed in seen.items()}
        listed = {
            name: entry for entry in fleet.gatherer.inventory.slices for name in (entry.name,)
        }
        used = _used(self._line)
        by_use = tuple(
            sorted(
                slices,
                key=lambda name: min(
                    (
                        used.get((*listed[name].pool_id, device.name), len(used))
                        for device in listed[name].devices
                    ),
                    default=len(used),
                ),
            )
        )
        first: dict[PoolId, int] = {}
        for (driver, pool, _), place in used.items():
            first.setdefault(PoolId(driver, pool), place)
        suggested = {
            name: tuple(sorted(ids, key=lambda one: first.get(one, len(used))))
            for name, ids in pools.items()
        }
        by_pool: dict[PoolId, list[str]] = {}
        for name in slices:
            by_pool.setdefault(listed[name].pool_id, []).append(name)
        directed = (_Arrangement(by_use, suggested), _Arrangement(slices, suggested))
        near = self._near(by_use, suggested, rng)
        every: Iterator[_Arrangement] = iter(())
        is_all = _count(by_pool, pools) <= _EVERY_ORDER
        if is_all:
            every = _every(by_pool, pools)
        for candidate in itertools.chain(directed, near, every):
            if self._gives(candidate):
                return candidate
        return False if is_all else None

    def _gives(self, arrangement: _Arrangement) -> bool:
        self._ours = self._runs.line(self._number, [*self._before, arrangement])
        if self._ours is None:
            return False
        return corpus.agree("schedule", ((self._line,),), [self._ours])

    def _near(
        self, slices: tuple[str, ...], pools: Mapping[str, tuple[PoolId, ...]], rng: random.Random
    ) -> Iterator[_Arrangement]:
        """Other orders of the pools of those nodes that answer otherwise, now and then of slices."""
        arranged = dict(pools)
        for turn in range(_TRIES):
            wrong = _differing(self._line, self._ours or {}) or set(arranged)
            for name in sorted(wrong & arranged.keys()):
                arranged[name] = tuple(rng.sample(arranged[name], len(arranged[name])))
            if turn % _SAME_SLICES == _SAME_SLICES - 1:
                slices = tuple(rng.sample(slices, len(slices)))
            yield _Arrangement(slices, dict(arranged))


def _used(line: Line) -> dict[tuple[str, str, str], int]:
    """The devices of a line's claims, by when they first come."""
    devices = [
        (result["driver"], result["pool"], result["device"])
        for claim in line.get("claims") or ()
        for result in ((claim.get("allocation") or {}).get("devices") or {}).get("results") or ()
    ]
    return {device: place for place, device in reversed([*enumerate(devices)])}


def _differing(line: Line, ours: Line) -> set[str]:
    """The nodes whose answers differ; the chosen one if all are alike."""
    pairs = zip(line.get("nodes") or (), ours.get("nodes") or (), strict=False)
    names = {one["node"] for one, other in pairs if one["code"] != other["code"]}
    scores, our_scores = line.get("scores") or {}, ours.get("scores") or {}
    names |= {name for name in scores if scores[name] != our_scores.get(name)}
    return names or {str(line.get("chosen"))}


def _count(by_pool: Mapping[PoolId, list[str]], pools: Mapping[str, tuple[PoolId, ...]]) -> int:
    items = [*map(len, by_pool.values()), *map(len, pools.values())]
    return math.prod(map(math.factorial, items))


def _every(
    by_pool: Mapping[PoolId, list[str]], pools: Mapping[str, tuple[PoolId, ...]]
) -> Iterator[_Arrangement]:
    for slices in itertools.product(*map(itertools.permutations, by_pool.values())):
        listed = tuple(itertools.chain.from_iterable(slices))
        for orders in itertools.product(*map(itertools.permutations, pools.values())):
            yield _Arrangement(listed, dict(zip(pools, orders, strict=True)))

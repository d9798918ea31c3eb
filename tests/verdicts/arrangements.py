"""Orders of pools and slices under which our search answers as upstream did.

Some implementations search in the order of a Go map, and of the scheduler's cache. Whether one of
their answers is ours under some order is decided by trying: first the orders that the answer itself
suggests, then every order if there are few enough, else orders near those that come closest.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dradsl.allocator.inventory.pools import DisputedPool, GatherError, Pool, PoolGatherer
from dradsl.allocator.inventory.slices import Inventory, PoolId
from dradsl.releases.scheduling import SearchOrder
from tests.replay.alloc import allocator_for, line_of
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import Slice
    from dradsl.releases import Release

__all__ = ["Arranged", "is_run", "pool_orders", "reproduced"]

Line = dict[str, Any]
State = "Mapping[Carried, Any]"

_MOST_POOLS = 7
_EVERY_ORDER = 20_000
"""So many orders of one node are all tried."""

_NEAR = 200
"""So many orders near the best one are tried before every order is."""

_TRIES = 6_000
"""So many orders are tried where there are too many for trying them all."""

_BUDGETS = 2_000, 20_000, 200_000, 2_000_000
"""An order under which our search takes long is left until the others have been tried."""

_EFFORT, _EACH = 5_000_000, 100
"""So many steps are made in all, and beginning to search counts as so many."""

_RESTART = 40
"""After so many orders that come no closer, the search begins at a new one."""

_LISTINGS, _POOL_ORDERS, _STATES = 200, 120, 24
"""How far orders are followed up where one node decides about the next: orders of slices, of the
pools of a node, and what may be left behind by the nodes before."""


class Arranged:
    """Our allocator for a question, asked under one order after the other; `effort` adds up steps."""

    def __init__(self, question: Mapping[str, Any], release: Release) -> None:
        self.allocator = allocator_for(question, release)
        self.nodes = self.allocator.inventory.nodes
        self.slices = self.allocator.inventory.slices
        self.by_chance = self.allocator.variant.order is not SearchOrder.SORTED
        self.carries = bool(self.allocator.gatherer.disputed_pools)
        self.effort = 0
        self._stats = bool(question.get("stats"))
        self.list(self.slices)

    def list(self, slices: Iterable[Slice]) -> None:
        """From now on upstream's cache lists the slices like this."""
        allocator = self.allocator
        inventory = Inventory(slices, self.nodes)
        allocator.gatherer = PoolGatherer(
            inventory, allocator.variant, allocator.features, as_listed=True
        )

    def pools(self, node: Node) -> tuple[Pool, ...] | None:
        """The pools of a node; None if they cannot be told."""
        try:
            return self.allocator.gatherer.gather(node)
        except GatherError:
            return None

    def line(
        self,
        node: Node,
        pools: Sequence[Pool] | None,
        before: Mapping[DisputedPool, Any] | None = None,
        budget: int | None = None,
    ) -> tuple[Line, Mapping[DisputedPool, Any]]:
        """The answer under this order of pools, and what the node leaves behind for the next."""
        self.allocator.begin(before, budget)
        result = self.allocator.allocate(node, pools)
        self.effort += _EACH + (result.steps if budget is None else min(result.steps, budget))
        line = line_of(result)
        if line.get("errorKind") == "input":
            line["errorKind"] = "crash"  # upstream panics here
        if self._stats:
            line["steps"] = result.steps
        return line, self.allocator.counters_so_far


# One run of upstream, the order of whose slices is known


def is_run(question: Mapping[str, Any], release: Release, lines: Sequence[Line]) -> bool | None:
    """Whether these lines, one a node, are ours under some order of each node's pools.

    The slices are searched as the question lists them. None if that remains open because our search
    gives up.
    """
    arranged = Arranged(question, release)
    if len(lines) != len(arranged.nodes):
        return False
    run = _Run(arranged, lines)
    return run.goes_on(0, {}) or (None if run.spent else False)


class _Run:
    """One run of upstream, followed node by node; `spent` if our search gave up on the way."""

    def __init__(self, arranged: Arranged, lines: Sequence[Line]) -> None:
        self.spent = False
        self._arranged = arranged
        self._lines = lines
        self._seen: set[tuple[int, str]] = set()

    def goes_on(self, number: int, left: Mapping[DisputedPool, Any]) -> bool:
        """Whether the lines from this node on are ours, with what the nodes before have left."""
        if number == len(self._lines):
            return True
        key = number, repr(sorted(left.items()))
        if key in self._seen:
            return False
        self._seen.add(key)
        node, line = self._arranged.nodes[number], self._lines[number]
        orders: Iterable[tuple[Pool, ...] | None] = _orders_of(self._arranged, node, line)
        for budget in _BUDGETS:
            longer = []
            for order in orders:
                if self._arranged.effort > _EFFORT:
                    self.spent = True
                    return False
                mine, after = self._arranged.line(node, order, left, budget)
                if mine.get("errorKind") == "timeout":
                    longer.append(order)
                elif _agree(line, mine):
                    if self.goes_on(number + 1, after):
                        return True
                    if not self._arranged.carries:
                        return False
            orders = longer
        too_many = len(self._arranged.pools(node) or ()) > _MOST_POOLS
        self.spent = self.spent or bool(orders) or too_many
        return False


def _orders_of(arranged: Arranged, node: Node, line: Line) -> Iterator[tuple[Pool, ...] | None]:
    pools = arranged.pools(node)
    if pools is None or not arranged.by_chance:
        yield pools
        return
    yield from pool_orders(pools, line, arranged.allocator.variant.order)


def pool_orders(
    pools: Sequence[Pool], line: Line, order: SearchOrder
) -> Iterator[tuple[Pool, ...]]:
    """The orders in which a map may hand out pools, what the line suggests first.

    All of them, unless there are more than `_MOST_POOLS` pools.
    """
    used = {name: place for place, (name, _) in reversed([*enumerate(_devices(line))])}
    first = sorted(pools, key=lambda pool: used.get(pool.id, len(used)))
    turned = [(*pools[i:], *pools[:i]) for i in range(len(pools))]  # small maps are turned only
    rest: Iterator[tuple[Pool, ...]] = itertools.permutations(pools)
    if len(pools) > _MOST_POOLS:
        rng = random.Random(len(pools))
        rest = (tuple(rng.sample(pools, len(pools))) for _ in range(_EVERY_ORDER))
    seen = set()
    for candidate in itertools.chain([tuple(first)], turned, rest):
        arranged = _as_searched(candidate, order)
        key = tuple(map(id, arranged))
        if key not in seen:
            seen.add(key)
            yield arranged


def _as_searched(pools: Iterable[Pool], order: SearchOrder) -> tuple[Pool, ...]:
    if order is SearchOrder.CONDITIONS_LAST:
        return tuple(sorted(pools, key=lambda pool: pool.has_conditions))
    return tuple(pools)


def _devices(line: Line) -> list[tuple[PoolId, str]]:
    """What a line allocates, in order: pools, and devices in them."""
    return [
        (PoolId(result["driver"], result["pool"]), result["device"])
        for allocation in line.get("allocations") or ()
        for result in (allocation.get("devices") or {}).get("results") or ()
    ]


def _agree(upstream: Line, ours: Line) -> bool:
    return corpus.agree("alloc", ((upstream,),), [ours])


# Answers of upstream, the order of whose slices is not known


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Slices as a cache may list them, pools as a map may hand them out."""

    slices: tuple[Slice, ...]
    pools: tuple[PoolId, ...]

    def moved(self, rng: random.Random) -> _Candidate:
        """One of these elsewhere."""
        places = len(self.slices) + len(self.pools)
        if rng.randrange(places or 1) < len(self.slices):
            return _Candidate(_moved(self.slices, rng), self.pools)
        return _Candidate(self.slices, _moved(self.pools, rng))

    def mixed(self, rng: random.Random) -> _Candidate:
        """All of these anywhere."""
        slices = rng.sample(self.slices, len(self.slices))
        return _Candidate(tuple(slices), tuple(rng.sample(self.pools, len(self.pools))))


def _moved(items: tuple[Any, ...], rng: random.Random) -> tuple[Any, ...]:
    if len(items) < 2:
        return items
    left = list(items)
    taken = left.pop(rng.randrange(len(left)))
    left.insert(rng.choice((0, rng.randrange(len(left) + 1))), taken)
    return tuple(left)


def reproduced(
    arranged: Arranged, choices: Sequence[Sequence[Line]], rng: random.Random
) -> list[bool | None]:
    """Per node, whether each of upstream's answers for it is ours under some order.

    None if no order was found and not every order was tried.
    """
    if not arranged.carries:
        return [_is_reproduced(arranged, number, each, rng) for number, each in enumerate(choices)]
    # Before the first node there is none that could leave something behind.
    first = [_is_reproduced(arranged, 0, each, rng) for each in choices[:1]]
    return first + _RunSearch(arranged, [(), *choices[1:]]).run(rng)[1:]


def _is_reproduced(
    arranged: Arranged, number: int, choices: Sequence[Line], rng: random.Random
) -> bool | None:
    """The same for one node."""
    search = _NodeSearch(arranged, number, choices)
    for directed in search.suggested():
        search.try_(directed)
    search.climb(_NEAR, rng)
    if not search.wanted:
        return True
    if search.count() <= _EVERY_ORDER:
        for candidate in search.every():
            search.try_(candidate)
        return not search.wanted
    search.climb(_TRIES, rng)
    return True if not search.wanted else None


def _by_use(slices: Iterable[Slice], line: Line, unused: int) -> tuple[Slice, ...]:
    """Slices by when a line first uses them; others have the place `unused`."""
    places = {device: i for i, device in reversed([*enumerate(_devices(line))])}

    def first(entry: Slice) -> int:
        found = (places.get((entry.pool_id, device.name), unused) for device in entry.devices)
        return min(found, default=unused)

    return tuple(sorted(slices, key=first))


class _NodeSearch:
    """The search for orders of what one node sees; `wanted` are the answers still looked for."""

    def __init__(self, arranged: Arranged, number: int, choices: Sequence[Line]) -> None:
        self.wanted = list(choices)
        self._arranged = arranged
        self._node = arranged.nodes[number]
        arranged.list(sorted(arranged.slices, key=lambda entry: entry.name))
        pools = arranged.pools(self._node)
        self._fails = pools is None
        listed = arranged.allocator.gatherer.inventory.slices
        names = {pool.id for pool in pools or ()}
        self._seen = tuple(entry for entry in listed if self._reaches(entry, names))
        self._rest = tuple(entry for entry in listed if not self._reaches(entry, names))
        self._start = _Candidate(self._seen, tuple(pool.id for pool in pools or ()))
        self._tried: set[Any] = set()

    def _reaches(self, entry: Slice, names: set[PoolId]) -> bool:
        if self._fails:
            # Which of several selectors is the first to fail.
            return not entry.node_name
        if entry.pool_id not in names:
            return False
        return not entry.node_name or entry.node_name == self._node.name or bool(entry.counters)

    def try_(self, candidate: _Candidate) -> Line | None:
        """Our answer under an order; None if it was tried before."""
        key = (tuple(map(id, candidate.slices)), candidate.pools)
        if key in self._tried or not self.wanted:
            return None
        self._tried.add(key)
        arranged = self._arranged
        arranged.list((*candidate.slices, *self._rest))
        pools = arranged.pools(self._node)
        if pools is not None:
            place = {name: i for i, name in enumerate(candidate.pools)}
            ordered = sorted(pools, key=lambda pool: place.get(pool.id, len(place)))
            pools = _as_searched(ordered, arranged.allocator.variant.order)
        line, _ = arranged.line(self._node, pools)
        self.wanted = [one for one in self.wanted if not _agree(one, line)]
        return line

    def suggested(self) -> Iterator[_Candidate]:
        """The order by name, and for each answer those that put early what it uses early."""
        yield self._start
        for choice in tuple(self.wanted):
            yield from self._suggested_by(choice)
        if self._fails:
            for entry in self._seen:
                yield self._start_with(lambda other, entry=entry: other is not entry)

    def _suggested_by(self, choice: Line) -> Iterator[_Candidate]:
        devices = _devices(choice)
        names = {name: i for i, (name, _) in reversed([*enumerate(devices)])}
        for unused in (len(devices), -1):
            pools = sorted(self._start.pools, key=lambda name: names.get(name, unused))
            yield _Candidate(_by_use(self._seen, choice, unused), tuple(pools))
        last = {name: i for i, (name, _) in enumerate(devices)}
        pools = sorted(self._start.pools, key=lambda name: last.get(name, len(devices)))
        yield _Candidate(self._seen, tuple(pools))

    def _start_with(self, key: Any) -> _Candidate:
        return _Candidate(tuple(sorted(self._seen, key=key)), self._start.pools)

    def climb(self, tries: int, rng: random.Random) -> None:
        """Look near what comes closest to the first answer that is wanted."""
        if not self.wanted:
            return
        target, best, score, idle = self.wanted[0], self._start, -1, 0
        for _ in range(tries):
            if not self.wanted:
                return
            if target not in self.wanted:
                target, score, idle = self.wanted[0], -1, 0
            if idle > _RESTART:
                best, score, idle = best.mixed(rng), -1, 0
            candidate = best.moved(rng)
            line = self.try_(candidate)
            reached = -1 if line is None else _closeness(target, line)
            idle += 1
            if reached >= score and line is not None:
                idle = 0 if reached > score else idle
                best, score = candidate, reached

    def count(self) -> int:
        """How many orders there are."""
        return math.prod(map(math.factorial, map(len, self._by_pool()))) * math.factorial(
            len(self._start.pools)
        )

    def every(self) -> Iterator[_Candidate]:
        """All orders."""
        parts = map(itertools.permutations, self._by_pool())
        for slices in itertools.product(*parts):
            listed = tuple(itertools.chain.from_iterable(slices))
            for pools in itertools.permutations(self._start.pools):
                yield _Candidate(listed, pools)

    def _by_pool(self) -> list[list[Slice]]:
        """The slices whose order matters, apart where only that among them does."""
        if self._fails:
            return [list(self._seen)]
        by_pool: dict[PoolId, list[Slice]] = {}
        for entry in self._seen:
            by_pool.setdefault(entry.pool_id, []).append(entry)
        return list(by_pool.values())


def _closeness(target: Line, line: Line) -> int:
    """How far two lines allocate the same, one device after the other."""
    pairs = zip(_devices(target), _devices(line), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


class _RunSearch:
    """The search for orders where what one node leaves behind decides about the next.

    Slices are listed in one way for all nodes; every order of pools is followed up from there.
    """

    def __init__(self, arranged: Arranged, choices: Sequence[Sequence[Line]]) -> None:
        self._arranged = arranged
        self._wanted = [list(each) for each in choices]
        self._slices = tuple(sorted(arranged.slices, key=lambda entry: entry.name))

    def run(self, rng: random.Random) -> list[bool | None]:
        for slices in self._listings(rng):
            if not any(self._wanted):
                break
            self._arranged.list(slices)
            self._follow()
        return [None if wanted else True for wanted in self._wanted]

    def _listings(self, rng: random.Random) -> Iterator[tuple[Slice, ...]]:
        yield self._slices
        for line in [line for wanted in self._wanted for line in wanted]:
            for unused in (len(_devices(line)), -1):
                yield _by_use(self._slices, line, unused)
        for _ in range(_LISTINGS):
            yield tuple(rng.sample(self._slices, len(self._slices)))

    def _follow(self) -> None:
        arranged = self._arranged
        states: list[Mapping[DisputedPool, Any]] = [{}]
        for number, node in enumerate(arranged.nodes):
            if not any(self._wanted[number:]):
                return
            after: dict[str, Mapping[DisputedPool, Any]] = {}
            suggesting = (*self._wanted[number], {})[0]
            orders = itertools.islice(_orders_of(arranged, node, suggesting), _POOL_ORDERS)
            for order, state in itertools.product(orders, states):
                line, left = arranged.line(node, order, state)
                after.setdefault(repr(sorted(left.items())), left)
                wanted = self._wanted[number]
                self._wanted[number] = [one for one in wanted if not _agree(one, line)]
            states = list(after.values())[:_STATES]

"""What a node may answer under other orders of its pools and slices, where a release has none.

Upstream then walks a Go map of pools, and takes slices as its cache lists them. Mostly that decides
which devices are taken, and nothing else: the search tries everything. But an error ends it where
it is met, and where failed attempts leave traces, what is tried first has a say in what follows.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dradsl.allocator.engine.eligibility import Fault
from dradsl.allocator.engine.layout import arrange
from dradsl.allocator.engine.ledger import Ledger
from dradsl.allocator.engine.search import SearchOutcome, search
from dradsl.releases.scheduling import SearchOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeVar

    from dradsl.allocator.engine.allocate import Allocator, NodeResult
    from dradsl.allocator.engine.layout import Layout
    from dradsl.allocator.engine.problem import SearchProblem
    from dradsl.allocator.engine.signatures import DeviceSignature
    from dradsl.allocator.fleets.fleet import GatheredFleet
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.pools import Pool
    from dradsl.simulate.plugin.verdicts import Verdict

    T = TypeVar("T")

__all__ = ["KIND_WORDS", "kind_of", "under_other_orders"]

_BY_ORDER = "by the order of pools and slices, which this release leaves to chance"
KIND_WORDS = {
    "error": "the search ends with an error",
    "fits": "the node has the devices",
    "none": "the node does not have them",
}

_EVERY = 120
"""So many orders of one node are all tried; of more, so many at most."""

_BUDGET = 10_000
"""Steps after which an order is left: it tells nothing."""


def kind_of(result: NodeResult) -> str:
    """What a node says: "fits", "none", or "error"."""
    if result.error is not None:
        return "none" if result.error_kind == "node" else "error"
    return "fits" if result.fits else "none"


def under_other_orders(
    fleet: GatheredFleet, allocator: Allocator, verdict: Verdict
) -> Iterator[Verdict]:
    """The verdict, with what else its nodes may say where the order of pools is left to chance."""
    if not _order_decides(fleet, allocator, verdict):
        yield verdict
        return
    # Of nodes with one answer, those whose devices are spread alike have one under other orders, too.
    known: dict[Any, frozenset[str]] = {}
    nodes: dict[frozenset[str], list[Node]] = {}
    for node in verdict.nodes:
        layout = fleet.layout(node)
        spread = tuple(
            (number, len(entry.devices), allocator.gatherer.comes_last(entry))
            for number, pool in enumerate(layout.gathered)
            for entry in pool.slices
        )
        if spread not in known:
            known[spread] = _kinds(allocator, node, layout) - {verdict.kind}
        nodes.setdefault(known[spread], []).append(node)
    for others, members in nodes.items():
        found = replace(verdict, nodes=tuple(members))
        if others:
            said = " or ".join(KIND_WORDS[kind] for kind in sorted({verdict.kind, *others}))
            found = replace(found, others=verdict.others | others, doubt=f"{_BY_ORDER}, {said}")
        yield found


def _order_decides(fleet: GatheredFleet, allocator: Allocator, verdict: Verdict) -> bool:
    """Whether the order can decide about more than which devices are taken, on such nodes."""
    answered = verdict.group is not None and verdict.group.answer is not None
    if allocator.variant.order is SearchOrder.SORTED or not answered:
        return False
    if verdict.error_kind == "timeout":
        return False
    node = verdict.nodes[0]
    return _depends(allocator, allocator.builder.build(node, fleet.layout(node)))


def _kinds(allocator: Allocator, node: Node, layout: Layout) -> frozenset[str]:
    """What the node says under the orders that are tried."""
    if sum(run.stop > run.start for run in layout.runs) < 2:
        return frozenset()
    found: set[str] = set()
    for pools in _orders(allocator, layout.gathered):
        arranged = allocator.builder.build(node, arrange(pools, allocator.variant))
        answer = search(
            allocator.plan,
            arranged,
            allocator.variant,
            allocator.features,
            budget=_BUDGET,
            counters_so_far=dict(allocator.counters_so_far),
        )
        if answer.outcome is not SearchOutcome.SPENT:
            found.add(kind_of(allocator.conclude(node, arranged, answer)))
    return frozenset(found)


def _depends(allocator: Allocator, problem: SearchProblem) -> bool:
    """Whether the order of devices can decide about more than which of them are taken."""
    if any(map(_may_fail, problem.all_signatures)):
        return True
    if any(isinstance(value, Fault) for row in problem.derived.values() for value in row):
        return True
    ledger = Ledger(allocator.plan, problem, allocator.variant, allocator.features, {})
    return not ledger.state_is_complete


def _may_fail(signature: DeviceSignature) -> bool:
    return signature.fault is not None or any(
        isinstance(view.eligible, Fault) or isinstance(view.capacity, Fault)
        for view in signature.matches
    )


def _orders(allocator: Allocator, pools: Sequence[Pool]) -> Iterator[tuple[Pool, ...]]:
    """Orders in which a release may visit these pools and their slices: all of them if they are few,
    else such that each pool, and each slice of a pool, comes first and last in some."""
    keeps = allocator.variant.order is SearchOrder.CONDITIONS_LAST
    blocks = _blocks(pools, lambda pool: keeps and pool.has_conditions)
    inner = [
        _blocks(pool.slices, lambda entry: keeps and allocator.gatherer.comes_last(entry))
        for pool in pools
    ]
    sizes = [len(block) for block in blocks]
    sizes += [len(block) for parts in inner for block in parts]
    if math.prod(map(math.factorial, sizes)) <= _EVERY:
        arranged = {
            pool: [replace(pool, slices=slices) for slices in _permuted(parts)]
            for pool, parts in zip(pools, inner, strict=True)
        }
        for order in _permuted(blocks):
            yield from itertools.product(*(arranged[pool] for pool in order))
        return
    for first in range(min(max(sizes), _EVERY // 2)):
        for backwards in (False, True):
            turned = {
                pool: replace(pool, slices=_turned(parts, first, backwards=backwards))
                for pool, parts in zip(pools, inner, strict=True)
            }
            yield tuple(turned[pool] for pool in _turned(blocks, first, backwards=backwards))


def _blocks(items: Sequence[T], last: Callable[[T], bool]) -> tuple[list[T], list[T]]:
    """The items that come first in any order, and those that come after them."""
    return [one for one in items if not last(one)], [one for one in items if last(one)]


def _permuted(blocks: Sequence[Sequence[T]]) -> Iterator[tuple[T, ...]]:
    for parts in itertools.product(*(itertools.permutations(block) for block in blocks)):
        yield tuple(itertools.chain(*parts))


def _turned(blocks: Sequence[Sequence[T]], first: int, *, backwards: bool) -> tuple[T, ...]:
    """The items, each block from its item with this number on, or backwards from there."""
    found: list[T] = []
    for block in blocks:
        start = first % len(block) if block else 0
        turned = [*block[start:], *block[:start]]
        found += reversed(turned) if backwards else turned
    return tuple(found)

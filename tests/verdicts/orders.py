"""Every answer that upstream may give where it leaves the order of pools and slices to chance.

`python -m tests.verdicts.orders` goes through all recorded answers of 1.34 and 1.35 and tells how
many of those that upstream gave our search gives too, under some order.
"""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any
from unittest import mock

from dradsl.allocator import pools
from dradsl.allocator.switches import Order
from dradsl.releases import RELEASES
from dradsl.replay.alloc import allocator_for
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.allocator.allocate import Allocator
    from dradsl.allocator.nodes import Node

__all__ = ["MOST", "Recorded", "by_chance", "is_reproduced", "main"]

MOST = 6
"""So many pools and slices of a node are put in every order."""

Recorded = tuple[corpus.Case, str, int]
"""A case, the release, and the number of the line."""


def by_chance() -> Iterator[Recorded]:
    """The recorded lines of the releases that keep no order, as far as few enough things are in play."""
    for path in corpus.corpora("alloc"):
        for case in corpus.read_corpus(path):
            for release in ("1.34", "1.35"):
                for number in range(len(case.answers.get(release, ()))):
                    yield case, release, number


def is_reproduced(recorded: Recorded) -> bool | None:
    """Whether each of upstream's answers is ours under some order; None if there are too many."""
    case, release, number = recorded
    if case.question.get("stats"):
        return None  # steps are compared in the order by name
    allocator = allocator_for(case.question, RELEASES[release])
    choices = case.answers[release][number]
    wanted = list(choices)
    names = _names(allocator, number)
    # What 1.35 mixes up between pools of one name depends on the nodes before as well.
    if names is None or allocator.gatherer.contested_names:
        return None
    for line in _answers(case.question, release, number, names):
        wanted = [one for one in wanted if not corpus.agree("alloc", ((one,),), [line])]
        if not wanted:
            return True
    return False


def _names(allocator: Allocator, number: int) -> list[list[str]] | None:
    """The slices of each pool that the node may see, if few enough things can be put in order."""
    node = allocator.inventory.nodes[number]
    try:
        seen = {pool.id for pool in allocator.gatherer.gather(node)}
    except pools.GatherError:
        return []
    listed = [[one.name for one in allocator.inventory.pools[name]] for name in sorted(seen)]
    items = len(listed) + sum(len(names) for names in listed if len(names) > 1)
    return listed if items <= MOST else None


def _answers(
    question: Mapping[str, Any], release: str, number: int, names: list[list[str]]
) -> Iterator[dict[str, Any]]:
    for arranged in itertools.product(*map(itertools.permutations, names)):
        ranks = {name: rank for order in arranged for rank, name in enumerate(order)}
        with mock.patch.object(
            pools, "_name_of", lambda entry, ranks=ranks: ranks.get(entry.name, 0)
        ):
            allocator = allocator_for(question, RELEASES[release])
            yield from _pool_orders(allocator, allocator.inventory.nodes[number])


def _pool_orders(allocator: Allocator, node: Node) -> Iterator[dict[str, Any]]:
    try:
        gathered = allocator.gatherer.gather(node)
    except pools.GatherError:
        yield _line(allocator, node, None)
        return
    last = allocator.variant.order is Order.CONDITIONS_LAST
    for order in itertools.permutations(gathered):
        if not last or list(order) == sorted(order, key=lambda pool: pool.has_conditions):
            yield _line(allocator, node, order)


def _line(allocator: Allocator, node: Node, order: Any) -> dict[str, Any]:
    line = allocator.allocate(node, order).as_line()
    if line.get("errorKind") == "input":
        line["errorKind"] = "crash"  # upstream panics here
    return line


def main() -> int:
    """Counts."""
    counts: dict[bool | None, int] = {True: 0, False: 0, None: 0}
    for recorded in by_chance():
        found = is_reproduced(recorded)
        counts[found] += 1
        if found is False:
            case, release, number = recorded
            sys.stdout.write(f"not reproduced: {case.name} {release}, node {number}\n")
    sys.stdout.write(
        f"{counts[True]} of {counts[True] + counts[False]} lines reproduced in full; "
        f"{counts[None]} with too many orders\n"
    )
    return int(counts[False] > 0)


if __name__ == "__main__":
    sys.exit(main())

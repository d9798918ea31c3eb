"""Recorded answers of upstream's allocator, replayed.

`alloc-facts.jsonl` holds small cases with a note each, `alloc-random.jsonl.gz` random ones. Where
upstream visits pools and slices in random order, its answer must be ours under some order.
"""

from __future__ import annotations

import gzip
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.releases import get_release
from dradsl.replay.alloc import allocator_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.allocator.engine.allocate import Allocator
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.pools import Pool

VERDICTS = Path(__file__).parent / "verdicts"
RELEASES = {"1.34": "1.34.9", "1.35": "1.35.6", "1.36.3": "1.36.3"}
ORDERS = 5_000
# Fewer of the releases whose order is random: each may need many searches.
SHARE = {"1.34": 3, "1.35": 3, "1.36.3": 1}

Case = dict[str, Any]


def facts() -> list[Case]:
    text = (VERDICTS / "alloc-facts.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def random_cases() -> list[Case]:
    with gzip.open(VERDICTS / "alloc-random.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def allocator(case: Case, recorded: str, **options: Any) -> Allocator:
    patch = RELEASES[recorded]
    return allocator_for(case, get_release(patch), patch=patch, **options)


def tidy(value: Any) -> Any:
    """Without the fields that JSON leaves out when they are empty."""
    if isinstance(value, dict):
        return {
            key: tidy(item)
            for key, item in value.items()
            if key == "allocations" or item not in (None, [], {})
        }
    if isinstance(value, str):
        # What the generated parser would have liked to see instead is not ours to repeat.
        return value.partition("Syntax error:")[0]
    return [tidy(item) for item in value] if isinstance(value, list) else value


def orders(of: Allocator, node: Node) -> Iterator[tuple[Pool, ...]]:
    """Every order in which this node's pools and slices may be visited."""
    for pools in itertools.permutations(of.gatherer.gather(node)):
        for arranged in itertools.product(*(itertools.permutations(pool.slices) for pool in pools)):
            yield tuple(
                replace(pool, slices=slices) for pool, slices in zip(pools, arranged, strict=True)
            )


def agrees(case: Case, recorded: str, of: Allocator, node: Node, wanted: list[Any]) -> bool:
    if tidy(of.allocate(node).as_line()) in wanted:
        return True
    if recorded == "1.36.3":
        return False
    return any(
        tidy(of.allocate(node, pools).as_line()) in wanted
        for pools in itertools.islice(orders(of, node), ORDERS)
    )


@pytest.mark.parametrize("recorded", list(RELEASES))
@pytest.mark.parametrize("case", facts(), ids=lambda case: case["id"])
def test_a_fact(case: Case, recorded: str) -> None:
    of = allocator(case, recorded)
    if recorded in case.get("crashes", ()):
        assert [of.allocate(node).error_kind for node in of.inventory.nodes] == ["input"]
        return
    given = case.get("answersPossible", {}).get(recorded)
    if given is None:
        given = [[line] for line in case["answers"][recorded]]
    for node, possible in zip(of.inventory.nodes, given, strict=True):
        assert agrees(case, recorded, of, node, tidy(possible)), case["note"]


@pytest.mark.parametrize("recorded", list(RELEASES))
def test_random_cases(recorded: str) -> None:
    wrong = []
    for case in random_cases()[:: SHARE[recorded]]:
        of = allocator(case, recorded)
        for node, line in zip(of.inventory.nodes, case["answers"][recorded], strict=True):
            if not agrees(case, recorded, of, node, [tidy(line)]):
                wrong.append((case["id"], node.name))
    assert wrong == []


def test_the_memory_of_failed_states_changes_no_answer() -> None:
    for case in random_cases()[::4]:
        with_memory = allocator(case, "1.36.3")
        without = allocator(case, "1.36.3", remember=False)
        for node in with_memory.inventory.nodes:
            assert with_memory.allocate(node).as_line() == without.allocate(node).as_line()

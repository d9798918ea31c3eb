"""What only saves time changes no answer: memory of failed states, nodes answered together."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.allocator.engine.layout import arrange
from dradsl.allocator.engine.search import search
from dradsl.allocator.fleets.fleet import GatheredFleet
from dradsl.allocator.inventory.pools import GatherError
from dradsl.releases import RELEASES, get_release
from tests.oracle.fuzz.alloc import THEMES, generate
from tests.replay.alloc import allocator_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.allocator.engine.allocate import NodeResult

Json = dict[str, Any]

NAMES = list(RELEASES)


def questions(seed: int, count: int, themes: tuple[str, ...] = THEMES) -> Iterator[Json]:
    yield from itertools.islice(generate(random.Random(seed), themes), count)


def line_of(result: NodeResult) -> Json:
    """What a node answers, without the steps that it took."""
    line: Json = {"node": result.node, "allocations": result.allocations}
    return (
        line
        if result.error is None
        else {**line, "error": result.error, "errorKind": result.error_kind}
    )


def lines(question: Json, release: str, *, remember: bool = True) -> list[Json]:
    allocator = allocator_for(question, get_release(release), remember=remember)
    return [line_of(allocator.allocate(node)) for node in allocator.inventory.nodes]


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("release", NAMES)
def test_the_memory_of_failed_states(release: str, part: int) -> None:
    for question in itertools.islice(questions(11, 60), part, None, 3):
        without = lines(question, release, remember=False)
        for known, plain in zip(lines(question, release), without, strict=True):
            # The memory may find an answer where the search alone takes too long.
            assert known == plain or plain.get("errorKind") == "timeout", question["id"]


@pytest.mark.parametrize("release", NAMES)
def test_devices_that_are_left_out(release: str) -> None:
    left_out = 0
    for question in questions(14, 80):
        allocator = allocator_for(question, get_release(release))
        for node in allocator.inventory.nodes:
            try:
                layout = arrange(allocator.gatherer.gather(node), allocator.variant)
            except GatherError:
                continue
            found = []
            for whole in (False, True):
                problem = allocator.builder.build(node, layout, whole=whole)
                answer = search(allocator.plan, problem, allocator.variant, allocator.features)
                line = line_of(allocator.conclude(node, problem, answer))
                found.append((line, answer.steps, answer.tried))
                left_out += len(layout.places) - len(problem.places)
            assert found[0] == found[1], question["id"]
    assert left_out > 100


@pytest.mark.parametrize("release", NAMES)
def test_nodes_that_are_answered_together(release: str) -> None:
    for question in questions(12, 60):
        alone = {line["node"]: line for line in lines(question, release)}
        allocator = allocator_for(question, get_release(release))
        fleet = GatheredFleet(allocator.inventory, allocator.variant, allocator.features)
        if fleet.gatherer.disputed_pools:
            continue  # there the answer depends on which node was asked before
        nodes = allocator.inventory.nodes
        together = {
            node.name: line_of(fleet.result(allocator, group, node))
            for group in fleet.groups(allocator, nodes)
            for node in group.nodes
        }
        assert together == alone, question["id"]


def copies(question: Json, count: int, used: int = 1) -> Json:
    """The question with its first node, and what only that node has, several times; on the copies,
    0 to `used` - 1 devices are in use, in turns."""
    name = question["nodes"][0]["metadata"]["name"]
    own = [entry for entry in question["slices"] if entry["spec"].get("nodeName") == name]
    nodes, slices, allocated = [], [], []
    for number in range(count):
        nodes.append({"metadata": {"name": f"copy-{number}"}})
        for entry in own:
            pool = f"{entry['spec']['pool']['name']}-{number}"
            spec = entry["spec"] | {
                "nodeName": f"copy-{number}",
                "pool": entry["spec"]["pool"] | {"name": pool},
            }
            slices.append(
                {"metadata": {"name": f"{pool}-{entry['metadata']['name']}"}, "spec": spec}
            )
            allocated += [
                {"driver": spec["driver"], "pool": pool, "device": device["name"]}
                for device in spec.get("devices", ())[: number % used]
            ]
    return question | {"nodes": nodes, "slices": slices, "allocated": allocated}


@pytest.mark.parametrize("used", [1, 3])
def test_alike_nodes_are_searched_once_and_answer_alike(used: int) -> None:
    shared = 0
    for question in questions(
        13, 80, ("classes", "constraints", "counters", "selectors", "taints")
    ):
        wide = copies(question, 6, used)
        alone = {line["node"]: line for line in lines(wide, "1.36")}
        allocator = allocator_for(wide, get_release("1.36"))
        fleet = GatheredFleet(allocator.inventory, allocator.variant, allocator.features)
        groups = list(fleet.groups(allocator, allocator.inventory.nodes))
        for group in groups:
            for node in group.nodes:
                assert line_of(fleet.result(allocator, group, node)) == alone[node.name]
        shared += len(groups) <= used
    assert shared > 40


def over_nodes(count: int) -> Json:
    """One pool over all nodes: a slice for each, whose devices use one counter, and a shared one."""
    pool = {"name": "wide", "generation": 1, "resourceSliceCount": count + 2}
    base = {"driver": "a.example.com", "pool": pool}
    board = [{"name": "board", "counters": {"slots": {"value": "5"}}}]
    uses = [{"counterSet": "board", "counters": {"slots": {"value": "2"}}}]
    shared = base | {"allNodes": True}
    slices = [
        {"metadata": {"name": "counters"}, "spec": shared | {"sharedCounters": board}},
        {"metadata": {"name": "common"}, "spec": shared | {"devices": [{"name": "common"}]}},
    ]
    for number in range(count):
        own = [{"name": f"d{number}-{i}", "consumesCounters": uses} for i in range(3)]
        spec = base | {"nodeName": f"n{number}", "devices": own}
        slices.append({"metadata": {"name": f"s{number}"}, "spec": spec})
    exactly = {"deviceClassName": "any", "allocationMode": "ExactCount", "count": 3}
    return {
        "id": "wide",
        "features": "defaults",
        "nodes": [{"metadata": {"name": f"n{number}"}} for number in range(count)],
        "classes": [{"metadata": {"name": "any"}, "spec": {}}],
        "claims": [
            {
                "metadata": {"name": "c", "namespace": "ns"},
                "spec": {"devices": {"requests": [{"name": "r", "exactly": exactly}]}},
            }
        ],
        "slices": slices,
    }


@pytest.mark.parametrize("release", NAMES)
@pytest.mark.parametrize("used", [[], ["common"], ["d3-0"], ["d3-0", "d5-1", "common"]])
def test_a_pool_over_many_nodes(release: str, used: list[str]) -> None:
    held = [{"driver": "a.example.com", "pool": "wide", "device": name} for name in used]
    question = over_nodes(8) | {"allocated": held}
    alone = {line["node"]: line for line in lines(question, release)}
    allocator = allocator_for(question, get_release(release))
    fleet = GatheredFleet(allocator.inventory, allocator.variant, allocator.features)
    groups = list(fleet.groups(allocator, allocator.inventory.nodes))
    together = {
        node.name: line_of(fleet.result(allocator, group, node))
        for group in groups
        for node in group.nodes
    }
    assert together == alone
    if not used:
        assert len(groups) == 1


def test_nodes_without_slices_of_their_own_share_their_pools() -> None:
    question = over_nodes(0) | {"nodes": [{"metadata": {"name": f"n{i}"}} for i in range(5)]}
    question["slices"][1]["spec"] |= {
        "allNodes": None,
        "nodeSelector": {
            "nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n4"]}]}
            ]
        },
    }
    allocator = allocator_for(question, get_release("1.37"))
    gathered = [allocator.gatherer.gather(node) for node in allocator.inventory.nodes]
    assert len({id(pools) for pools in gathered}) == 2
    assert len({id(pools) for pools in gathered[:4]}) == 1

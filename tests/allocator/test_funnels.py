"""Every number of an explanation against a recount in plain Python, on small random fleets.

Covered are devices in use as a whole and by shares, selectors of several clauses, taints, capacity,
shared counters, constraints, prioritized lists and All.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import assume, event, given, settings

from dradsl.allocator.engine.allocate import Allocator
from dradsl.allocator.engine.selectors import CelSelectors
from dradsl.allocator.explain.node import explain
from dradsl.allocator.fleets.fleet import GatheredFleet
from dradsl.allocator.switches import allocator_features, choose_variant, variants_of
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import get_release
from dradsl.simulate.attempts import Simulation
from dradsl.simulate.cluster import ClusterBuilder
from dradsl.simulate.relax import relax
from tests.allocator.small_fleets import (
    Case,
    Gpu,
    Node,
    Wish,
    cases,
    claim,
    class_document,
    classes,
    failed_clauses,
    inventory,
    name_of,
    passes_class,
    slices,
    state,
)

if TYPE_CHECKING:
    from dradsl.allocator.explain.node import Funnel

Json = dict[str, Any]

RELEASE = get_release("1.37")
FEATURES = RELEASE.features()


def funnels(case: Case) -> list[tuple[int, tuple[Funnel, ...]]]:
    """The funnels of the claim on every node."""
    enabled = allocator_features(FEATURES)
    variant = choose_variant(variants_of(RELEASE.name), enabled)
    fleet = GatheredFleet(inventory(case), variant, enabled)
    allocator = Allocator(
        fleet.inventory,
        classes(),
        [claim(case)],
        state(case),
        CelSelectors(RELEASE, FEATURES),
        variant,
        enabled,
        gatherer=fleet.gatherer,
    )
    return [
        (int(node.name.removeprefix("node-")), explain(allocator, fleet.problem(allocator, node)))
        for node in fleet.inventory.nodes
    ]


# The recount


def obstacles(wish: Wish, gpu: Gpu, place: int, node: Node) -> list[str]:
    """All that keeps a device from a request, in the order of the funnel."""
    wanted = gpu.memory if wish.memory is None else wish.memory
    free_slots = node[0] - sum(one.slots for one in node[1] if one.held is not None)
    charges = 0 if gpu.shared and gpu.held else gpu.slots  # a further share costs no counters
    found = {
        "class": not passes_class(gpu),
        "selector": bool(failed_clauses(wish, gpu, place)),
        "in use": gpu.held == 0,
        "capacity": wanted + (gpu.held or 0) > gpu.memory,
        "taint": gpu.tainted and not wish.tolerates,
        "counters": bool(charges) and charges > free_slots,
    }
    return [stage for stage, out in found.items() if out]


def wanted(wish: Wish, node: Node) -> int:
    """The count; for All the devices that class and selector pick and that could be large enough."""
    if wish.count is not None:
        return wish.count
    return (
        sum(
            passes_class(gpu)
            and not failed_clauses(wish, gpu, place)
            and (wish.memory or 0) <= gpu.memory
            for place, gpu in enumerate(node[1])
        )
        or 1
    )


def check(funnel: Funnel, case: Case, number: int, request: int, wish: Wish) -> None:
    node = case.nodes[number]
    by_stage: dict[str, list[int]] = {}
    left: list[int] = []
    for place, gpu in enumerate(node[1]):
        against = obstacles(wish, gpu, place, node)
        if not against:
            left.append(place)
            continue
        by_stage.setdefault(against[0], []).append(place)
    assert funnel.seen == len(node[1])
    assert funnel.wanted == wanted(wish, node)
    assert list(funnel.left) == [name_of(number, place) for place in left]
    assert {stage.name: [*stage.devices] for stage in funnel.stages} == {
        stage: [name_of(number, place) for place in places] for stage, places in by_stage.items()
    }
    for stage in funnel.stages:
        event(stage.name)
        if stage.name == "selector":
            told = {clause.text: [*clause.devices] for clause in stage.clauses}
            first: dict[str, list[Any]] = {}
            for place in by_stage["selector"]:
                text = failed_clauses(wish, node[1][place], place)[0]
                first.setdefault(text, []).append(name_of(number, place))
            assert told == first
    check_groups(funnel, case, request, [node[1][place] for place in left], wanted(wish, node))


def check_groups(funnel: Funnel, case: Case, request: int, left: list[Gpu], count: int) -> None:
    covering = [distinct for distinct, covered in case.constraints if request in covered]
    roots = [gpu.root for gpu in left if gpu.root is not None]
    sizes = {f'"{root}"': roots.count(root) for root in roots}
    assert len(funnel.groupings) == len(covering)
    for grouping, distinct in zip(funnel.groupings, covering, strict=True):
        assert dict(grouping.groups) == sizes
        assert grouping.missing == len(left) - len(roots)
        assert grouping.largest == (len(sizes) if distinct else max(sizes.values(), default=0))
        assert grouping.wanted == count


@given(cases(in_use=True))
@settings(max_examples=200, deadline=None)
def test_funnels_are_those_of_the_recount(case: Case) -> None:
    for number, found in funnels(case):
        wishes = list(case.wishes())
        assert len(found) == len(wishes)
        for funnel, (request, place, wish) in zip(found, wishes, strict=True):
            alternatives = len(case.requests[request]) > 1
            assert funnel.request == f"r{request}" + (f"/s{place}" if alternatives else "")
            check(funnel, case, number, request, wish)


# Suggestions


def simulation(case: Case) -> Simulation:
    builder = ClusterBuilder(ApiServer(RELEASE, FEATURES))
    for one in slices(case):
        head = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice"}
        builder.add_recorded({**head, **one})
    builder.add_recorded(class_document())
    cluster = builder.build()
    cluster.state = state(case)
    return Simulation(cluster, RELEASE, FEATURES, CelSelectors(RELEASE, FEATURES))


@given(cases(in_use=True, most=1, size=5))
@settings(max_examples=100, deadline=None)
def test_what_is_suggested_fits(case: Case) -> None:
    placed = simulation(case)
    nodes = placed.cluster.inventory.nodes
    before = placed.allocator([claim(case)])
    assume(not any(before.allocate(node).fits for node in nodes))
    found = relax(placed, [claim(case)], nodes)
    if found is None:
        event("nothing is suggested")
        return
    event(" ".join(found.text.split()[:2]))
    node = next(node for node in nodes if node.name == found.node)
    if found.devices:
        assert found.claims == (claim(case),)
        placed.state = state(freed(case, found.node, found.text, len(found.devices)))
    else:
        assert found.claims != (claim(case),)
    after = placed.allocator(found.claims)
    assert after.allocate(node).fits


def freed(case: Case, node: str, text: str, count: int) -> Case:
    """The case with the devices free that the text names, or all of the node if it names none."""
    nodes = []
    for number, (slots, devices) in enumerate(case.nodes):
        named = [
            place
            for place in range(len(devices))
            if f"node-{number}" == node and f"gpu-{place}" in text
        ]
        if f"node-{number}" == node:
            held = [place for place, gpu in enumerate(devices) if gpu.held is not None]
            assert set(named) <= set(held)
            assert len(named or held) == count
            named = named or held
        nodes.append(
            (
                slots,
                tuple(
                    Gpu(g.kind, g.root, g.slots, g.tainted, g.memory, g.shared, None)
                    if place in named
                    else g
                    for place, g in enumerate(devices)
                ),
            )
        )
    return Case(tuple(nodes), case.requests, case.constraints)

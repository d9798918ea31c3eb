"""Explanations are true: every count is made again by brute force, every relaxation is tried."""

from __future__ import annotations

import copy
import itertools
import random
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.allocator.engine.layout import arrange
from dradsl.allocator.engine.selectors import CelSelectors
from dradsl.allocator.explain.node import explain
from dradsl.allocator.inventory.pools import GatherError
from dradsl.kube.pods.workloads import pod_specs
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import get_release
from dradsl.simulate.attempts import Simulation
from dradsl.simulate.cluster import ClusterBuilder, Workload
from dradsl.simulate.pods import expand
from dradsl.simulate.relax import relax
from tests.oracle.fuzz.alloc import generate
from tests.replay.alloc import allocator_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.allocator.engine.allocate import Allocator

Json = dict[str, Any]

RELEASE = get_release("1.36")
THEMES = ("classes", "constraints", "counters", "selectors", "state", "taints", "topology")


def questions(seed: int, count: int, themes: tuple[str, ...] = THEMES) -> Iterator[Json]:
    for question in itertools.islice(generate(random.Random(seed), themes), count):
        question["features"] = "defaults"
        yield question


def failing(question: Json) -> Iterator[tuple[str, Allocator, Any]]:
    """The nodes on which the claims of a question do not fit, with their problems."""
    allocator = allocator_for(question, RELEASE)
    for node in allocator.inventory.nodes:
        result = allocator.allocate(node)
        if result.fits or result.error is not None:
            continue
        try:
            layout = arrange(allocator.gatherer.gather(node), allocator.variant)
        except GatherError:
            continue
        yield node.name, allocator, allocator.builder.build(node, layout, whole=True)


def alone(question: Json, place: tuple[int, int], device: Any) -> Json:
    """The question of one request for one device, with `device` the only free one."""
    asked = copy.deepcopy(question)
    held = {(d["driver"], d["pool"], d["device"]) for d in question.get("allocated", ())}
    for one in asked["slices"]:
        spec = one["spec"]
        pool = (spec["driver"], spec["pool"]["name"])
        if "devices" in spec:
            spec["devices"] = [
                d for d in spec["devices"] if (*pool, d["name"]) in {*held, tuple(device)}
            ]
    claim = asked["claims"][place[0]]
    request = claim["spec"]["devices"]["requests"][place[1]]
    request["exactly"] |= {"allocationMode": "ExactCount", "count": 1}
    claim["spec"]["devices"] = {"requests": [request]}
    asked["claims"] = [claim]
    return asked


@pytest.mark.parametrize("part", range(4))
def test_what_is_left_can_be_had_and_what_fell_out_cannot(part: int) -> None:
    checked = 0
    for question in itertools.islice(questions(3, 40), part, None, 4):
        for name, allocator, problem in failing(question):
            for request_data, funnel in zip(
                allocator.plan.all_requests, explain(allocator, problem), strict=True
            ):
                fallen = [device for stage in funnel.stages for device in stage.devices]
                assert len(fallen) + len(funnel.left) == funnel.seen
                assert len({*fallen, *funnel.left}) == funnel.seen
                if request_data.parent is not None:
                    continue
                for device in (*fallen, *funnel.left):
                    asked = alone(question, (request_data.claim, request_data.request), device)
                    node = next(n for n in asked["nodes"] if n["metadata"]["name"] == name)
                    result = allocator_for(asked | {"nodes": [node]}, RELEASE)
                    answer = result.allocate(result.inventory.nodes[0])
                    assert answer.fits == (device in funnel.left), (question["id"], device)
                    checked += 1
    assert checked > 75


def test_clauses_are_counted_right() -> None:
    seen = 0
    for question in questions(5, 60, ("selectors", "classes", "errors", "topology")):
        for _, allocator, problem in failing(question):
            for funnel in explain(allocator, problem):
                for stage in funnel.stages:
                    if stage.name in ("class", "selector"):
                        counted = [device for clause in stage.clauses for device in clause.devices]
                        assert sorted(counted) == sorted(stage.devices)
                        seen += len(counted)
    assert seen > 100


def simulation(question: Json) -> Simulation:
    features = RELEASE.features()
    builder = ClusterBuilder(ApiServer(RELEASE, features))
    for kind, key in (("ResourceSlice", "slices"), ("Node", "nodes"), ("DeviceClass", "classes")):
        for one in question[key]:
            builder.add_recorded({"apiVersion": "resource.k8s.io/v1", "kind": kind, **one})
    cluster = builder.build()
    for number, claim in enumerate(question["claims"]):
        cluster.claims["ns", f"claim-{number}"] = claim
    for held in question.get("allocated", ()):
        from dradsl.allocator.inventory.slices import DeviceId

        cluster.state.take(DeviceId(held["driver"], held["pool"], held["device"]), "other")
    return Simulation(cluster, RELEASE, features, CelSelectors(RELEASE, features))


def pod_of(claims: int) -> Workload:
    pod = {
        "kind": "Pod",
        "metadata": {"name": "pod", "namespace": "ns"},
        "spec": {
            "containers": [{"name": "main", "image": "example"}],
            "resourceClaims": [
                {"name": f"c{i}", "resourceClaimName": f"claim-{i}"} for i in range(claims)
            ],
        },
    }
    return Workload("Pod", "pod", "ns", next(iter(pod_specs(pod))), "test")


def test_every_relaxation_fits_where_it_says() -> None:
    found = 0
    for question in questions(11, 40):
        placed = simulation(question)
        report = placed.place(next(iter(expand(pod_of(len(question["claims"]))))), commit=False)
        nodes = [v.nodes[0] for v in report.verdicts if v.kind == "none"]
        if report.fits or report.problem or not nodes:
            continue
        relaxation = relax(placed, question["claims"], nodes)
        if relaxation is None or relaxation.devices:
            continue
        found += 1
        again = simulation(question | {"claims": [dict(claim) for claim in relaxation.claims]})
        second = again.place(next(iter(expand(pod_of(len(question["claims"]))))), commit=False)
        fitting = {n.name for v in second.verdicts if v.kind == "fits" for n in v.nodes}
        assert relaxation.node in fitting, (question["id"], relaxation.text)
        assert relaxation.text
    assert found > 5


def test_waiting_is_suggested_where_it_helps() -> None:
    helped = 0
    for question in questions(17, 60, ("state", "topology", "classes", "taints")):
        placed = simulation(question)
        report = placed.place(next(iter(expand(pod_of(len(question["claims"]))))), commit=False)
        nodes = [v.nodes[0] for v in report.verdicts if v.kind == "none"]
        if report.fits or report.problem or not nodes:
            continue
        relaxation = relax(placed, question["claims"], nodes)
        if relaxation is not None and relaxation.devices:
            helped += 1
            free = simulation(question | {"allocated": []})
            second = free.place(next(iter(expand(pod_of(len(question["claims"]))))), commit=False)
            fitting = {n.name for v in second.verdicts if v.kind == "fits" for n in v.nodes}
            assert relaxation.node in fitting
    assert helped > 0

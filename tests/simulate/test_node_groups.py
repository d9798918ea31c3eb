"""Groups of nodes are kept from claim to claim: what they are, and what a further pod costs."""

from __future__ import annotations

import copy
import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from dradsl.allocator.engine.selectors import CelSelectors
from dradsl.allocator.fleets.node_sets import NodeList, bits_of
from dradsl.allocator.inventory.nodes import Node
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import get_release
from dradsl.simulate.attempts import Simulation
from dradsl.simulate.cluster import ClusterBuilder
from dradsl.simulate.pods import replica
from tests.counting import work_of
from tests.simulate.test_cli import class_of, device, slice_of, template, workload

if TYPE_CHECKING:
    from dradsl.simulate.choose import NodeOrder
    from dradsl.simulate.plugin.verdicts import PodReport

Json = dict[str, Any]
ZONES = ("a", "b", "c")


def node(number: int, name: str) -> list[Json]:
    """A node with a slice of one to three devices, in one of three zones."""
    labels = {"zone": ZONES[number % 3]}
    # Every fifth one has room for two pods.
    status = {"allocatable": {"cpu": "1" if number % 5 else "200m", "pods": "110"}}
    devices = [device(f"gpu-{i}") for i in range(1 + number % 3)]
    return [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "labels": labels},
            "status": status,
        },
        slice_of(name, *devices),
    ]


def pods(name: str, **spec: Any) -> Json:
    made = workload("Deployment", 100, **spec)
    made["metadata"] = {**made["metadata"], "name": name}
    template_spec = made["spec"]["template"]["spec"]
    template_spec["containers"][0].setdefault("resources", {})["requests"] = {"cpu": "100m"}
    return made


def simulation(names: list[str], *workloads: Json, order: NodeOrder = "score") -> Simulation:
    release = get_release("1.36")
    features = release.features()
    builder = ClusterBuilder(ApiServer(release, features))
    for number, name in enumerate(names):
        for document in node(number, name):
            builder.add_recorded(document)
    for document in (class_of(), template(), *workloads):
        builder.add_manifest(document)
    selectors = CelSelectors(release, features)
    return Simulation(builder.build(), release, features, selectors, node_order=order)


def told(report: PodReport) -> tuple[Any, ...]:
    said = [(one.kind, one.text, [n.name for n in one.nodes], one.score) for one in report.verdicts]
    return report.node, said, report.allocations


def anew(found: Simulation) -> Simulation:
    """The same state, with nothing kept."""
    other = copy.copy(found)
    fleet = found.fleet.inventory, found.variant, found.allocator_features
    other.fleet = type(found.fleet)(*fleet)
    other.state = found.state.copy()
    other._open = type(found._open)(other.fleet.every, found._usage)
    return other


@pytest.mark.parametrize("order", ["score", "name", "pack", "spread"])
@pytest.mark.parametrize("names", [[f"n{i}" for i in range(14)], [f"n{13 - i}" for i in range(14)]])
def test_what_is_kept_is_what_is_found_anew(names: list[str], order: NodeOrder) -> None:
    kinds = [pods("any"), *(pods(z, nodeSelector={"zone": z}) for z in ZONES)]
    found = simulation(names, *kinds, order=order)
    turns = itertools.cycle(found.cluster.workloads)
    where = []
    for number, kind in zip(range(34), turns, strict=False):
        pod = replica(kind, number)
        fresh = told(anew(found).place(pod, commit=False))
        kept = told(found.place(pod))
        assert kept == fresh
        where.append(kept[0])
    # 28 devices; those of a small node do not all get a pod.
    assert len(set(where)) > 12
    assert None in where


def work_for_pods(nodes: int) -> int:
    found = simulation([f"n{number:04}" for number in range(nodes)], pods("p"))
    (kind,) = found.cluster.workloads
    for number in range(5):
        assert found.place(replica(kind, number)).fits

    def further() -> None:
        for number in range(5, 15):
            found.place(replica(kind, number))

    return work_of(further)


def test_a_further_pod_costs_the_same_with_more_nodes() -> None:
    """The nodes are alike but for what is in use on them."""
    assert work_for_pods(240) < work_for_pods(60) * 1.1


@given(st.lists(st.integers(0, 30), max_size=20), st.randoms(use_true_random=False))
def test_sets_of_nodes(places: list[int], random: Any) -> None:
    names = [f"n{number}" for number in range(31)]
    random.shuffle(names)
    every = NodeList(Node(name) for name in names)
    while places:
        chosen = [every.nodes[place] for place in sorted(set(places))]
        found = every.of(bits_of(places, 31))
        assert (list(found), len(found), found[0]) == (chosen, len(chosen), chosen[0])
        assert (found[-1], found[1:3]) == (chosen[-1], tuple(chosen[1:3]))
        assert found.first_by_name() == min(chosen, key=lambda one: one.name)
        places = [place for place in places if place != random.choice(places)]
    assert not every.of(0)

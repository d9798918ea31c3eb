"""A pod fits, fits by chance, or never starts: what one node's error means for the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner, Result

from dradsl.cli.simulate import command
from dradsl.releases import RELEASES
from dradsl.simulate.feasible_nodes import nodes_to_find

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Json = dict[str, Any]
API = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"
READS = f"device.attributes['{DRIVER}'].model == 'a'"
RULE = "ends the scheduler's attempt"


def node(name: str, **spec: Any) -> Json:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": spec}


def device(name: str = "d0", *, good: bool = True) -> Json:
    """A device; a bad one lacks the attribute that the claims read."""
    attributes = {"model": {"string": "a"}} if good else {}
    return {"name": name, "attributes": attributes}


def slice_of(place: str, *devices: Json, driver: str = DRIVER, pool: str = "") -> Json:
    name = pool or place
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": f"s-{driver}-{name}-{place}"},
        "spec": {
            "driver": driver,
            "nodeName": place,
            "pool": {"name": name, "generation": 1, "resourceSliceCount": 1},
            "devices": list(devices),
        },
    }


def fleet(count: int, bad: Iterable[int] = (-1,)) -> list[Json]:
    """So many nodes with a device each, of which those with the numbers `bad` make selectors fail."""
    fails = {number % count for number in bad}
    found = []
    for number in range(count):
        name = f"n{number:03}"
        found += [node(name), slice_of(name, device(good=number not in fails))]
    return found


def device_class(expression: str = f"device.driver == '{DRIVER}'", name: str = "gpu") -> Json:
    spec = {"selectors": [{"cel": {"expression": expression}}]}
    return {"apiVersion": API, "kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}


def template(*requests: Json) -> Json:
    return {
        "apiVersion": API,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "t"},
        "spec": {"spec": {"devices": {"requests": list(requests)}}},
    }


def request(name: str = "r", class_name: str = "gpu", expression: str = READS, **more: Any) -> Json:
    exactly = {"deviceClassName": class_name, "selectors": [{"cel": {"expression": expression}}]}
    return {"name": name, "exactly": exactly | more}


def pod(name: str = "w", status: Json | None = None, **spec: Any) -> Json:
    entries = [{"name": "g", "resourceClaimTemplateName": "t"}]
    container = {"name": "c", "image": "i", "resources": {"claims": [{"name": "g"}]}}
    body = {"containers": [container], "resourceClaims": entries, **spec}
    found: Json = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": body}
    return found if status is None else {**found, "status": status}


class Case:
    """Files for one call."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, recorded: list[Json], manifests: list[Json], *options: str) -> Result:
        paths = []
        for name, documents in (("slices", recorded), ("pods", manifests)):
            path = self._folder / f"{name}.yaml"
            path.write_text(yaml.safe_dump_all(documents), "utf-8")
            paths.append(str(path))
        call = ["--slices", *paths, *options]
        return CliRunner().invoke(command, call, catch_exceptions=False)

    def answer(self, recorded: list[Json], manifests: list[Json], *options: str) -> str:
        """The answer for the one pod, which the exit code agrees with."""
        done = self.run(recorded, manifests, "--output-format", "json", *options)
        document = json.loads(done.stdout)
        (found,) = document["pods"]
        answer: str = found["answer"]
        assert document["answer"] == answer
        assert done.exit_code == (answer != "fits")
        assert ("reason" in found) is (answer != "fits")
        return answer


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


MANIFESTS = [device_class(), template(request()), pod()]


@pytest.mark.parametrize(
    ("count", "answer"),
    [(1, "never"), (2, "never"), (99, "never"), (100, "never"), (101, "never"), (150, "chance")],
)
def test_an_error_of_one_node(case: Case, count: int, answer: str) -> None:
    """An attempt stops early only once it has found more than 100 nodes that fit."""
    assert case.answer(fleet(count), MANIFESTS) == answer


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(("count", "answer"), [(2, "never"), (102, "chance")])
def test_every_release(case: Case, release: str, count: int, answer: str) -> None:
    assert case.answer(fleet(count), MANIFESTS, "--kube-version", release) == answer
    assert case.answer(fleet(count, ()), MANIFESTS, "--kube-version", release) == "fits"


@pytest.mark.parametrize("bad", [1, 49, 50, 90])
def test_how_many_nodes_fit_decides(case: Case, bad: int) -> None:
    """Of 150 nodes an attempt looks for 100: with 50 that fail it has to ask them all."""
    answer = "chance" if 150 - bad > 100 else "never"
    assert case.answer(fleet(150, range(bad)), MANIFESTS) == answer


@pytest.mark.parametrize(
    ("asked", "found"),
    [(1, 1), (99, 99), (100, 100), (249, 122), (250, 120), (1000, 420), (5000, 500), (9000, 450)],
)
def test_how_many_nodes_an_attempt_looks_for(asked: int, found: int) -> None:
    """As numFeasibleNodesToFind computes it (249: 49 %, 250: 48 %, 9,000: 5 %)."""
    assert nodes_to_find(asked) == found


@pytest.mark.parametrize(
    ("count", "bad", "answer"), [(2, (), "fits"), (150, (-1,), "chance"), (2, (-1,), "never")]
)
def test_every_format_tells_the_answer(
    case: Case, count: int, bad: tuple[int, ...], answer: str
) -> None:
    recorded = fleet(count, bad)
    assert case.answer(recorded, MANIFESTS) == answer
    text = case.run(recorded, MANIFESTS)
    assert text.exit_code == (answer != "fits")
    assert ("by chance" in text.stdout) is (answer == "chance")
    assert ("never starts" in text.stdout) is (answer == "never")
    lenient = case.run(recorded, MANIFESTS, "--fail-on", "pending")
    assert (lenient.exit_code, lenient.stdout) == (answer == "never", text.stdout)
    written = case.run(recorded, MANIFESTS, "--output-format", "yaml").stdout
    comment = {
        "fits": "",
        "chance": "# pod default/w: by chance: node n",
        "never": "# pod default/w: node n",
    }
    assert written.startswith(comment[answer])
    assert ("allocation:" in written) is (answer != "never")
    page = case.run(recorded, MANIFESTS, "--output-format", "html").stdout
    assert f'<summary class="{answer}">' in page


def test_the_words(case: Case) -> None:
    never = case.run(fleet(2), MANIFESTS).stdout
    assert "pod default/w: never starts, though 1 of 2 nodes would do\n  node n001: claim" in never
    assert f"\n  an error of one node {RULE}, and every attempt asks all nodes\n" in never
    chance = case.run(fleet(150), MANIFESTS).stdout
    assert "pod default/w: fits by chance on 149 of 150 nodes, placed on n000\n" in chance
    assert "before 100 nodes that fit" in chance
    alone = case.run(fleet(1), MANIFESTS).stdout
    assert "pod default/w: does not fit on the only node\n" in alone
    assert RULE in alone


# What keeps the plugin for devices from being asked about a node


def affinity(*names: str) -> Json:
    terms = [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}
        for name in names
    ]
    required = {"nodeSelectorTerms": terms}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def test_a_node_that_other_plugins_rule_out_is_not_asked(case: Case) -> None:
    taints = [{"key": "k", "effect": "NoSchedule"}]
    recorded = [*fleet(2), node("n001", taints=taints)]
    assert case.answer(recorded, MANIFESTS) == "fits"
    tolerating = pod(tolerations=[{"operator": "Exists"}])
    assert case.answer(recorded, [*MANIFESTS[:2], tolerating]) == "never"
    assert case.answer(fleet(2), [*MANIFESTS[:2], pod(affinity=affinity("n000"))]) == "fits"


def test_only_nodes_that_affinity_names_count(case: Case) -> None:
    """Of 300 nodes an attempt looks for 144, of the 150 that the pod names for 100."""
    recorded = fleet(300, range(170))
    assert case.answer(recorded, MANIFESTS) == "never"
    named = affinity(*(f"n{number:03}" for number in range(165, 300)))
    assert case.answer(recorded, [*MANIFESTS[:2], pod(affinity=named)]) == "chance"


def test_a_device_in_use_is_not_looked_at(case: Case) -> None:
    result = {"request": "r", "driver": DRIVER, "pool": "n001", "device": "d0"}
    held = {
        "apiVersion": API,
        "kind": "ResourceClaim",
        "metadata": {"name": "held"},
        "spec": {"devices": {"requests": [request()]}},
        "status": {"allocation": {"devices": {"results": [result]}}},
    }
    assert case.answer([*fleet(2), held], MANIFESTS) == "fits"


@pytest.mark.parametrize(("name", "answer"), [("n000", "fits"), ("n001", "never"), ("x", "never")])
def test_the_nominated_node_is_asked_alone(case: Case, name: str, answer: str) -> None:
    named = pod(status={"nominatedNodeName": name})
    assert case.answer(fleet(2), [*MANIFESTS[:2], named]) == answer


def test_the_nominated_node_is_taken(case: Case) -> None:
    named = pod(status={"nominatedNodeName": "n001"})
    done = case.run(fleet(3, [2]), [*MANIFESTS[:2], named])
    assert "placed on n001" in done.stdout


# Several pods, and counting


def test_the_worst_pod_decides(case: Case) -> None:
    easy = {**template(request(expression="true")), "metadata": {"name": "easy"}}
    other = pod("other", resourceClaims=[{"name": "g", "resourceClaimTemplateName": "easy"}])
    manifests = [*MANIFESTS, easy, other]
    for count, worst in ((2, "never"), (150, "chance")):
        done = case.run(fleet(count), manifests, "--output-format", "json")
        document = json.loads(done.stdout)
        assert document["answer"] == worst
        answers = {one["name"]: one["answer"] for one in document["pods"]}
        assert answers == {"w": worst, "other": "fits"}
        assert done.exit_code == 1
    assert case.run(fleet(150), manifests, "--fail-on", "pending").exit_code == 0


def test_a_pod_that_fits_by_chance_takes_its_devices(case: Case) -> None:
    found = case.run(fleet(150), [*MANIFESTS, pod("x")], "--output-format", "json")
    nodes = [one["node"] for one in json.loads(found.stdout)["pods"]]
    assert nodes == ["n000", "n001"]


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ((), 0),
        (
            (
                "--fail-on",
                "pending",
            ),
            49,
        ),
    ],
)
def test_counting_replicas(case: Case, options: tuple[str, ...], count: int) -> None:
    """With chance, as long as more than 100 of the nodes are free."""
    done = case.run(fleet(150), MANIFESTS, "--fit", "--output-format", "json", *options)
    (found,) = json.loads(done.stdout)["fits"]
    assert (found["count"], done.exit_code) == (count, 0)
    assert found["next"]["answer"] == ("never" if options else "chance")


def test_what_if_more_nodes_come(case: Case, tmp_path: Path) -> None:
    path = tmp_path / "more.yaml"
    more = [node("new"), slice_of("new", device(good=False))]
    path.write_text(yaml.safe_dump_all(more), "utf-8")
    assert case.answer(fleet(2, ()), MANIFESTS) == "fits"
    assert case.answer(fleet(2, ()), MANIFESTS, "--what-if", str(path)) == "never"


# Searches that may take too long, and orders that are left to chance


def slow_fleet() -> list[Json]:
    """One node on which it takes long to find out that nothing fits, and one where it does."""
    many = [device(f"d{number:02}") for number in range(24)]
    return [
        *(node("n0"), slice_of("n0", *many)),
        *(node("n1"), slice_of("n1", *many[:12]), slice_of("n1", device(), driver="x.example.com")),
    ]


SLOW = [
    device_class(),
    device_class("device.driver == 'x.example.com'", "x"),
    template(request(count=12, expression="true"), request("x", "x", "true")),
    pod(),
]


@pytest.mark.parametrize(
    ("release", "answer"),
    [("1.34", "fits"), ("1.35", "fits"), ("1.36", "chance"), ("1.37", "chance")],
)
def test_a_search_that_may_take_too_long(case: Case, release: str, answer: str) -> None:
    """Since 1.36 running out of time is an error of the node; before it only ruled the node out."""
    assert case.answer(slow_fleet(), SLOW, "--kube-version", release) == answer


def test_without_a_limit_no_search_takes_too_long(case: Case) -> None:
    off = ("--feature-gates", "DRASchedulerFilterTimeout=false")
    assert case.answer(slow_fleet(), SLOW, *off) == "fits"


@pytest.mark.parametrize(
    ("release", "good", "answer"),
    [
        ("1.34", "a", "chance"),
        ("1.35", "a", "chance"),
        ("1.36", "a", "fits"),
        ("1.37", "a", "fits"),
        ("1.34", "b", "chance"),
        ("1.35", "b", "chance"),
        ("1.36", "b", "never"),
        ("1.37", "b", "never"),
    ],
)
def test_the_order_of_pools(case: Case, release: str, good: str, answer: str) -> None:
    """A selector that fails in one of two pools: it depends on which comes first."""
    recorded = [
        node("n0"),
        *(slice_of("n0", device(good=name == good), pool=name) for name in ("a", "b")),
    ]
    assert case.answer(recorded, MANIFESTS, "--kube-version", release) == answer


@pytest.mark.parametrize("release", ["1.34", "1.35"])
def test_an_order_that_does_not_matter(case: Case, release: str) -> None:
    """Two devices have to be had, so that both pools are looked at in any order."""
    pools = ("a", "b")
    recorded = [node("n0"), *(slice_of("n0", device(), pool=name) for name in pools)]
    two = [MANIFESTS[0], template(request(count=2)), pod()]
    assert case.answer(recorded, two, "--kube-version", release) == "fits"
    broken = [node("n0"), *(slice_of("n0", device(good=name == "a"), pool=name) for name in pools)]
    assert case.answer(broken, two, "--kube-version", release) == "never"

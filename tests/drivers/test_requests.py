"""Requests and constraints against driver schemas."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.drivers.judge.constraints import (
    ConstrainedRequest,
    ConstraintKind,
    check_constraint,
    largest_group,
    like,
)
from dradsl.drivers.judge.reachable import reachable
from dradsl.drivers.judge.requests import check_request, looked_at
from dradsl.drivers.schema.catalogue import Catalogue
from tests.drivers.codes import code_of

if TYPE_CHECKING:
    from dradsl.drivers.schema.shapes import Shape

CATALOGUE = Catalogue()


def shapes_of_class(name: str, *selectors: str) -> tuple[Shape, ...]:
    found = CATALOGUE.device_class(name)
    assert found is not None
    return reachable((*found[1].selectors, *selectors), CATALOGUE)


def capacity(**amounts: str) -> dict[str, Any]:
    return {
        "capacity": {
            "requests": {k.replace("__", "/").replace("_", "."): v for k, v in amounts.items()}
        }
    }


# class, request, finding (code, last key of the path, suggestion) or None
REQUESTS: list[tuple[str, dict[str, Any], tuple[str, str, str | None] | None]] = [
    ("dra.cpu", capacity(cpu="4"), ("DRA204", "cpu", "dra.cpu/cpu")),
    ("dra.cpu", capacity(dra_cpu__cpu="4"), None),
    ("dra.memory", capacity(memory="4Gi"), ("DRA204", "memory", "size")),
    ("dra.memory", capacity(size="4Gi"), None),
    (
        "hami-core-gpu.project-hami.io",
        capacity(**{"hami-core-gpu.project-hami.io/memory": "4Gi"}),
        ("DRA204", "hami-core-gpu.project-hami.io/memory", "memory"),
    ),
    ("hami-core-gpu.project-hami.io", capacity(memory="3000"), ("DRA217", "memory", "3000Mi")),
    ("hami-core-gpu.project-hami.io", capacity(memory="3000Mi"), None),
    ("hami-core-gpu.project-hami.io", capacity(gpumem="3000Mi"), ("DRA204", "gpumem", "memory")),
    ("hami-core-gpu.project-hami.io", capacity(cores="150"), ("DRA223", "cores", None)),
    ("hami-core-gpu.project-hami.io", {}, ("DRA226", "deviceClassName", None)),
    ("dra.hygon.com", {}, ("DRA226", "deviceClassName", None)),
    ("dra.hygon.com", capacity(memory="1Gi", slices="5"), ("DRA223", "slices", None)),
    ("net.example.com", capacity(vfs="2"), ("DRA223", "vfs", None)),
    ("net.example.com", capacity(vfs="1"), None),
    ("gpu.amd.com", {}, ("DRA224", "deviceClassName", None)),
    ("gpu.amd.com", {"adminAccess": True, "allocationMode": "All"}, None),
    ("gpu.nvidia.com", {}, None),
    ("gpu.intel.com", {}, None),
    ("dra.cpu", {}, None),
    ("tpu.google.com", {}, ("DRA225", "deviceClassName", None)),
    ("tpu.google.com", {"count": 1}, ("DRA225", "deviceClassName", None)),
    ("tpu.google.com", {"count": 4}, None),
    ("tpu.google.com", {"allocationMode": "All"}, None),
    ("gpu.intel.com", capacity(milicores="500"), ("DRA204", "milicores", "millicores")),
    ("gpu.intel.com", capacity(millicores="500"), ("DRA211", "millicores", None)),
    ("gpu.intel.com", capacity(millicores="1001"), ("DRA223", "millicores", None)),
]  # fmt: skip


@pytest.mark.parametrize(("device_class", "body", "expected"), REQUESTS)
def test_requests(
    device_class: str, body: dict[str, Any], expected: tuple[str, str, str | None] | None
) -> None:
    found = check_request(body, shapes_of_class(device_class))
    seen = [(code_of(each), each.path[-1], each.instead) for each in found]
    assert seen == ([] if expected is None else [expected])


def test_a_selector_on_the_type_settles_mixed_types() -> None:
    text = 'device.attributes["gpu.amd.com"].type == "amdgpu"'
    assert check_request({}, shapes_of_class("gpu.amd.com", text), [text]) == []
    either = 'device.attributes["gpu.amd.com"].type in ["amdgpu", "vfio"]'
    assert check_request({}, shapes_of_class("gpu.amd.com", either), [either]) == []


def test_one_device_is_fine_where_selectors_choose_the_node() -> None:
    text = 'device.attributes["tpu.google.com"].chipCount == 1'
    assert check_request({}, shapes_of_class("tpu.google.com", text), [text]) == []


def test_nothing_is_said_of_devices_that_nobody_knows() -> None:
    body = capacity(anything="1")
    assert check_request(body, reachable(["true"], CATALOGUE)) == []
    assert check_request(body, ()) == []


@pytest.mark.parametrize(
    ("attribute", "classes", "count", "code", "suggestion"),
    [
        ("resource.kubernetes.io/pcieRoot", ["gpu.nvidia.com", "efa.networking.k8s.aws"], 1, None, None),
        ("gpu.nvidia.com/productName", ["gpu.nvidia.com"], 2, None, None),
        ("gpu.nvidia.com/model", ["gpu.nvidia.com"], 2, "DRA201", "gpu.nvidia.com/productName"),
        ("gpu.nvidia.com/pcieRoot", ["gpu.nvidia.com"], 2, "DRA201", "resource.kubernetes.io/pcieRoot"),
        ("gpu.nvidia.com/productNam", ["gpu.nvidia.com"], 2, "DRA201", "gpu.nvidia.com/productName"),
        ("gpu.nvidia.com/memory", ["gpu.nvidia.com"], 2, "DRA205", None),
        ("gpu.nvidia.com/pcieBusID", ["gpu.nvidia.com"], 2, "DRA214", "resource.kubernetes.io/pciBusID"),
        ("gpu.nvidia.com/uuid", ["gpu.nvidia.com"], 2, "DRA227", None),
        ("gpu.nvidia.com/uuid", ["gpu.nvidia.com"], 1, "DRA228", None),
        ("gpu.nvidia.com/uuid", ["gpu.nvidia.com", "mig.nvidia.com"], 1, None, None),
        ("resource.aws.com/devicegroup8_id", ["neuron.aws.com"], 8, None, None),
        ("resource.aws.com/devicegroup8_id", ["neuron.aws.com"], 9, "DRA227", None),
        ("resource.aws.com/devicegroup8_id", ["neuron.aws.com", "efa.networking.k8s.aws"], 8, None, None),
        ("gce.dra.net/block", ["efa.networking.k8s.aws"], 2, "DRA228", None),
        ("gce.dra.net/networkName", ["efa.networking.k8s.aws"], 2, None, None),
        ("gpu.intel.com/pciRoot", ["gpu.intel.com"], 2, "DRA222", "resource.kubernetes.io/pcieRoot"),
        ("gpu.nvidia.com/parentUUID", ["mig.nvidia.com"], 4, None, None),
        ("gpu.nvidia.com/parentUUID", ["gpu.nvidia.com"], 2, "DRA201", None),
        ("resource.kubernetes.io/pcieRoot", ["gpu.nvidia.com", "dra.cpu"], 1, "DRA227", None),
        ("dra.net/numaNode", ["dra.cpu", "efa.networking.k8s.aws"], 1, None, None),
        ("my.domain/anything", ["efa.networking.k8s.aws"], 2, None, None),
        ("unqualified", ["gpu.nvidia.com"], 2, None, None),
    ],
)  # fmt: skip
def test_constraints(
    attribute: str, classes: list[str], count: int, code: str | None, suggestion: str | None
) -> None:
    requests = [ConstrainedRequest(name, shapes_of_class(name), count) for name in classes]
    found = check_constraint(attribute, "matchAttribute", requests)
    assert [code_of(each) for each in found] == ([] if code is None else [code])
    if found:
        assert (found[0].path, found[0].instead) == (("matchAttribute",), suggestion)


def test_alternatives_of_a_request_count_once() -> None:
    shapes = shapes_of_class("neuron.aws.com")
    requests = [ConstrainedRequest("a/big", shapes, 8), ConstrainedRequest("a/small", shapes, 4)]
    assert check_constraint("resource.aws.com/devicegroup8_id", "matchAttribute", requests) == []
    requests.append(ConstrainedRequest("b", shapes, 6))
    found = check_constraint("resource.aws.com/devicegroup8_id", "matchAttribute", requests)
    assert [code_of(each) for each in found] == ["DRA227"]


def test_all_devices_may_be_several() -> None:
    shapes = shapes_of_class("gpu.nvidia.com")
    request = ConstrainedRequest("a", shapes, 1, exact=False)
    assert check_constraint("gpu.nvidia.com/productName", "matchAttribute", [request]) == []


@pytest.mark.parametrize(("count", "codes"), [(1, ["DRA228"]), (2, ["DRA227"])])
def test_devices_of_a_node_cannot_differ_in_what_is_the_node_s(
    count: int, codes: list[str]
) -> None:
    request = ConstrainedRequest("a", shapes_of_class("efa.networking.k8s.aws"), count)
    found = check_constraint("oke.dra.net/rackId", "distinctAttribute", [request])
    assert [code_of(each) for each in found] == codes


def test_attributes_that_a_request_derives_itself_are_there() -> None:
    derived = frozenset(["gpu.nvidia.com/half"])
    request = ConstrainedRequest("a", shapes_of_class("gpu.nvidia.com"), 2, derived)
    assert check_constraint("gpu.nvidia.com/half", "matchAttribute", [request]) == []


def test_distinct_values_of_a_unique_attribute_are_fine() -> None:
    kind: ConstraintKind = "distinctAttribute"
    request = ConstrainedRequest("a", shapes_of_class("gpu.nvidia.com"), 4)
    assert check_constraint("gpu.nvidia.com/uuid", kind, [request]) == []


def test_requests_of_unknown_devices_are_passed_over() -> None:
    request = ConstrainedRequest("a", reachable(["true"], CATALOGUE), 2)
    assert check_constraint("gpu.nvidia.com/model", "matchAttribute", [request]) == []


ATTRIBUTES = (
    "resource.aws.com/devicegroup8_id",
    "resource.aws.com/devicegroup16_id",
    "gpu.nvidia.com/uuid",
    "gpu.nvidia.com/productName",
    "resource.kubernetes.io/pcieRoot",
    "oke.dra.net/rackId",
)
CLASSES = ("neuron.aws.com", "gpu.nvidia.com", "mig.nvidia.com", "efa.networking.k8s.aws")


def test_requests_alike_are_right_or_wrong_alike() -> None:
    rng, answers, asked = random.Random(5), dict[object, bool](), 0
    shapes = {name: shapes_of_class(name) for name in CLASSES}
    for _ in range(4_000):
        attribute = rng.choice(ATTRIBUTES)
        kind: ConstraintKind = rng.choice(("matchAttribute", "distinctAttribute"))
        names = rng.sample(["a", "b", "c/one", "c/two", "d/one", "z"], rng.randint(1, 3))
        picked = rng.sample(CLASSES, 2)
        requests = [
            ConstrainedRequest(
                name,
                shapes[rng.choice(picked)],
                rng.choice((1, 2, 3, 8, 9, 17, 40)),
                exact=rng.random() < 0.9,
            )
            for name in names
        ]

        def largest(shapes: tuple[Shape, ...], attribute: str = attribute) -> int:
            return largest_group(attribute, shapes)

        key = attribute, kind, like(requests, largest)
        asked += key in answers
        wrong = bool(check_constraint(attribute, kind, requests))
        assert answers.setdefault(key, wrong) is wrong, requests
    assert asked > 1_000
    assert set(answers.values()) == {True, False}


class Watched(dict[str, Any]):
    """A body that tells what was asked of it."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(body)
        self.asked: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)


@pytest.mark.parametrize("name", CLASSES)
def test_what_is_looked_at_of_a_request(name: str) -> None:
    """`looked_at` asks for all that the check asks for."""
    amounts = {"requests": {"memory": "1Gi", "cores": "1"}}
    bodies: list[dict[str, Any]] = [
        {},
        {"capacity": amounts},
        {"count": 2, "allocationMode": "ExactCount"},
    ]
    for body in bodies:
        watched, shown = Watched(body), Watched(body)
        check_request(watched, shapes_of_class(name))
        looked_at(shown)
        assert watched.asked <= shown.asked

"""What claims take of nodes: the rules by themselves. The recorded answers of the scheduler are in
tests/verdicts/schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, strategies as st

from dradsl.allocator.inventory.device_lookup import Devices
from dradsl.allocator.inventory.nodes import Node
from dradsl.allocator.inventory.slices import Inventory, InventoryError, SliceReader
from dradsl.allocator.switches import plugin_of
from dradsl.simulate.nodes.requests import amounts, container_sum, pod_requests, with_defaults
from dradsl.simulate.nodes.resources import ClaimHeld, ResourceRejection, check, sharing
from dradsl.simulate.nodes.status import ClaimStatus, read_status, status_problems
from dradsl.values.quantity import Quantity

if TYPE_CHECKING:
    from dradsl.kube.pods.typed_dicts import (
        ClaimTakesDict,
        ContainerClaimDict,
        ContainerDict,
        PodSpecDict,
    )
    from dradsl.releases.scheduling import NodeRules

Json = dict[str, Any]

_NODE = Node("n0", {"zone": "a"}, allocatable={"cpu": "4", "memory": "4Gi", "hugepages-2Mi": "1Gi"})
_DRIVER = "gpu.example.com"


def _rules(release: str) -> NodeRules:
    rules = plugin_of(release).node_rules
    assert rules is not None
    return rules


_NEW, _OLD = _rules("1.37"), _rules("1.36")


def _devices(*devices: Json, rules: NodeRules = _NEW, **spec: Any) -> Devices:
    document = {
        "metadata": {"name": "s"},
        "spec": {
            "driver": _DRIVER,
            "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
            "devices": list(devices),
            **(spec or {"nodeName": "n0"}),
        },
    }
    return Devices(Inventory([SliceReader().read(document)]), rules)


def _mapped(name: str = "gpu-0", **amounts: str) -> Json:
    taken = {resource: {"mapping": {"deviceMultiplier": a}} for resource, a in amounts.items()}
    return {"name": name, "nodeAllocatableResources": taken}


def _held(*devices: str, name: str = "c", found: bool = True, **result: Any) -> ClaimHeld:
    results: Any = [
        {"request": "r", "driver": _DRIVER, "pool": "p", "device": device, **result}
        for device in devices
    ]
    return ClaimHeld("ns", name, (f"entry-{name}",), {"devices": {"results": results}}, found)


def _spec(*claims: str, **more: Any) -> PodSpecDict:
    named: list[ContainerClaimDict] = [{"name": f"entry-{claim}"} for claim in claims]
    spec: Json = {"containers": [{"name": "main", "resources": {"claims": named}}], **more}
    return cast("PodSpecDict", spec)


def _documents(
    answer: ResourceRejection | tuple[ClaimStatus, ...], rules: NodeRules = _NEW
) -> list[Json]:
    assert not isinstance(answer, ResourceRejection), answer
    return [status.as_v1(rules) for status in answer]


def test_a_mapped_device_is_written_to_the_status_of_the_pod() -> None:
    answer = check(_NEW, _devices(_mapped(cpu="2")), _spec("c"), [_held("gpu-0")], _NODE, {})
    assert _documents(answer) == [
        {
            "resourceClaimName": "c",
            "containers": ["main"],
            "mapping": [{"name": "cpu", "quantity": "2"}],
        }
    ]


def test_the_form_of_1_36_has_one_amount_for_each_resource() -> None:
    device = {
        "name": "gpu-0",
        "nodeAllocatableResourceMappings": {
            "memory": {"capacityKey": "memory", "allocationMultiplier": "0.5"},
            "cpu": {},
        },
    }
    devices = _devices(device, rules=_OLD)
    held = _held("gpu-0", consumedCapacity={"memory": "3Gi"})
    answer = check(_OLD, devices, _spec("c"), [held], _NODE, {})
    assert _documents(answer, _OLD) == [
        {
            "resourceClaimName": "c",
            "containers": ["main"],
            "resources": {"cpu": "0", "memory": "1536Mi"},
        }
    ]


def test_each_release_reads_its_own_fields_only() -> None:
    device = _mapped(cpu="2")
    assert not _devices(device, rules=_OLD).any_take
    assert _devices(device, rules=_NEW).any_take


def test_overhead_counts_for_the_pod_and_for_each_container() -> None:
    taken = {"cpu": {"overhead": {"perPod": "500m", "perContainer": "1"}}}
    devices = _devices({"name": "gpu-0", "nodeAllocatableResources": taken})
    spec = _spec("c", initContainers=[{**_spec("c")["containers"][0], "name": "first"}])
    answer = check(_NEW, devices, spec, [_held("gpu-0")], _NODE, {})
    assert not isinstance(answer, ResourceRejection)
    (status,) = answer
    assert status.containers == ["first", "main"]
    assert amounts(dict(_sum(status))) == {"cpu": 2500}
    tight = check(_NEW, devices, spec, [_held("gpu-0")], _NODE, {"cpu": 1501})
    assert tight == ResourceRejection("Unschedulable", ("Insufficient cpu",))


def _sum(status: ClaimStatus) -> Json:
    total: dict[str, Quantity] = {}
    for name, amount in status.takes():
        total[name] = total[name] + amount if name in total else amount
    return total


@pytest.mark.parametrize(
    ("asks", "used", "code", "reasons"),
    [
        ({"cpu": "4"}, {}, None, ()),
        ({"cpu": "4"}, {"cpu": 1}, "Unschedulable", ("cpu",)),
        ({"cpu": "4001m"}, {}, "UnschedulableAndUnresolvable", ("cpu",)),
        (
            {"cpu": "4", "memory": "5Gi"},
            {"cpu": 1},
            "UnschedulableAndUnresolvable",
            ("cpu", "memory"),
        ),
        ({"hugepages-1Gi": "1"}, {}, "UnschedulableAndUnresolvable", ("hugepages-1Gi",)),
        ({"hugepages-2Mi": "0"}, {"hugepages-2Mi": 2**30 + 1}, "Unschedulable", ("hugepages-2Mi",)),
        ({"cpu": "0"}, {"cpu": 9000}, None, ()),
    ],
)
def test_nodes_without_room_are_rejected(
    asks: dict[str, str], used: dict[str, int], code: str | None, reasons: tuple[str, ...]
) -> None:
    answer = check(_NEW, _devices(_mapped(**asks)), _spec("c"), [_held("gpu-0")], _NODE, used)
    if code is None:
        assert not isinstance(answer, ResourceRejection)
    else:
        assert answer == ResourceRejection(code, tuple(f"Insufficient {name}" for name in reasons))


def test_what_nobody_knows_of_a_node_rejects_nothing() -> None:
    held = [_held("gpu-0")]
    answer = check(_NEW, _devices(_mapped(cpu="99")), _spec("c"), held, Node("n0"), None)
    assert not isinstance(answer, ResourceRejection)


def test_a_claim_that_was_allocated_before_counts_from_1_37_on() -> None:
    device = _mapped(cpu="9")
    device["nodeAllocatableResourceMappings"] = {"cpu": {"allocationMultiplier": "9"}}
    held = [_held("gpu-0", found=False)]
    assert check(_OLD, _devices(device, rules=_OLD), _spec("c"), held, _NODE, {}) == ()
    answer = check(_NEW, _devices(device), _spec("c"), held, _NODE, {})
    assert answer == ResourceRejection("UnschedulableAndUnresolvable", ("Insufficient cpu",))


def test_a_device_that_is_gone_is_an_error_beside_one_that_is_there() -> None:
    devices = _devices(_mapped(cpu="1"))
    gone = _held("gone", found=False)
    assert check(_NEW, devices, _spec("c"), [gone], _NODE, {}) == ()
    both = _held("gpu-0", "gone", found=False)
    text = f"claim ns/c, device gone, driver {_DRIVER}: device gone not found in pool p for driver {_DRIVER}"
    assert check(_NEW, devices, _spec("c"), [both], _NODE, {}) == ResourceRejection(
        "Error", (text,)
    )


@pytest.mark.parametrize(
    ("place", "there"),
    [
        ({"nodeName": "n0"}, True),
        ({"nodeName": "n1"}, False),
        ({"allNodes": True}, True),
        ({"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "zone", "operator": "In", "values": ["a"]}]}]}}, True),
        ({"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "zone", "operator": "In", "values": ["b"]}]}]}}, False),
        ({"nodeSelector": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": "zone", "operator": "Nope"}]}]}}, False),
        ({}, False),
    ],
)  # fmt: skip
def test_devices_are_found_where_they_reach(place: Json, there: bool) -> None:
    result: Any = {"driver": _DRIVER, "pool": "p", "device": "gpu-0"}
    if place:
        whole = _devices(_mapped(cpu="1"), **place)
        assert isinstance(whole.find(result, _NODE), str) is not there
    single = _devices({**_mapped(cpu="1"), **place}, perDeviceNodeSelection=True)
    assert isinstance(single.find(result, _NODE), str) is not there
    assert not isinstance(single.find(result, None), str)


def test_capacity_that_was_not_consumed_takes_nothing_and_none_at_all_is_an_error() -> None:
    taken = {"cpu": {"mapping": {"capacityKey": "cores"}}}
    devices = _devices({"name": "gpu-0", "nodeAllocatableResources": taken})
    other = _held("gpu-0", consumedCapacity={"memory": "1"})
    assert check(_NEW, devices, _spec("c"), [other], _NODE, {}) == ()
    answer = check(_NEW, devices, _spec("c"), [_held("gpu-0")], _NODE, {})
    assert isinstance(answer, ResourceRejection)
    assert answer.code == "Error"
    assert "Capacity key 'cores' is set in NodeAllocatableResources for resource cpu" in str(answer)


def test_1_36_wants_a_container_that_refers_to_the_claim() -> None:
    device = _mapped(cpu="1")
    device["nodeAllocatableResourceMappings"] = {"cpu": {"allocationMultiplier": "1"}}
    held = [_held("gpu-0")]
    answer = check(_OLD, _devices(device, rules=_OLD), _spec(), held, _NODE, {})
    assert isinstance(answer, ResourceRejection)
    assert "not referenced by any container" in answer.reasons[0]
    assert _documents(check(_NEW, _devices(device), _spec(), held, _NODE, {}))


@pytest.mark.parametrize(
    ("resources", "wrong"),
    [
        ({"requests": {"cpu": "3"}}, None),
        ({"requests": {"cpu": "2999m"}}, "request for cpu"),
        ({"limits": {"cpu": "3"}}, None),
        ({"limits": {"cpu": "2999m"}}, "limit for cpu"),
        ({"limits": {"hugepages-2Mi": "2Mi"}}, None),
        ({"limits": {"hugepages-2Mi": "1Mi"}}, "limit for hugepages-2Mi"),
    ],
)
def test_pods_that_set_resources_as_a_whole_have_to_cover_their_claims(
    resources: Json, wrong: str | None
) -> None:
    spec = _spec("c", resources=resources)
    spec["containers"][0]["resources"] |= {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}
    devices = _devices(_mapped(**{"cpu": "2", "hugepages-2Mi": "2Mi"}))
    answer = check(_NEW, devices, spec, [_held("gpu-0")], _NODE, {})
    if wrong is None:
        assert not isinstance(answer, ResourceRejection)
    else:
        assert isinstance(answer, ResourceRejection)
        assert answer.code == "UnschedulableAndUnresolvable"
        assert f"pod level {wrong} is insufficient" in answer.reasons[0]


def test_sharing_is_told_from_reservations_or_from_the_pods_of_the_node() -> None:
    def rejected(rules: NodeRules, **state: Any) -> bool:
        given = {"mapped": True, "reserved": [], "consumers": (), **state}
        return sharing(rules, "c", "me", **given) is not None

    other, mine = [{"uid": "x"}], [{"uid": "x"}, {"uid": "me"}]
    assert rejected(_NEW, reserved=other)
    assert not rejected(_NEW, reserved=other, mapped=False)
    assert not rejected(_NEW, reserved=mine)
    assert not rejected(_NEW, consumers=("x",))
    assert rejected(_OLD, consumers=("x",))
    assert rejected(_OLD, consumers=("x", "me"))
    assert not rejected(_OLD, consumers=("me",))
    assert not rejected(_OLD, reserved=other)


def test_the_api_server_rejects_a_status_that_names_a_container_twice_from_1_37_on() -> None:
    status = ClaimStatus("c", ["main", "main"])
    assert [problem.detail for problem in status_problems([status], _NEW)] == [
        '[0].containers[1]: Duplicate value: "main"'
    ]
    assert status_problems([status], _OLD) == ()


@pytest.mark.parametrize("rules", [_NEW, _OLD], ids=["1.37", "1.36"])
def test_what_was_written_is_read_again(rules: NodeRules) -> None:
    status = ClaimStatus("c", ["a", "b"], {"cpu": Quantity.parse("1500m")})
    if not rules.mappings:
        status.per_pod["memory"] = Quantity.parse("1Gi")
        status.per_container["memory"] = Quantity.parse("1Mi")
    again = read_status(cast("ClaimTakesDict", status.as_v1(rules)), rules)
    assert again.as_v1(rules) == status.as_v1(rules)
    assert amounts(_sum(again)) == amounts(_sum(status))


@pytest.mark.parametrize(
    "broken",
    [
        {"nodeAllocatableResources": {"cpu": {"mapping": {"deviceMultiplier": "much"}}}},
        {"nodeAllocatableResources": {"cpu": {"overhead": {"perPod": "1x"}}}},
        {"nodeAllocatableResources": ["cpu"]},
        {"nodeAllocatableResourceMappings": {"cpu": {"allocationMultiplier": "much"}}},
        {"nodeAllocatableResourceMappings": {"cpu": {"capacityKey": ["a"]}}},
        {"nodeAllocatableResourceMappings": {"cpu": "2"}},
    ],
)
def test_what_is_no_amount_is_said_with_its_place(broken: Json) -> None:
    with pytest.raises(InventoryError, match=r"devices\[0\]\.nodeAllocatable"):
        _devices({"name": "gpu-0", **broken})


# What pods ask for themselves


def test_init_containers_count_at_their_peak_and_sidecars_throughout() -> None:
    def one(cpu: str, **more: str) -> ContainerDict:
        return cast("ContainerDict", {"resources": {"requests": {"cpu": cpu}}, **more})

    spec: PodSpecDict = {
        "initContainers": [one("5"), one("1", restartPolicy="Always"), one("3")],
        "containers": [one("1"), one("1500m")],
        "overhead": {"cpu": "250m"},
    }
    assert amounts(pod_requests(spec)) == {"cpu": 5250}
    assert amounts(container_sum({**spec, "initContainers": []}, "requests")) == {"cpu": 2500}


def test_what_the_pod_asks_as_a_whole_stands_for_containers_and_claims() -> None:
    spec: PodSpecDict = {
        "containers": [{"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}],
        "resources": {"requests": {"cpu": "3", "ephemeral-storage": "9"}},
        "overhead": {"cpu": "1"},
    }
    taken = [("cpu", Quantity.parse("9")), ("memory", Quantity.parse("1Gi"))]
    assert amounts(pod_requests(spec, taken)) == {"cpu": 4000, "memory": 2 * 2**30}


def test_the_api_server_fills_in_requests() -> None:
    spec: PodSpecDict = {
        "containers": [
            {
                "resources": {
                    "limits": {"cpu": "2", "hugepages-2Mi": "4Mi"},
                    "requests": {"cpu": "1"},
                }
            }
        ],
        "resources": {"limits": {"memory": "1Gi"}},
    }
    filled = with_defaults(spec)
    assert filled["containers"][0]["resources"]["requests"] == {"cpu": "1", "hugepages-2Mi": "4Mi"}
    assert filled["resources"] == {
        "limits": {"memory": "1Gi", "hugepages-2Mi": "4Mi"},
        "requests": {"cpu": "1", "memory": "1Gi", "hugepages-2Mi": "4Mi"},
    }
    assert "requests" not in spec["resources"]
    assert with_defaults(filled) == filled


_PARTS = st.lists(st.integers(0, 5000), min_size=1, max_size=4)


@given(_PARTS, _PARTS, st.integers(0, 20_000))
def test_a_node_is_rejected_just_when_the_sum_is_more_than_what_is_left(
    devices: list[int], containers: list[int], used: int
) -> None:
    found = _devices(*(_mapped(f"gpu-{i}", cpu=f"{m}m") for i, m in enumerate(devices)))
    named: list[ContainerClaimDict] = [{"name": "entry-c"}]
    spec: PodSpecDict = {
        "containers": [
            {"name": f"k{i}", "resources": {"claims": named, "requests": {"cpu": f"{m}m"}}}
            for i, m in enumerate(containers)
        ]
    }
    held = _held(*(f"gpu-{i}" for i in range(len(devices))))
    answer = check(_NEW, found, spec, [held], _NODE, {"cpu": used})
    wanted = sum(devices) + sum(containers)
    assert isinstance(answer, ResourceRejection) is (wanted > 0 and wanted > 4000 - used)
    if isinstance(answer, ResourceRejection):
        assert (answer.code == "Unschedulable") is (wanted <= 4000)

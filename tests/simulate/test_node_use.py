"""Simulations where devices take cpu and memory of their nodes, from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.allocator.inventory.sanitise import compact
from dradsl.cli.simulate import command as simulate

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]

_GATE = ("--feature-gates", "DRANodeAllocatableResources=true")
_CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "cpus"},
    "spec": {"extendedResourceName": "example.com/cpus"},
}


def _node(name: str, **allocatable: str) -> Json:
    status = {"allocatable": {**allocatable, "pods": "110"}} if allocatable else {}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def _slice(node: str, *takes: Json) -> Json:
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": node},
        "spec": {
            "driver": "cpu.example.com",
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
            "nodeName": node,
            "devices": [
                {"name": f"d{i}", "nodeAllocatableResources": one} for i, one in enumerate(takes)
            ],
        },
    }


def _cpu(amount: str) -> Json:
    return {"cpu": {"mapping": {"deviceMultiplier": amount}}}


def _claim(name: str, count: int = 1) -> Json:
    exactly = {"deviceClassName": "cpus", "allocationMode": "ExactCount", "count": count}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": exactly}]}},
    }


def _pod(name: str, claim: str, **resources: Any) -> Json:
    container = {"name": "k", "image": "x", "resources": {"claims": [{"name": "c"}], **resources}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {
            "containers": [container],
            "resourceClaims": [{"name": "c", "resourceClaimName": claim}],
        },
    }


class _Simulate:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def text(self, fleet: list[Json], manifests: list[Json], *options: str) -> str:
        for name, documents in (("fleet.yaml", fleet), ("app.yaml", [_CLASS, *manifests])):
            (self._folder / name).write_text(yaml.safe_dump_all(documents))
        paths = [str(self._folder / "app.yaml"), "--slices", str(self._folder / "fleet.yaml")]
        arguments = [*paths, "--kube-version", "1.37", *options]
        result = CliRunner().invoke(simulate, arguments)
        assert result.exit_code in (0, 1), result.output
        return result.output

    def pods(self, fleet: list[Json], manifests: list[Json], *options: str) -> list[Json]:
        text = self.text(fleet, manifests, "--output-format", "json", *(options or _GATE))
        found: list[Json] = json.loads(text)["pods"]
        return found


@pytest.fixture
def run(tmp_path: Path) -> _Simulate:
    return _Simulate(tmp_path)


def _reasons(pod: Json) -> dict[str, str]:
    return {
        name: group.get("reason", group["verdict"])
        for group in pod["nodes"]
        for name in group["names"]
    }


_LITTLE = "too little cpu for the pod and what its claims take of the node"


def test_requests_and_claims_are_added_from_pod_to_pod(run: _Simulate) -> None:
    fleet = [_node("n0", cpu="5"), _slice("n0", _cpu("2"), _cpu("2"), _cpu("0"))]
    claims = [_claim(f"c{i}") for i in range(3)]
    pods = [_pod(f"p{i}", f"c{i}", limits={"cpu": "1"}) for i in range(3)]
    first, second, third = run.pods(fleet, [*claims, *pods])
    assert first["nodeAllocatableResourceClaimStatuses"] == [
        {
            "resourceClaimName": "c0",
            "containers": ["k"],
            "mapping": [{"name": "cpu", "quantity": "2"}],
        }
    ]
    assert [first["node"], second["node"]] == ["n0", None]
    assert _reasons(second) == {"n0": _LITTLE}
    # Nothing is taken by a pod that does not fit, so the devices of the second are offered again.
    assert _reasons(third) == {"n0": _LITTLE}


def test_without_the_gate_nothing_is_counted_and_that_is_said(run: _Simulate) -> None:
    fleet = [_node("n0", cpu="1"), _slice("n0", _cpu("2"))]
    manifests = [_claim("c0"), _pod("p0", "c0")]
    text = run.text(fleet, manifests)
    assert "placed on n0" in text
    assert "DRANodeAllocatableResources is off" in text
    assert "DRANodeAllocatableResources" not in run.text(fleet, manifests, *_GATE)


def test_text_says_what_is_taken(run: _Simulate) -> None:
    overhead = {"perPod": "1Gi", "perContainer": "512Mi"}
    taken = {**_cpu("2"), "memory": {"overhead": overhead}}
    fleet = [_node("n0", cpu="4", memory="8Gi"), _slice("n0", taken)]
    text = run.text(fleet, [_claim("c0"), _pod("p0", "c0")], *_GATE)
    assert "takes of the node for c0: cpu 2, memory 1536Mi" in text


def test_the_node_with_room_is_taken_and_nodes_that_tell_nothing_have_room(run: _Simulate) -> None:
    slices = [_slice(name, _cpu("2")) for name in ("n0", "n1", "n2")]
    known = [_node("n0", cpu="1"), _node("n1", cpu="2")]
    (pod,) = run.pods([*slices, *known, _node("n2")], [_claim("c0"), _pod("p0", "c0")])
    assert pod["node"] == "n1"
    assert _reasons(pod) == {"n0": _LITTLE, "n1": "fits", "n2": "fits"}


def test_pods_that_run_count_with_what_their_claims_take(run: _Simulate) -> None:
    fleet = [_node("n0", cpu="4"), _slice("n0", _cpu("2"))]
    running = _pod("old", "x", requests={"cpu": "1"})
    running["spec"]["nodeName"] = "n0"
    manifests = [_claim("c0"), _pod("p0", "c0")]
    assert run.pods([*fleet, running], manifests)[0]["answer"] == "fits"
    status = {"resourceClaimName": "x", "mapping": [{"name": "cpu", "quantity": "1500m"}]}
    running["status"] = {"nodeAllocatableResourceClaimStatuses": [status]}
    assert _reasons(run.pods([*fleet, running], manifests)[0]) == {"n0": _LITTLE}
    running["status"]["phase"] = "Succeeded"
    assert run.pods([*fleet, running], manifests)[0]["answer"] == "fits"


def test_a_claim_with_a_mapped_device_is_for_one_pod(run: _Simulate) -> None:
    fleet = [_node("n0", cpu="9"), _slice("n0", _cpu("2"))]
    first, second = run.pods(fleet, [_claim("c0"), _pod("p0", "c0"), _pod("p1", "c0")])
    assert first["answer"] == "fits"
    assert "cannot be shared across pods" in _reasons(second)["n0"]


def test_a_recording_keeps_that_a_claim_is_reserved_but_not_for_whom() -> None:
    consumer = {"resource": "pods", "name": "secret", "uid": "1-2-3"}
    allocation: Json = {"devices": {"results": []}}
    claim = {**_claim("c0"), "status": {"allocation": allocation, "reservedFor": [consumer]}}
    kept = compact(claim)
    assert kept is not None
    assert kept["status"]["reservedFor"] == [
        {"resource": "pods", "name": "consumer-0", "uid": "consumer-0"}
    ]


def test_a_limit_of_the_whole_pod_leaves_no_room_for_claims(run: _Simulate) -> None:
    fleet = [_node("n0", cpu="9"), _slice("n0", _cpu("2"))]
    pod = _pod("p0", "c0", limits={"cpu": "1"})
    pod["spec"]["resources"] = {"limits": {"cpu": "4"}}
    # The API server makes the pod's request the sum of its containers' requests.
    (found,) = run.pods(fleet, [_claim("c0"), pod])
    assert _reasons(found)["n0"].startswith("pod level request for cpu is insufficient")
    pod["spec"]["resources"]["requests"] = {"cpu": "3"}
    assert run.pods(fleet, [_claim("c0"), pod])[0]["answer"] == "fits"


def test_extended_resources_that_take_of_the_node_never_bind(run: _Simulate) -> None:
    fleet = [_node("n0", cpu="9"), _slice("n0", _cpu("2"))]
    asks = {"example.com/cpus": "1"}
    container = {"name": "k", "image": "x", "resources": {"limits": asks}}
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name},
            "spec": {"containers": [container]},
        }
        for name in ("p0", "p1")
    ]
    for pod in run.pods(fleet, pods):
        assert pod["answer"] == "never"
        assert "names no claim of the pod" in pod["neverBinds"]


def test_a_container_that_names_a_claim_twice_never_binds(run: _Simulate) -> None:
    fleet = [_node("n0", cpu="9"), _slice("n0", _cpu("2"))]
    pod = _pod("p0", "c0")
    claims = [{"name": "c", "request": "r"}, {"name": "c", "request": "s"}]
    pod["spec"]["containers"][0]["resources"]["claims"] = claims
    (found,) = run.pods(fleet, [_claim("c0"), pod])
    assert "container k refers to claim c0 twice" in found["neverBinds"]


def test_what_is_suggested_leaves_room_on_the_node(run: _Simulate) -> None:
    takes = [_cpu("2"), _cpu("2")]
    manifests = [_claim("c0", count=3), _pod("p0", "c0", requests={"cpu": "1"})]
    (pod,) = run.pods([_node("n0", cpu="5"), _slice("n0", *takes)], manifests)
    assert "n0" in pod["nearest"]
    (pod,) = run.pods([_node("n0", cpu="2"), _slice("n0", *takes)], manifests)
    assert pod["nearest"] is None

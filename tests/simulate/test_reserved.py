"""`dradsl simulate` with claims that are allocated already: who may use them, and where."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from tests.simulate.test_cli import DRIVER, Case, class_of, device, slice_of, template, workload

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]
NODES = [slice_of("n1", device("d1"), device("d2")), slice_of("n2", device("d1"), device("d2"))]
ENTRIES = [{"name": "gpu", "resourceClaimName": "held"}]
_CONDITIONS: Json = {"bindingConditions": ["ready"], "bindingFailureConditions": ["failed"]}


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def held(*, terms: list[Json] | None = None, status: Json | None = None, **result: Any) -> Json:
    """A claim that has d1 of n1."""
    one = {"request": "gpu", "driver": DRIVER, "pool": "n1", "device": "d1", **result}
    allocation: Json = {"devices": {"results": [one]}}
    if terms is not None:
        allocation["nodeSelector"] = {"nodeSelectorTerms": terms}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "held", "namespace": "default"},
        "spec": template()["spec"]["spec"],
        "status": {"allocation": allocation, **(status or {})},
    }


def on(node: str) -> Json:
    return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}


def verdicts(document: Any) -> dict[str, Json]:
    (pod,) = document["pods"]
    return {name: verdict for verdict in pod["nodes"] for name in verdict["names"]}


def test_devices_for_other_claims_are_looked_for_everywhere(case: Case) -> None:
    broken = slice_of("n2", device("d1"), device("d1"))
    both = [*ENTRIES, {"name": "more", "resourceClaimTemplateName": "t"}]
    manifests = [class_of(), template(), workload(resourceClaims=both)]
    document = case.document([NODES[0], broken, held(terms=[on("n1")])], manifests)
    found = verdicts(document)
    assert found["n1"]["verdict"] == "fits"
    assert found["n2"]["reason"] == "invalid resource pools were encountered"
    fine = verdicts(case.document([*NODES, held(terms=[on("n1")])], manifests))
    assert fine["n2"]["verdict"] == "elsewhere"
    assert fine["n2"]["reason"].endswith("held is allocated for other nodes")


@pytest.mark.parametrize(
    ("consumers", "fit"),
    [(0, 256), (254, 2), (255, 1), (256, 0)],
)
def test_a_claim_has_so_many_consumers_at_most(case: Case, consumers: int, fit: int) -> None:
    others = [{"resource": "pods", "name": f"x{i}", "uid": f"u{i}"} for i in range(consumers)]
    claim = held(status={"reservedFor": others})
    manifests = [class_of(), workload("Deployment", 300, resourceClaims=ENTRIES)]
    result = case.run([*NODES, claim], manifests, "--fit", "--replicas", "300")
    assert f"{fit} replicas fit" in result.stdout.replace("1 replica fits", "1 replicas fit")
    assert "claim held is reserved for 256 consumers already" in result.stdout


def test_a_claim_whose_node_selector_does_not_parse_stops_the_pod(case: Case) -> None:
    term = {"matchExpressions": [{"key": "size", "operator": "Gt", "values": ["many"]}]}
    manifests = [class_of(), workload(resourceClaims=ENTRIES)]
    (pod,) = case.document([*NODES, held(terms=[term])], manifests)["pods"]
    assert pod["answer"] == "never"
    assert "the value must be an integer" in pod["problem"]


def _ago(seconds: int) -> str:
    now = dt.datetime.now(dt.UTC)
    return (now - dt.timedelta(seconds=seconds)).isoformat(timespec="seconds")


@pytest.mark.parametrize(
    ("conditions", "seconds", "reason"),
    [
        ({"ready": "True"}, 10_000, None),
        ({"ready": "False"}, 10, None),
        ({"ready": "False"}, 10_000, "did not meet its binding conditions within 600 seconds"),
        ({}, 10_000, "did not meet its binding conditions within 600 seconds"),
        ({"ready": "True", "failed": "True"}, 10, "failed its binding conditions"),
    ],
)
def test_binding_conditions_that_are_not_met_stop_a_claim(
    case: Case, conditions: dict[str, str], seconds: int, reason: str | None
) -> None:
    told = [{"type": name, "status": value} for name, value in conditions.items()]
    device_status = {"driver": DRIVER, "pool": "n1", "device": "d1", "conditions": told}
    claim = held(status={"devices": [device_status]}, **_CONDITIONS)
    claim["status"]["allocation"]["allocationTimestamp"] = _ago(seconds)
    manifests = [class_of(), workload(resourceClaims=ENTRIES)]
    found = verdicts(case.document([*NODES, claim], manifests))
    if reason is None:
        assert {one["verdict"] for one in found.values()} == {"fits"}
    else:
        assert {one["verdict"] for one in found.values()} == {"elsewhere"}
        assert all(one["reason"].endswith(f"held {reason}") for one in found.values())
    off = ("--feature-gates", "DRADeviceBindingConditions=false")
    without = verdicts(case.document([*NODES, claim], manifests, *off))
    assert {one["verdict"] for one in without.values()} == {"fits"}


@pytest.mark.parametrize(("version", "verdict"), [("1.36", "fits"), ("1.37", "elsewhere")])
def test_operations_left_out_need_a_feature_of_the_node(
    case: Case, version: str, verdict: str
) -> None:
    manifests = [class_of(), workload(resourceClaims=ENTRIES)]
    slices = [*NODES, held(skipNodeOperations=["*"])]
    found = verdicts(case.document(slices, manifests, "--kube-version", version))
    assert {one["verdict"] for one in found.values()} == {verdict}


@pytest.mark.parametrize(("uid", "answer"), [("u1", "never"), ("u2", "fits")])
def test_a_claim_that_an_earlier_attempt_left_over_comes_first(
    case: Case, uid: str, answer: str
) -> None:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "w", "uid": "u1", "controller": True}
    left = held()
    del left["status"]
    left["metadata"] |= {
        "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
        "ownerReferences": [owner],
    }
    offered = class_of()
    offered["spec"]["extendedResourceName"] = "example.com/gpu"
    wanted = {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}}
    pod = workload(containers=[{"name": "c", "image": "i", "resources": wanted}])
    del pod["spec"]["resourceClaims"]
    pod["metadata"]["uid"] = uid
    (report,) = case.document([*NODES, left], [offered, pod])["pods"]
    assert report["answer"] == answer
    if answer == "never":
        assert "cannot schedule extended resource claim" in report["nodes"][0]["reason"]

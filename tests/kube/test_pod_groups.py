"""Claims of PodGroups and Workloads: upstream's words, what is dropped, odd shapes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from dradsl.kube.pods.pod_groups import dropped_claims, group_errors, stored_group
from dradsl.releases import RELEASES
from tests.kube.reasons import reasons

NEWEST = RELEASES["1.37"]
OFF = NEWEST.features()
ON = NEWEST.features({"DRAWorkloadResourceClaims": True})
COMPOSITE = NEWEST.features({"DRAWorkloadResourceClaims": True, "CompositePodGroup": True})
GPU = {"name": "gpu", "resourceClaimTemplateName": "t"}
NIC = {"name": "nic", "resourceClaimName": "n"}
_ONE_OF = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"


def _group(claims: Any, version: str = "v1beta1") -> dict[str, Any]:
    spec = {"resourceClaims": claims}
    return {"apiVersion": f"scheduling.k8s.io/{version}", "kind": "PodGroup", "spec": spec}


def _workload(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "Workload", "spec": spec}


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ([GPU, NIC], []),
        ([GPU] * 5, ["spec.resourceClaims: Too many: 5: must have at most 4 items"]),
        ([{"name": "a"}], [f'spec.resourceClaims[0]: Invalid value: "": {_ONE_OF}']),
        (
            [GPU, {**NIC, "name": "gpu"}],
            ['spec.resourceClaims[1]: Duplicate value: {"name":"gpu","resourceClaimName":"n"}'],
        ),
        (
            [{"name": "?", "resourceClaimName": 1}],
            [
                "json: cannot unmarshal number into Go struct field"
                " PodGroupResourceClaim.spec.resourceClaims.resourceClaimName of type string"
            ],
        ),
        (
            "gpu",
            [
                "json: cannot unmarshal string into Go struct field"
                " PodGroupSpec.spec.resourceClaims of type []v1beta1.PodGroupResourceClaim"
            ],
        ),
    ],
)
def test_what_is_rejected(claims: Any, expected: list[str]) -> None:
    assert [str(error) for error in group_errors(_group(claims), ON)] == expected


def test_claims_that_are_dropped_are_only_decoded() -> None:
    claims = [{"name": "a"}, {"name": "b", "source": {}}]
    reasons_on = {error.reason for error in group_errors(_group(claims), ON)}
    assert reasons_on == {"pod-claim-without-source", "old-claim-source"}
    assert [e.reason for e in group_errors(_group(claims), OFF)] == ["old-claim-source"]
    (dropped,) = dropped_claims(_group(claims), OFF)
    assert dropped.path == ("spec", "resourceClaims")
    assert dropped.gate == "DRAWorkloadResourceClaims"
    assert not list(dropped_claims(_group(claims), ON))
    assert stored_group(_group(claims), OFF)["spec"] == {}
    kept = stored_group(_group(claims), OFF, _group([GPU]))
    assert kept["spec"] == {"resourceClaims": [{"name": "a"}, {"name": "b"}]}


def test_templates_and_templates_of_templates() -> None:
    bad = {"name": "t", "resourceClaims": [{"name": "a"}]}
    inner = {"name": "i", "podGroupTemplates": [bad]}
    outer = {"name": "o", "podGroupTemplates": [bad], "compositePodGroupTemplates": [inner]}
    obj = _workload(podGroupTemplates=[bad], compositePodGroupTemplates=[outer])
    at = "podGroupTemplates[0].resourceClaims[0]"
    plain = f"spec.{at}"
    nested = {
        f"spec.compositePodGroupTemplates[0].{at}",
        f"spec.compositePodGroupTemplates[0].compositePodGroupTemplates[0].{at}",
    }
    assert {error.field for error in group_errors(obj, ON)} == {plain}
    assert {error.field for error in group_errors(obj, COMPOSITE)} == {plain, *nested}
    assert {dropped.gate for dropped in dropped_claims(obj, ON)} == {"CompositePodGroup"}


def test_claims_where_there_are_none() -> None:
    obj = _workload(resourceClaims=[GPU], compositePodGroupTemplates=[{"resourceClaims": [GPU]}])
    assert {(error.reason, error.field) for error in group_errors(obj, ON)} == {
        ("unknown-field", "spec.resourceClaims"),
        ("unknown-field", "spec.compositePodGroupTemplates[0].resourceClaims"),
    }


@pytest.mark.parametrize(
    ("obj", "suggestion"),
    [
        (_group([GPU], "v1alpha2"), "scheduling.k8s.io/v1beta1"),
        (_group([GPU], "v1"), "scheduling.k8s.io/v1beta1"),
        (_group([], "v1alpha2"), None),
    ],
)
def test_versions_that_are_not_served(obj: Any, suggestion: str | None) -> None:
    errors = group_errors(obj, ON)
    assert [error.suggestion for error in errors] == ([suggestion] if suggestion else [])
    for release in ("1.34", "1.35"):
        for error in group_errors(obj, RELEASES[release].features()):
            assert (error.reason, error.suggestion) == ("kind-not-served", None)


def test_an_update_changes_no_claims() -> None:
    old, new = _group([GPU]), _group([GPU] * 5)
    found = [error.reason for error in group_errors(new, ON, old)]
    assert found == ["group-claims-immutable", "too-many-group-claims"]
    assert not group_errors(new, ON, new)
    assert not group_errors(new, OFF, _group([]))
    assert group_errors(new, OFF, old)


@pytest.mark.parametrize(
    "obj",
    [
        {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup", "spec": {"resourceClaims": "x"}},
        {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "spec": {"resourceClaims": "x"}},
        {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "spec": []},
        {"apiVersion": 1, "kind": "PodGroup"},
    ],
)  # fmt: skip
def test_other_objects(obj: Any) -> None:
    assert not group_errors(obj, ON)
    assert not list(dropped_claims(obj, OFF))


_LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
_NAMES = ("name", "resourceClaims", "resourceClaimName", "podGroupTemplates", "spec")
_KEYS = st.sampled_from((*_NAMES, "compositePodGroupTemplates")) | st.text(max_size=2)
_ANY = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS, inner, max_size=4)
)


@given(_ANY, _ANY, st.sampled_from(["PodGroup", "Workload"]), st.sampled_from([ON, OFF, COMPOSITE]))
def test_odd_shapes_are_answered(spec: Any, before: Any, kind: str, features: Any) -> None:
    obj = {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": kind, "spec": spec}
    for error in group_errors(obj, features, {**obj, "spec": before}):
        assert error.reason in reasons()
        assert str(error)
    stored = stored_group(obj, features)
    assert stored_group(stored, features) == stored


def test_depth_is_no_problem() -> None:
    level: dict[str, Any] = {"podGroupTemplates": [{"name": "t", "resourceClaims": [{}]}]}
    for _ in range(5000):
        level = {"compositePodGroupTemplates": [level]}
    assert not group_errors(_workload(**level), COMPOSITE)

"""The claim-related parts of pods: texts of upstream, pod specs in every kind, odd shapes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from dradsl.kube.errors import STRICT_DECODING
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES
from tests.kube.reasons import reasons

SERVER = ApiServer(RELEASES["1.36"], RELEASES["1.36"].features())
_BOTH = "`resourceClaimName` or `resourceClaimTemplateName`"
_ONE_OF = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
_LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must"
    " start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for"
    " validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


def _pod(claims: Any, *container_claims: Any, **resources: Any) -> dict[str, Any]:
    container = {"name": "c", "resources": {"claims": list(container_claims), **resources}}
    return {"resourceClaims": claims, "containers": [container]}


def _lines(spec: Any) -> list[str]:
    return [f"{e.reason} {e}" for e in SERVER.pod(spec, {}, ("spec",))]


GPU = {"name": "gpu", "resourceClaimTemplateName": "t"}
NIC = {"name": "nic", "resourceClaimName": "n"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        (_pod([GPU, NIC], {"name": "gpu"}, {"name": "nic", "request": "r"}), []),
        (_pod([]), []),
        ({}, []),
        (
            _pod([{"resourceClaimName": "a"}]),
            ["pod-claim-name-required spec.resourceClaims[0].name: Required value"],
        ),
        (
            _pod([GPU, GPU]),
            ['duplicate-pod-claim spec.resourceClaims[1].name: Duplicate value: "gpu"'],
        ),
        (
            _pod([{**GPU, "name": "Gpu"}]),
            [f'invalid-pod-claim-name spec.resourceClaims[0].name: Invalid value: "Gpu": {_LABEL}'],
        ),
        (
            _pod([{"name": "gpu"}]),
            [
                'pod-claim-without-source spec.resourceClaims[0]: Invalid value: {"Name":"gpu",'
                '"ResourceClaimName":null,"ResourceClaimTemplateName":null}:'
                f" {_ONE_OF}"
            ],
        ),
        (
            _pod([{**GPU, **NIC}]),
            [
                "pod-claim-ambiguous spec.resourceClaims[0]: Invalid value:"
                ' {"Name":"nic","ResourceClaimName":"n","ResourceClaimTemplateName":"t"}:'
                f" at most one of {_BOTH} may be specified"
            ],
        ),
        (
            _pod([{"name": "gpu", "source": {"resourceClaimTemplateName": "t"}}]),
            [
                'old-claim-source unknown field "spec.resourceClaims[0].source"',
                'pod-claim-without-source spec.resourceClaims[0]: Invalid value: {"Name":"gpu",'
                '"ResourceClaimName":null,"ResourceClaimTemplateName":null}:'
                f" {_ONE_OF}",
            ],
        ),
        (
            _pod([GPU], {"name": "other"}),
            [
                "unknown-pod-claim spec.containers[0].resources.claims[0]: Not found:"
                ' "other": must be one of the names in pod.spec.resourceClaims: gpu'
            ],
        ),
        (
            _pod([], {"name": "gpu"}),
            [
                "unknown-pod-claim spec.containers[0].resources.claims[0]: Not found:"
                ' "gpu": must be one of the names in pod.spec.resourceClaims which is empty'
            ],
        ),
        (
            _pod([GPU], {"name": "gpu"}, {"name": "gpu", "request": "r"}),
            [
                "duplicate-container-claim spec.containers[0].resources.claims[1]:"
                ' Duplicate value: "gpu"'
            ],
        ),
        (
            _pod([GPU], {"name": "gpu", "request": "r"}, {"name": "gpu", "request": "r"}),
            [
                "duplicate-container-claim spec.containers[0].resources.claims[1]:"
                ' Duplicate value: "gpu/r"'
            ],
        ),
        (
            _pod([GPU], {"name": "gpu", "request": "r/s"}),
            [
                "invalid-request-name spec.containers[0].resources.claims[0].request:"
                f' Invalid value: "r/s": {_LABEL}'
            ],
        ),
        (
            {"resourceClaims": [GPU], "resources": {"claims": [{"name": "gpu"}]}},
            [
                "claims-at-pod-level spec.resources.claims: Forbidden: claims may not be set for"
                " Resources at pod-level"
            ],
        ),
        (
            {"ephemeralContainers": [{"name": "e", "resources": {"claims": []}}]},
            [
                "resources-in-ephemeral-container spec.ephemeralContainers[0].resources: Forbidden:"
                " cannot be set for an Ephemeral Container"
            ],
        ),
    ],
)
def test_claims(spec: Any, expected: list[str]) -> None:
    assert _lines(spec) == expected


@pytest.mark.parametrize(
    ("limits", "requests", "expected"),
    [
        ({"example.com/gpu": 1}, {"example.com/gpu": "1"}, []),
        ({"example.com/gpu": 1}, {}, []),
        ({"cpu": "100m"}, {"cpu": "200m"}, []),
        (
            {},
            {"example.com/gpu": 1},
            [
                "extended-resource-without-limit spec.containers[0].resources.limits: Required"
                " value: Limit must be set for non overcommitable resources"
            ],
        ),
        (
            {"example.com/gpu": 2},
            {"example.com/gpu": 1},
            [
                "extended-resource-not-equal spec.containers[0].resources.requests: Invalid value:"
                ' "1": must be equal to example.com/gpu limit of 2'
            ],
        ),
        (
            {"example.com/gpu": "500m"},
            {},
            [
                "extended-resource-not-whole spec.containers[0].resources.limits[example.com/gpu]:"
                ' Invalid value: "500m": must be an integer'
            ],
        ),
        # The implicit name of a class counts as a native resource.
        ({}, {"deviceclass.resource.kubernetes.io/gpu": "500m"}, []),
        (
            {"deviceclass.resource.kubernetes.io/gpu": 1},
            {"deviceclass.resource.kubernetes.io/gpu": 2},
            [
                "extended-resource-above-limit spec.containers[0].resources.requests: Invalid"
                ' value: "2": must be less than or equal to deviceclass.resource.kubernetes.io/gpu'
                " limit of 1"
            ],
        ),
        (
            {"example.com/gpu": -1},
            {},
            [
                "extended-resource-negative spec.containers[0].resources.limits[example.com/gpu]:"
                ' Invalid value: "-1": must be greater than or equal to 0'
            ],
        ),
        (
            {"requests.example.com/gpu": 1},
            {},
            [
                "invalid-resource-name spec.containers[0].resources.limits[requests.example.com/gpu]:"
                ' Invalid value: "requests.example.com/gpu": doesn\'t follow extended resource name'
                " standard"
            ],
        ),
    ],
)
def test_extended_resources(limits: Any, requests: Any, expected: list[str]) -> None:
    assert _lines(_pod([], limits=limits, requests=requests)) == expected


def test_static_pods_take_no_claims() -> None:
    annotations = {"kubernetes.io/config.mirror": "x"}
    (error,) = SERVER.pod(_pod([GPU]), annotations, ("spec",))
    assert str(error) == "[]: Forbidden: static pods do not support resource claims"


def test_old_source_says_what_stands_inside() -> None:
    spec = _pod([{"name": "g", "source": {"resourceClaimName": "a"}}])
    error = SERVER.pod(spec, {}, ("spec",))[0]
    assert (error.reason, error.suggestion) == ("old-claim-source", "resourceClaimName")


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "request", "resourceClaimName", "claims", "limits", "a/b"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=10,
)


@given(_ANY, _ANY, _ANY)
def test_odd_shapes_are_answered(claims: Any, resources: Any, containers: Any) -> None:
    spec = {
        "resourceClaims": claims,
        "containers": [{"name": "c", "resources": resources}],
        "initContainers": containers,
    }
    for error in SERVER.pod(spec, {}, ("spec",)):
        assert error.reason in reasons()
        assert str(error)


def test_claims_at_the_wrong_level() -> None:
    spec = _pod([GPU])
    spec["claims"] = [NIC]
    spec["containers"][0]["claims"] = [{"name": "gpu"}]
    spec["containers"].append({"name": "d", "resources": {"resourceClaims": [{"name": "gpu"}]}})
    found = SERVER.pod(spec, {}, ("spec",))
    assert {(e.reason, e.detail, e.suggestion) for e in found if e.type == STRICT_DECODING} == {
        ("unknown-field", 'unknown field "spec.claims"', "resourceClaims"),
        ("claims-outside-resources", 'unknown field "spec.containers[0].claims"', None),
        ("unknown-field", 'unknown field "spec.containers[1].resources.resourceClaims"', "claims"),
    }


@pytest.mark.parametrize("claims", [[], ["a"], "a", [{"title": "a"}], [{"name": "a", "x": 1}]])
def test_claims_of_other_kinds_are_not_ours(claims: Any) -> None:
    spec = _pod([GPU])
    spec["claims"] = spec["containers"][0]["claims"] = claims
    assert not [e for e in SERVER.pod(spec, {}, ("spec",)) if e.type == STRICT_DECODING]

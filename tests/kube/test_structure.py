"""Strict decoding: what is rejected, in upstream's words, and what is meant instead."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from dradsl.kube.errors import DECODING, STRICT_DECODING, UnknownField
from dradsl.kube.fields.decoding import NO_MATCH, decode, split_api_version
from dradsl.releases import RELEASES

RELEASE = RELEASES["1.36"]


def _claim(request: str, version: str = "v1", release: str = "1.36") -> Any:
    text = f"""
    apiVersion: resource.k8s.io/{version}
    kind: ResourceClaim
    metadata: {{name: a}}
    spec: {{devices: {{requests: [{request}]}}}}
    """
    return decode(yaml.safe_load(text), RELEASES[release])


@pytest.mark.parametrize(
    ("version", "request_", "reason", "path", "suggestion"),
    [
        ("v1", "{name: r, exaclty: {}}", "unknown-field", "exaclty", "exactly"),
        ("v1", "{name: r, Exactly: {}}", "unknown-field", "Exactly", "exactly"),
        ("v1", "{name: r, zzz: 1}", "unknown-field", "zzz", None),
        (
            "v1",
            "{name: r, deviceClassName: c}",
            "flat-request-field",
            "deviceClassName",
            "exactly.deviceClassName",
        ),
        ("v1beta2", "{name: r, count: 1}", "flat-request-field", "count", "exactly.count"),
        ("v1beta1", "{name: r, exactly: {}}", "exactly-in-v1beta1", "exactly", ""),
        (
            "v1",
            "{name: r, exactly: {selectors: [{expression: a}]}}",
            "expression-outside-cel",
            "exactly.selectors.0.expression",
            "cel.expression",
        ),
        (
            "v1",
            "{name: r, firstAvailable: [{name: s, adminAccess: true}]}",
            "admin-access-in-alternative",
            "firstAvailable.0.adminAccess",
            "",
        ),
        (
            "v1",
            "{name: r, exactly: {derivedAttributes: []}}",
            "field-not-in-release",
            "exactly.derivedAttributes",
            None,
        ),
    ],
)
def test_unknown_fields(
    version: str, request_: str, reason: str, path: str, suggestion: str | None
) -> None:
    (problem,) = _claim(request_, version).problems
    expected = (
        "spec",
        "devices",
        "requests",
        0,
        *(int(p) if p.isdigit() else p for p in path.split(".")),
    )
    assert problem.path == expected
    assert (problem.reason, problem.type) == (reason, STRICT_DECODING)
    assert (problem.suggestion or None) == (suggestion or None)
    since = "1.37" if reason == "field-not-in-release" else None
    assert isinstance(problem.data, UnknownField)
    assert (problem.data.path, problem.data.since) == (expected, since)
    assert ("exactly" in problem.data.known) == (reason == "unknown-field")
    dotted = path.replace(".0", "[0]")
    assert str(problem) == f'unknown field "spec.devices.requests[0].{dotted}"'


@pytest.mark.parametrize(
    ("request_", "reason", "text"),
    [
        (
            "{name: 1}",
            "wrong-type",
            "json: cannot unmarshal number into Go struct field DeviceRequest.spec.devices.requests.name of type string",
        ),
        (
            "{name: r, exactly: {count: '1'}}",
            "wrong-type",
            "json: cannot unmarshal string into Go struct field"
            " ExactDeviceRequest.spec.devices.requests.exactly.count of type int64",
        ),
        (
            "{name: r, exactly: {count: 1.5}}",
            "number-not-whole",
            "json: cannot unmarshal number 1.5 into Go struct field"
            " ExactDeviceRequest.spec.devices.requests.exactly.count of type int64",
        ),
        (
            "{name: r, exactly: {count: 9223372036854775808}}",
            "number-out-of-range",
            "json: cannot unmarshal number 9223372036854775808 into Go struct field"
            " ExactDeviceRequest.spec.devices.requests.exactly.count of type int64",
        ),
        (
            "{name: r, exactly: {adminAccess: 'true'}}",
            "wrong-type",
            "json: cannot unmarshal string into Go struct field"
            " ExactDeviceRequest.spec.devices.requests.exactly.adminAccess of type bool",
        ),
        (
            "{name: r, exactly: []}",
            "wrong-type",
            "json: cannot unmarshal array into Go struct field"
            " DeviceRequest.spec.devices.requests.exactly of type v1.ExactDeviceRequest",
        ),
        (
            "{name: r, exactly: {selectors: {}}}",
            "wrong-type",
            "json: cannot unmarshal object into Go struct field"
            " ExactDeviceRequest.spec.devices.requests.exactly.selectors of type []v1.DeviceSelector",
        ),
        (
            "{name: r, exactly: {capacity: {requests: {memory: 10 GB}}}}",
            "invalid-quantity",
            "quantities must match the regular expression"
            " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
    ],
)
def test_wrong_types(request_: str, reason: str, text: str) -> None:
    decoded = _claim(request_)
    (problem,) = decoded.problems
    assert (problem.reason, problem.type, str(problem)) == (reason, DECODING, text)
    assert not decoded.readable


def test_every_problem_is_found() -> None:
    decoded = _claim("{name: 1, exactly: {count: [], foo: 1}}")
    assert [p.reason for p in decoded.problems] == ["wrong-type", "wrong-type", "unknown-field"]


def test_numbers_and_nulls_become_what_go_reads() -> None:
    decoded = _claim(
        "{name: null, exactly: {count: 2.0, deviceClassName: null, selectors: [null],"
        " capacity: {requests: {a: 1000, b: ' 5 ', c: 0.5, d: null}}}}"
    )
    assert decoded.problems == ()
    assert decoded.object is not None
    (request,) = decoded.object["spec"]["devices"]["requests"]
    assert request == {
        "exactly": {
            "count": 2,
            "selectors": [{}],
            "capacity": {"requests": {"a": "1k", "b": "5", "c": "500m", "d": "0"}},
        }
    }


@pytest.mark.parametrize(
    ("api_version", "kind", "reason", "suggestion"),
    [
        (None, "ResourceClaim", "missing-api-version", None),
        ("resource.k8s.io/v1", None, "missing-kind", None),
        ("resource.k8s.io/v1alpha2", "ResourceClaim", "unknown-api-version", "resource.k8s.io/v1"),
        ("resource.k8s.io/v1", "ResourceClass", "kind-removed", "DeviceClass"),
        ("resource.k8s.io/v1alpha2", "PodSchedulingContext", "kind-removed", None),
        ("resource.k8s.io/v1", "Device", "unknown-kind", None),
        ("resource.k8s.io/v1alpha2", "Pod", "kind-of-another-group", "v1"),
        ("resource.k8s.io/v1", "Resourceclaim", "unknown-kind", "ResourceClaim"),
        (
            "resource.k8s.io/v1",
            "DeviceTaintRule",
            "kind-not-served",
            "resource.k8s.io/v1beta2",
        ),
        ("resource.k8s.io/v1alpha3", "ResourceClaim", "kind-not-served", "resource.k8s.io/v1"),
    ],
)
def test_no_such_kind(api_version: Any, kind: Any, reason: str, suggestion: str | None) -> None:
    decoded = decode({"apiVersion": api_version, "kind": kind}, RELEASE)
    (problem,) = decoded.problems
    assert (problem.reason, problem.type) == (reason, NO_MATCH)
    assert problem.suggestion == suggestion
    assert decoded.object is None


def test_no_mapping() -> None:
    assert decode([1], RELEASE).problems[0].reason == "not-an-object"


@pytest.mark.parametrize(
    ("text", "ok"),
    [
        ("2026-01-31T08:00:00Z", True),
        ("2024-02-29T23:59:59.123456789+01:00", True),
        ("2023-02-29T00:00:00Z", False),
        ("2026-04-31T00:00:00Z", False),
        ("2026-01-31", False),
        ("2026-01-31 08:00:00Z", False),
        ("2026-13-01T00:00:00Z", False),
        ("2026-01-01T24:00:00Z", False),
        ("2026-01-01T00:00:00", False),
    ],
)
def test_times(text: str, ok: bool) -> None:
    obj = {
        "apiVersion": "resource.k8s.io/v1alpha3",
        "kind": "DeviceTaintRule",
        "spec": {"taint": {"key": "k", "effect": "None", "timeAdded": text}},
    }
    assert (decode(obj, RELEASE).problems == ()) is ok


def test_devices_in_the_other_shape() -> None:
    def problems(version: str, device: Any) -> list[tuple[str, str | None]]:
        obj = {
            "apiVersion": f"resource.k8s.io/{version}",
            "kind": "ResourceSlice",
            "spec": {"devices": [device]},
        }
        return [(p.reason, p.suggestion) for p in decode(obj, RELEASE).problems]

    assert problems("v1", {"name": "d", "basic": {}}) == [("basic-outside-v1beta1", "")]
    assert problems("v1beta1", {"name": "d", "capacity": {}}) == [
        ("device-field-outside-basic", "basic.capacity")
    ]
    assert problems("v1beta1", {"name": "d", "basic": {"capacity": {}}}) == []


def test_template_without_inner_spec() -> None:
    obj = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "spec": {"devices": {}},
    }
    (problem,) = decode(obj, RELEASE).problems
    assert (problem.reason, problem.suggestion) == ("claim-spec-not-nested", "spec.devices")


def test_split_api_version() -> None:
    assert split_api_version("resource.k8s.io/v1") == ("resource.k8s.io", "v1")
    assert split_api_version("v1") == ("", "v1")
    assert split_api_version(None) == ("", "")


def test_halves_of_characters_become_replacement_characters() -> None:
    obj = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "a\ud800", "labels": {"\udfff": "é"}},
    }
    decoded = decode(obj, RELEASE).object
    assert decoded is not None
    assert decoded["metadata"] == {"name": "a\ufffd", "labels": {"\ufffd": "é"}}

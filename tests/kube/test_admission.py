"""Admission as a whole: places, updates, admin access, CEL, texts of 1.36 and 1.37."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
import yaml

from dradsl.kube.errors import MapKey, upstream_path
from dradsl.kube.server.admission import Admission, admit
from dradsl.releases import RELEASES
from dradsl.replay.validate import answer_validate


def _load(text: str) -> Any:
    return yaml.safe_load(text)


def _claim(spec: str, kind: str = "ResourceClaim", version: str = "v1") -> Any:
    inner = f"{{spec: {spec}}}" if kind == "ResourceClaimTemplate" else spec
    return _load(
        f"{{apiVersion: resource.k8s.io/{version}, kind: {kind}, metadata: {{name: a}}, spec: {inner}}}"
    )


def _admit(obj: Any, release: str = "1.36", **options: Any) -> Admission:
    return admit(obj, RELEASES[release], **options)


def _said(answer: Admission) -> list[str]:
    return [str(problem.error) for problem in answer.problems]


def test_hand_written_paths_are_v1_paths_and_places_as_written() -> None:
    obj = _claim(
        "{devices: {requests: [{name: r, deviceClassName: c, count: -1}]}}", version="v1beta1"
    )
    (problem,) = _admit(obj).problems
    assert str(problem.error) == (
        "spec.devices.requests[0].exactly.count: Invalid value: -1: must be greater than zero"
    )
    assert problem.written == ("spec", "devices", "requests", 0, "count")


def test_declarative_paths_are_those_of_the_client() -> None:
    obj = _claim(
        "{devices: {requests: [{name: r, deviceClassName: c, allocationMode: Foo}]}}",
        version="v1beta1",
    )
    (problem,) = _admit(obj, "1.37").problems
    assert problem.error.declarative
    assert problem.error.field == "spec.devices.requests[0].allocationMode"
    assert problem.written == ("spec", "devices", "requests", 0, "allocationMode")
    (problem,) = _admit(obj, "1.36").problems
    assert problem.error.field == "spec.devices.requests[0].exactly.allocationMode"
    assert problem.written == ("spec", "devices", "requests", 0, "allocationMode")


@pytest.mark.parametrize(
    ("spec", "older", "newer"),
    [
        (
            "{devices: {constraints: [{matchAttribute: GPU.example.com/numa}]}}",
            [],
            [
                "spec.devices.constraints[0].matchAttribute: Invalid value: "
                '"GPU.example.com": prefix: a lowercase RFC 1123 subdomain must consist of lower'
                " case alphanumeric characters, '-' or '.', and must start and end with an"
                " alphanumeric character (e.g. 'example.com', regex used for validation is"
                " '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
            ],
        ),
        (
            "{devices: {requests: [{name: r, exactly: {deviceClassName: c}},"
            " {name: r, exactly: {deviceClassName: c}}]}}",
            ['spec.devices.requests[1]: Duplicate value: "r"'],
            [
                "spec.devices.requests[1]: Duplicate value:"
                ' {"name":"r","exactly":{"deviceClassName":"c","allocationMode":"ExactCount","count":1}}'
            ],
        ),
        (
            "{devices: {constraints: [{matchAttribute: a/b/c}]}}",
            [],
            [],
        ),
    ],
)
def test_texts_that_changed_with_1_37(spec: str, older: list[str], newer: list[str]) -> None:
    assert _said(_admit(_claim(spec), "1.36")) == older
    assert _said(_admit(_claim(spec), "1.37")) == newer


def test_reason_of_a_declarative_error_that_says_more_than_its_rule() -> None:
    request = _load(
        "{apiVersion: resource.k8s.io/v1alpha3, kind: ResourcePoolStatusRequest,"
        f" metadata: {{name: a}}, spec: {{driver: d.example.com, poolName: {'p' * 254}}}}}"
    )
    reasons = {problem.error.reason for problem in _admit(request, "1.37").problems}
    assert "pool-name-too-long" in reasons
    assert "value-required" not in reasons


def test_declarative_gate() -> None:
    obj = _claim("{devices: {constraints: [{matchAttribute: GPU.example.com/numa}]}}")
    release = RELEASES["1.37"]
    features = release.features({"DeclarativeValidationBeta": False})
    assert admit(obj, release, features).accepted


ADMIN = "{devices: {requests: [{name: r, exactly: {deviceClassName: c, adminAccess: true}}]}}"


@pytest.mark.parametrize("kind", ["ResourceClaim", "ResourceClaimTemplate"])
def test_admin_access(kind: str) -> None:
    obj = _claim(ADMIN, kind)
    assert _admit(obj).accepted
    assert _admit(obj, namespace_labels={"resource.kubernetes.io/admin-access": "true"}).accepted
    (problem,) = _admit(obj, namespace_labels={}).problems
    assert problem.error.reason == "admin-access-not-allowed"
    assert problem.error.field == "spec.devices.requests[0].adminAccess"
    prefix = ("spec",) if kind == "ResourceClaimTemplate" else ()
    assert problem.written == (
        *prefix,
        *("spec", "devices", "requests", 0, "exactly", "adminAccess"),
    )


@pytest.mark.parametrize(
    ("kind", "release", "said"),
    [
        ("ResourceClaim", "1.36", ["field is immutable"]),
        ("ResourceClaim", "1.37", ["field is immutable"]),
        ("ResourceClaimTemplate", "1.35", ["field is immutable"]),
    ],
)
def test_spec_is_immutable(kind: str, release: str, said: list[str]) -> None:
    old = _claim("{devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}", kind)
    new = _claim("{devices: {requests: [{name: r, exactly: {deviceClassName: d}}]}}", kind)
    same = _claim(
        "{devices: {requests: [{name: r, exactly: {deviceClassName: c, count: 1}}]}}", kind
    )
    assert _admit(same, release, old=old).accepted
    answer = _admit(new, release, old=old)
    assert [p.error.detail for p in answer.problems] == said
    assert [p.error.reason for p in answer.problems] == ["spec-immutable"]
    assert answer.problems[0].written == ("spec",)


def test_update_from_another_version() -> None:
    old = _claim("{devices: {requests: [{name: r, deviceClassName: c}]}}", version="v1beta1")
    new = _claim("{devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}")
    assert _admit(new, old=old).accepted


def test_slice_identity_is_immutable() -> None:
    text = """
    {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec:
     {driver: DRIVER, nodeName: n, pool: {name: POOL, generation: 1, resourceSliceCount: 1}}}
    """
    old = _load(text.replace("DRIVER", "d").replace("POOL", "p"))
    new = _load(text.replace("DRIVER", "e").replace("POOL", "q"))
    answer = _admit(new, old=old)
    assert [upstream_path(p.error.path) for p in answer.problems] == [
        "spec.pool.name",
        "spec.driver",
    ]


def test_status_of_a_new_object_is_emptied() -> None:
    obj = _claim("{}")
    obj["status"] = {"reservedFor": [{"uid": ""}]}
    answer = _admit(obj)
    assert answer.accepted
    assert answer.object is not None
    assert "status" not in answer.object


def test_metadata_is_filled_in() -> None:
    obj = _claim("{}")
    obj["metadata"] = {"generateName": "a-"}
    answer = _admit(obj, namespace="team")
    assert answer.accepted
    assert answer.object is not None
    assert answer.object["metadata"]["namespace"] == "team"
    assert answer.object["metadata"]["name"].startswith("a-")
    obj["metadata"] = {"name": "Nope"}
    assert [p.error.reason for p in _admit(obj).problems] == ["invalid-object-name"]


def test_upper_case_driver_is_warned_of() -> None:
    text = """
    {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec:
     {driver: GPU.example.com, nodeName: n, pool: {name: p, generation: 1, resourceSliceCount: 1}}}
    """
    answer = _admit(_load(text))
    assert answer.accepted
    assert answer.warnings == (
        'spec.driver: driver names should be lowercase; "GPU.example.com" contains uppercase'
        " characters",
    )
    assert _admit(_load(text), "1.34").warnings == ()


@dataclass(frozen=True)
class _Failure:
    type: str
    detail: str
    start: int | None = None
    end: int | None = None


def test_expressions_are_given_to_the_compiler() -> None:
    obj = _claim(
        "{devices: {requests: [{name: r, exactly: {deviceClassName: c, selectors:"
        " [{cel: {expression: good}}, {cel: {expression: bad}}, {cel: {expression: dear}},"
        " {cel: {expression: " + "x" * 10241 + "}}, {}]}}]}}"
    )
    asked = []

    def compile_cel(expression: str, kind: str) -> _Failure | None:
        asked.append((expression, kind))
        return {
            "bad": _Failure("InvalidError", "compilation failed: …", 0, 3),
            "dear": _Failure("Forbidden", "too complex, exceeds cost limit"),
        }.get(expression)

    answer = _admit(obj, compile_cel=compile_cel)
    assert asked == [("good", "new"), ("bad", "new"), ("dear", "new")]
    assert [(p.error.reason, p.error.path[-3], p.error.text_range) for p in answer.problems] == [
        ("cel-does-not-compile", 1, (0, 3)),
        ("cel-too-complex", 2, None),
        ("cel-too-long", 3, None),
        ("selector-empty", "selectors", None),
    ]
    assert answer.problems[0].error.value == "bad"


@pytest.mark.parametrize(("release", "expected"), [("1.36", ["stored"]), ("1.37", [])])
def test_stored_selectors_of_a_class(release: str, expected: list[str]) -> None:
    """Up to 1.36 unchanged selectors are compiled leniently, from 1.37 on not at all."""
    text = """
    {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: c},
     spec: {selectors: [{cel: {expression: a}}]}}
    """
    kinds: list[str] = []

    def compile_cel(_expression: str, kind: str) -> None:
        kinds.append(kind)

    _admit(_load(text), release, old=_load(text), compile_cel=compile_cel)
    assert kinds == expected


def test_cost_of_derived_attributes_adds_up() -> None:
    attribute = "{name: example.com/NAME, expression: e}"
    derived = ", ".join(attribute.replace("NAME", name) for name in "ab")
    obj = _claim(
        "{devices: {requests: [{name: r, exactly: {deviceClassName: c, derivedAttributes:"
        f" [{derived}]}}}}], constraints: [{{matchAttribute: example.com/a}},"
        " {distinctAttribute: example.com/b}]}}"
    )
    release = RELEASES["1.37"]
    features = release.features({"DRADerivedAttributes": True})
    assert admit(obj, release, features, cel_cost=lambda _: 500_000).accepted
    answer = admit(obj, release, features, cel_cost=lambda _: 500_001)
    assert [p.error.reason for p in answer.problems] == ["derived-attributes-too-complex"]


def test_zero_step_crashes_older_servers() -> None:
    text = """
    {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec:
     {driver: d, nodeName: n, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices:
      [{name: a, allowMultipleAllocations: true, capacity: {m: {value: 10, requestPolicy:
        {default: 1, validRange: {min: 1, step: 0}}}}}]}}
    """
    assert [p.error.reason for p in _admit(_load(text)).problems] == ["range-step-crash"]
    assert [p.error.reason for p in _admit(_load(text), "1.37").problems] == [
        "range-step-not-positive"
    ]


def test_unreadable_objects_are_not_validated() -> None:
    answer = _admit(_claim("{devices: []}"))
    assert answer.object is None
    assert [p.error.reason for p in answer.problems] == ["wrong-type"]


def test_map_keys_are_shown_in_brackets_and_shortened() -> None:
    assert upstream_path(("a", MapKey("x/y"), 0, "b")) == "a[x/y][0].b"
    assert upstream_path(("a", MapKey("k" * 40, 20))) == f"a[{'k' * 9}...{'k' * 8}]"
    assert upstream_path(()) == "<nil>"


_DERIVED = """
{devices: {
  requests: [{name: r, exactly: {deviceClassName: c, derivedAttributes: [
    {name: e.com/a, expression: "%s"}]}}],
  constraints: [{matchAttribute: e.com/a}]}}
"""


@pytest.mark.parametrize(
    ("expression", "lists", "said"),
    [
        ("device.driver", False, ""),
        ("device.attributes['e.com'].model", False, ""),
        ("semver('1.0.0')", False, ""),
        ("1", False, ""),
        ("[1]", True, ""),
        ("[1]", False, "(string, integer, boolean, semver), not list(int)"),
        ("1.5", False, "(string, integer, boolean, semver), not double"),
        ("[[1]]", True, " or a list of these scalars, not list(list(int))"),
    ],
)
def test_a_derived_attribute_is_a_scalar(expression: str, lists: bool, said: str) -> None:
    gates = {"DRADerivedAttributes": True, "DRAListTypeAttributes": lists}
    question = {"object": _claim(_DERIVED % expression), "default": True, "features": gates}
    (answer,) = answer_validate(question, RELEASES["1.37"])
    details = [error["detail"] for error in answer["errors"]]
    assert len(details) == bool(said)
    assert all(detail.startswith("must evaluate to a primitive scalar") for detail in details)
    assert all(detail.endswith(said) for detail in details)


def test_the_cost_of_derived_attributes_wraps_as_a_uint64() -> None:
    obj = _claim(_DERIVED % "device.driver")
    ask = obj["spec"]["devices"]["requests"][0]["exactly"]["derivedAttributes"]
    ask.append({"name": "e.com/b", "expression": "true"})
    obj["spec"]["devices"]["constraints"].append({"matchAttribute": "e.com/b"})
    features = RELEASES["1.37"].features({"DRADerivedAttributes": True})
    costs = {"device.driver": 2**64 - 1, "true": 2}
    answer = _admit(obj, "1.37", features=features, cel_cost=costs.get)
    assert not answer.problems
    answer = _admit(obj, "1.37", features=features, cel_cost=lambda _: 600_000)
    assert [p.error.reason for p in answer.problems] == ["derived-attributes-too-complex"]


def test_the_server_counts_generations() -> None:
    obj = _load(
        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: a}, spec: {}}"
    )
    obj["metadata"]["generation"] = -1
    answer = _admit(obj)
    assert not answer.problems
    assert answer.object is not None
    assert answer.object["metadata"]["generation"] == 1
    changed = {**obj, "spec": {"extendedResourceName": "e.com/a"}}
    answer = _admit(changed, old=answer.object)
    assert answer.object is not None
    assert answer.object["metadata"]["generation"] == 2

"""Admission as a whole: places, updates, admin access, CEL, texts of 1.36 and 1.37."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from dradsl.kube.errors import ExpressionFault, MapKey, upstream_path
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES
from tests.kube.asking import ask
from tests.replay.validate import answer_validate

if TYPE_CHECKING:
    from dradsl.kube.server.api_server import Admission, ExpressionVerdict


def _load(text: str) -> Any:
    return yaml.safe_load(text)


def _claim(spec: str, kind: str = "ResourceClaim", version: str = "v1") -> Any:
    inner = f"{{spec: {spec}}}" if kind == "ResourceClaimTemplate" else spec
    return _load(
        f"{{apiVersion: resource.k8s.io/{version}, kind: {kind}, metadata: {{name: a}}, spec: {inner}}}"
    )


def _said(answer: Admission) -> list[str]:
    return [str(problem.error) for problem in answer.problems]


def test_hand_written_paths_are_v1_paths_and_places_as_written() -> None:
    obj = _claim(
        "{devices: {requests: [{name: r, deviceClassName: c, count: -1}]}}", version="v1beta1"
    )
    (problem,) = ask(obj).problems
    assert str(problem.error) == (
        "spec.devices.requests[0].exactly.count: Invalid value: -1: must be greater than zero"
    )
    assert problem.written == ("spec", "devices", "requests", 0, "count")


def test_declarative_paths_are_those_of_the_client() -> None:
    obj = _claim(
        "{devices: {requests: [{name: r, deviceClassName: c, allocationMode: Foo}]}}",
        version="v1beta1",
    )
    (problem,) = ask(obj, "1.37").problems
    assert problem.error.declarative
    assert problem.error.field == "spec.devices.requests[0].allocationMode"
    assert problem.written == ("spec", "devices", "requests", 0, "allocationMode")
    (problem,) = ask(obj, "1.36").problems
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
    assert _said(ask(_claim(spec), "1.36")) == older
    assert _said(ask(_claim(spec), "1.37")) == newer


def test_reason_of_a_declarative_error_that_says_more_than_its_rule() -> None:
    request = _load(
        "{apiVersion: resource.k8s.io/v1alpha3, kind: ResourcePoolStatusRequest,"
        f" metadata: {{name: a}}, spec: {{driver: d.example.com, poolName: {'p' * 254}}}}}"
    )
    reasons = {problem.error.reason for problem in ask(request, "1.37").problems}
    assert "pool-name-too-long" in reasons
    assert "value-required" not in reasons


def test_declarative_gate() -> None:
    obj = _claim("{devices: {constraints: [{matchAttribute: GPU.example.com/numa}]}}")
    assert ask(obj, "1.37", {"DeclarativeValidationBeta": False}).accepted


ADMIN = "{devices: {requests: [{name: r, exactly: {deviceClassName: c, adminAccess: true}}]}}"


@pytest.mark.parametrize("kind", ["ResourceClaim", "ResourceClaimTemplate"])
def test_admin_access(kind: str) -> None:
    obj = _claim(ADMIN, kind)
    assert ask(obj).accepted
    assert ask(obj, labels={"resource.kubernetes.io/admin-access": "true"}).accepted
    (problem,) = ask(obj, labels={}).problems
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
    assert ask(same, release, old=old).accepted
    answer = ask(new, release, old=old)
    assert [p.error.detail for p in answer.problems] == said
    assert [p.error.reason for p in answer.problems] == ["spec-immutable"]
    assert answer.problems[0].written == ("spec",)


def test_update_from_another_version() -> None:
    old = _claim("{devices: {requests: [{name: r, deviceClassName: c}]}}", version="v1beta1")
    new = _claim("{devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}")
    assert ask(new, old=old).accepted


def test_slice_identity_is_immutable() -> None:
    text = """
    {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec:
     {driver: DRIVER, nodeName: n, pool: {name: POOL, generation: 1, resourceSliceCount: 1}}}
    """
    old = _load(text.replace("DRIVER", "d").replace("POOL", "p"))
    new = _load(text.replace("DRIVER", "e").replace("POOL", "q"))
    answer = ask(new, old=old)
    assert [upstream_path(p.error.path) for p in answer.problems] == [
        "spec.pool.name",
        "spec.driver",
    ]


def test_status_of_a_new_object_is_emptied() -> None:
    obj = _claim("{}")
    obj["status"] = {"reservedFor": [{"uid": ""}]}
    answer = ask(obj)
    assert answer.accepted
    assert answer.object is not None
    assert "status" not in answer.object


def test_metadata_is_filled_in() -> None:
    obj = _claim("{}")
    obj["metadata"] = {"generateName": "a-"}
    answer = ask(obj, namespace="team")
    assert answer.accepted
    assert answer.object is not None
    assert answer.object["metadata"]["namespace"] == "team"
    assert answer.object["metadata"]["name"].startswith("a-")
    obj["metadata"] = {"name": "Nope"}
    assert [p.error.reason for p in ask(obj).problems] == ["invalid-object-name"]


def test_upper_case_driver_is_warned_of() -> None:
    text = """
    {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec:
     {driver: GPU.example.com, nodeName: n, pool: {name: p, generation: 1, resourceSliceCount: 1}}}
    """
    answer = ask(_load(text))
    assert answer.accepted
    assert answer.warnings == (
        'spec.driver: driver names should be lowercase; "GPU.example.com" contains uppercase'
        " characters",
    )
    assert ask(_load(text), "1.34").warnings == ()


_LOOPS = 'device.attributes["d"].all(a, device.attributes["d"].all(b, a != b))'
_HALF = " && ".join(f"({_LOOPS})" for _ in range(70))  # of the cost that is allowed, and more


def _nested(depth: int) -> str:
    return 'device.attributes["d"].all(a, ' * depth + "true" + ")" * depth


def test_expressions() -> None:
    """Compiled as the server does, with the place of the mistake."""
    bad = "device.nope"
    texts = ["true", bad, _nested(8), "x" * 10241]
    obj = _claim(
        "{devices: {requests: [{name: r, exactly: {deviceClassName: c, selectors:"
        " [{cel: {expression: 'true'}}]}}]}}"
    )
    selectors = obj["spec"]["devices"]["requests"][0]["exactly"]["selectors"]
    selectors[:] = [*({"cel": {"expression": text}} for text in texts), {}]
    answer = ask(obj)
    assert [(p.error.reason, p.error.path[-3]) for p in answer.problems] == [
        ("cel-does-not-compile", 1),
        ("cel-too-complex", 2),
        ("cel-too-long", 3),
        ("selector-empty", "selectors"),
    ]
    error = answer.problems[0].error
    assert error.value == bad
    assert isinstance(error.data, ExpressionFault)
    assert [issue.reason for issue in error.data.issues] == ["undefined-field"]
    assert error.data.text_range == (6, 11)
    assert error.data.advice() == (
        'write device.attributes["DRIVER"].nope, or device.capacity["DRIVER"].nope of an amount: '
        "device itself has the fields driver, attributes, capacity, allowMultipleAllocations",
    )


@pytest.mark.parametrize(
    ("expression", "release", "accepted"),
    [
        # A field of a gate that is off: known in what is stored already.
        ("device.allowMultipleAllocations", "1.35", True),
        ("nonsense", "1.36", False),
        ("nonsense", "1.37", True),
    ],
)
def test_stored_selectors_of_a_class(expression: str, release: str, accepted: bool) -> None:
    """Up to 1.36 unchanged selectors are compiled leniently, from 1.37 on not at all."""
    text = """
    {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: c},
     spec: {selectors: [{cel: {expression: a}}]}}
    """
    obj = _load(text)
    obj["spec"]["selectors"][0]["cel"]["expression"] = expression
    assert not ask(obj, release).accepted
    assert ask(obj, release, old=obj).accepted is accepted


def _derived(*expressions: str) -> Any:
    """A claim with these derived attributes, each of which a constraint uses."""
    obj = _claim("{devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}")
    devices = obj["spec"]["devices"]
    named = [(f"example.com/a{n}", text) for n, text in enumerate(expressions)]
    devices["requests"][0]["exactly"]["derivedAttributes"] = [
        {"name": name, "expression": text} for name, text in named
    ]
    devices["constraints"] = [{"matchAttribute": name} for name, _ in named]
    return obj


def _judged(expression: str) -> ExpressionVerdict:
    release = RELEASES["1.37"]
    return ApiServer(release, release.features(_ON)).expression(expression, "derived")


_ON = {"DRADerivedAttributes": True}


def test_cost_of_derived_attributes_adds_up() -> None:
    cost = _judged(_HALF).cost
    assert cost is not None
    assert 500_000 < cost < 1_000_000
    assert ask(_derived(_HALF, "true"), "1.37", _ON).accepted
    answer = ask(_derived(_HALF, f"{_HALF} && true"), "1.37", _ON)
    assert [p.error.reason for p in answer.problems] == ["derived-attributes-too-complex"]


def test_an_expression_that_is_too_long_costs_nothing() -> None:
    """Upstream does not compile it, so nothing is added to the sum."""
    long = f"{_HALF} // {'x' * 10240}"
    answer = ask(_derived(_HALF, long), "1.37", _ON)
    assert [p.error.reason for p in answer.problems] == ["cel-too-long"]


def test_zero_step_crashes_older_servers() -> None:
    text = """
    {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec:
     {driver: d, nodeName: n, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices:
      [{name: a, allowMultipleAllocations: true, capacity: {m: {value: 10, requestPolicy:
        {default: 1, validRange: {min: 1, step: 0}}}}}]}}
    """
    assert [p.error.reason for p in ask(_load(text)).problems] == ["range-step-crash"]
    assert [p.error.reason for p in ask(_load(text), "1.37").problems] == [
        "range-step-not-positive"
    ]


def test_unreadable_objects_are_not_validated() -> None:
    answer = ask(_claim("{devices: []}"))
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
    endless = _nested(16)
    assert _judged(endless).cost == 2**64 - 1
    answer = ask(_derived(endless, "device.driver"), "1.37", _ON)
    assert [p.error.reason for p in answer.problems] == ["cel-too-complex"]


def test_the_server_counts_generations() -> None:
    obj = _load(
        "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: a}, spec: {}}"
    )
    obj["metadata"]["generation"] = -1
    answer = ask(obj)
    assert not answer.problems
    assert answer.object is not None
    assert answer.object["metadata"]["generation"] == 1
    changed = {**obj, "spec": {"extendedResourceName": "e.com/a"}}
    answer = ask(changed, old=answer.object)
    assert answer.object is not None
    assert answer.object["metadata"]["generation"] == 2


_OLD_TIME = "2020-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("effect", "time", "kept"),
    [
        ("NoSchedule", _OLD_TIME, ("1.34", "1.35")),
        ("NoSchedule", "2020-01-01T01:00:00+01:00", ("1.34", "1.35")),
        ("NoSchedule", "2020-01-02T00:00:00Z", tuple(RELEASES)),
        ("NoExecute", _OLD_TIME, tuple(RELEASES)),
    ],
)
@pytest.mark.parametrize("release", RELEASES)
def test_a_new_effect_of_a_taint_rule_has_a_new_time(
    effect: str, time: str, kept: tuple[str, ...], release: str
) -> None:
    old = _load(
        "{apiVersion: resource.k8s.io/v1alpha3, kind: DeviceTaintRule, metadata: {name: a},"
        f" spec: {{taint: {{key: k, effect: NoExecute, timeAdded: '{_OLD_TIME}'}}}}}}"
    )
    taint = {"key": "k", "effect": effect, "timeAdded": time}
    answer = ask({**old, "spec": {"taint": taint}}, release, old=old)
    assert answer.object is not None
    # The time of now is left out of what is stored.
    assert answer.object["spec"]["taint"].get("timeAdded") == (time if release in kept else None)


def test_texts_in_messages_are_quoted_as_go_quotes_them() -> None:
    release = RELEASES["1.37"]
    selector = {"cel": {"expression": "\ufefftrue"}}
    admission = ApiServer(release, release.features()).create(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "DeviceClass",
            "metadata": {"name": "x"},
            "spec": {"selectors": [selector]},
        }
    )
    assert [problem.error.message.partition(": comp")[0] for problem in admission.problems] == [
        'Invalid value: "\\ufefftrue"'
    ]

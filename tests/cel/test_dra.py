"""Selectors of devices: what they read, what devices look like, how failures are told."""

from __future__ import annotations

import pytest

from dradsl.cel import (
    CelRuntimeError,
    SelectorCache,
    clauses,
    compile_selector,
    device_view,
    parts,
)
from dradsl.cel.dra import COST_LIMIT

GPU = {
    "attributes": {
        "model": {"string": "a100"},
        "driverVersion": {"version": "1.2.3"},
        "index": {"int": 0},
        "other.example.com/healthy": {"bool": True},
    },
    "capacity": {"memory": {"value": "40Gi"}},
}
VIEW = device_view("gpu.example.com", GPU)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('device.driver == "gpu.example.com"', True),
        ('device.attributes["gpu.example.com"].model == "a100"', True),
        ('device.attributes["other.example.com"].healthy', True),
        ('"model" in device.attributes["gpu.example.com"]', True),
        ('has(device.attributes["nowhere"].model)', False),
        ('device.attributes["gpu.example.com"].?index.orValue(7) == 0', True),
        (
            'device.attributes["gpu.example.com"].driverVersion.isGreaterThan(semver("1.0.0"))',
            True,
        ),
        (
            'device.capacity["gpu.example.com"].memory.compareTo(quantity("41Gi")) < 0',
            True,
        ),
        ("device.allowMultipleAllocations", False),
    ],
)
def test_devices_match(text: str, expected: bool) -> None:
    assert compile_selector(text, "1.36").match(VIEW) is expected


def test_a_missing_attribute_fails_the_evaluation() -> None:
    text = 'true && device.attributes["gpu.example.com"].nope == 1'
    with pytest.raises(CelRuntimeError) as failure:
        compile_selector(text, "1.36").match(VIEW)
    assert failure.value.message == "no such key: nope"
    start, end = failure.value.start, failure.value.end
    assert start is not None
    assert end is not None
    assert text[start:end] == 'device.attributes["gpu.example.com"].nope'


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ('device.driver == "d"', {("driver",)}),
        (
            'device.attributes["d"].model == "x" && has(device.capacity["d"].memory)',
            {("attributes", "d", "model"), ("capacity", "d", "memory")},
        ),
        ('device.attributes["d"].all(k, k != "x")', {("attributes", "d")}),
        ('"d" in device.attributes', {("attributes", "d")}),
        ("device.attributes.size() == 1", {("attributes",)}),
        ('device.attributes[device.driver].model == "x"', {("attributes",), ("driver",)}),
        ("true", set()),
    ],
)
def test_reads(text: str, reads: set[tuple[str, ...]]) -> None:
    assert compile_selector(text, "1.36").reads == frozenset(reads)


def test_the_whole_device_may_be_read() -> None:
    assert compile_selector("device == device", "1.36").reads is None


def test_rejections_keep_type_and_detail_of_the_server() -> None:
    failure = compile_selector("device.nope", "1.36").error
    assert failure is not None
    assert failure.type == "RuleInvalid"
    assert failure.detail == (
        "compilation failed: ERROR: <input>:1:7: undefined field 'nope'\n | device.nope\n | ......^"
    )


def test_a_result_must_be_bool() -> None:
    failure = compile_selector("1 + 1", "1.36").error
    assert failure is not None
    assert failure.detail == "must evaluate to bool or the unknown type, not int"


def test_costs() -> None:
    nested = 'device.attributes["d"].all(a, device.attributes["d"].all(b, a != b))'
    selector = compile_selector(nested, "1.36")
    assert 0 < selector.max_cost < COST_LIMIT
    outcome, cost = selector.match_with_cost(VIEW)
    assert outcome is True
    assert cost < selector.max_cost


def test_evaluation_stops_at_the_cost_limit() -> None:
    loop = "lists.range(1000).all(a, lists.range(1000).all(b, a + b >= 0))"
    selector = compile_selector(loop, "1.36")
    assert selector.max_cost > COST_LIMIT
    with pytest.raises(CelRuntimeError, match="actual cost limit exceeded"):
        selector.match(VIEW)


def test_attributes_without_value_are_told() -> None:
    view = device_view("d", {"attributes": {"a": {}}})
    with pytest.raises(CelRuntimeError, match="unsupported attribute value"):
        compile_selector("true", "1.36").match(view)


def test_list_attributes_need_their_gate() -> None:
    view = device_view("d", {"attributes": {"a": {"strings": ["x", "y"]}}})
    text = '"x" in device.attributes["d"].a'
    features = {"DRAListTypeAttributes": True}
    from dradsl.releases import get_release

    release = get_release("1.37")
    assert compile_selector(text, release, release.features(features)).match(view) is True
    with pytest.raises(CelRuntimeError):
        compile_selector("true", "1.36", get_release("1.36").features({})).match(view)


def test_cached_selectors_are_the_same() -> None:
    cache = SelectorCache()
    first = compile_selector("true", "1.36", cache=cache)
    assert compile_selector("true", "1.36", cache=cache) is first
    assert compile_selector("true", "1.37", cache=cache) is not first


def test_clauses_show_what_was_seen() -> None:
    text = 'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].index > 3'
    program = compile_selector(text, "1.36").program
    assert program is not None
    found = clauses(program)
    assert [clause.text for clause in found] == text.split(" && ")
    outcomes = [clause.outcome([VIEW.value]) for clause in found]
    assert [outcome.value for outcome in outcomes] == [True, False]
    assert dict(outcomes[1].seen) == {'device.attributes["gpu.example.com"].index': 0}


def test_parts_have_types_and_costs() -> None:
    program = compile_selector('device.driver == "d"', "1.36").program
    assert program is not None
    shown = [(part.text, part.level, str(part.type)) for part in parts(program)]
    assert shown == [
        ('device.driver == "d"', 0, "bool"),
        ("device.driver", 1, "string"),
        ("device", 2, "kubernetes.DRADevice"),
    ]

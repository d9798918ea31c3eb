"""Types that share their parts: the work grows with the expression, not with the written type."""

from __future__ import annotations

import contextlib

import pytest

from dradsl.cel import CelRuntimeError, clauses, compile_selector, device_view, parts
from dradsl.cel.checker.assign import Substitutions, most_general
from dradsl.cel.types import DYN, INT, NULL, Type, list_of, map_of, optional_of
from tests.counting import growth

VIEW = device_view("d", {})


def bound(count: int, first: str, grown: str, use: str) -> str:
    """`use` of `v`, which is bound `count` times to `grown`, a text with the former `v`."""
    text = use.replace("v", f"v{count}")
    for step in range(count, 0, -1):
        text = f"cel.bind(v{step}, {grown.replace('v', f'v{step - 1}')}, {text})"
    return f"cel.bind(v0, {first}, {text})"


def answered(text: str) -> None:
    """Everything that the commands do with a selector."""
    selector = compile_selector(text, "1.36")
    if selector.program is None:
        assert selector.error is not None
        assert len(selector.error.detail) < 20_000
        return
    _ = selector.result_type, selector.max_cost, selector.reads
    assert all(str(part.type) for part in parts(selector.program))
    for clause in clauses(selector.program):
        clause.outcome([VIEW.value])
    with contextlib.suppress(CelRuntimeError):
        selector.match(VIEW)


@pytest.mark.parametrize(
    ("first", "grown", "use"),
    [
        ("1", "{1: [v, v], 2: [v, v]}", "true"),
        ("1", "{v: [v, v]}", "true"),
        ("[]", "{1: v, 2: v}", "size(v) > 0"),
        ("optional.none()", "optional.of({1: [v][0]})", "v.hasValue()"),
        ("1", "{v: v}", "v"),
        ("1", "{v: v}", "v + 1 == 2"),
        ("1", "{v: v}", "v.nothing"),
        ("1", "{v: v}", "[v, [v]].size() == 2"),
        ("[]", "{1: v, 2: v}", "{1: v, 2: v}.all(k, k > 0)"),
        ("[[]]", "[v].map(e, {1: e, 2: e})", "size(v) > 0"),
        ("[[dyn(1)]]", "{1: v, 2: v}", "size(v) > 0"),
    ],
)
def test_types_that_double(first: str, grown: str, use: str) -> None:
    # Each further name costs about the same, or as much as there are names before it.
    assert growth(lambda count: bound(count, first, grown, use), answered, 8) < 4.5


@pytest.mark.parametrize("count", [8, 12, 14, 16])
def test_costs_are_those_of_upstream(count: int) -> None:
    """As k8s.io/dynamic-resource-allocation v0.36.3 estimates them."""
    recorded = {8: 434, 12: 646, 14: 752, 16: 858}
    text = "cel.bind(x0, 1, " + "".join(
        f"cel.bind(x{step + 1}, {{x{step}: [x{step}, x{step}]}}, " for step in range(count)
    )
    selector = compile_selector(text + "true" + ")" * (count + 1), "1.36")
    assert selector.max_cost == recorded[count]


@pytest.mark.parametrize("use", ["size(v) > 0", "v == v", "v + 1 == 2", "v"])
@pytest.mark.parametrize("first", ["1", "[]"])
def test_types_deeper_than_the_expression(first: str, use: str) -> None:
    answered(bound(12, first, "[" * 60 + "v" + "]" * 60, use))


def doubled(count: int, end: Type) -> Type:
    for _ in range(count):
        end = map_of(list_of(end), list_of(end))
    return end


def test_types_are_compared_by_their_parts() -> None:
    assert doubled(60, INT) == doubled(60, INT)
    assert doubled(60, INT) != doubled(60, NULL)
    assert hash(doubled(60, INT)) == hash(doubled(60, INT))
    assert not doubled(60, INT).accepts(doubled(60, NULL))
    assert doubled(60, DYN).accepts(doubled(60, NULL))
    wide = doubled(60, DYN)
    assert most_general(wide, doubled(60, INT)) is wide
    assert most_general(doubled(60, INT), wide) is wide


def test_variables_are_bound_within_shared_parts() -> None:
    subs = Substitutions()
    variable, other = subs.fresh_variable(), subs.fresh_variable()
    assert subs.assign(doubled(60, INT), doubled(60, variable))
    assert subs.assign(doubled(60, variable), doubled(60, other))
    assert subs.apply(doubled(60, other)) == doubled(60, INT)
    assert not subs.assign(variable, doubled(60, other))
    assert not subs.assign(doubled(60, list_of(other)), doubled(60, NULL))
    free = subs.fresh_variable()
    assert not subs.assign(free, optional_of(doubled(60, free)))
    assert subs.apply_to_all({1: doubled(60, free)})[1] == doubled(60, DYN)


def test_long_types_are_cut_short() -> None:
    assert len(str(doubled(60, INT))) < 2100
    assert str(doubled(60, INT)).endswith("...")
    assert doubled(2, INT).shown == (
        "map(list(map(list(int), list(int))), list(map(list(int), list(int))))"
    )


@pytest.mark.parametrize(
    "call", ["matches(PATTERN)", "find(PATTERN) == ''", "findAll(PATTERN, 2) == []"]
)
def test_a_search_that_is_too_long_is_an_error_that_nothing_absorbs(call: str) -> None:
    """Neither true nor false is known: `|| true` must not hide that."""
    pattern, text = "".join(f"{letter}*" for letter in "abcdefghij" * 60), "a" * 6000
    call = call.replace("PATTERN", f"'{pattern}'")
    selector = compile_selector(f"'{text}'.{call} || device.driver == 'd'", "1.37")
    assert selector.error is None
    with pytest.raises(CelRuntimeError, match="search budget spent"):
        selector.match(VIEW)

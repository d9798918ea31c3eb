"""Hostile expressions: rejected or evaluated within bounds, never a crash or a hang."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import example, given, settings, strategies as st

from dradsl.cel import CelRuntimeError, clauses, compile_selector, device_view, parts
from dradsl.cel.dra import MAX_LENGTH
from dradsl.cel.syntax.parse import parse

VIEW = device_view("d", {"attributes": {"a": {"string": "x" * 64}, "n": {"int": 3}}})


def outcome(text: str) -> object:
    """True or False, or the text of the rejection or failure."""
    selector = compile_selector(text, "1.37")
    if selector.error is not None:
        return selector.error.detail
    _ = selector.reads, selector.max_cost
    try:
        matched = selector.match(VIEW)
    except CelRuntimeError as error:
        matched_or_error: object = error.message
    else:
        matched_or_error = matched
    assert selector.program is not None
    assert list(parts(selector.program))
    for clause in clauses(selector.program):
        clause.outcome([VIEW.value])
    counted, _ = selector.match_with_cost(VIEW)
    shown = counted.message if isinstance(counted, CelRuntimeError) else counted
    assert shown == matched_or_error
    return shown


def bound(count: int, first: str, grown: str, use: str) -> str:
    """`use` of `v`, which grows in each of `count` steps."""
    text = use.replace("v", f"v{count}")
    for step in range(count, 0, -1):
        text = f"cel.bind(v{step}, {grown.replace('v', f'v{step - 1}')}, {text})"
    return f"cel.bind(v0, {first}, {text})"


RANGE = "lists.range(100000)"
TEN = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(" * 200 + "1" + ")" * 200 + " == 1", True),
        ("!" * 9000 + "true", True),
        ("-" * 9000 + "1 == 1", True),
        ("||".join(["true"] * 1700), True),
        ('"' + "a" * 40 + '".matches("(a+)+$")', True),
        ('device.attributes["d"].a.matches("(x+)+y$")', False),
        ('"\ud800" == "\U0001f600"', False),
        ('"\ud800".matches("^\ufffd$")', True),
        ('b"\ud800" == bytes("\ufffd")', True),
        ('"\u202e\u2028" == "a"', False),
        ("0" * 9000 + "1 == 1", True),
        ('duration("' + "0" * 9000 + '1s") == duration("1s")', True),
        ("{" + ",".join([f'"{i}":{i}' for i in range(900)]) + '}.all(k, k != "")', True),
    ],
)
def test_large_ones_are_evaluated(text: str, expected: bool) -> None:
    assert outcome(text) is expected


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("(" * 300 + "1" + ")" * 300 + "==1", "recursion limit exceeded"),
        ("+".join(["1"] * 5000) + " > 0", "recursion depth exceeded"),
        ("device" + ".a" * 4500, "recursion depth exceeded"),
        ("true?true:" * 900 + "true", "recursion limit exceeded"),
        ("optional.of(1)" + ".optMap(x, x+1)" * 12 + ".hasValue()", "grows too large"),
        ("9" * 9000 + " > 1", "invalid int literal"),
        ("9" * 9000 + "u > 1u", "invalid uint literal"),
        ("0x" + "f" * 9000 + " > 1", "invalid int literal"),
        ("9" * 9000 + ".0 > 1.0", "invalid double literal"),
        ('int("' + "9" * 9000 + '") > 1', "type conversion error"),
        ('duration("' + "9" * 9000 + 's") > duration("1s")', "invalid duration"),
        ('"a".matches("(a{1,1000}){1,1000}")', "invalid matches argument"),
        ("\0", "token recognition error"),
        ("", "Syntax error"),
        # stopped while evaluating
        (bound(40, "[1]", "v + v", "size(v) > 0"), "more than 10000000 elements"),
        (bound(40, '"abc"', "v + v", "size(v) > 0"), "actual cost limit exceeded"),
        (bound(30, "[1]", "[v, v]", "v == v"), "more than 200000 elements"),
        (
            bound(30, "[1]", "[optional.of(v), optional.of(v)]", "v == v"),
            "more than 200000 elements",
        ),
        (bound(30, "[1]", "[v, v]", '"%s".format([v]) == ""'), "more than 200000 elements"),
        ("lists.range(1000000000).size() > 0", "exceeds maximum allowed"),
        (f"sets.contains({RANGE}, {RANGE})", "actual cost limit exceeded"),
        (f"{RANGE}.distinct().size() > 0", "actual cost limit exceeded"),
        (f"{RANGE}.sortBy(x, -x).size() > 0", "actual cost limit exceeded"),
        ('"%.1000000000f".format([1.0]) != ""', "precision"),
        (
            f'"{"a" * 999}".replace("a", "{"b" * 999}").replace("b", "{"c" * 999}") == ""',
            "more than 10000000 elements",
        ),
        (
            "".join([f"{TEN}.all({x}, " for x in "abcdefg"]) + "true" + ")" * 7,
            "actual cost limit exceeded",
        ),
        ('quantity("' + "9" * 5000 + '").isInteger()', "quantity"),
    ],
)
def test_excess_is_rejected(text: str, part: str) -> None:
    found = outcome(text)
    assert isinstance(found, str)
    assert part in found


def test_the_longest_expression_is_taken() -> None:
    text = " || ".join([f'device.driver == "{i:04d}"' for i in range(MAX_LENGTH // 28)])
    assert MAX_LENGTH - 800 < len(text) <= MAX_LENGTH
    assert outcome(text) is False


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
@example("\ud800")
@example('"\\ud800"')
@example("a.b{c:1}{d:2}")
def test_any_text(text: str) -> None:
    assert outcome(text) is not None


_PIECES = st.sampled_from(
    ["device", ".attributes", '["d"]', ".a", ".?a", "[?0]", "(", ")", "[", "]", "{", "}", "1",
     '"x"', ",", ":", "?", "&&", "||", "!", "-", "+", "==", "<", "in", ".all(x,", ".map(x,",
     "has(", "cel.bind(y,", "optional.of(", ".orValue(", "size(", "dyn(", "quantity(", "x", "y"]
)  # fmt: skip


@given(st.lists(_PIECES, min_size=1, max_size=25))
@settings(max_examples=300, deadline=None)
def test_any_sequence_of_pieces(pieces: list[str]) -> None:
    assert outcome(" ".join(pieces)) is not None


def test_deep_trees_in_many_threads() -> None:
    text = "[" * 120 + "1" + "]" * 120 + " == " + "[" * 120 + "1" + "]" * 120
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(outcome, [text] * 24)) == [True] * 24


def test_nesting_may_be_parsed_by_itself() -> None:
    assert parse("[" * 249 + "]" * 249) is not None

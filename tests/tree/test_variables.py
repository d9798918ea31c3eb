"""Texts with variables come to what Flux makes of them."""

from __future__ import annotations

import pytest

from dradsl.tree.variables import Hole, can_be, evaluate, parse

KNOWN = {"A": "abc", "N": "2", "EMPTY": "", "P": "a/b/a", "UP": "AbC"}

# Functions of envsubst are not applied, whatever the value is.
FUNCTIONS = [
    "${A^^}",
    "${A^}",
    "${UP,,}",
    "${UP,}",
    "${#A}",
    "${A:1}",
    "${A:0:2}",
    "${A:1:1}",
    "${A/b/x}",
    "${P//a/x}",
    "${P/#a/x}",
    "${P/%a/x}",
    "${A#a}",
    "${A%c}",
    "${A##ab}",
    "${A%%bc}",
    "${A:5}",
    "${A/b/}",
    "${A//b/$}",
]

# Recorded from github.com/fluxcd/pkg/envsubst v1.4.0, Eval, where NONE has no value.
RECORDED = [
    ("${A}", "abc"),
    ("x-${A}-y", "x-abc-y"),
    ("${A:=d}", "abc"),
    ("${EMPTY:=d}", "d"),
    ("${NONE:=d}", "d"),
    ("${NONE:-d}", "d"),
    ("${NONE=d}", "d"),
    ("${EMPTY=d}", "d"),
    ("$$${A}", "$abc"),
    ("${A:=${N}}", "abc"),
    ("${NONE:=${N}}", "2"),
    ("${NONE:=x${N}y}", "x2y"),
    ("${NONE:=}", ""),
    ("a${A}b${N}c", "aabcb2c"),
    ("${A:?no}", "abc"),
    ("${A:+x}", "abc"),
    ("${NONE:=a:b}", "a:b"),
    ('${NONE:="q"}', '"q"'),
    ("${NONE:=a b}", "a b"),
]

# What Eval rejects, and what holds no variable.
TEXTS = [
    "${NONE-d}",
    "${A",
    "${A b}",
    "${A.b}",
    "${A/b}",
    "$A",
    "$${A}",
    "",
    "{ x }",
    "{{",
    "${}",
    "${-}",
]


@pytest.mark.parametrize(("text", "expected"), RECORDED)
def test_as_upstream(text: str, expected: str) -> None:
    parsed = parse(text)
    assert parsed is not None
    value = evaluate(parsed, KNOWN)
    # A default of nothing is no value to judge.
    assert value.text == (expected or None) or (value.text, expected) == ("", "")


@pytest.mark.parametrize("text", FUNCTIONS)
def test_functions_are_not_known(text: str) -> None:
    parsed = parse(f"a-{text}")
    assert parsed is not None
    assert evaluate(parsed, KNOWN).parts == ("a-", Hole(text))


@pytest.mark.parametrize("text", TEXTS)
def test_no_variables(text: str) -> None:
    parsed = parse(text)
    assert parsed is None or evaluate(parsed, KNOWN).text is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("${X}", (Hole("${X}"),)),
        ("a-${X}-${Y}", ("a-", Hole("${X}"), "-", Hole("${Y}"))),
        ("${X:=}", (Hole("${X:=}"),)),
        ("${X:?message}", (Hole("${X:?message}"),)),
        ("${X:+other}", (Hole("${X:+other}"),)),
        ("${X^^}", (Hole("${X^^}"),)),
        ("${X:=${Y}}", (Hole("${Y}"),)),
        ("{{ .a }}${A}{{ .b }}", (Hole("{{ .a }}"), "abc", Hole("{{ .b }}"))),
        ("$${X}${Y}", ("${X}", Hole("${Y}"))),
    ],
)
def test_holes(text: str, parts: object) -> None:
    parsed = parse(text)
    assert parsed is not None
    assert evaluate(parsed, KNOWN).parts == parts


def test_only_templates() -> None:
    assert parse("${A}", variables=False) is None
    assert parse("{{ x }}${A}", variables=False) == (Hole("{{ x }}"), "${A}")


@pytest.mark.parametrize(
    ("text", "candidate", "expected"),
    [
        ("${X}", "", True),
        ("${X}-gpu", "media-gpu", True),
        ("${X}-gpu", "-gpu", True),
        ("${X}-gpu", "gpu", False),
        ("a-${X}-b-${Y}-c", "a-1-b-2-c", True),
        ("a-${X}-b-${Y}-c", "a-1-c", False),
        ("aa${X}aa", "aaa", False),
        ("${X}b${Y}b", "b", False),
        ("${X}b${Y}b", "bb", True),
    ],
)
def test_what_a_text_can_be(text: str, candidate: str, *, expected: bool) -> None:
    parsed = parse(text)
    assert parsed is not None
    assert can_be(evaluate(parsed, {}).parts, candidate) is expected


@pytest.mark.parametrize(
    "text", ["${A" * 5000, "${A:=" * 5000, "{{" * 5000, "$" * 9999, "${A:=}" * 5000, "{{}}" * 5000]
)
def test_long_texts(text: str) -> None:
    parsed = parse(text)
    assert parsed is None or evaluate(parsed, {}).parts

"""Printing expressions: one form, the same meaning, nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.cel.syntax.ast import Call, Expr, chain_of
from dradsl.cel.syntax.parse import CelSyntaxError, parse
from dradsl.cel.syntax.printer import format_expression
from tests.cel.expressions import Generator


def meaning(node: Expr) -> object:
    """The tree without places; chains of `&&` and `||` as upstream flattens them."""
    if isinstance(node, Call) and node.function in ("_&&_", "_||_"):
        return (node.function, *[meaning(term) for term in chain_of(node)])
    own = [getattr(node, name, None) for name in ("function", "name", "field", "value", "macro")]
    return (type(node).__name__, *[repr(part) for part in own], *map(meaning, node.below()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a&&(b||c)&&d", "a && (b || c) && d"),
        ("((a))", "a"),
        ("a-(b-c)", "a - (b - c)"),
        ("(a-b)-c", "a - b - c"),
        ("(a?b:c)?d:(e?f:g)", "(a ? b : c) ? d : e ? f : g"),
        ("!(a==b)", "!(a == b)"),
        ("-(x)", "-x"),
        ("(a+b).c()", "(a + b).c()"),
        ("a.?b[?c].d('x',1)", "a.?b[?c].d('x', 1)"),
        ("[1,2].all(x,x>1)", "[1, 2].all(x, x > 1)"),
        ('{"a":1,?b:c}', '{"a": 1, ?b: c}'),
        ("has(a.b)", "has(a.b)"),
        ("0x1F==31u", "0x1F == 31u"),
        ("""r'\\d'+"\\u00e9" """.strip(), """r'\\d' + "\\u00e9\""""),
    ],
)
def test_forms(text: str, expected: str) -> None:
    assert format_expression(text) == expected


def test_comments_are_not_lost() -> None:
    text = "a  // why\n  && b"
    assert format_expression(text) == text


def test_long_expressions_break_by_clause() -> None:
    text = " && ".join([f'device.attributes["gpu.example.com"].a{i} == "{i}"' for i in range(4)])
    lines = format_expression(text).split("\n")
    assert len(lines) == 4
    assert all(len(line) <= 100 for line in lines)


def test_wrong_expressions_are_rejected() -> None:
    with pytest.raises(CelSyntaxError):
        format_expression("a &&")


@given(st.integers(0, 10**6), st.sampled_from([30, 60, 100]))
@settings(max_examples=120, deadline=None)
def test_printing_keeps_the_meaning_and_is_stable(seed: int, width: int) -> None:
    text = Generator(seed).expression(4)
    try:
        tree = parse(text)
    except CelSyntaxError:
        return
    printed = format_expression(text, width)
    assert meaning(parse(printed)) == meaning(tree)
    assert format_expression(printed, width) == printed

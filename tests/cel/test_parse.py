"""The parser: what expressions mean, where their nodes stand, and how they are rejected."""

from __future__ import annotations

import pytest

from dradsl.cel.runtime.values import Uint
from dradsl.cel.syntax.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    Literal,
    Select,
    depth,
    walk,
)
from dradsl.cel.syntax.parse import CelSyntaxError, parse


def tree(node: Expr) -> str:
    """The tree in prefix form: `(+ a 1)`."""
    match node:
        case Literal():
            return repr(node.value)
        case Ident():
            return node.name
        case Select():
            head = f"has.{node.field}" if node.test_only else f".{node.field}"
        case Call():
            head = node.function
        case Comprehension():
            head = node.macro
        case _:
            head = type(node).__name__
    parts = " ".join([head, *[tree(child) for child in node.below()]])
    return f"({parts})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b.c", "(.c (.b a))"),
        ("a || b && c", "(_||_ a (_&&_ b c))"),
        ("a == b + c * d", "(_==_ a (_+_ b (_*_ c d)))"),
        ("a - b - c", "(_-_ (_-_ a b) c)"),
        ("a < b == c", "(_==_ (_<_ a b) c)"),
        ("a ? b : c ? d : e", "(_?_:_ a b (_?_:_ c d e))"),
        ("-a.b", "(-_ (.b a))"),
        ("-1.b", "(.b -1)"),
        ("--a", "a"),
        ("---a", "(-_ a)"),
        ("!!a", "a"),
        ("- 1", "-1"),
        ("--1", "1"),
        ("!-1", "(!_ -1)"),
        ("a in [b]", "(@in a (ListExpr b))"),
        ("a.?b[?c]", "(_[?_] (_?._ a 'b') c)"),
        (".a.b(c)", "(b .a c)"),
        ("[1, ?a,]", "(ListExpr 1 a)"),
        ("{a: b, ?c: d,}", "(MapExpr a b c d)"),
        ("[,]", "(ListExpr)"),
        ("a.b{c: d}", "(StructExpr d)"),
        ("has(a.b)", "(has.b a)"),
        ("a // comment\n + b", "(_+_ a b)"),
        ("a&&b&&c&&d", "(_&&_ (_&&_ a b) (_&&_ c d))"),
    ],
)
def test_trees(text: str, expected: str) -> None:
    assert tree(parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1F", 31),
        ("42u", Uint(42)),
        ("0xFFu", Uint(255)),
        (".5", 0.5),
        ("1e-3", 0.001),
        (r'"\x41\u00e9\U0001F600\101\n\?\`"', "Aé\U0001f600A\n?`"),
        (r"r'\n'", "\\n"),
        ('"""a"b\nc"""', 'a"b\nc'),
        ("'''a\r\nb'''", "a\nb"),
        (r'b"\xff\303\251é"', b"\xff\xc3\xa9\xc3\xa9"),
        ("br'\\n'", b"\\n"),
        ("null", None),
        ("true", True),
    ],
)
def test_literals(text: str, value: object) -> None:
    node = parse(text)
    assert isinstance(node, Literal)
    assert node.value == value
    assert type(node.value) is type(value)


# Where parsing stops, as upstream reports it: offset, then the start of the message.
@pytest.mark.parametrize(
    ("text", "start", "message"),
    [
        ("", 0, "Syntax error: mismatched input '<EOF>'"),
        ("a &&", 4, "Syntax error: mismatched input '<EOF>'"),
        ("a b", 2, "Syntax error: extraneous input 'b' expecting <EOF>"),
        ("a and b", 2, "Syntax error: mismatched input 'and' expecting <EOF>"),
        ("a = b", 2, "Syntax error: token recognition error at: '= '"),
        ("'a", 0, "Syntax error: token recognition error at: ''a'"),
        ('"\\q"', 0, "Syntax error: token recognition error at: '\"\\q'"),
        ("a.in", 2, "Syntax error: "),
        ("f(1,)", 4, "Syntax error: "),
        ("5.", 2, "Syntax error: "),
        ("1L", 1, "Syntax error: "),
        ("0X1", 1, "Syntax error: "),
        ('rb"a"', 2, "Syntax error: "),
        ("a ? b ? c : d : e", 6, "Syntax error: "),
        ("!-a", 2, "Syntax error: "),
        ("[1, 2", 5, "Syntax error: "),
        ("{1: 2", 5, "Syntax error: "),
        ("(1", 2, "Syntax error: "),
        ("for + 1", 0, "reserved identifier: for"),
        ("while(1)", 0, "reserved identifier: while"),
        ("1 + 99999999999999999999", 4, "invalid int literal"),
        ("18446744073709551616u", 0, "invalid uint literal"),
        ("1e999", 0, "invalid double literal"),
        (r'"\ud800"', 0, "invalid unicode code point"),
        (r'b"\u0041"', 0, "unable to unescape string"),
        ("a.`b`", 2, "unsupported syntax: '`'"),
        ("has(a)", 4, "invalid argument to has() macro"),
        ("[1].all(1, true)", 8, "argument must be a simple name"),
        ("[1].map(__result__, 1)", 8, "iteration variable overwrites accumulator variable"),
    ],
)
def test_rejections(text: str, start: int, message: str) -> None:
    with pytest.raises(CelSyntaxError) as caught:
        parse(text)
    assert caught.value.start == start
    assert caught.value.message.startswith(message)
    assert caught.value.help


def test_all_mistakes_of_macros_and_literals_are_reported() -> None:
    with pytest.raises(CelSyntaxError) as caught:
        parse("has(a) && 99999999999999999999 == 1 && for")
    assert [issue.start for issue in caught.value.issues] == [4, 10, 39]


# Nesting that upstream still takes, and one step more that it rejects.
@pytest.mark.parametrize(
    ("opening", "middle", "closing", "most"),
    [
        ("(", "1", ")", 249),
        ("[", "1", "]", 249),
        ("f(", "1", ")", 249),
        ("a ? b : ", "c", "", 249),
        ("a[", "1", "]", 249),
        ("a == (", "1", ")", 124),
        ("a + b * (", "1", ")", 83),
    ],
)
def test_nesting(opening: str, middle: str, closing: str, most: int) -> None:
    parse(opening * most + middle + closing * most)
    with pytest.raises(CelSyntaxError) as caught:
        parse(opening * (most + 1) + middle + closing * (most + 1))
    assert caught.value.message == "expression recursion limit exceeded: 250"
    assert caught.value.start == -1


@pytest.mark.parametrize(
    ("link", "most"), [(" + a", 250), (".b", 250), ("[0]", 250), (".f()", 250)]
)
def test_chains(link: str, most: int) -> None:
    parse("a" + link * most)
    with pytest.raises(CelSyntaxError, match="nests too deeply") as caught:
        parse("a" + link * (most + 1))
    assert caught.value.message == "max recursion depth exceeded"


@pytest.mark.parametrize("operator", ["&&", "||"])
def test_long_chains_stay_shallow(operator: str) -> None:
    assert depth(parse(operator.join(["a"] * 4000))) <= 13


def test_spans_cover_the_text_of_the_node() -> None:
    text = 'device.attributes["a"].b == "c" && !(1 + 2 in [3])'
    spans = {text[slice(*node.span)] for node in walk(parse(text))}
    assert {'device.attributes["a"].b', '"c"', "!(1 + 2 in [3])", "1 + 2 in [3]", "[3]"} <= spans


def test_positions_are_upstreams() -> None:
    node = parse("a.b(c) + d")
    assert isinstance(node, Call)
    assert node.at == 7  # the operator
    assert node.args[0].at == 3  # the parenthesis
    assert parse("[1].all(x, x)").at == 7  # a macro is where its parenthesis stands


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("a and b", "write '&&' for 'and'"),
        ("a or b", "write '||' for 'or'"),
        ("not a", "write '!(…)' for 'not'"),
        ("a = b", "'=' is not an operator; write '=='"),
        ("a &&", "the expression ends here: expected"),
        ("“a” == b", "typographic quotes"),
    ],
)
def test_help_with_what_other_languages_write(text: str, help_: str) -> None:
    with pytest.raises(CelSyntaxError) as rejected:
        parse(text)
    assert any(help_ in issue.help for issue in rejected.value.issues)

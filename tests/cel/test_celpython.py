"""Plain CEL beside cel-python, an implementation that shares nothing with ours.

Only what both have, and where cel-python is known to be right: it compares values of different
types by an error, knows `true == 1`, wraps no overflow of a literal, and takes other values than
bool for `&&`. The expressions here keep types apart.
"""

from __future__ import annotations

from typing import Any

import celpy
import pytest
from celpy.celparser import CELParseError
from celpy.evaluation import CELEvalError
from hypothesis import given, settings, strategies as st

from dradsl.cel import CelCompileError, CelRuntimeError, Environment, compile_expression
from dradsl.cel.dra import device_environment
from dradsl.cel.types import BOOL, INT, STRING, list_of

_BASE = device_environment("1.36")
ENVIRONMENT = Environment(
    name="plain",
    functions=_BASE.functions,
    variables={"n": INT, "m": INT, "s": STRING, "flag": BOOL, "items": list_of(INT)},
    dialect=_BASE.dialect,
    macros=_BASE.macros,
)
BINDINGS: dict[str, Any] = {"n": 3, "m": -2, "s": "héllo", "flag": True, "items": [3, 1, 2]}


def ours(text: str) -> object:
    """The value, or "error"."""
    try:
        return compile_expression(text, ENVIRONMENT).evaluate(BINDINGS)
    except (CelCompileError, CelRuntimeError):
        return "error"


def theirs(text: str) -> object:
    environment = celpy.Environment()
    try:
        program = environment.program(environment.compile(text))
        value = program.evaluate({k: celpy.adapter.json_to_cel(v) for k, v in BINDINGS.items()})
    except (CELEvalError, CELParseError):
        return "error"
    return _plain(value)


def _plain(value: Any) -> object:
    if isinstance(value, celpy.celtypes.BoolType):
        return bool(value)
    if isinstance(value, celpy.celtypes.IntType):
        return int(value)
    if isinstance(value, celpy.celtypes.StringType):
        return str(value)
    if isinstance(value, celpy.celtypes.ListType):
        return [_plain(item) for item in value]
    return value


_INTS = st.sampled_from(["0", "1", "2", "7", "-3", "n", "m", "9223372036854775807", "size(s)"])
_SURE = st.sampled_from(["0", "1", "3", "n", "m"])
"""What cannot fail, for the bodies of macros: cel-python lets their failures through `&&`."""
_STRINGS = st.sampled_from(['""', '"a"', '"é"', "s", '"hé"', '"llo"'])
_BOOLS = st.sampled_from(["true", "false", "flag", "has({'a': 1}.a)", "(1 in items)"])


def _int(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operator = st.sampled_from(["+", "-", "*", "/", "%"])
    return st.one_of(
        st.builds("({} {} {})".format, inner, operator, inner),
        st.builds("items[{}]".format, st.sampled_from(["0", "2", "3"])),
        st.builds("({} ? {} : {})".format, _bools(inner), inner, inner),
        st.builds("items.map(x, x * {}).size()".format, _SURE),
    )


def _bools(ints: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    order = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    test = st.sampled_from(["startsWith", "endsWith", "contains"])
    return st.one_of(
        _BOOLS,
        st.builds("({} {} {})".format, ints, order, ints),
        st.builds("({} {} {})".format, _STRINGS, order, _STRINGS),
        st.builds("{}.{}({})".format, _STRINGS, test, _STRINGS),
        st.builds("({} in items)".format, ints),
        st.builds(
            "items.{}(x, x > {})".format, st.sampled_from(["all", "exists", "exists_one"]), _SURE
        ),
        st.builds("(items.filter(x, x != {}).size() == 2)".format, _SURE),
    )


INTS = st.recursive(_INTS, _int, max_leaves=4)
BOOLS = st.recursive(
    _bools(INTS),
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from(["&&", "||"]), inner),
        st.builds("!{}".format, inner),
        st.builds("({} ? {} : {})".format, inner, inner, inner),
    ),
    max_leaves=4,
)


@given(st.one_of(INTS, BOOLS))
@settings(max_examples=250, deadline=None)
def test_both_agree(text: str) -> None:
    assert ours(text) == theirs(text)


@pytest.mark.parametrize(
    ("text", "value", "fault"),
    [
        ("items[-1]", "error", 2),
        ("items.filter(x, x != items[3]).size() == 2 && false", False, "error"),
        ("dyn(1) == dyn('a')", False, "error"),
        ("dyn(true) == dyn(1)", False, True),
    ],
)
def test_known_faults_of_the_peer(text: str, value: object, fault: object) -> None:
    """Where the two differ, upstream is on our side; if this fails, cel-python was fixed."""
    assert ours(text) == value
    assert theirs(text) == fault

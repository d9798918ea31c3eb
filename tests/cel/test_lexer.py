"""Tokens by the short pattern are those of the whole one."""

from __future__ import annotations

import re
from unittest import mock

import pytest
from hypothesis import example, given, strategies as st

from dradsl.cel.syntax import lexer
from tests.cel.expressions import Generator

_NOTHING = re.compile(r"(?!)")
_PIECES = st.sampled_from([*"\"'\\nrbB`0179.eEuUxXa_/ \n\t()=&|!<>-é", '"""', "'''", "in", "0x"])


def _by_the_whole_pattern(text: str) -> lexer.Tokens:
    with mock.patch.object(lexer, "_NEXT_COMMON", _NOTHING):
        return lexer.tokenize(text)


@given(st.lists(_PIECES, max_size=30).map("".join))
@example('rb"a"b"c"')
@example("1.e3.5 .5.a 1u 0x1Fu 07a")
@example('"" "a""""b"""')
def test_any_text(text: str) -> None:
    assert lexer.tokenize(text) == _by_the_whole_pattern(text)


@pytest.mark.parametrize("seed", range(200))
def test_expressions(seed: int) -> None:
    text = Generator(seed).expression()
    assert lexer.tokenize(text) == _by_the_whole_pattern(text)

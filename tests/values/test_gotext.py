"""Strings and floats as Go prints them."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, strategies as st

from dradsl.values.gotext import json_float, pow10, quote


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain", '"plain"'),
        ('a"b\\', '"a\\"b\\\\"'),
        ("\a\b\f\n\r\t\v\x00\x7f", '"\\a\\b\\f\\n\\r\\t\\v\\x00\\x7f"'),
        ("é😀", '"é😀"'),
        ("\xa0\u200b\ufeff\U000e0001", '"\\u00a0\\u200b\\ufeff\\U000e0001"'),
    ],
)
def test_quote(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (1.5, "1.5"),
        (100000000000000000000.0, "100000000000000000000"),
        (1e21, "1e+21"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.25e-10, "1.25e-10"),
        (2.0**60, "1152921504606847000"),
        (5e-324, "5e-324"),
    ],
)
def test_json_float(number: float, text: str) -> None:
    assert json_float(number) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_json_float_reads_back(number: float) -> None:
    assert float(json.loads(json_float(number))) == number


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_json_has_no_such_number(number: float) -> None:
    with pytest.raises(ValueError, match="no JSON form"):
        json_float(number)


def test_powers_of_ten() -> None:
    assert [pow10(n) for n in (0, 3, 22, -3, 308, 309, -324)] == [
        1.0,
        1000.0,
        1e22,
        0.001,
        1e308,
        math.inf,
        0.0,
    ]

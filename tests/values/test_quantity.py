"""Quantities: upstream's quirks by name, and the laws of amounts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.values.quantity import Quantity, QuantityError

# Text, canonical text, family, AsInt64 or None. All answers are those of apimachinery 0.37.2.
PARSED = [
    ("0", "0", "DecimalSI", 0),
    ("80Gi", "80Gi", "BinarySI", 85899345920),
    ("1024Mi", "1Gi", "BinarySI", 1073741824),
    ("1.5Gi", "1536Mi", "BinarySI", None),
    ("0.5Gi", "512Mi", "BinarySI", None),
    ("100Ki", "100Ki", "BinarySI", 102400),
    ("1Ki", "1Ki", "BinarySI", 1024),
    ("0.5Ki", "512", "BinarySI", None),
    ("7Ei", "7Ei", "BinarySI", None),
    ("8Ei", "9223372036854775807", "BinarySI", None),
    ("1000m", "1", "DecimalSI", None),
    ("500m", "500m", "DecimalSI", None),
    ("10.0", "10", "DecimalSI", None),
    ("50G", "50G", "DecimalSI", 50_000_000_000),
    ("1e3", "1e3", "DecimalExponent", 1000),
    ("12e5", "1200e3", "DecimalExponent", 1200000),
    ("0.1n", "1n", "DecimalSI", None),
    ("-0.1n", "-1n", "DecimalSI", None),
    ("9223372036854775807", "9223372036854775807", "DecimalSI", None),
    ("5.", "5.", "DecimalSI", 5),
    (".5", "500m", "DecimalSI", None),
    # Texts that pass for canonical are kept; what is beyond E has no suffix; signs alone are zero.
    ("+5", "+5", "DecimalSI", 5),
    ("007", "007", "DecimalSI", 7),
    ("1000E", "1", "DecimalSI", None),
    ("Ki", "0", "BinarySI", 0),
    ("-", "0", "DecimalSI", 0),
    (".", "0", "DecimalSI", 0),
]


@pytest.mark.parametrize(("text", "canonical", "family", "integer"), PARSED)
def test_parsed_as_upstream_does(
    text: str, canonical: str, family: str, integer: int | None
) -> None:
    quantity = Quantity.parse(text)
    assert str(quantity) == canonical
    assert quantity.format == family
    assert quantity.is_integer() == (integer is not None)
    if integer is None:
        with pytest.raises(QuantityError, match="cannot convert value to integer"):
            quantity.as_integer()
    else:
        assert quantity.as_integer() == integer


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "quantities must match the regular expression"),
        ("1 Gi", "quantities must match the regular expression"),
        ("1_000", "quantities must match the regular expression"),
        ("1..5", "quantities must match the regular expression"),
        ("1e1.5", "quantities must match the regular expression"),
        ("é", "quantities must match the regular expression"),
        ("1K", "unable to parse quantity's suffix"),
        ("1GiB", "quantities must match the regular expression"),
        ("1e", "unable to parse quantity's suffix"),
        ("5+3", "unable to parse quantity's suffix"),
        (".e-20", "unable to parse numeric part of quantity"),
        ("1" * 5000, "5000 characters"),
        ("1234567890123456789e9999", "exponent"),
    ],
)
def test_rejected_with_upstreams_words(text: str, message: str) -> None:
    with pytest.raises(QuantityError, match=message):
        Quantity.parse(text)


def test_huge_exponents_cost_nothing() -> None:
    huge, tiny = Quantity.parse("1e2000000000"), Quantity.parse("1e-2000000000")
    assert huge > Quantity.parse("9E")
    assert tiny == Quantity.parse("1n")
    assert Quantity.parse("-1e2000000000") < Quantity.parse("-9E")
    assert str(huge) == "100e1999999998"
    with pytest.raises(QuantityError):
        huge + Quantity.parse("1")
    with pytest.raises(QuantityError):
        huge.as_fraction()


def test_values_round_and_overflow_as_upstreams() -> None:
    assert Quantity.parse("1.1").value() == 2
    assert Quantity.parse("-500m").value() == -1
    assert Quantity.parse("-0.5Gi").value() == -536870912
    assert Quantity.parse("1n").milli_value() == 1
    assert Quantity.parse("1000E").value() == 0
    assert Quantity.parse("80Gi").as_approximate_float() == 85899345920.0


def test_no_key_of_a_mapping() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Quantity.parse("1"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (" 5Gi\u3000", "5Gi"),
        (5, "5"),
        (1.5, "1500m"),
        (1e30, "1e30"),
        (1e21, "1e21"),
        (0.1, "100m"),
    ],
)
def test_decoded_fields(value: str | float, text: str) -> None:
    assert Quantity.decode(value) == Quantity.parse(text)


@pytest.mark.parametrize("value", [True, float("nan"), float("inf"), "", "x", "5Gi\n", "\t5Gi"])
def test_what_is_no_quantity_field(value: str | float) -> None:
    with pytest.raises(QuantityError):
        Quantity.decode(value)


SUFFIXES = st.sampled_from(
    ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "e3"]
)
NUMBERS = st.from_regex(r"[+-]?[0-9]{1,12}(\.[0-9]{1,9})?", fullmatch=True)
QUANTITIES = st.builds(lambda number, suffix: Quantity.parse(number + suffix), NUMBERS, SUFFIXES)


@settings(deadline=None)
@given(QUANTITIES)
def test_canonical_text_means_the_same(quantity: Quantity) -> None:
    canonical = str(Quantity(quantity.mantissa, quantity.scale, quantity.format, quantity.small))
    if abs(quantity.as_fraction()) < 10**21:
        again = Quantity.parse(canonical)
        assert again == quantity
        assert str(again) == canonical
    if quantity.sign() > 0:
        assert not canonical.startswith(("-", "+"))


@settings(deadline=None)
@given(QUANTITIES, QUANTITIES, QUANTITIES)
def test_order_and_arithmetic_are_those_of_fractions(a: Quantity, b: Quantity, c: Quantity) -> None:
    x, y = a.as_fraction(), b.as_fraction()
    assert a.cmp(b) == (x > y) - (x < y) == -b.cmp(a)
    assert (a + b).as_fraction() == x + y
    assert (a - b).as_fraction() == x - y
    assert (a + b) + c == a + (b + c)
    assert a.shifted(3).as_fraction() == x * 1000
    assert (a <= b) == (x <= y)
    assert (a == b) == (x == y)


@settings(deadline=None)
@given(QUANTITIES)
def test_value_is_never_below_the_amount(quantity: Quantity) -> None:
    amount = quantity.as_fraction()
    if 0 <= amount < 2**62:
        assert 0 <= quantity.value() - amount < 1
    if quantity.is_integer():
        assert quantity.as_integer() == amount
    if amount:
        assert abs(Fraction(quantity.as_approximate_float()) / amount - 1) < Fraction(1, 10**12)

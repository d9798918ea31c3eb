"""Scalars as the Kubernetes reader resolves them; all answers are those of sigs.k8s.io/yaml 1.6."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.text.documents import load
from dradsl.text.scalars import ScalarError, key_name, resolve

STR, INT, FLOAT = "tag:yaml.org,2002:str", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"
NULL, BINARY = "tag:yaml.org,2002:null", "tag:yaml.org,2002:binary"

PLAIN = [
    # Booleans of YAML 1.1, single letters too; nothing but the listed spellings.
    ("yes", True),
    ("On", True),
    ("y", True),
    ("N", False),
    ("OFF", False),
    ("tRue", "tRue"),
    ("", None),
    ("~", None),
    ("Null", None),
    ("nULL", "nULL"),
    # Integers in every base Go reads, underscores anywhere but in front.
    ("010", 8),
    ("0o10", 8),
    ("0O7", 7),
    ("08", 8),
    ("0x1F", 31),
    ("0b11", 3),
    ("-0b11", -3),
    ("+1", 1),
    ("1__0", 10),
    ("1_", 1),
    ("_1", "_1"),
    ("0x", "0x"),
    # Whole floats become integers on the way through JSON, and big integers floats.
    ("1.0", 1),
    ("1e3", 1000),
    ("-0.0", 0),
    ("1152921504606846976.0", 1152921504606847000),
    ("9223372036854775807", 9223372036854775807),
    ("9223372036854775808", 9223372036854775808.0),
    ("-9223372036854775809", -9223372036854775809.0),
    ("1e21", 1e21),
    ("1.5", 1.5),
    (".5", 0.5),
    (".5_0", 0.5),
    ("._5", "._5"),
    ("1e999", "1e999"),
    (".", "."),
    ("1.5.2", "1.5.2"),
    ("12:30:45", "12:30:45"),
    # What looks like a date or a quantity is text.
    ("2001-01-01", "2001-01-01"),
    ("2001-12-14t21:59:43.10-05:00", "2001-12-14t21:59:43.10-05:00"),
    ("80Gi", "80Gi"),
    ("v1", "v1"),
    ("<<", "<<"),
    ("=", "="),
    ("NaN", "NaN"),
]


@pytest.mark.parametrize(("text", "value"), PLAIN)
def test_plain(text: str, value: object) -> None:
    found = resolve(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("style", ["'", '"', "|", ">"])
@pytest.mark.parametrize("text", ["yes", "5", "", "null", "1.0"])
def test_quoted_is_text(text: str, style: str) -> None:
    assert resolve(text, style) == text


@pytest.mark.parametrize(
    ("text", "tag", "value"),
    [
        ("5", STR, "5"),
        ("5", INT, 5),
        ("5", FLOAT, 5),
        ("", NULL, None),
        ("aGk=", BINARY, "hi"),
        ("5", "!own", "5"),
        ("5", "!", "5"),
    ],
)
def test_tagged(text: str, tag: str, value: object) -> None:
    assert resolve(text, "'", tag) == value


@pytest.mark.parametrize(
    ("text", "tag", "message"),
    [
        (".inf", None, "json: unsupported value: +Inf"),
        ("-.Inf", None, "json: unsupported value: -Inf"),
        (".NaN", None, "json: unsupported value: NaN"),
        ("abc", INT, "cannot decode !!str `abc` as a !!int"),
        ("1.5", INT, "cannot decode !!float `1.5` as a !!int"),
        ("x", NULL, "cannot decode !!str `x` as a !!null"),
        ("@@", BINARY, "!!binary value contains invalid base64 data"),
    ],
)
def test_rejected(text: str, tag: str | None, message: str) -> None:
    with pytest.raises(ScalarError) as caught:
        resolve(text, "", tag)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a", "a"),
        ("yes", "true"),
        ("0x10", "16"),
        ("1.5", "1.5"),
        ("0.1", "0.1"),
        ("1e3", "1000"),
        ("1e6", "1e+06"),
        ("123456789.0", "1.2345679e+08"),
        ("0.00001", "1e-05"),
        ("1e39", ".inf"),
        (".nan", ".nan"),
        ("2001-01-01", "2001-01-01"),
    ],
)
def test_keys(text: str, name: str) -> None:
    assert key_name(text) == name
    assert key_name(text, "'") == text


@pytest.mark.parametrize("text", ["~", "", "18446744073709551615"])
def test_what_is_no_key(text: str) -> None:
    with pytest.raises(ScalarError, match="unsupported map key"):
        key_name(text)


@settings(deadline=None)
@given(st.text(alphabet="+-0123456789.eExXoObB_yYnNtTfFaull~:", max_size=12))
def test_a_plain_scalar_is_read_the_same_alone_and_in_a_document(text: str) -> None:
    documents = load(f"a: {text}\n".encode()).documents
    try:
        value = resolve(text)
    except ScalarError:
        assert documents[0].data is None
        return
    if documents[0].data is not None and ": " not in f"{text} " and not text.startswith("- "):
        assert documents[0].data == {"a": value}
    if isinstance(value, float):
        assert math.isfinite(value)
        assert not value.is_integer() or abs(value) > 2**63 - 1

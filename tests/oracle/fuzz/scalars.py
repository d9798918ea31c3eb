"""Texts of quantities, versions and YAML scalars, at the edges and at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

__all__ = ["QUANTITIES", "VERSIONS", "YAML", "quantity", "version"]

_SUFFIXES = ("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_ODD_SUFFIXES = (
    "K",
    "Zi",
    "i",
    "GiB",
    "gi",
    "e",
    "E+",
    "e1.5",
    "e3",
    "E3",
    "e-3",
    "e+18",
    "e19",
    "e-9",
    "e-10",
    "e400",
)

QUANTITIES = (
    *(f"{number}{suffix}" for number in ("0", "1", "-1", "1.5", "0.5", "1024", "9", "10.0") for suffix in _SUFFIXES),
    *(f"1{suffix}" for suffix in _ODD_SUFFIXES),
    "", " ", "+", "-", ".", "5.", ".5", "+1", "--1", "1 ", " 1", "1_000", "1,5", "0x10", "NaN", "inf", "é", "1é",
    "00", "007", "-0", "+0", "0.0", "0.000", "1.000000000", "1.0000000001", "0.1n", "-0.1n", "0.9n", "1.1n",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
    "9223372036854775807Ki", "7Ei", "8Ei", "9Ei", "-8Ei", "9.5E", "10E", "100E", "1e18", "1e19", "123456789012345678",
    "1234567890123456789", "12345678901234567890", "0.123456789", "0.1234567891", "100000000000000000000000000",
    "999999999999999999", "1000000000000000000", "0.5Gi", "1.5Ki", "0.1Ki", "1.1Mi", "3.3Ei", "1e-9", "1e-10", "1500m",
    "1000m", "1001m", "0.001", "0.0001", "1u", "1000u", "1000000n", "1k", "1000", "1.5k", "1536Mi", "1024Ki", "1000Ki",
    "80Gi", "85899345920", "1E", "1E3", "1e3", "12e6", "12E6", "12M", "-1.5", "-1500m", "-0.5Gi", "+0.5Gi",
    "18446744073709551615", "18446744073709551616", "4611686018427387904", "2305843009213693952Ki",
)  # fmt: skip

VERSIONS = (
    "1.2.3", "0.0.0", "1.2", "1", "", "v1.2.3", "1.2.3-rc.1", "1.2.3-rc.1+b7", "1.2.3+b", "1.2.3+b.01", "1.2.3-01", "1.2.3-0",
    "1.2.3-", "1.2.3+", "1.2.3-a..b", "1.2.3-a_b", "01.2.3", "1.02.3", "1.2.03", "1.2.3.4", "1.2.x", "a.b.c", " 1.2.3", "1.2.3 ",
    "1.2.3\n", "1.-2.3", "1.2.3-é", "18446744073709551615.0.0", "18446744073709551616.0.0", "1.2.3-18446744073709551616",
    "1.2.3-alpha", "1.2.3-alpha.1", "1.2.3-alpha.beta", "1.2.3-beta", "1.2.3-beta.2", "1.2.3-beta.11", "1.2.3-1", "1.2.3-2",
    "1.2.3-10", "1.2.3-A", "1.2.3-a", "V1.2.3", "vv1.2.3", "v1", "v1.2", "1.2-rc", "1-rc", "1.2+b", "v01.02.03", "1..3", ".1.2",
    "1.2.", "00.0.0", "10.20.30", "1.10.0", "1.9.0", "550.54.15", "1.2.3-x-y-z.--", "1.2.3-0a", "1.2.3-rc.01", "1.0.0-0.3.7",
)  # fmt: skip

_PLAIN = (
    "yes", "no", "Yes", "NO", "on", "off", "y", "n", "Y", "N", "true", "false", "True", "TRUE", "tRue", "null", "Null", "NULL", "~", "",
    "0", "1", "-1", "+1", "01", "0o17", "0O17", "017", "08", "0x1F", "0X1f", "0b101", "1_000", "1_", "_1", "1.5", "1.", ".5", "-.5",
    "1e3", "1E3", "1e", "1e+3", "1.5e-3", ".inf", "-.inf", "+.Inf", ".INF", ".nan", ".NaN", "inf", "nan", "1:30", "190:20:30", "1:2:3.5",
    "2020-01-01", "2020-01-01T00:00:00Z", "2020-01-01 00:00:00", "12345678901234567890", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "1e400", "0.1", "1.0", "10.0", "1e2", "100e-2", "1.2.3", "v1", "80Gi", "-", "- ", "?", ":", "a: b: c", "a:b", "a #b",
    "a#b", "#a", "'a'", "\"a\"", "'it''s'", "\"a\\nb\"", "\"\\x41\"", "\"\\u00e9\"", "\"\\q\"", "'a", "\"a", "!!str 1", "!!int '1'", "!!float 1",
    "!!bool yes", "!!null x", "!!binary aGk=", "!foo bar", "!!str", "!!int x", "*a", "&a b", "[a, b]", "[a, b", "{a: b}", "{a}", "{a, b: c}", "@a", "`a`",
    "%a", "a\tb", "\ta", "=", "<<", "0.", "+.5", "-0", "+0", "00", "0_0", "0x", "0b2", "0o8", "1__0", "0x_1", "é", "\\u00e9", "a\\nb", ",", "]", "}",
    "a,b", "a]", "[a]: b", "|", ">", "|-", "! a", "!<tag:yaml.org,2002:str> 1", "true ", " true", "TrUe", "oN", "nO",
)  # fmt: skip

YAML = (
    *(f"a: {text}\n" for text in _PLAIN),
    *(f"{text}: 1\n" for text in ("yes", "1", "1.5", "null", "~", "true", "0x1F", "'1'", "2020-01-01", "", "[a]", "{a: b}", "1e3", "? a", "\"a b\"")),
    "", "\n", "# only a comment\n", "---\n", "--- a\n", "a: 1\n---\nb: 2\n", "a: 1\n...\n", "a: 1\n...\nb\n", "%YAML 1.1\n---\na: 1\n",
    "a: 1\na: 2\n", "a:\n  b: 1\n  b: 2\n", "a:\n\tb: 1\n", "a: |\n  x\n   y\n\n", "a: |-\n  x\n\n", "a: |+\n  x\n\n", "a: >\n  x\n  y\n\n  z\n",
    "a: >-\n  x\n\n\n  y\n", "a: |2\n   x\n", "a: |\n x\n  y\nb: 1\n", "a: x\n  y\n", "a: 'x\n  y'\n", "a: \"x\n\n  y\"\n", "a: \"x\\\n  y\"\n",
    "- a\n- b\n", "-a\n", "- - a\n  - b\n", "a:\n- b\n- c\n", "a:\n  - b\n c\n", "a: b\n c: d\n", "? a\n: b\n", "? [a, b]\n: c\n",
    "a: &x {b: 1}\nc: *x\n", "a: &x {b: 1}\nc:\n  <<: *x\n  d: 2\n", "a: &x {b: 1}\nc:\n  b: 2\n  <<: *x\n", "a: &x [1]\nc:\n  <<: *x\n", "<<: {a: 1}\n",
    "a: *x\n", "a: &x 1\nb: &x 2\nc: *x\n", "{a: 1, b: [1, 2, {c: d}]}\n", "[1, two, 3.0]\n", "\"a\": 1\n", "{\"a\":1}\n", "{a: 1,}\n", "[1,]\n", "[,]\n",
    "\ufeffa: 1\n", "a: 1\r\nb: 2\r\n", "a: \u0085b\n", "a: b\u2028c\n", "a: \x00\n", "a: \x07\n", "plain\n", "'quoted'\n", "1\n", "true\n", "null\n",
    "a: 1 # c\nb: '#'\n", "a:\n", "a:\nb:\n", "a: !!set {b}\n", "a: !!omap [b: 1]\n", "a: [\n  1,\n  2\n]\n", "a: {\n  b: 1\n}\n", "a: {b: 1\n c: 2}\n",
)  # fmt: skip


_FLOW = (
    "a", "b", "x", "2001", "0x1", "1e3", "null", "10.0.0.0/8", ":", ":", ":", ": ", "::", "://", "::1", ",", ", ", "[", "]", "{", "}", "?", "? ", "- ",
    " ", "\n  ", "'", "\"", "#", " #", "&a ", "*a", "~", "|", ">", "%", "@", "`", "k: ", "{k: ", "\t", ".",
)  # fmt: skip


def flow(rng: random.Random) -> str:
    """A document of plain scalars, colons and brackets within brackets."""
    body = "".join(rng.choice(_FLOW) for _ in range(rng.randint(1, 9)))
    return f"x: [{body}]\n" if rng.random() < 0.5 else f"x: {{{body}}}\n"


def quantity(rng: random.Random) -> str:
    """A quantity, mostly a valid one."""
    whole = (
        str(rng.getrandbits(rng.choice((1, 4, 10, 30, 60, 64, 70)))) if rng.random() < 0.95 else ""
    )
    fraction = (
        "." + "".join(rng.choices("0123456789", k=rng.randrange(12))) if rng.random() < 0.35 else ""
    )
    suffix = rng.choice(_SUFFIXES) if rng.random() < 0.85 else rng.choice(_ODD_SUFFIXES)
    return rng.choice(("", "", "", "-", "+")) + whole + fraction + suffix


def version(rng: random.Random) -> str:
    """A semantic version, often with a fault."""
    parts = [str(rng.choice((0, 1, 2, 10, 550))) for _ in range(rng.choice((3, 3, 3, 3, 2, 1, 4)))]
    text = ".".join(parts)
    if rng.random() < 0.4:
        text += "-" + ".".join(
            rng.choice(("rc", "1", "0", "01", "x-y", "A", "a1")) for _ in range(rng.choice((1, 2)))
        )
    if rng.random() < 0.25:
        text += "+" + rng.choice(("b", "b.1", "001", ""))
    return rng.choice(("", "", "", "", "v", "V", "0")) + text

"""Semantic versions as blang/semver and CEL read them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.values.semver import Semver, SemverError

# The order of semver.org, item 11, and numeric identifiers below others.
ORDERED = [
    "0.9.9",
    "1.0.0-0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.0.1",
    "1.10.0",
    "18446744073709551615.0.0",
]


def test_order() -> None:
    versions = [Semver.parse(text) for text in ORDERED]
    for a, b in itertools.combinations(versions, 2):
        assert a < b
        assert b > a
        assert a.cmp(b) == -1
        assert b.cmp(a) == 1
    assert sorted(versions, reverse=True) == versions[::-1]


def test_build_metadata_has_no_say() -> None:
    a, b = Semver.parse("1.2.3+a"), Semver.parse("1.2.3+b")
    assert a == b
    assert hash(a) == hash(b)
    assert str(a) == "1.2.3+a"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Version string empty"),
        ("1.2", "No Major.Minor.Patch elements found"),
        ("v1.2.3", 'Invalid character(s) found in major number "v1"'),
        (" 1.2.3", 'Invalid character(s) found in major number " 1"'),
        ("01.2.3", 'Major number must not contain leading zeroes "01"'),
        ("1.02.3", 'Minor number must not contain leading zeroes "02"'),
        ("1.2.3.4", 'Invalid character(s) found in patch number "3.4"'),
        ("1.2.3-", "Prerelease is empty"),
        ("1.2.3-01", 'Numeric PreRelease version must not contain leading zeroes "01"'),
        ("1.2.3-a_b", 'Invalid character(s) found in prerelease "a_b"'),
        ("1.2.3+", "Build meta data is empty"),
        ("1.2.3+é", 'Invalid character(s) found in build meta data "é"'),
        ("1..3", 'strconv.ParseUint: parsing "": invalid syntax'),
        (
            "18446744073709551616.0.0",
            'strconv.ParseUint: parsing "18446744073709551616": value out of range',
        ),
    ],
)
def test_rejected_with_upstreams_words(text: str, message: str) -> None:
    with pytest.raises(SemverError) as caught:
        Semver.parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v1.2.3", "1.2.3"),
        ("1", "1.0.0"),
        ("v1.2", "1.2.0"),
        ("01.002.0003", "1.2.3"),
        ("00.0.00-a", "0.0.0-a"),
        ("1.2.3-rc.1+b", "1.2.3-rc.1+b"),
    ],
)
def test_normalised(text: str, version: str) -> None:
    assert str(Semver.parse(text, normalize=True)) == version


@pytest.mark.parametrize("text", ["vv1.2.3", " 1.2.3", "1-rc", "", "1.2+b"])
def test_what_normalising_does_not_mend(text: str) -> None:
    with pytest.raises(SemverError):
        Semver.parse(text, normalize=True)


IDENTIFIERS = st.from_regex(
    r"0|[1-9][0-9]{0,3}|[0-9]{0,2}[A-Za-z-][0-9A-Za-z-]{0,3}", fullmatch=True
)
VERSIONS = st.builds(
    lambda numbers, pre, build: (
        ".".join(map(str, numbers))
        + ("-" + ".".join(pre) if pre else "")
        + ("+" + ".".join(build) if build else "")
    ),
    st.lists(st.integers(0, 30), min_size=3, max_size=3),
    st.lists(IDENTIFIERS, max_size=3),
    st.lists(IDENTIFIERS, max_size=2),
)


@settings(deadline=None)
@given(VERSIONS, VERSIONS, VERSIONS)
def test_laws(a: str, b: str, c: str) -> None:
    x, y, z = Semver.parse(a), Semver.parse(b), Semver.parse(c)
    assert str(x) == a
    assert Semver.parse(a, normalize=True) == x
    assert x.cmp(y) == -y.cmp(x)
    assert (x == y) == (x.cmp(y) == 0)
    if x <= y <= z:
        assert x <= z

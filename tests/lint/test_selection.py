"""Path patterns and rule selectors."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from dradsl.lint.settings.selection import is_known, path_matches, selects, suggest_rule


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("a.yaml", "a.yaml", True),
        ("a.yaml", "deep/a.yaml", True),
        ("a.yaml", "deep/a.yaml.bak", False),
        ("*.yaml", "deep/a.yaml", True),
        ("deep/*.yaml", "deep/a.yaml", True),
        ("deep/*.yaml", "deep/er/a.yaml", False),
        ("deep/**/*.yaml", "deep/a.yaml", True),
        ("deep/**/*.yaml", "deep/er/a.yaml", True),
        ("deep/**", "deep/er/a.yaml", True),
        ("deep", "deep/er/a.yaml", True),
        ("deep/", "deep/er/a.yaml", True),
        ("er", "deep/er/a.yaml", True),
        ("deep/er", "deep/error/a.yaml", False),
        ("./deep/a.yaml", "deep/a.yaml", True),
        ("deep/a.yaml", "./deep/a.yaml", True),
        ("/deep/a.yaml", "deep/a.yaml", True),
        ("?.yaml", "a.yaml", True),
        ("?.yaml", "ab.yaml", False),
        ("[ab].yaml", "b.yaml", True),
        ("[!ab].yaml", "b.yaml", False),
        ("[a-c].yaml", "b.yaml", True),
        ("[z-a].yaml", "[z-a].yaml", True),
        ("a+b(c).yaml", "a+b(c).yaml", True),
        ("[.yaml", "[.yaml", True),
        ("a.yaml", "axyaml", False),
        ("[!a].yaml", "b/.yaml", False),
        ("deep/**", "deep", False),
        ("**/er", "deep/er/a.yaml", True),
        ("deep/**/er/**/*.yaml", "deep/x/er/y/z/a.yaml", True),
        ("a**z", "a/b/z", True),
        ("a**/z", "a/b/z", True),
        ("*a*b*", "xaxbx", True),
        ("*ab*ab", "xabab", True),
        ("*ab*ab", "xab", False),
        ("**/a/*/b", "a/a/x/b", True),
    ],
)
def test_path_matches(pattern: str, path: str, expected: bool) -> None:
    assert path_matches(pattern, path) is expected


@pytest.mark.parametrize(
    ("selector", "weight"),
    [
        ("ALL", 1),
        ("all", 1),
        ("DRA", 3),
        ("DRA3", 4),
        ("dra304", 6),
        ("invalid-count", 6),
        ("DRA4", 0),
        ("304", 0),
        ("invalid", 0),
        ("", 0),
    ],
)
def test_selects(selector: str, weight: int) -> None:
    assert selects(selector, "DRA304", "invalid-count") == weight


@pytest.mark.parametrize(
    ("selector", "known"),
    [
        ("ALL", True),
        ("DRA", True),
        ("DRA7", True),
        ("DRA30", True),
        ("request-shape", True),
        ("DRA999", False),
        ("DRAX", False),
        ("D", False),
        ("requests", False),
        ("", False),
    ],
)
def test_is_known(selector: str, known: bool) -> None:
    assert is_known(selector) is known


def test_suggestions() -> None:
    assert suggest_rule("request-shap") == "request-shape"
    assert suggest_rule("dra30l") is not None
    assert suggest_rule("zzzzzzzz") is None


def reference(pattern: str) -> str:
    """The pattern as an expression that tries everything: right, but not to be run on long ones."""
    text = pattern.removeprefix("./").rstrip("/")
    written = "" if "/" in text else "(?:.*/)?"
    for piece in re.findall(r"(?:(?<=/)|\A)\*\*/|\*\*|.", text.lstrip("/")):
        wild = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
        written += wild.get(piece) or re.escape(piece)
    return f"{written}(?:/.*)?"


@given(
    st.lists(st.sampled_from(["a", "b", "/", "?", "*", "**", "/**/", "**/"]), max_size=7),
    st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=4),
)
def test_nothing_is_overlooked(pieces: list[str], names: list[str]) -> None:
    pattern = re.sub(r"\*{3,}", "**", "".join(pieces))
    path = "/".join(names)
    expected = re.fullmatch(reference(pattern), path) is not None
    assert path_matches(pattern, path) is expected, pattern


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 500 + "b", "a" * 4000),
        ("?*" * 500 + "b", "a" * 4000),
        ("**a*" * 250 + "b", "a" * 4000),
        ("**/" * 340 + "b", "a/" * 2000 + "x"),
        ("**/a/" * 200 + "b", "a/" * 2000 + "x"),
        ("**/*a*a" * 140 + "/b", ("a" * 50 + "/") * 80 + "x"),
    ],
)
def test_no_pattern_takes_for_ever(pattern: str, path: str) -> None:
    """With backtracking none of them would end."""
    assert not path_matches(pattern, path)

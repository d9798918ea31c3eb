"""Path patterns and rule selectors."""

from __future__ import annotations

import pytest

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

"""Comparisons that upstream rejects, as the methods that CEL has: the fixed text compiles."""

from __future__ import annotations

import pytest

from dradsl.cel.dra import compile_selector
from dradsl.drivers.suggestions.operators import with_methods
from dradsl.releases import get_release

RELEASE = get_release("1.36")
MEMORY = 'device.capacity["d.example"].memory'


def rejected(text: str) -> bool:
    selector = compile_selector(text, RELEASE, RELEASE.features(), "new")
    return selector.error is not None or (selector.max_cost or 0) > 1_000_000


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        (f'{MEMORY} >= quantity("40Gi")', f'{MEMORY}.compareTo(quantity("40Gi")) >= 0'),
        (f'quantity("40Gi") < {MEMORY}', f'quantity("40Gi").compareTo({MEMORY}) < 0'),
        (f'{MEMORY} > "40Gi"', f'{MEMORY}.compareTo(quantity("40Gi")) > 0'),
        (f"40 <= {MEMORY}", f'{MEMORY}.compareTo(quantity("40")) >= 0'),
        (f'{MEMORY} != quantity("1")', f'!({MEMORY} == quantity("1"))'),
        (f'{MEMORY} == "1Gi"', f'{MEMORY}.compareTo(quantity("1Gi")) == 0'),
        (
            f'device.driver == "d.example" && device.capacity["d.example"]["memory"] >= {MEMORY}',
            f'device.driver == "d.example" && device.capacity["d.example"]["memory"].compareTo({MEMORY}) >= 0',
        ),
        ('semver("1.0.0") < semver("2.0.0")', 'semver("1.0.0").compareTo(semver("2.0.0")) < 0'),
    ],
)
def test_rejected_comparisons_are_fixed(text: str, fixed: str) -> None:
    assert rejected(text)
    fix = next(with_methods(text), None)
    assert fix is not None
    result = text[: fix.start] + fix.text + text[fix.end :]
    assert result == fixed
    assert not rejected(result)


@pytest.mark.parametrize(
    "text",
    [
        f'{MEMORY} == quantity("1")',
        f'{MEMORY}.compareTo(quantity("1")) >= 0',
        f'{MEMORY} > "much"',
        'device.attributes["d.example"].x >= 1',
        "1 < 2",
        "((",
        "",
    ],
)
def test_nothing_else_is_touched(text: str) -> None:
    assert next(with_methods(text), None) is None

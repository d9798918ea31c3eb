"""Recipes against the charts themselves: what Helm rendered is recorded, and rendered anew where it can be.

`tests/migrate/charts/record.py` records. The long path renders: it needs Helm on the search path and
DRADSL_CHARTS, a folder with the charts as `NAME-VERSION`; without them its tests are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from dradsl.tree.charts.recipes import shipped_recipes
from tests.migrate.charts import record, rendering

RECORDED = json.loads(rendering.RECORDED.read_text())
EVERY = [
    (case, version)
    for case in rendering.CASES
    for version in sorted(rendering.recipe_of(case).rendered)
]


@pytest.mark.parametrize(("case", "version"), EVERY, ids=lambda each: getattr(each, "stem", each))
def test_what_was_rendered_is_what_is_written_today(case: Path, version: str) -> None:
    """Helm's verdict holds for these very values."""
    found = RECORDED[case.stem][version]
    assert found["migrated"] == rendering.digest(*rendering.migrated(case, version))
    assert found["problems"] == []


def test_every_version_that_a_recipe_names_was_rendered() -> None:
    rendered: dict[str, set[str]] = {}
    for case, version in EVERY:
        rendered.setdefault(rendering.recipe_of(case).name, set()).add(version)
    for recipe in shipped_recipes():
        assert recipe.rendered == rendered.get(recipe.name, set()), recipe.name


@pytest.mark.parametrize(("case", "version"), EVERY, ids=lambda each: getattr(each, "stem", each))
def test_helm_says_it_again(case: Path, version: str) -> None:
    helm = shutil.which("helm")
    charts = os.environ.get("DRADSL_CHARTS")
    if helm is None or charts is None:
        pytest.skip("Helm is not installed, or DRADSL_CHARTS names no charts")
    chart = Path(charts) / f"{rendering.chart_of(case)}-{version}"
    if not chart.is_dir():
        pytest.skip(f"{chart.name} is not among the charts")
    found = record.outcome(helm, chart, case, version)
    assert found == RECORDED[case.stem][version]

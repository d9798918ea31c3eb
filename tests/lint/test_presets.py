"""Presets and severities: what they change, what comes before them, and that the page says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from dradsl.diagnostics import Severity
from dradsl.lint.catalogue.presets import presets
from dradsl.lint.catalogue.rules import INTERNAL_ERROR, RULES
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig, merge, read_config
from dradsl.lint.settings.problems import ConfigError

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: ml}
spec:
  resourceClaims: [{name: gpu, resourceClaimTemplateName: gone}]
  containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]
"""


def severities(**settings: object) -> list[tuple[str, Severity]]:
    given = {key.replace("_", "-"): value for key, value in settings.items()}
    config = merge(LintConfig(root="."), given)
    return [(f.code, f.severity) for f in lint_text(POD, "pod.yaml", config).findings]


@pytest.mark.parametrize("name", presets())
def test_each_row_changes_a_rule_and_has_a_reason(name: str) -> None:
    codes = [row.code for row in presets()[name].rows]
    assert len({*codes}) == len(codes)
    for row in presets()[name].rows:
        assert row.code != INTERNAL_ERROR
        assert row.severity != str(RULES[row.code].severity), row.code
        assert row.severity in ("error", "warning", "info", "off")
        assert len(row.reason) > 20


def test_the_page_has_the_same_tables() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = [row for preset in presets().values() for row in preset.rows]
    for row in rows:
        link = f"[{row.code}](rules/{row.code}.md) {RULES[row.code].name}"
        assert f"| {link} | {row.severity} | {row.reason} |" in text
    assert text.count(".md) ") - text.count("](rules/DRA099.md) ") == len(rows)


def test_a_preset_changes_severities() -> None:
    assert severities() == [("DRA410", Severity.INFO)]
    assert severities(preset="default") == [("DRA410", Severity.INFO)]
    assert severities(preset="strict") == [("DRA410", Severity.ERROR)]
    assert severities(preset="workload") == [("DRA410", Severity.WARNING)]
    assert severities(preset="platform") == []


def test_what_a_preset_leaves_out_can_be_asked_for() -> None:
    assert severities(preset="platform", select=["ALL"]) == []
    assert severities(preset="platform", select=["DRA4"]) == []
    for selector in ("DRA410", "missing-claim-template"):
        assert severities(preset="platform", extend_select=[selector]) != []
    assert severities(preset="platform", select=["DRA410"], ignore=["DRA410"]) == []


def test_severities_come_before_the_preset() -> None:
    found = severities(preset="strict", severities={"DRA410": "info"})
    assert found == [("DRA410", Severity.INFO)]
    for narrow in ("DRA41", "DRA410", "missing-claim-template"):
        assert severities(severities={"ALL": "error", narrow: "warning"}) == [
            ("DRA410", Severity.WARNING)
        ]


def test_what_is_shown_goes_by_the_changed_severity() -> None:
    assert severities(severities={"DRA410": "warning"}, severity="warning") != []
    assert severities(severities={"ALL": "info"}, severity="warning") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("preset: strct", "did you mean strict?"),
        ("severities: {DRA999: error}", "no rule has the code"),
        ("severities: {DRA410: bad}", "expects one of error, warning, info"),
        ("severities: [DRA410]", "expects a table of rules"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / ".dradsl.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"dradsl\.yaml:1") as raised:
        read_config(tmp_path / ".dradsl.yaml")
    assert said in str(raised.value)

"""`dradsl rule` with a code and without, on documents of the test's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from dradsl.cli import rule
from dradsl.lint.report.places import rule_url
from tests.lint.test_documents import NAME, TEXT

if TYPE_CHECKING:
    from pathlib import Path

    import click


@pytest.fixture(autouse=True)
def own_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / NAME).write_text(TEXT)
    other = TEXT.replace("DRA304", "DRA401").replace("invalid-count", "claim-source")
    other = other.replace("family: 3", "family: 4").replace("fix: safe", "fix: none")
    (tmp_path / "DRA401-claim-source.md").write_text(other.replace("needs: [classes]", "needs: []"))
    monkeypatch.setattr("dradsl.lint.pages.documents.data_folder", lambda name: tmp_path)


def run(command: click.Command, *arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


@pytest.mark.parametrize("name", ["DRA304", "dra304", "invalid-count"])
def test_rule(name: str) -> None:
    result = run(rule.command, name)
    assert result.exit_code == 0
    assert result.output.startswith("DRA304 invalid-count (error)\n")
    for text in (
        "needs       classes",
        "1.35, 1.36",
        "Why it hurts",
        "    count: 2 # error: DRA304",
    ):
        assert text in result.output
    assert "\x1b" not in result.output


def test_rule_in_color() -> None:
    assert "\x1b[1m" in run(rule.command, "DRA304", "--color", "always").output


def test_rule_as_json() -> None:
    data = json.loads(run(rule.command, "DRA304", "--output-format", "json").output)
    assert (data["code"], data["severity"], data["fix"]) == ("DRA304", "error", "safe")
    assert "# error: DRA304" in data["body"]
    assert "examples" not in data  # they are in the body
    assert data["url"] == rule_url("DRA304")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("invalid-cont", "did you mean invalid-count?"), ("zzz", "`dradsl rule` lists them all")],
)
def test_unknown_rule(name: str, hint: str) -> None:
    result = run(rule.command, name)
    assert result.exit_code == 2
    assert hint in " ".join(result.output.split())


def test_rules() -> None:
    result = run(rule.command)
    assert result.output.splitlines() == [
        "3xx requests and constraints",
        "  DRA304  invalid-count  error    The count contradicts the mode"
        " [fix: safe; needs: classes]",
        "4xx references and workloads",
        "  DRA401  claim-source   error    The count contradicts the mode",
    ]


def test_rules_selected_as_json() -> None:
    data = json.loads(run(rule.command, "--select", "DRA4", "--output-format", "json").output)
    assert [row["code"] for row in data] == ["DRA401"]


def test_rules_unknown_selector() -> None:
    result = run(rule.command, "--select", "DRA3,invalid-cont")
    assert result.exit_code == 2
    assert "did you mean invalid-count?" in result.output

"""Common mistakes and their remedies: done as the finding says, the manifest is the correct one again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli.lint import command
from tests.lint.test_remedies import edited

TABLE: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("common_mistakes.yaml").read_text(encoding="utf-8")
)
CORRECT: str = TABLE["correct"]
ROWS = [pytest.param(row, id=row["mistake"]) for row in TABLE["mistakes"]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def findings(text: str) -> list[Any]:
    Path("a.yaml").write_text(text, encoding="utf-8")
    shown = CliRunner().invoke(command, ["--isolated", "--output-format", "json", "a.yaml"])
    found: list[Any] = json.loads(shown.stdout)["findings"]
    return found


def replaced(text: str, changes: list[list[str]]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_there_are_fifty() -> None:
    assert len({row["mistake"] for row in TABLE["mistakes"]}) >= 50


def test_the_correct_manifest_has_no_finding() -> None:
    assert findings(CORRECT) == []


@pytest.mark.parametrize("row", ROWS)
def test_the_remedy_gives_the_correct_manifest(row: dict[str, Any]) -> None:
    wrong = replaced(CORRECT, row["change"])
    found = findings(wrong)
    severity, code = row["finding"].split()
    one = next(each for each in found if (each["severity"], each["code"]) == (severity, code))
    if "write" in row:
        assert row["says"] in f"{one['message']} {one['help']}"
        right = replaced(wrong, row["write"])
    else:
        right = edited(wrong, one["fix"]["edits"])
    is_same = list(yaml.safe_load_all(right)) == list(yaml.safe_load_all(CORRECT))
    assert is_same is ("means" not in row)
    assert findings(right) == []

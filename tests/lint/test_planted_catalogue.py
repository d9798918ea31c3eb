"""Mistakes of docs/catalogue.md, planted into correct manifests one at a time: each is said at its line.

`planted_catalogue/*.yaml` are the correct manifests; `planted_catalogue.rows` says what is changed in which.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of

FOLDER = Path(__file__).with_name("planted_catalogue")
ROWS: list[dict[str, Any]] = yaml.load(
    (FOLDER / "planted.rows").read_text(encoding="utf-8"), yaml.CSafeLoader
)
TABLE = (Path(__file__).parents[2] / "docs" / "catalogue.md").read_text(encoding="utf-8")


def said(path: Path, row: dict[str, Any]) -> list[tuple[int, str]]:
    options = ["--slices", str(FOLDER / "slices.yaml")] if row.get("slices") else []
    if "release" in row:
        options += ["--kube-version", row["release"]]
    call = ["lint", "--isolated", "--output-format", "json", *options, str(path)]
    result = CliRunner().invoke(group_of(_COMMANDS), call)
    return [(each["line"], each["code"]) for each in json.loads(result.stdout)["findings"]]


def planted(row: dict[str, Any]) -> str:
    text = (FOLDER / f"{row['in']}.yaml").read_text(encoding="utf-8")
    for old, new in row["edits"]:
        assert text.count(old) >= 1, old
        text = text.replace(old, new, 1)
    return text + (f"---\n{row['append']}" if "append" in row else "")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_manifests_are_correct(path: Path) -> None:
    assert said(path, {}) == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['mistake']} {row['in']}")
def test_a_planted_mistake_is_said_at_its_line(row: dict[str, Any], tmp_path: Path) -> None:
    text = planted(row)
    path = tmp_path / "planted.yaml"
    path.write_text(text, encoding="utf-8")
    lines = [line for line, one in enumerate(text.split("\n"), 1) if row["at"] in one]
    assert any((line, row["code"]) in said(path, row) for line in lines)


def test_the_table_names_the_rules() -> None:
    for row in ROWS:
        (line,) = re.findall(rf"^\| {row['mistake']} .*$", TABLE, re.MULTILINE)
        assert row["code"] in line or row.get("besides"), row


def test_most_of_the_table_is_planted() -> None:
    assert len({row["mistake"] for row in ROWS}) >= 57

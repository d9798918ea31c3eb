"""Mistakes of beginners in manifests of our own: found, told how to mend, and gone once that is done."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from tests.lint.test_common_mistakes import replaced

CONFIG = LintConfig(root=".")
ROWS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("own_mistakes.yaml").read_text("utf-8")
)


def fixed(text: str, fix: Any) -> str:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for edit in sorted(fix.edits, key=lambda each: (each.span.line, each.span.column))[::-1]:
        start = starts[edit.span.line - 1] + edit.span.column - 1
        end = starts[edit.span.end_line - 1] + edit.span.end_column - 1
        text = text[:start] + edit.new_text + text[end:]
    return text


def pasted(text: str, finding: Any) -> str:
    """The manifest with the fields that a remedy writes out, in the object that it is about."""
    objects = [*yaml.safe_load_all(text)]
    written, *_ = re.split("; | \\(`", finding.help.removeprefix("write "))
    for field in re.split(" and (?=kind:|spec:)", written):
        objects[finding.document] |= yaml.safe_load(field)
    of_class = objects[finding.document]["kind"] == "DeviceClass"
    known = ("apiVersion", "kind", "metadata", "spec", "status")
    for name in [*objects[finding.document]] if of_class else ():
        if name not in known:
            del objects[finding.document][name]
    return yaml.safe_dump_all(objects)


def test_there_are_sixty_and_more() -> None:
    assert len({row["name"] for row in ROWS}) == len(ROWS) >= 60


def test_the_points() -> None:
    for when, part in (("before", 0.7), ("after", 0.95)):
        points = [int(digit) for row in ROWS for digit in row[when]]
        assert len(points) == 4 * len(ROWS)
        assert sum(points) >= part * 2 * len(points)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_what_the_remedy_says_is_all_that_there_is_to_do(row: dict[str, Any]) -> None:
    findings = lint_text(row["manifest"], config=CONFIG).findings
    found = [f"{each.severity.value} {each.code} at {each.span.line}" for each in findings]
    assert found == row["finds"]
    finding = next(each for each in findings if each.help == row["says"])
    if "write" not in row:  # the object has no place any more
        return
    if row["write"] == "text":
        right = pasted(row["manifest"], finding)
    elif row["write"] == "fix":
        right = fixed(row["manifest"], finding.fix)
    else:
        right = replaced(row["manifest"], row["write"])
    left = lint_text(right, config=CONFIG).findings
    assert [str(each) for each in left if each.severity.value != "info"] == []

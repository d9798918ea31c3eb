"""The page of the hundred mistakes: each has a row, with rules that are there and have examples, or a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dradsl.lint.pages.documents import all_documents
from maintenance.rule_examples import examples_of

PAGE = Path(__file__).parents[2] / "docs" / "catalogue.md"
ROW = re.compile(r"^\| (L\d+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE.read_text(encoding="utf-8"))
SHOWN = {
    code
    for document in all_documents()
    for example in examples_of(document)
    for _, code in example.expected
}


def test_every_mistake_has_a_row() -> None:
    assert [name for name, _, _ in ROWS] == [f"L{number:02}" for number in range(1, 101)]


@pytest.mark.parametrize(("name", "mistake", "rules"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_names_rules_with_examples_or_a_reason(name: str, mistake: str, rules: str) -> None:
    codes = re.findall(r"\[(DRA\d{3})\]\(rules/\1\.md\)", rules)
    assert set(codes) <= SHOWN
    assert codes or rules.startswith("no rule: ")

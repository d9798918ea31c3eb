"""What a finding offers, done to the rule's own bad examples: the finding is gone, and no other comes.

Fixes are applied one by one. A help text is followed as the table beside this file has it: what it
tells to write is in the help word for word.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.lint.test_rule_examples import BAD, lint, write

if TYPE_CHECKING:
    from dradsl.lint.pages.documents import RuleDocument
    from maintenance.rule_examples import Example

FOLLOWED = yaml.safe_load((Path(__file__).parent / "remedies.yaml").read_text(encoding="utf-8"))
# Helps after which nothing of the file is to be written.
WAYS = frozenset(FOLLOWED["ways"])


def findings(folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> list[Any]:
    shown = lint(folder, monkeypatch, [*arguments, "--output-format", "json"]).stdout
    found: list[Any] = json.loads(shown)["findings"]
    return found


def said(found: list[Any]) -> list[tuple[str, str]]:
    return sorted((one["code"], one["message"]) for one in found)


def edited(text: str, edits: list[Any]) -> str:
    """The text after the edits of one fix."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    places = [
        (
            starts[edit["startLine"] - 1] + edit["startColumn"] - 1,
            starts[edit["endLine"] - 1] + edit["endColumn"] - 1,
            edit["newText"],
        )
        for edit in edits
    ]
    for start, end, new in sorted(places, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def is_fixed(before: list[Any], one: Any, after: list[Any]) -> bool:
    """Whether a finding is gone (once, if it was said several times), and none is new."""
    left = said(before)
    left.remove((one["code"], one["message"]))
    now = said(after)
    return all(now.count(each) <= left.count(each) for each in now)


@pytest.mark.parametrize(("document", "example"), BAD)
def test_each_fix_mends_its_finding(
    document: RuleDocument, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = write(tmp_path, example)
    target = tmp_path / "new" / example.file_name
    before = findings(tmp_path, monkeypatch, arguments)
    for one in before:
        if one["fix"] is None:
            continue
        text = target.read_text(encoding="utf-8")
        target.write_text(edited(text, one["fix"]["edits"]), encoding="utf-8")
        after = findings(tmp_path, monkeypatch, arguments)
        assert is_fixed(before, one, after), said(after)
        target.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("document", "example"), BAD)
def test_each_help_is_right(
    document: RuleDocument, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the rules about expressions: helps without a fix are followed word for word."""
    if document.code[3] not in "12":
        return
    arguments = write(tmp_path, example)
    target = tmp_path / "new" / example.file_name
    before = findings(tmp_path, monkeypatch, arguments)
    for one in before:
        if one["fix"] is not None or one["help"] is None or one["help"] in WAYS:
            continue
        text = target.read_text(encoding="utf-8")
        rows = [r for r in FOLLOWED["rows"] if r["help"] == one["help"] and r["instead of"] in text]
        assert rows, f"no row follows {one['help']!r}"
        row = rows[0]
        assert row.get("says", "") in row["help"], row
        assert row.get("says", "") in row["write"], row
        options = list(arguments)
        if "config" in row:
            (tmp_path / "followed.yaml").write_text(row["config"], encoding="utf-8")
            options = [each for each in options if each != "--isolated"]
            options += ["--config", str(tmp_path / "followed.yaml")]
        followed = text.replace(row["instead of"], row["write"])
        for old, new in row.get("and", {}).items():  # what the help leaves to the author
            followed = followed.replace(old, new)
        target.write_text(followed, encoding="utf-8")
        after = findings(tmp_path, monkeypatch, options)
        assert is_fixed(before, one, after), said(after)
        target.write_text(text, encoding="utf-8")

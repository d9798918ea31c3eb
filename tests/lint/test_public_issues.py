"""Manifests after public issues on projects beside Kubernetes, in our own words, and what dradsl says of them now.

Each file names the issue and what is said there. What is found stands at the end of the line, as in rule documents;
a file without such a comment is right, or nothing of the issue is visible in it. Slices stand beside.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of

FOLDER = Path(__file__).with_name("public_issues")
CASES = sorted(path for path in FOLDER.glob("*.yaml") if not path.name.endswith(".slices.yaml"))
_ISSUE = re.compile(r"# issue: [\w.-]+/[\w.-]+#\d+")
_EXPECTED = re.compile(r"# (error|warning|info): (DRA\d{3}(?:, DRA\d{3})*)$")


def expected(text: str) -> list[tuple[int, str, str]]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _EXPECTED.search(line)
        if match is not None:
            found += [(number, code, match[1]) for code in match[2].split(", ")]
    return sorted(found)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_what_is_said_of_a_public_issue(path: Path) -> None:
    slices = path.with_name(f"{path.stem}.slices.yaml")
    options = ["--slices", str(slices)] if slices.exists() else []
    call = ["lint", "--isolated", "--output-format", "json", *options, str(path)]
    result = CliRunner().invoke(group_of(_COMMANDS), call)
    report = json.loads(result.stdout)
    said = [(each["line"], each["code"], each["severity"]) for each in report["findings"]]
    assert sorted(said) == expected(path.read_text("utf-8")), result.stdout


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_issue_is_named(path: Path) -> None:
    issue, says = path.read_text("utf-8").splitlines()[:2]
    assert _ISSUE.fullmatch(issue)
    assert says.startswith("# says: ")

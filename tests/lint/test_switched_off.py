"""A report says how many rules a configuration file switches off: a pull request may have written it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.lint import command
from dradsl.lint.catalogue.rules import RULES
from tests.lint.trees import GOOD, write

if TYPE_CHECKING:
    from pathlib import Path

OWN = (
    "rules: [{code: ACME001, name: acme, severity: error, kinds: [Pod], cel: 'true', message: m}]\n"
)
OF_3 = sum(code.startswith("DRA3") for code in RULES)


def lint(*words: str) -> Result:
    return CliRunner().invoke(command, [*words, "."], catch_exceptions=False)


@pytest.mark.parametrize(
    ("config", "words", "count"),
    [
        ("", [], 0),
        ("severity: error\n", [], 0),
        ("ignore: [ALL]\n", [], len(RULES)),
        ("ignore: [DRA301]\n", [], 1),
        ("ignore: [DRA3]\nextend-select: [DRA301]\n", [], OF_3 - 1),
        ("select: [DRA3]\n", [], len(RULES) - OF_3),
        ("per-file-ignores: {'x/*': [DRA301, DRA302]}\n", [], 2),
        ("custom-rules: [own.yaml]\nignore: [ACME]\n", [], 1),
        # What the call itself chooses is no news to the caller.
        ("", ["--ignore", "DRA3"], 0),
        ("ignore: [DRA301]\n", ["--ignore", "DRA3"], 0),
        ("ignore: [DRA3]\n", ["--select", "DRA301"], 0),
        ("ignore: [ALL]\n", ["--isolated"], 0),
        ("ignore: [DRA301]\n", ["--fix"], 1),
        ("ignore: [DRA301]\n", ["--each-file"], 1),
    ],
)
def test_rules_that_are_switched_off(
    config: str,
    words: list[str],
    count: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"a.yaml": GOOD, "b/c.yaml": GOOD.replace("gpu,", "gpu-2,"), "own.yaml": OWN}
    write(tmp_path, {**files, ".dradsl.yaml": config})
    report = json.loads(lint(*words, "--output-format", "json").stdout)
    assert report["summary"]["rulesSwitchedOff"] == count
    note = f"note: the configuration switches off {count} rule{'s' if count > 1 else ''}\n"
    assert lint(*words).stdout.count("switches off") == (count > 0)
    assert (note in lint(*words).stdout) == (count > 0)

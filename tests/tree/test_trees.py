"""Small trees of files as people have them: what a run over each finds, and nothing else.

Each folder below `trees` is one tree. Its `expected.txt` lists the findings of `dradsl lint .` in it, one a line;
a first line that starts with `$` holds further words of the call.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command

TREES = Path(__file__).parent / "trees"


def findings(*words: str) -> list[str]:
    """One line for each finding: place, code and severity."""
    result = CliRunner().invoke(command, ["--isolated", *words, "--output-format", "json"])
    assert result.exit_code in (0, 1), result.output
    return [
        f"{f['path']}:{f['line']}:{f['column']}: {f['code']} {f['severity']}"
        for f in json.loads(result.stdout)["findings"]
    ]


def cases() -> list[str]:
    return sorted(path.parent.relative_to(TREES).as_posix() for path in TREES.rglob("expected.txt"))


@pytest.mark.parametrize("name", cases())
def test_tree(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(TREES / name, tmp_path / "tree")
    (tmp_path / "tree" / ".git").mkdir()  # the top of a work tree
    monkeypatch.chdir(tmp_path / "tree")
    expected = (TREES / name / "expected.txt").read_text().splitlines()
    words = expected.pop(0)[1:].split() if expected and expected[0].startswith("$") else ["."]
    assert findings(*words) == expected

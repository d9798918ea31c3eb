"""The Python in docs/python-api.md runs, and prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

from tests.plugin import OPTIONS

TEXT = (Path(__file__).parents[2] / "docs" / "python-api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_the_first_program(tmp_path: Path) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.chdir(tmp_path):
        exec(compile(BLOCKS[0], "python-api.md", "exec"), {"__name__": "docs"})
    assert printed.getvalue().splitlines() == re.findall(r"print\(.*  # (.*)", BLOCKS[0])


def test_the_tests(tmp_path: Path) -> None:
    (tmp_path / "test_teams.py").write_text(BLOCKS[1])
    for options in (["--dradsl-update"], []):
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *OPTIONS, *options],
            capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert run.returncode == 0, run.stdout
        assert "3 passed" in run.stdout

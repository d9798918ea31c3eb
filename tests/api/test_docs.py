"""The tests in docs/python-api.md pass; tests/docs runs the rest of its Python."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.plugin import OPTIONS

TEXT = (Path(__file__).parents[2] / "docs" / "python-api.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_the_tests(tmp_path: Path) -> None:
    (tmp_path / "test_teams.py").write_text(next(each for each in BLOCKS if "def test_" in each))
    for options in (["--dradsl-update"], []):
        run = subprocess.run(
            [sys.executable, "-m", "pytest", *OPTIONS, *options],
            capture_output=True, text=True, check=False, cwd=tmp_path,
        )  # fmt: skip
        assert run.returncode == 0, run.stdout
        assert "3 passed" in run.stdout

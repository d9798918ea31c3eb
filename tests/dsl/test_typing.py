"""mypy and pyright refuse what they must, on the very lines, and nothing else."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WRONG, RIGHT = HERE / "typing" / "wrong.py", HERE / "typing" / "right.py"


def expected() -> set[int]:
    lines = WRONG.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# error")}


def mypy_errors(path: Path, tmp_path: Path) -> set[int]:
    pytest.importorskip("mypy")
    arguments = ["--strict", "--cache-dir", str(tmp_path), "--no-error-summary", str(path)]
    result = subprocess.run(
        [sys.executable, "-m", "mypy", *arguments], capture_output=True, text=True, check=False
    )
    assert result.returncode in (0, 1), result.stdout + result.stderr
    found = re.findall(rf"{re.escape(path.name)}:(\d+): error", result.stdout)
    return {int(number) for number in found}


def pyright_errors(path: Path) -> set[int]:
    pyright = Path(sys.executable).parent / "pyright"
    if not pyright.exists():
        pytest.skip("pyright is not installed")
    arguments = ["--outputjson", "--pythonpath", sys.executable, str(path)]
    result = subprocess.run(
        [str(pyright), *arguments], capture_output=True, text=True, check=False, cwd=HERE.parents[1]
    )
    try:
        report = json.loads(result.stdout)
    except json.JSONDecodeError:
        pytest.skip(f"pyright does not run here: {result.stderr[:200]}")
    return {
        one["range"]["start"]["line"] + 1
        for one in report["generalDiagnostics"]
        if one["severity"] == "error"
    }


def test_mypy_refuses_each_marked_line(tmp_path: Path) -> None:
    assert mypy_errors(WRONG, tmp_path) == expected()


def test_mypy_accepts_the_rest(tmp_path: Path) -> None:
    assert mypy_errors(RIGHT, tmp_path) == set()


def test_pyright_refuses_each_marked_line() -> None:
    assert pyright_errors(WRONG) == expected()


def test_pyright_accepts_the_rest() -> None:
    assert pyright_errors(RIGHT) == set()

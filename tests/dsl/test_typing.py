"""mypy and pyright refuse what they must, on the very lines, and nothing else: no example either."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
WRONG, RIGHT = HERE / "typing" / "wrong.py", HERE / "typing" / "right.py"
BUILDERS = HERE.parents[1] / "examples" / "builders"
EXAMPLES = sorted([*BUILDERS.glob("*.py"), *BUILDERS.glob("class_library/*.py")])
FILES = [str(path) for path in (WRONG, RIGHT, *EXAMPLES)]


def expected(*marks: str) -> set[tuple[str, int]]:
    """The lines with such a mark: all of them in one file, none in the other."""
    lines = WRONG.read_text(encoding="utf-8").splitlines()
    marked = {(WRONG.name, n) for n, line in enumerate(lines, 1) if line.endswith(marks)}
    assert len(marked) > 20
    assert len(EXAMPLES) > 12
    return marked


def run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments, capture_output=True, text=True, check=False, cwd=HERE.parents[1]
    )


def test_mypy(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    options = ["--strict", "--enable-error-code", "deprecated", "--no-error-summary"]
    options += ["--cache-dir", str(tmp_path), "--no-explicit-package-bases"]  # folders of scripts
    result = run([sys.executable, "-m", "mypy", *options, *FILES])
    assert result.returncode == 1, result.stdout + result.stderr
    found = re.findall(r"(\w+\.py):(\d+): error", result.stdout)
    assert {(name, int(line)) for name, line in found} == expected("# error")


def test_pyright() -> None:
    pyright = Path(sys.executable).parent / "pyright"
    if not pyright.exists():
        pytest.skip("pyright is not installed")
    options = ["--outputjson", "--pythonpath", sys.executable]
    result = run([str(pyright), *options, *FILES])
    try:
        report = json.loads(result.stdout)
    except json.JSONDecodeError:
        pytest.skip(f"pyright does not run here: {result.stderr[:200]}")
    found = {
        (Path(one["file"]).name, one["range"]["start"]["line"] + 1)
        for one in report["generalDiagnostics"]
        if one["severity"] == "error"
    }
    assert found == expected("# error", "# error: pyright")

"""The parts that people run everywhere work without pydantic, rpds and libyaml."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

_PATTERN = "device.attributes['gpu.nvidia.com'].productName.matches('(?i)h[12]00')"
RUNS = {
    "lint": ["lint", "examples", "--isolated", "--output-format", "json"],
    "cel": ["cel", "check", "--output-format", "json", _PATTERN],
    "a pattern that is rejected": ["cel", "check", "--output-format", "json", "'a'.matches('(a')"],
    "simulate": [
        *("simulate", "--output-format", "json"),
        *("--slices", "examples/inventory/gpu.nvidia.com-eks-p4d-a100-full-gpu"),
        "examples/manifests",
    ],
}


def run(arguments: list[str], *, hidden: bool) -> tuple[int, str]:
    start = "import tests.without_compiled" if hidden else "pass"
    code = f"{start}; from dradsl.cli import start; start()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", RUNS)
def test_the_results_are_equal(name: str) -> None:
    code, text = run(RUNS[name], hidden=False)
    assert run(RUNS[name], hidden=True) == (code, text)
    assert code in (0, 1)
    assert text
    if "json" in RUNS[name]:
        json.loads(text)

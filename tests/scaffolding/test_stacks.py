"""The workloads of `examples/stacks`: what the command makes of each, linted and placed."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import dradsl
from dradsl import Fleet
from dradsl.cli.new import command

ROOT = Path(__file__).parents[2]
STACKS = sorted(path.parent.name for path in (ROOT / "examples/stacks").glob("*/command"))
FLEET = ROOT / "examples/inventory/gpu.nvidia.com-eks-p4d-a100-full-gpu/slices.yaml"
# Pods with devices, and how many each has.
EXPECTED = {"kserve": (1, 1), "kueue": (2, 2), "ray": (2, 2), "vllm": (1, 2)}


def test_every_stack_is_expected() -> None:
    assert sorted(EXPECTED) == STACKS


@pytest.mark.parametrize("stack", STACKS)
def test_the_command_writes_what_is_shown(
    stack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = ROOT / "examples/stacks" / stack
    shutil.copy(folder / "before.yaml", tmp_path)
    monkeypatch.chdir(tmp_path)
    program, name, *words = shlex.split((folder / "command").read_text("utf-8"))
    assert (program, name) == ("dradsl", "new")
    done = CliRunner().invoke(command, [*words, "--write"])
    assert done.exit_code == 0, done.output
    written = (tmp_path / "before.yaml").read_text("utf-8")
    assert written == (folder / "after.yaml").read_text("utf-8")
    assert CliRunner().invoke(command, [*words, "--check"]).exit_code == 0


@pytest.mark.parametrize("stack", STACKS)
def test_it_is_right(stack: str) -> None:
    path = ROOT / "examples/stacks" / stack / "after.yaml"
    result = dradsl.lint(path, isolated=True)
    assert (result.ok, result.findings) == (True, ())
    placed = dradsl.simulate(path, Fleet.from_file(FLEET), pods_for_claims=False)
    assert placed.fits, str(placed)
    pods = [pod for pod in placed if pod.devices]
    counted = (sum(1 + pod.alike for pod in pods), len(pods[0].devices))
    assert counted == EXPECTED[stack]

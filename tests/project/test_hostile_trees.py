"""A hundred hostile trees; `python -m tests.hostile_trees --trees 2000` tries more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("seed", range(0, 100, 10))
def test_trees_made_at_random(seed: int) -> None:
    """In a process of its own, which keeps the hook."""
    words = ["-m", "tests.hostile_trees", "--trees", "10", "--seed", str(seed)]
    done = subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "10 trees, 0 failures\n", done.stdout + done.stderr


SPY = """\
import importlib, subprocess, sys, click
from tests import hostile_trees
@click.command()
@click.argument("words", nargs=-1)
@click.option("--isolated", is_flag=True)
def command(words, isolated):
    open("../outside/secret.yaml").close()
    subprocess.run(["true"])
    open("new", "w").close()
    click.echo("TOKEN")
    sys.exit(9)
importlib.import_module("dradsl.cli.lint").command = command
print("\\n".join(hostile_trees.failures(range(1))))
"""


def test_what_is_wrong_is_seen() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SPY], cwd=ROOT, capture_output=True, text=True, check=False
    )
    for sign in ("outside/secret.yaml", "subprocess.Popen", "exit code 9", "quotes", "has changed"):
        assert sign in done.stdout, done.stdout + done.stderr

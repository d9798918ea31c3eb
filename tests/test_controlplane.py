"""The keeper of a control plane: its programs end however the process ends that asked for them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
# A process that starts two programs by the keeper, tells their numbers, and waits.
_CALLER = """
import json, subprocess, sys, time
from tests.oracle.controlplane.plane import _keeper
with _keeper() as ask:
    ask({"remove": sys.argv[1]})
    for name in ("a", "b"):
        args = [sys.executable, "-c", "import time; time.sleep(600)"]
        print(ask({"args": args, "log": f"{sys.argv[1]}/{name}.log"})["pid"], flush=True)
    if sys.argv[2] == "wait":
        time.sleep(600)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the harness is for systems with POSIX signals")
@pytest.mark.parametrize("way", ["leaves", "killed"])
def test_programs_end_with_the_process_that_asked(tmp_path: Path, way: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    caller = subprocess.Popen(
        [sys.executable, "-c", _CALLER, str(folder), "wait" if way == "killed" else "leave"],
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert caller.stdout is not None
    started = [int(caller.stdout.readline()) for _ in range(2)]
    if way == "killed":
        assert all(_runs(pid) for pid in started)
        caller.send_signal(signal.SIGKILL)
    caller.wait()
    caller.stdout.close()
    for _ in range(200):
        if not folder.exists():
            break
        time.sleep(0.05)
    assert not folder.exists()
    assert not any(_runs(pid) for pid in started)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True

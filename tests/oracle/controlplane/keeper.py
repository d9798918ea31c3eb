"""Starts programs for another process, and ends them all when that process is gone.

`python -m tests.oracle.controlplane.keeper` reads a request a line from its input: `{"args", "log"}` starts a
program, `{"remove": folder}` names a folder that goes at the end. It answers `{"pid"}` or `{}`. At the end of its input,
which comes however the other process ends, it stops the programs, the last one first.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

_PATIENCE = 15  # seconds for a program to stop by itself
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def main() -> int:
    """Serves requests until there are no more."""
    # A key pressed in the terminal is for the other process, which then ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    started: list[subprocess.Popen[bytes]] = []
    removed: list[Path] = []
    try:
        for line in sys.stdin:
            sys.stdout.write(json.dumps(_answer(json.loads(line), started, removed)) + "\n")
            sys.stdout.flush()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for process in reversed(started):
            _stop(process)
        for folder in removed:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


def _answer(
    request: dict[str, Any], started: list[subprocess.Popen[bytes]], removed: list[Path]
) -> dict[str, Any]:
    if "remove" in request:
        removed.append(Path(request["remove"]))
        return {}
    with Path(request["log"]).open("wb") as log:
        process = subprocess.Popen(
            request["args"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,
        )
    started.append(process)
    return {"pid": process.pid}


def _end_with_parent() -> None:
    """Even if the keeper itself is killed, its programs end."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE)
    process.kill()
    process.wait()


if __name__ == "__main__":
    sys.exit(main())

"""Timing helpers: medians of paired runs, so that a drifting machine does not bend a ratio.

All times are processor time: on a shared machine the clock on the wall measures the neighbours.
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Used", "paired_calls", "paired_commands", "run"]

# Modules must be allowed to keep their compiled form, as in every installation.
_ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True)
class Used:
    """What one process took: processor time, and the most memory that it held at once."""

    seconds: float
    peak_bytes: int
    exit_code: int


def run(command: Sequence[str], stdin: Path | None = None) -> Used:
    """Run a whole process, its output thrown away; `stdin` is the file that it reads, else nothing."""
    with (stdin or Path(os.devnull)).open("rb") as source:
        process = subprocess.Popen(
            command,
            env=_ENVIRONMENT,
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1 if sys.platform == "darwin" else 1024
    return Used(used.ru_utime + used.ru_stime, used.ru_maxrss * unit, process.returncode)


def paired_commands(
    command: Sequence[str], peer: Sequence[str], runs: int = 15
) -> tuple[float, float, float]:
    """Median seconds of both whole processes, and the median of the ratios pair by pair."""
    return _paired(lambda: run(command).seconds, lambda: run(peer).seconds, runs)


def paired_calls(
    call: Callable[[], object], peer: Callable[[], object], runs: int = 5
) -> tuple[float, float, float]:
    """Median seconds of both calls in this process, and the median of the ratios pair by pair."""

    def once(function: Callable[[], object]) -> float:
        gc.collect()  # what a call before left behind is none of its work
        start = time.process_time()
        function()
        return time.process_time() - start

    return _paired(lambda: once(call), lambda: once(peer), runs)


def _paired(
    first: Callable[[], float], second: Callable[[], float], runs: int
) -> tuple[float, float, float]:
    first(), second()  # a warm-up of both, not counted
    pairs = [(first(), second()) for _ in range(runs)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs),
    )

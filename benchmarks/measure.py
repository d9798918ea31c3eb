"""Timing helpers: medians of paired runs, so that a drifting machine does not bend a ratio."""

from __future__ import annotations

import statistics
import subprocess
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["paired_calls", "paired_commands"]


def paired_commands(
    command: Sequence[str], peer: Sequence[str], runs: int = 15
) -> tuple[float, float, float]:
    """Median seconds of both whole processes, and the median of the ratios pair by pair."""

    def once(words: Sequence[str]) -> float:
        start = time.perf_counter()
        subprocess.run(words, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.perf_counter() - start

    return _paired(lambda: once(command), lambda: once(peer), runs)


def paired_calls(
    call: Callable[[], object], peer: Callable[[], object], runs: int = 5
) -> tuple[float, float, float]:
    """Median seconds of both calls in this process, and the median of the ratios pair by pair."""

    def once(function: Callable[[], object]) -> float:
        start = time.perf_counter()
        function()
        return time.perf_counter() - start

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

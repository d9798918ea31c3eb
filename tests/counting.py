"""Work that is counted, so that tests can say how it grows without a clock."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def work_of(task: Callable[[], object]) -> int:
    """How many lines of Python `task` runs, and how many functions it calls, those in C too.

    Each round of a loop counts, also of one on a single line. What one step in C does, such as
    to compare texts for `in`, does not.
    """
    count = 0

    def trace(_frame: FrameType, _event: str, _arg: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    def profile(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal count
        count += event == "c_call"

    former = sys.gettrace(), sys.getprofile()
    sys.settrace(trace)
    sys.setprofile(profile)
    try:
        task()
    finally:
        sys.settrace(former[0])
        sys.setprofile(former[1])
    return count


def growth(task: Callable[[int], object], size: int) -> float:
    """How many times the work that `size` takes is done for double the size.

    What the smallest size takes as well, such as reading tables for the first time, is left out.
    """
    task(1)
    least, small, large = (work_of(partial(task, count)) for count in (1, size, 2 * size))
    return (large - least) / max(small - least, 1)

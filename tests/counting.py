"""Work that is counted, so that tests can say how it grows without a clock."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

Made = TypeVar("Made")


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


def growth(make: Callable[[int], Made], task: Callable[[Made], object], size: int) -> float:
    """How many times more work `task` has from twice to four times the size than from the size to
    twice the size: 2 where work grows as the size does, 4 where it grows as its square.

    What any size takes, such as reading tables for the first time, so counts for nothing; nor does
    making the input.
    """
    one, two, four = (make(times * size) for times in (1, 2, 4))
    task(one)
    works = [work_of(partial(task, each)) for each in (one, two, four)]
    return (works[2] - works[1]) / max(works[1] - works[0], size)

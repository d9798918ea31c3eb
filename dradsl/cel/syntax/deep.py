"""Room for trees that nest deeper than Python's recursion limit allows.

CEL lets an expression nest 250 brackets, and macros multiply that. Frames of Python
functions live on the heap (since 3.11), so for the few trees that need it the limit is
raised while they are worked on; it returns to its former value with the last of them.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock  # `threading` is a module more, for the same lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")

__all__ = ["SHALLOW", "deep"]

SHALLOW = 60
"""Trees with fewer levels run within the ordinary limit."""

_FRAMES_PER_LEVEL = 6


class _Room:
    """Counts who needs a raised limit; the last one to leave restores it."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._users = 0
        self._former = 0

    def enter(self, frames: int) -> None:
        with self._lock:
            current = sys.getrecursionlimit()
            if self._users == 0:
                self._former = current
            self._users += 1
            sys.setrecursionlimit(max(current, self._former + frames))

    def leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                sys.setrecursionlimit(self._former)


_ROOM = _Room()


def deep(work: Callable[P, R], levels: int, *args: P.args, **kwargs: P.kwargs) -> R:
    """Calls `work`, with room for `levels` levels of a tree if they are many."""
    if levels < SHALLOW:
        return work(*args, **kwargs)
    _ROOM.enter(levels * _FRAMES_PER_LEVEL)
    try:
        return work(*args, **kwargs)
    finally:
        _ROOM.leave()

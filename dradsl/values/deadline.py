"""When a run has to end with what it has found so far: a value that long work is given and asks."""

from __future__ import annotations

import math
import time

from dradsl.records import dataclass

__all__ = ["NO_DEADLINE", "Deadline"]


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of the clock that only goes forward; `seconds` is the limit that led to it."""

    moment: float = math.inf
    seconds: float = math.inf

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """The moment so many seconds from now; None: it never comes."""
        return cls() if seconds is None else cls(time.monotonic() + seconds, seconds)

    @property
    def is_over(self) -> bool:
        return self.moment <= time.monotonic()

    @property
    def words(self) -> str:
        return f"the time limit of {self.seconds:g} s"


NO_DEADLINE = Deadline()

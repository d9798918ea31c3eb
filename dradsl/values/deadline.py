"""When a run has to end with what it has found so far: a value that long work is given and asks."""

from __future__ import annotations

import math
import time

from dradsl.records import dataclass

__all__ = ["NO_DEADLINE", "Deadline", "TimeOverError", "read_duration"]

_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0}
_EXPECTED = "expects seconds or a duration, such as 90, 30s, 5m or 1h30m"


class TimeOverError(Exception):
    """The time of a run was over before it had what it was to give."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment of the clock that only goes forward; `seconds` is the limit that led to it."""

    moment: float = math.inf
    seconds: float = math.inf

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """The moment so many seconds from now; None: it never comes."""
        return cls() if seconds is None else cls(time.monotonic() + seconds, seconds)

    def part(self, share: float) -> Deadline:
        """The moment when so much of the time is over: 0.5 for half of it."""
        return (
            Deadline(self.moment - self.seconds * (1 - share), self.seconds)
            if self.is_set
            else self
        )

    @property
    def is_set(self) -> bool:
        """Whether it ever comes."""
        return self.moment < math.inf

    @property
    def is_over(self) -> bool:
        return self.moment <= time.monotonic()

    def check(self) -> None:
        """Go on.

        Raises:
            TimeOverError: if it is over.
        """
        if self.is_over:
            raise TimeOverError(f"{self.words}; nothing was written")

    @property
    def words(self) -> str:
        return f"the time limit of {self.seconds:g} s was reached"


NO_DEADLINE = Deadline()


def read_duration(text: str) -> float:
    """Seconds in a text such as "90", "30s", "5m" or "1h30m": numbers with units, the larger first.

    Raises:
        ValueError: for any other text, and for no time at all.
    """
    seconds, number, allowed = 0.0, "", "hms"
    for sign in text if text[-1:] in _SECONDS else f"{text}s":
        if sign in "0123456789.":
            number += sign
            continue
        place = allowed.find(sign)
        if place < 0 or not number.replace(".", "", 1).isdigit() or len(number) > 9:
            raise ValueError(_EXPECTED)
        seconds += float(number) * _SECONDS[sign]
        number, allowed = "", allowed[place + 1 :]
    if not seconds:
        raise ValueError(_EXPECTED)
    return seconds

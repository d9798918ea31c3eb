"""When a run has to end with what it has found so far: a value that long work is given and asks."""

from __future__ import annotations

import contextlib
import math
import sys
import time

from dradsl.errors import DradslError
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NO_DEADLINE", "Deadline", "TimeIsUp", "TimeOverError", "read_duration"]

_GRACE = 1.0  # seconds in which work that asks for the deadline itself ends with what it has
_AGAIN = (
    5.0  # seconds until the next interruption, if something took the first one or is still not done
)

_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0}
_EXPECTED = "expects seconds or a duration, such as 90, 30s, 5m or 1h30m"


class TimeOverError(DradslError):
    """The time of a run was over before it had what it was to give."""


class TimeIsUp(BaseException):
    """The interruption of work that went on beyond the deadline without asking for it. Like KeyboardInterrupt it
    is no Exception: nothing but clean-up takes it."""


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

    @contextlib.contextmanager
    def enforced(self) -> Iterator[None]:
        """Interrupt what is done within: it raises `TimeIsUp` soon after the deadline, wherever it is by then.

        The time counts from here, so enter it where the deadline is made. Only the main thread is
        interrupted; elsewhere nothing happens. Code in C is interrupted once it returns.
        """
        if not self.is_set:
            yield
            return
        with _interrupting(self.seconds + _GRACE, self.words):
            yield

    @property
    def words(self) -> str:
        return f"the time limit of {self.seconds:g} s was reached"


NO_DEADLINE = Deadline()


@contextlib.contextmanager
def _interrupting(seconds: float, words: str) -> Iterator[None]:
    import signal

    if not hasattr(signal, "setitimer"):
        with _interrupting_by_thread(seconds):
            yield
        return

    def interrupt(_number: int, _frame: object) -> None:
        raise TimeIsUp(words)

    try:
        before = signal.signal(signal.SIGALRM, interrupt)
    except ValueError:  # not the main thread
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _interrupting_by_thread(seconds: float) -> Iterator[None]:
    """The same on Windows, which has no such signal."""
    import ctypes
    import threading

    main_thread = threading.current_thread() is threading.main_thread()
    if sys.platform == "emscripten" or not main_thread:  # WebAssembly starts no threads
        yield
        return
    done = threading.Event()
    main = ctypes.c_ulong(threading.main_thread().ident or 0)

    def watch() -> None:
        wait = seconds
        while not done.wait(wait):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(main, ctypes.py_object(TimeIsUp))
            wait = _AGAIN

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        done.set()


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

"""Signals that end a run: what was begun is cleaned up, and the exit code is what a shell expects."""

from __future__ import annotations

import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Stopped", "listen"]

_AGAIN = 2.0  # seconds in which a signal is taken for the same request: `timeout` sends two at once


class Stopped(BaseException):
    """The run was told to stop by the signal `number`. Not an Exception: nothing but clean-up takes it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def exit_code(self) -> int:
        """128 and the number: 143 for SIGTERM, 130 for SIGINT, 129 for SIGHUP."""
        return 128 + self.number


def listen() -> None:
    """Let these signals raise Stopped in the main thread; one that the caller has ignored stays so."""
    last: list[float] = []

    def stop(number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if last and now - last[-1] < _AGAIN:
            return
        last.append(now)
        raise Stopped(number)

    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        number = getattr(signal, name, None)
        if number is None or signal.getsignal(number) == signal.SIG_IGN:
            continue
        try:
            signal.signal(number, stop)
        except ValueError:  # not in the main thread
            return

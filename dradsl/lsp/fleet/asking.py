"""Questions that take time: put in one thread beside the editor's messages, and given up when late or cancelled."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from dradsl.lsp.linting.project import Stoppable
from dradsl.values.deadline import TimeOverError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from dradsl.values.deadline import Deadline

    T = TypeVar("T")

__all__ = ["Asker", "LateError"]


class LateError(Exception):
    """There was no answer in time."""


class Asker:
    """Asks one question at a time."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "ask")

    async def ask(self, work: Callable[[Deadline], T], seconds: float) -> T:
        """What `work` gives, which is handed the time it has.

        Raises:
            LateError: if that takes longer. The work is told to stop, and so it is when the editor cancels.
        """
        stop = Stoppable(seconds)
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._thread, _unless_over, work, stop)
        try:
            return await asyncio.wait_for(asyncio.shield(future), seconds)
        except (TimeoutError, TimeOverError):
            raise LateError from None
        finally:
            stop.stop()
            if not future.done():
                future.add_done_callback(_forget)

    def stop(self) -> None:
        """End all work."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _unless_over(work: Callable[[Deadline], T], stop: Stoppable) -> T:
    stop.check()  # it may have waited for others
    return work(stop)


def _forget(future: asyncio.Future[T]) -> None:
    """Take the outcome of work whose caller no longer waits."""
    if not future.cancelled():
        future.exception()

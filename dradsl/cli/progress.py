"""Progress on standard error: only for long runs, and only on a terminal."""

from __future__ import annotations

import contextlib

from dradsl.cli.say import is_quiet, stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["pods_placed", "progress_bar"]

_WORTH_IT = 200  # files; fewer are done before a bar could be read


@contextlib.contextmanager
def progress_bar(files: int) -> Iterator[Callable[[int], None] | None]:
    """A callback that shows how many objects are done; None where no bar is shown."""
    if files < _WORTH_IT or is_quiet() or not stream(err=True).isatty():
        yield None
        return
    done = 0

    def advance(objects: int) -> None:
        nonlocal done
        done += objects
        if done % _WORTH_IT == 0:
            stream(err=True).write(f"\rchecked {done} objects of {files} files")
            stream(err=True).flush()

    try:
        yield advance
    finally:
        stream(err=True).write("\r\x1b[K")


@contextlib.contextmanager
def pods_placed() -> Iterator[Callable[[int], None]]:
    """A callback that is told of pods that were placed, and shows their number once they are many."""
    out = stream(err=True)
    shows, done, shown = out.isatty() and not is_quiet(), 0, 0

    def advance(pods: int) -> None:
        nonlocal done, shown
        done += pods
        if shows and done - shown >= _WORTH_IT:
            shown = done
            out.write(f"\rlooked at {done:,} pods")
            out.flush()

    try:
        yield advance
    finally:
        if shown:
            out.write("\r\x1b[K")

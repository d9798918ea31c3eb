"""A progress bar on standard error: only for long runs, and only on a terminal."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["progress_bar"]

_WORTH_IT = 200  # files; fewer are done before a bar could be read


@contextlib.contextmanager
def progress_bar(files: int, objects: int) -> Iterator[Callable[[int], None] | None]:
    """A callback that advances the bar by a number of objects; None where no bar is shown."""
    if files < _WORTH_IT or not sys.stderr.isatty():
        yield None
        return
    import click

    with click.progressbar(length=objects, label="checking", file=sys.stderr) as bar:
        yield bar.update

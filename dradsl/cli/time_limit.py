"""`--timeout` of the commands that are built by click; lint reads it from its own table."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from dradsl.cli.errors import InputError
from dradsl.cli.options import string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.values.deadline import Deadline

__all__ = ["TIMEOUT", "deadline_of", "limited"]

TIMEOUT = string("--timeout", "DURATION", "Stop after this time (90, 30s, 5m), with exit code 2.")


def deadline_of(given: str | None) -> Deadline:
    """The moment that `--timeout` means.

    Raises:
        InputError: for a text that is no duration.
    """
    from dradsl.values.deadline import NO_DEADLINE, Deadline, read_duration

    if given is None:
        return NO_DEADLINE
    try:
        return Deadline.after(read_duration(given))
    except ValueError as error:
        raise InputError(f"--timeout: {error}") from error


@contextlib.contextmanager
def limited(deadline: Deadline, what: str) -> Iterator[None]:
    """Work that ends at a deadline, whatever it is doing; `what` names it.

    Raises:
        InputError: if the deadline comes first.
    """
    from dradsl.values.deadline import TimeIsUp

    try:
        with deadline.enforced():
            yield
    except TimeIsUp as end:
        raise InputError(f"{end}; not finished: {what}; nothing was written") from end

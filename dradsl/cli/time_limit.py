"""`--timeout` of the commands that are built by click; lint reads it from its own table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dradsl.cli.errors import InputError

if TYPE_CHECKING:
    from dradsl.values.deadline import Deadline

__all__ = ["ALL_OR_NOTHING", "SO_FAR", "deadline_of"]

SO_FAR = click.option(
    "--timeout",
    metavar="DURATION",
    help="Stop after this time (90, 30s, 5m), and report what was found.",
)
"""The option of commands that look at one thing after the other."""

ALL_OR_NOTHING = click.option(
    "--timeout", metavar="DURATION", help="Stop after this time (90, 30s, 5m), and write nothing."
)
"""The option of commands that make one thing of all that they read."""


def deadline_of(text: str | None) -> Deadline:
    """The moment that `--timeout` means.

    Raises:
        InputError: for a text that is no duration.
    """
    from dradsl.values.deadline import NO_DEADLINE, Deadline, read_duration

    if text is None:
        return NO_DEADLINE
    try:
        return Deadline.after(read_duration(text))
    except ValueError as error:
        raise InputError(f"--timeout: {error}") from error

"""Errors of dradsl itself while it works on one of several files: named, and the others go on."""

from __future__ import annotations

import os

from dradsl.cli.say import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    from dradsl.diagnostics import Finding

    T = TypeVar("T")

__all__ = ["PLEASE", "Isolated", "internal_text", "is_internal", "please_report", "say_unread"]

_LONGEST = 200  # characters of an exception's text, which may quote the file


class Isolated:
    """Collects the names of files for which dradsl failed; each is said once, on standard error."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def attempt(
        self,
        name: str,
        work: Callable[[], T],
        known: tuple[type[Exception], ...] = (),
        what: str = "the file",
    ) -> T | None:
        """The result of `work` on `name`, which is `what`; None if dradsl failed.

        Errors of the `known` types are raised; with the variable DRADSL_DEBUG set any error is.
        """
        try:
            return work()
        except known:
            raise
        except Exception as error:
            if os.environ.get("DRADSL_DEBUG"):
                raise
            self.add(name, error, what)
            return None

    def add(self, name: str, error: Exception, what: str = "the file") -> None:
        """Say that `error` came of `name`, which is `what`, and what to do with that."""
        self.names.append(name)
        say(f"{name}: {internal_text(error)}; {what} is left out", err=True)
        if please := please_report(error):
            say(please, err=True)


PLEASE = "Please report this; DRADSL_DEBUG=1 shows where it happened."
"""What to do with an error of dradsl itself."""


def please_report(*errors: Exception) -> str:
    """What to do with errors of dradsl itself; nothing if only memory is missing."""
    return "" if all(isinstance(each, MemoryError) for each in errors) else PLEASE


def internal_text(error: Exception) -> str:
    """What is said of an error of dradsl itself."""
    if isinstance(error, MemoryError):
        from dradsl.lint.input.reading import NO_MEMORY

        return NO_MEMORY
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return f"internal error: {said if len(said) <= _LONGEST else f'{said[:_LONGEST]}...'}"


def is_internal(failures: Iterable[Finding]) -> bool:
    """Whether dradsl itself failed while it read one of the files."""
    from dradsl.lint.catalogue.rules import INTERNAL_ERROR

    return any(failure.code == INTERNAL_ERROR for failure in failures)


def say_unread(failures: Iterable[Finding]) -> None:
    """Name the files that could not be read, and why."""
    for failure in failures:
        help_ = f"; {failure.help}" if is_internal([failure]) and failure.help else ""
        say(f"{failure.path}: {failure.message}{help_}", err=True)

"""Findings about files that could not be checked at all: unreadable ones, and our own mistakes."""

from __future__ import annotations

from dradsl.diagnostics import Finding, Span
from dradsl.lint.catalogue.rules import INTERNAL_ERROR, RULES
from dradsl.text.files import FileError

__all__ = ["NO_MEMORY", "internal_error", "unreadable"]

NO_MEMORY = "not enough memory"
"""What a MemoryError says: it is no error of dradsl itself."""

_SHOWN = 200  # characters of an exception's text, which may quote the file


def unreadable(name: str, error: FileError, what: str = "the file") -> Finding:
    """DRA003 or DRA004: `what`, the file called `name` or a state of it, cannot be read."""
    reason = str(error).removeprefix(f"{error.path}: ")
    code = "DRA004" if error.reason == "too-large" else "DRA003"
    return _finding(code, name, f"{what} cannot be read: {reason}")


def internal_error(name: str, error: Exception) -> Finding:
    """DRA099: dradsl itself failed while it looked at the file called `name`."""
    if isinstance(error, MemoryError):
        help_ = "give the run more memory, or check fewer files at once"
        return _finding(INTERNAL_ERROR, name, f"the file was not checked: {NO_MEMORY}", help_)
    said = " ".join(f"{type(error).__name__}: {error}".split())
    said = said if len(said) <= _SHOWN else f"{said[:_SHOWN]}..."
    help_ = "please report this; DRADSL_DEBUG=1 shows where it happened"
    return _finding(
        INTERNAL_ERROR, name, f"internal error, the file was not checked: {said}", help_
    )


def _finding(code: str, name: str, message: str, help_: str | None = None) -> Finding:
    rule = RULES[code]
    return Finding(
        code=rule.code,
        name=rule.name,
        severity=rule.severity,
        message=message,
        path=name,
        span=Span.point(1, 1),
        help=help_,
    )

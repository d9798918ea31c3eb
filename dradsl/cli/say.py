"""The one door through which the command line prints: nothing of the input commands a terminal or a log.

Messages go through `say` and `say_lines`, data through `say_json`, contents that are handed on as they
are (manifests, diffs, generated code) through `put`. `stream` is for reports, which colour and escape
by themselves.
"""

from __future__ import annotations

import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

__all__ = [
    "Questions",
    "contents_stream",
    "flush",
    "prepare",
    "put",
    "say",
    "say_json",
    "say_lines",
    "silence",
    "stream",
]


def say(line: str, *, err: bool = False) -> None:
    """One line. A line end in it is shown, not made: names may hold one."""
    from dradsl.values.printable import printable

    _write(f"{printable(line)}\n", err=err)


def say_lines(text: str, *, err: bool = False) -> None:
    """Text of several lines that are ours; a line end follows."""
    from dradsl.values.printable import printable

    _write(f"{printable(text, keep_newlines=True)}\n", err=err)


def say_json(data: Any) -> None:
    """Data as JSON, in ASCII: the same bytes whatever the encoding of standard output is."""
    from dradsl.values.printable import json_text

    _write(f"{json_text(data)}\n", err=False)


def _write(text: str, *, err: bool) -> None:
    out = stream(err=err)
    out.write(text)
    out.flush()  # in order with the other stream, and a reader that went away is noticed


def put(*texts: str) -> None:
    """Contents on standard output as they are; bytes that were no UTF-8 as they were read."""
    sys.stdout.flush()
    for text in texts:
        sys.stdout.buffer.write(_bytes(text))
    sys.stdout.buffer.flush()


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # halves of characters that stand for no byte
        return text.encode("utf-8", "replace")


def stream(*, err: bool = False) -> TextIO:
    """Standard output or error itself, for reports that colour and escape by themselves."""
    return sys.stderr if err else sys.stdout


def contents_stream() -> TextIO:
    """Standard output for contents: bytes that were no UTF-8 are written as they were read."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="surrogateescape")
    return sys.stdout


def prepare() -> None:
    """No locale may turn a report into an error: UTF-8 into files and pipes, else what can be shown.

    A stream that the caller closed (`>&-`) takes or gives nothing: using it is an OSError.
    """
    # In this order they get the numbers 0, 1 and 2, which no file may get instead.
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    for each in (sys.stdout, sys.stderr):
        if isinstance(each, io.TextIOWrapper):
            each.reconfigure(encoding=None if each.isatty() else "utf-8", errors="replace")


def flush() -> None:
    """Bring what was printed to where it goes.

    Raises:
        OSError: if it cannot be written.
    """
    sys.stdout.flush()
    sys.stderr.flush()


def silence() -> None:
    """Standard output cannot be written: what is still to be written is dropped."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class Questions:
    """Asks at the terminal, on standard error; what the input says in a question is escaped."""

    @staticmethod
    def can_be_asked() -> bool:
        """Whether somebody sits there."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    def say(self, line: str) -> None:
        """One line."""
        say(line, err=True)

    def confirm(self, question: str) -> bool:
        """Yes or no, no if nothing is said."""
        import click

        from dradsl.values.printable import printable

        return click.confirm(printable(question), default=False, err=True)

    def choose(self, question: str, choices: Sequence[str], default: str) -> str:
        """One of `choices`."""
        import click

        from dradsl.values.printable import printable

        kind = click.Choice(choices)
        return str(click.prompt(printable(question), type=kind, default=default, err=True))

    def ask(self, question: str, default: str) -> str:
        """Any text; `default` if nothing is said."""
        import click

        from dradsl.values.printable import printable

        shown = printable(f"{question} [{default}]")
        return str(click.prompt(shown, default=default, show_default=False, err=True))

"""The one door through which the command line prints: nothing of the input commands a terminal or a log.

Messages go through `say` and `say_lines`, data through `say_json`, contents that are handed on as they
are (manifests, diffs, generated code) through `put`. `stream` is for reports, which colour and escape
by themselves.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TextIO

__all__ = [
    "Questions",
    "columns",
    "contents_stream",
    "flush",
    "in_manner",
    "is_quiet",
    "note",
    "prepare",
    "put",
    "say",
    "say_json",
    "say_lines",
    "silence",
    "stream",
    "wants_color",
]


class _Manner:
    """What `--color`, `--quiet` and `--output` of the call say."""

    color = "auto"
    quiet = False
    output: TextIO | None = None


_MANNER = _Manner()


@contextlib.contextmanager
def in_manner(
    color: str | None = None, quiet: bool = False, output: str | os.PathLike[str] | None = None
) -> Iterator[None]:
    """Print as the options say. With `output`, what goes to standard output is written there as a whole in the end,
    unless the call could not be carried out."""
    before = vars(_MANNER).copy()
    _MANNER.color, _MANNER.quiet = color or _MANNER.color, quiet or _MANNER.quiet
    held = io.BytesIO()
    code: object = None
    if output is not None:
        _MANNER.output = io.TextIOWrapper(held, "utf-8", "replace", newline="", write_through=True)
    out = _MANNER.output
    try:
        yield
        code = 0
    except SystemExit as end:
        code = end.code or 0
        raise
    finally:
        vars(_MANNER).clear()
        vars(_MANNER).update(before)
        if out is not None and code is not None and (code != 2 or held.getvalue()):
            _write_file(output, held.getvalue())


def _write_file(path: Any, content: bytes) -> None:
    from dradsl.text.files import FileError
    from dradsl.tree.replacing import write_bytes

    if os.fspath(path).endswith(".gz"):
        import gzip

        content = gzip.compress(
            content, mtime=0
        )  # no time, so that the same text gives the same file
    try:
        write_bytes(path, content)
    except FileError as error:
        say(f"dradsl: {error}", err=True)
        sys.exit(2)


def is_quiet() -> bool:
    """Whether notes, summaries and progress are left out."""
    return _MANNER.quiet


def note(line: str) -> None:
    """One line on standard error that `--quiet` leaves out."""
    if not _MANNER.quiet:
        say(line, err=True)


def wants_color(*, err: bool = False) -> bool:
    """Whether to colour what goes to standard output or error; a file is never coloured."""
    from dradsl.lint.report.terminal import wants_color as by_terminal

    return (err or _MANNER.output is None) and by_terminal(_MANNER.color, stream(err=err))


def columns(*, err: bool = False) -> int:
    """The width of the terminal; 0 for a file."""
    from dradsl.lint.report.terminal import terminal_width

    return terminal_width(stream(err=err)) if err or _MANNER.output is None else 0


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
    out: Any = stream()
    out.flush()
    for text in texts:
        out.buffer.write(_bytes(text))
    out.buffer.flush()


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # halves of characters that stand for no byte
        return text.encode("utf-8", "replace")


def stream(*, err: bool = False) -> TextIO:
    """Standard output or error itself, for reports that colour and escape by themselves."""
    return sys.stderr if err else _MANNER.output or sys.stdout


def contents_stream() -> TextIO:
    """Standard output for contents: bytes that were no UTF-8 are written as they were read."""
    out = stream()
    if isinstance(out, io.TextIOWrapper):
        out.reconfigure(errors="surrogateescape")
    return out


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

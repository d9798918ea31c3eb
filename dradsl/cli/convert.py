"""`dradsl convert`: rewrite manifests in another API version; the work is in `migrate.convert`."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING

import click

from dradsl.cli.cluster_options import STDIN_FILENAME
from dradsl.cli.commands import Command
from dradsl.cli.options import choice, flag, options_decorator
from dradsl.cli.say import note, put, say
from dradsl.cli.time_limit import TIMEOUT, deadline_of, limited
from dradsl.values.printable import diff_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.migrate.convert import Conversion
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["command"]


_OPTIONS = (
    choice(
        "--to",
        ("v1", "v1beta2", "v1beta1"),
        "The API version to write.  [default: v1]",
        default="v1",
        name="version",
    ),
    flag("--write", "Rewrite the files."),
    flag("--diff", "Print the changes. Write nothing."),
    flag("--check", "Write nothing. Exit with 1 if a file would change."),
    STDIN_FILENAME,
    TIMEOUT,
)


@click.command("convert", cls=Command)
@click.argument("paths", nargs=-1, required=True, metavar="PATH... | -")
@options_decorator(_OPTIONS)
def command(
    paths: tuple[str, ...],
    version: str,
    write: bool,
    diff: bool,
    check: bool,
    stdin_filename: str,
    timeout: str | None,
) -> None:
    """Rewrite resource.k8s.io objects in another API version, and keep comments.

    Without --write, --diff or --check, the result goes to standard output: of
    several files those that change.

    \b
    Exit codes:
      0  everything is in the target version
      1  an object cannot be rewritten, or with --check: would be rewritten
      2  the command line cannot be used, or --timeout was reached
    """
    _expect_one(paths, write=write, diff=diff, check=check)
    from dradsl.cli.isolation import Isolated, is_internal, say_unread
    from dradsl.lint.engine.session import Session
    from dradsl.lint.input.reading import read_paths
    from dradsl.migrate.output import between
    from dradsl.text.files import FileError
    from dradsl.tree.inputs.sources import UsageProblem
    from dradsl.values.counted import plural
    from dradsl.values.deadline import TimeIsUp

    deadline = deadline_of(timeout)
    session = Session(paths, stdin_name=stdin_filename, isolated=True)
    broken = Isolated()  # the other files are rewritten all the same
    try:
        with limited(deadline, "reading the files"):
            reading = read_paths(paths, session.config_of, stdin_filename, deadline=deadline)
        left = reading.unread
        say_unread(reading.failures)
        for each in reading.skipped:
            say(f"skipped {each.name}: {each.reason}", err=True)
        code = 2 if is_internal(reading.failures) else int(bool(reading.failures))
        before = ""
        for number, source in enumerate(reading.sources):
            if deadline.is_over:
                left += len(reading.sources) - number
                break
            try:
                with deadline.enforced():
                    converted = broken.attempt(
                        source.name, functools.partial(_converted, source, version)
                    )
            except TimeIsUp:
                left += len(reading.sources) - number
                break
            if converted is None:
                continue
            messages, conversion = converted
            _say_what_stays(source, messages, conversion)
            changed = conversion.text != source.stream.text
            code = max(code, int(bool(messages or conversion.rejected or (check and changed))))
            if not (write or diff or check):
                if changed or len(reading.sources) == 1:
                    put(between(before, conversion.text), conversion.text)
                    before = conversion.text
                continue
            try:
                _write(source, conversion, write=write, diff=diff, check=check)
            except FileError as error:
                # The other files are rewritten all the same.
                say(f"dradsl convert: {error}", err=True)
                code = 2
        if left:
            say(
                f"dradsl convert: {deadline.words}; not looked at: {plural(left, 'file')}", err=True
            )
            code = 2
    except (UsageProblem, FileError) as error:
        say(f"dradsl convert: {error}", err=True)
        code = 2
    sys.exit(2 if broken.names else code)


def _expect_one(paths: tuple[str, ...], *, write: bool, diff: bool, check: bool) -> None:
    if write + diff + check > 1:
        raise click.UsageError("choose one of --write, --diff, --check")
    if write and "-" in paths:
        raise click.UsageError("--write changes files, not standard input")


def _converted(source: SourceText, version: str) -> tuple[list[str], Conversion]:
    """What of a file cannot be read, and its conversion."""
    from dradsl.migrate.convert import convert
    from dradsl.migrate.output import unread

    return unread(source), convert(source, version)


def _write(
    source: SourceText, conversion: Conversion, *, write: bool, diff: bool, check: bool
) -> None:
    from dradsl.text.diff import unified_diff

    changed = conversion.text != source.stream.text
    if check:
        if changed:
            say(f"{source.name}: would be rewritten", err=True)
    elif diff:
        shown = diff_name(source.name)
        put(*unified_diff(source.stream.text, conversion.text, shown, shown))
    elif write and changed:
        source.rewrite(conversion.text)
        note(f"wrote {source.name}")


def _say_what_stays(source: SourceText, messages: Iterable[str], conversion: Conversion) -> None:
    for message in messages:
        say(message, err=True)
    for rejected in conversion.rejected:
        place = f"{source.name}:{rejected.span.line}:{rejected.span.column}"
        say(f"{place}: {rejected.title} stays as it is: {rejected.reason}", err=True)

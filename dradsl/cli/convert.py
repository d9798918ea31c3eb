"""`dradsl convert`: rewrite manifests in another API version; the work is in `migrate.convert`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dradsl.lint.input.sources import SourceText
    from dradsl.migrate.convert import Conversion

__all__ = ["command"]


@click.command("convert")
@click.argument("paths", nargs=-1, required=True, metavar="PATH... | -")
@click.option(
    "--to",
    "version",
    type=click.Choice(["v1", "v1beta2", "v1beta1"]),
    default="v1",
    show_default=True,
    help="The API version of resource.k8s.io to write.",
)
@click.option("--in-place", is_flag=True, help="Rewrite the files.")
@click.option("--diff", is_flag=True, help="Print the changes; write nothing.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file would change.")
@click.option("--stdin-filename", default="<stdin>", help="What to call standard input.")
def command(
    paths: tuple[str, ...],
    version: str,
    in_place: bool,
    diff: bool,
    check: bool,
    stdin_filename: str,
) -> None:
    """Rewrite resource.k8s.io objects in another API version, keeping comments.

    Without --in-place, --diff or --check the rewritten manifests go to standard output. Exit
    codes: 0 everything is in the version asked for, 1 an object cannot be rewritten (or, with
    --check, would be), 2 the call cannot be used.
    """
    if in_place + diff + check > 1:
        raise click.UsageError("choose one of --in-place, --diff, --check")
    if in_place and "-" in paths:
        raise click.UsageError("--in-place changes files, not standard input")
    from dradsl.lint.engine.session import Session
    from dradsl.lint.input.failures import internal_error
    from dradsl.lint.input.reading import read_paths
    from dradsl.lint.input.sources import OUTSIDE, UsageProblem
    from dradsl.migrate.convert import convert
    from dradsl.migrate.output import between, print_text, unread
    from dradsl.text.files import FileError

    session = Session(paths, stdin_name=stdin_filename, isolated=True)
    try:
        reading = read_paths(paths, session.config_of, stdin_filename)
        for failure in reading.failures:
            _say(f"{failure.path}: {failure.message}")
        for name in reading.outside:
            _say(f"skipped {name}: {OUTSIDE}")
        code = int(bool(reading.failures))
        before = ""
        for source in reading.sources:
            for message in unread(source):
                _say(message)
                code = max(code, 1)
            try:
                conversion = convert(source, version)
            except Exception as error:
                if os.environ.get("DRADSL_DEBUG"):
                    raise
                # The other files are rewritten all the same.
                _say(f"{source.name}: {internal_error(source.name, error).message}")
                code = 2
                continue
            for refused in conversion.refused:
                place = f"{source.name}:{refused.span.line}:{refused.span.column}"
                _say(f"{place}: {refused.title} stays as it is: {refused.reason}")
            changed = conversion.text != source.stream.text
            code = max(code, int(bool(conversion.refused) or (check and changed)))
            if not (in_place or diff or check):
                print_text(between(before, conversion.text))
                before = conversion.text
            try:
                _write(source, conversion, in_place=in_place, diff=diff, check=check)
            except FileError as error:
                # The other files are rewritten all the same.
                _say(f"dradsl convert: {error}")
                code = 2
    except (UsageProblem, FileError) as error:
        _say(f"dradsl convert: {error}")
        code = 2
    sys.exit(code)


def _say(message: str) -> None:
    """A message on standard error; names of files and objects in it move no cursor."""
    from dradsl.lint.report.terminal import printable

    click.echo(printable(message), err=True)


def _write(
    source: SourceText, conversion: Conversion, *, in_place: bool, diff: bool, check: bool
) -> None:
    from dradsl.migrate.output import print_text
    from dradsl.text.diff import unified_diff

    changed = conversion.text != source.stream.text
    if check:
        if changed:
            _say(f"{source.name}: would be rewritten")
    elif diff:
        print_text(*unified_diff(source.stream.text, conversion.text, source.name, source.name))
    elif in_place and not source.name.startswith("<"):
        if changed:
            source.rewrite(conversion.text)
            _say(f"wrote {source.name}")
    else:
        print_text(conversion.text)

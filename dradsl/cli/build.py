"""`dradsl build`: write the manifests that a Python module builds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dradsl.cli.say import put, say, stream

if TYPE_CHECKING:
    from dradsl.dsl.building.app import App
    from dradsl.dsl.building.loading import LoadedApp
    from dradsl.dsl.building.writing import Plan
    from dradsl.lint.report import Report
    from dradsl.lint.settings.config import Config

__all__ = ["command"]


@click.command("build")
@click.argument("module", metavar="MODULE[:APP]")
@click.option(
    "-o",
    "--output",
    default="-",
    show_default=True,
    metavar="DIR",
    help='Folder for one file an object; "-" for one stream on standard output.',
)
@click.option("--check", is_flag=True, help="Write nothing; fail if the files in DIR differ.")
@click.option(
    "--force",
    is_flag=True,
    help="Overwrite files in DIR that another module built, or that have no mark of dradsl build.",
)
@click.option("--allow-empty", is_flag=True, help="Take an app without objects.")
@click.option(
    "--helm", is_flag=True, help="Escape braces, for the templates folder of a Helm chart."
)
@click.option("--no-lint", is_flag=True, help="Do not check what is built.")
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "sarif", "junit", "github", "gitlab", "rdjson"]),
    default="text",
    help="How to report findings.",
)
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False),
    help="Write the report there, not to standard error.",
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
def command(
    module: str,
    output: str,
    check: bool,
    force: bool,
    allow_empty: bool,
    helm: bool,
    no_lint: bool,
    output_format: str,
    output_file: str | None,
    color: str,
) -> None:
    """Write the manifests that a Python module builds, checked as `dradsl lint` checks files.

    MODULE is a Python file or a dotted name; APP the name of its App, if there are several.
    Findings point at the Python line. Each file in DIR has a mark with its module and app. A build
    removes only files with its own mark, and overwrites no others without --force.

    Exit codes: 0 built, 1 findings (nothing is written for errors), or differences with --check; 2
    the module or the call cannot be used, a file of another module is in the way (nothing is
    written), or a file cannot be written, such as one that somebody else changed meanwhile.
    """
    from dradsl.dsl.building.loading import BuildError, load_app
    from dradsl.dsl.building.writing import OverwriteError
    from dradsl.lint.settings.config import Configs, tree_of
    from dradsl.lint.settings.confine import expect_no_links_out
    from dradsl.lint.settings.problems import ConfigError

    if check and output == "-":
        raise click.UsageError("--check compares with a folder: give -o DIR")
    if force and output == "-":
        raise click.UsageError("--force overwrites files in a folder: give -o DIR")
    try:
        loaded = load_app(module, allow_empty=allow_empty)
        config = Configs().for_folder(Path.cwd())
        if config.source is not None:
            expect_no_links_out(config, tree_of(config.source), {})
        # Before the report: a build that is refused writes nothing, no report either.
        plan = None if output == "-" else _plan(loaded, Path(output), helm=helm, force=force)
        failed = not no_lint and _lint(loaded.app, config, output_format, output_file, color)
        failures = []
        if plan is not None and not failed and not check:
            failures = plan.carry_out()
    except OverwriteError as error:
        hint = (
            "nothing was written. Choose another name or folder, or say --force to overwrite, "
            "such as after moving the module."
        )
        for line in (*str(error).splitlines(), hint):
            say(f"dradsl build: {line}", err=True)
        sys.exit(2)
    except (BuildError, ConfigError, OSError) as error:
        say(f"dradsl build: {error}", err=True)
        sys.exit(2)
    for failure in failures:
        say(f"dradsl build: {failure}", err=True)
    if failures:
        sys.exit(2)
    if failed:
        sys.exit(1)
    if plan is None:
        put(_escaped(loaded.app.to_yaml(), helm=helm))
    else:
        sys.exit(_compare(plan) if check else _summarize(plan, output))


def _lint(app: App, config: Config, form: str, output_file: str | None, color: str) -> bool:
    """Report the findings; whether they fail the build."""
    from dradsl._version import __version__
    from dradsl.dsl.building.checking import check_app
    from dradsl.lint.report import ReportOptions, render
    from dradsl.lint.report.terminal import terminal_width, wants_color

    report = check_app(app, config)
    options = ReportOptions(
        color=output_file is None and wants_color(color, stream(err=True)),
        width=0 if output_file else terminal_width(stream(err=True)),
        quiet=not report.findings,
        base=Path.cwd(),
        tool_version=__version__,
    )
    if output_file is not None:
        import io

        from dradsl.text.replacing import write_bytes

        out = io.StringIO()
        render(form, report, out, options)
        write_bytes(output_file, out.getvalue().encode("utf-8", "replace"))
    elif report.findings or form != "text":
        render(form, report, stream(err=True), options)
    return _fails(report, config)


def _fails(report: Report, config: Config) -> bool:
    from dradsl.diagnostics import Severity

    if config.fail_on == "never":
        return False
    limit = Severity(config.fail_on).rank
    return any(finding.severity.rank <= limit for finding in report.findings)


def _plan(loaded: LoadedApp, folder: Path, *, helm: bool, force: bool) -> Plan:
    from dradsl.dsl.building.owner import owner_of
    from dradsl.dsl.building.writing import plan

    files = {name: _escaped(text, helm=helm) for name, text in loaded.app.files().items()}
    return plan(folder, files, owner_of(loaded, folder), force=force)


def _escaped(text: str, *, helm: bool) -> str:
    from dradsl.dsl.building.helm import escape_braces

    return escape_braces(text) if helm else text


def _compare(plan: Plan) -> int:
    found = list(plan.differences())
    for line in found:
        say(line)
    _note(plan.notes)
    return 1 if found else 0


def _summarize(plan: Plan, output: str) -> int:
    say(
        f"{len(plan.contents)} objects in {output}: "
        f"{len(plan.written)} written, {len(plan.removed)} removed"
    )
    _note((*plan.taken_over, *plan.notes))
    return 0


def _note(notes: tuple[str, ...]) -> None:
    # Not on standard error, which may hold a report as JSON.
    for note in notes:
        say(f"note: {note}")

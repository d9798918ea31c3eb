"""`dradsl build`: write the manifests that a Python module builds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dradsl.dsl.app import App
    from dradsl.lint.config import Config
    from dradsl.lint.report import Report

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
    helm: bool,
    no_lint: bool,
    output_format: str,
    output_file: str | None,
    color: str,
) -> None:
    """Write the manifests that a Python module builds, checked as `dradsl lint` checks files.

    MODULE is a Python file or a dotted name; APP the name of its App, if there are several.
    Findings point at the Python line. Exit codes: 0 built, 1 findings (nothing is written for
    errors), or differences with --check; 2 the module or the call cannot be used.
    """
    from dradsl.dsl.loading import BuildError, load_app
    from dradsl.lint.config import ConfigError, Configs

    if check and output == "-":
        raise click.UsageError("--check compares with a folder: give -o DIR")
    try:
        app = load_app(module)
        config = Configs().for_folder(Path.cwd())
        failed = False if no_lint else _lint(app, config, output_format, output_file, color)
    except (BuildError, ConfigError, OSError) as error:
        click.echo(f"dradsl build: {error}", err=True)
        sys.exit(2)
    sys.exit(1 if failed else _put(app, output, check=check, helm=helm))


def _lint(app: App, config: Config, form: str, output_file: str | None, color: str) -> bool:
    """Report the findings; whether they fail the build."""
    from dradsl._version import __version__
    from dradsl.dsl.checking import check_app
    from dradsl.lint.report import ReportOptions, render
    from dradsl.lint.report.terminal import terminal_width, wants_color

    report = check_app(app, config)
    options = ReportOptions(
        color=output_file is None and wants_color(color, sys.stderr),
        width=0 if output_file else terminal_width(sys.stderr),
        quiet=not report.findings,
        base=Path.cwd(),
        tool_version=__version__,
    )
    if output_file is not None:
        with Path(output_file).open("w", encoding="utf-8") as out:
            render(form, report, out, options)
    elif report.findings or form != "text":
        render(form, report, sys.stderr, options)
    return _fails(report, config)


def _fails(report: Report, config: Config) -> bool:
    from dradsl.diagnostics import Severity

    if config.fail_on == "never":
        return False
    limit = Severity(config.fail_on).rank
    return any(finding.severity.rank <= limit for finding in report.findings)


def _put(app: App, output: str, *, check: bool, helm: bool) -> int:
    from dradsl.dsl.helm import escape_braces
    from dradsl.dsl.writing import differences, write_all

    change = escape_braces if helm else str
    if output == "-":
        click.echo(change(app.to_yaml()), nl=False)
        return 0
    files = {name: change(text) for name, text in app.files().items()}
    folder = Path(output)
    try:
        if check:
            found = list(differences(folder, files))
            for line in found:
                click.echo(line)
            return 1 if found else 0
        changed, removed = write_all(folder, files)
    except OSError as error:
        click.echo(f"dradsl build: {error}", err=True)
        return 2
    click.echo(f"{len(files)} objects in {output}: {len(changed)} written, {len(removed)} removed")
    return 0

"""`dradsl lint`: check manifests; the work is done by `dradsl.lint`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from dradsl.lint.config import Config
    from dradsl.lint.engine import Workload
    from dradsl.lint.fixes import Fixed
    from dradsl.lint.report.model import Report
    from dradsl.lint.session import Session

__all__ = ["command"]

_FORMATS = ["text", "json", "sarif", "junit", "github", "gitlab", "rdjson"]
_SEVERITIES = ["error", "warning", "info"]


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH]... [-]")
@click.option(
    "--kube-version",
    multiple=True,
    metavar="RELEASE",
    help='Release to check for: "1.36", "1.34-1.37"; repeatable. Default: the newest known.',
)
@click.option(
    "--feature-gate", multiple=True, metavar="NAME=BOOL", help="Turn a feature gate on or off."
)
@click.option("--output-format", type=click.Choice(_FORMATS), help="How to report (text).")
@click.option(
    "--output-file", type=click.Path(dir_okay=False, path_type=Path), help="Write the report there."
)
@click.option(
    "--stdin-filename",
    default="<stdin>",
    metavar="NAME",
    help="What to call standard input in findings and for the configuration.",
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
@click.option("--select", multiple=True, metavar="RULES", help="Report these rules only.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Do not report these rules.")
@click.option("--extend-select", multiple=True, metavar="RULES", help="Report these rules too.")
@click.option("--severity", type=click.Choice(_SEVERITIES), help="Show these and worse (info).")
@click.option(
    "--fail-on",
    type=click.Choice([*_SEVERITIES, "never"]),
    help="Exit with 1 for findings of this severity and worse (warning).",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.option("--fix", is_flag=True, help="Apply safe fixes to the files.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: unsafe ones too.")
@click.option("--diff", is_flag=True, help="Print what --fix would change; write nothing.")
@click.option(
    "--since",
    metavar="REV|DIR",
    help="Report what the API server would refuse as an update of that state, too.",
)
@click.option(
    "--slices", multiple=True, metavar="PATH", help="Recorded ResourceSlices, for feasibility."
)
@click.option(
    "--context", multiple=True, metavar="PATH", help="Manifests to look into, not to report on."
)
@click.option("--driver-schema", multiple=True, metavar="PATH", help="Driver schemas of your own.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave these files out.")
@click.option(
    "--config", "config_file", type=click.Path(path_type=Path), help="Use this configuration."
)
@click.option("--isolated", is_flag=True, help="Ignore configuration files.")
@click.option("--statistics", is_flag=True, help="Count findings by rule instead of listing them.")
@click.option("--baseline", metavar="FILE", help="Report only what is not in it.")
@click.option(
    "--write-baseline", type=click.Path(path_type=Path), help="Accept all findings of today."
)
@click.option("--add-ignores", is_flag=True, help="Write an ignore comment for each finding.")
def command(**options: Any) -> None:
    """Check manifests for what the API server or the scheduler refuses.

    PATH is a file, a folder (its *.yaml, *.yml and *.json files) or a glob; "-" is standard input.
    Default: the working directory. Exit codes: 0 nothing that fails the run, 1 findings, 2 the
    call or the configuration cannot be used.
    """
    from dradsl.drivers.schema import SchemaError
    from dradsl.lint.config import ConfigError
    from dradsl.lint.sources import UsageProblem
    from dradsl.releases import UnknownGateError
    from dradsl.text.files import FileError

    try:
        sys.exit(_run(options))
    except (ConfigError, UsageProblem, UnknownGateError, SchemaError, FileError) as error:
        click.echo(f"dradsl lint: {error}", err=True)
        sys.exit(2)


def _session(options: dict[str, Any]) -> Session:
    from dradsl.lint.config import parse_gates
    from dradsl.lint.session import Session

    def words(name: str) -> list[str] | None:
        return [part.strip() for text in options[name] for part in text.split(",")] or None

    def whole(name: str) -> list[str] | None:
        return list(options[name]) or None

    overrides = {
        "select": words("select"),
        "ignore": words("ignore"),
        "extend-select": words("extend_select"),
        "kube-version": words("kube_version"),
        "feature-gates": parse_gates(options["feature_gate"]),
        "severity": options["severity"],
        "fail-on": options["fail_on"],
        "slices": whole("slices"),
        "context": whole("context"),
        "driver-schema": whole("driver_schema"),
        "exclude": whole("exclude"),
        "baseline": options["baseline"],
        "output-format": options["output_format"],
    }
    return Session(
        paths=options["paths"] or (".",),
        overrides=overrides,
        config_file=options["config_file"],
        isolated=options["isolated"],
        stdin_name=options["stdin_filename"],
        since=options["since"],
    )


def _run(options: dict[str, Any]) -> int:
    from dradsl.cli.progress import progress_bar
    from dradsl.lint.engine import lint

    session = _session(options)
    config = session.config()
    work = session.read()
    if options["fix"] or options["diff"]:
        fixed = _fix(session, config, work, options)
        if options["diff"]:
            return int(bool(fixed.changed))
        report = fixed.report
    else:
        with progress_bar(len(work.sources)) as progress:
            report = lint(work, config, config_of=session.config_of, progress=progress)
    if options["write_baseline"] is not None:
        return _accept(options["write_baseline"], report)
    if config.baseline is not None:
        report = _without_known(config.baseline, report)
    if options["add_ignores"]:
        return _add_ignores(work, report)
    _print(config, report, options)
    return 0 if options["exit_zero"] else _exit_code(config, report)


def _fix(session: Session, config: Config, work: Workload, options: dict[str, Any]) -> Fixed:
    """Fix the files; with --diff print the changes instead."""
    from dradsl.lint.fixes import fix_all, print_diff, write_fixed

    fixed = fix_all(work, config, session.config_of, unsafe=options["unsafe_fixes"])
    if options["diff"]:
        print_diff(work, fixed, sys.stdout)
        return fixed
    write_fixed(fixed, work)
    if fixed.count and not options["quiet"]:
        click.echo(f"fixed {fixed.count} in {len(fixed.changed)} file(s)", err=True)
    return fixed


def _accept(target: Path, report: Report) -> int:
    from dradsl.lint.baseline import write_baseline

    count = write_baseline(target, report.findings, report.sources)
    click.echo(f"accepted {count} finding(s) in {target}", err=True)
    return 0


def _without_known(path: Path, report: Report) -> Report:
    from dataclasses import replace

    from dradsl.lint.baseline import BaselineError, load_baseline
    from dradsl.lint.config import ConfigError

    try:
        kept = load_baseline(path).filter(report.findings, report.sources)
    except BaselineError as error:
        raise ConfigError(None, str(error)) from error
    return replace(report, findings=kept.new)


def _add_ignores(work: Workload, report: Report) -> int:
    from dradsl.lint.adding import add_ignores

    written, left = add_ignores(work, report.findings)
    click.echo(f"wrote {written} ignore comment(s)", err=True)
    for finding in left:
        place = f"{finding.path}:{finding.span.line}:{finding.span.column}"
        click.echo(f"{place}: {finding.code}: no comment can stand here", err=True)
    return 1 if left else 0


def _print(config: Config, report: Report, options: dict[str, Any]) -> None:
    from dradsl._version import __version__
    from dradsl.lint.report import ReportOptions, render
    from dradsl.lint.report.terminal import terminal_width, wants_color

    target: Path | None = options["output_file"]
    how = ReportOptions(
        color=target is None and wants_color(options["color"], sys.stdout),
        width=0 if target else terminal_width(sys.stdout),
        quiet=options["quiet"],
        statistics=options["statistics"],
        base=Path.cwd(),
        tool_version=__version__,
    )
    if target is None:
        render(config.output_format, report, sys.stdout, how)
        return
    import io

    from dradsl.text.files import write_bytes

    text = io.StringIO()
    render(config.output_format, report, text, how)
    write_bytes(target, text.getvalue().encode())


def _exit_code(config: Config, report: Report) -> int:
    from dradsl.diagnostics import Severity

    if config.fail_on == "never":
        return 0
    limit = Severity(config.fail_on).rank
    return int(any(finding.severity.rank <= limit for finding in report.findings))

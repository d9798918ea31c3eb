"""A call of `dradsl lint`, from the values of its options to the exit code; the work is `dradsl.lint`'s."""

from __future__ import annotations

import os
import sys

from dradsl.cli.named_paths import missing_path
from dradsl.cli.say import columns, contents_stream, in_manner, note, say, stream, wants_color
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

    from dradsl.cli.options import OptionValues
    from dradsl.lint.engine.rewriting.fixing import Fixed
    from dradsl.lint.engine.session import Session
    from dradsl.lint.engine.state import RunInput
    from dradsl.lint.report.model import Report
    from dradsl.lint.settings.config import LintConfig
    from dradsl.text.files import StrPath
    from dradsl.tree.inputs.sources import NotLinted
    from dradsl.values.deadline import Deadline

__all__ = ["run_lint"]


def run_lint(options: OptionValues) -> NoReturn:
    """Lint, report and exit; `options` are the values by the names of `lint_options`."""
    from dradsl.cli.cluster_options import GateSyntaxError
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.lint.settings.problems import ConfigError
    from dradsl.releases import UnknownGateError
    from dradsl.text.files import FileError
    from dradsl.tree.inputs.sources import UsageProblem
    from dradsl.values.deadline import TimeIsUp

    trouble: list[str] = []
    try:
        with in_manner(options["color"], options["quiet"], options["output"]):
            code = _run(options, trouble)
            sys.exit(2 if trouble else code)
    except (
        ConfigError,
        GateSyntaxError,
        UsageProblem,
        UnknownGateError,
        SchemaError,
        FileError,
    ) as error:
        say(f"dradsl lint: {error}", err=True)
        sys.exit(2)
    except TimeIsUp as end:
        say(f"dradsl lint: {end}; not looked at: all that was given; nothing is reported", err=True)
        sys.exit(2)


def _session(options: OptionValues) -> Session:
    from dradsl.cli.lint_options import config_in, overrides_in
    from dradsl.lint.engine.session import Session

    return Session(
        paths=options["paths"] or (".",),
        overrides=overrides_in(options),
        config_file=config_in(options["config"])[0],
        isolated=options["isolated"],
        stdin_name=options["stdin_filename"],
        since=options["since"],
        each_file=options["each_file"],
        listing=options["show_files"],
        build_with=tuple(options["build_with"]),
    )


def _run(options: OptionValues, trouble: list[str]) -> int:
    """The exit code by the findings; `trouble` gets the files that could not be checked or written."""
    from dradsl.cli.progress import progress_bar
    from dradsl.cli.together import expect_options_that_go_together
    from dradsl.tree.inputs.sources import UsageProblem
    from dradsl.values.deadline import Deadline

    _expect_files(options)
    expect_options_that_go_together(options)
    session = _session(options)
    config = session.config()
    if options["write"] and config.baseline is None:
        raise UsageProblem("--write writes a baseline: give --baseline FILE; --fix writes fixes")
    if options["show_settings"]:
        return _show_settings(config)
    if not (options["quiet"] or options["isolated"] or session.config_file):
        _say_unread(config)
    deadline = Deadline.after(config.timeout)
    with deadline.enforced():
        work = session.read(deadline)
        if options["show_files"]:
            return _show_files(config, work)
        fixed = report = None
        if options["fix"] or options["diff"]:
            fixed = _fixed(session, config, work, options, deadline)
        else:
            with progress_bar(len(work.sources)) as progress:
                report = session.lint(work, deadline=deadline, progress=progress)
    if options["diff"] or options["write"]:
        _say_outside(work.skipped)  # no report follows, which would name them
    if fixed is not None:
        _take_fixed(fixed, work, options, trouble)
        trouble += _unchecked(fixed.report)
        if options["diff"]:
            return int(bool(fixed.changed))
        report = fixed.report
    elif report is not None:
        trouble += _unchecked(report)
    assert report is not None  # noqa: S101 - one of both was done
    if options["write"] and config.baseline is not None:
        return _accept(config.baseline, report)
    report = session.without_known(report)
    _print(config, report, options)
    if config.fail_if_empty and report.is_empty:
        say("dradsl lint: nothing was checked (fail-if-empty)", err=True)
        return 2
    return 0 if options["exit_zero"] else int(config.fails(report.findings))


def _show_settings(config: LintConfig) -> int:
    from dradsl.lint.engine.showing import settings_as_json, settings_as_text

    shown = settings_as_json if config.output_format == "json" else settings_as_text
    stream().write(shown(config))
    return 0


def _say_unread(config: LintConfig) -> None:
    """Name files that look like a configuration and are none."""
    from dradsl.lint.settings.config import unread_configs

    for path, reason in unread_configs(os.getcwd(), config.source):
        say(f"dradsl lint: {path} is not read: {reason}", err=True)


def _say_outside(skipped: Iterable[NotLinted]) -> None:
    from dradsl.tree.inputs.sources import OUTSIDE

    for each in skipped:
        if each.reason == OUTSIDE:
            say(f"skipped {each.name}: {OUTSIDE}", err=True)


def _show_files(config: LintConfig, work: RunInput) -> int:
    from dradsl.lint.engine.showing import render_files

    stream().writelines(render_files(work, as_json=config.output_format == "json"))
    return 0


def _expect_files(options: OptionValues) -> None:
    """The files that options name are there; standard input cannot be changed, and no file is made of it."""
    from dradsl.tree.inputs.sources import UsageProblem

    missing = missing_path(options)
    if missing is not None:
        raise UsageProblem(missing)
    if options["each_file"] and options["since"] is not None:
        raise UsageProblem("--each-file and --since cannot be used together")
    if "-" in options["paths"] and options["fix"] and not options["diff"]:
        raise UsageProblem("--fix changes files, not standard input")


def _fixed(
    session: Session,
    config: LintConfig,
    work: RunInput,
    options: OptionValues,
    deadline: Deadline,
) -> Fixed:
    """What the files become; nothing is written."""
    from dradsl.lint.engine.rewriting.fixing import fix_all

    fixed = fix_all(
        work,
        config,
        session.config_of,
        unsafe=options["unsafe_fixes"],
        each_file=options["each_file"],
        deadline=deadline,
    )
    return replace(fixed, report=session.with_switched_off(fixed.report))


def _take_fixed(fixed: Fixed, work: RunInput, options: OptionValues, trouble: list[str]) -> None:
    """Write the fixed files; with --diff print the changes instead."""
    from dradsl.lint.engine.rewriting.fixing import diff_of, write_fixed

    if options["diff"]:
        contents_stream().writelines(diff_of(work, fixed))  # a patch has the bytes of the file
        return
    failures = write_fixed(fixed, work)
    trouble += [failure.path for failure in failures]
    done = [count for name, count in fixed.counts.items() if name not in trouble]
    if done:
        note(f"fixed {_plural(sum(done), 'finding')} in {_plural(len(done), 'file')}")
    for failure in failures:
        say(f"dradsl lint: {failure}", err=True)


def _plural(count: int, noun: str) -> str:
    from dradsl.values.counted import plural

    return plural(count, noun)


def _unchecked(report: Report) -> list[str]:
    """The files for which dradsl itself failed, and what there was no time for."""
    from dradsl.lint.catalogue.rules import INTERNAL_ERROR

    if report.unfinished:
        say(f"dradsl lint: {report.unfinished}", err=True)
    failed = [finding.path for finding in report.findings if finding.code == INTERNAL_ERROR]
    return [*failed, report.unfinished] if report.unfinished else failed


def _accept(target: StrPath, report: Report) -> int:
    from dradsl.lint.catalogue.rules import INTERNAL_ERROR
    from dradsl.lint.report.baseline import write_baseline

    if report.unfinished:  # a baseline of a part would show the rest as new
        say(f"dradsl lint: {target} is not written", err=True)
        return 2
    findings = [f for f in report.findings if f.code != INTERNAL_ERROR]  # never accepted
    count = write_baseline(target, findings, report.sources)
    note(f"accepted {_plural(count, 'finding')} in {target}")
    return 0


def _print(config: LintConfig, report: Report, options: OptionValues) -> None:
    from dradsl._version import __version__
    from dradsl.lint.report import ReportOptions, render

    how = ReportOptions(
        color=wants_color(),
        width=columns(),
        quiet=options["quiet"],
        base=_base(config.output_format),
        tool_version=__version__,
    )
    render(config.output_format, report, stream(), how)


def _base(output_format: str) -> str:
    """What paths are relative to: where code hosts place findings, the top of the repository."""
    from dradsl.text.files import work_tree

    here = os.getcwd()
    if output_format in ("github", "gitlab", "sarif"):
        return work_tree(here) or here
    return here

"""`dradsl lint`: check manifests; the work is done by `dradsl.lint`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dradsl.lint.config import Config
    from dradsl.lint.engine import Workload
    from dradsl.lint.report.model import Report

__all__ = ["command"]

_LIST = {"multiple": True, "metavar": "RULES"}
_PATHS = {"multiple": True, "metavar": "PATH"}


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH]... [-]")
@click.option(
    "--kube-version",
    multiple=True,
    metavar="RELEASE",
    help='Release to check for: "1.36", "1.34-1.37"; repeatable. Default: the newest known.',
)
@click.option("--feature-gate", multiple=True, metavar="NAME=BOOL", help="Override a gate.")
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "sarif", "junit", "github", "gitlab", "rdjson"]),
    help="How to report. Default: text.",
)
@click.option("--output-file", type=click.Path(dir_okay=False), help="Write the report there.")
@click.option(
    "--stdin-filename",
    default="<stdin>",
    show_default=True,
    metavar="NAME",
    help="What to call standard input in findings and for the configuration.",
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto")
@click.option("-q", "--quiet", is_flag=True, help="Print findings only.")
@click.option("--select", help="Run these rules only.", **_LIST)
@click.option("--ignore", help="Do not run these rules.", **_LIST)
@click.option("--extend-select", help="Run these rules too.", **_LIST)
@click.option(
    "--severity", type=click.Choice(["error", "warning", "info"]), help="Show these and worse."
)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info", "never"]),
    help="Exit with 1 for findings of this severity and worse. Default: warning.",
)
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found.")
@click.option("--fix", is_flag=True, help="Apply safe fixes to the files.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: unsafe ones too.")
@click.option("--diff", "show_diff", is_flag=True, help="Print what --fix would change.")
@click.option(
    "--since",
    metavar="REV|DIR",
    help="Also report what the API server would refuse as an update of that state.",
)
@click.option("--slices", help="Recorded ResourceSlices: rules on feasibility.", **_PATHS)
@click.option("--context", help="Manifests to look into, but not to report on.", **_PATHS)
@click.option("--driver-schema", help="Driver schemas of your own.", **_PATHS)
@click.option("--exclude", multiple=True, metavar="GLOB", help="Leave these files out.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Use this file.")
@click.option("--isolated", is_flag=True, help="Ignore configuration files.")
@click.option("--statistics", is_flag=True, help="Count findings by rule instead.")
@click.option("--baseline", type=click.Path(path_type=Path), help="Report what is not in it.")
@click.option(
    "--write-baseline", type=click.Path(path_type=Path), help="Accept all findings of today."
)
@click.option("--add-ignores", is_flag=True, help="Write an ignore comment for each finding.")
def command(**options: object) -> None:
    """Check manifests for what the API server or the scheduler refuses.

    PATH is a file, a folder (its *.yaml, *.yml and *.json files) or a glob; "-" is standard input.
    Default: the working directory. Exit codes: 0 nothing that fails the run, 1 findings, 2 the
    call or the configuration cannot be used.
    """
    from dradsl.lint.config import ConfigError
    from dradsl.lint.sources import UsageProblem
    from dradsl.releases import UnknownGateError

    try:
        code = _run(_Call.of(options))
    except (ConfigError, UsageProblem, UnknownGateError) as error:
        click.echo(f"dradsl lint: {error}", err=True)
        code = 2
    sys.exit(code)


@dataclass(frozen=True, slots=True)
class _Call:
    """The call as given: what belongs to the configuration, and what only steers this run."""

    paths: tuple[str, ...]
    overrides: dict[str, object]
    options: dict[str, object]

    @classmethod
    def of(cls, options: dict[str, object]) -> _Call:
        from dradsl.lint.config import parse_gates

        def listed(name: str) -> list[str] | None:
            values = options.pop(name)
            assert isinstance(values, tuple)  # noqa: S101 - click's `multiple`
            return [part.strip() for value in values for part in value.split(",")] or None

        def whole(name: str) -> list[str] | None:
            values = options.pop(name)
            assert isinstance(values, tuple)  # noqa: S101 - click's `multiple`
            return list(values) or None

        gates = options.pop("feature_gate")
        baseline = options.pop("baseline")
        overrides: dict[str, object] = {
            "select": listed("select"),
            "ignore": listed("ignore"),
            "extend-select": listed("extend_select"),
            "kube-version": listed("kube_version"),
            "feature-gates": parse_gates(gates),  # type: ignore[arg-type]
            "severity": options.pop("severity"),
            "fail-on": options.pop("fail_on"),
            "slices": whole("slices"),
            "context": whole("context"),
            "driver-schema": whole("driver_schema"),
            "exclude": whole("exclude"),
            "baseline": str(baseline) if baseline else None,
            "output-format": options.pop("output_format"),
        }
        paths = options.pop("paths")
        return cls(paths or (".",), overrides, options)  # type: ignore[arg-type]

    def flag(self, name: str) -> bool:
        return bool(self.options[name])

    def text(self, name: str) -> str | None:
        value = self.options[name]
        return None if value is None else str(value)


def _run(call: _Call) -> int:
    from dradsl.lint.config import Config, Configs, merge
    from dradsl.lint.engine import lint

    files = Configs(Path(call.text("config_file") or "") if call.text("config_file") else None)
    plain = Config(root=Path.cwd())

    def config_of(name: str) -> Config:
        base = plain if call.flag("isolated") else files.for_folder(_folder_of(name))
        return merge(base, call.overrides)

    cached: dict[Path, Config] = {}

    def cached_config_of(name: str) -> Config:
        folder = _folder_of(name)
        if folder not in cached:
            cached[folder] = config_of(name)
        return cached[folder]

    config = cached_config_of("x") if len(call.paths) != 1 else _config_at(call, cached_config_of)
    work = _read(call, config, cached_config_of)
    from dradsl.cli.progress import progress_bar

    with progress_bar(len(work.sources)) as progress:
        report = lint(work, config, config_of=cached_config_of, progress=progress)
    return _finish(call, config, report)


def _config_at(call: _Call, config_of: object) -> Config:
    """The run's configuration: that of the one path given, so that `dradsl lint DIR` finds DIR's."""
    path = call.paths[0]
    name = (call.text("stdin_filename") or "x") if path == "-" else path
    inner = f"{path}/x" if Path(path).is_dir() else name
    return config_of(inner)  # type: ignore[operator,no-any-return]


def _folder_of(name: str) -> Path:
    return Path.cwd() / Path(name).parent


def _read(call: _Call, config: Config, config_of: object) -> Workload:
    from dradsl.lint.engine import Workload
    from dradsl.lint.reading import read_inputs, read_paths
    from dradsl.lint.sources import find_inputs

    reading = read_paths(call.paths, config_of, call.text("stdin_filename") or "<stdin>")  # type: ignore[arg-type]
    context = read_inputs(list(find_inputs([str(p) for p in config.context])), context=True)
    previous = None
    if since := call.text("since"):
        from dradsl.lint.history import read_previous

        previous = read_previous(since, reading.sources)
    return Workload(
        sources=reading.sources,
        context=context.sources,
        previous=previous,
        failures=(*reading.failures, *context.failures),
    )


def _finish(call: _Call, config: Config, report: Report) -> int:
    """What is done with the findings: fixed, accepted, ignored or printed; then the exit code."""
    if target := call.text("write_baseline"):
        from dradsl.lint.baseline import write_baseline

        count = write_baseline(Path(target), report.findings, report.sources)
        click.echo(f"accepted {count} findings in {target}", err=True)
        return 0
    if config.baseline is not None:
        report = _without_known(config.baseline, report)
    if call.flag("add_ignores"):
        from dradsl.lint.adding import add_ignores

        return add_ignores(report)
    if call.flag("show_diff"):
        from dradsl.lint.fixes import print_diff

        return print_diff(report, sys.stdout, unsafe=call.flag("unsafe_fixes"))
    if call.flag("fix"):
        from dradsl.lint.fixes import apply_fixes

        report = apply_fixes(report, unsafe=call.flag("unsafe_fixes"))
    _print(call, config, report)
    return 0 if call.flag("exit_zero") else _exit_code(config, report)


def _without_known(path: Path, report: Report) -> Report:
    from dataclasses import replace

    from dradsl.lint.baseline import BaselineError, load_baseline
    from dradsl.lint.config import ConfigError

    try:
        kept = load_baseline(path).filter(report.findings, report.sources)
    except BaselineError as error:
        raise ConfigError(None, str(error)) from error
    return replace(report, findings=kept.new)


def _print(call: _Call, config: Config, report: Report) -> None:
    from dradsl._version import __version__
    from dradsl.lint.report import ReportOptions, render
    from dradsl.lint.report.terminal import terminal_width, wants_color

    target = call.text("output_file")
    options = ReportOptions(
        color=target is None and wants_color(call.text("color") or "auto", sys.stdout),
        width=0 if target else terminal_width(sys.stdout),
        quiet=call.flag("quiet"),
        statistics=call.flag("statistics"),
        base=Path.cwd(),
        tool_version=__version__,
    )
    if target is None:
        render(config.output_format, report, sys.stdout, options)
        return
    import io

    from dradsl.text.files import write_file

    text = io.StringIO()
    render(config.output_format, report, text, options)
    write_file(Path(target), text.getvalue())


def _exit_code(config: Config, report: Report) -> int:
    from dradsl.diagnostics import Severity

    if config.fail_on == "never":
        return 0
    limit = Severity(config.fail_on).rank
    return int(any(finding.severity.rank <= limit for finding in report.findings))

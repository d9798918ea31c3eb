"""`dradsl build`: write the manifests that Python modules build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dradsl.cli.cluster_options import GATES, RELEASES
from dradsl.cli.commands import Command
from dradsl.cli.lint_options import CONFIG, ISOLATED, config_in, of_key, overrides_in
from dradsl.cli.options import choice, file, flag, folder, many, options_decorator
from dradsl.cli.say import columns, in_manner, is_quiet, put, say, say_lines, stream, wants_color
from dradsl.cli.time_limit import TIMEOUT, deadline_of, limited

if TYPE_CHECKING:
    from dradsl.cli.options import OptionValues
    from dradsl.dsl.building.app import App
    from dradsl.dsl.building.loading import LoadedApps
    from dradsl.dsl.building.writing import Plan
    from dradsl.lint.settings.config import LintConfig

__all__ = ["command"]


_OPTIONS = (
    folder(
        "--output",
        "Write one file for each object into DIR. Default: one stream on standard output.",
        short="-o",
    ),
    flag("--check", "Write nothing. Fail if the files in DIR differ."),
    flag("--diff", "Write nothing. Print what would change, as a diff."),
    flag(
        "--force",
        "Also overwrite files of another module, and files without a mark of dradsl build.",
    ),
    many("--set", "NAME=VALUE", "A parameter of a factory. Repeatable.", name="given"),
    many(
        "--params",
        "FILE",
        "Parameters of a factory, as YAML, JSON or TOML. Several files: one app for each, in DIR/NAME.",
        name="params_files",
    ),
    flag("--params-schema", "Print a JSON Schema of the parameters."),
    choice(
        "--layout",
        ("plain", "kustomize", "component", "helm"),
        "kustomize, component: also write a kustomization.yaml that names the files. helm: escape braces, for "
        "templates of a chart.  [default: plain]",
        default="plain",
    ),
    RELEASES,
    GATES,
    *map(of_key, ("slices", "context", "driver-schema", "ignore")),
    TIMEOUT,
    flag("--traceback", "Print the traceback of an error in a module."),
    choice(
        "--output-format",
        ("text", "json", "sarif", "junit", "github", "gitlab"),
        "Format of findings.  [default: text]",
        default="text",
    ),
    file("--report", 'Write findings to FILE. Default: standard error; "-" is standard output.'),
    CONFIG,
    ISOLATED,
)


@click.command("build", cls=Command)
@click.argument("modules", nargs=-1, required=True, metavar="MODULE[:APP]...")
@options_decorator(_OPTIONS)
def command(modules: tuple[str, ...], **options: Any) -> None:
    """Write the manifests that Python modules build, and check them as `dradsl lint` does.

    MODULE is a Python file, a dotted name, or a folder or package with modules. APP is the name of an
    App, of a dict of Apps, or of a function that returns one of these; it is needed if there are several.
    Each App of a dict goes to a folder of its name in DIR. Findings name the line of Python.

    Each file in DIR has a mark with its module and app. A build removes only files with its own mark.
    It overwrites other files only with --force.

    \b
    Exit codes:
      0  built
      1  findings (nothing is written for errors), or differences with --check or --diff
      2  a module or the command line cannot be used, a file of another module is in the
         way (nothing is written), a file cannot be written, or --timeout was reached
    """
    from dradsl.cli.cluster_options import GateSyntaxError
    from dradsl.drivers.schema.model import SchemaError
    from dradsl.dsl.building.factories import ParameterError
    from dradsl.dsl.building.loading import BuildError
    from dradsl.dsl.building.writing import ClashError, OverwriteError
    from dradsl.lint.settings.problems import ConfigError
    from dradsl.tree.inputs.sources import UsageProblem

    _expect_folder(options)
    try:
        code = _run(modules, options)
    except OverwriteError as error:
        hint = (
            "nothing was written. Choose another name or folder, or say --force to overwrite, "
            "such as after moving the module."
        )
        clash = "nothing was written: an object has one module that builds it."
        _say([*str(error).splitlines(), clash if isinstance(error, ClashError) else hint])
        sys.exit(2)
    except (
        BuildError,
        ConfigError,
        ParameterError,
        GateSyntaxError,
        SchemaError,
        UsageProblem,
        OSError,
    ) as error:
        if options["traceback"] and error.__cause__ is not None:
            from dradsl.dsl.building.loading import traceback_of

            say_lines(traceback_of(error.__cause__), err=True)
        first, *more = str(error).splitlines() or [""]
        _say([first])
        for line in more:
            say(line, err=True)
        sys.exit(2)
    sys.exit(code)


_MARKS = frozenset("*?[")
_PARAMETERS = (".yaml", ".yml", ".json", ".toml")
_KUSTOMIZATIONS = {"kustomize": "kustomization", "component": "component"}


def _expect_folder(options: OptionValues) -> None:
    if options["output"] is not None:
        return
    reasons = {
        "check": "--check compares with a folder",
        "diff": "--diff compares with a folder",
        "force": "--force overwrites files in a folder",
    }
    for name, reason in reasons.items():
        if options[name]:
            raise click.UsageError(f"{reason}: give -o DIR")
    if options["layout"] in _KUSTOMIZATIONS:
        raise click.UsageError("--layout kustomize names the files of a folder: give -o DIR")
    if str(options["report"]) == "-":
        raise click.UsageError(
            "manifests and report cannot both go to standard output: give -o DIR"
        )


def _run(modules: tuple[str, ...], options: OptionValues) -> int:
    from dradsl.dsl.building.build import plan_build
    from dradsl.dsl.building.factories import text_parameters
    from dradsl.dsl.building.loading import BuildError, load_apps

    parameters = text_parameters(options["given"])
    # A shell makes several words of `--params env/*.yaml`.
    more = tuple(each for each in modules if each.endswith(_PARAMETERS) and options["params_files"])
    modules = tuple(each for each in modules if each not in more)
    stacks = _stacks((*options["params_files"], *more))
    if options["params_schema"]:
        return _print_schemas(modules)
    config = _config(options)
    helm, output = options["layout"] == "helm", options["output"]
    plans = []
    with limited(deadline_of(options["timeout"]), "the build"):
        loaded = load_apps(modules, parameters=parameters, stacks=stacks)
        # Before the report: a build that is rejected writes nothing, no report either.
        if output is None and len(loaded.stacks()) > 1:
            raise BuildError(f"several apps ({', '.join(loaded.stacks())}): give -o DIR")
        if output is not None:
            kustomize = _KUSTOMIZATIONS.get(options["layout"])
            plans = [
                plan_build(
                    apps,
                    Path(output, stack),
                    helm=helm,
                    kustomize=kustomize,
                    force=options["force"],
                )
                for stack, apps in loaded.stacks().items()
            ]
        failed = _lint(loaded, config, options)
    writes = not (failed or options["check"] or options["diff"])
    failures = [failure for plan in plans if writes for failure in plan.carry_out()]
    _say([str(failure) for failure in failures])
    if failures:
        return 2
    if failed:
        return 1
    if plans:
        tell = _print_diff if options["diff"] else _compare if options["check"] else _summarize
        return max([tell(plan) for plan in plans])
    put("---\n".join(text for one in loaded.apps for text in _texts(one.app, helm=helm)))
    return 0


def _texts(app: App, *, helm: bool) -> list[str]:
    return [*app.templates()[0].values()] if helm else [app.to_yaml()]


def _stacks(files: tuple[str, ...]) -> dict[str, dict[str, object]]:
    """The parameters of each stack, by the names of the files; of one file without a name."""
    from dradsl.dsl.building.factories import ParameterError, read_parameters
    from dradsl.tree.files import Tree

    found: dict[str, dict[str, object]] = {}
    tree = Tree.of(".")
    paths = [path for one in files for path in (tree.glob(one) if _MARKS & {*one} else [one])]
    if files and not paths:
        raise ParameterError(f"--params: no file fits {files[0]}")
    several = len(files) > 1 or bool(_MARKS & {*"".join(files)})
    for each in map(Path, paths):
        name = each.stem if several else ""
        if name in found:
            raise ParameterError(f"--params: two files are called {name}")
        found[name] = read_parameters(each)
    return found


def _say(lines: list[str]) -> None:
    for line in lines:
        say(f"dradsl build: {line}", err=True)


def _print_schemas(modules: tuple[str, ...]) -> int:
    from dradsl.dsl.building.loading import BuildError, factories_in
    from dradsl.values.printable import json_text

    found = factories_in(modules)
    if len(found) != 1:
        names = ", ".join(one.name for one in found) or "none"
        raise BuildError(f"--params-schema: expected one factory, found {names}")
    put(json_text(found[0].schema(), ascii_only=False) + "\n")
    return 0


def _config(options: OptionValues) -> LintConfig:
    from dradsl.lint.engine.session import Session

    others = ("output_format", "timeout")  # of the report and the build, not of the configuration
    overrides = overrides_in({key: value for key, value in options.items() if key not in others})
    file = config_in(options["config"])[0]
    return Session((), overrides, file, options["isolated"]).confined_config()


def _lint(loaded: LoadedApps, config: LintConfig, options: OptionValues) -> bool:
    """Report the findings; whether they fail the build."""
    from dradsl._version import __version__
    from dradsl.dsl.building.unused import said
    from dradsl.dsl.checking.check import check_apps, check_forgotten, merge_reports
    from dradsl.lint.report import ReportOptions, render

    asked = bool(options["kube_version"])
    reports = [
        check_apps([one.app for one in apps], config, releases_of_config=asked)
        for apps in loaded.stacks().values()
    ]
    reports += [check_forgotten(forgotten, config)] if (forgotten := loaded.forgotten()) else []
    report = merge_reports(reports, files=max(one.files for one in reports))
    form, file = options["output_format"], options["report"]
    to_file, err = file is not None and str(file) != "-", file is None
    with in_manner(output=file if to_file else None):
        how = ReportOptions(
            color=wants_color(err=err),
            width=columns(err=err),
            quiet=not report.findings,
            base=Path.cwd(),
            tool_version=__version__,
        )
        if report.findings or form != "text" or to_file:
            render(form, report, stream(err=err), how)
    if form == "text" or to_file:  # else standard error may hold a report that programs read
        _say([f"note: {said(one)}" for one in loaded.unused if one not in forgotten])
    return config.fails(report.findings)


def _compare(plan: Plan) -> int:
    found = list(plan.differences())
    for line in found:
        say(line)
    put("".join(plan.diff(whole=False)))
    return 1 if found else 0


def _print_diff(plan: Plan) -> int:
    text = "".join(plan.diff())
    put(text)
    return 1 if text else 0


def _summarize(plan: Plan) -> int:
    from dradsl.values.counted import plural

    if not is_quiet():
        say(
            f"{plural(len(plan.contents), 'object')} in {plan.folder}: "
            f"{len(plan.written)} written, {len(plan.removed)} removed"
        )
    _note(plan.taken_over)
    return 0


def _note(notes: tuple[str, ...]) -> None:
    # Not on standard error, which may hold a report as JSON.
    for text in () if is_quiet() else notes:
        say(f"note: {text}")

"""The options of `dradsl lint`: one table for click and for the calls that need no click."""

from __future__ import annotations

from dradsl.cli.cluster_options import GATES, RELEASES
from dradsl.cli.options import Option

__all__ = ["FORMATS", "OPTIONS"]

FORMATS = ("text", "concise", "json", "sarif", "junit", "github", "gitlab", "rdjson")
PRESETS = ("default", "strict", "platform", "workload")
_SEVERITIES = ("error", "warning", "info")


def _flag(flag: str, help_: str) -> Option:
    return Option(_name(flag), (flag,), "flag", help_)


def _text(flag: str, metavar: str, help_: str, default: str | None = None) -> Option:
    return Option(_name(flag), (flag,), "text", help_, metavar, default=default)


def _many(flag: str, metavar: str, help_: str) -> Option:
    return Option(_name(flag), (flag,), "many", help_, metavar)


def _choice(
    flag: str, choices: tuple[str, ...], help_: str | None = None, default: str | None = None
) -> Option:
    return Option(_name(flag), (flag,), "choice", help_, choices=choices, default=default)


def _name(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


OPTIONS = (
    RELEASES,
    GATES,
    _choice("--output-format", FORMATS, "How to report (text)."),
    Option("output_file", ("--output-file",), "file", "Write the report there."),
    _text(
        "--stdin-filename",
        "NAME",
        "What to call standard input in findings and for the configuration.",
        default="<stdin>",
    ),
    _choice("--color", ("auto", "always", "never"), default="auto"),
    Option("quiet", ("-q", "--quiet"), "flag", "Print findings only."),
    _choice("--preset", PRESETS, "Severities for who you are (default)."),
    _many("--custom-rules", "PATH", "Rules of your own."),
    _many("--select", "RULES", "Report these rules only."),
    _many("--ignore", "RULES", "Do not report these rules."),
    _many("--extend-select", "RULES", "Report these rules too."),
    _choice("--severity", _SEVERITIES, "Show these and worse (info)."),
    _choice(
        "--fail-on",
        (*_SEVERITIES, "never"),
        "Exit with 1 for findings of this severity and worse (warning).",
    ),
    _flag("--exit-zero", "Exit with 0 whatever is found."),
    _flag("--fix", "Apply safe fixes to the files."),
    _flag("--unsafe-fixes", "With --fix or --diff: unsafe ones too."),
    _flag("--diff", "Print what --fix would change; write nothing."),
    _text(
        "--since",
        "REV|DIR",
        "Report what the API server would refuse as an update of that state, too.",
    ),
    _many("--slices", "PATH", "Recorded ResourceSlices, for feasibility."),
    _many("--context", "PATH", "Manifests to look into, not to report on."),
    _many(
        "--substitute",
        "FILE|NAME=VALUE",
        "Values of variables such as ${NAME} in manifests.",
    ),
    _many(
        "--build-with",
        "helm|kustomize[=PATH]",
        "Render charts and overlays with these programs.",
    ),
    _text("--namespace", "NAME", "Where objects go that name no namespace."),
    _many("--driver-schema", "PATH", "Driver schemas of your own."),
    _many("--exclude", "GLOB", "Leave these files out."),
    _many("--include", "GLOB", "Read these files of folders, too, such as '*.md'."),
    _flag("--show-files", "List the files that are read or left out, and why; check nothing."),
    _flag("--each-file", "Check each file by itself, for hooks that hand over files in batches."),
    _flag("--fail-if-empty", "Exit with 2 if there was nothing to check."),
    Option("config_file", ("--config",), "path", "Use this configuration."),
    _flag("--isolated", "Ignore configuration files."),
    _flag("--show-settings", "Print the settings of the run, and their file; check nothing."),
    _flag("--watch", "Check again after each change of a file, until it is stopped."),
    _flag("--statistics", "Count findings by rule instead of listing them."),
    _text("--baseline", "FILE", "Report only what is not in it."),
    Option("write_baseline", ("--write-baseline",), "path", "Accept all findings of today."),
    _text("--timeout", "DURATION", "End after this time (90, 30s, 5m) with what was found."),
    _flag("--add-ignores", "Write an ignore comment for each finding."),
)

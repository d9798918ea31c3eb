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
    _choice("--output-format", FORMATS, "Default: text."),
    Option("output_file", ("--output-file",), "file", "Write the report to FILE.", "FILE"),
    _text(
        "--stdin-filename",
        "NAME",
        "Name of standard input, in findings and for the configuration.",
        default="<stdin>",
    ),
    _choice("--color", ("auto", "always", "never"), "Default: auto.", default="auto"),
    Option("quiet", ("-q", "--quiet"), "flag", "Print findings only."),
    _choice("--preset", PRESETS, "Severities for your task. Default: default."),
    _many("--custom-rules", "PATH", "A file with rules of your own. Repeatable."),
    _many("--select", "RULES", "Run these rules only."),
    _many("--ignore", "RULES", "Do not run these rules."),
    _many("--extend-select", "RULES", "Run these rules too."),
    _choice("--severity", _SEVERITIES, "Show this severity and worse. Default: info."),
    _choice(
        "--fail-on",
        (*_SEVERITIES, "never"),
        "Exit with 1 for this severity and worse. Default: warning.",
    ),
    _flag("--exit-zero", "Exit with 0, also if there are findings."),
    _flag("--fix", "Apply the safe fixes to the files."),
    _flag("--unsafe-fixes", "With --fix or --diff: also the unsafe fixes."),
    _flag("--diff", "Print what --fix would change. Write nothing."),
    _text(
        "--since",
        "REV|DIR",
        "Compare with this commit or folder: also report updates that the API server refuses.",
    ),
    _many(
        "--slices", "PATH", "Recorded ResourceSlices, to check if claims can be met. Repeatable."
    ),
    _many("--context", "PATH", "Manifests to look into, but not to report on. Repeatable."),
    _many(
        "--substitute",
        "FILE|NAME=VALUE",
        "Values of variables such as ${NAME}. Repeatable.",
    ),
    _many(
        "--build-with",
        "helm|kustomize[=PATH]",
        "Render charts and overlays with this program. Repeatable.",
    ),
    _text("--namespace", "NAME", "Namespace of objects that name none."),
    _many("--driver-schema", "PATH", "A driver schema of your own. Repeatable."),
    _many("--exclude", "GLOB", "Leave these files out. Repeatable."),
    _many("--include", "GLOB", "In folders, also read these files, such as '*.md'. Repeatable."),
    _flag("--show-files", "List which files are read or left out, and why. Check nothing."),
    _flag("--each-file", "Check each file by itself, for hooks that pass the names of files."),
    _flag("--fail-if-empty", "Exit with 2 if nothing was checked."),
    Option("config_file", ("--config",), "path", "Use this configuration."),
    _flag("--isolated", "Use no configuration."),
    _flag("--show-settings", "Print the settings and where they come from. Check nothing."),
    _flag("--watch", "Check again after each change of a file, until you stop it."),
    _flag("--statistics", "Print the number of findings of each rule."),
    _text("--baseline", "FILE", "Report only findings that are not in FILE."),
    Option(
        "write_baseline",
        ("--write-baseline",),
        "path",
        "Write all findings to a baseline, to accept them.",
    ),
    _text(
        "--timeout", "DURATION", "Stop after this time (90, 30s, 5m), and report what was found."
    ),
    _flag("--add-ignores", "Write an ignore comment for each finding."),
)

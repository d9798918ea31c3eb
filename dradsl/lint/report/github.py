"""GitHub Actions workflow commands: annotations on the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Finding, Severity
from dradsl.lint.report.model import Report, ReportOptions
from dradsl.lint.report.places import origin_line, relative_path
from dradsl.lint.report.text import summary_line
from dradsl.text.files import StrPath
from dradsl.values.printable import printable

__all__ = ["render"]

# GitHub shows this many annotations of a kind a step and drops the others without a word.
_SHOWN = 10

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def render(report: Report, options: ReportOptions) -> Iterator[str]:
    """Write one command a finding, most severe first, then a notice with the true total.

    Infos and that total share the kind "notice": infos beyond those that leave it room are
    written as plain lines of the log.
    """
    notices = 0
    for finding in report.most_severe_first:
        notices += finding.severity is Severity.INFO
        if notices < _SHOWN:
            yield _command(finding, options.base) + "\n"
        else:
            yield _plain(finding, options.base) + "\n"
    if report.findings:
        yield f"::notice title=dradsl::{_escape(_total(report))}\n"
    else:
        yield summary_line(report) + "\n"


def _total(report: Report) -> str:
    total = summary_line(report)
    if max(report.counts.values()) > _SHOWN:
        total += f"; GitHub shows at most {_SHOWN} of a kind, the log of this step has all"
    return total


def _command(finding: Finding, base: StrPath | None) -> str:
    span = finding.span
    properties = {
        "file": relative_path(finding.path, base),
        "line": str(span.line),
        "endLine": str(span.end_line),
    }
    if span.end_line == span.line:  # GitHub ignores columns of a range of lines
        properties["col"] = str(span.column)
        properties["endColumn"] = str(span.end_column)
    properties["title"] = f"{finding.code} {finding.name}"
    listed = ",".join(f"{key}={_escape_property(value)}" for key, value in properties.items())
    lines = (finding.message, finding.help, origin_line(finding))
    text = "\n".join(filter(None, lines))
    return f"::{_COMMANDS[finding.severity]} {listed}::{_escape(text)}"


def _plain(finding: Finding, base: StrPath | None) -> str:
    # "::" at the start of a line would be a command: a path comes first here, on one line.
    place = f"{relative_path(finding.path, base)}:{finding.span.line}:{finding.span.column}"
    text = f"{place}: {finding.code} {finding.name} {finding.severity}: {finding.message}"
    text += f" ({origin_line(finding)})" if finding.origin else ""
    return printable(" ".join(text.split()).lstrip(":"))


def _escape(text: str) -> str:
    text = printable(text.replace("\r", " "), keep_newlines=True)
    return text.replace("%", "%25").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")

"""The findings counted by rule, the most frequent first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dradsl.lint.report.model import Report, ReportOptions
from dradsl.lint.report.terminal import Style
from dradsl.lint.report.text import summary_line

__all__ = ["render"]


def render(report: Report, options: ReportOptions) -> Iterator[str]:
    """Write a line for each rule, then the summary."""
    yield from (f"{line}\n" for line in _lines(report, Style(options.color)))
    if not options.quiet:
        yield f"{summary_line(report)}\n"


def _lines(report: Report, style: Style) -> Iterator[str]:
    counted = Counter((f.code, f.name, f.severity) for f in report.findings)
    fixable = Counter((f.code, f.name, f.severity) for f in report.findings if f.fix)
    if not counted:
        return
    digits = len(str(max(counted.values())))
    longest = max(len(name) for _, name, _ in counted)
    for row, count in sorted(counted.items(), key=lambda item: (-item[1], item[0])):
        code, name, severity = row
        fixes = f"  {fixable[row]} fixable" if fixable[row] else ""
        padded = style(severity, f"{severity:<7}")
        yield f"{count:>{digits}}  {code}  {name:<{longest}}  {padded}{fixes}".rstrip()

"""The report of one line a finding, for logs and for `grep`."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.report.model import Report, ReportOptions
from dradsl.lint.report.terminal import Style
from dradsl.lint.report.text import summary_line
from dradsl.values.printable import printable

__all__ = ["render"]


def render(report: Report, options: ReportOptions) -> Iterator[str]:
    """Write a line for each finding, then the summary."""
    style = Style(options.color)
    for finding in report.findings:
        span = finding.span
        place = style("bold", f"{printable(finding.path)}:{span.line}:{span.column}:")
        rule = f"{style(finding.severity, finding.severity)} {finding.code}"
        fix = " [fixable]" if finding.fix else ""
        origin = f" (from {printable(finding.origin)})" if finding.origin else ""
        yield f"{place} {rule} {printable(finding.message)}{origin}{fix}\n"
    if not options.quiet:
        yield f"{summary_line(report)}\n"

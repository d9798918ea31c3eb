"""JUnit XML: one suite a file, one test case a finding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from dradsl.diagnostics import Finding, Severity
from dradsl.lint.report.model import Report, ReportOptions
from dradsl.lint.report.places import relative_path
from dradsl.values.printable import printable

__all__ = ["render"]

# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(report: Report, options: ReportOptions) -> Iterator[str]:
    """Write errors and warnings as failures, infos as passing cases with a text.

    A clean run still has one passing case: CI systems take a report without any for broken.
    """
    counts = report.counts
    failures = counts[Severity.ERROR] + counts[Severity.WARNING]
    total = len(report.findings) or 1
    yield '<?xml version="1.0" encoding="utf-8"?>\n'
    yield f'<testsuites name="dradsl" tests="{total}" failures="{failures}" errors="0">\n'
    if not report.findings:
        yield '  <testsuite name="dradsl" tests="1" failures="0" errors="0">\n'
        yield '    <testcase name="no findings" classname="dradsl" time="0"/>\n'
        yield "  </testsuite>\n"
    for path, findings in groupby(report.findings, lambda finding: finding.path):
        shown = relative_path(path, options.base)
        yield from (f"  {line}\n" for line in _suite(shown, list(findings)))
    yield "</testsuites>\n"


def _suite(path: str, findings: list[Finding]) -> Iterator[str]:
    failures = sum(finding.severity is not Severity.INFO for finding in findings)
    yield (
        f'<testsuite name="{_escape(path)}" tests="{len(findings)}" '
        f'failures="{failures}" errors="0">'
    )
    for finding in findings:
        place = f"{finding.span.line}:{finding.span.column}"
        name = _escape(f"{finding.code} {finding.name} at {place}")
        yield f'  <testcase name="{name}" classname="{_escape(path)}" time="0">'
        yield f"    {_outcome(finding, f'{path}:{place}')}"
        yield "  </testcase>"
    yield "</testsuite>"


def _outcome(finding: Finding, place: str) -> str:
    details = [place, finding.message]
    details += [f"{label}: {text}" for label, text in _explanations(finding) if text]
    body = _escape("\n".join(details))
    if finding.severity is Severity.INFO:
        return f"<system-out>{body}</system-out>"
    message = _escape(finding.message)
    return f'<failure message="{message}" type="{finding.severity}">{body}</failure>'


def _explanations(finding: Finding) -> tuple[tuple[str, str | None], ...]:
    return (
        ("help", finding.help),
        ("why", finding.why),
        ("upstream", finding.upstream),
        ("origin", finding.origin),
    )


def _escape(text: str) -> str:
    cleaned = printable(_NOT_XML.sub("\ufffd", text), keep_newlines=True)
    for plain, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        cleaned = cleaned.replace(plain, entity)
    # ASCII only: the same bytes whatever the encoding of standard output is.
    return cleaned.encode("ascii", "xmlcharrefreplace").decode("ascii")

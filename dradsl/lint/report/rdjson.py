"""reviewdog's diagnostic format (rdjson), with fixes as suggestions.

Columns count bytes of UTF-8 there (reviewdog `proto/rdf/reviewdog.proto`, message Position).
"""

from __future__ import annotations

from itertools import pairwise

from dradsl.diagnostics import Span
from dradsl.lint.report import places
from dradsl.lint.report.places import SourceLines, origin_line, relative_path, rule_url
from dradsl.values.printable import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from dradsl.diagnostics import Finding, Fix
    from dradsl.lint.report.model import Report, ReportOptions

__all__ = ["render"]


def render(report: Report, out: TextIO, options: ReportOptions) -> None:
    """Write one DiagnosticResult."""
    lines = SourceLines(report.sources)
    result: dict[str, object] = {"source": _with_url({"name": "dradsl"}, places.PROJECT_URL)}
    worst = report.most_severe_first[:1]
    if worst:
        result["severity"] = worst[0].severity.upper()
    result["diagnostics"] = [
        _diagnostic(finding, relative_path(finding.path, options.base), lines)
        for finding in report.findings
    ]
    out.write(json_text(result) + "\n")


def _diagnostic(finding: Finding, path: str, lines: SourceLines) -> dict[str, object]:
    text = "\n".join(filter(None, (finding.message, finding.help, origin_line(finding))))
    diagnostic: dict[str, object] = {
        "message": text,
        "location": {"path": path, "range": _range(finding.span, finding.path, lines)},
        "severity": finding.severity.upper(),
        "code": _with_url({"value": finding.code}, finding.url or rule_url(finding.code)),
    }
    suggestion = _suggestion(finding.fix, finding.path, lines) if finding.fix else None
    if suggestion:
        diagnostic["suggestions"] = [suggestion]
    return diagnostic


def _with_url(named: dict[str, str], url: str | None) -> dict[str, str]:
    return named if url is None else {**named, "url": url}


def _range(span: Span, path: str, lines: SourceLines) -> dict[str, object]:
    return {
        "start": {"line": span.line, "column": _byte_column(span.line, span.column, path, lines)},
        "end": {
            "line": span.end_line,
            "column": _byte_column(span.end_line, span.end_column, path, lines),
        },
    }


def _byte_column(line: int, column: int, path: str, lines: SourceLines) -> int:
    before = (lines.line(path, line) or "")[: column - 1]
    return column + len(before.encode("utf-8", "replace")) - len(before)


def _suggestion(fix: Fix, path: str, lines: SourceLines) -> dict[str, object] | None:
    """All edits as one replacement: suggestions stand alone, half a fix would break the file."""
    edits = sorted(fix.edits, key=lambda edit: edit.span)
    if not edits:
        return None
    if len(edits) > 1 and not lines.of(path):
        return None
    text = edits[0].new_text
    for previous, edit in pairwise(edits):
        text += _between(previous.span, edit.span, lines.of(path)) + edit.new_text
    first, last = edits[0].span, edits[-1].span
    whole = Span(first.line, first.column, last.end_line, last.end_column)
    return {"range": _range(whole, path, lines), "text": text}


def _between(first: Span, second: Span, lines: list[str]) -> str:
    """The text from the end of one span to the start of a later one."""
    if first.end_line == second.line:
        return lines[first.end_line - 1][first.end_column - 1 : second.column - 1]
    middle = lines[first.end_line : second.line - 1]
    head = lines[first.end_line - 1][first.end_column - 1 :]
    tail = lines[second.line - 1][: second.column - 1] if second.line <= len(lines) else ""
    return "\n".join([head, *middle, tail])

"""The JSON report: a stable contract, version 1; lines and columns from 1, in code points."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Finding, Fix, Severity, Span
from dradsl.lint.report.model import Report, ReportOptions
from dradsl.lint.report.places import rule_url
from dradsl.values.printable import json_text

__all__ = ["finding_to_json", "render"]


def render(report: Report, _options: ReportOptions) -> Iterator[str]:
    """Write one object with `findings` and what is `folded` below them, and `summary`."""
    counts = report.counts
    data = {
        "version": 1,
        "findings": [finding_to_json(finding) for finding in report.findings],
        "folded": [*_folded(report)],
        "summary": {
            "files": report.files,
            "documents": report.documents,
            "objects": report.objects,
            "skipped": len(report.skipped),
            "rulesSwitchedOff": report.switched_off,
            "errors": counts[Severity.ERROR],
            "warnings": counts[Severity.WARNING],
            "infos": counts[Severity.INFO],
        },
    }
    yield json_text(data) + "\n"


def _folded(report: Report) -> Iterator[dict[str, object]]:
    """The findings that follow from others, with these."""
    for cause in report.findings:
        by = {"code": cause.code, "path": cause.path, **_place(cause.span)}
        for finding in cause.folded:
            yield {**finding_to_json(finding), "causedBy": by}


def finding_to_json(finding: Finding) -> dict[str, object]:
    """A finding as plain data, every key present."""
    about = finding.object
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "message": finding.message,
        "help": finding.help,
        "path": finding.path,
        **_place(finding.span),
        "document": finding.document,
        "object": about
        and {
            "apiVersion": about.api_version,
            "kind": about.kind,
            "namespace": about.namespace,
            "name": about.name,
        },
        "field": finding.field,
        "kubernetes": list(finding.kubernetes),
        "url": finding.url or rule_url(finding.code),
        "upstream": finding.upstream,
        "origin": finding.origin,
        "fix": _fix(finding.fix) if finding.fix else None,
        "related": [
            {"message": place.message, "path": place.path, **_place(place.span)}
            for place in finding.related
        ],
    }


def _place(span: Span) -> dict[str, object]:
    return {
        "line": span.line,
        "column": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _fix(fix: Fix) -> dict[str, object]:
    return {
        "applicability": fix.applicability,
        "edits": [
            {
                "startLine": edit.span.line,
                "startColumn": edit.span.column,
                "endLine": edit.span.end_line,
                "endColumn": edit.span.end_column,
                "newText": edit.new_text,
            }
            for edit in fix.edits
        ],
    }

"""GitLab code quality: the findings of a merge request widget."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.report.fingerprint import fingerprints
from dradsl.lint.report.model import Report, ReportOptions
from dradsl.lint.report.places import SourceLines, origin_line, relative_path
from dradsl.values.printable import json_text

__all__ = ["render"]

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(report: Report, options: ReportOptions) -> Iterator[str]:
    """Write the array that GitLab reads; no two entries share a fingerprint."""
    marks = fingerprints(report.findings, SourceLines(report.sources))
    entries = []
    for finding, mark in zip(report.findings, marks, strict=True):
        path = relative_path(finding.path, options.base)
        span = finding.span
        entries.append(
            {
                "description": f"{finding.code}: {finding.message}"
                + (f" ({origin_line(finding)})" if finding.origin else ""),
                "check_name": finding.code,
                "fingerprint": _with_path(mark, path),
                "severity": _SEVERITIES[finding.severity],
                "location": {
                    "path": path,
                    "positions": {
                        "begin": {"line": span.line, "column": span.column},
                        "end": {"line": span.end_line, "column": span.end_column},
                    },
                },
            }
        )
    yield json_text(entries) + "\n"


def _with_path(mark: str, path: str) -> str:
    """GitLab drops entries with a fingerprint seen before, and ours are unique only in a file."""
    whole = f"{path}\0{mark}".encode("utf-8", "replace")
    return hashlib.sha256(whole).hexdigest()[: len(mark)]

"""SARIF 2.1.0, with what GitHub code scanning reads of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from dradsl.diagnostics import Finding, Fix, Severity, Span
from dradsl.lint.custom.model import CustomRule
from dradsl.lint.report import places
from dradsl.lint.report.fingerprint import fingerprints
from dradsl.lint.report.model import Report, ReportOptions
from dradsl.lint.report.places import (
    SourceLines,
    origin_line,
    relative_path,
    rule_url,
)
from dradsl.text.files import StrPath
from dradsl.values.counted import plural
from dradsl.values.printable import json_text

__all__ = ["render"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_MOST_RESULTS = 25_000  # code scanning rejects a run with more


def render(report: Report, options: ReportOptions) -> Iterator[str]:
    """Write one run; of more results than code scanning takes, the most severe."""
    findings = report.findings
    if len(findings) > _MOST_RESULTS:
        kept = set(map(id, report.most_severe_first[:_MOST_RESULTS]))
        findings = tuple(finding for finding in findings if id(finding) in kept)
    marks = fingerprints(findings, SourceLines(report.sources))
    codes = sorted({finding.code for finding in findings})
    indexes = {code: index for index, code in enumerate(codes)}
    firsts = {finding.code: finding for finding in reversed(findings)}
    invocation: dict[str, object] = {"executionSuccessful": not report.unfinished}
    notes = [*report.notes, *filter(None, (report.unfinished,))]
    if len(findings) < len(report.findings):
        left_out = plural(len(report.findings) - len(findings), "less severe finding")
        notes.append(f"{left_out} left out: code scanning takes {_MOST_RESULTS} a run")
    if notes:
        invocation["toolExecutionNotifications"] = [
            {"level": "note", "message": {"text": note}} for note in notes
        ]
    driver: dict[str, object] = {"name": "dradsl", "version": options.tool_version}
    if places.PROJECT_URL is not None:
        driver["informationUri"] = places.PROJECT_URL
    driver["rules"] = [
        _own_rule(report.own[code]) if code in report.own else _rule(firsts[code]) for code in codes
    ]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [
            _result(finding, mark, indexes[finding.code], options.base)
            for finding, mark in zip(findings, marks, strict=True)
        ],
    }
    yield json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _rule(finding: Finding) -> dict[str, object]:
    """The rule of a finding, from its document; from the finding where there is none."""
    from dradsl.lint.pages.documents import UnknownRuleError, load_document

    rule: dict[str, object] = {"id": finding.code, "name": finding.name}
    try:
        document = load_document(finding.code)
    except UnknownRuleError:
        return {
            **rule,
            "shortDescription": {"text": finding.name},
            **_help_uri(finding.code),
            "defaultConfiguration": {"level": _LEVELS[finding.severity]},
        }
    return {
        **rule,
        "shortDescription": {"text": document.title},
        "fullDescription": {"text": document.section("What it finds")},
        "help": {
            "text": f"{document.section('Why it hurts')}\n\n{document.section('How to fix')}",
            "markdown": f"# {document.title}\n\n{document.body}",
        },
        **_help_uri(finding.code),
        "defaultConfiguration": {"level": _LEVELS[document.severity]},
        "properties": {
            "tags": ["kubernetes", "dynamic-resource-allocation"],
            "problem.severity": _problem_severity(document.severity),
        },
    }


def _own_rule(rule: CustomRule) -> dict[str, object]:
    """A rule of the team, from its file."""
    lines = "\n\n".join(filter(None, (rule.why, rule.help)))
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.message},
        "fullDescription": {"text": rule.why or rule.message},
        "help": {"text": lines or rule.message},
        **({} if rule.url is None else {"helpUri": rule.url}),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {
            "tags": ["kubernetes", "custom"],
            "problem.severity": _problem_severity(rule.severity),
        },
    }


def _help_uri(code: str) -> dict[str, object]:
    """SARIF's `helpUri` may be left out, but not be null."""
    address = rule_url(code)
    return {} if address is None else {"helpUri": address}


def _problem_severity(severity: Severity) -> str:
    return "recommendation" if severity is Severity.INFO else str(severity)


def _result(finding: Finding, mark: str, index: int, base: StrPath | None) -> dict[str, object]:
    lines = (finding.message, finding.help, finding.why, origin_line(finding))
    text = "\n".join(filter(None, lines))
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [{"physicalLocation": _physical(finding.path, finding.span, base)}],
        "partialFingerprints": {"primaryLocationLineHash": mark},
    }
    if finding.related or finding.folded:
        result["relatedLocations"] = [
            {
                "id": number,
                "message": {"text": message},
                "physicalLocation": _physical(path, span, base),
            }
            for number, (message, path, span) in enumerate(
                (
                    *((place.message, place.path, place.span) for place in finding.related),
                    *(
                        (f"{each.code}: {each.message}", each.path, each.span)
                        for each in finding.folded
                    ),
                ),
                start=1,
            )
        ]
    if finding.fix and finding.fix.edits:
        result["fixes"] = [_fix(finding.fix, finding.path, base)]
    properties = {
        "field": finding.field,
        "upstream": finding.upstream,
        "origin": finding.origin,
        "kubernetes": list(finding.kubernetes) or None,
    }
    known = {key: value for key, value in properties.items() if value}
    if known:
        result["properties"] = known
    return result


def _fix(fix: Fix, path: str, base: StrPath | None) -> dict[str, object]:
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {
                "artifactLocation": _artifact(path, base),
                "replacements": [
                    {
                        "deletedRegion": _region(edit.span),
                        "insertedContent": {"text": edit.new_text},
                    }
                    for edit in fix.edits
                ],
            }
        ],
    }


def _physical(path: str, span: Span, base: StrPath | None) -> dict[str, object]:
    return {"artifactLocation": _artifact(path, base), "region": _region(span)}


def _artifact(path: str, base: StrPath | None) -> dict[str, object]:
    shown = relative_path(path, base)
    if Path(shown).is_absolute():
        return {"uri": Path(shown).as_uri()}
    return {"uri": quote(os.fsencode(shown))}  # by the bytes of the name, whatever they are


def _region(span: Span) -> dict[str, object]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }

"""What SARIF, GitHub, GitLab and reviewdog demand beyond the look of their golden files."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dradsl.diagnostics import Finding, Severity, Span
from dradsl.lint.report import Report, ReportOptions, render
from tests.lint.report.sample import HERE, sample

OPTIONS = ReportOptions(base=Path.cwd(), tool_version="1.2.3")


def rendered(form: str, report: Report) -> str:
    out = io.StringIO()
    render(form, report, out, OPTIONS)
    return out.getvalue()


def as_json(form: str, report: Report) -> Any:
    return json.loads(rendered(form, report))


def finding(severity: Severity = Severity.ERROR, line: int = 1, **changes: Any) -> Finding:
    base = Finding("DRA301", "request-shape", severity, "wrong", "a.yaml", Span(line, 1, line, 2))
    return dataclasses.replace(base, **changes)


def moved_down(report: Report, lines: int) -> Report:
    """The same findings after comment lines were put on top of every file."""
    findings = tuple(
        dataclasses.replace(
            one,
            span=Span(
                one.span.line + lines,
                one.span.column,
                one.span.end_line + lines,
                one.span.end_column,
            ),
        )
        for one in report.findings
    )
    sources = {path: "# more\n" * lines + text for path, text in report.sources.items()}
    return dataclasses.replace(report, findings=findings, sources=sources)


SARIF_SCHEMA = json.loads((HERE / "sarif-subset.schema.json").read_text())


@pytest.mark.parametrize("report", [sample(), Report(findings=())], ids=["findings", "clean"])
def test_sarif_follows_its_schema(report: Report) -> None:
    """Against our transcription of SARIF 2.1.0: the official schema is in no package to depend on."""
    jsonschema.Draft202012Validator.check_schema(SARIF_SCHEMA)
    checker = jsonschema.FormatChecker()
    validator = jsonschema.Draft202012Validator(SARIF_SCHEMA, format_checker=checker)
    assert [error.message for error in validator.iter_errors(as_json("sarif", report))] == []


def test_sarif_rule_indexes_point_at_their_rules() -> None:
    run = as_json("sarif", sample())["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len(rules) == 7
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])


def test_sarif_of_a_rule_with_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dradsl.lint.pages.documents.data_folder", lambda name: HERE / name)
    run = as_json("sarif", sample())["runs"][0]
    rule = next(r for r in run["tool"]["driver"]["rules"] if r["id"] == "DRA304")
    assert rule["shortDescription"]["text"] == "The count contradicts the allocation mode"
    assert rule["help"]["text"].startswith("The API server rejects the object.")
    assert rule["defaultConfiguration"] == {"level": "error"}


@pytest.mark.parametrize(
    ("form", "marks"),
    [
        ("sarif", lambda d: [r["partialFingerprints"] for r in d["runs"][0]["results"]]),
        ("gitlab", lambda d: [entry["fingerprint"] for entry in d]),
    ],
)
def test_fingerprints_outlive_moved_lines(form: str, marks: Any) -> None:
    before = marks(as_json(form, sample()))
    assert marks(as_json(form, moved_down(sample(), 7))) == before


def test_sarif_keeps_the_most_severe_of_too_many() -> None:
    many = [finding(Severity.INFO, n) for n in range(1, 25_001)] + [finding(line=30_000)]
    run = as_json("sarif", Report(findings=tuple(many)))["runs"][0]
    assert len(run["results"]) == 25_000
    assert run["results"][-1]["level"] == "error"
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert "1 less severe finding left out" in notes[-1]["message"]["text"]


def test_gitlab_fingerprints_are_unique() -> None:
    same = [finding(line=n) for n in range(1, 50)]
    other_file = [dataclasses.replace(one, path="b.yaml") for one in same]
    entries = as_json("gitlab", Report(findings=(*same, *other_file)))
    assert len({entry["fingerprint"] for entry in entries}) == 98


def test_github_shows_the_worst_first_and_the_true_total() -> None:
    infos = tuple(finding(Severity.INFO, n) for n in range(1, 31))
    errors = tuple(finding(Severity.ERROR, n) for n in range(31, 51))
    lines = rendered("github", Report(findings=(*infos, *errors), files=1)).splitlines()
    assert all(line.startswith("::error ") for line in lines[:20])
    notices = [line for line in lines if line.startswith("::notice ")]
    # GitHub drops all but ten of a kind: the total must be among those it keeps.
    assert len(notices) == 10
    assert notices[-1] == lines[-1]
    assert "20 errors, 30 infos" in lines[-1]
    assert len(lines) == 51


def test_github_text_cannot_start_a_command() -> None:
    infos = tuple(
        finding(Severity.INFO, n, path="::error::x", message="a\n::error::b") for n in range(1, 12)
    )
    lines = rendered("github", Report(findings=infos)).splitlines()
    assert not any(line.startswith("::error") for line in lines)


@pytest.mark.parametrize("form", ["sarif", "gitlab", "github", "junit"])
def test_paths_are_relative_to_the_base(form: str) -> None:
    whole = str(Path.cwd() / "deploy" / ".." / "deploy" / "claim.yaml")
    text = rendered(form, Report(findings=(finding(path=whole),)))
    assert "deploy/claim.yaml" in text
    assert str(Path.cwd()) not in text

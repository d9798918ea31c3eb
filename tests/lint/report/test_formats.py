"""Every format's whole output against a golden file, for a report with findings and a clean one."""

from __future__ import annotations

import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from dradsl.lint.pages import documents
from dradsl.lint.report import FORMATS, Report, ReportOptions, places, render, text
from tests.golden import check_golden
from tests.lint.report.sample import HERE, sample

ENDINGS = {"text": "txt", "junit": "xml", "github": "txt", "statistics": "txt"}
OPTIONS = ReportOptions(width=80, base=Path.cwd(), tool_version="1.2.3")


def rendered(form: str, report: Report, options: ReportOptions = OPTIONS) -> str:
    out = io.StringIO(newline="")
    render(form, report, out, options)
    return out.getvalue()


@pytest.fixture(autouse=True)
def own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule documents of this test, so that editing the real ones changes no golden file."""
    for module in (documents, text):
        monkeypatch.setattr(module, "data_folder", lambda name: HERE / name)


@pytest.mark.parametrize("form", FORMATS)
def test_findings(form: str) -> None:
    check_golden(HERE / "golden" / f"{form}.{ENDINGS.get(form, 'json')}", rendered(form, sample()))


@pytest.mark.parametrize("form", FORMATS)
def test_clean(form: str) -> None:
    report = Report(findings=(), files=3, documents=12, objects=11)
    golden = HERE / "golden" / f"clean-{form}.{ENDINGS.get(form, 'json')}"
    check_golden(golden, rendered(form, report))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("color", ReportOptions(color=True, width=80)),
        ("narrow", ReportOptions(width=40)),
        ("no-terminal", ReportOptions(width=0)),
        ("quiet", ReportOptions(width=80, quiet=True)),
    ],
)
def test_text_options(name: str, options: ReportOptions) -> None:
    check_golden(HERE / "golden" / f"text-{name}.txt", rendered("text", sample(), options))


def addresses(value: object) -> set[str]:
    """The values of a report that are addresses of web pages."""
    if isinstance(value, str):
        return {value} if value.startswith(("http:", "https:")) else set()
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(addresses, inner))


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_rules_have_addresses_once_there_is_a_site(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown() -> set[str]:
        return addresses(json.loads(rendered(form, sample())))

    monkeypatch.setattr(places, "PROJECT_URL", None)
    without = shown()
    assert without <= {"https://json.schemastore.org/sarif-2.1.0.json"}
    monkeypatch.setattr(places, "PROJECT_URL", "https://docs.example.com/dradsl")
    site = {"https://docs.example.com/dradsl"} if form != "json" else set()
    pages = {f"https://docs.example.com/dradsl/rules/{each.code}/" for each in sample().findings}
    assert shown() == without | site | pages
    if form == "sarif":
        rules = json.loads(rendered(form, sample()))["runs"][0]["tool"]["driver"]["rules"]
        assert rules
        for rule in rules:
            assert rule["helpUri"] == f"https://docs.example.com/dradsl/rules/{rule['id']}/"


def test_unknown_format() -> None:
    with pytest.raises(ValueError, match="known: text, concise, statistics, json"):
        rendered("yaml", sample())


@pytest.mark.parametrize("form", ["json", "sarif", "gitlab"])
def test_is_json(form: str) -> None:
    assert json.loads(rendered(form, sample()))


def test_junit_is_xml() -> None:
    root = ET.fromstring(rendered("junit", sample()))
    cases = root.findall(".//testcase")
    assert len(cases) == int(root.attrib["tests"]) == 7
    assert len(root.findall(".//failure")) == int(root.attrib["failures"]) == 6
    # A clean run must not look like a run that did not happen.
    clean = ET.fromstring(rendered("junit", Report(findings=())))
    assert len(clean.findall(".//testcase")) == 1
    assert clean.findall(".//failure") == []


def test_report_without_files_says_so() -> None:
    assert rendered("text", Report(findings=())) == "Nothing to check: no manifests found\n"

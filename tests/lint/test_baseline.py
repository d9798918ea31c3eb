"""Baselines: what they accept, what survives edits, and files that are none."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import pytest

from dradsl.diagnostics import Finding, ObjectRef, Severity, Span
from dradsl.lint.report.baseline import new_findings, write_baseline
from dradsl.lint.settings.problems import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

CLAIM = ObjectRef("resource.k8s.io/v1beta1", "ResourceClaim", "ml", "gpu")
SOURCE = "a:\n  count: 0\nb:\n  count: 0\n"
SOURCES = {"a.yaml": SOURCE}


def finding(line: int, index: int = 0, code: str = "DRA304") -> Finding:
    return Finding(
        code,
        "invalid-count",
        Severity.ERROR,
        "wrong",
        "a.yaml",
        Span(line, 3, line, 8),
        object=CLAIM,
        field=f"spec.devices.requests[{index}].count",
    )


FINDINGS = (finding(2), finding(4, 1))


@pytest.fixture
def baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "known.json"
    assert write_baseline(path, FINDINGS, SOURCES) == 2
    return path


def test_accepts_what_it_holds(baseline: Path) -> None:
    assert new_findings(baseline, FINDINGS, SOURCES) == ()


def test_reports_what_is_new(baseline: Path) -> None:
    new = finding(4, code="DRA306")
    assert new_findings(baseline, (*FINDINGS, new), SOURCES) == (new,)


def test_a_third_equal_mistake_is_new(baseline: Path) -> None:
    source = {"a.yaml": SOURCE + "c:\n  count: 0\n"}
    third = finding(6, 2)
    assert new_findings(baseline, (*FINDINGS, third), source) == (third,)


def test_survives_lines_above_indentation_order_and_api_version(baseline: Path) -> None:
    source = {"a.yaml": "# a\n# comment\nz: 1\na:\n    count:   0\nb:\n    count: 0\n"}
    moved = tuple(
        dataclasses.replace(
            finding(line, index),
            object=dataclasses.replace(CLAIM, api_version="resource.k8s.io/v1"),
        )
        for line, index in ((5, 3), (7, 4))
    )
    assert new_findings(baseline, moved, source) == ()


def test_an_edited_line_is_looked_at_again(baseline: Path) -> None:
    source = {"a.yaml": SOURCE.replace("count: 0\nb", "count: -1\nb")}
    assert new_findings(baseline, FINDINGS, source) == (FINDINGS[0],)


def test_paths_are_relative_to_the_baseline(
    baseline: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    elsewhere = tuple(dataclasses.replace(one, path="../a.yaml") for one in FINDINGS)
    assert new_findings(baseline, elsewhere, {"../a.yaml": SOURCE}) == ()


def test_the_file_is_stable_and_free_of_line_numbers(baseline: Path) -> None:
    data = json.loads(baseline.read_text())
    assert data["version"] == 1
    assert {frozenset(row) for row in data["findings"]} == {
        frozenset({"code", "path", "fingerprint"})
    }
    before = baseline.read_bytes()
    write_baseline(baseline, tuple(reversed(FINDINGS)), SOURCES)
    assert baseline.read_bytes() == before
    assert [path.name for path in baseline.parent.iterdir()] == ["known.json"]


def test_nothing_is_left_behind_where_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "known.json").mkdir()
    with pytest.raises(OSError, match=r"known\.json"):
        write_baseline(tmp_path / "known.json", FINDINGS, SOURCES)
    assert [path.name for path in tmp_path.iterdir()] == ["known.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not JSON"),
        ("[]", "is not a baseline of version 1"),
        ('{"version": 2, "findings": []}', "is not a baseline of version 1"),
        ('{"version": 1}', "has no list of findings"),
        ('{"version": 1, "findings": [{"code": "DRA304"}]}', "without code, path and fingerprint"),
        ('{"version": 1, "findings": [3]}', "without code, path and fingerprint"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "known.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        new_findings(path, FINDINGS, SOURCES)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        new_findings(tmp_path / "none.json", FINDINGS, SOURCES)

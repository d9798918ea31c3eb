"""A run ends when its time is over: with what was found so far, and a line on what was not looked at."""

from __future__ import annotations

import json
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.lint.engine.run import lint
from dradsl.lint.engine.state import RunInput
from dradsl.lint.settings.config import LintConfig
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText
from dradsl.values import deadline
from dradsl.values.deadline import NO_DEADLINE, Deadline, read_duration

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: NAME}
spec: {devices: {requests: [{name: r, exactly: {deviceClassname: gpu.nvidia.com}}]}}
"""
UNUSED = (
    "spec: {resourceClaims: [{name: c, resourceClaimName: x}], containers: [{name: c, image: x}]}"
)
POD = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\n{UNUSED}  # dradsl: ignore[DRA401]\n"


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes on by one second each time that somebody looks at it."""
    seconds = count()
    monkeypatch.setattr(deadline, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for number in range(6):
        (tmp_path / f"{number}.yaml").write_text(CLAIM.replace("NAME", f"c{number}"))
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, ["--isolated", *arguments], catch_exceptions=False)


def test_files_that_are_not_read(folder: Path) -> None:
    result = run("--timeout", "8", "--output-format", "json", ".")
    assert result.exit_code == 2
    assert result.stderr == (
        "dradsl lint: the time limit of 8 s was reached; "
        "not looked at: 1 file, 4 objects, rules on several objects\n"
    )
    assert {finding["path"] for finding in json.loads(result.stdout)["findings"]} == {"0.yaml"}


@pytest.mark.parametrize("seconds", range(1, 30))
def test_what_is_found_is_a_part_of_all(folder: Path, seconds: int) -> None:
    def lines(text: str) -> set[str]:
        return {line for line in text.splitlines() if ".yaml:" in line}

    every = lines(run(".").stdout)
    cut = run("--timeout", f"{seconds}s", ".")
    found = lines(cut.stdout)
    assert found <= every
    assert "All good" not in cut.stdout
    assert cut.exit_code == 2
    assert "rules on several objects" in cut.stderr
    assert run("--timeout", f"{seconds}s", "--exit-zero", ".").exit_code == 2


def test_objects_and_releases_that_there_is_no_time_for() -> None:
    texts = [SourceText(f"{n}.yaml", load(CLAIM.replace("NAME", f"c{n}").encode())) for n in "ab"]
    config = LintConfig(root=".", kube_version=("1.36", "1.37"))
    report = lint(RunInput(tuple(texts)), config, deadline=Deadline.after(2))
    assert [(f.path, f.code, f.kubernetes) for f in report.findings] == [
        ("a.yaml", "DRA005", ("1.36",)),
    ]
    assert report.unfinished == (
        "the time limit of 2 s was reached; not looked at: 1 object for Kubernetes 1.36, "
        "rules on several objects for Kubernetes 1.36, Kubernetes 1.37"
    )


@pytest.mark.parametrize("seconds", [1, 2, 3])
def test_an_ignore_is_not_called_unused_before_all_rules_ran(folder: Path, seconds: int) -> None:
    texts = (SourceText("p.yaml", load(POD.encode())),)
    whole = lint(RunInput(texts), LintConfig(root="."))
    report = lint(RunInput(texts), LintConfig(root="."), deadline=Deadline.after(seconds))
    assert whole.unfinished == ""
    assert report.unfinished
    assert "DRA010" not in [finding.code for finding in report.findings]


def test_only_what_is_complete_is_fixed(folder: Path) -> None:
    before = {path: path.read_text() for path in folder.iterdir()}
    result = run("--fix", "--unsafe-fixes", "--timeout", "8", ".")
    assert result.exit_code == 2
    assert {path: path.read_text() for path in folder.iterdir()} == before


def test_no_baseline_of_a_part(folder: Path) -> None:
    baseline = folder / "baseline.json"
    baseline.write_text("old")
    result = run("--timeout", "8", "--baseline", "baseline.json", "--write", ".")
    assert result.exit_code == 2
    assert result.stderr.endswith("dradsl lint: baseline.json is not written\n")
    assert baseline.read_text() == "old"


def test_the_configuration(folder: Path) -> None:
    (folder / ".dradsl.yaml").write_text("timeout: 3s\n")
    result = CliRunner().invoke(command, ["."])
    assert result.exit_code == 2
    assert "time limit of 3 s" in result.stderr
    assert CliRunner().invoke(command, ["--timeout", "1h", "."]).exit_code == 1


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "5d", "1s1m", "1..5s", "m", "1e9", "nan"])
def test_what_is_no_duration(folder: Path, text: str) -> None:
    result = run(f"--timeout={text}", ".")
    assert result.exit_code == 2
    assert "expects seconds or a duration, such as 90, 30s, 5m or 1h30m" in result.stderr


def test_durations() -> None:
    texts = {"90": 90, "1.5": 1.5, "30s": 30, "5m": 300, "1h30m": 5400, "1h1m1s": 3661, "0.5m": 30}
    assert {text: read_duration(text) for text in texts} == texts
    assert not NO_DEADLINE.is_over
    assert not NO_DEADLINE.is_set

"""Values that give claims to containers of a chart whose pods have none, as a stopped migration of older releases left them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command as lint
from dradsl.cli.migrate import command as migrate
from tests.kills.__main__ import CHART

if TYPE_CHECKING:
    from pathlib import Path

VALUES = "resources:\n  claims:\n  - name: devices\n"
TEMPLATE = CHART["chart/templates/deployment.yaml"]
TOLD = (
    "chart/templates/deployment.yaml writes these claims into a container, and no "
    "resourceClaims into its pod (line 8)"
)


def told(folder: Path, template: str = TEMPLATE, more: dict[str, str] | None = None) -> str:
    """What lint says of the chart with claims in its values."""
    files = CHART | {"chart/values.yaml": VALUES, "chart/templates/deployment.yaml": template}
    for name, text in {**files, **(more or {})}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return CliRunner().invoke(lint, ["--isolated", "."], catch_exceptions=False).output


def test_what_a_stopped_run_left_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = told(tmp_path)
    assert f"chart/values.yaml:2:3: DRA403 unknown-pod-claim error: {TOLD}" in said
    assert (
        "put the limits back (git restore), or write resourceClaims into the template"
        in " ".join(said.split())
    )


def test_a_pod_that_is_made_on_a_condition_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = told(tmp_path, "{{- if .Values.enabled }}\n" + TEMPLATE + "{{- end }}\n")
    assert f"warning: {TOLD.replace('line 8', 'line 9')}" in said


@pytest.mark.parametrize(
    ("old", "new", "helper"),
    [
        ("      containers:\n", "      resourceClaims: [{name: devices}]\n      containers:\n", ""),
        ("      containers:\n", "      {{- toYaml .Values.pod | nindent 6 }}\n      containers:\n", ""),
        ("      containers:\n", '      {{- include "other.claims" . | nindent 6 }}\n      containers:\n', ""),
        (
            "      containers:\n",
            '      {{- include "own.claims" . | nindent 6 }}\n      containers:\n',
            '{{- define "own.claims" }}resourceClaims: [{name: devices}]{{- end }}\n',
        ),
        ("kind: Deployment", "kind: ServingRuntime", ""),
        (".Values.resources", ".Values.others", ""),
    ],
)  # fmt: skip
def test_what_may_get_its_claims_elsewhere_is_no_finding(
    old: str, new: str, helper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert old in TEMPLATE
    more = {"chart/templates/_own.tpl": helper}
    assert "DRA403" not in told(tmp_path, TEMPLATE.replace(old, new), more)


def test_a_finished_migration_has_no_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told(tmp_path)
    (tmp_path / "chart" / "values.yaml").write_text(CHART["chart/values.yaml"])
    words = ["--set", "chart-places=write", "--write", "chart", "apps"]
    done = CliRunner().invoke(migrate, words, catch_exceptions=False)
    assert "deviceClaims: true" in (tmp_path / "apps" / "release.yaml").read_text(), done.output
    said = CliRunner().invoke(lint, ["--isolated", "."], catch_exceptions=False)
    assert "DRA403" not in said.output

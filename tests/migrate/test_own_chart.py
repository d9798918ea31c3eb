"""Values whose chart is among the files of a run, and the switch that the chart gets."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from dradsl.tree.charts.template_pods import helpers_in, pods_in
from tests.lint.repositories import only_git_of_the_test

if TYPE_CHECKING:
    from pathlib import Path

CHART = "apiVersion: v2\nname: app\nversion: 1.0.0\n"
WHOLE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      {{- with .Values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: main
          image: i
          {{- with .Values.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
"""
SINGLE = """\
apiVersion: batch/v1
kind: Job
metadata: {name: job}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: work
        image: i
        resources:
          limits:
            cpu: {{ .Values.job.cpu }}
            nvidia.com/gpu: {{ .Values.job.gpus }}
"""
VALUES = """\
# What the server gets.
resources:
  limits: {nvidia.com/gpu: 1}  # one card
tolerations: []
job: {cpu: 1, gpus: 2}
"""
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "resources": {"type": "object"},
        "tolerations": {"type": "array"},
        "job": {"type": "object"},
    },
}


@pytest.fixture
def chart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    only_git_of_the_test(tmp_path, monkeypatch)
    folder = tmp_path / "app"
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text(CHART)
    (folder / "values.yaml").write_text(VALUES)
    (folder / "values.schema.json").write_text(json.dumps(SCHEMA, indent=2) + "\n")
    (folder / "templates" / "deployment.yaml").write_text(WHOLE)
    (folder / "templates" / "job.yaml").write_text(SINGLE)
    return folder


def call(*words: str) -> str:
    result = CliRunner().invoke(command, list(words))
    assert result.exit_code in (0, 1), result.output
    return result.output


WRITE = ("--set", "chart-places=write", "app")


def test_what_becomes_of_each_amount_is_said(chart: Path) -> None:
    said = call("--scan", *WRITE)
    after = "becomes a request of class gpu.nvidia.com for as many, with values deviceClaims: true"
    assert f"{after} in values.yaml" in said
    assert (chart / "values.yaml").read_text() == VALUES


def test_labels_beside_the_resources_are_named(chart: Path) -> None:
    """Only those of device plugins: other labels have nothing to do with devices."""
    selector = "nodeSelector: {nvidia.com/gpu.product: NVIDIA-L4, disk: fast}\n"
    (chart / "values.yaml").write_text(VALUES + selector)
    said = call("--scan", *WRITE)
    assert "app/values.yaml:3: node label nvidia.com/gpu.product: NVIDIA-L4 stays; " in said
    assert "disk" not in said


def test_both_ways_are_written_and_comments_stay(chart: Path) -> None:
    call("--write", "--force", *WRITE)
    values = (chart / "values.yaml").read_text()
    assert values.startswith(VALUES)
    assert values.endswith("deviceClaims: true\n")
    schema = json.loads((chart / "values.schema.json").read_text())["properties"]
    assert {*schema} == {"resources", "tolerations", "job", "deviceClaims"}
    assert schema["deviceClaims"]["type"] == "boolean"
    for name in ("deployment", "job"):
        (pod,) = pods_in((chart / "templates" / f"{name}.yaml").read_text(), {})
        assert pod.own_claims is not None


def test_line_ends_stay_what_they_are(chart: Path) -> None:
    files = [chart / "values.yaml", *(chart / "templates").iterdir()]
    for path in files:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    call("--write", "--force", *WRITE)
    for path in files:
        data = path.read_bytes()
        assert data.count(b"\n") == data.count(b"\r\n")
        assert b"laims" in data


def test_templates_in_the_run_say_why_values_carry_no_claims(chart: Path) -> None:
    said = call("--scan", "app")
    assert "app/templates/deployment.yaml writes these resources whole (line 18)" in said
    assert "the pod has no place for claims (line 14)" in said
    assert "--set chart-places=write makes claims of the limits, by a switch" in said
    assert "cannot be seen here" not in said


def test_without_templates_nothing_can_be_seen(chart: Path) -> None:
    shutil.rmtree(chart / "templates")
    (chart / "Chart.yaml").unlink()
    assert "cannot be seen here" in call("--scan", "app")


def test_a_chart_within_a_chart_has_its_values_below_a_key(chart: Path) -> None:
    outer = chart.parent / "outer"
    outer.mkdir()
    (outer / "Chart.yaml").write_text(
        CHART.replace("app", "outer")
        + "dependencies: [{name: app, alias: engine, version: 1, repository: 'file://../app'}]\n"
    )
    (outer / "values.yaml").write_text("engine: {resources: {limits: {amd.com/gpu: 1}}}\n")
    said = call("--scan", "outer", "app")
    assert "app/templates/deployment.yaml writes these resources whole" in said


@pytest.mark.parametrize(
    ("lines", "whole", "unknown"),
    [
        (
            "resources: {{ toYaml .Values.a.resources | nindent 12 }}",
            (".Values.a.resources",),
            None,
        ),
        ("resources: {{- .Values.resources | toYaml | nindent 12 }}", (".Values.resources",), None),
        ('resources: {{ include "known" . | nindent 12 }}', (".Values.server.resources",), None),
        ('resources: {{ include "other" . | nindent 12 }}', (), "other"),
        ("resources:\n  {{- $r := dict }}\n  {{- toYaml $r | nindent 12 }}", (), "$r"),
        ("resources: {{ range $r := .Values.all }}{{ toYaml $r | nindent 12 }}{{ end }}", (), "$r"),
    ],
)
def test_forms_of_resources(lines: str, whole: tuple[str, ...], unknown: str | None) -> None:
    helpers = helpers_in(
        [
            '{{- define "known" }}\n{{- $r := .Values.server.resources | default dict }}\n'
            "{{ $r | toYaml }}\n{{- end }}\n"
            '{{- define "other" }}\nlimits: {cpu: 1}\n{{- end }}\n'
        ]
    )
    indented = "\n".join(f"    {line}" for line in lines.splitlines())
    (pod,) = pods_in(f"spec:\n  containers:\n  - name: a\n{indented}\n", helpers)
    assert pod.containers[0].whole == whole
    assert pod.containers[0].unknown == unknown


def test_helm_renders_both_sides(chart: Path) -> None:
    helm = shutil.which("helm")
    if helm is None:
        pytest.skip("Helm is not installed")
    said = call("--diff", *WRITE, "--build-with", f"helm={helm}")
    assert "rendered before and after (chart app): the same objects, 2 of them with claims" in said
    assert said.count("translated, proven") == 2


def test_each_pod_gets_a_claim_of_its_own(chart: Path) -> None:
    """Claims of one pod must not reach another, and a Notebook drops them."""
    for name in ("a", "b"):
        (chart / "templates" / f"{name}-job.yaml").write_text(f"{SINGLE}---\n{SINGLE}")
    note = SINGLE.replace("kind: Job", "kind: Notebook")
    (chart / "templates" / "note.yaml").write_text(note)
    call("--write", "--force", *WRITE)
    objects = (chart / "templates" / "device-claims.yaml").read_text()
    named = re.findall(r'name: \{\{ include "app\.deviceClaims\.([\w-]+)\.name"', objects)
    assert sorted(named) == ["a-job", "a-job-2", "b-job", "b-job-2", "deployment", "job"]
    assert (chart / "templates" / "note.yaml").read_text() == note


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ("resources:\n  nvidia.com/gpu: 1\n", ".Values.resources"),
        ("resources:\n  limits:\n    nvidia.com/gpu: 1\n", ".Values.resources.limits"),
    ],
)
def test_values_that_are_limits_are_found(chart: Path, values: str, written: str) -> None:
    whole = "          resources:\n            {{- toYaml . | nindent 12 }}\n          {{- end }}\n"
    limits = f"          resources:\n            limits:\n              {{{{- toYaml {written} | nindent 14 }}}}\n"
    text = WHOLE.replace("          {{- with .Values.resources }}\n" + whole, limits)
    assert text != WHOLE
    (chart / "templates" / "deployment.yaml").write_text(text)
    (chart / "values.yaml").write_text(values)
    said = call("--diff", "app")
    assert "deployment.yaml writes these into the resources of a Deployment (line 18)" in said
    assert "no template of the chart" not in said

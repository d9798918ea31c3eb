"""`dradsl migrate --chart`, and values whose chart is among the files of a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from dradsl.migrate.chart.work import work_on
from dradsl.tree.charts.template_pods import helpers_in, objects_hook, pods_in
from tests.lint.repositories import only_git_of_the_test
from tests.migrate.runs import only, run

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


def test_what_reaches_the_pods_is_said(chart: Path) -> None:
    said = call("--chart", "app")
    becomes = (
        "nvidia.com/gpu becomes a request of class gpu.nvidia.com with values deviceClaims: true"
    )
    assert f"  14: {becomes} (new)" in said
    assert f"values\n  resources: {becomes} (new)" in said
    assert "not rendered" in said
    assert (chart / "values.yaml").read_text() == VALUES


def test_both_ways_are_written_and_comments_stay(chart: Path) -> None:
    call("--chart", "app", "--in-place")
    values = (chart / "values.yaml").read_text()
    assert values.startswith(VALUES)
    assert values.endswith("deviceClaims: false\n")
    schema = json.loads((chart / "values.schema.json").read_text())
    assert schema["properties"].keys() - SCHEMA["properties"].keys() == {"deviceClaims"}
    assert schema["properties"]["deviceClaims"]["type"] == "boolean"
    for name in ("deployment", "job"):
        (pod,) = pods_in((chart / "templates" / f"{name}.yaml").read_text(), {})
        assert pod.own_claims is not None
    again = call("--chart", "app", "--check")
    assert "Nothing to write: values deviceClaims: true give claims." in again


def test_what_no_values_ask_for_is_named_with_the_next_step(chart: Path) -> None:
    """Which device it is would be a guess. The command that is named shows it."""
    (chart / "templates" / "job.yaml").unlink()
    (chart / "values.yaml").write_text("resources: {}\n")
    (chart / "gpu.yaml").write_text("resources:\n  limits: {amd.com/gpu: 2}\n")
    said = call("--chart", "app")
    assert "values resources, which ask for no device here: found, not judged" in said
    assert "dradsl migrate --chart DIR FILE" in said
    assert "Nothing to write" in said
    assert "becomes a request of class gpu.amd.com" in call("--chart", "app", "app/gpu.yaml")


def test_line_ends_stay_what_they_are(chart: Path) -> None:
    files = [chart / "values.yaml", *(chart / "templates").iterdir()]
    for path in files:
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    call("--chart", "app", "--in-place")
    for path in files:
        data = path.read_bytes()
        assert data.count(b"\n") == data.count(b"\r\n")
        assert b"laims" in data


def test_templates_in_the_run_say_why_values_carry_no_claims(chart: Path) -> None:
    said = call("--scan", "app")
    assert "app/templates/deployment.yaml writes these resources whole (line 18)" in said
    assert "the pod has no place for claims (line 14)" in said
    assert "dradsl migrate --chart app writes what it needs" in said
    assert "cannot be seen here" not in said


def test_values_of_a_chart_with_the_places_are_migrated(chart: Path) -> None:
    call("--chart", "app", "--in-place")
    (chart / "gpu.yaml").write_text("resources:\n  limits: {nvidia.com/gpu: 2}\n")
    assert "question: chart-places" in call("--scan", "app")
    said = call("--chart-places", "write", "app", "--output", "out")
    assert "becomes a request of class gpu.nvidia.com for as many" in said
    assert "deviceClaims: true" in Path("out/app/values.yaml").read_text()


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


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "{{ range .Values.extraObjects }}\n---\n{{ tpl (toYaml .) $ }}\n{{ end }}\n",
            "extraObjects",
        ),
        (
            '{{- range .Values.raw }}\n---\n{{- if kindIs "string" . }}\n  {{- tpl . $ }}\n{{- else }}\n'
            "  {{- toYaml . }}\n{{- end }}\n{{- end }}\n",
            "raw",
        ),
        ("env:\n{{- range .Values.extraEnv }}\n- {{ toYaml . | nindent 2 }}\n{{- end }}\n", None),
        ("{{- range .Values.extra }}\nkind: A\n{{ toYaml . }}\n{{- end }}\n", None),
    ],
)
def test_places_for_whole_objects(text: str, wanted: str | None) -> None:
    assert objects_hook([text]) == wanted


def test_what_is_no_chart_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--chart", str(tmp_path)])
    assert result.exit_code == 2
    assert "holds no Chart.yaml" in result.output


def test_helm_renders_both_sides(chart: Path) -> None:
    helm = shutil.which("helm")
    if helm is None:
        pytest.skip("Helm is not installed")
    said = call("--chart", "app", "--build-with", f"helm={helm}")
    assert "without the new values what is rendered is the same to the byte" in said
    for name in ("deployment", "job"):
        became = "with values deviceClaims: true 1 count became requests of claims"
        assert f"templates/{name}.yaml: {became}, and nothing else differs" in said
    assert "fault" not in said


def test_a_helm_that_fails_is_no_proof(chart: Path, tmp_path: Path) -> None:
    program = tmp_path / "helm"
    program.write_text("#!/bin/sh\necho 'Error: no' >&2\nexit 1\n")
    program.chmod(0o755)
    said = call("--chart", "app", "--build-with", f"helm={program}")
    assert "not rendered: " in said
    assert "proof" not in said


def test_a_program_that_is_not_there_is_told(chart: Path) -> None:
    result = CliRunner().invoke(command, ["--chart", "app", "--build-with", "no-such-program"])
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_each_pod_gets_a_claim_of_its_own(chart: Path) -> None:
    """Claims of one pod must not reach another, and a Notebook drops them."""
    for name in ("a", "b"):
        (chart / "templates" / f"{name}-job.yaml").write_text(f"{SINGLE}---\n{SINGLE}")
    (chart / "templates" / "note.yaml").write_text(SINGLE.replace("kind: Job", "kind: Notebook"))
    work = work_on(chart, (), ())
    named = [each.helper for each in work.plan.pods if each.file.endswith("-job.yaml")]
    assert len(named) == len(set(named)) == 4
    assert "templates/note.yaml" not in work.plan.files
    said = {each.text for each in work.said() if each.file == "templates/note.yaml"}
    assert said == {"pods of Knative and Notebooks take no claims: nothing is written here"}


def test_a_template_that_gets_no_place_is_not_sent_there() -> None:
    text = SINGLE
    for kind, helped in (("Job", True), ("Notebook", False)):
        made = text.replace("kind: Job", f"kind: {kind}")
        item = only(run(made, "chart/templates/a.yaml"))
        assert any("--chart chart" in each for each in item.routes) is helped

"""Counts that the templates of a chart write: the chart gets both ways, by a switch that is off."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from dradsl.migrate.chart.scopes import scopes_of
from dradsl.migrate.chart.work import work_on
from tests.lint.repositories import only_git_of_the_test

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.migrate.chart.work import ChartWork

HELM = shutil.which("helm")
GPU = "nvidia.com/gpu"
HEAD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-server
spec:
  selector: {matchLabels: {app: server}}
  template:
    metadata: {labels: {app: server}}
    spec:
      containers:
        - name: main
          image: example.com/server
"""
VALUES = """\
gpu: {enabled: true, count: 2, vendor: nvidia}
space: ml
sidecar: {resources: {}}
"""


def resources(*lines: str) -> str:
    return "          resources:\n" + "".join(f"            {line}\n" for line in lines)


PLAIN = resources("limits:", "  nvidia.com/gpu: {{ .Values.gpu.count }}")
# What it looks like, and how many devices it asks for with the values above.
FORMS = {
    "plain": (PLAIN, 1),
    "quoted": (resources("limits:", "  nvidia.com/gpu: {{ .Values.gpu.count | quote }}"), 1),
    "in-quotes": (resources("limits:", '  "nvidia.com/gpu": "{{ .Values.gpu.count }}"'), 1),
    "default": (resources("limits:", "  nvidia.com/gpu: {{ .Values.gpu.number | default 1 }}"), 1),
    "static": (resources("limits:", "  cpu: 1", "  nvidia.com/gpu: 1  # a card"), 1),
    "both": (
        resources(
            "limits:", "  nvidia.com/gpu: {{ .Values.gpu.count }}",
            "requests:", "  cpu: 1", "  nvidia.com/gpu: {{ .Values.gpu.count }}",
        ),
        1,
    ),
    "if": (
        resources(
            "limits:", "  memory: 1Gi", "  {{- if .Values.gpu.enabled }}",
            "  nvidia.com/gpu: {{ .Values.gpu.count }}", "  {{- end }}",
        ),
        1,
    ),
    "with": (
        resources(
            "limits:", "  {{- with .Values.gpu }}", "  {{- if .enabled }}",
            "  nvidia.com/gpu: {{ .count }}", "  {{- end }}", "  {{- end }}",
        ),
        1,
    ),
    "around": (
        "          {{- if .Values.gpu.enabled }}\n" + PLAIN + "          {{- end }}\n",
        1,
    ),
    "else": (
        resources(
            "limits:", '  {{- if eq .Values.gpu.vendor "amd" }}', "  amd.com/gpu: {{ .Values.gpu.count }}",
            "  {{- else if .Values.gpu.enabled }}", "  nvidia.com/gpu: {{ .Values.gpu.count }}", "  {{- end }}",
        ),
        2,
    ),
    "sidecar": (
        PLAIN + "        - name: side\n          image: s\n"
        + resources("{{- toYaml .Values.sidecar.resources | nindent 12 }}"),
        1,
    ),
}  # fmt: skip


def chart(folder: Path, template: str, values: str = VALUES, *, schema: bool = False) -> Path:
    found = folder / "app"
    (found / "templates").mkdir(parents=True)
    (found / "Chart.yaml").write_text("apiVersion: v2\nname: app\nversion: 1.0.0\n")
    (found / "values.yaml").write_text(values)
    (found / "templates" / "server.yaml").write_text(template)
    if schema:
        text = json.dumps(
            {
                "additionalProperties": False,
                "properties": {key: {} for key in ("gpu", "space", "sidecar")},
            }
        )
        (found / "values.schema.json").write_text(f"{text}\n")
    return found


def planned(folder: Path, template: str, values: str = VALUES) -> ChartWork:
    return work_on(chart(folder, template, values), (), ())


@pytest.mark.parametrize("form", FORMS)
def test_each_form_becomes_requests(tmp_path: Path, form: str) -> None:
    text, number = FORMS[form]
    plan = planned(tmp_path, HEAD + text).plan
    (pod,) = plan.pods
    assert len(pod.requests) == number
    assert "deviceClaims: false\n" in plan.files["values.yaml"]
    assert "{{- if not $.Values.deviceClaims }}" in plan.files["templates/server.yaml"]
    assert plan.files["templates/device-claims.yaml"].count("kind: ResourceClaimTemplate") == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.skipif(HELM is None, reason="Helm is not installed")
def test_helm_renders_both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    only_git_of_the_test(tmp_path, monkeypatch)
    chart(tmp_path, HEAD + FORMS[form][0], schema=True)
    result = CliRunner().invoke(command, ["--chart", "app", "--build-with", f"helm={HELM}"])
    assert result.exit_code == 0, result.output
    assert "without the new values what is rendered is the same to the byte" in result.output
    assert "became requests of claims, and nothing else differs" in result.output
    assert "fault" not in result.output


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD.replace("apps/v1", "example.com/v1").replace("Deployment", "Server") + PLAIN, "pods of this kind"),
        (HEAD.replace("metadata:\n", "metadata:\n  annotations: {helm.sh/hook: test}\n", 1) + PLAIN, "a hook"),
        (HEAD + resources("limits:", "  {{- range .Values.many }}", f"  {GPU}: 1", "  {{- end }}"), "{{ range }}"),
        (HEAD + resources("limits:", f"  {GPU}: {{{{ $count }}}}"), "what $count stands for"),
        (HEAD + resources("limits:", f"  {GPU}: 1", "requests:", f"  {GPU}: 2"), "in two ways"),
        (HEAD + resources("limits:", "  {{ if .Values.gpu -}}", f"  {GPU}: 1", "  {{- end }}"), "line end"),
        (HEAD + resources("limits:", f"  {GPU}: 1", "  nvidia.com/gpumem: 100"), "a part of a GPU"),
        (HEAD + resources("limits:", f"  {GPU}: {{{{ .Values.a }}}}{{{{ .Values.b }}}}"), "more than one value"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_refused_with_the_lines(
    tmp_path: Path, text: str, reason: str
) -> None:
    work = planned(tmp_path, text)
    assert not work.plan.pods
    said = " ".join(each.text for each in work.said())
    assert reason in said
    assert "the count stays: " in said
    assert "deviceClassName: gpu.nvidia.com, count: " in said
    assert "resourceClaims: [{name: devices, resourceClaimTemplateName: NAME}]" in said


def test_init_containers_in_the_same_object_are_not_guessed(tmp_path: Path) -> None:
    init = "      initContainers:\n        - name: i\n          image: i\n" + PLAIN
    text = HEAD.replace("      containers:\n", init + "      containers:\n") + PLAIN
    assert not planned(tmp_path, text).plan.pods


def test_each_release_has_templates_of_its_own(tmp_path: Path) -> None:
    plan = planned(
        tmp_path,
        HEAD.replace("metadata:\n", "metadata:\n  namespace: {{ .Values.space }}\n", 1) + PLAIN,
    ).plan
    assert '"%s-server-%s" $.Release.Name' in plan.files["templates/_device-claims.tpl"]
    assert "namespace: {{ $.Values.space }}\n" in plan.files["templates/device-claims.yaml"]


def test_a_key_that_means_something_else_is_not_taken(tmp_path: Path) -> None:
    plan = planned(tmp_path, HEAD + PLAIN, VALUES + "deviceClaims: {a: 1}\n").plan
    assert plan.key == "useDeviceClaims"
    assert "useDeviceClaims: false\n" in plan.files["values.yaml"]


def test_what_has_the_switch_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_git_of_the_test(tmp_path, monkeypatch)
    chart(tmp_path, HEAD + PLAIN)
    assert CliRunner().invoke(command, ["--chart", "app", "--in-place"]).exit_code == 0
    again = CliRunner().invoke(command, ["--chart", "app", "--check"])
    assert again.exit_code == 0, again.output
    assert "Nothing to write" in again.output


def test_conditions_are_said_from_the_root() -> None:
    text = (
        '{{- $g := .Values.gpu }}\n{{- with .Values.a }}\n{{- if and .b (eq $g.c ".d") $.Values.e }}\n'
        "here\n{{- else }}\nthere\n{{- end }}\n{{- end }}\n"
    )
    inside = 'and .Values.a.b (eq .Values.gpu.c ".d") .Values.e'
    scopes = scopes_of(text)
    assert [c for each in scopes[3] for c in each.conditions] == [".Values.a", inside]
    assert [c for each in scopes[5] for c in each.conditions] == [".Values.a", f"not ({inside})"]


POD = """\
# Source: app/templates/server.yaml
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: main
    resources: {limits: {nvidia.com/gpu: 2, cpu: 1}}
"""
CLAIMED = """\
# Source: app/templates/server.yaml
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  resourceClaims: [{name: devices, resourceClaimTemplateName: RELEASE-t}]
  containers:
  - name: main
    resources: {limits: {cpu: 1}, claims: [{name: devices, request: gpu}]}
---
# Source: app/templates/device-claims.yaml
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: RELEASE-t}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 2}}]}}}
"""
# Renders the file `on` if the values turn the switch on; RELEASE there is the name of the release.
FAKE_HELM = """\
#!{python}
import pathlib, sys
on = any("deviceClaims" in pathlib.Path(w).read_text() for w in sys.argv if w.endswith(".json"))
text = pathlib.Path({folder!r}, "on" if on else "off").read_text()
print(text.replace("RELEASE", sys.argv[-2]))
"""


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("", "", None),
        ("count: 2", "count: 1", "Pod p would differ at"),
        ("cpu: 1", "cpu: 2", "Pod p would differ at"),
        ("request: gpu}]", "request: g}]", "Pod p would differ at"),
        ("Name: RELEASE-t", "Name: u", "Pod p names"),
        ("limits: {cpu: 1}", "limits: {cpu: 1, nvidia.com/gpu: 2}", "Pod p would differ at"),
        ("gpu.nvidia.com", "mig.nvidia.com", "Pod p would differ at"),
        ("RELEASE-t", "t", "two releases in one namespace would share a claim template"),
        ("metadata: {name: p}", "metadata: {name: q}", "Pod p is not rendered any more"),
    ],
)
def test_the_comparison_sees_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, fault: str | None
) -> None:
    """With a Helm that renders what this test says: with the switch something else."""
    only_git_of_the_test(tmp_path, monkeypatch)
    chart(tmp_path, HEAD + PLAIN)
    (tmp_path / "off").write_text(POD)
    (tmp_path / "on").write_text(CLAIMED.replace(old, new) if old else CLAIMED)
    program = tmp_path / "helm"
    program.write_text(FAKE_HELM.format(python=sys.executable, folder=str(tmp_path)))
    program.chmod(0o755)
    words = ["--chart", "app", "--build-with", f"helm={program}"]
    said = CliRunner().invoke(command, words).output
    if fault is None:
        assert "fault: " not in said, said
        assert "templates/server.yaml: with values deviceClaims: true 1 count became" in said
    else:
        assert f"fault: {fault}" in said


def test_a_chart_that_renders_the_time_is_not_at_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_git_of_the_test(tmp_path, monkeypatch)
    chart(tmp_path, HEAD + PLAIN)
    program = tmp_path / "helm"
    program.write_text('#!/bin/sh\necho "a: $$"\n')
    program.chmod(0o755)
    words = ["--chart", "app", "--check", "--build-with", f"helm={program}"]
    said = CliRunner().invoke(command, words).output
    assert "not compared: the chart renders something else at each call" in said
    assert "fault" not in said

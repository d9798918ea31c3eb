"""Counts that the templates of a chart write: the chart gets both ways, by a switch that is off."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dradsl.migrate.chart.switch import Chart, plan_switch
from dradsl.migrate.chart.template import scopes_of
from dradsl.migrate.mapping.questions import Decisions
from dradsl.migrate.mapping.resource import Hints

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.migrate.chart.switch import SwitchPlan

GPU = "nvidia.com/gpu"
EFA = "vpc.amazonaws.com/efa"
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


def planned(template: str, values: str = VALUES) -> SwitchPlan:
    made = Chart("app", {"templates/server.yaml": template}, values, None)
    return plan_switch(made, lambda _: Decisions(), lambda _: (Hints(),), {})


@pytest.mark.parametrize("form", FORMS)
def test_each_form_becomes_requests(form: str) -> None:
    text, number = FORMS[form]
    plan = planned(HEAD + text)
    (pod,) = plan.pods
    assert len(pod.requests) == number
    assert "deviceClaims: false\n" in plan.files["values.yaml"]
    assert "{{- if not $.Values.deviceClaims }}" in plan.files["templates/server.yaml"]
    assert plan.files["templates/device-claims.yaml"].count("kind: ResourceClaimTemplate") == 1


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
def test_what_cannot_be_said_is_rejected_with_the_lines(text: str, reason: str) -> None:
    plan = planned(text)
    assert not plan.pods
    said = " ".join(each.stays for each in plan.becomes.values())
    assert reason in said
    assert "the count stays: " in said
    assert "deviceClassName: gpu.nvidia.com, count: " in said
    assert "resourceClaims: [{name: devices, resourceClaimTemplateName: NAME}]" in said


def test_a_question_about_one_device_is_asked_with_its_answer() -> None:
    plan = planned(HEAD + resources("limits:", f"  {GPU}: 1", f"  {EFA}: 1"))
    assert not plan.pods
    for each in plan.becomes.values():
        assert (each.question, each.hint) == ("accept", EFA)
        assert each.stays.endswith("is not confirmed")  # no way by hand beside a question


def test_init_containers_in_the_same_object_are_not_guessed() -> None:
    init = "      initContainers:\n        - name: i\n          image: i\n" + PLAIN
    text = HEAD.replace("      containers:\n", init + "      containers:\n") + PLAIN
    assert not planned(text).pods


def test_each_release_has_templates_of_its_own() -> None:
    plan = planned(
        HEAD.replace("metadata:\n", "metadata:\n  namespace: {{ .Values.space }}\n", 1) + PLAIN
    )
    assert '"%s-server-%s" $.Release.Name' in plan.files["templates/_device-claims.tpl"]
    assert "namespace: {{ $.Values.space }}\n" in plan.files["templates/device-claims.yaml"]


def test_a_key_that_means_something_else_is_not_taken() -> None:
    plan = planned(HEAD + PLAIN, VALUES + "deviceClaims: {a: 1}\n")
    assert plan.key == "useDeviceClaims"
    assert "useDeviceClaims: false\n" in plan.files["values.yaml"]


def test_conditions_are_said_from_the_root() -> None:
    text = (
        '{{- $g := .Values.gpu }}\n{{- with .Values.a }}\n{{- if and .b (eq $g.c ".d") $.Values.e }}\n'
        "here\n{{- else }}\nthere\n{{- end }}\n{{- end }}\n"
    )
    inside = 'and .Values.a.b (eq .Values.gpu.c ".d") .Values.e'
    scopes = scopes_of(text)
    assert [c for each in scopes[3] for c in each.conditions] == [".Values.a", inside]
    assert [c for each in scopes[5] for c in each.conditions] == [".Values.a", f"not ({inside})"]

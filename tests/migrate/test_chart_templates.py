"""Sources of Helm templates: uses found as text."""

from __future__ import annotations

import pytest

from dradsl.migrate.result import Outcome
from tests.migrate.runs import only, run

TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  template:
    spec:
      {{- if gt (int (index .Values.resources.limits "nvidia.com/gpu")) 0 }}
      runtimeClassName: nvidia
      {{- with .Values.affinity }}
      affinity: {{ toYaml . }}
      {{- end }}
      {{- else }}
      nodeSelector: {pool: cpu}
      {{- end }}
      {{- if not .Values.gpu.enabled }}
      priorityClassName: low
      {{- end }}
      containers:
      - name: main
        resources:
          limits:
            {{- $limits := dict "amd.com/gpu" .Values.number }}
            nvidia.com/gpu: {{ .Values.number }}
"""


def test_uses_in_lines_and_in_actions() -> None:
    migration = run(TEMPLATE, "templates/deployment.yaml")
    (file,) = migration.files
    assert file.kind == "template"
    assert {item.outcome for item in file.items} == {Outcome.REJECTED}
    assert [(item.where, item.before) for item in file.items] == [
        ("line 22", 'amd.com/gpu in {{ $limits := dict "amd.com/gpu" .Values.number }}'),
        ("line 23", "nvidia.com/gpu: {{ .Values.number }}"),
    ]


@pytest.mark.parametrize("name", ["huawei.com/Ascend310", "huawei.com/ascend-1980"])
def test_a_name_without_a_class_is_a_use_in_a_template_too(name: str) -> None:
    text = TEMPLATE.replace("nvidia.com/gpu: {{", f"{name}: {{{{")
    (file,) = run(text, "templates/deployment.yaml").files
    assert (Outcome.REJECTED, f"{name}: {{{{ .Values.number }}}}") in [
        (item.outcome, item.before) for item in file.items
    ]


def test_a_condition_on_devices_asks_for_none() -> None:
    text = TEMPLATE.replace('            {{- $limits := dict "amd.com/gpu" .Values.number }}\n', "")
    text = text.replace(
        "            nvidia.com/gpu: {{ .Values.number }}\n", "            cpu: 1\n"
    )
    (file,) = run(text, "templates/deployment.yaml").files
    assert (file.items, file.notes) == ((), ())


def test_a_label_of_a_node_is_no_amount() -> None:
    text = '{{ if .Values.a }}\nnodeSelector:\n  amd.com/gpu: "true"\n{{ end }}\n'
    (file,) = run(text, "templates/deployment.yaml").files
    assert file.items == ()


def test_ends_without_a_beginning() -> None:
    text = "{{ end }}{{ else }}{{ end }}\na: {{ b }}\n  nvidia.com/gpu: {{ c }}\n: : {{\n"
    (file,) = run(text, "templates/odd.yaml").files
    assert len(file.items) == 1


@pytest.mark.parametrize(
    "head",
    [
        (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n"
            "  source:\n    helm:\n      values: |\n"
        ),
        (
            "apiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: a}\nspec:\n"
            "    #\n    #\n      valuesContent: |\n"
        ),
    ],
)
def test_values_that_stand_as_a_text(head: str) -> None:
    text = head + "        resources:\n          limits: {nvidia.com/gpu: 2}\n"
    migration = run(text)
    item = only(migration)
    assert (item.outcome, item.where, item.before) == (
        Outcome.REJECTED,
        "the container",
        "nvidia.com/gpu: 2",
    )
    assert (item.span.line, item.span.column) == (9, 20)
    assert item.routes

"""Sources of Helm templates: uses found as text, and what else hangs on them."""

from __future__ import annotations

from dradsl.migrate.result import Outcome
from tests.migrate.runs import run

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


def test_uses_and_what_hangs_on_them() -> None:
    migration = run(TEMPLATE, "templates/deployment.yaml")
    (file,) = migration.files
    assert file.kind == "template"
    assert {item.outcome for item in file.items} == {Outcome.REFUSED}
    assert [(item.where, item.before) for item in file.items] == [
        ("line 22", 'amd.com/gpu in {{ $limits := dict "amd.com/gpu" .Values.number }}'),
        ("line 23", "nvidia.com/gpu: {{ .Values.number }}"),
    ]
    assert file.notes == (
        "runtimeClassName (line 8), affinity (line 10): only where nvidia.com/gpu is asked for; "
        "values that ask by a claim instead lose it",
    )


def test_a_template_that_asks_for_nothing_has_no_notes() -> None:
    text = TEMPLATE.replace('            {{- $limits := dict "amd.com/gpu" .Values.number }}\n', "")
    text = text.replace(
        "            nvidia.com/gpu: {{ .Values.number }}\n", "            cpu: 1\n"
    )
    (file,) = run(text, "templates/deployment.yaml").files
    assert file.items == file.notes == ()


def test_ends_without_a_beginning() -> None:
    text = "{{ end }}{{ else }}{{ end }}\na: {{ b }}\n  nvidia.com/gpu: {{ c }}\n: : {{\n"
    (file,) = run(text, "templates/odd.yaml").files
    assert len(file.items) == 1

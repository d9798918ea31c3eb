"""Helm templates: what is written outside of braces is judged, what an action can change is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from dradsl.cli.lint import command
from dradsl.lint.engine.run import lint_text
from dradsl.text.documents import load
from dradsl.tree.charts.plain_parts import plain_parts

if TYPE_CHECKING:
    from pathlib import Path

CLAIM = """\
{{- if .Values.gpu.enabled }}
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: {{ include "x.fullname" . }}-gpu
  labels:
    {{- include "x.labels" . | nindent 4 }}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: {{ .Values.gpu.class | default "gpu.nvidia.com" }}
          count: {{ .Values.gpu.count }}
          PLACE
{{- end }}
"""
SELECTOR = """selectors:
          - cel:
              expression: |-
                {}"""


def found(place: str, text: str = CLAIM) -> list[tuple[str, int]]:
    report = lint_text(text.replace("PLACE", place), "templates/claim.yaml")
    return [(each.code, each.span.line) for each in report.findings]


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("allocationMode: ExactCount", []),
        ("allocationMod: ExactCount", [("DRA005", 16)]),
        ("allocationMod: {{ .Values.mode }}", [("DRA005", 16)]),
        ("allocationMode: Exact", [("DRA305", 16)]),
        ("allocationMode: {{ .Values.mode }}", []),
        ("{{- toYaml .Values.more | nindent 10 }}", []),
        # In one branch, in the other one, in both.
        ("{{ if .Values.a }}\n          alocationMode: All\n          {{ else }}\n          count: 2\n          {{ end }}", [("DRA005", 17)]),
        ("{{ if .Values.a }}\n          adminAccess: true\n          {{ else }}\n          adminAcces: true\n          {{ end }}", [("DRA005", 19)]),
        (SELECTOR.format('device.attributes["gpu.nvidia.com"].architectur == "Hopper"'), [("DRA201", 19)]),
        (SELECTOR.format('device.attributes["gpu.nvidia.com"].architecture == "{{ .Values.arch }}"'), []),
        (SELECTOR.format('true &&\n{{ include "x.selector" . | indent 16 }}'), []),
        (SELECTOR.format('true\n{{- if .Values.more }}\n                && {{ .Values.more }}\n{{- end }}'), []),
        (SELECTOR.format('device.attributes["gpu.nvidia.com"].architectur == "Hopper"') + "\n          {{- if .Values.b }}\n          adminAcces: true\n          {{- end }}", [("DRA201", 19), ("DRA005", 21)]),
    ],
)  # fmt: skip
def test_what_is_found(place: str, expected: list[tuple[str, int]]) -> None:
    assert found(place) == expected


def test_a_version_that_depends_on_a_choice_is_not_judged() -> None:
    version = (
        '{{- if semverCompare ">=1.34-0" .Capabilities.KubeVersion.Version }}\napiVersion: resource.k8s.io/v1\n'
        "{{- else }}\napiVersion: resource.k8s.io/v1beta1\n{{- end }}"
    )
    text = CLAIM.replace("apiVersion: resource.k8s.io/v1", version)
    assert found("allocationMod: All", text) == []
    wrong = SELECTOR.format('device.attributes["gpu.nvidia.com"].architectur == "Hopper"')
    assert [code for code, _ in found(wrong, text)] == ["DRA201"]


def test_names_of_other_objects_are_not_looked_up() -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n"
        "  resourceClaims:\n  - name: gpu\n    resourceClaimTemplateName: not-here\n"
        "  containers:\n  - name: a\n    {{- toYaml .Values.container | nindent 4 }}\n"
    )
    assert found("", text) == []


def test_a_run_says_what_it_does_not_judge(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates/claim.yaml").write_text(CLAIM.replace("PLACE", "count: 1"))
    result = CliRunner().invoke(command, ["--isolated", str(tmp_path)])
    assert result.exit_code == 0
    assert "judged only outside of braces" in result.output
    assert result.output.endswith("Nothing found outside of the braces of 1 template\n")


@given(
    st.lists(
        st.sampled_from(
            ["{{ if .a }}", "{{- else }}", "{{ end }}", "{{- with .b -}}", "a: 1", "  ", "\n", "b: {{ .c }}",
             "{{ define \"x\" }}", "c: |-", "{{/* a }} b */}}", "{{ `a", "- ", "{{\n.x }}", "é"]
        ),
        max_size=30,
    )
)  # fmt: skip
def test_every_place_holds(pieces: list[str]) -> None:
    text = "".join(pieces)
    for parts in plain_parts(text):
        assert len(parts.text) == len(text)
        assert [*map(len, parts.text.split("\n"))] == [*map(len, text.split("\n"))]
        load(parts.text.encode())

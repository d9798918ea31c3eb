"""Helm templates: what the values of their chart make of simple actions is judged, as warnings, without Helm."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from hypothesis import given, settings, strategies as st

from dradsl.cli.lint import command
from dradsl.lint.engine.run import lint_text
from dradsl.tree.charts.go_template import parse
from dradsl.tree.charts.template_values import written_by

if TYPE_CHECKING:
    from pathlib import Path

CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata:
  name: {{ .Release.Name }}-gpu
spec:
  selectors:
  - cel:
      expression: PLACE
"""
ATTRIBUTES = 'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"]'
VALUES = {
    "gpu": {
        "on": True,
        "off": False,
        "wrong": f'{ATTRIBUTES}.architectur == "Hopper"',
        "right": f'{ATTRIBUTES}.architecture == "Hopper"',
        "name": "architectur",
        "empty": "",
        "sign": "<name>",
        "count": 2,
        "large": 10_000_000,
        "list": [{"cel": {"expression": "true"}}],
    }
}


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (".Values.gpu.name", "architectur"),
        ("$.Values.gpu.name", "architectur"),
        ('quote "x" .Values.gpu.name', None),
        (".Values.gpu.on | int", None),
        ('.Values.gpu.none | default 010', None),
        ("toYaml .Values.gpu.name", None),
        ("- .Values.gpu.name", None),  # `a:` and the value stand together
        ("- toYaml .Values.gpu.list | nindent 4", '\n    - cel:\n        expression: "true"'),
        (".Values.gpu.name | upper", "ARCHITECTUR"),
        (".Values.gpu.count", "2"),
        (".Values.gpu.on", "true"),
        (".Values.gpu.count | quote", '"2"'),
        ("quote .Values.gpu.name", '"architectur"'),
        ('.Values.gpu.name | default "x"', "architectur"),
        ('default "x" .Values.gpu.name', "architectur"),
        ('.Values.gpu.empty | default "x"', "x"),
        ('.Values.gpu.none | default "x" | quote', '"x"'),
        ('.Values.gpu.off | default 3', "3"),
        ('required "a name is needed" .Values.gpu.name', "architectur"),
        ("toYaml .Values.gpu.list | nindent 4", '\n    - cel:\n        expression: "true"'),
        # Not known, so not judged.
        (".Values.gpu.large", None),
        (".Values.gpu.empty", None),
        (".Values.gpu.sign", None),
        (".Values.gpu.none", None),
        (".Values.gpu.none.more", None),
        (".Values.gpu", None),
        (".Values.gpu.list", None),
        ("toYaml .Values.gpu.none | nindent 4", None),
        (".Values.gpu.name | b64enc", None),
        (".Values.gpu.name | default .Values.gpu.on", None),
        ("tpl .Values.gpu.name .", None),
        ('include "x" .', None),
        (".Release.Name", None),
        ("printf \"%s\" .Values.gpu.name", None),
        ("if .Values.gpu.name", None),
    ],
)  # fmt: skip
def test_what_an_action_writes(action: str, text: str | None) -> None:
    written = written_by(parse(f"a: {{{{{action}}}}}"), VALUES)
    assert [each.text for each in written.values()] == ([] if text is None else [text])


@pytest.mark.parametrize(
    ("template", "known"),
    [
        ("{{ if .Values.gpu.on }}{{ .Values.gpu.name }}{{ end }}", 1),
        ("{{ if .Values.gpu.off }}{{ .Values.gpu.name }}{{ end }}", 0),
        ("{{ if not .Values.gpu.off }}{{ .Values.gpu.name }}{{ end }}", 1),
        ("{{ if .Values.gpu.on }}{{ else }}{{ .Values.gpu.name }}{{ end }}", 0),
        ("{{ if .Values.gpu.off }}{{ else if .Values.gpu.on }}{{ .Values.gpu.name }}{{ else }}{{ .Values.gpu.name }}{{ end }}", 1),
        ('{{ if eq .Values.gpu.name "x" }}{{ .Values.gpu.name }}{{ else }}{{ .Values.gpu.name }}{{ end }}', 2),
        ("{{ with .Values.gpu }}{{ .Values.gpu.name }}{{ $.Values.gpu.name }}{{ end }}", 1),
        ("{{ range .Values.gpu.list }}{{ .Values.gpu.name }}{{ end }}", 0),
        ('{{ $_ := set .Values.gpu "name" "b" }}{{ .Values.gpu.name }}', 0),
        ('"{{- .Values.gpu.name -}}"', 1),
        ("{{ .Values.gpu.name -}} ", 0),
        ('{{ define "x" }}{{ .Values.gpu.name }}{{ end }}', 0),
    ],
)  # fmt: skip
def test_what_conditions_leave(template: str, known: int) -> None:
    assert len(written_by(parse(template), VALUES)) == known


def chart(folder: Path, place: str, values: str, text: str = CLASS) -> Path:
    (folder / "templates").mkdir(parents=True, exist_ok=True)
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: demo\nversion: 1.0.0\n")
    (folder / "values.yaml").write_text(values)
    (folder / "templates" / "class.yaml").write_text(text.replace("PLACE", place))
    return folder


def found(folder: Path, *options: str) -> list[str]:
    call = [str(folder), "--output-format", "concise", "--isolated", *options]
    lines = CliRunner().invoke(command, call).stdout.splitlines()
    return [
        line.partition("class.yaml:")[2]
        for line in lines
        if "class.yaml:" in line and ": info " not in line
    ]


@pytest.mark.parametrize(
    ("place", "values", "expected"),
    [
        ("{{ .Values.rule | quote }}", f"rule: |-\n  {ATTRIBUTES}.architectur == \"Hopper\"\n", "8:19: warning DRA201"),
        ("{{ .Values.rule | quote }}", f"rule: |-\n  {ATTRIBUTES}.architecture == \"Hopper\"\n", ""),
        (f"{ATTRIBUTES}.{{{{ .Values.name }}}} == \"x\"", "name: architectur\n", f"8:{20 + len(ATTRIBUTES)}: warning DRA201"),
        (f"{ATTRIBUTES}.{{{{ .Values.name }}}} == \"x\"", "name: architecture\n", ""),
        # What is outside of the braces is wrong whatever the values say.
        (f"{ATTRIBUTES}.architectur == {{{{ .Values.name | quote }}}}", "name: Hopper\n", ""),
        ("{{ .Values.rule }}", "rule: ''\n", ""),
    ],
)  # fmt: skip
def test_what_is_found(tmp_path: Path, place: str, values: str, expected: str) -> None:
    lines = found(chart(tmp_path, place, values))
    if expected:
        (line,) = lines
        assert line.startswith(expected)
        assert line.endswith("(with the values of the chart)")
    else:
        assert all("with the values" not in line for line in lines)


def test_values_of_the_run_go_before_the_disk(tmp_path: Path) -> None:
    folder = chart(
        tmp_path, "{{ .Values.rule | quote }}", f"rule: '{ATTRIBUTES}.architectur == \"Hopper\"'\n"
    )
    assert len(found(folder)) == 1
    (folder / "Chart.yaml").unlink()  # no chart, no values
    assert found(folder) == []


@pytest.mark.parametrize("pipes", ["", " | indent 3 | b64enc", " | indent 3 | trim | quote"])
def test_values_that_blow_a_template_up_are_not_put_in(tmp_path: Path, pipes: str) -> None:
    text = CLASS + f"# {{{{ .Values.long{pipes} }}}}\n" * 4000
    values = f"rule: '{ATTRIBUTES}.architectur == \"x\"'\nlong: {'x' * 500_000}\n"
    assert found(chart(tmp_path, "{{ .Values.rule | quote }}", values, text)) == []


def test_the_value_is_named(tmp_path: Path) -> None:
    folder = chart(
        tmp_path, "{{ .Values.rule | quote }}", f"a: 1\nrule: '{ATTRIBUTES}.architectur == \"x\"'\n"
    )
    said = CliRunner().invoke(command, [str(folder)]).stdout
    assert f"related: {folder}/values.yaml:2:7: rule" in said


LIST = """apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: x}
spec:
  spec:
    devices:
      requests:
        {{- toYaml .Values.requests | nindent 8 }}
"""


def test_lists_of_values(tmp_path: Path) -> None:
    values = """        requests:
        - name: gpu
          exactly: {deviceClassName: gpu.nvidia.com, allocationMod: All}
        """
    (line,) = found(chart(tmp_path, "", textwrap.dedent(values), LIST))
    assert 'DRA005 unknown field "allocationMod"' in line


def test_one_look_for_each_branch(tmp_path: Path) -> None:
    text = CLASS.replace(
        "PLACE",
        "|-\n        true &&\n{{- if .Capabilities.x }}\n        {{ .Values.a }}\n{{- else }}\n        {{ .Values.b }}\n{{- end }}",
    )
    values = "".join(f'{n}: device.attributes["gpu.nvidia.com"].{n * 3} == 1\n' for n in "ab")
    lines = found(chart(tmp_path, "", values, text))
    assert [('"aaa"' in line, '"bbb"' in line) for line in lines if "DRA201" in line] == [
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize(
    "values",
    [
        "rule: *none\n",
        f"rule: '{ATTRIBUTES}.architectur == \"x\"'\nrule: b\n",
        "- a\n",
        "\x00",
        "a: &a [*a]\n",
        "rule: &a [1]\nb: &b [*a, *a]\n",
        "rule: " + "[" * 2000,
        f"other: {'x' * 900_000}\n",
    ],
)
def test_values_that_cannot_be_read_end_nothing(tmp_path: Path, values: str) -> None:
    folder = chart(tmp_path, "{{ .Values.rule | quote }}", values)
    assert all("with the values" not in line for line in found(folder))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["{{", "}}", ".Values.gpu.name", "if ", "end", " | quote", "\n", "a: ", '"', "- "]), max_size=30).map("".join))  # fmt: skip
def test_no_template_breaks_it(text: str) -> None:
    written = written_by(parse(text), VALUES)
    assert all(each.text for each in written.values())
    lint_text(f"{CLASS}{text}", "templates/x.yaml")

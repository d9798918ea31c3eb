"""`dradsl lint --build-with`: what a program renders is judged, and said where the template wrote it."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = """\
apiVersion: v1
kind: Pod
metadata:
  name: {{ .Release.Name }}
spec:
  resourceClaims:
    - name: {{ .Values.claim }}
      resourceClaimTemplateName: one
  containers:
    - name: main
      image: x
      resources:
        claims:
          - name: gpu
"""
# As helm does it for this one chart.
HELM = """\
#!{python}
import json, sys
values = {{"claim": "gpu"}}
for before, word in zip(sys.argv, sys.argv[1:]):
    if before == "--values":
        values.update(json.load(open(word)))
text = open(sys.argv[-1] + "/templates/pod.yaml").read()
print("---\\n# Source: app/templates/pod.yaml")
print(text.replace("{{{{ .Release.Name }}}}", sys.argv[-2]).replace("{{{{ .Values.claim }}}}", values["claim"]))
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: tv, namespace: media}
spec:
  chart: {spec: {chart: ./app, sourceRef: {kind: GitRepository, name: x}}}
  values: {claim: card}
"""


@pytest.fixture
def helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "tree/app/Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n",
        "tree/app/templates/pod.yaml": TEMPLATE,
        "tree/release.yaml": RELEASE,
        "bin/helm": HELM.format(python=sys.executable),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "bin" / "helm").chmod(0o755)
    monkeypatch.chdir(tmp_path / "tree")
    return f"helm={tmp_path / 'bin' / 'helm'}"


def shown(*words: str) -> str:
    call = ["--isolated", "--ignore", "DRA410", *words, "."]
    return CliRunner().invoke(command, call, catch_exceptions=False).output


def found(*words: str) -> list[tuple[str, int, str, str]]:
    findings: list[dict[str, Any]] = json.loads(shown("--output-format", "json", *words))[
        "findings"
    ]
    return [(one["path"], one["line"], one["code"], one["message"]) for one in findings]


def test_without_the_option_no_chart_is_rendered(helm: str) -> None:
    assert found() == []


def test_what_a_release_makes_of_a_chart_is_judged(helm: str) -> None:
    """With its own values the chart is right."""
    ((path, line, code, message),) = found("--build-with", helm)
    assert (path, line, code) == ("app/templates/pod.yaml", 13, "DRA403")
    assert message.endswith("(rendered of HelmRelease tv)")


def test_what_was_rendered_is_said(helm: str, tmp_path: Path) -> None:
    """A folder of nothing but a chart is not empty where a program renders it."""
    (tmp_path / "tree" / "release.yaml").unlink()
    assert "Nothing found outside of the braces of 1 template" in shown()
    said = shown("--build-with", helm)
    assert "note: rendered and judged: 1 object; " in said
    assert "confined by the kernel" in said
    assert "outside of the braces of" not in said


def test_a_chart_that_is_wrong_by_itself(helm: str, tmp_path: Path) -> None:
    template = tmp_path / "tree" / "app" / "templates" / "pod.yaml"
    template.write_text(TEMPLATE.replace("- name: gpu", "- name: card"))
    ((_, line, code, message),) = found("--build-with", helm)
    assert (line, code) == (13, "DRA403")
    assert message.endswith("(rendered of chart app)")


def test_what_is_not_rendered_is_said(helm: str, tmp_path: Path) -> None:
    """It is unknown, not empty."""
    chart = tmp_path / "tree" / "app" / "Chart.yaml"
    chart.write_text(
        chart.read_text()
        + "dependencies: [{name: d, version: '1', repository: 'https://example.com'}]\n"
    )
    (tmp_path / "tree" / "release.yaml").unlink()
    assert found("--build-with", helm) == []
    assert "note: chart app was not rendered: d, which" in shown("--build-with", helm)


def test_values_that_are_not_known_render_nothing(helm: str, tmp_path: Path) -> None:
    release = tmp_path / "tree" / "release.yaml"
    release.write_text(RELEASE + "  valuesFrom: [{kind: Secret, name: hidden}]\n")
    assert found("--build-with", helm) == []
    assert "note: HelmRelease tv was not rendered" in shown("--build-with", helm)


@pytest.mark.parametrize("wrong", ["kpt", "helm=", "helm=missing"])
def test_a_program_that_is_none(wrong: str, helm: str) -> None:
    done = CliRunner().invoke(command, ["--isolated", "--build-with", wrong, "."])
    assert done.exit_code == 2
    assert "--build-with" in done.output


def test_no_configuration_names_a_program(helm: str, tmp_path: Path) -> None:
    (tmp_path / "tree" / ".dradsl.yaml").write_text(f"build-with: ['{helm}']\n")
    done = CliRunner().invoke(command, ["."])
    assert done.exit_code == 2
    assert "build-with" in done.output

"""Counts in the templates of charts among the files: a plain run writes the switch, and turns it on in releases."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from tests.lint.repositories import only_git_of_the_test
from tests.migrate.runs import data_of
from tests.migrate.test_chart_counts import FORMS, HEAD, PLAIN, VALUES, chart, resources

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

HELM = shutil.which("helm")
FLUX = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: a, namespace: ml}
spec:
  chart: {spec: {chart: ./app, sourceRef: {kind: GitRepository, name: x}}}
  values:
    gpu: {enabled: true, count: 3}
"""
ARGO_CD = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a, namespace: argocd}
spec:
  source:
    repoURL: https://git.example/x
    path: app
    helm:
      values: |
        gpu: {count: 3}
  destination: {server: https://x.example, namespace: ml}
"""
WRITE = ("--set", "chart-places=write")


@pytest.fixture(autouse=True)
def _top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_git_of_the_test(tmp_path, monkeypatch)
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)


def run(*options: str) -> Result:
    return CliRunner().invoke(command, [*options, "."])


def read(path: Path) -> Any:
    (data,) = data_of(path.read_bytes())
    return data


def test_it_is_asked(tmp_path: Path) -> None:
    chart(tmp_path, HEAD + PLAIN)
    result = run("--diff")
    assert result.exit_code == 1
    assert "chart-places, for" in result.output
    assert "deviceClaims" not in result.output


def test_the_release_turns_it_on(tmp_path: Path) -> None:
    folder = chart(tmp_path, HEAD + PLAIN, schema=True)
    (tmp_path / "release.yaml").write_text(FLUX)
    result = run("--write", "--force", *WRITE)
    assert result.exit_code == 1  # not rendered
    assert "translated by recipe, not rendered" in result.output
    assert "HelmRelease ml/a" in result.output
    assert read(tmp_path / "release.yaml")["spec"]["values"]["deviceClaims"] is True
    assert read(folder / "values.yaml")["deviceClaims"] is False
    assert "deviceClaims" in (folder / "values.schema.json").read_text()
    assert (folder / "templates" / "device-claims.yaml").exists()
    assert "if not $.Values.deviceClaims" in (folder / "templates" / "server.yaml").read_text()


def test_a_second_run_has_nothing_to_do(tmp_path: Path) -> None:
    chart(tmp_path, HEAD + PLAIN)
    (tmp_path / "release.yaml").write_text(FLUX)
    run("--write", "--force", *WRITE)
    again = run("--check", *WRITE)
    assert again.exit_code == 0, again.output
    assert "the values deviceClaims: true turn it off" in again.output


def test_another_release_is_turned_on_later(tmp_path: Path) -> None:
    chart(tmp_path, HEAD + PLAIN)
    (tmp_path / "release.yaml").write_text(FLUX)
    run("--write", "--force", *WRITE)
    other = tmp_path / "other.yaml"
    other.write_text(FLUX.replace("name: a", "name: b"))
    assert "chart-places, for" in run("--diff").output
    result = run("--write", "--force", *WRITE)
    assert "deviceClaims: true in HelmRelease ml/b\n" in result.output
    assert read(other)["spec"]["values"]["deviceClaims"] is True


def test_without_a_release_the_chart_turns_it_on(tmp_path: Path) -> None:
    folder = chart(tmp_path, HEAD + PLAIN)
    result = run("--write", "--force", *WRITE)
    assert "deviceClaims: true in values.yaml" in result.output
    assert read(folder / "values.yaml")["deviceClaims"] is True


def test_values_as_a_text_keep_their_text(tmp_path: Path) -> None:
    chart(tmp_path, HEAD + PLAIN)
    (tmp_path / "release.yaml").write_text(ARGO_CD)
    run("--write", "--force", *WRITE)
    helm = read(tmp_path / "release.yaml")["spec"]["source"]["helm"]
    assert helm == {
        "values": "gpu: {count: 3}\n",
        "parameters": [{"name": "deviceClaims", "value": "true"}],
    }


def test_values_as_an_object_get_the_key(tmp_path: Path) -> None:
    chart(tmp_path, HEAD + PLAIN)
    text = ARGO_CD.replace("values: |\n        gpu", "valuesObject:\n        gpu")
    (tmp_path / "release.yaml").write_text(text)
    run("--write", "--force", *WRITE)
    helm = read(tmp_path / "release.yaml")["spec"]["source"]["helm"]
    assert helm == {"valuesObject": {"gpu": {"count": 3}, "deviceClaims": True}}


def test_sets_of_applications_are_releases(tmp_path: Path) -> None:
    chart(tmp_path, HEAD + PLAIN)
    (tmp_path / "release.yaml").write_text(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n"
        "  template:\n    spec:\n      source: {repoURL: x, path: app}\n"
    )
    run("--write", "--force", *WRITE)
    source = read(tmp_path / "release.yaml")["spec"]["template"]["spec"]["source"]
    assert source["helm"] == {"valuesObject": {"deviceClaims": True}}


@pytest.mark.parametrize(
    ("files", "question"),
    [
        # Everything in the run that says what a count is holds for templates as for objects.
        (
            {"policy.yaml": "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: p}\n"
             "spec: {mig: {strategy: single}, devicePlugin: {enabled: true}}\n"},
            "mig-profile",
        ),
        ({"release.yaml": FLUX + "    note: time-slicing\n"}, "sharing"),
    ],
)  # fmt: skip
def test_evidence_asks_first(tmp_path: Path, files: dict[str, str], question: str) -> None:
    chart(tmp_path, HEAD + PLAIN)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    result = run("--diff", *WRITE)
    assert f"{question}, for" in result.output
    assert "deviceClaims: " not in result.output


def test_labels_of_parts_are_not_guessed(tmp_path: Path) -> None:
    chart(tmp_path, HEAD + PLAIN)
    text = FLUX + "    nodeSelector: {nvidia.com/mig.config: all-1g.5gb}\n"
    (tmp_path / "release.yaml").write_text(text)
    result = run("--diff", *WRITE)
    assert "what the count means depends on that" in result.output
    assert "+    deviceClaims" not in result.output


def test_answers_for_one_release_do_not_hold_for_the_chart(tmp_path: Path) -> None:
    chart(tmp_path, HEAD + PLAIN)
    (tmp_path / "release.yaml").write_text(FLUX)
    (tmp_path.parent / "answers.yaml").write_text(
        'answers: {chart-places: write}\nworkloads:\n- workload: "HelmRelease ml/a"\n  mig-profile: 1g.10gb\n'
    )
    result = run("--diff", "--answers", str(tmp_path.parent / "answers.yaml"))
    assert "the answers for HelmRelease ml/a differ" in result.output
    assert "+    deviceClaims" not in result.output


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.skipif(HELM is None, reason="Helm is not installed")
def test_helm_proves_it(tmp_path: Path, form: str) -> None:
    text, _ = FORMS[form]
    chart(tmp_path, HEAD + text, schema=True)
    (tmp_path / "release.yaml").write_text(FLUX)
    result = run("--diff", *WRITE, "--build-with", f"helm={HELM}")
    assert "rendered before and after" in result.output, result.output
    assert "fault:" not in result.output
    if form == "sidecar":
        return
    assert "translated, proven" in result.output
    # Of the branches of a condition one is rendered.
    assert result.exit_code == (1 if form == "else" else 0), result.output


@pytest.mark.skipif(HELM is None, reason="Helm is not installed")
def test_a_fault_takes_the_switch_back(tmp_path: Path) -> None:
    """A node label asks for more than the count: the claim of the chart would be too wide."""
    head = HEAD.replace(
        "      containers:\n",
        "      nodeSelector: {nvidia.com/mig{{ .Values.dot }}config: all-1g.5gb}\n      containers:\n",
    )
    chart(tmp_path, head + PLAIN, VALUES + "dot: .\n")
    (tmp_path / "release.yaml").write_text(FLUX)
    result = run("--diff", *WRITE, "--build-with", f"helm={HELM}")
    assert result.exit_code == 1
    assert "0 translated, 1 rejected, 0 left" in result.output
    assert "+    deviceClaims" not in result.output


def test_counts_that_cannot_be_said_keep_the_reason(tmp_path: Path) -> None:
    chart(
        tmp_path,
        HEAD + resources("limits:", "  {{- range .Values.many }}", "  nvidia.com/gpu: 1", "  {{- end }}"),
    )  # fmt: skip
    result = run("--diff", *WRITE)
    assert "the count stays: it is in {{ range }}" in result.output


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
# Renders the file `on` if the values turn the switch on, and `off` in a chart that has one; RELEASE is the release's name.
FAKE_HELM = """\
#!{python}
import pathlib, sys
on = any("deviceClaims" in pathlib.Path(w).read_text() for w in sys.argv if w.endswith(".json"))
new = pathlib.Path(sys.argv[-1], "templates", "device-claims.yaml").exists()
text = pathlib.Path({folder!r}, "on" if on else "off" if new else "before").read_text()
print(text.replace("RELEASE", sys.argv[-2]))
"""


@pytest.mark.parametrize(
    ("side", "old", "new", "fault"),
    [
        ("on", "", "", None),
        ("on", "count: 2", "count: 1", "Pod p would differ at"),
        ("on", "cpu: 1", "cpu: 2", "Pod p would differ at"),
        ("on", "request: gpu}]", "request: g}]", "Pod p would differ at"),
        ("on", "Name: RELEASE-t", "Name: u", "Pod p names"),
        ("on", "{cpu: 1}", "{cpu: 1, nvidia.com/gpu: 2}", "Pod p would differ at"),
        ("on", "gpu.nvidia.com", "mig.nvidia.com", "Pod p would differ at"),
        ("on", "{name: p}", "{name: q}", "Pod p is not there any more"),
        ("off", "cpu: 1", "cpu: 2", "without the switch something else is rendered"),
    ],
)
def test_the_comparison_sees_what_differs(
    tmp_path: Path, side: str, old: str, new: str, fault: str | None
) -> None:
    """With a Helm that renders what this test says."""
    chart(tmp_path, HEAD + PLAIN)
    (tmp_path / "release.yaml").write_text(FLUX)
    texts = {"before": POD, "off": POD, "on": CLAIMED}
    texts[side] = texts[side].replace(old, new) if old else texts[side]
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    program = tmp_path / "helm"
    program.write_text(FAKE_HELM.format(python=sys.executable, folder=str(tmp_path)))
    program.chmod(0o755)
    result = run("--diff", *WRITE, "--build-with", f"helm={program}")
    if fault is None:
        assert "translated, proven" in result.output, result.output
    else:
        assert fault in result.output
        assert "+    deviceClaims" not in result.output


def _choose_first(path: Path) -> None:
    """Take the first choice of each question in an answers file."""
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        if "before one answer" in line:
            lines[number + 1] = lines[number + 1].replace("# ", "", 1)
    path.write_text("\n".join(lines) + "\n")


def test_one_round_of_answers_is_enough_for_devices_to_be_confirmed(tmp_path: Path) -> None:
    """The class of EFA is to be vouched for, and the switch to be allowed: both questions have a choice in one file."""
    text = HEAD + resources(
        "limits:", "  nvidia.com/gpu: 8", "  vpc.amazonaws.com/efa: {{ .Values.efas }}"
    )
    chart(tmp_path, text, "efas: 4\n")
    run("--questions", "answers.yaml")
    questions = (tmp_path / "answers.yaml").read_text()
    assert "# accept: vpc.amazonaws.com/efa" in questions
    assert "# chart-places: write" in questions
    _choose_first(tmp_path / "answers.yaml")
    result = run("--answers", "answers.yaml", "--diff")
    assert "2 uses: 2 translated" in result.output
    assert "Open questions" not in result.output
    # What the values say is known when the chart is rendered.
    assert "a claim holds at most 32 devices" in result.output


def test_an_answer_for_templates_is_enough_beside_values_that_stay(tmp_path: Path) -> None:
    """Values that a template writes in two ways stay, for that reason, and do not keep a question open that is answered."""
    text = HEAD + PLAIN
    chart(
        tmp_path,
        text,
        "gpu: {count: 1}\nown: {limits: {nvidia.com/gpu: 1}}\nother: {limits: {amd.com/gpu: 1}}\n",
    )
    other = HEAD.replace("-server", "-two") + (
        "        - name: m\n          image: i\n          resources:\n            {{- if .Values.amd }}\n"
        "            {{- toYaml .Values.other | nindent 12 }}\n            {{- else }}\n"
        "            {{- toYaml .Values.own | nindent 12 }}\n            {{- end }}\n"
    )
    (tmp_path / "app" / "templates" / "two.yaml").write_text(other)
    run("--questions", "answers.yaml")
    _choose_first(tmp_path / "answers.yaml")
    result = run("--answers", "answers.yaml", "--diff")
    assert "Open questions" not in result.output
    assert "1 translated" in result.output
    assert (
        "because the count stays: the template writes these resources in two ways" in result.output
    )
    for name in ("own", "other"):
        assert f"values, value {name}," in result.output

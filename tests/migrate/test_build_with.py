"""`dradsl migrate --build-with`: what programs render of both sides is compared, and proves values or rejects them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from dradsl.migrate.overlays.compare import Expected, problem_of, specs_of
from tests.migrate.runs import HERE

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

TEMPLATE = """\
{{- $gpu := .Values.ollama.gpu }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec:
      {{- if and $gpu.enabled $gpu.draEnabled }}
      resourceClaims:
      - name: own
        resourceClaimTemplateName: {{ $gpu.draExistingClaimTemplate }}
      {{- end }}
      containers:
      - name: server
        image: x:1
        {{- if $gpu.enabled }}
        resources:
          {{- if $gpu.draEnabled }}
          claims: [{name: own}]
          {{- else }}
          limits:
            {{ $gpu.nvidiaResource | default "nvidia.com/gpu" }}: {{ $gpu.number }}
          {{- end }}
        {{- end }}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {gpu: "on"}
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: tv, namespace: media}
spec:
  chart: {spec: {chart: ./ollama, sourceRef: {kind: GitRepository, name: x}}}
  values:
    ollama:
      gpu:
        enabled: true
        number: 2
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: tv, namespace: argocd}
spec:
  destination: {namespace: media, server: here}
  source:
    repoURL: https://example.com/x.git
    path: ollama
    helm:
      values: |
        ollama:
          gpu:
            enabled: true
            number: 2
"""
# As helm does it for this one chart. What WRONG names goes wrong where there are claims.
HELM = """\
#!{python}
import json, sys
words = sys.argv
values = {{"number": 1}}
for line in open(words[-1] + "/values.yaml"):
    key, _, value = line.strip().partition(": ")
    if value:
        values[key] = value
for before, word in zip(words, words[1:]):
    if before == "--values":
        given = json.load(open(word))
        values.update(given.get("ollama", {{"gpu": given}})["gpu"])
wrong = open({wrong!r}).read()
claims = "draEnabled" in values
if claims and wrong == "fails":
    sys.exit("no such value")
if claims and wrong == "ignores":
    claims = False
pod = {{"containers": [{{"name": "server", "image": "x:1"}}]}}
if claims:
    name = values["draExistingClaimTemplate"] + ("x" if wrong == "other template" else "")
    pod["resourceClaims"] = [{{"name": "own", "resourceClaimTemplateName": name}}]
    pod["containers"][0]["resources"] = {{"claims": [{{"name": "own"}}]}}
    if "both" in values:
        pod["containers"][0]["resources"]["limits"] = {{"nvidia.com/gpu": 1}}
    if wrong == "no claim":
        del pod["containers"][0]["resources"]
    if wrong == "image":
        pod["containers"][0]["image"] = "x:2"
else:
    pod["containers"][0]["resources"] = {{"limits": {{"nvidia.com/gpu": int(values["number"])}}}}
labels = {{"app": "x"}}
objects = [{{
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {{"name": words[-2]}},
    "spec": {{"selector": {{"matchLabels": labels}}, "template": {{"metadata": {{"labels": labels}}, "spec": pod}}}},
}}]
if not (claims and wrong == "gone") and "devicePlugin" not in values:
    objects.append({{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "settings"}}}})
if wrong == "checksum":
    objects[0]["spec"]["template"]["metadata"]["annotations"] = {{"checksum/config": str(claims)}}
print("\\n---\\n".join(map(json.dumps, objects)))
"""
OWN_POD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  template:
    spec:
      containers:
      - name: server
        resources:
          {{- toYaml .Values.resources | nindent 10 }}
"""
VALUES = "ollama:\n  gpu:\n    enabled: true\n    number: 3\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tree"
    for name, text in {
        "ollama/Chart.yaml": "apiVersion: v2\nname: ollama\nversion: 9.9.9\n",
        "ollama/values.yaml": "",
        "ollama/templates/deployment.yaml": TEMPLATE,
        "release.yaml": RELEASE,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "wrong").write_text("")
    program = tmp_path / "helm"
    program.write_text(HELM.format(python=sys.executable, wrong=str(tmp_path / "wrong")))
    program.chmod(0o755)
    monkeypatch.chdir(folder)
    return folder


def call(*words: str) -> Result:
    return CliRunner().invoke(command, [*words], catch_exceptions=False)


def with_helm(tree: Path, *words: str) -> Result:
    return call(*words, "--build-with", f"helm={tree.parent / 'helm'}")


def real(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    return f"{name}={program}"


def test_without_the_option_nothing_is_proven(tree: Path) -> None:
    done = call("--scan", "release.yaml")
    assert done.exit_code == 1
    assert "translated by recipe, not rendered" in done.output


@pytest.mark.parametrize("text", [RELEASE, APPLICATION], ids=["Flux", "Argo CD"])
def test_a_release_of_a_chart_in_the_tree_is_proven(tree: Path, text: str) -> None:
    (tree / "release.yaml").write_text(text)
    done = with_helm(tree, "--write", "release.yaml")
    assert "nvidia.com/gpu: 2: translated, proven" in done.output
    assert "proof: rendered before and after (" in done.output
    assert "not rendered" not in done.output
    assert done.exit_code == 0
    assert "draEnabled: true" in (tree / "release.yaml").read_text()


def test_the_report_says_how_programs_were_confined(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the kernel did it, and as on systems where it cannot."""
    from dradsl.tree.rendering import programs

    (tree / "ollama" / "templates" / "deployment.yaml").write_text(OWN_POD)
    words, what = ["--scan", "release.yaml"], "checked: the programs of --build-with were"
    confined = f"{what} confined by the kernel: without a network"
    assert (confined in with_helm(tree, *words).output) == _can_confine(tree)
    monkeypatch.setattr(programs, "_confining", lambda _: ())
    assert f"{what} not confined by the kernel\n" in with_helm(tree, *words).output


def _can_confine(tree: Path) -> bool:
    """What the start of a confined program itself says, here."""
    from dradsl import confinement

    words = [sys.executable, "-I", "-S", confinement.__file__, str(tree.parent), "/bin/true"]
    done = subprocess.run(words, capture_output=True, check=True)
    first = done.stderr.partition(b"\n")[0].removeprefix(confinement.HEAD)
    return confinement.NETWORK in first.decode().split()


def test_with_slices_what_is_rendered_is_placed(tree: Path) -> None:
    """In the namespace of the release, where the claim template stands too."""
    done = with_helm(tree, "--scan", "release.yaml", "--slices", str(HERE / "fleet.yaml"))
    assert "Deployment media/tv: gets 2 devices of gpu.nvidia.com" in done.output
    assert "translated, proven" in done.output


@pytest.mark.parametrize("name", ["values.yaml", "values-big.yaml"])
def test_values_beside_a_chart_are_proven(tree: Path, name: str) -> None:
    path = tree / "ollama" / name
    path.write_text(VALUES)
    done = with_helm(tree, "--write", f"ollama/{name}")
    assert "nvidia.com/gpu: 3: translated, proven" in done.output
    assert done.exit_code == 0
    assert "draEnabled: true" in path.read_text()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("fails", "after the migration it is not rendered"),
        ("ignores", "Deployment tv still asks for nvidia.com/gpu"),
        ("other template", "which is not there"),
        ("no claim", "Deployment tv would differ at spec.template.spec"),
        ("image", "would differ at spec.template.spec.containers[0].image"),
        ("gone", "ConfigMap settings is not there any more"),
    ],
)
def test_what_is_rendered_otherwise_is_a_fault(tree: Path, wrong: str, said: str) -> None:
    (tree.parent / "wrong").write_text(wrong)
    done = with_helm(tree, "--write", "release.yaml")
    assert "fault: HelmRelease tv" in done.output
    assert said in done.output
    assert done.exit_code == 1
    assert (tree / "release.yaml").read_text() == RELEASE
    assert not (tree / "release.claims.yaml").exists()


def test_a_release_that_brings_the_request_back_is_a_fault(tree: Path) -> None:
    """The chart's own values get claims, and a release on top of them asks by its own."""
    (tree / "ollama" / "values.yaml").write_text(VALUES)
    own = RELEASE.replace("enabled: true", "both: true").replace("        number: 2\n", "")
    (tree / "release.yaml").write_text(own)
    done = with_helm(tree, "--write", "ollama/values.yaml", "release.yaml")
    assert (
        "fault: HelmRelease tv, rendered: Deployment tv still asks for nvidia.com/gpu"
        in done.output
    )
    assert done.exit_code == 1
    assert (tree / "ollama" / "values.yaml").read_text() == VALUES


def test_what_was_not_rendered_stays_by_recipe(tree: Path) -> None:
    (tree.parent / "helm").write_text("#!/bin/sh\necho 'Error: no' >&2\nexit 1\n")
    done = with_helm(tree, "--scan", "release.yaml")
    assert done.exit_code == 1
    assert "translated by recipe, not rendered" in done.output
    assert "checked: HelmRelease tv is not rendered: helm rejects it: Error: no" in done.output


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a: [",
        "- 1",
        "kind: 3",
        "{apiVersion: v1, kind: Pod, metadata: 3, spec: {containers: 3, resourceClaims: 1}}",
        "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [1, {resources: {claims: [1]}}], resourceClaims: [1, {name: {}}]}}",
        "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: [a]}, spec: {spec: {devices: 1}}}",
    ],
)
def test_what_no_chart_renders_is_no_proof(tree: Path, text: str) -> None:
    (tree.parent / "helm").write_text(f"#!/bin/sh\necho '{text}'\n")
    done = with_helm(tree, "--scan", "release.yaml")
    assert done.exit_code == 1
    assert "translated by recipe, not rendered" in done.output
    assert "failed" not in done.output


def test_what_may_differ_each_time_is_no_fault_and_no_proof(tree: Path) -> None:
    (tree.parent / "wrong").write_text("checksum")
    done = with_helm(tree, "--scan", "release.yaml")
    assert "translated by recipe, not rendered" in done.output
    assert "holds what may differ each time" in done.output
    assert "fault:" not in done.output


def test_values_that_are_not_known_prove_nothing(tree: Path) -> None:
    text = RELEASE.replace("  values:", "  valuesFrom: [{kind: Secret, name: other}]\n  values:")
    (tree / "release.yaml").write_text(text)
    done = with_helm(tree, "--scan", "release.yaml")
    assert "not all of its values are known" in done.output
    assert "translated by recipe, not rendered" in done.output


def test_answers_for_the_values_hold_for_what_they_render(tree: Path) -> None:
    shared = (
        RELEASE.replace("number: 2", "number: 1")
        + "        nvidiaResource: nvidia.com/gpu.shared\n"
    )
    (tree / "release.yaml").write_text(shared)
    (tree.parent / "helm").write_text(
        (tree.parent / "helm").read_text().replace('"nvidia.com/gpu"', 'values["nvidiaResource"]')
    )
    answers = "version: 1\nworkloads:\n- {workload: 'values of HelmRelease*', sharing: consumable-shares}\n"
    (tree / "answers.yaml").write_text(answers)
    done = with_helm(tree, "--write", "release.yaml", "--answers", "answers.yaml")
    assert "nvidia.com/gpu.shared: 1: translated, proven" in done.output
    assert done.exit_code == 0


def test_a_release_in_a_kustomization_is_rendered_as_it_is_built(tree: Path) -> None:
    (tree / "kustomization.yaml").write_text("resources: [release.yaml]\nnameSuffix: -a\n")
    done = with_helm(tree, "--write", "release.yaml", "kustomization.yaml")
    assert "translated, proven" in done.output
    assert "HelmRelease tv-a" in done.output
    assert done.exit_code == 0


def test_a_fault_in_a_kustomization_holds_for_all_that_is_built_with_it(tree: Path) -> None:
    other = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    image: x:1\n"
    other += "    resources: {limits: {nvidia.com/gpu: 1}}\n"
    (tree / "pod.yaml").write_text(other)
    (tree / "kustomization.yaml").write_text("resources: [release.yaml, pod.yaml]\n")
    (tree.parent / "wrong").write_text("ignores")
    done = with_helm(tree, "--write", "release.yaml", "kustomization.yaml", "pod.yaml")
    assert done.exit_code == 1
    assert (tree / "release.yaml").read_text() == RELEASE
    assert (tree / "pod.yaml").read_text() == other


def test_kustomize_agrees_or_nothing_is_written(tree: Path) -> None:
    """A program that builds something else than we do."""
    (tree / "kustomization.yaml").write_text("resources: [release.yaml]\n")
    program = tree.parent / "kustomize"
    program.write_text("#!/bin/sh\necho '{\"apiVersion\": v1, kind: Pod, metadata: {name: x}}'\n")
    program.chmod(0o755)
    words = ("--write", "release.yaml", "kustomization.yaml")
    done = call(*words, "--build-with", f"kustomize={program}")
    assert "fault: .: Kustomize builds" in done.output
    assert done.exit_code == 1
    assert (tree / "release.yaml").read_text() == RELEASE


def test_kustomize_that_rejects_is_told(tree: Path) -> None:
    (tree / "kustomization.yaml").write_text("resources: [release.yaml]\n")
    program = tree.parent / "kustomize"
    program.write_text("#!/bin/sh\necho no >&2\nexit 1\n")
    program.chmod(0o755)
    words = ("--scan", "release.yaml", "kustomization.yaml")
    done = call(*words, "--build-with", f"kustomize={program}")
    assert "checked: . is not built by Kustomize: kustomize rejects it: no" in done.output
    assert "fault:" not in done.output


def test_a_program_that_is_not_there_is_told(tree: Path) -> None:
    done = call("--scan", "release.yaml", "--build-with", "helm=nowhere")
    assert done.exit_code == 2
    assert "--build-with" in done.output


@pytest.mark.parametrize(
    "words",
    [
        ("--post-render",),
        ("--set", "form=kustomize", "--output", "k"),
        ("--set", "form=flux", "--output", "f"),
    ],
)
def test_where_nothing_can_be_rendered_the_option_is_rejected(
    tree: Path, words: tuple[str, ...]
) -> None:
    done = with_helm(tree, *words, "release.yaml")
    assert done.exit_code == 2
    assert "--build-with and" in done.output


def _pod(name: str, *claims: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "spec": {
            "resourceClaims": [{"name": "own", "resourceClaimTemplateName": name}],
            "containers": [
                {
                    "name": "c",
                    "resources": {"claims": [{"name": "own", "request": r} for r in claims]},
                }
            ],
        },
    }


def _template(name: str, **requests: str) -> dict[str, Any]:
    asked = [{"name": k, "exactly": {"deviceClassName": v}} for k, v in requests.items()]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name},
        "spec": {"spec": {"devices": {"requests": asked}}},
    }


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        (_template("t", one="gpu.nvidia.com", two="gpu.amd.com"), False),
        (_template("t", two="gpu.amd.com", one="gpu.nvidia.com"), False),
        (_template("t", one="gpu.nvidia.com", two="gpu.nvidia.com"), True),
        (_template("t", one="gpu.nvidia.com", two="gpu.amd.com", three="gpu.amd.com"), True),
    ],
    ids=["other names", "another order", "another class", "one more"],
)
def test_claims_count_for_what_they_ask_for(written: dict[str, Any], wrong: bool) -> None:
    planned = _template("p", b="gpu.amd.com", a="gpu.nvidia.com")
    expected = Expected(_pod("p", "b", "a"), (planned,))
    found = problem_of({}, _pod("t", "one", "two"), expected, specs_of([written], None))
    assert (found is not None) is wrong


@pytest.mark.parametrize(("left", "wrong"), [([{"key": "x"}], False), ([], True)])
def test_tolerations_that_values_cannot_say(left: list[object], wrong: bool) -> None:
    """They stay as they were, or are as planned."""
    planned, found, before = _pod("p", "a"), _pod("t", "a"), _pod("b", "a")
    planned["spec"] = {**planned["spec"], "tolerations": [{"key": "x"}, {"key": "gpu"}]}
    found["spec"] = {**found["spec"], "tolerations": left}
    before["spec"] = {**before["spec"], "tolerations": [{"key": "x"}]}
    template = _template("t", a="gpu.nvidia.com")
    expected = Expected(planned, (_template("p", a="gpu.nvidia.com"),))
    assert (problem_of(before, found, expected, specs_of([template], None)) is not None) is wrong


def test_a_template_of_another_namespace_is_not_there() -> None:
    template = _template("t", one="gpu.nvidia.com")
    template["metadata"] = {"name": "t", "namespace": "other"}
    assert specs_of([template], "media") == {}
    assert specs_of([template], "other")


@pytest.mark.parametrize("text", [RELEASE, APPLICATION], ids=["Flux", "Argo CD"])
def test_the_real_helm_says_the_same(tree: Path, text: str) -> None:
    program = real("helm")
    (tree / "ollama" / "values.yaml").write_text("ollama: {gpu: {enabled: false}}\n")
    (tree / "release.yaml").write_text(text)
    done = call("--write", "release.yaml", "--build-with", program)
    assert "translated, proven" in done.output
    assert done.exit_code == 0


def test_the_real_kustomize_says_the_same(tree: Path) -> None:
    program = real("kustomize")
    base = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  selector: {matchLabels: {app: x}}\n"
    base += "  template:\n    metadata: {labels: {app: x}}\n    spec:\n      containers:\n      - name: c\n        image: x:1\n"
    patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  template:\n    spec:\n"
    patch += (
        "      containers:\n      - name: c\n        resources: {limits: {nvidia.com/gpu: 1}}\n"
    )
    for name, written in {
        "base/kustomization.yaml": "resources: [d.yaml]\n",
        "base/d.yaml": base,
        "over/kustomization.yaml": "resources: [../base]\npatches: [{path: p.yaml}]\nnamePrefix: a-\n",
        "over/p.yaml": patch,
    }.items():
        path = tree / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(written)
    done = call("--write", "base", "over", "--build-with", program)
    assert "proof: Kustomize builds the same before and after (over)" in done.output
    assert done.exit_code == 0
    assert "nvidia.com/gpu" not in (tree / "over" / "p.yaml").read_text()


@pytest.mark.skipif(
    not (shutil.which("helm") and shutil.which("kustomize")),
    reason="helm or kustomize is not installed",
)
def test_charts_of_a_kustomization_are_in_the_proof(tree: Path) -> None:
    """They are built as well, from the charts of the tree."""
    files = {
        "overlay/kustomization.yaml": "resources: [pod.yaml]\nhelmCharts: [{name: c, releaseName: r}]\n",
        "overlay/pod.yaml": (
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    image: x:1\n"
            "    resources: {limits: {nvidia.com/gpu: 1}}\n"
        ),
        "overlay/charts/c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
        "overlay/charts/c/values.yaml": "a: 1\n",
        "overlay/charts/c/templates/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n",
    }
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    done = call("--write", "overlay", "--build-with", "helm", "--build-with", "kustomize")
    assert "proof: Kustomize builds the same before and after" in done.output
    assert "resourceClaims" in (tree / "overlay" / "pod.yaml").read_text()

"""Values of releases whose chart is in the tree, and charts that depend on others: their templates decide."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from tests.lint.repositories import only_git_of_the_test
from tests.migrate.runs import data_of
from tests.migrate.test_chart_places import CHART, PLACE, TEMPLATE

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

HELM = shutil.which("helm")
OWN_PLACE = TEMPLATE.replace("      containers:\n", PLACE)
FLUX = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: a, namespace: ml}
spec:
  chart: {spec: {chart: ./charts/c, sourceRef: {kind: GitRepository, name: x}}}
  values:
    gpu: {resources: {limits: {nvidia.com/gpu: 2}}}
"""
ARGO_CD = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a, namespace: argocd}
spec:
  source:
    repoURL: https://git.example/x
    path: charts/c
    helm:
      values: |
        gpu: {resources: {limits: {nvidia.com/gpu: 2}}}
  destination: {server: https://x.example, namespace: ml}
"""
UMBRELLA = """\
apiVersion: v2
name: umbrella
version: 1.0.0
dependencies:
- {name: server, alias: one, version: 1.0.0, repository: "file://../charts/c"}
- {name: gone, version: 1.0.0, repository: "https://charts.example"}
"""
ASKING = "{0}:\n  gpu: {{resources: {{limits: {{nvidia.com/gpu: 2}}}}}}\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    only_git_of_the_test(tmp_path, monkeypatch)
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    write(tmp_path, "charts/c/Chart.yaml", CHART)
    write(tmp_path, "charts/c/values.yaml", "gpu: {resources: {}}\n")
    write(tmp_path, "charts/c/templates/deployment.yaml", OWN_PLACE)
    return tmp_path


def write(tree: Path, name: str, text: str) -> None:
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(text)


def run(*words: str) -> Result:
    return CliRunner().invoke(command, [*words])


@pytest.mark.parametrize("release", [FLUX, ARGO_CD])
@pytest.mark.parametrize("given", ["apps", "."])
def test_values_of_a_release_get_claims(tree: Path, release: str, given: str) -> None:
    """The chart is read where it stands, also outside of the folder that was given."""
    write(tree, "apps/a.yaml", release)
    result = run("--write", "--force", given)
    assert "translated by recipe, not rendered" in result.output
    assert "charts/c/templates/deployment.yaml takes the claims" in result.output
    _, template = data_of((tree / "apps/a.yaml").read_bytes())
    assert template["metadata"]["namespace"] == "ml"
    assert "gpu.resources" not in template["metadata"]["name"]


@pytest.mark.skipif(HELM is None, reason="Helm is not installed")
def test_helm_proves_it(tree: Path) -> None:
    write(tree, "apps/a.yaml", FLUX)
    result = run("--diff", "--build-with", f"helm={HELM}", "apps")
    assert "translated, proven" in result.output
    assert result.exit_code == 0


@pytest.mark.skipif(HELM is None, reason="Helm is not installed")
def test_releases_of_one_file_are_all_rendered(tree: Path) -> None:
    """The claim template of the first one moves the second one."""
    other = ARGO_CD.replace("name: a,", "name: b,")
    write(tree, "apps/a.yaml", f"{FLUX}---\n{other}")
    result = run("--diff", "--build-with", f"helm={HELM}", "apps")
    assert result.output.count("translated, proven") == 2


@pytest.mark.parametrize("release", [FLUX, ARGO_CD])
def test_the_switch_is_written_for_a_release(tree: Path, release: str) -> None:
    write(tree, "apps/a.yaml", release)
    write(tree, "charts/c/templates/deployment.yaml", TEMPLATE)
    assert "chart-places, for" in run("--scan", ".").output
    result = run("--write", "--force", "--set", "chart-places=write", ".")
    assert "1 translated" in result.output
    assert "deviceClaims" in (tree / "apps/a.yaml").read_text()
    assert "nvidia.com/gpu" in (tree / "apps/a.yaml").read_text()
    assert (tree / "charts/c/values.yaml").read_text().endswith("deviceClaims: false\n")
    assert run("--check", "--set", "chart-places=write", ".").exit_code == 0


def test_no_place_is_written_outside_of_what_was_given(tree: Path) -> None:
    write(tree, "apps/a.yaml", FLUX)
    write(tree, "charts/c/templates/deployment.yaml", TEMPLATE)
    result = run("--diff", "--set", "chart-places=write", "apps")
    assert "the pod has no place for claims" in result.output
    assert "chart-places, for" not in result.output


def test_what_chart_and_release_both_ask_becomes_one_claim(tree: Path) -> None:
    """Helm merges the mappings, and the templates count what comes out."""
    write(tree, "apps/a.yaml", FLUX)
    write(tree, "charts/c/values.yaml", "gpu: {resources: {limits: {nvidia.com/gpu: 1}}}\n")
    assert "2 rejected (2 until a question is answered)" in run("--diff", ".").output
    result = run("--diff", "--set", "chart-places=write", ".")
    assert "2 translated" in result.output
    assert result.output.count("+    deviceClaims: true") == 1


def test_umbrellas_reach_the_charts_that_they_depend_on(tree: Path) -> None:
    write(tree, "umbrella/Chart.yaml", UMBRELLA)
    write(tree, "umbrella/values.yaml", ASKING.format("one") + ASKING.format("gone"))
    assert "those of every release of the chart" in run("--scan", "umbrella").output
    result = run("--write", "--force", "--set", "chart-places=write", ".")
    (values,) = data_of((tree / "umbrella/values.yaml").read_bytes())
    assert values["one"]["deviceClaims"] is True
    assert values["gone"] == {"gpu": {"resources": {"limits": {"nvidia.com/gpu": 2}}}}
    assert (tree / "charts/c/values.yaml").read_text().endswith("deviceClaims: false\n")
    assert "gone (https://charts.example), which is not in this tree" in result.output


def test_nothing_outside_of_the_tree_is_read(tree: Path) -> None:
    inner = tree / "inner"
    write(tree, "inner/umbrella/Chart.yaml", UMBRELLA.replace("../charts", "../../charts"))
    write(tree, "inner/umbrella/values.yaml", ASKING.format("one"))
    subprocess.run(["git", "init", "-q", "."], cwd=inner, check=True)
    result = run("--diff", "inner")
    assert "which is not in this tree" in result.output
    assert "1 rejected" in result.output


def test_values_as_a_text_for_a_chart_within_get_a_parameter(tree: Path) -> None:
    """The switch of the inner chart belongs below its key, and never into the Application itself."""
    write(tree, "charts/c/templates/deployment.yaml", TEMPLATE)
    text = ARGO_CD.replace("path: charts/c", "path: u").replace(
        "        gpu:", "        one: {gpu:"
    )
    write(tree, "app.yaml", text.replace("2}}}", "2}}}}"))
    write(tree, "u/Chart.yaml", UMBRELLA)
    said = run("--write", "--force", "--set", "chart-places=write", ".").output
    assert "translated" in said
    (data,) = data_of((tree / "app.yaml").read_bytes())
    assert data.keys() == {"apiVersion", "kind", "metadata", "spec"}
    assert data["spec"]["source"]["helm"]["parameters"] == [
        {"name": "one.deviceClaims", "value": "true"}
    ]


def test_a_chart_outside_of_the_folder_is_named_with_the_call_that_works(tree: Path) -> None:
    write(tree, "charts/c/templates/deployment.yaml", TEMPLATE)
    write(tree, "apps/a.yaml", FLUX)
    said = run("--scan", "apps").output
    assert "dradsl migrate --set chart-places=write" in said
    said = run("--scan", "--set", "chart-places=write", "apps", "charts/c").output
    assert "for as many, with values deviceClaims: true in HelmRelease ml/a" in said


def test_a_value_that_several_pods_read_is_told_once(tmp_path: Path) -> None:
    """Both pods are in a range, so that the count stays."""
    chart = tmp_path / "c"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 1.0.0\n")
    (chart / "values.yaml").write_text("resources:\n  limits:\n    nvidia.com/gpu: 1\n")
    pod = (
        "{{- range .Values.names }}\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ . }}\nspec:\n  containers:\n"
        "  - name: a\n    image: x\n    resources:\n      {{- toYaml $.Values.resources | nindent 6 }}\n{{- end }}\n"
    )
    for name in ("one", "two"):
        (chart / "templates" / f"{name}.yaml").write_text(pod)
    said = CliRunner().invoke(command, ["--scan", str(chart)]).output
    assert "1 use: 0 translated, 1 rejected" in said
    assert "the count stays: it is in {{ range }}" in said
    assert "instead: --set strategy=extended-resource" in said


@pytest.mark.skipif(HELM is None, reason="Helm is not installed")
def test_the_command_that_fetches_a_missing_chart_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is printed, with a repository that is served here."""
    inner, served = tmp_path / "server", tmp_path / "served"
    (inner / "templates").mkdir(parents=True)
    (inner / "Chart.yaml").write_text("apiVersion: v2\nname: server\nversion: 1.0.0\n")
    (inner / "templates" / "a.yaml").write_text(OWN_PLACE)
    for words in (["package", str(inner), "-d", str(served)], ["repo", "index", str(served)]):
        subprocess.run([str(HELM), *words], check=True, capture_output=True)
    handler = functools.partial(QuietHandler, directory=str(served))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        tree = tmp_path / "tree"
        (tree / "my chart").mkdir(parents=True)
        (tree / "my chart" / "Chart.yaml").write_text(
            "apiVersion: v2\nname: mine\nversion: 1.0.0\ndependencies:\n- name: server\n  version: 1.0.0\n"
            f"  repository: http://127.0.0.1:{server.server_port}\n"
        )
        (tree / "my chart" / "values.yaml").write_text(
            "server:\n  gpu:\n    resources:\n      limits:\n        nvidia.com/gpu: 1\n"
        )
        monkeypatch.chdir(tree)
        said = CliRunner().invoke(command, ["--scan", "my chart"]).output
        told = next(each for each in said.splitlines() if "This puts it there: " in each)
        own = {f"HELM_{each}_HOME": str(tmp_path / each) for each in ("CACHE", "CONFIG", "DATA")}
        words = ["/bin/sh", "-c", told.partition("This puts it there: ")[2]]
        subprocess.run(words, check=True, capture_output=True, env={**os.environ, **own})
        server.shutdown()
    assert "is not in this tree" not in CliRunner().invoke(command, ["--scan", "my chart"]).output


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""

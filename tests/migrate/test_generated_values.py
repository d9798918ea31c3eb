"""Values of a chart that a kustomization puts into a ConfigMap, and new objects that are beside values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from tests.lint.repositories import only_git_of_the_test
from tests.migrate.runs import run

if TYPE_CHECKING:
    from pathlib import Path

VALUES = "controllers: {jf: {containers: {app: {resources: {limits: {gpu.intel.com/i915: 1}}}}}}\n"
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: jf}
spec:
  chart: {spec: {chart: app-template, version: 4.6.2}}
  valuesFrom: [{kind: ConfigMap, name: jf-values}]
"""


@pytest.mark.parametrize("options", ["{}", "{disableNameSuffixHash: true}"])
def test_values_of_a_generated_config_map(
    options: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_git_of_the_test(tmp_path, monkeypatch)
    (tmp_path / "kustomization.yaml").write_text(
        f"resources: [release.yaml]\ngeneratorOptions: {options}\n"
        "configMapGenerator: [{name: jf-values, files: [values.yaml]}]\n"
    )
    (tmp_path / "release.yaml").write_text(RELEASE)
    (tmp_path / "values.yaml").write_text(VALUES)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, ["--write", "--force", "."])
    assert result.exit_code == 0, result.output
    assert "rawResources" in (tmp_path / "values.yaml").read_text()


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("taken", ["ConfigMap", "Secret"])
def test_a_folder_of_values_has_the_chart_of_the_release(
    kind: str,
    inside: bool,
    taken: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only the folder of the values is given; a kustomization above makes an object of them. A release that takes an
    object of another kind with this name says nothing."""
    app = tmp_path / "apps" / "jf"
    (app / "values").mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    only_git_of_the_test(tmp_path, monkeypatch)
    generator = f"{kind[0].lower()}{kind[1:]}Generator"
    (app / "kustomization.yaml").write_text(
        f"resources: [release.yaml]\n"
        f"{generator}: [{{name: jf-values, files: [values.yaml=values/jf.yaml]}}]\n"
    )
    release = RELEASE.replace("kind: ConfigMap", f"kind: {taken}").replace("4.6.2", "3.7.3")
    (app / "release.yaml").write_text(release)
    (app / "values" / "jf.yaml").write_text(VALUES)
    monkeypatch.chdir(app / "values" if inside else tmp_path)
    result = CliRunner().invoke(command, ["." if inside else "apps/jf/values"])
    assert ("app-template 3.7.3" in result.output) is (kind == taken), result.output


def test_objects_beside_values_are_on_the_checklist() -> None:
    text = "ollama: {gpu: {enabled: true, number: 1}}\n"
    (said,) = (each for each in run(text, "values.yaml").checklist if each.startswith("claims:"))
    assert "values.yaml are in files beside these values" in said
    # A release has what it needs in its own file.
    release = RELEASE.partition("  valuesFrom")[0] + f"  values: {VALUES.strip()}\n"
    release = release.replace(VALUES.strip(), "{" + VALUES.strip() + "}")
    assert not any(each.startswith("claims:") for each in run(release).checklist)


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: jf}
spec:
  sources:
  - {repoURL: https://example.org/x.git, path: app, ref: repo}
  - {repoURL: example.org/charts, chart: ollama, targetRevision: 1.50.0, helm: {valueFiles: [$repo/app/values.yaml]}}
"""


@pytest.mark.parametrize("kustomization", ["", "resources: []\n"])
def test_what_an_application_applies_beside_its_values(
    kustomization: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the values is applied to the namespace of the chart, as a kustomization if it is one."""
    only_git_of_the_test(tmp_path, monkeypatch)
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "values.yaml").write_text("ollama: {gpu: {enabled: true, number: 1}}\n")
    (tmp_path / "jf.yaml").write_text(APPLICATION)
    if kustomization:
        (tmp_path / "app" / "kustomization.yaml").write_text(kustomization)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, ["--write", "--force", "."])
    assert "translated" in result.output, result.output
    assert "[ ] claims:" not in result.output
    if kustomization:
        assert "claims.yaml" in (tmp_path / "app" / "kustomization.yaml").read_text()
        assert (tmp_path / "app" / "claims.yaml").exists()
    else:
        assert (tmp_path / "app" / "values.claims.yaml").exists()


def test_an_operator_that_a_kustomization_installs_is_found() -> None:
    """It keeps the GPUs, whatever becomes of the pods."""
    text = (
        "helmCharts:\n- name: gpu-operator\n  version: v26.7.0\n"
        "  valuesInline: {driver: {enabled: false}, devicePlugin: {enabled: true}, mig: {strategy: single}}\n"
    )
    found = run(text, "kustomization.yaml")
    assert ["devicePlugin.enabled" in item.before for item in found.items()] == [True, False]
    assert found.files[0].text == text


BY_SOURCE = RELEASE.replace(
    "chart: {spec: {chart: app-template, version: 4.6.2}}",
    "chartRef: {kind: OCIRepository, name: app-template}",
)
SOURCE = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: app-template}
spec: {url: oci://ghcr.io/bjw-s-labs/helm/app-template, ref: {tag: VERSION}}
"""


def _app(root: Path, release: str) -> None:
    """A folder of Flux with a release, and values that a kustomization puts into its ConfigMap."""
    (root / ".git").mkdir()
    app = root / "apps" / "jf"
    app.mkdir(parents=True)
    (app / "kustomization.yaml").write_text(
        "resources: [release.yaml]\nconfigMapGenerator: [{name: jf-values, files: [values.yaml]}]\n"
    )
    (app / "release.yaml").write_text(release)
    (app / "values.yaml").write_text(VALUES)


@pytest.mark.parametrize(
    ("version", "code", "said"),
    [
        ("5.0.1", 0, "+rawResources:"),
        ("3.7.3", 1, "because app-template 3.7.3"),
        (None, 1, "the version of the chart is not known"),
    ],
)
def test_the_chart_of_a_folder_alone_is_looked_up_around_it(
    version: str | None, code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The source of the chart is in another folder of the repository, which is read and not changed."""
    _app(tmp_path, BY_SOURCE)
    if version is not None:
        (tmp_path / "sources").mkdir()
        (tmp_path / "sources" / "oci.yaml").write_text(SOURCE.replace("VERSION", version))
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, ["--diff", "apps/jf"])
    assert (said in result.output, "sources/oci.yaml" in result.output) == (True, False), (
        result.output
    )
    assert result.exit_code == code or version == "5.0.1"


def test_new_objects_beside_values_have_the_namespace_of_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _app(tmp_path, BY_SOURCE.replace("name: jf}", "name: jf, namespace: media}"))
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, ["--diff", "apps/jf"])
    assert "+  namespace: media\n" in result.output
    assert "the new object must come to" not in result.output


@pytest.mark.parametrize("release", [BY_SOURCE, None], ids=["no namespace", "no release"])
def test_a_namespace_that_is_not_found_is_said(
    release: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _app(tmp_path, release or "")
    if release is None:
        (tmp_path / "apps" / "jf" / "kustomization.yaml").unlink()
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(
        command, ["--diff", "apps/jf/values.yaml" if release is None else "apps/jf"]
    )
    assert "+  namespace:" not in result.output
    assert (
        "the new object must come to the cluster and the namespace of the chart's pods"
        in result.output
    )


def test_values_alone_whose_kustomization_is_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The values are given alone; the kustomization and the release are above."""
    _app(tmp_path, BY_SOURCE.replace("name: jf}", "name: jf, namespace: media}"))
    app = tmp_path / "apps" / "jf"
    (app / "config").mkdir()
    (app / "values.yaml").rename(app / "config" / "values.yaml")
    (app / "kustomization.yaml").write_text(
        "resources: [release.yaml]\nconfigMapGenerator: [{name: jf-values, files: [config/values.yaml]}]\n"
    )
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(command, ["--diff", "apps/jf/config"])
    assert "dradsl migrate apps/jf reads it too" in result.output
    result = CliRunner().invoke(command, ["--diff", "apps/jf"])
    assert "+  namespace: media\n" in result.output, result.output

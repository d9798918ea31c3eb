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

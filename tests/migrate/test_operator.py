"""What installs the device plugin: which chart it is, whether the plugin runs, and how it is turned off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command
from dradsl.migrate.result import Outcome
from tests.migrate.runs import data_of, run, with_gpu
from tests.migrate.test_evidence import config, flux
from tests.migrate.test_sharing import several

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.migrate.result import Migration

VALUES = (
    "devicePlugin:\n  config: {name: time-slicing-config-all, default: any}\n"
    "driver: {enabled: false}\ntoolkit: {enabled: false}\n"
)
POLICY = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cp}\nspec:\n  driver: {enabled: true}\n"


def only_plugin(migration: Migration) -> tuple[str, str | None]:
    (item,) = [each for each in migration.items() if "devicePlugin.enabled" in each.before]
    return str(item.outcome), item.question


@pytest.mark.parametrize(
    "text",
    [
        VALUES,
        "devicePlugin: {enabled: true}\nmig: {strategy: single}\ndcgmExporter: {enabled: true}\n",
        "gpu-operator:\n  driver: {enabled: false}\n",
        flux("gpu-operator", "{driver: {enabled: false}}"),
        flux("nvidia-gpu-operator", "{}", reference=True),
        flux("nvidia-device-plugin", "{devicePlugin: {enabled: true}}"),
        POLICY,
    ],
)
def test_the_plugin_runs_unless_it_is_said_not_to(text: str) -> None:
    assert only_plugin(run(text)) == ("refused", "operator")
    migration = run(text, answers={"operator": "standalone"})
    assert only_plugin(migration)[0] == "translated"
    assert "enabled: false" in migration.files[0].text
    assert migration.files[0].driver_values["gpuResourcesEnabledOverride"] is True


@pytest.mark.parametrize(
    "text",
    [
        flux("gpu-operator", "{devicePlugin: {enabled: false}}"),
        flux("gpu-operator", "{clusterPolicy: {deployCR: false}, gpuCluster: {deployCR: true}}"),
        POLICY + "  devicePlugin: {enabled: false}\n",
        flux("gpu-operator-charts", "{}"),
        flux("hami", "{devicePlugin: {enabled: true}}"),
    ],
)
def test_a_plugin_that_does_not_run_is_no_question(text: str) -> None:
    assert not [each for each in run(text).items() if "devicePlugin.enabled" in each.before]


def test_keys_of_the_operator_allow_its_way() -> None:
    text = "devicePlugin: {enabled: true}\nmig: {strategy: mixed}\ndcgmExporter: {enabled: true}\n"
    migration = run(text, answers={"operator": "gpucluster"})
    assert only_plugin(migration)[0] == "translated"
    (values,) = data_of(migration.files[0].text)
    assert values["gpuCluster"] == {"deployCR": True}


def test_the_other_objects_of_the_file_are_migrated_too() -> None:
    text = f"{with_gpu()}---\n{flux('gpu-operator', '{driver: {enabled: false}}')}"
    migration = run(text, answers={"operator": "standalone"})
    assert {item.outcome for item in migration.items()} == {Outcome.TRANSLATED}
    made = data_of(migration.files[0].text)
    assert [each["kind"] for each in made] == ["Pod", "ResourceClaimTemplate", "HelmRelease"]
    assert made[2]["spec"]["values"]["devicePlugin"] == {"enabled": False}


def test_values_in_a_text_are_refused_with_the_line_to_write() -> None:
    text = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: g}\nspec:\n  source:\n"
        "    chart: gpu-operator\n    helm:\n      values: |\n        driver: {enabled: false}\n"
    )
    (item,) = run(text, answers={"operator": "standalone"}).items()
    assert item.outcome is Outcome.REFUSED
    assert "write devicePlugin.enabled: false" in item.reason


def test_a_policy_and_a_gpu_cluster_exclude_each_other() -> None:
    (item,) = run(POLICY, answers={"operator": "gpucluster"}).items()
    assert item.outcome is Outcome.REFUSED
    assert "must not both exist" in item.reason


def test_a_chart_reference_leads_to_the_chart() -> None:
    repository = (
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: nv}\n"
        "spec: {url: 'oci://mirror.example.org/charts/gpu-operator'}\n"
    )
    release = flux("nv", "{driver: {enabled: false}}", reference=True)
    migration = several({"a.yaml": release, "b.yaml": repository}, {})
    assert only_plugin(migration)[1] == "operator"
    assert not list(run(release).items())


def test_a_release_in_a_kustomization_is_turned_over_and_proven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kustomization.yaml").write_text(
        "resources:\n- release.yaml\n- pod.yaml\n- c.yaml\n"
    )
    (tmp_path / "release.yaml").write_text(flux("gpu-operator", "{driver: {enabled: false}}"))
    (tmp_path / "pod.yaml").write_text(with_gpu())
    slicing = "sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 8}]}}"
    (tmp_path / "c.yaml").write_text(config(slicing))
    call = ["--in-place", "--operator", "standalone", "--sharing", "consumable-shares", "."]
    result = CliRunner().invoke(command, call, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "the same objects" in result.output
    (release,) = data_of((tmp_path / "release.yaml").read_text())
    assert release["spec"]["values"]["devicePlugin"] == {"enabled": False}
    (values,) = data_of((tmp_path / "release.dra-driver-values.yaml").read_text())
    assert values["consumableShares"] == "8"
    assert values["featureGates"] == {"ConsumableShares": True}

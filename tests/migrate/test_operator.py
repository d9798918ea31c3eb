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
    call = ["--write", "--set", "operator=standalone", "--set", "sharing=consumable-shares", "."]
    result = CliRunner().invoke(command, call, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "the same objects" in result.output
    (release,) = data_of((tmp_path / "release.yaml").read_text())
    assert release["spec"]["values"]["devicePlugin"] == {"enabled": False}
    (values,) = data_of((tmp_path / "release.dra-driver-values.yaml").read_text())
    assert values["consumableShares"] == "8"
    assert values["featureGates"] == {"ConsumableShares": True}


KNATIVE = (
    "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: served}\nspec:\n  template:\n    spec:\n"
    "      containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]\n"
)
STANDALONE: dict[str, object] = {"operator": "standalone"}
ZERO = with_gpu("0")


@pytest.mark.parametrize(
    "plugin", [VALUES, POLICY, flux("gpu-operator", "{driver: {enabled: true}}")]
)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("b.yaml", KNATIVE),  # refused
        ("b.yaml", with_gpu("one")),
        ("c/templates/b.yaml", "a: {{ .Values.a }}\nresources: {limits: {nvidia.com/gpu: 1}}\n"),
        ("b.tf", 'resource "a" { limits = { "nvidia.com/gpu" = 1 } }\n'),
    ],
)
def test_the_plugin_stays_while_something_needs_it(plugin: str, name: str, text: str) -> None:
    migration = several({"a.yaml": plugin, name: text}, STANDALONE)
    (item,) = [each for each in migration.items() if "devicePlugin.enabled" in each.before]
    file = next(each for each in migration.files if each.path == "a.yaml")
    assert item.outcome is Outcome.REFUSED
    assert f"({name}:" in item.reason
    assert not file.changed
    assert not any(each.driver_values for each in migration.files)


@pytest.mark.parametrize(
    ("other", "settled"),
    [
        (with_gpu(), True),  # it gets a claim in this run
        (ZERO, True),
        (with_gpu(resource="example.com/nic"), True),  # of another plugin
        (
            config("sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 8}]}}"),
            True,
        ),
        (KNATIVE + "---\n" + with_gpu(), False),
    ],
)
def test_the_plugin_goes_once_nothing_needs_it(other: str, settled: bool) -> None:
    migration = several({"a.yaml": POLICY, "b.yaml": other}, STANDALONE)
    file = next(each for each in migration.files if each.path == "a.yaml")
    assert file.changed is settled
    assert bool(file.driver_values) is settled


def test_what_installs_the_driver_is_said() -> None:
    (file,) = several({"a.yaml": POLICY}, STANDALONE).files
    (step,) = [note for note in file.notes if "helm upgrade --install" in note]
    assert "nothing in these files installs the DRA driver" in step
    assert "--values a.dra-driver-values.yaml" in step
    driver = flux("dra-driver-nvidia-gpu", "{}")
    files = several({"a.yaml": POLICY, "b.yaml": driver}, STANDALONE).files
    notes = next(each.notes for each in files if each.path == "a.yaml")
    assert not [note for note in notes if "helm upgrade --install" in note]
    assert any("into the release of the DRA driver" in note for note in notes)


@pytest.mark.parametrize(
    ("chart", "file", "written"),
    [
        ("charts/x", "charts/x/templates/policy.yaml", "charts/x.policy.dra-driver-values.yaml"),
        ("charts/x", "charts/x/values.yaml", "charts/x.values.dra-driver-values.yaml"),
        ("x", "x/charts/inner/crds/policy.yaml", "x.policy.dra-driver-values.yaml"),
        (None, "deploy/templates/policy.yaml", "deploy/templates/policy.dra-driver-values.yaml"),
    ],
)
@pytest.mark.parametrize("where", [["--write"], ["--output", "out"]])
def test_values_of_the_driver_are_in_no_chart(
    chart: str | None, file: str, written: str, where: list[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for folder in filter(None, (chart, "x/charts/inner" if "inner" in file else None)):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "Chart.yaml").write_text("apiVersion: v2\nname: x\nversion: 1.0.0\n")
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(VALUES if file.endswith("values.yaml") else POLICY)
    result = CliRunner().invoke(
        command, ["--set", "operator=standalone", *where, "."], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    (made,) = tmp_path.rglob("*dra-driver-values*")
    top = tmp_path / "out" if "out" in where else tmp_path
    assert made == top / written


@pytest.mark.parametrize("where", [["--write"], ["--output", "out"]])
def test_values_of_the_driver_without_a_place_leave_the_plugin_on(
    where: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chart is all there is of the tree."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: x\nversion: 1.0.0\n")
    (tmp_path / "templates" / "policy.yaml").write_text(POLICY)
    force = ["--force"] if where == ["--write"] else []
    result = CliRunner().invoke(command, ["--set", "operator=standalone", *where, *force, "."])
    assert result.exit_code == 2
    assert "run dradsl in the folder above" in result.output
    assert (tmp_path / "templates" / "policy.yaml").read_text() == POLICY
    assert not list(tmp_path.parent.glob("*dra-driver-values*"))

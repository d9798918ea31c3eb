"""What installs the device plugin: which chart it is, and whether the plugin runs. A migration leaves it on."""

from __future__ import annotations

import pytest

from dradsl.migrate.result import Outcome
from tests.migrate.runs import run, with_gpu
from tests.migrate.test_evidence import config, flux
from tests.migrate.test_sharing import several

VALUES = (
    "devicePlugin:\n  config: {name: time-slicing-config-all, default: any}\n"
    "driver: {enabled: false}\ntoolkit: {enabled: false}\n"
)
POLICY = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cp}\nspec:\n  driver: {enabled: true}\n"


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
    """It stays on, whatever else is migrated: turning it off is a stage of a rollout."""
    files = {"a.yaml": text, "b.yaml": with_gpu()}
    migration = several(files, {})
    (item,) = [each for each in migration.items() if "devicePlugin.enabled" in each.before]
    assert (item.outcome, item.question, item.about) == (Outcome.LEFT, None, "setting")
    assert "--plan DIR" in item.reason
    assert migration.files[0].text == text
    if "single" not in text:  # then each pod must say its profile
        assert "resourceClaims" in migration.files[1].text


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


def test_values_in_a_text_have_their_line() -> None:
    text = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: g}\nspec:\n  source:\n"
        "    chart: gpu-operator\n    helm:\n      values: |\n        driver: {enabled: false}\n"
    )
    (item,) = run(text).items()
    assert (item.outcome, item.span.line) == (Outcome.LEFT, 8)


def test_a_chart_reference_leads_to_the_chart() -> None:
    repository = (
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {name: nv}\n"
        "spec: {url: 'oci://mirror.example.org/charts/gpu-operator'}\n"
    )
    release = flux("nv", "{driver: {enabled: false}}", reference=True)
    migration = several({"a.yaml": release, "b.yaml": repository}, {})
    (item,) = migration.items()
    assert "devicePlugin.enabled" in item.before
    assert not list(run(release).items())


SLICING = "sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: %s}]}}"


@pytest.mark.parametrize(
    "answer", ["consumable-shares", "shared-claim", "exclusive", "admin-access", "unlimited-shares"]
)
def test_an_answer_closes_the_question_of_a_pod_and_of_the_configuration(answer: str) -> None:
    files = {"c.yaml": config(SLICING % 8), "pod.yaml": with_gpu()}
    asked = [item.question for item in several(files, {}).items()]
    assert asked == [None, "sharing"]
    migration = several(files, {"sharing": answer})
    assert [item.question for item in migration.items()] == [None, None]
    assert not migration.open


def test_replicas_that_no_plugin_takes_are_rejected() -> None:
    (item,) = run(config(SLICING % 1)).items()
    assert item.outcome is Outcome.REJECTED
    (item,) = run(config(SLICING.replace("timeSlicing", "mps") % 4)).items()
    assert item.outcome is Outcome.REJECTED

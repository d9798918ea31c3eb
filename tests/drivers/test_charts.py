"""Charts of drivers: every condition fires on values that break it, and on none of the chart's defaults."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.drivers.charts import ChartRow, Conflict, KeyTest, driver_charts
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig

if TYPE_CHECKING:
    from pathlib import Path

CHARTS = driver_charts().charts
ROWS = [(row, conflict) for row in CHARTS for conflict in row.conflicts]


def put(values: dict[str, Any], test: KeyTest) -> None:
    *above, last = test.key.split(".")
    for part in above:
        values = values.setdefault(part, {})
    values[last] = "something" if test.other else test.values[0]


def release(chart: str, values: dict[str, Any], **more: Any) -> str:
    source = {"kind": "HelmRepository", "name": "charts"}
    spec = {
        "interval": "1h",
        "chart": {"spec": {"chart": chart, "sourceRef": source}},
        "values": values,
    }
    metadata = {"name": "driver", "namespace": "gpu"}
    data = {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": metadata}
    return yaml.safe_dump({**data, "spec": {**spec, **more}}, sort_keys=False)


def found(text: str, name: str = "release.yaml") -> list[tuple[str, str, str]]:
    report = lint_text(text, name, LintConfig(root="."))
    return [(each.code, str(each.severity), each.message) for each in report.findings]


@pytest.mark.parametrize(("row", "conflict"), ROWS, ids=lambda each: getattr(each, "message", None))
def test_values_that_break_a_condition_are_found(row: ChartRow, conflict: Conflict) -> None:
    values: dict[str, Any] = {}
    for test in conflict.tests:
        put(values, test)
    said = [
        message
        for code, severity, message in found(release(min(row.names), values))
        if severity == "error"
    ]
    assert any(conflict.message in message for message in said), said
    assert conflict.source
    assert conflict.help


@pytest.mark.parametrize("row", CHARTS, ids=lambda row: row.title)
def test_the_defaults_break_what_the_chart_itself_breaks(row: ChartRow) -> None:
    said = found(release(min(row.names), {}))
    rejected = ["gpuResourcesEnabledOverride" in message for _, _, message in said]
    assert rejected == ([True] if row.title == "NVIDIA's DRA driver" else [])


@pytest.mark.parametrize("row", CHARTS, ids=lambda row: row.title)
def test_what_conditions_and_signs_name_are_keys_of_the_chart(row: ChartRow) -> None:
    named = {test.key for conflict in row.conflicts for test in conflict.tests}
    named |= {key for sign in row.signs for key in sign}
    assert {key.partition(".")[0] for key in named} <= row.keys | {"namespace"}


def test_values_from_elsewhere_leave_defaults_open() -> None:
    text = release(
        "nvidia-dra-driver-gpu",
        {"logVerbosity": "2"},
        valuesFrom=[{"kind": "ConfigMap", "name": "v"}],
    )
    assert found(text) == []
    text = release(
        "nvidia-dra-driver-gpu",
        {"resources": {"gpus": {"enabled": True}}},
        valuesFrom=[{"kind": "ConfigMap", "name": "v"}],
    )
    assert [(code, severity) for code, severity, _ in found(text)] == [("DRA950", "info")]


def test_values_of_a_chart_within_another_are_known_by_its_name() -> None:
    values = {
        "nvidia-dra-driver-gpu": {
            "gpuResourcesEnabledOverride": False,
            "resources": {"gpus": {"enabled": True}},
        }
    }
    said = found(yaml.safe_dump(values), "values.yaml")
    # Another file, or --set, may say otherwise.
    assert [(code, severity) for code, severity, _ in said] == [("DRA950", "warning")]


@pytest.mark.parametrize(
    ("version", "count"), [("25.12.0", 0), ("v0.4.1", 1), ("0.5.0", 1), ("", 1)]
)
def test_releases_that_take_the_values_are_left_alone(version: str, count: int) -> None:
    gates = {"PassthroughSupport": True, "NVMLDeviceHealthCheck": True}
    values = {"gpuResourcesEnabledOverride": True, "featureGates": gates}
    text = release("nvidia-dra-driver-gpu", values)
    if version:
        text = text.replace(
            "chart: nvidia-dra-driver-gpu",
            f"chart: nvidia-dra-driver-gpu\n      version: {version}",
        )
    assert len(found(text)) == count


def test_the_defaults_of_a_chart_are_nobodys_values(tmp_path: Path) -> None:
    defaults = {"gpuResourcesEnabledOverride": False, "resources": {"gpus": {"enabled": True}}}
    values = tmp_path / "values.yaml"
    values.write_text(yaml.safe_dump(defaults), encoding="utf-8")

    def codes() -> list[str]:
        result = CliRunner().invoke(
            command, ["--isolated", "--output-format", "json", str(values)], catch_exceptions=False
        )
        return [each["code"] for each in json.loads(result.stdout)["findings"]]

    assert codes() == ["DRA950"]
    (tmp_path / "Chart.yaml").write_text("name: dra-driver-nvidia-gpu\n", encoding="utf-8")
    assert codes() == []
    (tmp_path / "Chart.yaml").write_text("name: our-platform\n", encoding="utf-8")
    assert codes() == []  # Helm gives another chart only what is below its name
    values.write_text(yaml.safe_dump({"dra-driver-nvidia-gpu": defaults}), encoding="utf-8")
    assert codes() == ["DRA950"]


def test_a_kernel_driver_for_chosen_nodes_is_an_info() -> None:
    text = """\
apiVersion: nvidia.com/v1alpha1
kind: NVIDIADriver
metadata: {name: old}
spec: {driverType: gpu, version: 570.195.03, nodeSelector: {pool: old}}
---
apiVersion: nvidia.com/v1alpha1
kind: GPUCluster
metadata: {name: gpus}
spec: {draDriver: {}}
"""
    (said,) = found(text)
    assert said[:2] == ("DRA953", "info")
    assert found(text.replace("570.195.03", "580.126.20")) == []
    assert found(text.replace("driverType: gpu", "driverType: vgpu-host-manager")) == []

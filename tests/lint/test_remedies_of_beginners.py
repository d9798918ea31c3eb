"""Remedies and places of mistakes that beginners made on public pages (`beginners/`): classes, in our own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.lint.engine.run import lint_text

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.diagnostics import Finding

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu}
spec:
  devices:
    requests:
    - PLACE
"""
SELECTOR = """name: gpu
      exactly:
        deviceClassName: CLASS
        selectors:
        - cel:
            expression: 'PLACE'"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec:
  driver: gpu.example.com
  nodeName: n
  pool: {name: n, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    partitionable: true
"""
RULE = """\
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: {name: a}
spec:
  deviceSelector: {driver: gpu.example.com, PLACE}
  taint: {key: example.com/a, effect: NoSchedule}
"""


def claim(request: str) -> str:
    return CLAIM.replace("PLACE", request)


def selector(expression: str, device_class: str = "gpu.nvidia.com") -> str:
    request = SELECTOR.replace("CLASS", device_class).replace("PLACE", expression)
    return claim(request)


def the_finding(text: str, code: str) -> Finding:
    found = [each for each in lint_text(text, "a.yaml").findings if each.code == code]
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "code", "help_"),
    [
        (claim("{name: a, prioritizedList: []}"), "DRA005", "write firstAvailable"),
        (claim("{name: a, deviceSelectors: x}"), "DRA005", "write selectors: [{cel: {expression: '…'}}]"),
        (claim("{name: a, exactly: {deviceClassName: x}, constraints: [{matchAttribute: a.b/c}]}"), "DRA005", "constraints: [{requests: [a], matchAttribute: a.b/c}]"),
        (claim("{name: a, exactly: {deviceClassName: x, config: []}}"), "DRA005", "write spec: {devices: {requests: [{name: a, exactly: {deviceClassName: x}}]}}"),
        (claim("{name: a, exactly: [{deviceClassName: x}]}"), "DRA006", "remove the dash: exactly is one mapping"),
        (SLICE, "DRA005", "consumesCounters"),
        (RULE.replace("PLACE", "deviceClassName: x"), "DRA504", "a rule selects devices by driver, pool and device"),
        (RULE.replace("PLACE", "selectors: []"), "DRA504", "a rule selects devices by driver, pool and device"),
        (selector('device.driver == "x")'), "DRA101", "')' cannot be here: expected the end of the expression"),
        (selector('device.attributes["nvidia.com/mig-profile"] == "1g.5gb"', "mig.nvidia.com"), "DRA102", 'write device.attributes["gpu.nvidia.com"].profile'),
    ],
)  # fmt: skip
def test_what_the_remedy_says(text: str, code: str, help_: str) -> None:
    assert help_ in str(the_finding(text, code).help)


def test_a_conversion_is_no_method() -> None:
    found = the_finding(selector('device.attributes["gpu.nvidia.com"].index.int() == 0'), "DRA102")
    assert found.message == "int is a function, and no method: write int(…)"


def test_several_mappings_in_place_of_one_are_a_choice_of_the_author() -> None:
    two = claim("{name: a, exactly: [{deviceClassName: x}, {deviceClassName: y}]}")
    assert the_finding(two, "DRA006").help is None


@pytest.mark.parametrize(
    ("expression", "meant"),
    [
        ('device.attributes["nvidia.com/mig-profile"].stringValue == "1g.5gb"', 'device.attributes["gpu.nvidia.com"].profile'),
        ('device.attributes["google.com/dranet"]["numa_node"] == 0', 'device.attributes["dra.net"].numaNode'),
        ('device.attributes["acme.example/gpu"].model == "x"', 'device.attributes["acme.example"].model'),
    ],
)  # fmt: skip
def test_a_qualified_name_as_domain_is_that_of_the_driver(expression: str, meant: str) -> None:
    found = the_finding(selector(expression, "of-the-cluster"), "DRA202")
    assert str(found.help).startswith(f"write {meant} == ")


@pytest.mark.parametrize("request_", ["{exactly: {deviceClassName: x}}", '{name: "", exactly: {deviceClassName: x}}'])  # fmt: skip
def test_a_name_that_is_not_there_is_not_called_illegal(request_: str) -> None:
    found = the_finding(claim(request_), "DRA306")
    assert (found.message, found.help) == ("name is missing or empty", "write name: …")


@pytest.mark.parametrize(
    ("expression", "marked"),
    [
        ('device.capacity["memory"].isGreaterThan(quantity("40Gi"))', 'device.capacity["memory"]'),
        ('"H100" == device.attributes["model"]', 'device.attributes["model"]'),
        ('device.attributes["gpu.nvidia.com"].memory >= quantity("1Gi")', '>= quantity("1Gi")'),
    ],
)
def test_a_map_that_is_used_as_a_value_is_what_is_marked(expression: str, marked: str) -> None:
    text = selector(expression)
    found = the_finding(text, "DRA102")
    line = text.splitlines()[found.span.line - 1]
    assert line[found.span.column - 1 :].startswith(marked)


@pytest.mark.parametrize(
    ("kind", "help_"),
    [
        ("DeviceClass", "and spec: {selectors: [{cel: {expression: '…'}}]}"),
        ("ResourceClaim", "and spec: {devices: {requests: [{name: …, exactly: {deviceClassName: …"),
    ],
)
def test_what_an_object_of_an_alpha_version_becomes(kind: str, help_: str) -> None:
    spec = (
        "selectors: [{vendor: x}]" if kind == "DeviceClass" else "devices: {requests: [{name: a}]}"
    )
    text = f"apiVersion: resource.k8s.io/v1alpha2\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{{spec}}}\n"
    assert help_ in str(the_finding(text, "DRA501").help)


def linted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(folder)
    return CliRunner().invoke(command, [".", "--isolated", "--output-format", "concise"]).output


def test_an_action_may_write_the_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    template = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec:
  spec:
    devices:
      {{- (include "x.devices" .) | nindent 6 }}
"""
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: x\nversion: 0.1.0\n")
    (tmp_path / "templates/claim.yaml").write_text(template)
    assert "DRA330" not in linted(tmp_path, monkeypatch)
    (tmp_path / "claim.yaml").write_text(
        template.replace('      {{- (include "x.devices" .) | nindent 6 }}\n', "")
    )
    assert "claim.yaml:5:3: warning DRA330" in linted(tmp_path, monkeypatch)


def test_values_of_a_chart_of_its_own_are_not_of_the_chart_that_has_its_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = "nvidiaDriverRoot: /\nresources: {gpus: {enabled: true}}\nkubeletPlugin: {}\ngpuResourcesEnabled: true\n# resourceClaims\n"
    (tmp_path / "values.yaml").write_text(values)
    assert "DRA951" in linted(tmp_path, monkeypatch)
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: hami-dra-driver\nversion: 0.1.0\n")
    assert "DRA951" not in linted(tmp_path, monkeypatch)

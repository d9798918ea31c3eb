"""Opaque parameters against the driver's configuration: the finding, its place, its suggestion."""

from __future__ import annotations

from typing import Any

import pytest

from dradsl.drivers.judge.configs import check_config
from dradsl.drivers.judge.reachable import reachable
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.yaml_data import load_yaml
from tests.drivers.codes import code_of, words_of

CATALOGUE = Catalogue()
NVIDIA = "apiVersion: resource.nvidia.com/v1beta1\n"
EXAMPLE = "apiVersion: gpu.resource.example.com/v1alpha1\nkind: GpuConfig\n"

GOOD = [
    ("gpu.nvidia.com", NVIDIA + "kind: GpuConfig"),
    ("gpu.nvidia.com", NVIDIA + "kind: GpuConfig\nsharing: null"),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GpuConfig\n"
        "sharing: {strategy: TimeSlicing, timeSlicingConfig: {interval: Long}}",
    ),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GpuConfig\nsharing: {strategy: MPS, mpsConfig: {"
        "defaultActiveThreadPercentage: 50, defaultPinnedDeviceMemoryLimit: 10Gi, "
        "defaultPerDevicePinnedMemoryLimit: {'0': 5Gi}}}",
    ),
    ("gpu.nvidia.com", NVIDIA + "kind: MigDeviceConfig\nsharing: {strategy: TimeSlicing}"),
    (
        "gpu.nvidia.com",
        NVIDIA
        + "kind: VfioDeviceConfig\niommu: {backendPolicy: LegacyOnly, enableAPIDevice: true}",
    ),
    (
        "gpu.example.com",
        EXAMPLE + "sharing: {strategy: SpacePartitioning, "
        "spacePartitioningConfig: {partitionCount: 10}}",
    ),
    ("dra.net", "interface: {name: net1, mtu: 1400}\nroutes: [{destination: 0.0.0.0/0}]"),
    ("gpu.amd.com", "apiVersion: gpu.resource.amd.com/v1alpha1\nkind: GpuConfig"),
    ("neuron.aws.com", "apiVersion: neuron.aws.com/v1\nkind: NeuronConfig\nnewField: 1"),
    (
        "compute-domain.nvidia.com",
        NVIDIA + "kind: ComputeDomainChannelConfig\ndomainID: abc\nallocationMode: All",
    ),
    (
        "sriovnetwork.k8snetworkplumbingwg.io",
        "apiVersion: sriovnetwork.k8snetworkplumbingwg.io/v1alpha1\nkind: VfConfig\nifName: net1",
    ),
    (
        "spyre.ibm.com",
        "apiVersion: spyre.resource.ibm.com/v1alpha1\nkind: SpyreClaimParameters\n"
        "config: {override: {senlibTemplateFile: x}}",
    ),
]

# driver, parameters, code, path, suggestion, part of the message
BAD: list[tuple[str, str, str, tuple[str | int, ...], str | None, str]] = [
    (
        "gpu.nvidia.com",
        "apiVersion: gpu.nvidia.com/v1alpha1\nkind: GpuConfig",
        "DRA801",
        ("apiVersion",),
        "resource.nvidia.com/v1beta1",
        "did you mean",
    ),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GPUConfig",
        "DRA801",
        ("kind",),
        "GpuConfig",
        'no parameters of kind "GPUConfig"',
    ),
    ("gpu.nvidia.com", NVIDIA, "DRA804", (), None, 'no "kind"'),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GpuConfig\nsharing: {strategy: TimeSlicing, timeSlicingConfig: {}}",
        "DRA804",
        ("sharing", "timeSlicingConfig"),
        None,
        'needs a field "interval"',
    ),
    (
        "gpu.example.com",
        EXAMPLE + "sharing: {timeSlicingConfig: {interval: Long}}",
        "DRA804",
        ("sharing",),
        None,
        'needs a field "strategy"',
    ),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GpuConfig\nsharing: {strategy: timeSlicing}",
        "DRA803",
        ("sharing", "strategy"),
        "TimeSlicing",
        "cannot be",
    ),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GpuConfig\nsharing: {timeSlicingConfig: {interval: Long}}",
        "DRA804",
        ("sharing",),
        None,
        'needs a field "strategy"',
    ),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GpuConfig\nsharing: {strategy: TimeSlicing, mpsConfig: {}}",
        "DRA803",
        ("sharing", "mpsConfig"),
        None,
        "cannot be combined with strategy TimeSlicing",
    ),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GpuConfig\nsharing: {strategy: MPS, timeSlicingConfig: {}}",
        "DRA803",
        ("sharing", "timeSlicingConfig"),
        None,
        "cannot be combined with strategy MPS",
    ),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: MigDeviceConfig\nsharing: {strategy: TimeSlicing, timeSlicingConfig: {}}",
        "DRA802",
        ("sharing", "timeSlicingConfig"),
        None,
        'has no field "timeSlicingConfig"',
    ),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GpuConfig\ntimeSlicingConfig: {}",
        "DRA802",
        ("timeSlicingConfig",),
        None,
        "it belongs to sharing",
    ),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GpuConfig\nsharing: {strategy: MPS, mpsConfig: "
        "{defaultActiveThreadPercentage: 150}}",
        "DRA803",
        ("sharing", "mpsConfig", "defaultActiveThreadPercentage"),
        None,
        "at most 100",
    ),
    (
        "gpu.nvidia.com",
        NVIDIA + "kind: GpuConfig\nsharing: {strategy: MPS, mpsConfig: "
        "{defaultPinnedDeviceMemoryLimit: 10GB}}",
        "DRA803",
        ("sharing", "mpsConfig", "defaultPinnedDeviceMemoryLimit"),
        None,
        "must be a quantity",
    ),
    (
        "gpu.example.com",
        "apiVersion: gpu.example.com/v1alpha1\nkind: GpuConfig",
        "DRA801",
        ("apiVersion",),
        "gpu.resource.example.com/v1alpha1",
        "did you mean",
    ),
    (
        "gpu.amd.com",
        "apiVersion: gpu.amd.com/v1alpha1\nkind: GpuConfig",
        "DRA801",
        ("apiVersion",),
        "gpu.resource.amd.com/v1alpha1",
        "did you mean",
    ),
    (
        "dra.net",
        "apiVersion: dra.net/v1\ninterface: {name: net1}",
        "DRA802",
        ("apiVersion",),
        None,
        'carry no "apiVersion"',
    ),
    (
        "dra.net",
        "interface: {nam: net1}",
        "DRA802",
        ("interface", "nam"),
        "name",
        'did you mean "name"',
    ),
    (
        "dra.net",
        "interface: {name: a-name-of-16-char}",
        "DRA803",
        ("interface", "name"),
        None,
        "longer than 15",
    ),
    (
        "dra.net",
        "interface: {dhcp: true, addresses: [10.0.0.1/24]}",
        "DRA803",
        ("interface", "addresses"),
        None,
        "exclude each other",
    ),
    (
        "dra.net",
        "interface: {vrf: {name: a}}\nrules: [{priority: 1}]",
        "DRA803",
        ("rules",),
        None,
        "not allowed together with interface.vrf",
    ),
    ("dra.net", "routes: [{scope: 5}]", "DRA803", ("routes", 0, "scope"), None, "cannot be 5"),
    (
        "dra.net",
        "interface: {mtu: '1400'}",
        "DRA803",
        ("interface", "mtu"),
        None,
        "must be a whole number",
    ),
    (
        "compute-domain.nvidia.com",
        NVIDIA + "kind: ComputeDomainDaemonConfig",
        "DRA804",
        (),
        None,
        'needs a field "domainID"',
    ),
    ("gpu.intel.com", "apiVersion: a/v1\nkind: B", "DRA801", (), None, "takes no parameters"),
    ("mig.nvidia.com", "{}", "DRA203", (), None, 'did you mean "gpu.nvidia.com"?'),
    ("made.up.example", "{}", "DRA219", (), None, "no schema is known"),
]


@pytest.mark.parametrize(("driver", "text"), GOOD)
def test_right_parameters_give_nothing(driver: str, text: str) -> None:
    assert check_config(driver, load_yaml(text, "here"), CATALOGUE) == []


@pytest.mark.parametrize(("driver", "text", "code", "path", "suggestion", "part"), BAD)
def test_wrong_parameters_give_one_finding_at_their_place(
    driver: str,
    text: str,
    code: str,
    path: tuple[str | int, ...],
    suggestion: str | None,
    part: str,
) -> None:
    (finding,) = check_config(driver, load_yaml(text, "here"), CATALOGUE)
    place = ("driver",) if code in ("DRA203", "DRA219") else ("parameters", *path)
    assert (code_of(finding), finding.path, finding.instead) == (code, place, suggestion)
    assert part in words_of(finding).message


def _class(name: str) -> tuple[str, ...]:
    found = CATALOGUE.device_class(name)
    assert found is not None
    return found[1].selectors


@pytest.mark.parametrize(
    ("device_class", "driver", "kind", "codes"),
    [
        ("gpu.nvidia.com", "gpu.nvidia.com", "GpuConfig", []),
        ("mig.nvidia.com", "gpu.nvidia.com", "MigDeviceConfig", []),
        ("mig.nvidia.com", "gpu.nvidia.com", "GpuConfig", ["DRA806"]),
        ("gpu.nvidia.com", "gpu.nvidia.com", "VfioDeviceConfig", ["DRA806"]),
        ("gpu.amd.com", "gpu.nvidia.com", "GpuConfig", ["DRA805"]),
    ],
)
def test_a_config_must_reach_its_driver_and_device_type(
    device_class: str, driver: str, kind: str, codes: list[str]
) -> None:
    parameters = {"apiVersion": "resource.nvidia.com/v1beta1", "kind": kind}
    reach = reachable(_class(device_class), CATALOGUE)
    assert [code_of(f) for f in check_config(driver, parameters, CATALOGUE, reach)] == codes


def test_nothing_is_said_about_reach_when_a_class_takes_any_driver() -> None:
    parameters = {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig"}
    for selectors in ((), ("has(device.attributes['x.com'].y)",)):
        reach = reachable(selectors, CATALOGUE)
        assert check_config("gpu.nvidia.com", parameters, CATALOGUE, reach) == []


def test_fields_of_a_later_network_driver() -> None:
    parameters = {"interface": {"name": "net1", "arpIgnore": 1}, "rules": [{"priority": 1}]}
    catalogue = Catalogue(versions={"dra.net": ("v1.0",)})
    found = check_config("dra.net", parameters, catalogue)
    assert {(code_of(each), each.path) for each in found} == {
        ("DRA807", ("parameters", "interface", "arpIgnore")),
        ("DRA807", ("parameters", "rules")),
    }
    assert check_config("dra.net", parameters, CATALOGUE) == []


def test_fields_of_a_later_driver_version() -> None:
    old = Catalogue(versions={"gpu.nvidia.com": ("v25.12",)})
    parameters: dict[str, Any] = {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "VfioDeviceConfig",
        "iommu": {"backendPolicy": "LegacyOnly"},
    }
    (finding,) = check_config("gpu.nvidia.com", parameters, old)
    found = (code_of(finding), finding.path, finding.on_key)
    assert found == ("DRA807", ("parameters", "iommu"), True)
    older = Catalogue(versions={"gpu.nvidia.com": ("v25.8",)})
    (finding,) = check_config("gpu.nvidia.com", parameters, older)
    assert (code_of(finding), finding.path) == ("DRA807", ("parameters", "kind"))


@pytest.mark.parametrize("parameters", [None, [], "text", 1, {"a": {"b": [1, {"c": None}]}}])
def test_any_parameters_are_survived(parameters: object) -> None:
    for driver in CATALOGUE.names():
        check_config(driver, parameters, CATALOGUE)

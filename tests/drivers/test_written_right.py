"""Expressions and parameters as people write them, in the words of CEL and of the drivers."""

from __future__ import annotations

from typing import Any

import pytest

from dradsl.drivers.judge.check import check_selector
from dradsl.drivers.judge.selector_facts import Cause
from dradsl.drivers.rewriting.expressions import written_right
from dradsl.drivers.rewriting.parameters import written_parameters
from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.drivers.schema.device_plugin import class_meant
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import newest_release

DRIVERS = shipped_catalogue()
NVIDIA = DRIVERS.get("gpu.nvidia.com")
MEMORY = 'device.capacity["gpu.nvidia.com"].memory'
PRODUCT = 'device.attributes["gpu.nvidia.com"].productName'


@pytest.mark.parametrize(
    ("written", "right"),
    [
        (
            "device.attributes['memory'].compareTo(quantity('40Gi')) >= 0",
            f"{MEMORY}.compareTo(quantity('40Gi')) >= 0",
        ),
        (
            "device.attributes['gpu.product'] == 'NVIDIA-H100-80GB-HBM3'",
            f'{PRODUCT} == "NVIDIA H100 80GB HBM3"',
        ),
        (
            'device.attributes["gpu.nvidia.com"].memory >= 80.GiB',
            f'{MEMORY}.compareTo(quantity("80Gi")) >= 0',
        ),
        (
            'device.attributes["gpu.nvidia.com"].memory.value >= 80Gi',
            f'{MEMORY}.compareTo(quantity("80Gi")) >= 0',
        ),
        (
            'device.attributes["nvidia.com/gpu-memory"].quantity >= quantity("24Gi")',
            f'{MEMORY}.compareTo(quantity("24Gi")) >= 0',
        ),
        (
            'device.attributes["gpu.nvidia.com"].memory.isGreaterThan("16Gi")',
            f'{MEMORY}.isGreaterThan(quantity("16Gi"))',
        ),
        (
            'device.driver.name == "nvidia.com" and device.attributes["model"].string == "H100"',
            f'device.driver == "gpu.nvidia.com" && {PRODUCT}.contains("H100")',
        ),
        (
            'device.attributes["gpu.nvidia.com"].family == "blackwell"',
            'device.attributes["gpu.nvidia.com"].architecture == "Blackwell"',
        ),
        (f'{PRODUCT}.startswith("NVIDIA")', f'{PRODUCT}.startsWith("NVIDIA")'),
        (
            f'{MEMORY}.isGreaterThanOrEqual(quantity("40Gi"))',
            f'{MEMORY}.compareTo(quantity("40Gi")) >= 0',
        ),
        (f'{MEMORY}.is_less_than(quantity("40Gi"))', f'{MEMORY}.isLessThan(quantity("40Gi"))'),
        (
            'device.attributes.get("gpu.nvidia.com").hasKey("uuid")',
            '"uuid" in device.attributes["gpu.nvidia.com"]',
        ),
        (
            f'{PRODUCT} in ["H100", "A100"]',
            f'({PRODUCT}.contains("H100") || {PRODUCT}.startsWith("NVIDIA A100"))',
        ),
        (f'{PRODUCT}.toLowerCase().includes("h100")', f'{PRODUCT}.lowerAscii().contains("h100")'),
    ],
)
def test_an_expression_is_written_right(written: str, right: str) -> None:
    assert NVIDIA is not None
    assert written_right(written, [NVIDIA], DRIVERS) == right
    server = ApiServer(newest_release(), newest_release().features())
    assert server.expression(right, "new").accepted
    assert not [e for e in check_selector(right, DRIVERS) if isinstance(e.facts, Cause)]
    assert written_right(right, [NVIDIA], DRIVERS) == right


@pytest.mark.parametrize(
    "written",
    [
        'device.attributes["gpu.acme.com"].model == "A100"',
        'device.driver == "gpu.acme.com" && device.capacity["gpu.acme.com"].memory.isGreaterThan(quantity("1Gi"))',
        f'{PRODUCT} == "NVIDIA L4"',
        f'has({MEMORY}) // the "H100" == only\n&& {MEMORY}.isGreaterThan(quantity("1Gi"))',
    ],
)
def test_what_nothing_is_known_of_or_is_right_stays(written: str) -> None:
    assert NVIDIA is not None
    assert written_right(written, [NVIDIA], DRIVERS) == written


GPU = {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig"}


@pytest.mark.parametrize(
    ("driver", "written", "right", "left"),
    [
        (
            "gpu.nvidia.com",
            {"apiVersion": "gpu.nvidia.com/v1alpha1", "kind": "GpuConfig", "sharing": {"strategy": "MPS", "mps": {"activeThreadPercentage": 50}}},
            {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", "sharing": {"strategy": "MPS", "mpsConfig": {"defaultActiveThreadPercentage": 50}}},
            {},
        ),
        (
            "gpu.nvidia.com",
            {"sharing": {"strategy": "TimeSlicing", "timeSlicing": {"replicas": 4}}},
            {"apiVersion": "resource.nvidia.com/v1beta1", "kind": "GpuConfig", "sharing": {"strategy": "TimeSlicing"}},
            {("sharing", "timeSlicingConfig", "replicas"): "remove it: any number of pods that name one ResourceClaim (resourceClaimName) share its device"},
        ),
        ("gpu.nvidia.com", {"sharing": "timeslicing"}, {**GPU, "sharing": {"strategy": "TimeSlicing"}}, {}),
        ("gpu.nvidia.com", {"sharing": {"strategy": "None"}}, None, {("sharing", "strategy"): "a device that is not shared has no sharing"}),
        ("gpu.nvidia.com", {"sharing": {"strategy": "TimeSlicing", "interval": "Long"}}, {**GPU, "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Long"}}}, {}),
        ("gpu.nvidia.com", {"sharing": {"type": "TimeSlicing", "timeSliceInterval": "Long"}}, {**GPU, "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Long"}}}, {}),
        ("gpu.nvidia.com", {"sharing": {"mps": {"activeThreadPercentage": "50%"}}}, {**GPU, "sharing": {"strategy": "MPS", "mpsConfig": {"defaultActiveThreadPercentage": 50}}}, {}),
        (
            "gpu.nvidia.com",
            {"sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "10ms"}}},
            {**GPU, "sharing": {"strategy": "TimeSlicing"}},
            {("sharing", "timeSlicingConfig", "interval"): "one of Default, Short, Medium, Long"},
        ),
        ("gpu.acme.com", {"x": 1}, {"x": 1}, {}),
    ],
)  # fmt: skip
def test_parameters_are_written_right(
    driver: str, written: dict[str, Any], right: dict[str, Any], left: dict[Any, str]
) -> None:
    before = repr(written)
    assert written_parameters(driver, written, DRIVERS) == (right, left)
    assert repr(written) == before


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("nvidia.com/gpu", "gpu.nvidia.com"),
        ("nvidia.com/gpu.shared", "gpu.nvidia.com"),
        ("nvidia.com/mig-1g.10gb", "mig.nvidia.com"),
        ("vfio.nvidia.com", "vfio.gpu.nvidia.com"),
        ("habana.ai/gaudi", "gaudi.intel.com"),
        ("dranet", None),  # others install the classes of DRANET
        ("my-class", None),
    ],
)
def test_the_class_that_a_name_means(name: str, meant: str | None) -> None:
    assert class_meant(name, DRIVERS) == meant

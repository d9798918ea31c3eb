"""Extended resources and node labels in the names of DRA drivers."""

from __future__ import annotations

import pytest

from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.device_plugin import (
    find_labels,
    find_resources,
    label_form,
    translate_label,
)

CATALOGUE = Catalogue()


@pytest.mark.parametrize(
    ("resource", "driver", "device_class", "selector"),
    [
        ("nvidia.com/gpu", "gpu.nvidia.com", "gpu.nvidia.com", None),
        (
            "nvidia.com/mig-1g.5gb",
            "gpu.nvidia.com",
            "mig.nvidia.com",
            'device.attributes["gpu.nvidia.com"].profile == "1g.5gb"',
        ),
        (
            "nvidia.com/mig-1g.5gb.me",
            "gpu.nvidia.com",
            "mig.nvidia.com",
            'device.attributes["gpu.nvidia.com"].profile == "1g.5gb+me"',
        ),
        (
            "amd.com/gpu",
            "gpu.amd.com",
            "gpu.amd.com",
            'device.attributes["gpu.amd.com"].type == "amdgpu"',
        ),
        (
            "amd.com/cpx_nps4",
            "gpu.amd.com",
            "gpu.amd.com",
            'device.attributes["gpu.amd.com"].?partitionProfile.orValue("") == "cpx_nps4"',
        ),
        ("habana.ai/gaudi", "gaudi.intel.com", "gaudi.intel.com", None),
        ("google.com/tpu", "tpu.google.com", "tpu.google.com", None),
        ("hugepages-2Mi", "dra.memory", "dra.hugepages-2m", None),
        ("nvidia.com/gpu.shared", "gpu.nvidia.com", None, None),
    ],
)
def test_extended_resources(
    resource: str, driver: str, device_class: str | None, selector: str | None
) -> None:
    found = find_resources(resource, CATALOGUE)
    first = next(match for match in found if match.driver.name == driver)
    assert (first.resource.device_class, first.selector) == (device_class, selector)


def test_a_resource_may_have_several_drivers_and_an_unknown_one_has_none() -> None:
    drivers = {match.driver.name for match in find_resources("nvidia.com/gpu", CATALOGUE)}
    assert drivers == {"gpu.nvidia.com", "hami-core-gpu.project-hami.io"}
    assert find_resources("example.com/foo", CATALOGUE) == ()
    assert find_labels("example.com/foo", CATALOGUE) == ()


NVIDIA = 'device.attributes["gpu.nvidia.com"]'


@pytest.mark.parametrize(
    ("key", "value", "selector", "certain"),
    [
        (
            "nvidia.com/gpu.product",
            "NVIDIA-A100-SXM4-80GB",
            f'{NVIDIA}.productName == "NVIDIA A100-SXM4-80GB"',
            True,
        ),
        (
            "nvidia.com/gpu.product",
            "NVIDIA-H100-80GB-HBM3",
            f'{NVIDIA}.productName == "NVIDIA H100 80GB HBM3"',
            True,
        ),
        ("nvidia.com/gpu.product", "NVIDIA-X1-YZ", None, False),
        ("nvidia.com/gpu.family", "ada-lovelace", f'{NVIDIA}.architecture == "Ada Lovelace"', True),
        ("nvidia.com/gpu.compute.major", "9", f"{NVIDIA}.cudaComputeCapability.major() == 9", True),
        (
            "nvidia.com/cuda.driver-version.full",
            "580.126.09",
            f'{NVIDIA}.driverVersion.compareTo(semver("580.126.9")) == 0',
            True,
        ),
        (
            "nvidia.com/gpu.memory",
            "81559",
            'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("81559Mi")) >= 0',
            False,
        ),
        ("nvidia.com/gpu.memory", "much", None, False),
        ("nvidia.com/gpu.count", "8", None, True),
        (
            "amd.com/gpu.device-id",
            "74a1",
            'device.attributes["gpu.amd.com"].deviceID == "0x74a1"',
            True,
        ),
        (
            "gpu.intel.com/device-id.0300-56a5.present",
            "true",
            'device.attributes["gpu.intel.com"].pciId == "0x56a5"',
            True,
        ),
        (
            "gpu.intel.com/product",
            "Flex_170",
            'device.attributes["gpu.intel.com"].model == "Flex 170"',
            True,
        ),
        (
            "cloud.google.com/gke-accelerator-count",
            "4",
            'device.attributes["tpu.google.com"].chipCount == 4',
            True,
        ),
        ("cloud.google.com/gke-accelerator", "nvidia-unheard-of", None, False),
    ],
)
def test_labels(key: str, value: str, selector: str | None, certain: bool) -> None:
    (match,) = find_labels(key, CATALOGUE)
    translation = translate_label(match, key, value)
    assert (translation.selector, translation.certain) == (selector, certain)
    assert certain or translation.reason


def test_every_product_name_survives_the_way_to_its_label_and_back() -> None:
    (match,) = find_labels("nvidia.com/gpu.product", CATALOGUE)
    gpu = match.driver.device_type("gpu")
    assert gpu is not None
    product = gpu.attribute("gpu.nvidia.com", "productName")
    assert product is not None
    for name in product.examples:
        label = label_form(str(name))
        selector = translate_label(match, "nvidia.com/gpu.product", label).selector
        assert selector == f'{NVIDIA}.productName == "{name}"'

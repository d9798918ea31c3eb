"""Names that are where their domain belongs are written with it, for the drivers at hand."""

from __future__ import annotations

import pytest

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.drivers.suggestions.domains import with_domain
from dradsl.lint.engine.run import lint_text

NVIDIA = 'device.attributes["gpu.nvidia.com"]'
MEMORY = 'device.capacity["gpu.nvidia.com"].memory'


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ('device.attributes["productName"] == "x"', f'{NVIDIA}.productName == "x"'),
        ('device.attributes.productName == "x"', f'{NVIDIA}.productName == "x"'),
        ('"x" != device.attributes["model"]', f'"x" != {NVIDIA}.productName'),
        (
            'device.attributes["memory"].quantity >= quantity("80Gi")',
            f'{MEMORY}.compareTo(quantity("80Gi")) >= 0',
        ),
        (
            'device.attributes["vram"].comparableInt < quantity("80Gi")',
            f'{MEMORY}.compareTo(quantity("80Gi")) < 0',
        ),
        ('device.attributes["nothingOfIt"] == "x"', None),
        ('device.attributes["gpu.nvidia.com"] == "x"', None),
        (
            'device.attributes["memory"].quantity >= 80',
            f'{MEMORY}.compareTo(quantity("80Gi")) >= 0',
        ),
        ("device.memory >= 80", f'{MEMORY}.compareTo(quantity("80Gi")) >= 0'),
        ('device.attributes["memory"] >= "80Gi"', f'{MEMORY}.compareTo(quantity("80Gi")) >= 0'),
        ('gpu.product == "x"', f'{NVIDIA}.productName == "x"'),
        ('device.attributes["driver"] == "x"', 'device.driver == "x"'),
        ('device.name == "gpu-0"', None),
        ("device.nothingOfIt == 1", None),
        ("device.attributes[", None),
    ],
)
def test_the_domain_of_the_only_driver_is_written(text: str, fixed: str | None) -> None:
    driver = shipped_catalogue().get("gpu.nvidia.com")
    assert driver is not None
    found = next(with_domain(text, [driver]), None)
    written = None if found is None else text[: found.start] + found.text + text[found.end :]
    assert written == fixed


def test_names_of_several_drivers_are_left_to_the_author() -> None:
    shipped = shipped_catalogue()
    drivers = [shipped.get(name) for name in ("gpu.nvidia.com", "gpu.amd.com")]
    text = 'device.attributes["productName"] == "x"'
    assert next(with_domain(text, [each for each in drivers if each is not None]), None) is None


@pytest.mark.parametrize(
    "text",
    [
        'device.attributes["productName"] == "NVIDIA H200"',
        'device.attributes["memory"].quantity >= quantity("80Gi")',
    ],
)
def test_the_finding_offers_it(text: str) -> None:
    claim = f"""\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: own}}
spec: {{selectors: [{{cel: {{expression: 'device.driver == "gpu.nvidia.com" && {text}'}}}}]}}
"""
    (found,) = lint_text(claim, "x.yaml").findings
    assert found.code == "DRA102"
    assert found.fix is not None
    assert "gpu.nvidia.com" in found.fix.edits[0].new_text


@pytest.mark.parametrize(
    ("read", "meant"),
    [
        ('["gpu.nvidia.com/productName"].StringValue', f"{NVIDIA}.productName"),
        ('["gpu.nvidia.com/productName"].stringValue', f"{NVIDIA}.productName"),
        ('["gpu.nvidia.com/mig-profile"].string', f"{NVIDIA}.profile"),
    ],
)
def test_a_name_with_its_domain_in_one_key(read: str, meant: str) -> None:
    """What Go or a slice writes behind it is no name; and a name of labels is that of the attribute."""
    text = f"""\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: c}}
spec:
  selectors:
  - cel: {{expression: 'device.attributes{read} == "x"'}}
"""
    (found,) = [each for each in lint_text(text).findings if each.code == "DRA202"]
    assert str(found.help).startswith(f"write {meant}")
    assert found.fix is not None
    assert found.fix.title == f"write {meant}"

"""Names of products that are nearly right, and amounts that no product has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from dradsl.diagnostics import Severity
from dradsl.drivers.judge.case import SelectorContext
from dradsl.drivers.judge.check import check_selector
from dradsl.drivers.judge.selector_facts import ImplausibleAmount, ValueNotPublished
from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.model import AttributeSchema, CapacitySchema
from dradsl.drivers.schema.recorded import recorded_devices
from dradsl.drivers.schema.sharpen import sharpened
from dradsl.values.quantity import Quantity
from tests.drivers.codes import severity_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.drivers.schema.model import DriverSchema
    from dradsl.observations import Observation

CATALOGUE = Catalogue()
SCHEMAS = Path(__file__).parents[2] / "schemas" / "drivers"
LISTS: dict[str, Any] = yaml.safe_load((SCHEMAS / "_products.yaml").read_text("utf-8"))["lists"]


def names_of(plain: dict[str, Any]) -> list[str]:
    return [name for family in plain["families"].values() for name in family]


def schema_of(driver: str) -> DriverSchema:
    schema = CATALOGUE.get(driver)
    assert schema is not None
    return schema


def found(
    condition: str, driver: str, catalogue: Catalogue = CATALOGUE, of: str | None = None
) -> list[Observation]:
    """What is said of a condition on the devices of the class `of`, which the driver installs."""
    (known,) = [c for c in schema_of(driver).classes if c.name == (of or driver)]
    context = SelectorContext(before=known.selectors, class_name=known.name, class_known=True)
    return check_selector(condition, catalogue, context)


def product(text: str, driver: str = "gpu.nvidia.com", catalogue: Catalogue = CATALOGUE) -> Any:
    access = f'device.attributes["{driver}"].productName'
    seen = found(f'{access} == "{text}"', driver, catalogue)
    assert all(severity_of(each) is not Severity.ERROR for each in seen)
    facts = [each.facts for each in seen if isinstance(each.facts, ValueNotPublished)]
    return facts[0] if facts else None


# What people write, and one of the names that it stands for.
NEARLY = {
    "NVIDIA H100": "NVIDIA H100 80GB HBM3",
    "NVIDIA A100": "NVIDIA A100 80GB PCIe",
    "NVIDIA A100-SXM4": "NVIDIA A100-SXM4-40GB",
    "NVIDIA H100 80GB": "NVIDIA H100 80GB HBM3",
    "NVIDIA H100 80 GB HBM3": "NVIDIA H100 80GB HBM3",
    "NVIDIA-H100-80GB-HBM3": "NVIDIA H100 80GB HBM3",
    "NVIDIA RTX PRO 6000": "NVIDIA RTX PRO 6000 Blackwell Server Edition",
    "NVIDIA RTX 4090": "NVIDIA GeForce RTX 4090",
    "Tesla V100": "Tesla V100-SXM2-32GB",
    "NVIDIA T4": "Tesla T4",
    "NVIDIA Tesla T4": "Tesla T4",
    "NVIDIA Hopper H100": "NVIDIA H100 PCIe",
    "nvidia h100": "NVIDIA H100 NVL",
    "NVIDIA GB200 ": "NVIDIA GB200",
    "NVIDIA L40s": "NVIDIA L40S",
    "NVDIA L40S": "NVIDIA L40S",
    "A100": "NVIDIA A100-PCIE-40GB",
}


@pytest.mark.parametrize(("text", "meant"), NEARLY.items())
def test_a_name_that_is_nearly_right_is_named_with_the_right_one(text: str, meant: str) -> None:
    facts = product(text)
    assert meant in facts.candidates
    assert all(name not in LISTS["nvidia"]["rare"] for name in facts.candidates)


@pytest.mark.parametrize("name", [n for n in names_of(LISTS["nvidia"]) if n != "NVIDIA H100"])
def test_a_name_of_the_list_is_right(name: str) -> None:
    assert product(name) is None


@pytest.mark.parametrize("text", ["NVIDIA R100", "NVIDIA H300", "NVIDIA A100-SXM-80GB"])
def test_another_number_is_another_product(text: str) -> None:
    """The list is not closed: nothing is said of a card that it does not know."""
    assert product(text) is None


def test_the_name_with_blanks_of_a_driver_that_writes_underscores() -> None:
    facts = product("AMD_Instinct_MI300X", "gpu.amd.com")
    assert facts.candidates == ("AMD_Instinct_MI300X_OAM",)


def test_another_generation_is_never_suggested() -> None:
    (seen,) = found('device.attributes["tpu.google.com"].tpuGen == "v5f"', "tpu.google.com")
    assert isinstance(seen.facts, ValueNotPublished)
    assert seen.facts.meant is None


@pytest.mark.parametrize(
    ("test", "meant"), [('contains("h100")', "H100"), ('contains("H100-80GB")', "H100 80GB")]
)
def test_a_part_of_a_name_in_another_spelling(test: str, meant: str) -> None:
    access = 'device.attributes["gpu.nvidia.com"].productName'
    (seen,) = found(f"{access}.{test}", "gpu.nvidia.com")
    assert isinstance(seen.facts, ValueNotPublished)
    assert seen.facts.meant == meant
    assert seen.fix is not None
    assert seen.fix.text == f'"{meant}"'


def test_recorded_slices_decide() -> None:
    """A recorded name is right, and goes before the others where a text may stand for several."""
    driver = "gpu.nvidia.com"
    devices = [
        {
            "name": f"gpu-{index}",
            "attributes": {"type": {"string": "gpu"}, "productName": {"string": name}},
        }
        for index, name in enumerate(["NVIDIA H100", "NVIDIA A100-SXM4-80GB CUSTOM"])
    ]
    known = sharpened(CATALOGUE, list(recorded_devices(devices, driver)))
    assert product("NVIDIA H100", catalogue=known) is None
    assert product("NVIDIA A100-SXM4-80GB CUSTOM", catalogue=known) is None
    facts = product("NVIDIA A100-SXM4-80GB CUSTOMS", catalogue=known)
    assert facts.meant == "NVIDIA A100-SXM4-80GB CUSTOM"


AMOUNTS = {"80Ti": "80Gi", "2Ti": "2Gi", "400Ti": None, "80": "80Gi", "1Pi": None}


@pytest.mark.parametrize(("amount", "meant"), AMOUNTS.items())
def test_an_amount_far_from_all_products(amount: str, meant: str | None) -> None:
    access = 'device.capacity["gpu.nvidia.com"].memory'
    (seen,) = found(f'{access}.compareTo(quantity("{amount}")) >= 0', "gpu.nvidia.com")
    assert isinstance(seen.facts, ImplausibleAmount)
    assert seen.facts.meant == meant
    assert severity_of(seen) is Severity.WARNING


def test_an_amount_of_the_next_generation_is_none() -> None:
    access = 'device.capacity["gpu.nvidia.com"].memory'
    assert found(f'{access}.compareTo(quantity("1Ti")) >= 0', "gpu.nvidia.com") == []
    # an upper bound lets devices through
    assert found(f'{access}.compareTo(quantity("2Ti")) < 0', "gpu.nvidia.com") == []


def test_a_count_with_the_unit_of_memory() -> None:
    condition = 'device.capacity["gpu.nvidia.com"].multiprocessors.compareTo(quantity("14Gi")) >= 0'
    (seen,) = found(condition, "gpu.nvidia.com", of="mig.nvidia.com")
    assert isinstance(seen.facts, ImplausibleAmount)


def entries() -> Iterator[AttributeSchema | CapacitySchema]:
    for driver in CATALOGUE.names():
        for kind in schema_of(driver).device_types:
            yield from kind.attributes.values()
            yield from kind.capacities.values()


def test_examples_and_measured_amounts_lie_within_the_vocabulary() -> None:
    lists = ranges = 0
    for entry in entries():
        if isinstance(entry, AttributeSchema) and entry.products is not None:
            lists += 1
            names = [str(each) for each in entry.examples if "[" not in str(each)]
            assert set(names) <= set(entry.products.names), entry.qualified
        if isinstance(entry, CapacitySchema) and entry.range is not None:
            for amount in (entry.examples or {}).values():
                ranges += 1
                low, high = str(entry.range.minimum), str(entry.range.maximum)
                assert Quantity.parse(low) <= Quantity.parse(amount) <= Quantity.parse(high)
    assert lists >= 5
    assert ranges >= 10


@pytest.mark.parametrize("name", LISTS)
def test_each_list_says_where_it_comes_from_and_whether_it_is_closed(name: str) -> None:
    plain = LISTS[name]
    assert plain["closed"] is False  # a closed list is `values` of its attribute
    assert plain["sources"]
    names = names_of(plain)
    assert len(names) == len(set(names))
    assert set(plain.get("rare", {})) <= set(names)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("NVIDIA H100 80GB HBM", "NVIDIA H100 80GB HBM3"),
        ("NVIDIA A100-SXM4-40G", "NVIDIA A100-SXM4-40GB"),
        ("NVIDIA GB20", None),
        ("NVIDIA H", None),
    ],
)
def test_a_name_whose_end_is_cut_off(written: str, meant: str | None) -> None:
    condition = f'device.attributes["gpu.nvidia.com"].productName == "{written}"'
    facts = [one.facts for one in found(condition, "gpu.nvidia.com")]
    near = {name for one in facts if isinstance(one, ValueNotPublished) for name in one.candidates}
    assert (meant in near) if meant else not near

"""Mistakes that are certain by what the builders know: they fail, and what is like them does not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from dradsl import (
    App,
    Config,
    DeviceClass,
    FirstAvailable,
    Request,
    ResourceClaimTemplate,
    Toleration,
    same,
)
from dradsl.devices.google import tpu
from dradsl.devices.nvidia import MPS, GpuConfig, TimeSlicing, gpu, mig
from dradsl.releases import RELEASES

H100 = gpu.productName == "NVIDIA H100 80GB HBM3"
OLD = Toleration.exists("example.com/old")


def codes(*alternatives: Request, **more: Any) -> tuple[str, ...]:
    """What lint finds of alternatives in this order."""
    app = App(for_release="1.36")
    app.add(
        ResourceClaimTemplate(
            "t", namespace="ml", requests=[FirstAvailable("g", *alternatives)], **more
        )
    )
    return tuple(one.code for one in app.lint().at_least("warning"))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Request("a", gpu), Request("b", gpu, select=gpu.memory >= "79Gi")),
        (
            Request("a", gpu, select=gpu.memory >= "40Gi"),
            Request("b", gpu, select=gpu.memory >= "79Gi"),
        ),
        (
            Request("a", gpu, select=gpu.productName.startswith("NVIDIA")),
            Request("b", gpu, count=2, select=H100),
        ),
        (
            Request("a", gpu, select=gpu.numaNode == 0, tolerations=[OLD]),
            Request("b", gpu, select=[gpu.numaNode == 0, gpu.memory >= "40Gi"]),
        ),
    ],
)
def test_an_alternative_that_asks_for_no_less_is_never_chosen(
    first: Request, second: Request
) -> None:
    assert codes(first, second) == ("DRA331",)
    assert codes(second, first) == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Request("a", gpu, count=2), Request("b", gpu)),
        (
            Request("a", gpu, select=gpu.memory >= "79Gi"),
            Request("b", gpu, count=2, select=gpu.memory >= "40Gi"),
        ),
        (
            Request("a", gpu, select=gpu.productName == "NVIDIA L4"),
            Request("b", gpu, select=gpu.memory >= "40Gi"),
        ),
        (Request("a", gpu), Request("b", gpu, tolerations=[OLD])),
        (Request("a", gpu), Request("b", gpu, allocation_mode="All")),
        (Request("a", gpu), Request("b", mig, select=mig.profile == "1g.10gb")),
        (
            Request("a", gpu, select="device.attributes['example.org'].x == 1"),
            Request("b", gpu, select="device.attributes['example.org'].x == 2"),
        ),
    ],
)
def test_an_alternative_that_may_be_chosen(first: Request, second: Request) -> None:
    assert "DRA331" not in codes(first, second)


def test_a_constraint_on_the_first_one_alone_makes_the_second_possible() -> None:
    first = Request("a", gpu, count=2)
    second = Request("b", gpu, count=2, select=gpu.memory >= "40Gi")
    assert "DRA331" in codes(first, second)
    assert "DRA331" not in codes(first, second, constraints=[same(gpu.pcieRoot, first)])


@pytest.mark.parametrize("in_class", [False, True])
def test_a_product_has_one_architecture(in_class: bool) -> None:
    kind = DeviceClass("h100", select=gpu & H100) if in_class else gpu
    right = Request(
        "g", kind, select=[H100, gpu.architecture.in_(["Ampere", "Hopper"]), gpu.memory >= "40Gi"]
    )
    ResourceClaimTemplate("t", requests=[right])
    wrong = Request(
        "g", kind, select=[*(() if in_class else (H100,)), gpu.architecture == "Ampere"]
    )
    for requests in ([wrong], [FirstAvailable("f", wrong)]):
        with pytest.raises(ValueError, match="HBM3' is 'Hopper', and never 'Ampere'"):
            ResourceClaimTemplate("t", requests=requests)
    new = Request("g", gpu, select=[gpu.productName == "NVIDIA X1", gpu.architecture == "Ampere"])
    ResourceClaimTemplate("t", requests=[new])


def test_two_configurations_of_a_kind() -> None:
    one, other = Request("one", gpu), Request("other", gpu)
    mps, slices = GpuConfig(sharing=MPS()), GpuConfig(sharing=TimeSlicing())

    def claim(*configs: Config | GpuConfig) -> ResourceClaimTemplate:
        return ResourceClaimTemplate("t", requests=[one, other], configs=configs)

    for configs, what in (
        ((mps, slices), "all requests"),
        ((Config(mps, one), Config(slices, one)), "one"),
        ((Config(mps, one, other), Config(slices, other, one)), "one, other"),
    ):
        with pytest.raises(
            ValueError, match=f"only one: GpuConfig of gpu.nvidia.com for {what} is there twice"
        ):
            claim(*configs)
    claim(mps, Config(slices, one))
    claim(Config(mps, one), Config(slices, other))


def test_another_name_of_a_generation() -> None:
    with pytest.raises(ValueError, match='never "v5e"; did you mean "v5litepod"'):
        _ = tpu.tpuGen == "v5e"


def test_editors_complete_the_releases() -> None:
    source = Path(__file__).parents[2] / "dradsl" / "releases" / "__init__.py"
    [line] = re.findall(r"ReleaseName: TypeAlias = (.*)", source.read_text("utf-8"))
    assert re.findall(r'"([\d.]+)"', line) == [*RELEASES]

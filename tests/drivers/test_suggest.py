"""The name that was probably meant, and when it is better to say nothing."""

from __future__ import annotations

import pytest

from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.drivers.schema.suggest import closest, distance, listed, near_domain

NAMES = Catalogue().names()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gpu.nvida.com", "gpu.nvidia.com"),
        ("gpu.nvidia.con", "gpu.nvidia.com"),
        ("gaudy.intel.com", "gaudi.intel.com"),
        ("dra.memroy", "dra.memory"),
        ("npu.rebelions.ai", "npu.rebellions.ai"),
        ("sriovnetworks.k8snetworkplumbingwg.io", "sriovnetwork.k8snetworkplumbingwg.io"),
        # drivers of their own
        ("npu.intel.com", None),
        ("gpu.arm.com", None),
        ("gpu.ibm.com", None),
        ("dra.gpu", None),
        ("dra.nvme", None),
        ("gpu.example.org", None),
        ("example.com", None),
        ("", None),
    ],
)
def test_drivers_that_differ_by_a_slip(name: str, meant: str | None) -> None:
    assert near_domain(name, NAMES) == meant


@pytest.mark.parametrize(
    ("name", "known", "mistaken", "meant"),
    [
        ("model", ["productName", "mode"], {"model": "productName"}, "productName"),
        ("PRODUCTNAME", ["productName"], {}, "productName"),
        ("product-name", ["productName"], {}, "productName"),
        ("prodcutName", ["productName", "profile"], {}, "productName"),
        ("slice", ["memorySlice"], {}, "memorySlice"),
        ("xyz", ["productName"], {}, None),
        ("a", [], {}, None),
    ],
)
def test_names(name: str, known: list[str], mistaken: dict[str, str], meant: str | None) -> None:
    assert closest(name, known, mistaken) == meant


def test_distance_counts_a_swap_once() -> None:
    assert distance("memroy", "memory") == 1
    assert distance("", "abc") == 3
    assert distance("same", "same") == 0


def test_long_lists_are_cut() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed("abcdef", 3) == "a, b, c, …"

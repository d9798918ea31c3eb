"""The name that is suggested for one that is not there: what a slip of the keyboard makes of it, and nothing else."""

from __future__ import annotations

import pytest

from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.lint.rules.references.lookup import near_name


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("gpu.nvida.com", "gpu.nvidia.com"),
        ("gpu.nvdiia.com", "gpu.nvidia.com"),
        ("gpu.nivdia.com", "gpu.nvidia.com"),
        ("gpus.nvidia.com", "gpu.nvidia.com"),
        ("mig-nvidia.com", "mig.nvidia.com"),
        ("gpu.intelc.om", "gpu.intel.com"),
        ("gpun.vidia.com", "gpu.nvidia.com"),
        ("gpu.amd.co", "gpu.amd.com"),
        # More than one letter: another name.
        ("nvidia.com", None),
        ("gpu.nvidia", None),
        # A letter of a short word.
        ("npu.nvidia.com", None),
        ("imex.nvidia.com", None),
        ("storage.google.com", None),
        ("npu-310p-mem6.example.com", None),
        ("h100-training", None),
    ],
)
def test_a_class(written: str, meant: str | None) -> None:
    assert next(near_name(written, sorted(Catalogue().index().classes)), None) == meant


@pytest.mark.parametrize(
    ("written", "other", "near"),
    [
        ("gpu-a100", "gpu-h100", False),
        ("gpu-l40s", "gpu-l40x", False),
        ("plexx", "plex", True),
        ("one-gpus", "one-gpu", True),
        ("trainign", "training", True),
        ("mygpu", "my-gpu", True),
        ("gpu-a", "gpu-b", False),
        ("gpu", "gpu-b", False),
        ("claim-1", "claim-2", False),
        ("claim", "claim1", False),
        ("my-claim", "pg-claim", False),
        ("cpu", "gpu", False),
        ("same", "same", False),
    ],
)
def test_a_name(written: str, other: str, *, near: bool) -> None:
    assert [*near_name(written, (other,))] == [other] * near
    assert [*near_name(other, (written,))] == [written] * near


def test_of_very_many_names_those_near_in_the_alphabet() -> None:
    names = sorted(f"of-{number:05}-claim" for number in range(5000))
    assert [*near_name("of-04000-claims", names)] == ["of-04000-claim"]

"""DRA412: the class that is suggested for one that is not there."""

from __future__ import annotations

import pytest

from dradsl.drivers.schema.catalogue import Catalogue
from dradsl.lint.rules.references.missing_device_class import near_class


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("nvidia.com", "gpu.nvidia.com"),
        ("gpu.nvidia", "gpu.nvidia.com"),
        ("gpu.nvida.com", "gpu.nvidia.com"),
        ("mig-nvidia.com", "mig.nvidia.com"),
        ("gpus.nvidia.com", "gpu.nvidia.com"),
        ("gpu.amd.co", "gpu.amd.com"),
        # A common domain is no likeness: these are classes of somebody else.
        ("imex.nvidia.com", None),
        ("storage.google.com", None),
        ("npu-310p-mem6.example.com", None),
        ("h100-training", None),
    ],
)
def test_suggestion(written: str, meant: str | None) -> None:
    assert near_class(written, sorted(Catalogue().index().classes)) == meant

"""Which module of `dradsl.devices` holds the handles of a driver; `dradsl schema export DRIVER --as python` writes others."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MODULES", "module_of"]

# Module of dradsl.devices -> the drivers whose handles it holds.
MODULES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "amd": ("gpu.amd.com",),
        "aws": ("neuron.aws.com",),
        "cpu": ("dra.cpu",),
        "dranet": ("dra.net",),
        "example": ("gpu.example.com", "net.example.com", "cpu.example.com"),
        "google": ("tpu.google.com",),
        "intel": ("gpu.intel.com", "gaudi.intel.com", "qat.intel.com"),
        "nvidia": ("gpu.nvidia.com", "compute-domain.nvidia.com"),
    }
)


def module_of(driver: str) -> str | None:
    """The module of `dradsl.devices` that holds the handles of `driver`."""
    return next((name for name, drivers in MODULES.items() if driver in drivers), None)

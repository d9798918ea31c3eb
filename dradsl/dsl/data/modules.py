"""Which module of `dradsl.devices` holds the handles of a driver."""

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
        "furiosa": ("npu.furiosa.ai",),
        "google": ("tpu.google.com",),
        "hami": ("hami-core-gpu.project-hami.io", "ascend.project-hami.io"),
        "hygon": ("dra.hygon.com",),
        "ibm": ("spyre.ibm.com",),
        "intel": ("gpu.intel.com", "gaudi.intel.com", "qat.intel.com"),
        "memory": ("dra.memory",),
        "nvidia": ("gpu.nvidia.com", "compute-domain.nvidia.com"),
        "rebellions": ("npu.rebellions.ai",),
        "sriov": ("sriovnetwork.k8snetworkplumbingwg.io",),
        "tenstorrent": ("tenstorrent.com",),
    }
)


def module_of(driver: str) -> str | None:
    """The module of `dradsl.devices` that holds the handles of `driver`."""
    return next((name for name, drivers in MODULES.items() if driver in drivers), None)

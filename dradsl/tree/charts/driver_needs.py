"""What a cluster needs according to the drivers' documents: feature gates of Kubernetes, and versions of kernel drivers.

Each row names the document, its commit, and what it says. Read on 2026-11-22. Releases of Kubernetes before 1.34 are
left out, as everywhere in this package. NVIDIA's and AMD's drivers ask for 1.32 or newer, those of CPUs, memory, SR-IOV and
Rebellions for 1.34.
"""

from __future__ import annotations

from dradsl.records import dataclass

__all__ = ["GATES", "KERNEL_DRIVERS", "OLD_OPERATORS", "GateNeed", "KernelNeed", "OldOperator"]

_NVIDIA = "kubernetes-sigs/dra-driver-nvidia-gpu at 95932046 of 2026-08-07"
_OPERATOR = "NVIDIA/cloud-native-docs at 52dcb7b8 of 2026-08-21, gpu-operator/dra-intro-install.rst"


@dataclass(frozen=True, slots=True)
class GateNeed:
    """A value of a chart that needs a feature gate of Kubernetes: the key at the path `key` has one of `values`."""

    chart: str  # its title in driver_charts
    key: str
    values: tuple[object, ...]
    gate: str
    what: str
    source: str


@dataclass(frozen=True, slots=True)
class KernelNeed:
    """The oldest kernel driver with which something works. The GPU operator's chart sets the version of this driver.

    Values of `chart` ask for it: `wanted` are keys with the values that they must have, and the chart's defaults.
    """

    chart: str
    wanted: tuple[tuple[str, bool, bool], ...]
    least: str
    what: str
    source: str


@dataclass(frozen=True, slots=True)
class OldOperator:
    """A key that a chart reads only from some version on."""

    chart: str
    key: str
    since: tuple[int, ...]
    source: str


_HEALTH = f"{_NVIDIA}, site/content/docs/guides/gpu-health-checking.md"
_MIG = f"{_NVIDIA}, site/content/docs/reference/feature-gates.md"
_SHARES = f"{_OPERATOR}, limitations"


def _both(
    key: str, values: tuple[object, ...], gate: str, what: str, source: str
) -> tuple[GateNeed, GateNeed]:
    """In the chart of NVIDIA's DRA driver, and below draDriver in that of the GPU operator."""
    return (
        GateNeed("NVIDIA's DRA driver", key, values, gate, what, source),
        GateNeed("NVIDIA's GPU operator", f"draDriver.{key}", values, gate, what, source),
    )


GATES: tuple[GateNeed, ...] = (
    *_both(
        "featureGates.DynamicMIG",
        (True,),
        "DRAPartitionableDevices",
        "the driver publishes MIG devices that share counters, and nothing allocates them",
        _MIG,
    ),
    *_both(
        "featureGates.NVMLDeviceHealthCheck",
        (True,),
        "DRADeviceTaints",
        "the taints by which the driver tells of broken devices are dropped",
        _HEALTH,
    ),
    *_both(
        "featureGates.ConsumableShares",
        (True,),
        "DRAConsumableCapacity",
        "devices that are shared by amount are not allocated more than once",
        _SHARES,
    ),
)

_PREREQUISITES = f"{_NVIDIA}, site/content/docs/prerequisites.md"

KERNEL_DRIVERS: tuple[KernelNeed, ...] = (
    KernelNeed(
        "NVIDIA's GPU operator",
        (("gpuCluster.deployCR", True, False),),
        "580",
        "the DRA driver of a GPUCluster",
        f"{_OPERATOR}, prerequisites",
    ),
    KernelNeed(
        "NVIDIA's DRA driver",
        (
            ("resources.computeDomains.enabled", True, True),
            ("featureGates.IMEXDaemonsWithDNSNames", True, True),
        ),
        "570.158.01",
        "the gate IMEXDaemonsWithDNSNames (on by default, for ComputeDomains)",
        _PREREQUISITES,
    ),
    KernelNeed(
        "NVIDIA's DRA driver",
        (("gpuResourcesEnabledOverride", True, False), ("resources.gpus.enabled", True, True)),
        "565",
        "GPUs by claims",
        _PREREQUISITES,
    ),
)

OLD_OPERATORS: tuple[OldOperator, ...] = (
    OldOperator(
        "NVIDIA's GPU operator",
        "gpuCluster",
        (26, 7),
        "gpu-operator values.yaml, v26.3.3 and v26.7.0",
    ),
    OldOperator(
        "NVIDIA's GPU operator",
        "draDriver",
        (26, 7),
        "gpu-operator values.yaml, v26.3.3 and v26.7.0",
    ),
)

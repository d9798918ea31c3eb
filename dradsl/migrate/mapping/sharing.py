"""What a use of a device that pods may share becomes: alone, a share, a claim for all, or admin access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.mapping.targets import Rejection, Target
from dradsl.records import replace

if TYPE_CHECKING:
    from dradsl.migrate.mapping.questions import Decisions

__all__ = ["LABEL", "may_be_shared", "shared"]

_NVIDIA = "gpu.nvidia.com"
LABEL = "resource.kubernetes.io/admin-access"

# Resources that are whole GPUs, which an answer of the user may turn into shared ones.
_GPUS = frozenset({"nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe"})

# Kubernetes lets so many pods reserve a claim (ResourceClaimReservedForMaxSize).
_CONSUMERS = 256


def may_be_shared(resource: str, decisions: Decisions) -> bool:
    """Whether an answer about sharing also applies to this resource if no evidence shows that it is shared."""
    return resource in _GPUS or resource in decisions.classes


def shared(
    target: Target, decisions: Decisions, why: str, *, told: str | None = None
) -> Target | Rejection:
    """The target for a device that pods share, with the reason `why`. `target` is the whole device, `told` the
    evidence of the run to which the answer refers."""
    answer = decisions.sharing
    if told and answer is not None:
        target = replace(target, notes=(*target.notes, f"{told}; answered: {answer}"))
    if answer is None and target.count > 1:
        return _several(target, why, named=target.resource.endswith(".shared"))
    if answer is None:
        return Rejection(
            f"{why}; a claim would take a whole device{_no_time_slicing(target)}", "sharing"
        )
    if answer == "exclusive":
        return target
    if answer == "admin-access":
        return _admin(target)
    if target.count > 1:
        return _several(target, why, named=True)
    if answer == "shared-claim":
        return _one_claim(target)
    return _share(target, why, unlimited=answer == "unlimited-shares")


def _no_time_slicing(target: Target) -> str:
    if target.driver != _NVIDIA:
        return ""
    return (
        ". GpuConfig TimeSlicing does not share a device between pods: it sets the interval among "
        "containers of one claim"
    )


def _several(target: Target, why: str, *, named: bool) -> Rejection:
    return Rejection(
        f"{why}; {target.count} shares give no more than one does, and may be of the same device: what "
        "they were meant for must be said in the manifest",
        None if named else "sharing",
    )


def _share(target: Target, why: str, *, unlimited: bool) -> Target | Rejection:
    if target.driver != _NVIDIA:
        return Rejection(
            f"{_driver(target)} is not known to publish shares of a device (ConsumableShares is "
            "that of gpu.nvidia.com): a shared claim or admin access can be chosen",
            "sharing",
        )
    number = "unlimited" if unlimited else "set to the number of replicas"
    notes: tuple[str, ...] = (
        f"needs the driver's gate ConsumableShares (alpha, off) with consumableShares {number}, and "
        "DRAConsumableCapacity in the cluster",
    )
    if unlimited:
        notes += ("nothing limits how many pods share a device",)
    if "mps" in why.lower():
        notes += ("MPS does not go with shares: its limits on memory and threads are lost",)
    capacity = {} if unlimited else {"shares": "1"}
    return replace(target, count=1, capacity=capacity, notes=(*target.notes, *notes), mode="share")


def _driver(target: Target) -> str:
    return (
        f"driver {target.driver}" if target.driver else f"the driver of class {target.device_class}"
    )


def _one_claim(target: Target) -> Target:
    notes = (
        "all pods that name this ResourceClaim share one device and run on its node, "
        f"{_CONSUMERS} of them at most; nothing keeps them apart",
        "the device is taken when the first of them starts, and free when none is left",
    )
    return replace(target, notes=(*target.notes, *notes), mode="claim")


def _admin(target: Target) -> Target:
    notes = (
        f'the namespace must have the label {LABEL}: "true", or the API server rejects the claim',
        "the pod gets all matching devices of its node, also those that others hold, and reserves none: "
        "nothing counts or limits who uses them",
        "who may create claims in a namespace with that label reaches the devices of all others: keep "
        "it to yourself",
    )
    return replace(target, count=1, notes=(*target.notes, *notes), mode="admin")

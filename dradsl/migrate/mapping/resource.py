"""What one extended resource becomes: a class with selectors, or a refusal with its question.

The correspondences are the driver schemas' (`devicePlugin.resources`); here stands what the name
alone cannot say, and what has no equivalent in DRA.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.drivers.schema.device_plugin import ResourceMatch, find_resources, quote
from dradsl.migrate.mapping.hami import annotation_selectors, unknown_mode
from dradsl.migrate.mapping.observed import Observed
from dradsl.records import dataclass, field, replace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.mapping.questions import Decisions

__all__ = ["FRACTIONS", "Hints", "Refusal", "Stays", "Target", "is_device", "target_of"]

_NVIDIA = "gpu.nvidia.com"
_MIG_CLASS = "mig.nvidia.com"
_HAMI = "hami-core-gpu.project-hami.io"

# HAMi says with these how much of each nvidia.com/gpu a container gets.
FRACTIONS = ("nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores")

# Resources that name a part of a device in ways that DRA has no word for.
_NO_EQUIVALENT: tuple[tuple[str, str], ...] = (
    (
        r"gpu\.intel\.com/(millicores|memory\.max|tiles)",
        "it is a part of a GPU as the GPU-aware scheduling extender shares it; the DRA driver "
        "hands out whole GPUs and virtual functions",
    ),
    (
        r"volcano\.sh/(v?gpu-(memory|number|cores|memory-percentage)|vgpu-.*|gpu-.*)",
        "Volcano's own scheduler divides the GPU; no DRA driver reads this amount",
    ),
    (
        r"aws\.amazon\.com/neuroncore",
        "DRA has no device per core: a NeuronConfig sets the logical cores of whole devices",
    ),
    (
        r"(aliyun\.com/gpu-mem|tencent\.com/vcuda-(core|memory)|nvidia\.com/priority)",
        "it is a part of a GPU that no DRA driver offers under this name",
    ),
)
# Classes that a schema names without the driver's own word for it.
_TO_CONFIRM = frozenset({"vpc.amazonaws.com/efa"})
_AMD_PARTITION = re.compile(r"[sdqc]px_nps[0-9]")
_PROFILE = re.compile(r"[0-9]+(c\.[0-9]+)?g\.[0-9]+gb([+.][a-z.+-]+)?")


@dataclass(frozen=True, slots=True)
class Target:
    """A request in DRA: `selectors` are CEL expressions beside those of the class.

    `capacity` holds what each device must have left. `distinct` names the attribute that keeps
    several shares on several devices.
    """

    resource: str
    driver: str
    device_class: str
    count: int
    selectors: tuple[str, ...] = ()
    capacity: Mapping[str, str] = field(default_factory=dict)
    distinct: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a use stays untranslated, and the question whose answer may change that."""

    reason: str
    question: str | None = None
    hint: str | None = None
    routes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stays:
    """A resource that DRA leaves to its device plugin: nothing is known to take its place."""

    reason: str


@dataclass(frozen=True, slots=True)
class Hints:
    """What else of the input says how a resource is meant; each is the sentence that says so.

    `profile` is a MIG profile that a node label names. `fractions` are the amounts of HAMi's
    resources beside nvidia.com/gpu in the same container, `annotations` are those of the pod.
    """

    shared: str | None = None
    mig_single: str | None = None
    hami: str | None = None
    profile: str | None = None
    fractions: Mapping[str, int] = field(default_factory=dict)
    annotations: Mapping[str, object] = field(default_factory=dict)
    observed: Observed = field(default_factory=Observed)


def is_device(resource: str, catalogue: Catalogue) -> bool:
    """Whether this is a device plugin's resource that something is known about."""
    return any(re.fullmatch(pattern, resource) for pattern, _ in _NO_EQUIVALENT) or bool(
        find_resources(resource, catalogue)
    )


def target_of(
    resource: str, count: int, decisions: Decisions, hints: Hints, catalogue: Catalogue
) -> Target | Refusal | Stays:
    """What `count` units of `resource` become."""
    for pattern, reason in _NO_EQUIVALENT:
        if re.fullmatch(pattern, resource):
            return Refusal(reason)
    if resource == "nvidia.com/gpu.shared" or resource.endswith(".shared"):
        return _shared(resource, count, decisions, f"{resource} is a share of a device")
    matches = find_resources(resource, catalogue)
    if not matches:
        return Stays(f"no DRA driver is known to take the place of {resource}")
    if resource in ("nvidia.com/gpu", *FRACTIONS) and (hints.hami or hints.fractions):
        return _fraction(resource, count, decisions, hints)
    match = _preferred(resource, matches)
    if match.resource.device_class is None:
        why = f": {match.resource.why}" if match.resource.why else ""
        return Stays(f"no class of driver {match.driver.name} takes the place of {resource}{why}")
    unsure = _unconfirmed(resource, match, decisions)
    if unsure is not None:
        return unsure
    if resource == "nvidia.com/gpu":
        return _nvidia(count, decisions, hints)
    return _plain(resource, count, match)


def _plain(resource: str, count: int, match: ResourceMatch) -> Target | Refusal:
    known = match.resource
    if known.admin_access:
        return Refusal(
            f"{resource} watches devices of others: that is a request with adminAccess, which the "
            "namespace must be labelled for (resource.kubernetes.io/admin-access)"
        )
    if known.capacity is not None:
        return Refusal(f"{resource} is an amount of {known.capacity}, not a number of devices")
    notes = []
    if resource.startswith("nvidia.com/mig-") and ("+" in resource or ".me" in resource):
        notes.append("how the driver spells this profile is not confirmed: compare with a slice")
    if resource.startswith("amd.com/") and resource != "amd.com/gpu":
        if not _AMD_PARTITION.fullmatch(resource.removeprefix("amd.com/")):
            return Refusal(f"{resource} is no partition that the AMD driver is known to publish")
        notes.append("for partitions made beforehand; AutoPartition asks for them in another way")
    if match.driver.name == "tpu.google.com":
        notes.append("a node's TPU chips go to one claim: the count must be all of them")
    selectors = (match.selector,) if match.selector else ()
    device_class = known.device_class or ""
    return Target(resource, match.driver.name, device_class, count, selectors, notes=tuple(notes))


def _nvidia(count: int, decisions: Decisions, hints: Hints) -> Target | Refusal:
    if decisions.mig_strategy == "single" or (hints.mig_single and decisions.mig_strategy is None):
        return _mig_single(count, decisions, hints)
    if decisions.sharing == "consumable-shares" or (hints.shared and decisions.sharing is None):
        return _shared("nvidia.com/gpu", count, decisions, hints.shared or "the nodes share GPUs")
    notes: tuple[str, ...] = ()
    if decisions.mig_strategy is None and decisions.sharing is None:
        notes = (
            "read as whole GPUs; say --mig-strategy single or --sharing where the nodes' device "
            "plugin hands out parts under this name",
        )
    return Target("nvidia.com/gpu", _NVIDIA, _NVIDIA, count, notes=notes)


def _mig_single(count: int, decisions: Decisions, hints: Hints) -> Target | Refusal:
    if decisions.mig_strategy is None:
        return Refusal(hints.mig_single or "", "mig-strategy", hints.profile)
    if decisions.mig_profile is None:
        reason = "with MIG strategy single nvidia.com/gpu is a MIG device, of a profile that the "
        return Refusal(reason + "manifest does not name", "mig-profile", hints.profile)
    if not _PROFILE.fullmatch(decisions.mig_profile):
        return Refusal(f"{decisions.mig_profile!r} is no MIG profile", "mig-profile")
    selector = f'device.attributes["{_NVIDIA}"].profile == {quote(decisions.mig_profile)}'
    return Target("nvidia.com/gpu", _NVIDIA, _MIG_CLASS, count, (selector,))


def _shared(resource: str, count: int, decisions: Decisions, why: str) -> Target | Refusal:
    if count > 1:
        asked = decisions.sharing is None and not resource.endswith(".shared")
        return Refusal(
            f"{why}; {count} shares of time-sliced devices give no more than one does, and may "
            "be of the same device: what they were meant for must be said in the manifest",
            "sharing" if asked else None,
        )
    if decisions.sharing == "exclusive":
        return Target(resource, _NVIDIA, _NVIDIA, count)
    if decisions.sharing is None:
        return Refusal(
            f"{why}; a claim would take a whole device. GpuConfig TimeSlicing does not share a "
            "device between pods: it sets the interval among containers of one claim",
            "sharing",
        )
    notes: tuple[str, ...] = (
        "needs the driver's gate ConsumableShares (alpha, off) with consumableShares set to the "
        "number of replicas, and DRAConsumableCapacity in the cluster",
    )
    if "mps" in why.lower():
        notes += ("MPS does not go with shares: its limits on memory and threads are lost",)
    return Target(resource, _NVIDIA, _NVIDIA, 1, capacity={"shares": "1"}, notes=notes)


def _fraction(
    resource: str, count: int, decisions: Decisions, hints: Hints
) -> Target | Refusal | Stays:
    """nvidia.com/gpu with HAMi's amounts beside it."""
    if decisions.fraction_driver is None:
        return Refusal(hints.hami or "HAMi shares the GPU by memory and cores", "fraction-driver")
    mode = unknown_mode(hints.annotations)
    if mode is not None:
        return Refusal(f"annotation nvidia.com/vgpu-mode: {mode} has no equivalent in a claim")
    memory = _memory(decisions, hints)
    if isinstance(memory, Refusal):
        return memory
    capacity = {} if memory is None else {"memory": f"{memory}Mi"}
    if decisions.fraction_driver == "hami":
        if "nvidia.com/gpucores" in hints.fractions:
            capacity["cores"] = str(hints.fractions["nvidia.com/gpucores"])
        selectors = annotation_selectors(hints.annotations, _HAMI)
        return _apart(Target(resource, _HAMI, _HAMI, count, selectors, capacity))
    if "nvidia.com/gpucores" in hints.fractions:
        return Refusal("gpu.nvidia.com has no capacity for cores: only HAMi's driver limits them")
    gate = "needs the driver's gate ConsumableShares with consumableShares: memory"
    notes = (gate,) if capacity else ()
    selectors = annotation_selectors(hints.annotations, _NVIDIA)
    return _apart(Target(resource, _NVIDIA, _NVIDIA, count, selectors, capacity, notes=notes))


def _memory(decisions: Decisions, hints: Hints) -> int | Refusal | None:
    """MiB of each card; None is all of it."""
    amount = hints.fractions.get("nvidia.com/gpumem")
    percent = hints.fractions.get("nvidia.com/gpumem-percentage", 100)
    if amount is not None or percent == 100:
        return amount
    driver = _HAMI if decisions.fraction_driver == "hami" else _NVIDIA
    part = hints.observed.mebibytes(driver, percent)
    if part is None:
        return Refusal(
            "gpumem-percentage is a part of a card whose size the manifest does not say: write "
            "nvidia.com/gpumem in MiB, or show slices in which all cards have one size (--slices)"
        )
    return part


def _apart(target: Target) -> Target:
    """HAMi gives the units of one container different cards; shares may be of the same one."""
    if target.count == 1 or not target.capacity:
        return target
    return replace(target, distinct=f"{target.driver}/uuid")


def _preferred(resource: str, matches: tuple[ResourceMatch, ...]) -> ResourceMatch:
    """Of several drivers the one of the resource's own vendor."""
    domain = resource.partition("/")[0]
    own = [match for match in matches if match.driver.name.endswith(domain)]
    return (own or list(matches))[0]


def _unconfirmed(resource: str, match: ResourceMatch, decisions: Decisions) -> Refusal | None:
    sure = match.resource.verified and match.driver.completeness != "documentation"
    if (sure and resource not in _TO_CONFIRM) or resource in decisions.accept:
        return None
    return Refusal(
        f"that class {match.resource.device_class} of driver {match.driver.name} takes the place "
        f"of {resource} is not confirmed",
        "accept",
        resource,
    )

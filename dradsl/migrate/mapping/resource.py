"""What one extended resource becomes: a class with selectors, a share, or a rejection with its question.

The correspondences are in the driver schemas (`devicePlugin.resources`), what has no equivalent in DRA is in
`schemas/migration-questions.yaml`. This module has what depends on more than the name. HAMi compares card types by part and without regard to case, each item of a
comma-separated list on its own (Project-HAMi/HAMi pkg/device/nvidia/device.go, `checkGPUtype`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from dradsl.drivers.schema.device_plugin import ResourceMatch, find_resources, quote
from dradsl.migrate.cluster.facts import INTEL, Mig
from dradsl.migrate.mapping.questions import question_file
from dradsl.migrate.places import whole
from dradsl.records import Record, field, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.mapping.questions import Decisions

__all__ = [
    "ANNOTATIONS",
    "FRACTIONS",
    "KAI_PARTS",
    "LABEL",
    "Hints",
    "Observed",
    "Rejection",
    "Stays",
    "Target",
    "is_device",
    "no_driver",
    "observe",
    "target_of",
]

_MIB = 1024 * 1024


class Observed(Record):
    """Texts by driver and attribute (its name without domain), bytes of memory by driver."""

    texts: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    memory: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def mebibytes(self, driver: str, percent: int) -> int | None:
        """A part of a card of `driver` in MiB, rounded down; None unless all have one size."""
        sizes = self.memory.get(driver, frozenset())
        return next(iter(sizes)) * percent // 100 // _MIB if len(sizes) == 1 else None


def observe(inventory: Iterable[Mapping[str, object]]) -> Observed:
    """Read recorded objects; objects other than ResourceSlices are left out."""
    from dradsl.drivers.schema.model import AttributeType
    from dradsl.drivers.schema.recorded import recorded_devices

    slices = [dict(each) for each in inventory if each.get("kind") == "ResourceSlice"]
    texts: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    memory: defaultdict[str, set[int]] = defaultdict(set)
    for device in recorded_devices(slices):
        for key, (kind, value) in device.attributes.items():
            if kind is AttributeType.STRING:
                texts[device.driver, key.rpartition("/")[2]].add(str(value))
        for key, amount in device.capacities.items():
            if key.rpartition("/")[2] == "memory":
                memory[device.driver].add(whole(amount) or 0)
    return Observed(
        {key: frozenset(found) for key, found in texts.items()},
        {key: frozenset(found) for key, found in memory.items()},
    )


# How a pod has its devices: for itself, a share of each, by a claim that other pods name too, or all of
# a node as an administrator.
Mode = Literal["exclusive", "share", "claim", "admin"]


class Target(Record):
    """A request in DRA: `selectors` are CEL expressions beside those of the class.

    `capacity` is the capacity that each device must still have. `distinct` names the attribute that keeps
    several shares on several devices. For so many `units` of the resource there is one device.
    """

    resource: str
    driver: str
    device_class: str
    count: int
    selectors: tuple[str, ...] = ()
    capacity: Mapping[str, str] = field(default_factory=dict)
    distinct: str | None = None
    notes: tuple[str, ...] = ()
    mode: Mode = "exclusive"
    units: int = 1

    @property
    def whole(self) -> bool:
        """Whether the pod has as many devices for itself as it asked the device plugin for."""
        return self.mode == "exclusive" and not self.capacity and self.units == 1

    @property
    def served_by(self) -> str:
        """Who serves the devices, as far as that is known."""
        name, of_class = self.driver, f"the driver of class {self.device_class}"
        return f"driver {name}" if name else of_class

    @property
    def pooled(self) -> bool:
        """Whether all containers of the pod have the same devices."""
        return self.mode in ("claim", "admin")


class Rejection(Record):
    """Why a use stays untranslated, and the question whose answer may change that."""

    reason: str
    question: str | None = None
    hint: str | None = None
    routes: tuple[str, ...] = ()


class Stays(Record):
    """A resource that stays with its device plugin: DRA has no known replacement."""

    reason: str


class Hints(Record):
    """Hints from the rest of the input on what a resource is; each is a sentence with the evidence.

    `shared` and `unshared` are about the devices of one resource, `mig` is about nvidia.com/gpu. `profile` is a MIG
    profile that the pod demands of its node.
    `fractions` are the amounts of HAMi's resources beside nvidia.com/gpu in the same container,
    `annotations` are those of the pod, `class_driver` is the driver of a class that the user names.
    """

    shared: str | None = None
    unshared: str | None = None
    mig: Mig = field(default_factory=Mig)
    hami: str | None = None
    profile: str | None = None
    fractions: Mapping[str, int] = field(default_factory=dict)
    annotations: Mapping[str, object] = field(default_factory=dict)
    observed: Observed = field(default_factory=Observed)
    class_driver: str = ""


BY_CLASS = ("--set strategy=extended-resource keeps the request and lets a DeviceClass answer it",)
"""The way of a use that cannot become a claim."""
_NVIDIA = "gpu.nvidia.com"
_MIG_CLASS = "mig.nvidia.com"
_HAMI = "hami-core-gpu.project-hami.io"

# With these, HAMi sets how much of each nvidia.com/gpu a container gets.
FRACTIONS = ("nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores")

# Annotations with which KAI's scheduler, and that of run:ai, divide a GPU.
KAI_PARTS = ("gpu-fraction", "gpu-memory")
_KAI = (
    "KAI's scheduler divides the GPU by this annotation: it holds whole GPUs of the device plugin for it, and no "
    "DRA driver reads it. A share is a claim's by ConsumableShares, a limit on memory by HAMi's driver"
)
# Classes that a schema names although the driver's documents do not.
_TO_CONFIRM = frozenset({"vpc.amazonaws.com/efa"})
_AMD_PARTITION = re.compile(r"[sdqc]px_nps[0-9]")
_PROFILE = re.compile(r"[0-9]+(c\.[0-9]+)?g\.[0-9]+gb([+.][a-z.+-]+)?")


def is_device(resource: str, catalogue: Catalogue) -> bool:
    """Whether this is a known resource of a device plugin."""
    return _without_equivalent(resource) is not None or bool(find_resources(resource, catalogue))


@lru_cache(4096)
def _without_equivalent(resource: str) -> Mapping[str, str] | None:
    """The row of a resource for a part of a device that DRA cannot express; None for any other."""
    return next(
        (
            row
            for row in question_file()["without-equivalent"]
            if re.fullmatch(row["resource"], resource)
        ),
        None,
    )


def no_driver(resource: str) -> str:
    """Why a resource that is none of a known device plugin stays."""
    return f"no DRA driver is known to take the place of {resource}; --set class={resource}=CLASS names a class that does"


def target_of(
    resource: str, count: int, decisions: Decisions, hints: Hints, catalogue: Catalogue
) -> Target | Rejection | Stays:
    """What `count` units of `resource` become."""
    if resource in KAI_PARTS:
        return Rejection(_KAI)
    if resource in decisions.classes:
        return _named(resource, count, decisions, hints)
    without = _without_equivalent(resource)
    if without is not None:
        routes = (f"--set class={resource}={without['class']}",) if "class" in without else ()
        return Rejection(without["why"], routes=routes)
    matches = find_resources(resource, catalogue)
    if resource.endswith(".shared"):
        return _renamed(resource, count, decisions, hints, catalogue)
    if not matches:
        return Stays(no_driver(resource))
    if resource in ("nvidia.com/gpu", *FRACTIONS) and (hints.hami or hints.fractions):
        return _fraction(resource, count, decisions, hints)
    match = _preferred(resource, matches)
    if match.resource.device_class is None:
        why = f": {match.resource.why}" if match.resource.why else ""
        return Stays(
            f"no class of driver {match.driver.name} takes the place of {resource}{why}; "
            f"--set class={resource}=CLASS names one that does"
        )
    unsure = _unconfirmed(resource, match, decisions)
    if unsure is not None:
        return unsure
    if resource == "nvidia.com/gpu":
        return _nvidia(count, decisions, hints)
    target = _plain(resource, count, match, decisions)
    return _with_sharing(target, decisions, hints) if isinstance(target, Target) else target


def _with_sharing(target: Target, decisions: Decisions, hints: Hints) -> Target | Rejection:
    """A whole device, or the target for a device that is shared according to the evidence or an answer."""
    if target.mode != "exclusive" or not (hints.shared or decisions.sharing):
        said = f"whole devices: {hints.unshared}" if hints.unshared else None
        note = (said,) if said else _ASSUMED.get(target.resource, ())
        return replace(target, notes=(*target.notes, *note))
    if not (hints.shared or target.resource in _GPUS or target.resource in decisions.classes):
        return target  # without evidence the answer is about others
    return shared(
        target,
        decisions,
        hints.shared or f"{target.resource} is shared, as answered",
        told=hints.shared,
    )


def _named(resource: str, count: int, decisions: Decisions, hints: Hints) -> Target | Rejection:
    """A resource for which the user names the class."""
    name, _, number = decisions.classes[resource].partition("/")
    units = int(number or 1)
    parts = f": a whole device for each {units}, which no other pod has" if units > 1 else ""
    notes = (f"class {name} is what you answered for {resource}{parts}",)
    target = Target(
        resource, hints.class_driver, name, -(-count // units), notes=notes, units=units
    )
    return _with_sharing(target, decisions, hints)


def _renamed(
    resource: str, count: int, decisions: Decisions, hints: Hints, catalogue: Catalogue
) -> Target | Rejection | Stays:
    """A share that time slicing hands out under its own resource name."""
    whole = resource.removesuffix(".shared")
    why = hints.shared or f"{resource} is a share of a device"
    if whole == "nvidia.com/gpu":
        return shared(Target(resource, _NVIDIA, _NVIDIA, count), decisions, why)
    matches = find_resources(whole, catalogue)
    if not matches:
        return Stays(f"no DRA driver is known to take the place of {whole}")
    target = _plain(whole, count, _preferred(whole, matches), decisions)
    if not isinstance(target, Target):
        return target
    return shared(replace(target, resource=resource), decisions, why)


def _plain(
    resource: str, count: int, match: ResourceMatch, decisions: Decisions
) -> Target | Rejection:
    known = match.resource
    if known.admin_access:
        if decisions.sharing == "admin-access" or resource in decisions.accept:
            target = Target(resource, match.driver.name, known.device_class or "", count)
            return shared(target, replace(decisions, sharing="admin-access"), "")
        return Rejection(
            f"{resource} watches devices of others: that is a request with adminAccess, which the "
            "namespace must be labelled for (resource.kubernetes.io/admin-access)",
            "accept",
            resource,
        )
    if known.capacity is not None:
        return Rejection(f"{resource} is an amount of {known.capacity}, not a number of devices")
    notes = []
    if resource.startswith("nvidia.com/mig-") and ("+" in resource or ".me" in resource):
        notes.append("how the driver spells this profile is not confirmed: compare with a slice")
    if resource.startswith("amd.com/") and resource != "amd.com/gpu":
        if not _AMD_PARTITION.fullmatch(resource.removeprefix("amd.com/")):
            return Rejection(f"{resource} is no partition that the AMD driver is known to publish")
        notes.append("for partitions made beforehand; AutoPartition asks for them in another way")
    if match.driver.name == "tpu.google.com":
        notes.append("a node's TPU chips go to one claim: the count must be all of them")
    selectors = (match.selector,) if match.selector else ()
    device_class = known.device_class or ""
    return Target(resource, match.driver.name, device_class, count, selectors, notes=tuple(notes))


def _nvidia(count: int, decisions: Decisions, hints: Hints) -> Target | Rejection:
    mig = _mig(count, decisions, hints)
    if isinstance(mig, Rejection):
        return mig
    target = mig or Target("nvidia.com/gpu", _NVIDIA, _NVIDIA, count)
    if hints.shared or decisions.sharing:
        return _with_sharing(target, decisions, hints)
    if hints.unshared or hints.mig.whole:
        note = f"whole GPUs: {hints.unshared or hints.mig.whole}"
    elif mig is not None or decisions.mig_strategy is not None:
        return target
    else:
        note = (
            "read as whole GPUs; answer mig-strategy or sharing where the nodes' device plugin hands out parts under "
            "this name"
        )
    return replace(target, notes=(*target.notes, note))


def _mig(count: int, decisions: Decisions, hints: Hints) -> Target | Rejection | None:
    """nvidia.com/gpu as a MIG device; None if it is not one."""
    strategy, profile = decisions.mig_strategy, decisions.mig_profile
    if strategy in ("none", "mixed") or profile == "none":
        return None
    notes: tuple[str, ...] = ()
    if profile is None and strategy is None and hints.profile:
        profile = hints.profile
        notes = ("the MIG profile is that of the node label which the pod selects on",)
    elif profile is None and strategy is None and hints.mig.differ:
        return Rejection(f"{hints.mig.differ}: which one holds decides", "mig-strategy")
    elif profile is None and (strategy == "single" or hints.mig.single):
        why = hints.mig.single or "with MIG strategy single nvidia.com/gpu is a MIG device"
        reason = f"{why}, of a profile that the manifest does not name"
        return Rejection(reason, "mig-profile", hints.profile or hints.mig.layout)
    if profile is None:
        return None
    if not _PROFILE.fullmatch(profile):
        return Rejection(f"{profile!r} is no MIG profile", "mig-profile")
    if hints.mig.single:
        notes += (f"a MIG device: {hints.mig.single}",)
    selector = f'device.attributes["{_NVIDIA}"].profile == {quote(profile)}'
    return Target("nvidia.com/gpu", _NVIDIA, _MIG_CLASS, count, (selector,), notes=notes)


def _fraction(
    resource: str, count: int, decisions: Decisions, hints: Hints
) -> Target | Rejection | Stays:
    """nvidia.com/gpu with HAMi's amounts beside it."""
    if decisions.fraction_driver is None:
        return Rejection(hints.hami or "HAMi shares the GPU by memory and cores", "fraction-driver")
    mode = str(hints.annotations.get(_MODE, ""))
    if mode not in ("hami-core", ""):  # these a claim can request
        return Rejection(f"annotation nvidia.com/vgpu-mode: {mode} has no equivalent in a claim")
    memory = _memory(decisions, hints)
    if isinstance(memory, Rejection):
        return memory
    capacity = {} if memory is None else {"memory": f"{memory}Mi"}
    if decisions.fraction_driver == "hami":
        if "nvidia.com/gpucores" in hints.fractions:
            capacity["cores"] = str(hints.fractions["nvidia.com/gpucores"])
        selectors = annotation_selectors(hints.annotations, _HAMI)
        return _apart(Target(resource, _HAMI, _HAMI, count, selectors, capacity))
    if "nvidia.com/gpucores" in hints.fractions:
        return Rejection("gpu.nvidia.com has no capacity for cores: only HAMi's driver limits them")
    gate = "needs the driver's gate ConsumableShares with consumableShares: memory"
    notes = (gate,) if capacity else ()
    selectors = annotation_selectors(hints.annotations, _NVIDIA)
    return _apart(Target(resource, _NVIDIA, _NVIDIA, count, selectors, capacity, notes=notes))


def _memory(decisions: Decisions, hints: Hints) -> int | Rejection | None:
    """MiB of each card; None is all of it."""
    amount = hints.fractions.get("nvidia.com/gpumem")
    percent = hints.fractions.get("nvidia.com/gpumem-percentage", 100)
    if amount is not None or percent == 100:
        return amount
    driver = _HAMI if decisions.fraction_driver == "hami" else _NVIDIA
    part = hints.observed.mebibytes(driver, percent)
    if part is None:
        return Rejection(
            "gpumem-percentage is a part of a card whose size the manifest does not say: write "
            "nvidia.com/gpumem in MiB, or show slices in which all cards have one size (--slices)",
            routes=(
                "kubectl get resourceslices -o yaml > slices.yaml, then --slices slices.yaml says the sizes",
            ),
        )
    return part


def _apart(target: Target) -> Target:
    """A target on several cards: HAMi gives the units of one container different cards, but shares may be on one."""
    if target.count == 1 or not target.capacity:
        return target
    return replace(target, distinct=f"{target.driver}/uuid")


def _preferred(resource: str, matches: tuple[ResourceMatch, ...]) -> ResourceMatch:
    """Of several drivers the one of the resource's vendor."""
    domain = resource.partition("/")[0]
    own = [match for match in matches if match.driver.name.endswith(domain)]
    return (own or list(matches))[0]


def _unconfirmed(resource: str, match: ResourceMatch, decisions: Decisions) -> Rejection | None:
    sure = match.resource.verified and match.driver.completeness != "documentation"
    if (sure and resource not in _TO_CONFIRM) or resource in decisions.accept:
        return None
    return Rejection(
        f"that class {match.resource.device_class} of driver {match.driver.name} takes the place "
        f"of {resource} is not confirmed",
        "accept",
        resource,
    )


ANNOTATIONS = (
    "nvidia.com/use-gputype",
    "nvidia.com/nouse-gputype",
    "nvidia.com/use-gpuuuid",
    "nvidia.com/nouse-gpuuuid",
    "nvidia.com/vgpu-mode",
)
_MODE = "nvidia.com/vgpu-mode"


def annotation_selectors(annotations: Mapping[str, object], driver: str) -> tuple[str, ...]:
    """CEL for the cards that the annotations allow, on a driver with productName and uuid."""
    selectors = []
    for name in ANNOTATIONS:
        words = [word.strip() for word in str(annotations.get(name, "")).split(",")]
        words = [word for word in words if word]
        if not words or name == _MODE:
            continue
        if name.endswith("gputype"):
            access = f"device.attributes[{quote(driver)}].productName.lowerAscii()"
            parts = [f"{access}.contains({quote(word.lower())})" for word in words]
        else:
            access = f"device.attributes[{quote(driver)}].uuid"
            parts = [f"{access} == {quote(word)}" for word in words]
        any_of = parts[0] if len(parts) == 1 else f"({' || '.join(parts)})"
        selectors.append(f"!({' || '.join(parts)})" if "/nouse-" in name else any_of)
    return tuple(selectors)


LABEL = "resource.kubernetes.io/admin-access"

_ASSUMED = dict.fromkeys(
    INTEL, ("read as whole GPUs; answer sharing where the nodes' device plugin shares them",)
)
# Resources that are whole GPUs, which an answer of the user may turn into shared ones.
_GPUS = frozenset({"nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe"})


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
        more = _TIME_SLICING if target.driver == _NVIDIA else ""
        return Rejection(f"{why}; a claim would take a whole device{more}", "sharing")
    if answer == "exclusive":
        return target
    if answer != "admin-access" and target.count > 1:
        return _several(target, why, named=True)
    together = question_file()["together"].get(answer)
    if together is not None:
        count = 1 if together["mode"] == "admin" else target.count
        notes = (*target.notes, *together["notes"])
        return replace(target, count=count, notes=notes, mode=together["mode"])
    return _share(target, why, unlimited=answer == "unlimited-shares")


_TIME_SLICING = (
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
            f"{target.served_by} is not known to publish shares of a device (ConsumableShares is "
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

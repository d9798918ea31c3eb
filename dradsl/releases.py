"""One table per Kubernetes release: served API versions, feature gates and CEL switches.

What else differs between releases stands in tables of its own: since when fields exist in
`kube.fields`, rules of validation in `kube.validation.context`, the allocator and the scheduler's
plugin in `allocator.switches`.

Sources: kubernetes/kubernetes `pkg/features/kube_features.go`, kubernetes/api `resource/*`
(prerelease lifecycle), kubernetes/apiserver `pkg/cel/environment`, each at the newest patch of 1.34,
1.35, 1.36 and 1.37.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from dradsl.records import dataclass

__all__ = [
    "GATES",
    "RELEASES",
    "CelLibraries",
    "Features",
    "Gate",
    "Release",
    "Served",
    "Stage",
    "UnknownGateError",
    "UnknownReleaseError",
    "get_release",
    "newest_release",
    "parse_releases",
]


class UnknownReleaseError(ValueError):
    """A release that this table does not hold."""


class UnknownGateError(ValueError):
    """A feature gate that the release does not know, or one that it has locked."""


class Stage(enum.StrEnum):
    """How far a feature gate has come in a release."""

    ALPHA = "alpha"
    BETA = "beta"
    GA = "ga"


class Served(enum.StrEnum):
    """Whether a release serves an API version."""

    YES = "yes"
    OPT_IN = "opt-in"  # only where the operator turned it on with --runtime-config
    NO = "no"


@dataclass(frozen=True, slots=True)
class Gate:
    """A feature gate in one release."""

    name: str
    stage: Stage
    default: bool
    locked: bool = False


@dataclass(frozen=True, slots=True)
class CelLibraries:
    """What CEL for device selectors is made of in one release.

    `cel_go` names the behaviour of the cel-go version; `lists_in_new`: new expressions have
    slice, sort and their kin; `includes`: which form of that function there is, if any;
    `dyn_in_stored`: attributes are `dyn` in stored expressions, whatever the gates say.
    """

    cel_go: str
    lists_in_new: bool
    includes: str | None
    dyn_in_stored: bool


@dataclass(frozen=True, slots=True)
class Features:
    """The gates of a release after overrides: the question "is it on?" and nothing else."""

    release: str
    enabled: frozenset[str]

    def __contains__(self, gate: str) -> bool:
        return gate in self.enabled


@dataclass(frozen=True, slots=True)
class Release:
    """A Kubernetes minor release: its name ("1.36"), newest patch known here, and what it does."""

    name: str
    patch: str
    gates: Mapping[str, Gate]
    served: Mapping[tuple[str, str], Served]
    cel: CelLibraries

    @property
    def minor(self) -> int:
        return int(self.name.partition(".")[2])

    def features(self, overrides: Mapping[str, bool] | None = None) -> Features:
        """The gates that are on.

        Raises:
            UnknownGateError: for an override that the release does not know or has locked.
        """
        enabled = {gate.name for gate in self.gates.values() if gate.default}
        for name, on in (overrides or {}).items():
            gate = self.gates.get(name)
            if gate is None:
                raise UnknownGateError(f"Kubernetes {self.name} has no feature gate {name!r}")
            if gate.locked and on is not gate.default:
                state = "on" if gate.default else "off"
                raise UnknownGateError(
                    f"feature gate {name} is locked {state} in Kubernetes {self.name}"
                )
            (enabled.add if on else enabled.discard)(name)
        return Features(self.name, frozenset(enabled))

    def serves(self, version: str, kind: str) -> Served:
        """Whether this release serves `kind` of resource.k8s.io in API version `version`."""
        return self.served.get((version, kind), Served.NO)


_NAMES = ("1.34", "1.35", "1.36", "1.37")
_PATCHES = {"1.34": "1.34.13", "1.35": "1.35.10", "1.36": "1.36.6", "1.37": "1.37.2"}

_CEL = {
    "1.34": CelLibraries("0.26", False, None, False),
    "1.35": CelLibraries("0.26", True, None, False),
    "1.36": CelLibraries("0.26", True, "bounded", False),
    "1.37": CelLibraries("0.29", True, "library", True),
}

# One row a gate, one column a release. a/b/g = alpha, beta, GA; upper case = on by default;
# "!" = locked; "-" = the release does not know the gate.
GATES: Mapping[str, tuple[str, str, str, str]] = MappingProxyType(
    {
        "DynamicResourceAllocation": ("G", "G!", "G!", "G!"),
        "DRAAdminAccess": ("B", "B", "G!", "G!"),
        "DRAPrioritizedList": ("B", "B", "G", "G!"),
        "DRAResourceClaimDeviceStatus": ("B", "B", "B", "G!"),
        "DRASchedulerFilterTimeout": ("B", "B", "B", "B"),
        "DRAPartitionableDevices": ("a", "a", "B", "B"),
        "DRADeviceTaints": ("a", "a", "B", "G"),
        "DRADeviceTaintRules": ("-", "a", "b", "G"),
        "DRADeviceBindingConditions": ("a", "a", "B", "B"),
        "DRAConsumableCapacity": ("a", "a", "B", "B"),
        "DRAExtendedResource": ("a", "a", "B", "G!"),
        "DRAListTypeAttributes": ("-", "-", "a", "a"),
        "DRANodeAllocatableResources": ("-", "-", "a", "a"),
        "DRAWorkloadResourceClaims": ("-", "-", "a", "b"),
        "DRAResourceClaimGranularStatusAuthorization": ("-", "-", "B", "B"),
        "DRAResourcePoolStatus": ("-", "-", "a", "a"),
        # On only where --min-compatibility-version is raised to 1.37; its default is one release back.
        "DRAFractionalCapacityRange": ("-", "-", "-", "b"),
        "DRAOptionalNodeOperations": ("-", "-", "-", "a"),
        "DRADeviceCompatibilityGroups": ("-", "-", "-", "a"),
        "DRADerivedAttributes": ("-", "-", "-", "a"),
        "DRAPartitionableDevicesType": ("-", "-", "-", "a"),
        "DeclarativeValidationBeta": ("-", "-", "B", "B"),
        "CompositePodGroup": ("-", "-", "-", "a"),  # claims in templates of templates of pods
    }
)

_STAGES = {"a": Stage.ALPHA, "b": Stage.BETA, "g": Stage.GA}

_MAIN_KINDS = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice")

# API version -> kind -> the releases that know it; only v1 is served without --runtime-config.
_KNOWN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "v1": {**dict.fromkeys(_MAIN_KINDS, _NAMES), "DeviceTaintRule": ("1.37",)},
    "v1beta2": {**dict.fromkeys(_MAIN_KINDS, _NAMES), "DeviceTaintRule": ("1.36", "1.37")},
    "v1beta1": dict.fromkeys(_MAIN_KINDS, _NAMES),
    "v1alpha3": {"DeviceTaintRule": _NAMES, "ResourcePoolStatusRequest": ("1.36", "1.37")},
}


def _gates_of(column: int) -> Mapping[str, Gate]:
    gates = {}
    for name, row in GATES.items():
        cell = row[column]
        if cell != "-":
            letter = cell[0]
            gates[name] = Gate(name, _STAGES[letter.lower()], letter.isupper(), cell.endswith("!"))
    return MappingProxyType(gates)


def _served_of(name: str) -> Mapping[tuple[str, str], Served]:
    return MappingProxyType(
        {
            (version, kind): Served.YES if version == "v1" else Served.OPT_IN
            for version, kinds in _KNOWN.items()
            for kind, names in kinds.items()
            if name in names
        }
    )


@functools.cache
def _build(name: str) -> Release:
    return Release(
        name, _PATCHES[name], _gates_of(_NAMES.index(name)), _served_of(name), _CEL[name]
    )


class _Releases(Mapping[str, Release]):
    """Releases by name, oldest first; each is built when first asked for."""

    def __getitem__(self, name: str) -> Release:
        if name not in _NAMES:
            raise KeyError(name)
        return _build(name)

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)


RELEASES: Mapping[str, Release] = _Releases()


# What the releases before these serve of resource.k8s.io: prerelease lifecycles of kubernetes/api resource/*.
_EARLIER: Mapping[int, str] = {
    33: "v1beta1 and v1beta2",
    32: "v1beta1",
    31: "v1alpha3",
    30: "v1alpha2",
    29: "v1alpha2",
    28: "v1alpha2",
    27: "v1alpha2",
    26: "v1alpha1",
}


def _unknown(name: str, minor: str) -> str:
    """What is known of a release that is not in the table."""
    known = f"known: {', '.join(RELEASES)}"
    major, _, number = minor.partition(".")
    served = _EARLIER.get(int(number)) if major == "1" and number.isdecimal() else None
    if served is not None:
        return (
            f"Kubernetes {minor} serves {served} of resource.k8s.io, where DRA is turned on; "
            f"resource.k8s.io/v1 exists from {_NAMES[0]}, and earlier releases are not judged ({known})"
        )
    return f"unknown Kubernetes release {name!r} ({known})"


def get_release(name: str) -> Release:
    """The release called `name`: "1.36", also "v1.36" or "1.36.2".

    Raises:
        UnknownReleaseError: if the table does not hold it.
    """
    minor = ".".join(name.strip().removeprefix("v").split(".")[:2])
    if minor not in RELEASES:
        raise UnknownReleaseError(_unknown(name, minor))
    return RELEASES[minor]


def newest_release() -> Release:
    """The newest release that dradsl knows."""
    return RELEASES[_NAMES[-1]]


def parse_releases(text: str) -> tuple[Release, ...]:
    """Releases from "1.36", "1.34-1.36" or "1.35,1.37", oldest first.

    Raises:
        UnknownReleaseError: for a name outside the table or a range that runs backwards.
    """
    names: set[str] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        low = get_release(first)
        high = get_release(last) if dash else low
        if low.minor > high.minor:
            raise UnknownReleaseError(f"the release range {part.strip()!r} runs backwards")
        names.update(n for n in _NAMES if low.minor <= RELEASES[n].minor <= high.minor)
    return tuple(RELEASES[n] for n in _NAMES if n in names)

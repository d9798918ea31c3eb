"""What each Kubernetes release does: the questions that others ask.

A page `schemas/releases/*.yaml` says what differs from the release before it: served versions, feature gates, fields,
CEL, validation, allocator and plugin. `table.py` and `scheduling.py` have them in full, as JSON that is made of the
pages: `python -m maintenance.release_table`.

Sources: kubernetes/kubernetes `pkg/features/kube_features.go`, kubernetes/api `resource/*`
(prerelease lifecycle), kubernetes/apiserver `pkg/cel/environment`, each at the patch that the page names.
Private: names may change in any version.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from dradsl.errors import DradslError
from dradsl.records import dataclass, replace
from dradsl.releases import table
from dradsl.releases.server import CelLibraries, Validation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    # What editors complete; a test holds it against RELEASES.
    ReleaseName: TypeAlias = Literal["1.34", "1.35", "1.36", "1.37"] | str  # noqa: PYI051

__all__ = [
    "RELEASES",
    "Features",
    "Gate",
    "Release",
    "Served",
    "UnknownGateError",
    "UnknownReleaseError",
    "get_release",
    "known_gates",
    "newest_release",
    "parse_releases",
    "validation_of",
]


class UnknownReleaseError(DradslError, ValueError):
    """A release that this table does not hold."""


class UnknownGateError(DradslError, ValueError):
    """A feature gate that the release does not know, or one that it has locked."""


class Served(enum.StrEnum):
    """Whether a release serves an API version."""

    YES = "yes"
    OPT_IN = "opt-in"  # only where the operator turned it on with --runtime-config
    NO = "no"


@dataclass(frozen=True, slots=True)
class Gate:
    """A feature gate in one release."""

    name: str
    stage: Literal["alpha", "beta", "GA"]
    default: bool
    locked: bool = False


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
            TypeError: for one that is no bool.
        """
        expect_switches(overrides)
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


def expect_switches(gates: Mapping[str, bool] | None) -> None:
    """Reject values of feature gates that are no bool: the text "false" would turn a gate on.

    Raises:
        TypeError: for such a value, with the name of the gate.
    """
    for name, on in (gates or {}).items():
        if not isinstance(on, bool):
            raise TypeError(f"feature gate {name}: expected True or False, not {on!r}")


_STAGES: Mapping[str, Literal["alpha", "beta", "GA"]] = {"a": "alpha", "b": "beta", "g": "GA"}


def _gates_of(column: int) -> Mapping[str, Gate]:
    gates = {}
    for name, row in table.GATES.items():
        cell = row[column]
        if cell != "-":
            letter = cell[0]
            gates[name] = Gate(name, _STAGES[letter.lower()], letter.isupper(), cell.endswith("!"))
    return MappingProxyType(gates)


def _served_of(column: int) -> Mapping[tuple[str, str], Served]:
    return MappingProxyType(
        {
            (version, kind): Served.YES if version == "v1" else Served.OPT_IN
            for pair, row in table.SERVED.items()
            for version, kind in (pair.split(" "),)
            if row[column]
        }
    )


@functools.cache
def _build(name: str) -> Release:
    column = table.NAMES.index(name)
    cel = CelLibraries(**{switch: row[column] for switch, row in table.CEL.items()})
    patch = table.PATCHES[column]
    return Release(name, patch, _gates_of(column), _served_of(column), cel)


class _Releases(Mapping[str, Release]):
    """Releases by name, oldest first; each is built when first asked for."""

    def __getitem__(self, name: str) -> Release:
        if name not in table.NAMES:
            raise KeyError(name)
        return _build(name)

    def __iter__(self) -> Iterator[str]:
        return iter(table.NAMES)

    def __len__(self) -> int:
        return len(table.NAMES)


RELEASES: Mapping[str, Release] = _Releases()


@functools.cache
def validation_of(name: str) -> Validation:
    """How a release validates objects: by its name in the table, "1.36"."""
    column = table.NAMES.index(name)
    values: dict[str, Any] = {switch: row[column] for switch, row in table.VALIDATION.items()}
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return Validation(**values | lists)


def known_gates() -> tuple[str, ...]:
    """The feature gates that some release knows, the oldest first."""
    return tuple(table.GATES)


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
    from dradsl.values.digits import whole_number

    known = f"known: {', '.join(RELEASES)}"
    major, _, number = minor.partition(".")
    wanted = whole_number(number) if major == "1" and number.isdecimal() else None
    served = None if wanted is None else _EARLIER.get(wanted)
    if served is not None:
        return (
            f"Kubernetes {minor} serves {served} of resource.k8s.io, where DRA is turned on; "
            f"resource.k8s.io/v1 exists from {table.NAMES[0]}, and earlier releases are not judged ({known})"
        )
    if wanted is not None and wanted > newest_release().minor:
        return (
            f"Kubernetes {minor} is not known yet: validation, CEL of devices and the allocator of "
            f"{minor} were not published when this dradsl was made ({known})"
        )
    return f"unknown Kubernetes release {name!r} ({known})"


def get_release(name: str) -> Release:
    """The release called `name`: "1.36", also "v1.36" or "1.36.2", whose `patch` is then 1.36.2.

    A patch release that is newer than the newest known one counts as that.

    Raises:
        UnknownReleaseError: if the table does not hold it, or what follows the minor is no number.
    """
    parts = name.strip().removeprefix("v").split(".")
    minor = ".".join(parts[:2])
    if minor not in RELEASES:
        raise UnknownReleaseError(_unknown(name, minor))
    release = RELEASES[minor]
    if len(parts) == 2:
        return release
    from dradsl.values.digits import whole_number

    digits = parts[2].partition("+")[0]  # a distribution's own: 1.36.2+k3s1
    number = whole_number(digits) if digits.isdecimal() else None
    if number is None:
        raise UnknownReleaseError(
            f"{name!r} names no patch release: write {minor}, or a number such as {release.patch}"
        )
    return (
        release
        if number >= patch_number(release.patch)
        else replace(release, patch=f"{minor}.{number}")
    )


def patch_number(name: str) -> int:
    """The last number of a patch release: 2 of "1.36.2"."""
    return int(name.rpartition(".")[2])


def newest_release() -> Release:
    """The newest release that dradsl knows."""
    return RELEASES[table.NAMES[-1]]


def parse_releases(text: str) -> tuple[Release, ...]:
    """Releases from "1.36", "1.34-1.36" or "1.35,1.37", oldest first.

    Raises:
        UnknownReleaseError: for a name outside the table or a range that runs backwards.
    """
    chosen: dict[str, Release] = {}
    for part in text.split(","):
        first, dash, last = part.partition("-")
        low = get_release(first)
        high = get_release(last) if dash else low
        if low.minor > high.minor:
            raise UnknownReleaseError(f"the release range {part.strip()!r} runs backwards")
        between = [each for each in RELEASES.values() if low.minor < each.minor < high.minor]
        chosen |= {each.name: each for each in (low, *between, high)}
    return tuple(chosen[n] for n in table.NAMES if n in chosen)

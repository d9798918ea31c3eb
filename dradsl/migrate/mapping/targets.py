"""The possible results for one use: a request, a rejection with its question, or nothing; and the hints for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from dradsl.migrate.cluster.facts import Mig
from dradsl.migrate.mapping.observed import Observed
from dradsl.records import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Hints", "Mode", "Rejection", "Stays", "Target"]

# How a pod has its devices: for itself, a share of each, by a claim that other pods name too, or all of
# a node as an administrator.
Mode = Literal["exclusive", "share", "claim", "admin"]


@dataclass(frozen=True, slots=True)
class Target:
    """A request in DRA: `selectors` are CEL expressions beside those of the class.

    `capacity` is the capacity that each device must still have. `distinct` names the attribute that keeps
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
    mode: Mode = "exclusive"

    @property
    def whole(self) -> bool:
        """Whether the pod has as many devices for itself as it asked the device plugin for."""
        return self.mode == "exclusive" and not self.capacity

    @property
    def pooled(self) -> bool:
        """Whether all containers of the pod have the same devices."""
        return self.mode in ("claim", "admin")


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why a use stays untranslated, and the question whose answer may change that."""

    reason: str
    question: str | None = None
    hint: str | None = None
    routes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stays:
    """A resource that stays with its device plugin: DRA has no known replacement."""

    reason: str


@dataclass(frozen=True, slots=True)
class Hints:
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

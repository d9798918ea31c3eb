"""What recorded slices can say against a claim: a class a reason, its fields are the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.observations import Facts
from dradsl.records import dataclass

if TYPE_CHECKING:
    from dradsl.allocator.inventory.slices import Attribute

__all__ = [
    "AllModeOverLimit",
    "AlternativeNeverReached",
    "ClassMatchesNothing",
    "ConstraintNeverSatisfiable",
    "CountAboveAnyNode",
    "SearchMayTimeOut",
    "SelectorMatchesNothing",
    "UnsatisfiableClaim",
]


@dataclass(frozen=True, slots=True)
class UnsatisfiableClaim(Facts):
    """None of the nodes can meet the claim; `error` is what the scheduler says, if it gives up."""

    nodes: int
    error: str | None


@dataclass(frozen=True, slots=True)
class CountAboveAnyNode(Facts):
    """More devices than `node` has, which has the most that qualify."""

    count: int
    most: int
    node: str


@dataclass(frozen=True, slots=True)
class ClassMatchesNothing(Facts):
    """The class picks none of so many recorded devices."""

    class_name: str
    devices: int


@dataclass(frozen=True, slots=True)
class SelectorMatchesNothing(Facts):
    """The selector picks none of the devices that pass what comes before it.

    `is_first` if nothing does. `recorded` are the attributes it reads, with the values that there are.
    """

    devices: int
    is_first: bool
    recorded: tuple[tuple[str, tuple[Attribute, ...]], ...]


@dataclass(frozen=True, slots=True)
class ConstraintNeverSatisfiable(Facts):
    """No node has devices that meet the constraint.

    `count` devices are wanted (all that there are, if `every`); the largest group on a node has
    `best` of them (if `distinct`, the most different values). `never_there`: no device that
    qualifies has the attribute.
    """

    attribute: str
    distinct: bool
    count: int
    every: bool
    best: int
    never_there: bool


@dataclass(frozen=True, slots=True)
class AlternativeNeverReached(Facts):
    """Wherever an alternative fits, `earlier`, which is tried before it, fits as well."""

    name: str
    earlier: str


@dataclass(frozen=True, slots=True)
class AllModeOverLimit(Facts):
    """All finds so many devices on the node, `total` with other requests; a claim holds `limit`."""

    node: str
    found: int
    total: int
    limit: int


@dataclass(frozen=True, slots=True)
class SearchMayTimeOut(Facts):
    """The scheduler needs so many steps for the node; `unfinished`: more than were tried."""

    node: str
    steps: int
    unfinished: bool

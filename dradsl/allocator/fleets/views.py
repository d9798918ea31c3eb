"""A fleet with every device free, as one claim sees it: what is said of it, and what that is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.allocator.engine.allocate import Allocator
from dradsl.allocator.engine.eligibility import Fault
from dradsl.allocator.fleets.fleet import GatheredFleet, Group
from dradsl.allocator.inventory.allocated import AllocatedState
from dradsl.allocator.inventory.pools import GatherError
from dradsl.allocator.switches import choose_variant, plugin_features, plugin_of, variants_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.allocator.engine.eligibility import Selectors
    from dradsl.allocator.engine.plan import ClassRecord, RequestData
    from dradsl.allocator.engine.problem import SearchProblem
    from dradsl.allocator.inventory.slices import Inventory
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.releases import Features, Release

__all__ = ["BASE", "Fleets", "Path", "Views", "path_of"]

Path = tuple[str | int, ...]

BASE: Path = ("spec", "devices")


class Fleets:
    """An inventory ready to be asked about many claims."""

    def __init__(
        self,
        inventory: Inventory,
        classes: Mapping[str, ClassRecord],
        release: Release,
        features: Features,
        selectors: Selectors | None = None,
    ) -> None:
        if selectors is None:
            from dradsl.allocator.engine.selectors import CelSelectors

            selectors = CelSelectors(release, features)
        self.inventory = inventory
        self.classes = classes
        self.enabled = plugin_features(features, plugin_of(release.name))
        self.variant = choose_variant(variants_of(release.patch), self.enabled)
        self.fleet = GatheredFleet(inventory, self.variant, self.enabled)
        self._selectors = selectors

    def allocator(self, claim: ResourceClaimDict) -> Allocator:
        return Allocator(
            self.inventory,
            self.classes,
            [claim],
            AllocatedState(),
            self._selectors,
            self.variant,
            self.enabled,
            gatherer=self.fleet.gatherer,
        )


class Views:
    """The distinct nodes of a fleet from the point of view of one claim."""

    def __init__(self, fleets: Fleets, allocator: Allocator, groups: Sequence[Group]) -> None:
        self.fleets = fleets
        self.allocator = allocator
        self.groups = groups
        self.problems: list[tuple[Group, SearchProblem]] = []
        for group in groups:
            try:
                self.problems.append((group, fleets.fleet.problem(allocator, group.nodes[0])))
            except GatherError:
                continue

    def usable(self, request_data: RequestData, problem: SearchProblem) -> list[int]:
        """The devices that a request can take on a node, one at a time."""
        return [
            position
            for position, signature in enumerate(problem.signatures)
            if signature.fault is None
            and signature.matches[request_data.index].eligible is True
            and not signature.matches[request_data.index].tainted
            and not signature.blocked
            and signature.matches[request_data.index].capacity is not False
            and _has_counters(problem, position)
        ]

    def selected(self, request_data: RequestData) -> bool:
        """Whether the class and the selectors pick any device on any node."""
        return any(
            signature.fault is None and signature.matches[request_data.index].eligible is True
            for _, problem in self.problems
            for signature in problem.signatures
        )

    def has_faults(self, request_data: RequestData) -> bool:
        """Whether some device of some node ends the search with an error."""
        return any(
            isinstance(signature.matches[request_data.index].eligible, Fault)
            or isinstance(signature.matches[request_data.index].capacity, Fault)
            for _, problem in self.problems
            for signature in problem.signatures
            if signature.fault is None
        )

    def best(self, request_data: RequestData) -> tuple[int, str]:
        """The most devices that a request can take on one node, and that node."""
        counts = [
            (len(self.usable(request_data, problem)), group.nodes[0].name)
            for group, problem in self.problems
        ]
        return max(counts, key=lambda pair: pair[0], default=(0, ""))

    def takes_again(self, request_data: RequestData) -> bool:
        """Whether one request may take a device that is shared several times (up to 1.35)."""
        return not self.fleets.variant.combinations and any(
            problem.signatures[position].allow_multiple_allocations
            for _, problem in self.problems
            for position in self.usable(request_data, problem)
        )


def _has_counters(problem: SearchProblem, position: int) -> bool:
    """Whether the shared counters would do if the device were the only one."""
    signature = problem.signatures[position]
    if not signature.consumes_counters or not problem.available:
        return True
    left = dict(problem.available[problem.origins[position]])
    for name, amount in signature.consumes_counters:
        if name in left:
            left[name] -= amount
    return min(left.values(), default=0) >= 0


def path_of(request_data: RequestData) -> Path:
    base: Path = (*BASE, "requests", request_data.request)
    if request_data.parent is None:
        return (*base, "exactly")
    return (*base, "firstAvailable", request_data.alternative)

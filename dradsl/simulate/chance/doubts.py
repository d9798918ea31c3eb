"""What a node may answer besides what it answers here: the time of a search, and names seen twice.

That of orders which are left to chance is in `orders`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dradsl.allocator.engine.search import STEPS_OF_A_TIMEOUT
from dradsl.allocator.fleets.fleet import GatheredFleet
from dradsl.records import Record, field
from dradsl.simulate.chance.orders import KIND_WORDS, kind_of
from dradsl.simulate.chance.readings import doubled_names, may_read, readings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dradsl.allocator.engine.allocate import Allocator
    from dradsl.allocator.inventory.nodes import Node
    from dradsl.allocator.inventory.slices import Inventory
    from dradsl.allocator.switches import AllocatorFeatures
    from dradsl.releases.scheduling import AllocatorVariant
    from dradsl.simulate.plugin.verdicts import Verdict

__all__ = ["OtherReadings", "Others", "if_too_slow"]

_BY_NAME = "by which of two values selectors see of {names}, which devices publish twice"


def if_too_slow(
    kind: str, error_kind: str | None, steps: int, late: frozenset[str]
) -> tuple[frozenset[str], str]:
    """What else a node may answer after a search of so many steps, and why.

    `late` is what it answers once the scheduler's time for a node is over.
    """
    if error_kind == "timeout":
        text = "the search was given up here, and may take the scheduler more than its 10 s"
        return frozenset({"fits", "none", *late}), text
    if kind == "error" or steps <= STEPS_OF_A_TIMEOUT:
        return frozenset(), ""
    text = f"the search takes {steps:,} steps, and may take the scheduler more than its 10 s"
    others = late - {kind}
    return others, text if others else ""


class Others(Record):
    """What nodes may answer, by name, and why."""

    kinds: Mapping[str, frozenset[str]] = field(default_factory=dict)
    why: str = ""

    def added_to(self, verdict: Verdict) -> Iterator[Verdict]:
        """The verdict, with what else its nodes may answer."""
        if not self.kinds:
            yield verdict
            return
        by_others: dict[frozenset[str], list[Node]] = {}
        for node in verdict.nodes:
            others = self.kinds.get(node.name, frozenset()) - {verdict.kind}
            by_others.setdefault(others, []).append(node)
        for others, members in by_others.items():
            found = replace(verdict, nodes=tuple(members))
            if others:
                said = " or ".join(KIND_WORDS[kind] for kind in sorted({verdict.kind, *others}))
                doubt = "; ".join(filter(None, (verdict.doubt, f"{self.why}, {said}")))
                found = replace(found, others=verdict.others | others, doubt=doubt)
            yield found


class OtherReadings:
    """Asks nodes again where selectors may see either of two values of a device."""

    def __init__(
        self, inventory: Inventory, variant: AllocatorVariant, features: AllocatorFeatures
    ) -> None:
        self._inventory = inventory
        self._variant = variant
        self._features = features
        self._doubled = doubled_names(inventory)
        self._fleets: list[GatheredFleet] = []

    def answers(
        self,
        allocator: Allocator,
        nodes: Sequence[Node],
        other: Callable[[GatheredFleet], Allocator],
    ) -> Others:
        """What nodes may say; `other` makes an allocator like this one for another fleet."""
        derives = any(request_data.derived for request_data in allocator.plan.all_requests)
        reads = None if derives else allocator.eligibility.reads
        names = may_read(reads, self._doubled) if self._doubled else []
        if not names:
            return Others()
        if not self._fleets:
            made = readings(self._inventory)
            self._fleets += (GatheredFleet(one, self._variant, self._features) for one in made)
        kinds: dict[str, set[str]] = {}
        for fleet in self._fleets:
            like = other(fleet)
            for group in fleet.groups(like, nodes):
                kind = kind_of(fleet.result(like, group, group.nodes[0]))
                for node in group.nodes:
                    kinds.setdefault(node.name, set()).add(kind)
        why = _BY_NAME.format(names=" and ".join(names))
        return Others({name: frozenset(found) for name, found in kinds.items()}, why)

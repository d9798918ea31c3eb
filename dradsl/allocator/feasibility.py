"""What recorded slices say about a claim before any pod exists: can it ever be met?

Pure functions over an inventory and a claim. Every device counts as free, so what is found here
does not depend on what happens to be running. Paths are those of the claim in v1 shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dradsl.allocator.allocate import Allocator
from dradsl.allocator.eligibility import Fault
from dradsl.allocator.explain import show_attribute
from dradsl.allocator.fleet import Fleet, Group
from dradsl.allocator.plan import ALL, EXACT
from dradsl.allocator.pools import GatherError
from dradsl.allocator.search import MAX_RESULTS, Outcome
from dradsl.allocator.state import AllocatedState
from dradsl.allocator.switches import allocator_features, choose_variant, variants_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dradsl.allocator.eligibility import Selectors
    from dradsl.allocator.inventory import Inventory
    from dradsl.allocator.plan import Ask, ConstraintPlan, DeviceClass
    from dradsl.allocator.problem import Problem
    from dradsl.releases import Features, Release

__all__ = ["REASONS", "STEPS_OF_A_TIMEOUT", "Fleets", "Infeasible", "check_claim"]

Path = tuple[str | int, ...]

REASONS: Mapping[str, str] = {
    "unsatisfiable-claim": "DRA701",
    "count-above-any-node": "DRA702",
    "selector-matches-no-device": "DRA703",
    "constraint-never-satisfiable": "DRA704",
    "alternative-never-reached": "DRA705",
    "all-mode-over-limit": "DRA706",
    "search-may-time-out": "DRA707",
}
"""Reason id to the code that lint gives it."""

STEPS_OF_A_TIMEOUT = 2_000_000
"""Steps that the scheduler may not manage within the 10 s it has for one node."""

_BASE: Path = ("spec", "devices")


@dataclass(frozen=True, slots=True)
class Infeasible:
    """Something about a claim that recorded slices speak against.

    `upstream` is what the scheduler says of it; `numbers` are the figures in the message.
    """

    reason: str
    path: Path
    message: str
    help: str | None = None
    upstream: str | None = None
    numbers: tuple[int, ...] = ()

    @property
    def code(self) -> str:
        return REASONS[self.reason]


class Fleets:
    """An inventory ready to be asked about many claims."""

    def __init__(
        self,
        inventory: Inventory,
        classes: Mapping[str, DeviceClass],
        release: Release,
        features: Features,
        selectors: Selectors | None = None,
    ) -> None:
        if selectors is None:
            from dradsl.allocator.selectors import CelSelectors

            selectors = CelSelectors(release, features)
        self.inventory = inventory
        self.classes = classes
        self.enabled = allocator_features(features)
        self.variant = choose_variant(variants_of(release.name), self.enabled)
        self.fleet = Fleet(inventory, self.variant, self.enabled)
        self._selectors = selectors

    def allocator(self, claim: Mapping[str, Any]) -> Allocator:
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


def check_claim(fleets: Fleets, claim: Mapping[str, Any]) -> list[Infeasible]:
    """What speaks against a claim (v1 shape, defaults applied); nothing if a node can meet it.

    Claims that the allocator cannot even prepare (a missing class, say) give nothing: other rules
    say why. A cause hides what follows from it.

    Raises:
        InventoryError: if the claim is not in the shape of the API.
    """
    allocator = fleets.allocator(claim)
    plan = allocator.plan.claims[0]
    if plan.error or any(r.error or any(a.error for a in r.asks) for r in plan.requests):
        return []
    groups = list(fleets.fleet.groups(allocator, fleets.inventory.nodes))
    views = _Views(fleets, allocator, groups)
    found = [*_over_limit(views), *_unreached(views), *_timeouts(views)]
    if any(group.fits for group in groups) or not views.problems:
        return found
    causes = [*_no_device(views), *_counts(views)]
    if not causes:
        causes = list(_constraints(views, claim))
    said = {one.reason for one in found} & {"search-may-time-out", "all-mode-over-limit"}
    if not causes and not said:
        causes = list(_unsatisfiable(views))
    return [*found, *causes]


class _Views:
    """The distinct nodes of a fleet from the point of view of one claim."""

    def __init__(self, fleets: Fleets, allocator: Allocator, groups: Sequence[Group]) -> None:
        self.fleets = fleets
        self.allocator = allocator
        self.groups = groups
        self.problems: list[tuple[Group, Problem]] = []
        for group in groups:
            try:
                self.problems.append((group, fleets.fleet.problem(allocator, group.nodes[0])))
            except GatherError:
                continue

    def usable(self, ask: Ask, problem: Problem) -> list[int]:
        """The devices that an ask can take on a node, one at a time."""
        return [
            position
            for position, cell in enumerate(problem.cells)
            if cell.fault is None
            and cell.views[ask.index].eligible is True
            and not cell.views[ask.index].tainted
            and not cell.blocked
            and cell.views[ask.index].room is not False
        ]

    def selected(self, ask: Ask, problem: Problem) -> int:
        """How many devices the class and the selectors pick on a node."""
        return sum(
            cell.fault is None and cell.views[ask.index].eligible is True for cell in problem.cells
        )

    def has_faults(self, ask: Ask) -> bool:
        return any(
            isinstance(cell.views[ask.index].eligible, Fault)
            for _, problem in self.problems
            for cell in problem.cells
            if cell.fault is None
        )

    def best(self, ask: Ask) -> tuple[int, str]:
        """The most devices that an ask can take on one node, and that node."""
        counts = [
            (len(self.usable(ask, problem)), group.nodes[0].name)
            for group, problem in self.problems
        ]
        return max(counts, key=lambda pair: pair[0], default=(0, ""))


def _path(ask: Ask) -> Path:
    base: Path = (*_BASE, "requests", ask.request)
    if ask.parent is None:
        return (*base, "exactly")
    return (*base, "firstAvailable", ask.alternative)


def _no_device(views: _Views) -> Iterator[Infeasible]:
    """Requests whose class and selectors together pick no recorded device."""
    for request in views.allocator.plan.claims[0].requests:
        for ask in request.asks:
            if any(views.selected(ask, problem) for _, problem in views.problems):
                continue
            if not views.has_faults(ask):
                yield _nothing_selected(views, ask)


def _nothing_selected(views: _Views, ask: Ask) -> Infeasible:
    device_class = ask.device_class
    own = len(device_class.selectors) if device_class is not None else 0
    survivors = [0] * (own + len(ask.selectors))
    total = 0
    for _, problem in views.problems:
        for position, cell in enumerate(problem.cells):
            if cell.fault is None:
                total += 1
                _, owner, device = problem.places[position]
                answers = views.allocator.eligibility.explain(ask, owner.driver, device)
                for number, (_, answer) in enumerate(answers):
                    if answer is not True:
                        break
                    survivors[number] += 1
    first = next((n for n, count in enumerate(survivors) if not count), len(survivors) - 1)
    if first < own or not ask.selectors:
        name = device_class.name if device_class is not None else ""
        return Infeasible(
            "selector-matches-no-device",
            (*_path(ask), "deviceClassName"),
            f"class {name} picks none of the recorded devices",
            help="do the recorded slices belong to the cluster that this is meant for?",
            upstream="cannot allocate all claims",
            numbers=(total,),
        )
    left = survivors[first - 1] if first else total
    of = "" if not first else " that pass what comes before"
    return Infeasible(
        "selector-matches-no-device",
        (*_path(ask), "selectors", first - own, "cel", "expression"),
        f"matches none of the {left} kinds of recorded devices{of}",
        help=_values_instead(views, ask, first - own),
        upstream="cannot allocate all claims",
        numbers=(left,),
    )


def _values_instead(views: _Views, ask: Ask, number: int) -> str | None:
    """What the devices have where the selector reads."""
    from dradsl.allocator.constraints import lookup

    reads = views.allocator.eligibility.compiled(ask.selectors[number] or "").reads or ()
    texts = []
    for name in sorted(reads):
        values: dict[str, None] = {}
        for _, problem in views.problems:
            for _, owner, device in problem.places:
                found = lookup(device, owner.driver, name)
                if found is not None:
                    values[show_attribute(found)] = None
        if values:
            shown = ", ".join(sorted(values)[:5])
            texts.append(f"{name.rpartition('/')[2]} is {shown}{', …' if len(values) > 5 else ''}")
    return f"recorded: {'; '.join(texts)}" if texts else None


def _counts(views: _Views) -> Iterator[Infeasible]:
    """Counts that no node can give, even if nothing else ran there."""
    for request in views.allocator.plan.claims[0].requests:
        too_high = []
        for ask in request.asks:
            best, node = views.best(ask)
            if ask.mode == EXACT and best and ask.count > best and not views.has_faults(ask):
                too_high.append((ask, best, node))
        # One alternative that can be met is enough.
        if len(too_high) == len(request.asks):
            for ask, best, node in too_high:
                yield Infeasible(
                    "count-above-any-node",
                    (*_path(ask), "count"),
                    f"{ask.count} devices are asked for, but no recorded node has more than "
                    f"{best} that qualify ({node})",
                    upstream="cannot allocate all claims",
                    numbers=(ask.count, best),
                )


def _constraints(views: _Views, claim: Mapping[str, Any]) -> Iterator[Infeasible]:
    """Constraints without which the claim would fit."""
    for constraint in views.allocator.plan.constraints:
        devices = claim["spec"]["devices"]
        others = [c for i, c in enumerate(devices["constraints"]) if i != constraint.number]
        without = {
            **claim,
            "spec": {**claim["spec"], "devices": {**devices, "constraints": others}},
        }
        allocator = views.fleets.allocator(without)
        nodes = views.fleets.inventory.nodes
        if any(group.fits for group in views.fleets.fleet.groups(allocator, nodes)):
            yield _unsatisfied(views, constraint)


def _unsatisfied(views: _Views, constraint: ConstraintPlan) -> Infeasible:
    best, missing, total = 0, 0, 0
    for _, problem in views.problems:
        counts: dict[Any, int] = {}
        places = {
            position: problem.compared(constraint.index, ask.index)[position]
            for ask in views.allocator.plan.asks
            if ask.index in constraint.asks
            for position in views.usable(ask, problem)
        }
        for value in places.values():
            total += 1
            if value is None:
                missing += 1
            else:
                counts[value] = counts.get(value, 0) + 1
        size = len(counts) if constraint.distinct else max(counts.values(), default=0)
        best = max(best, size)
    covered = [
        request.asks
        for request in views.allocator.plan.claims[0].requests
        if any(ask.index in constraint.asks for ask in request.asks)
    ]
    wanted = sum(min(ask.count for ask in asks) for asks in covered)
    every = any(ask.mode == ALL for asks in covered for ask in asks)
    devices = "all devices" if every else f"{wanted} devices"
    if total and missing == total:
        message = f"no device that qualifies has the attribute {constraint.attribute}"
    elif constraint.distinct:
        message = f"{devices} must differ, but no recorded node has more than {best} values"
    else:
        message = (
            f"{devices} must share {constraint.attribute}, but the largest group on any "
            f"recorded node has {best}"
        )
    key = "distinctAttribute" if constraint.distinct else "matchAttribute"
    return Infeasible(
        "constraint-never-satisfiable",
        (*_BASE, "constraints", constraint.number, key),
        message,
        upstream="cannot allocate all claims",
        numbers=(wanted, best),
    )


def _unsatisfiable(views: _Views) -> Iterator[Infeasible]:
    texts: dict[str, None] = {}
    for group, _ in views.problems:
        if group.answer is not None and group.answer.fault is not None:
            result = views.fleets.fleet.result(views.allocator, group, group.nodes[0])
            texts[result.error or ""] = None
    nodes = len(views.fleets.inventory.nodes)
    upstream = next(iter(texts), "cannot allocate all claims")
    yield Infeasible(
        "unsatisfiable-claim",
        (*_BASE, "requests"),
        f"none of the {nodes} recorded nodes can meet this claim, even with every device free",
        help="`dradsl simulate` says where the devices fall out",
        upstream=upstream,
        numbers=(nodes,),
    )


def _unreached(views: _Views) -> Iterator[Infeasible]:
    """Alternatives that ask for more than an earlier one, of the same devices."""
    for request in views.allocator.plan.claims[0].requests:
        for later in range(1, len(request.asks)):
            for earlier in range(later):
                if _implies(views, request.asks[later], request.asks[earlier]):
                    ask, first = request.asks[later], request.asks[earlier]
                    yield Infeasible(
                        "alternative-never-reached",
                        (*_BASE, "requests", ask.request, "firstAvailable", ask.alternative),
                        f"wherever {ask.name} fits, {first.name} before it fits already",
                        help="put the more demanding alternative first",
                    )
                    break


def _implies(views: _Views, later: Ask, earlier: Ask) -> bool:
    """Whether a node that meets `later` surely meets `earlier`, whatever else runs there."""
    plain = later.mode == EXACT == earlier.mode and earlier.count <= later.count
    if not plain or earlier.capacity != later.capacity:
        return False
    for constraint in views.allocator.plan.constraints:
        if (later.index in constraint.asks) != (earlier.index in constraint.asks):
            return False
    if views.has_faults(earlier) or views.has_faults(later):
        return False
    some = False
    for _, problem in views.problems:
        wider = set(views.usable(earlier, problem))
        narrower = set(views.usable(later, problem))
        some = some or bool(narrower)
        if not narrower <= wider:
            return False
    return some


def _over_limit(views: _Views) -> Iterator[Infeasible]:
    """All mode that finds more devices than a claim can hold."""
    for ask in views.allocator.plan.asks:
        if ask.mode != ALL:
            continue
        counts = [
            (views.selected(ask, problem), group.nodes[0].name) for group, problem in views.problems
        ]
        most, node = max(counts, default=(0, ""))
        if most > MAX_RESULTS:
            yield Infeasible(
                "all-mode-over-limit",
                (*_path(ask), "allocationMode"),
                f"All finds {most} devices on node {node}; a claim holds at most {MAX_RESULTS}",
                upstream="exceeds the claim limit",
                numbers=(most,),
            )


def _timeouts(views: _Views) -> Iterator[Infeasible]:
    """Searches that the scheduler may not finish in time."""
    for group in views.groups:
        answer = group.answer
        if answer is None:
            continue
        spent = answer.outcome is Outcome.SPENT
        if spent or answer.steps > STEPS_OF_A_TIMEOUT:
            steps = "more steps than were tried here" if spent else f"{answer.steps:,} steps"
            yield Infeasible(
                "search-may-time-out",
                (*_BASE, "requests"),
                f"the scheduler needs {steps} for node {group.nodes[0].name} and has 10 s",
                help="fewer requests, or one request with a count, leave fewer orders to try",
                upstream="timed out trying to allocate devices",
                numbers=(answer.steps,),
            )
            return

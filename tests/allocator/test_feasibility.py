"""What lint says of claims and recorded slices (DRA7) against a recount that shares no code with it.

Fleets and claims are small, so that every way to hand out devices can be written down: which
devices a request may have is decided in plain Python, and whether a claim fits by trying all of it.
The limit of 32 devices is made smaller, so that it is met.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest import mock

from hypothesis import event, given, settings, strategies as st

from dradsl.allocator.engine import search
from dradsl.allocator.engine.allocate import Allocator
from dradsl.allocator.engine.selectors import CelSelectors
from dradsl.allocator.explain import facts, feasibility
from dradsl.allocator.explain.feasibility import Fleets, check_claim
from dradsl.allocator.inventory.allocated import AllocatedState
from dradsl.releases import get_release
from tests.allocator.small_fleets import (
    Case,
    Constraint,
    Gpu,
    Wish,
    cases,
    claim,
    classes,
    inventory,
    name_of,
    passes_class,
    selected,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.observations import Facts, Observation

Finding = tuple[str, str, int]
"""Reason, path within the devices of the claim, and the number that the message gives."""

LIMIT = 5
RELEASE = get_release("1.37")


def fleets(case: Case) -> Fleets:
    return Fleets(inventory(case), classes(), RELEASE, RELEASE.features())


# The recount


def singly(wish: Wish, slots: int, devices: tuple[Gpu, ...]) -> list[int]:
    """The devices of a node that could be had if nothing else was wanted."""
    return [
        place
        for place, gpu in enumerate(devices)
        if selected(wish, gpu, place)
        and (wish.memory or 0) <= gpu.memory
        and gpu.slots <= slots
        and (wish.tolerates or not gpu.tainted)
    ]


def everything(wish: Wish, devices: tuple[Gpu, ...]) -> list[int]:
    """What All means: it leaves out devices that are too small, and fails on others."""
    return [
        place
        for place, gpu in enumerate(devices)
        if selected(wish, gpu, place) and (wish.memory or 0) <= gpu.memory
    ]


def fitting(case: Case, constraints: tuple[Constraint, ...]) -> bool:
    found = []
    for slots, devices in case.nodes:
        if least(case, devices) <= LIMIT:
            attempt = Attempt(case.requests, constraints, slots, devices)
            try:
                found.append(attempt.request(0))
            except AbortedError:
                continue
    return any(found)


def least(case: Case, devices: tuple[Gpu, ...]) -> int:
    """The devices that the claim needs at least on a node; above the limit the scheduler aborts."""
    return sum(
        min(len(everything(w, devices)) if w.count is None else w.count for w in wanted)
        for wanted in case.requests
    )


class AbortedError(Exception):
    """A device that All must have goes against a constraint: the scheduler gives up."""


@dataclass
class Attempt:
    """One node, all ways tried in the scheduler's order; only the order of All's error needs it."""

    requests: tuple[tuple[Wish, ...], ...]
    constraints: tuple[Constraint, ...]
    slots: int
    devices: tuple[Gpu, ...]
    taken: tuple[tuple[int, int], ...] = ()

    def request(self, number: int) -> bool:
        if number == len(self.requests):
            return True
        for wish in self.requests[number]:
            every = everything(wish, self.devices)
            count = len(every) if wish.count is None else wish.count
            if count and len(self.taken) + count <= LIMIT:
                places = every if wish.count is None else range(len(self.devices))
                if self.device(number, wish, count, list(places)):
                    return True
        return False

    def device(self, number: int, wish: Wish, left: int, places: list[int]) -> bool:
        """Take as many as are left to take from these places on."""
        if not left:
            return self.request(number + 1)
        usable = singly(wish, self.slots, self.devices)
        before = self.taken
        for i, place in enumerate(places):
            held = [other for _, other in before]
            slots = sum(self.devices[other].slots for other in (*held, place))
            if place in usable and place not in held and slots <= self.slots:
                self.taken = (*before, (number, place))
                if self.agrees():
                    if self.device(number, wish, left - 1, places[i + 1 :]):
                        return True
                elif wish.count is None:
                    raise AbortedError
                self.taken = before
            if wish.count is None:
                return False
        return False

    def agrees(self) -> bool:
        for distinct, covered in self.constraints:
            roots = [self.devices[place].root for number, place in self.taken if number in covered]
            if None in roots or len(set(roots)) != (len(roots) if distinct else bool(roots)):
                return False
        return True


def expected(case: Case) -> set[Finding]:
    """Every finding that there has to be."""
    found = set(over_limit(case)) | set(unreached(case))
    if fitting(case, case.constraints):
        return found
    reasons = set(hopeless(case))
    if not reasons:
        for number in range(len(case.constraints)):
            others = case.constraints[:number] + case.constraints[number + 1 :]
            if fitting(case, others):
                at = f"constraints.{number}"
                reasons.add(("ConstraintNeverSatisfiable", at, largest(case, number)))
    if not reasons and not any(reason == "AllModeOverLimit" for reason, *_ in found):
        reasons.add(("UnsatisfiableClaim", "requests", len(case.nodes)))
    return found | reasons


def largest(case: Case, number: int) -> int:
    """The largest group, or the most values, among the devices that requests under it can take."""
    distinct, covered = case.constraints[number]
    sizes = [0]
    for slots, devices in case.nodes:
        places = {
            place
            for request in covered
            for wish in case.requests[request]
            for place in singly(wish, slots, devices)
        }
        roots = [devices[place].root for place in places if devices[place].root is not None]
        sizes += [len(set(roots))] if distinct else [roots.count(root) for root in roots]
    return max(sizes)


def where(case: Case, number: int, place: int) -> str:
    part = "exactly" if len(case.requests[number]) == 1 else f"firstAvailable.{place}"
    return f"requests.{number}.{part}"


def hopeless(case: Case) -> Iterator[Finding]:
    for number, wanted in enumerate(case.requests):
        reasons = []
        for place, wish in enumerate(wanted):
            best = max(len(singly(wish, slots, devices)) for slots, devices in case.nodes)
            some = [one for _, devices in case.nodes for one in enumerate(devices)]
            of_class = [(i, gpu) for i, gpu in some if passes_class(gpu)]
            if some and not of_class:
                at = f"{where(case, number, place)}.deviceClassName"
                reasons.append(("ClassMatchesNothing", at, len(some)))
            elif some and not any(selected(wish, gpu, i) for i, gpu in of_class):
                at = f"{where(case, number, place)}.selectors.0.cel.expression"
                reasons.append(("SelectorMatchesNothing", at, len(of_class)))
            elif wish.count is not None and 0 < best < wish.count:
                at = f"{where(case, number, place)}.count"
                reasons.append(("CountAboveAnyNode", at, best))
        if len(reasons) == len(wanted):
            yield from reasons


def over_limit(case: Case) -> Iterator[Finding]:
    """The All wish that finds most, on the node that is most above the limit."""
    worst, at = LIMIT, ""
    for _, devices in case.nodes:
        needs = []
        for number, wanted in enumerate(case.requests):
            counts = [
                (len(everything(w, devices)) if w.count is None else w.count, i)
                for i, w in enumerate(wanted)
            ]
            count, place = min(counts)
            needs.append((count, number, place, wanted[place].count is None))
        total = sum(count for count, *_ in needs)
        every = [need for need in needs if need[3]]
        if every and total > worst:
            count, number, place, _ = max(every, key=lambda need: (need[0], -need[1]))
            if count:
                worst, at = total, f"{where(case, number, place)}.allocationMode"
    if at:
        yield "AllModeOverLimit", at, worst


def unreached(case: Case) -> Iterator[Finding]:
    """Alternatives that ask for as many, or more, of devices that an earlier one takes as well."""
    for number, wanted in enumerate(case.requests):
        for place, wish in enumerate(wanted):
            if any(covers(case, earlier, wish) for earlier in wanted[:place]):
                yield "AlternativeNeverReached", where(case, number, place), 0


def covers(case: Case, earlier: Wish, later: Wish) -> bool:
    if earlier.count is None or later.count is None or earlier.count > later.count:
        return False
    if earlier.memory != later.memory:
        return False
    pairs = [(set(singly(earlier, *node)), set(singly(later, *node))) for node in case.nodes]
    return any(narrow for _, narrow in pairs) and all(narrow <= wide for wide, narrow in pairs)


def told(found: list[Observation]) -> set[Finding]:
    def shown(path: tuple[str | int, ...]) -> str:
        kept = path[2:-1] if path[2] == "constraints" else path[2:]
        return ".".join(map(str, kept))

    return {(type(one.facts).__name__, shown(one.path), number(one.facts)) for one in found}


def number(found: Facts) -> int:
    """The number that the message gives last; 0 if it gives none."""
    match found:
        case facts.UnsatisfiableClaim(nodes=figure):
            return figure
        case facts.CountAboveAnyNode(most=figure):
            return figure
        case facts.ClassMatchesNothing(devices=figure):
            return figure
        case facts.SelectorMatchesNothing(devices=figure):
            return figure
        case facts.ConstraintNeverSatisfiable(best=figure):
            return figure
        case facts.AllModeOverLimit(total=figure):
            return figure
        case facts.SearchMayTimeOut(steps=figure):
            return figure
    return 0


@given(st.booleans().flatmap(lambda plain: cases(plain=plain)))
@settings(max_examples=600, deadline=None)
def test_findings_are_those_of_the_recount(case: Case) -> None:
    with (
        mock.patch.object(search, "MAX_RESULTS", LIMIT),
        mock.patch.object(feasibility, "MAX_RESULTS", LIMIT),
    ):
        found = check_claim(fleets(case), claim(case))
    for one in found:
        event(type(one.facts).__name__)
    if not found:
        event("nothing found")
    assert told(found) == expected(case)


@given(cases(least=2), st.sets(st.tuples(st.integers(0, 2), st.integers(0, LIMIT + 1))))
@settings(max_examples=300, deadline=None)
def test_what_is_never_reached_is_never_taken(case: Case, used: set[tuple[int, int]]) -> None:
    fleet = fleets(case)
    state = AllocatedState()
    for number, place in used:
        state.take(name_of(number, place))
    allocator = Allocator(
        fleet.inventory,
        fleet.classes,
        [claim(case)],
        state,
        CelSelectors(RELEASE, RELEASE.features()),
        fleet.variant,
        fleet.enabled,
    )
    never = {at for _, at, _ in unreached(case)}
    event("some are never reached" if never else "all may be reached")
    for node in allocator.inventory.nodes:
        for allocation in allocator.allocate(node).allocations or ():
            for result in allocation["devices"].get("results", ()):
                request, _, part = result["request"].partition("/")
                number, place = int(request[1:]), int(part[1:] or 0)
                assert where(case, number, place) not in never

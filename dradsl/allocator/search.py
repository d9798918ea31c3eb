"""The search for devices: depth first, first solution wins, in the order of upstream exactly.

Follows allocateOne and allocateDevice of `structured/internal/*/allocator_*.go`. It is a pure
function of the problem and speaks in positions. The recursion is kept on a list, so that a pod with
hundreds of devices does not exhaust the interpreter's stack, and a budget of steps bounds it.

Upstream's search is exponential where nothing fits. Ours remembers failed states: a state that
looks the same, devices that are alike taken for each other, fails the same way. That changes no
answer (a failed state has met no fatal error, or the search would be over), and the steps that
upstream would have made are still counted.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dradsl.allocator.constraints import Constraint, make_constraint
from dradsl.allocator.eligibility import Fault
from dradsl.allocator.plan import ALL, Ask, ClaimPlan, Plan
from dradsl.allocator.switches import AllocatorFeatures, Distinct, Variant

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from dradsl.allocator.cells import Cell
    from dradsl.allocator.inventory import Amount
    from dradsl.allocator.problem import Counters, Problem

__all__ = ["DEFAULT_BUDGET", "MAX_RESULTS", "Answer", "Chosen", "Outcome", "search"]

MAX_RESULTS = 32
"""Devices that one claim can hold (resource.k8s.io AllocationResultsMaxSize)."""

DEFAULT_BUDGET = 200_000
"""Calls and devices tried before the search gives up."""

_MEMO_AFTER = 48


class Outcome(enum.Enum):
    FITS = "fits"
    NONE = "none"
    TOO_MANY = "too-many"
    FATAL = "fatal"
    SPENT = "spent"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A device at `position`, taken for the ask with index `ask`."""

    ask: int
    position: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What the search found.

    `chosen` are the devices per claim, in order; `alternatives` the alternative picked per (claim,
    request). `fault` explains FATAL, at the device with `position` or the `pool`. `steps` counts what upstream would have done
    (invocations of allocateOne), `tried` what was done here.
    """

    outcome: Outcome
    chosen: tuple[tuple[Chosen, ...], ...] = ()
    alternatives: tuple[tuple[tuple[int, int], int], ...] = ()
    fault: Fault | None = None
    position: int | None = None
    pool: int | None = None
    steps: int = 0
    tried: int = 0


def search(
    plan: Plan,
    problem: Problem,
    variant: Variant,
    features: AllocatorFeatures,
    *,
    budget: int = DEFAULT_BUDGET,
    remember: bool = True,
    contested: MutableMapping[str, Counters] | None = None,
) -> Answer:
    """The answer to a problem.

    `remember` switches the memory of failed states. `contested` are counters of pools whose name
    two drivers share; some releases carry them from node to node.
    """
    prepared = _prepare(plan, problem, variant)
    if isinstance(prepared, Answer):
        return prepared
    return _Search(plan, problem, variant, features, prepared, budget, remember, contested).run()


def _fatal(text: str | Fault, position: int | None = None, steps: int = 0) -> Answer:
    fault = text if isinstance(text, Fault) else Fault(text)
    return Answer(Outcome.FATAL, fault=fault, position=position, steps=steps)


# Preparation


def _prepare(plan: Plan, problem: Problem, variant: Variant) -> Answer | dict[int, tuple[int, ...]]:
    """The devices of each ask in All mode, or the error that upstream reports before searching."""
    everything: dict[int, tuple[int, ...]] = {}
    for claim in plan.claims:
        least = 0
        for request in claim.requests:
            if request.error is not None:
                return _fatal(request.error)
            counts = []
            for ask in request.asks:
                if ask.error is not None:
                    return _fatal(Fault(ask.error, crash=ask.crash))
                if ask.mode == ALL:
                    found = _all_devices(ask, request.asks, claim, problem, variant)
                    if isinstance(found, Answer):
                        return found
                    everything[ask.index] = found
                    counts.append(len(found))
                else:
                    counts.append(ask.count)
            if variant.limit_per_request and min(counts) > MAX_RESULTS - least:
                return _fatal(
                    f"claim {claim.label}, request {request.name}: adding {min(counts)} devices "
                    f"exceeds the claim limit of {MAX_RESULTS}, with {least} already accounted for"
                )
            least += min(counts)
        if least > MAX_RESULTS and not variant.limit_per_request:
            return _fatal(
                f"claim {claim.label}: number of requested devices {least} exceeds the claim "
                f"limit of {MAX_RESULTS}"
            )
        if claim.error is not None:
            return _fatal(claim.error)
    return everything


def _all_devices(
    ask: Ask, siblings: tuple[Ask, ...], claim: ClaimPlan, problem: Problem, variant: Variant
) -> Answer | tuple[int, ...]:
    found = []
    # The cache of the older releases takes the second alternative for the first.
    judged = ask.index
    if variant.shifted_cache and ask.alternative == 1 and siblings[0].mode == ALL:
        judged = siblings[0].index
    at = f"claim {claim.label}, request {ask.name}: asks for all devices, but resource pool "
    for number, pool in enumerate(problem.pools):
        if pool.incomplete or pool.invalid:
            state = "being updated" if pool.incomplete else "invalid"
            fault = Fault(at, f" is currently {state}")
            return Answer(Outcome.FATAL, fault=fault, pool=number)
        for position in range(pool.start, pool.stop):
            views = problem.cells[position].views
            eligible = views[judged].eligible
            if isinstance(eligible, Fault):
                return _fatal(eligible, position)
            if not eligible:
                continue
            view = views[ask.index]
            fits: Any = view.fits_empty if variant.static_all else view.room
            if isinstance(fits, Fault):
                return _fatal(replace(fits, short=True), position)
            if fits is not False:
                found.append(position)
    return tuple(found)


def _constraint_fault(claim: str, request: str) -> Fault:
    return Fault(
        f"claim {claim}, request {request}: cannot add device ",
        " because a claim constraint would not be satisfied",
    )


# Search


@dataclass(slots=True)
class _Taken:
    """What taking a device changed, so that it can be undone."""

    ask: int
    position: int
    charged: bool = False
    constraints: int = 0
    marked: bool = False
    consumed: tuple[tuple[str, Amount], ...] | None = None
    had_share: bool = False
    groups: dict[str, tuple[frozenset[str], ...]] | None = None


class _Frame:
    """One unfinished call: of alternatives, of a device in All mode, of a device picked, or of the
    next claim."""

    __slots__ = (
        "all_too_many",
        "alternative",
        "ask",
        "claim",
        "index",
        "key",
        "kind",
        "position",
        "request",
        "steps",
        "taken",
    )

    def __init__(self, kind: int, claim: int, request: int, index: int) -> None:
        self.kind = kind
        self.claim = claim
        self.request = request
        self.index = index
        self.alternative = 0
        self.all_too_many = True
        self.ask = -1
        self.position = 0
        self.taken: _Taken | None = None
        self.key: Any = None
        self.steps = 0


_NEXT_CLAIM, _ALTERNATIVES, _EVERY, _PICK = range(4)


class _Search:
    def __init__(
        self,
        plan: Plan,
        problem: Problem,
        variant: Variant,
        features: AllocatorFeatures,
        everything: dict[int, tuple[int, ...]],
        budget: int,
        remember: bool,
        contested: MutableMapping[str, Counters] | None,
    ) -> None:
        self._claims = plan.claims
        self._asks = plan.asks
        self._everything = everything
        self._counts = [
            len(everything[ask.index]) if ask.mode == ALL else ask.count for ask in plan.asks
        ]
        self._cells = problem.cells
        self._problem = problem
        self._variant = variant
        self._budget = budget
        self._capacity = "ConsumableCapacity" in features and variant.stores_state
        self._partitions = "PartitionableDevices" in features
        self._groups_on = "CompatibilityGroups" in features
        self._origins = problem.origins if problem.available else ()
        self._domains = problem.domains if problem.contested else self._origins
        self._slices = problem.slices if variant.checks_other_device else ()
        self._available: MutableMapping[Any, Counters] = {}
        self._contested = contested if contested is not None else {}
        self._marks = [0] * len(self._cells)
        self._touched: dict[int, None] = {}
        self._running: dict[Any, dict[tuple[str, str], Amount]] = {}
        self._running_groups: dict[Any, dict[str, tuple[frozenset[str], ...]]] = {}
        self._charged_capacity: dict[int, dict[str, Amount]] = {}
        self._chosen: list[list[Chosen]] = [[] for _ in plan.claims]
        self._picked: dict[tuple[int, int], int] = {}
        lists = "ListTypeAttributes" in features
        self._constraints: list[Constraint] = [
            make_constraint(
                distinct=entry.distinct,
                lists=lists,
                mode=variant.distinct,
                undoes=variant.undoes_lists,
            )
            for entry in plan.constraints
        ]
        self._steps = 0
        self._tried = 0
        self._fault: tuple[Fault, int | None] | None = None
        self._remember = remember and self._may_remember(plan, lists)
        self._failed: dict[Any, int] = {}
        self._classes: list[int] = []

    def _may_remember(self, plan: Plan, lists: bool) -> bool:
        """Whether a state says all: not where the release lets earlier attempts leave traces."""
        variant = self._variant
        traces = bool(self._problem.contested)
        if variant.leaks or variant.checks_other_device:
            traces = traces or not all(self._is_plain(cell) for cell in self._cells)
        for entry in plan.constraints:
            if entry.distinct:
                traces = traces or variant.distinct is not Distinct.ALL
            else:
                traces = traces or (lists and not variant.undoes_lists)
        return not traces

    def _is_plain(self, cell: Cell) -> bool:
        """Whether nothing but being taken can happen to the device."""
        if (self._partitions and cell.uses) or cell.multiple:
            return False
        if not (self._capacity and self._variant.checks_other_device):
            return True
        return all(isinstance(view.room, tuple) for view in cell.views)

    def _classify(self) -> list[int]:
        """A number per position; equal numbers are devices that can stand in for each other."""
        numbers: dict[Any, int] = {}
        rows = (*self._problem.values, *self._problem.derived.values())
        classes = []
        for position, cell in enumerate(self._cells):
            kind = (
                cell.number,
                self._domains[position] if cell.uses and self._domains else None,
                tuple(row[position] for row in rows),
                self._slices[position] if self._slices else None,
            )
            classes.append(numbers.setdefault(kind, len(numbers)))
        return classes

    def run(self) -> Answer:
        outcome = self._run()
        if outcome is Outcome.FATAL and self._fault is not None:
            fault, position = self._fault
            return Answer(
                outcome, fault=fault, position=position, steps=self._steps, tried=self._tried
            )
        if outcome is not Outcome.FITS:
            # Too many devices is a reason to look elsewhere, not an answer.
            outcome = Outcome.NONE if outcome is Outcome.TOO_MANY else outcome
            return Answer(outcome, steps=self._steps, tried=self._tried)
        return Answer(
            outcome,
            tuple(tuple(chosen) for chosen in self._chosen),
            tuple(self._picked.items()),
            steps=self._steps,
            tried=self._tried,
        )

    def _run(self) -> Outcome:
        stack: list[_Frame] = []
        # The next call: claim, request, ask within the request (-1: not chosen yet), device, start.
        call: tuple[int, int, int, int, int] | None = (0, 0, -1, 0, 0)
        result = Outcome.NONE
        while True:
            if call is not None:
                call, result = self._enter(call, stack)
                continue
            if not stack:
                return result
            call, result = self._return(stack, result)

    def _enter(
        self, call: tuple[int, int, int, int, int], stack: list[_Frame]
    ) -> tuple[tuple[int, int, int, int, int] | None, Outcome]:
        """One invocation of allocateOne: what to call next, or what it returns."""
        claim, request, alternative, index, start = call
        self._steps += 1
        self._tried += 1
        if self._tried > self._budget:
            return None, Outcome.SPENT
        if claim >= len(self._claims):
            return None, Outcome.FITS
        requests = self._claims[claim].requests
        if request >= len(requests):
            stack.append(_Frame(_NEXT_CLAIM, claim, request, index))
            return (claim + 1, 0, -1, 0, 0), Outcome.NONE
        plan = requests[request]
        if plan.prioritized and alternative < 0:
            frame = _Frame(_ALTERNATIVES, claim, request, index)
            stack.append(frame)
            return (claim, request, 0, index, 0), Outcome.NONE
        ask = plan.asks[max(alternative, 0)]
        if ask.mode == ALL and not self._everything[ask.index]:
            return None, Outcome.NONE
        count = self._counts[ask.index]
        if index >= count:
            return (claim, request + 1, -1, 0, 0), Outcome.NONE
        if count - index > MAX_RESULTS - len(self._chosen[claim]):
            too_many = Outcome.TOO_MANY if self._variant.reports_too_many else Outcome.NONE
            return None, too_many
        frame = _Frame(_PICK, claim, request, index)
        frame.ask, frame.alternative, frame.steps = ask.index, alternative, self._steps
        if ask.mode == ALL:
            return self._enter_every(frame, ask, stack)
        if self._remember and self._steps > _MEMO_AFTER:
            frame.key = self._state(claim, request, alternative, index, start)
            saved = self._failed.get(frame.key)
            if saved is not None:
                self._steps += saved
                return None, Outcome.NONE
        frame.position = start
        return self._scan(frame, stack)

    def _enter_every(
        self, frame: _Frame, ask: Ask, stack: list[_Frame]
    ) -> tuple[tuple[int, int, int, int, int] | None, Outcome]:
        frame.kind = _EVERY
        position = self._everything[ask.index][frame.index]
        taken = self._take(frame, ask, position, must=True)
        if taken is None:
            return None, Outcome.FATAL if self._fault else Outcome.NONE
        frame.taken = taken
        stack.append(frame)
        kept = frame.alternative if self._variant.keeps_alternative else min(frame.alternative, 0)
        return (frame.claim, frame.request, kept, frame.index + 1, 0), Outcome.NONE

    def _return(
        self, stack: list[_Frame], result: Outcome
    ) -> tuple[tuple[int, int, int, int, int] | None, Outcome]:
        """Hand a result to the frame that waits for it."""
        frame = stack[-1]
        if frame.kind == _ALTERNATIVES:
            return self._return_alternative(frame, stack, result)
        stack.pop()
        if frame.kind == _NEXT_CLAIM:
            return None, Outcome.NONE if result is Outcome.TOO_MANY else result
        if result is Outcome.FITS:
            return None, result
        if frame.taken is not None:
            self._undo(frame, frame.taken)
        if frame.kind == _EVERY or result is not Outcome.NONE:
            return None, result
        frame.position += 1
        return self._scan(frame, stack)

    def _return_alternative(
        self, frame: _Frame, stack: list[_Frame], result: Outcome
    ) -> tuple[tuple[int, int, int, int, int] | None, Outcome]:
        if result is Outcome.FITS:
            self._picked[frame.claim, frame.request] = frame.alternative
        if result in (Outcome.FITS, Outcome.FATAL, Outcome.SPENT):
            stack.pop()
            return None, result
        if result is Outcome.NONE:
            frame.all_too_many = False
        frame.alternative += 1
        asks = self._claims[frame.claim].requests[frame.request].asks
        if frame.alternative < len(asks):
            return (frame.claim, frame.request, frame.alternative, frame.index, 0), Outcome.NONE
        stack.pop()
        return None, Outcome.TOO_MANY if frame.all_too_many else Outcome.NONE

    def _scan(
        self, frame: _Frame, stack: list[_Frame]
    ) -> tuple[tuple[int, int, int, int, int] | None, Outcome]:
        """Try devices from the frame's position on until one can be taken."""
        ask = self._asks[frame.ask]
        admin, bit, number = ask.admin, 1 << frame.claim, ask.index
        cells, marks = self._cells, self._marks
        for position in range(frame.position, len(cells)):
            cell = cells[position]
            if cell.fault is not None:
                return self._fail(cell.fault, None)
            if (marks[position] & bit) if admin else (cell.in_use or marks[position]):
                continue
            view = cell.views[number]
            if view.eligible is not True:
                if view.eligible is False:
                    continue
                return self._fail(view.eligible, position)
            if self._capacity and not self._has_room(view.room, position):
                if isinstance(view.room, Fault):
                    return self._fail(view.room, position)
                continue
            self._tried += 1
            taken = self._take(frame, ask, position, must=False)
            if taken is None:
                if self._fault is not None:
                    return None, Outcome.FATAL
                continue
            frame.position, frame.taken = position, taken
            stack.append(frame)
            start = position + 1 if self._variant.combinations else 0
            return (
                frame.claim,
                frame.request,
                frame.alternative,
                frame.index + 1,
                start,
            ), Outcome.NONE
        if frame.key is not None:
            self._failed[frame.key] = self._steps - frame.steps
        return None, Outcome.NONE

    def _fail(self, fault: Fault, position: int | None) -> tuple[None, Outcome]:
        self._fault = fault, position
        return None, Outcome.FATAL

    # Taking a device and giving it back

    def _take(self, frame: _Frame, ask: Ask, position: int, *, must: bool) -> _Taken | None:
        cell, mark, bit = self._cells[position], self._marks[position], 1 << frame.claim
        if ask.admin:
            if not cell.multiple and mark & bit:
                return None
        elif cell.in_use or mark:
            return None
        if cell.blocked:
            return None
        taken = _Taken(ask.index, position)
        if cell.uses and not self._charge(cell, position, taken):
            return None
        if cell.views[ask.index].tainted:
            self._reject(frame, taken, cell)
            return None
        claim = self._claims[frame.claim]
        for entry in claim.constraints:
            constraint = self._constraints[entry.index]
            value = self._problem.compared(entry.index, ask.index)[position]
            if isinstance(value, Fault):
                self._fault = value, position
                return None
            if ask.index in entry.asks and not constraint.add(self._request_name(ask), value):
                self._reject(frame, taken, cell)
                if must:
                    self._fault = _constraint_fault(claim.label, ask.name), position
                return None
            taken.constraints += 1
        if not cell.multiple:
            self._marks[position] = mark | bit
            self._touched[position] = None
            taken.marked = True
        if self._capacity and not self._take_capacity(frame, ask, position, taken):
            return None
        self._chosen[frame.claim].append(Chosen(ask.index, position))
        return taken

    def _take_capacity(self, frame: _Frame, ask: Ask, position: int, taken: _Taken) -> bool:
        checked = position
        if self._variant.checks_other_device:
            first, end = self._slices[position]
            checked = first + frame.index
            if checked >= end:
                crash = "the scheduler crashes: the count is higher than the devices of a slice"
                self._fault = Fault(crash, crash=True), position
                return False
        cell = self._cells[position]
        if not self._has_room(self._cells[checked].views[ask.index].room, checked):
            self._reject(frame, taken, cell, late=True)
            return False
        if cell.multiple:
            room = cell.views[ask.index].room
            amounts = room if isinstance(room, tuple) else ()
            taken.consumed = tuple((name, wanted) for name, wanted, _ in amounts)
            taken.had_share = position in self._charged_capacity
            sums = self._charged_capacity.setdefault(position, {})
            for name, wanted in taken.consumed:
                sums[name] = sums.get(name, 0) + wanted
            self._touched[position] = None
        return True

    def _has_room(self, room: Any, position: int) -> bool:
        if not isinstance(room, tuple):
            return False
        sums = self._charged_capacity.get(position)
        if not sums:
            return True
        return all(sums.get(name, 0) + wanted <= left for name, wanted, left in room)

    def _reject(self, frame: _Frame, taken: _Taken, cell: Cell, *, late: bool = False) -> None:
        """Undo the steps of a device that was turned down; the older releases leave traces."""
        leaks = self._variant.leaks
        if not leaks or not late:
            self._remove_constraints(frame, taken)
            if taken.marked:
                self._unmark(frame, taken)
        if taken.charged and not leaks:
            self._release(cell, taken)

    def _undo(self, frame: _Frame, taken: _Taken) -> None:
        cell = self._cells[taken.position]
        self._chosen[frame.claim].pop()
        if taken.consumed is not None:
            self._give_back(taken)
        if taken.marked:
            self._unmark(frame, taken)
        self._remove_constraints(frame, taken)
        if taken.charged and not (self._variant.leaks and cell.multiple):
            self._release(cell, taken)
        if taken.groups is not None:
            self._running_groups[self._domains[taken.position]] = taken.groups

    def _unmark(self, frame: _Frame, taken: _Taken) -> None:
        self._marks[taken.position] &= ~(1 << frame.claim)
        if not self._marks[taken.position]:
            self._touched.pop(taken.position, None)

    def _remove_constraints(self, frame: _Frame, taken: _Taken) -> None:
        ask = self._asks[taken.ask]
        for entry in reversed(self._claims[frame.claim].constraints[: taken.constraints]):
            if taken.ask in entry.asks:
                self._constraints[entry.index].remove(self._request_name(ask))

    def _give_back(self, taken: _Taken) -> None:
        if not taken.consumed and self._variant.leaks:
            # A share of a device without capacities stays noted as one.
            return
        sums = self._charged_capacity.get(taken.position)
        if sums is None:
            return
        for name, amount in taken.consumed or ():
            sums[name] -= amount
        if not any(sums.values()):
            if taken.had_share and not self._variant.leaks:
                sums.clear()
            else:
                del self._charged_capacity[taken.position]
                self._touched.pop(taken.position, None)

    def _request_name(self, ask: Ask) -> str:
        return ask.name if ask.parent is None else ask.parent

    # Counters

    def _charge(self, cell: Cell, position: int, taken: _Taken) -> bool:
        if not self._partitions:
            return False
        if (
            self._variant.second_share_free
            and cell.multiple
            and (cell.shared or position in self._charged_capacity)
        ):
            return True
        if self._groups_on and not self._join_groups(cell, position, taken):
            return False
        domain = self._domains[position]
        running = self._running.setdefault(domain, {})
        for name, amount in cell.uses:
            running[name] = running.get(name, 0) + amount
        taken.charged = True
        left = self._left(position, domain)
        if any(left[name] < running.get(name, 0) for name in left):
            self._release(cell, taken)
            if taken.groups is not None:
                self._running_groups[domain] = taken.groups
            return False
        return True

    def _left(self, position: int, domain: Any) -> Counters:
        """What is available; pools of two drivers with one name share what is found first."""
        cache = self._contested if isinstance(domain, str) else self._available
        found = cache.get(domain)
        if found is None:
            found = cache[domain] = self._problem.available[self._origins[position]]
        return found

    def _release(self, cell: Cell, taken: _Taken) -> None:
        running = self._running[self._domains[taken.position]]
        for name, amount in cell.uses:
            running[name] -= amount

    def _join_groups(self, cell: Cell, position: int, taken: _Taken) -> bool:
        """Devices on one counter set need a compatibility group in common, or all have none."""
        domain = self._domains[position]
        before = self._running_groups.get(domain)
        if before is None:
            before = dict(self._problem.groups.get(domain, {}))
        after = dict(before)
        for counter_set, groups in cell.groups:
            members = after.get(counter_set, ())
            if not _compatible(members, groups):
                return False
            after[counter_set] = (*members, groups)
        self._running_groups[domain] = after
        taken.groups = before
        return True

    # Memory of failed states

    def _state(self, claim: int, request: int, alternative: int, index: int, start: int) -> Any:
        """All that decides how a call ends. Before `start`, and everywhere if the scan starts at
        the first device, only the classes of what is taken matter, not the places."""
        alike, placed = [], []
        if not self._classes:
            self._classes = self._classify()
        for position in self._touched:
            charged = self._charged_capacity.get(position)
            mark = (
                self._marks[position],
                () if charged is None else (("", 0), *sorted(charged.items())),
            )
            if not start or position < start:
                alike.append((self._classes[position], mark))
            else:
                placed.append((position, mark))
        alike.sort()
        placed.sort()
        constraints = tuple(
            self._constraints[entry.index].state() for entry in self._claims[claim].constraints
        )
        groups = self._running_groups and tuple(
            (domain, tuple(sorted(sets.items()))) for domain, sets in self._running_groups.items()
        )
        return (
            (claim, request, alternative, index, start, len(self._chosen[claim])),
            tuple(alike),
            tuple(placed),
            constraints,
            groups or None,
        )


def _compatible(members: tuple[frozenset[str], ...], groups: frozenset[str]) -> bool:
    if not members:
        return True
    if not groups or not members[0]:
        return not groups and not members[0]
    common = frozenset.intersection(*(member for member in members if member))
    return bool(common & groups)

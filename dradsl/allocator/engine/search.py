"""The search for devices: depth first, first solution wins, in the order of upstream exactly.

Follows allocateOne and allocateDevice of `structured/internal/*/allocator_*.go`. It is a pure
function of the problem and works on positions. The recursion is kept on a list, so that a pod with
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

from dradsl.allocator.engine.eligibility import Fault
from dradsl.allocator.engine.ledger import Chosen, DeviceRollbackState, Ledger
from dradsl.allocator.engine.plan import ALL, ClaimPlan, ClaimsPlan, RequestData
from dradsl.kube.limits import MAX_RESULTS
from dradsl.values.quantity import wrap_int64

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from dradsl.allocator.engine.problem import SearchProblem
    from dradsl.allocator.inventory.pools import DisputedPool
    from dradsl.allocator.switches import AllocatorFeatures
    from dradsl.releases.scheduling import AllocatorVariant

__all__ = [
    "DEFAULT_BUDGET",
    "MAX_RESULTS",
    "STEPS_OF_A_TIMEOUT",
    "SearchAnswer",
    "SearchOutcome",
    "all_devices",
    "search",
]

STEPS_OF_A_TIMEOUT = 2_000_000
"""Steps that the scheduler may not manage within the 10 s it has for one node."""

DEFAULT_BUDGET = 200_000
"""Calls and devices tried before the search gives up."""

_MEMO_AFTER = 48
_TOO_MANY = "allocation max size exceeded"


class SearchOutcome(enum.Enum):
    FITS = "fits"
    NONE = "none"
    TOO_MANY = "too-many"
    FATAL = "fatal"
    SPENT = "spent"


@dataclass(frozen=True, slots=True, eq=False)
class SearchAnswer:
    """What the search found.

    `chosen` are the devices per claim, in order; `alternatives` the alternative picked per (claim,
    request). `fault` explains FATAL, at the device with `position` or the `pool`. `steps` counts
    what upstream would have done (invocations of allocateOne), `tried` what was done here.
    """

    outcome: SearchOutcome
    chosen: tuple[tuple[Chosen, ...], ...] = ()
    alternatives: tuple[tuple[tuple[int, int], int], ...] = ()
    fault: Fault | None = None
    position: int | None = None
    pool: int | None = None
    steps: int = 0
    tried: int = 0


# Upstream: Allocator.Allocate (structured/internal/*/allocator_*.go)
def search(
    plan: ClaimsPlan,
    problem: SearchProblem,
    variant: AllocatorVariant,
    features: AllocatorFeatures,
    *,
    budget: int = DEFAULT_BUDGET,
    remember: bool = True,
    counters_so_far: MutableMapping[DisputedPool, Any] | None = None,
) -> SearchAnswer:
    """The answer to a problem.

    `remember` switches the memory of failed states. `counters_so_far` is what other nodes have left
    behind of pools that are not the same on all nodes, and gets what this one does.
    """
    prepared = _prepare(plan, problem, variant)
    if isinstance(prepared, SearchAnswer):
        return prepared
    ledger = Ledger(
        plan, problem, variant, features, {} if counters_so_far is None else counters_so_far
    )
    remember = remember and ledger.state_is_complete
    return _Search(plan, problem, variant, ledger, prepared, budget, remember).run()


def _fatal(text: str | Fault, position: int | None = None, steps: int = 0) -> SearchAnswer:
    fault = text if isinstance(text, Fault) else Fault(text)
    return SearchAnswer(SearchOutcome.FATAL, fault=fault, position=position, steps=steps)


# Preparation


# Upstream: Allocator.Allocate (structured/internal/*/allocator_*.go)
def _prepare(
    plan: ClaimsPlan, problem: SearchProblem, variant: AllocatorVariant
) -> SearchAnswer | dict[int, tuple[int, ...]]:
    """The devices of each request in All mode, or the error that upstream reports before searching."""
    all_devices_of: dict[int, tuple[int, ...]] = {}
    for claim in plan.claims:
        least = 0
        for request in claim.requests:
            if request.error is not None:
                return _fatal(request.error)
            counts = []
            for request_data in request.alternatives:
                if request_data.error is not None:
                    return _fatal(Fault(request_data.error, crash=request_data.crash))
                if request_data.mode == ALL:
                    found = all_devices(request_data, request.alternatives, claim, problem, variant)
                    if isinstance(found, SearchAnswer):
                        return found
                    all_devices_of[request_data.index] = found
                    counts.append(len(found))
                else:
                    counts.append(request_data.count)
            if variant.limit_per_request and min(counts) > MAX_RESULTS - least:
                return _fatal(
                    f"claim {claim.label}, request {request.name}: adding {min(counts)} devices "
                    f"exceeds the claim limit of {MAX_RESULTS}, with {least} already accounted for"
                )
            least += min(counts)
        least = wrap_int64(least)  # the older releases add before they compare
        if least > MAX_RESULTS and not variant.limit_per_request:
            return _fatal(
                f"claim {claim.label}: number of requested devices {least} exceeds the claim "
                f"limit of {MAX_RESULTS}"
            )
        if least < 0:
            text = "the scheduler crashes: the numbers of devices add up to more than it can count"
            return _fatal(Fault(text, crash=True))
        if claim.error is not None:
            return _fatal(claim.error)
    return all_devices_of


# Upstream: allocator.validateDeviceRequest (structured/internal/*/allocator_*.go)
def all_devices(
    request_data: RequestData,
    siblings: tuple[RequestData, ...],
    claim: ClaimPlan,
    problem: SearchProblem,
    variant: AllocatorVariant,
) -> SearchAnswer | tuple[int, ...]:
    """The positions that All mode means, or the error that finding them ends with."""
    found = []
    # The cache of the older releases takes the second alternative for the first.
    judged = request_data.index
    if variant.shifted_cache and request_data.alternative == 1 and siblings[0].mode == ALL:
        judged = siblings[0].index
    at = f"claim {claim.label}, request {request_data.name}: asks for all devices, but resource pool "
    for number, pool in enumerate(problem.pools):
        if pool.incomplete or pool.invalid:
            state = "being updated" if pool.incomplete else "invalid"
            fault = Fault(at, f" is currently {state}")
            return SearchAnswer(SearchOutcome.FATAL, fault=fault, pool=number)
        for position in range(pool.start, pool.stop):
            views = problem.signatures[position].matches
            eligible = views[judged].eligible
            if isinstance(eligible, Fault):
                return _fatal(eligible, position)
            if not eligible:
                continue
            view = views[request_data.index]
            fits: Any = view.fits_empty if variant.static_all else view.capacity
            if isinstance(fits, Fault):
                return _fatal(replace(fits, short=True), position)
            if fits is not False:
                found.append(position)
    return tuple(found)


# Search

Invocation = tuple[int, int, int, int, int]
"""An invocation of allocateOne: the number of the claim, of the request in it, of the alternative (-1:
none is chosen yet), of the device within the request, and the position at which the search starts."""

Step = tuple[Invocation | None, SearchOutcome]
"""The next invocation, or None and what this one returns."""


class _Frame:
    """One unfinished invocation of upstream's allocateOne, which recurses where this list grows.

    `claim`, `request`, `alternative` and `index` are upstream's deviceIndices: the numbers of the claim,
    the request, the subrequest, and the device within the request. `kind` says where the invocation stands:

    - _NEXT_CLAIM: all requests of the claim have devices; the next claim is being allocated.
    - _ALTERNATIVES: the alternatives of a prioritized list are tried in order; `all_too_many` stays
      true while each of them had too many devices.
    - _ALL_DEVICES: allocation mode All, whose devices are known beforehand: `taken` is the one for `index`.
    - _ONE_DEVICE: one device after the other is tried, from `position` on; `taken` is the one that the rest
      of the search goes on with. `key` is the state to remember if none does, `steps` how many
      invocations there had been before.
    """

    __slots__ = (
        "all_too_many",
        "alternative",
        "claim",
        "index",
        "key",
        "kind",
        "position",
        "request",
        "request_data",
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
        self.request_data = -1
        self.position = 0
        self.taken: DeviceRollbackState | None = None
        self.key: Any = None
        self.steps = 0


_NEXT_CLAIM, _ALTERNATIVES, _ALL_DEVICES, _ONE_DEVICE = range(4)


# Upstream: allocator.allocateOne (structured/internal/*/allocator_*.go)
class _Search:
    def __init__(
        self,
        plan: ClaimsPlan,
        problem: SearchProblem,
        variant: AllocatorVariant,
        ledger: Ledger,
        all_devices_of: dict[int, tuple[int, ...]],
        budget: int,
        remember: bool,
    ) -> None:
        self._claims = plan.claims
        self._all_requests = plan.all_requests
        self._all_devices_of = all_devices_of
        self._counts = [
            len(all_devices_of[request_data.index])
            if request_data.mode == ALL
            else request_data.count
            for request_data in plan.all_requests
        ]
        self._signatures = problem.signatures
        self._variant = variant
        self._ledger = ledger
        self._budget = budget
        self._picked: dict[tuple[int, int], int] = {}
        self._steps = 0
        self._tried = 0
        self._remember = remember
        self._failed: dict[Any, int] = {}

    def run(self) -> SearchAnswer:
        outcome = self._run()
        if outcome is SearchOutcome.FATAL and self._ledger.fault is not None:
            fault, position = self._ledger.fault
            return SearchAnswer(
                outcome, fault=fault, position=position, steps=self._steps, tried=self._tried
            )
        if outcome is SearchOutcome.TOO_MANY:
            # Reached only where the sum of all requests is more than an integer holds.
            return replace(_fatal(_TOO_MANY, steps=self._steps), tried=self._tried)
        if outcome is not SearchOutcome.FITS:
            return SearchAnswer(outcome, steps=self._steps, tried=self._tried)
        return SearchAnswer(
            outcome,
            tuple(tuple(chosen) for chosen in self._ledger.chosen),
            tuple(self._picked.items()),
            steps=self._steps,
            tried=self._tried,
        )

    def _run(self) -> SearchOutcome:
        stack: list[_Frame] = []
        call: Invocation | None = (0, 0, -1, 0, 0)
        result = SearchOutcome.NONE
        while True:
            if call is not None:
                call, result = self._allocate_one(call, stack)
                continue
            if not stack:
                return result
            call, result = self._resume(stack, result)

    def _allocate_one(self, call: Invocation, stack: list[_Frame]) -> Step:
        """The beginning of an invocation of allocateOne, up to the choice of a device."""
        claim, request, alternative, index, start = call
        self._steps += 1
        self._tried += 1
        if self._tried > self._budget:
            return None, SearchOutcome.SPENT
        if claim >= len(self._claims):
            return None, SearchOutcome.FITS
        requests = self._claims[claim].requests
        if request >= len(requests):
            stack.append(_Frame(_NEXT_CLAIM, claim, request, index))
            return (claim + 1, 0, -1, 0, 0), SearchOutcome.NONE
        plan = requests[request]
        if plan.prioritized and alternative < 0:
            frame = _Frame(_ALTERNATIVES, claim, request, index)
            stack.append(frame)
            return (claim, request, 0, index, 0), SearchOutcome.NONE
        request_data = plan.alternatives[max(alternative, 0)]
        if request_data.mode == ALL and not self._all_devices_of[request_data.index]:
            return None, SearchOutcome.NONE
        count = self._counts[request_data.index]
        if index >= count:
            return (claim, request + 1, -1, 0, 0), SearchOutcome.NONE
        if count - index > MAX_RESULTS - len(self._ledger.chosen[claim]):
            too_many = (
                SearchOutcome.TOO_MANY if self._variant.reports_too_many else SearchOutcome.NONE
            )
            return None, too_many
        frame = _Frame(_ONE_DEVICE, claim, request, index)
        frame.request_data, frame.alternative, frame.steps = (
            request_data.index,
            alternative,
            self._steps,
        )
        if request_data.mode == ALL:
            return self._allocate_all_devices(frame, request_data, stack)
        if self._remember and self._steps > _MEMO_AFTER:
            place = claim, request, alternative, index, start, len(self._ledger.chosen[claim])
            frame.key = place, self._ledger.state(claim, start)
            saved = self._failed.get(frame.key)
            if saved is not None:
                self._steps += saved
                return None, SearchOutcome.NONE
        frame.position = start
        return self._try_devices(frame, stack)

    def _allocate_all_devices(
        self, frame: _Frame, request_data: RequestData, stack: list[_Frame]
    ) -> Step:
        frame.kind = _ALL_DEVICES
        position = self._all_devices_of[request_data.index][frame.index]
        taken = self._ledger.allocate_device(request_data, frame.index, position, must=True)
        if taken is None:
            return None, SearchOutcome.FATAL if self._ledger.fault else SearchOutcome.NONE
        frame.taken = taken
        stack.append(frame)
        kept = frame.alternative if self._variant.keeps_alternative else min(frame.alternative, 0)
        return (frame.claim, frame.request, kept, frame.index + 1, 0), SearchOutcome.NONE

    # Upstream: allocator.rollbackDevice (structured/internal/*/allocator_*.go)
    def _resume(self, stack: list[_Frame], result: SearchOutcome) -> Step:
        """The rest of the invocation on top of the stack, with the result of the one that it made."""
        frame = stack[-1]
        if frame.kind == _ALTERNATIVES:
            return self._resume_alternatives(frame, stack, result)
        stack.pop()
        if frame.kind == _NEXT_CLAIM:
            return None, SearchOutcome.NONE if result is SearchOutcome.TOO_MANY else result
        if result is SearchOutcome.FITS:
            return None, result
        if frame.taken is not None:
            self._ledger.rollback_device(frame.taken)
        if frame.kind == _ALL_DEVICES or result is not SearchOutcome.NONE:
            return None, result
        frame.position += 1
        return self._try_devices(frame, stack)

    def _resume_alternatives(
        self, frame: _Frame, stack: list[_Frame], result: SearchOutcome
    ) -> Step:
        if result is SearchOutcome.FITS:
            self._picked[frame.claim, frame.request] = frame.alternative
        if result in (SearchOutcome.FITS, SearchOutcome.FATAL, SearchOutcome.SPENT):
            stack.pop()
            return None, result
        if result is SearchOutcome.NONE:
            frame.all_too_many = False
        frame.alternative += 1
        alternatives = self._claims[frame.claim].requests[frame.request].alternatives
        if frame.alternative < len(alternatives):
            return (
                frame.claim,
                frame.request,
                frame.alternative,
                frame.index,
                0,
            ), SearchOutcome.NONE
        stack.pop()
        return None, SearchOutcome.TOO_MANY if frame.all_too_many else SearchOutcome.NONE

    # Upstream: allocator.allocateOne, allocator.isSelectable (structured/internal/*/allocator_*.go)
    def _try_devices(self, frame: _Frame, stack: list[_Frame]) -> Step:
        """Try the devices from the frame's position on until one can be allocated: the loop over pools,
        slices and devices at the end of allocateOne."""
        request_data = self._all_requests[frame.request_data]
        admin, bit, number = request_data.admin, 1 << frame.claim, request_data.index
        signatures, ledger = self._signatures, self._ledger
        allocating_devices = ledger.allocating_devices
        for position in range(frame.position, len(signatures)):
            signature = signatures[position]
            if signature.fault is not None:
                return self._fail(signature.fault, None)
            if (
                (allocating_devices[position] & bit)
                if admin
                else (signature.in_use or allocating_devices[position])
            ):
                continue
            view = signature.matches[number]
            if view.eligible is not True:
                if view.eligible is False:
                    continue
                return self._fail(view.eligible, position)
            room = view.capacity
            if room is not None and not ledger.has_capacity(room, position):
                if isinstance(room, Fault):
                    return self._fail(room, position)
                continue
            self._tried += 1
            taken = ledger.allocate_device(request_data, frame.index, position, must=False)
            if taken is None:
                if ledger.fault is not None:
                    return None, SearchOutcome.FATAL
                continue
            frame.position, frame.taken = position, taken
            stack.append(frame)
            start = position + 1 if self._variant.combinations else 0
            index = frame.index + 1
            return (frame.claim, frame.request, frame.alternative, index, start), SearchOutcome.NONE
        if frame.key is not None:
            self._failed[frame.key] = self._steps - frame.steps
        return None, SearchOutcome.NONE

    def _fail(self, fault: Fault, position: int | None) -> tuple[None, SearchOutcome]:
        self._ledger.fault = fault, position
        return None, SearchOutcome.FATAL

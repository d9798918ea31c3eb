"""What recorded slices say about a claim before any pod exists: can it ever be met?

Pure functions over an inventory and a claim. Every device counts as free, so what is found here
does not depend on what happens to be running. Paths are those of the claim in v1 shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.allocator.engine.plan import ALL, EXACT
from dradsl.allocator.engine.search import (
    MAX_RESULTS,
    STEPS_OF_A_TIMEOUT,
    SearchAnswer,
    SearchOutcome,
    all_devices,
)
from dradsl.allocator.explain import facts
from dradsl.allocator.explain.causes import (
    broken_constraints,
    unsatisfiable,
    unsatisfiable_requests,
)
from dradsl.allocator.fleets.views import BASE, Fleets, Views, path_of
from dradsl.observations import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.allocator.engine.plan import RequestData
    from dradsl.allocator.engine.problem import SearchProblem
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict

__all__ = ["Fleets", "check_claim"]


def check_claim(fleets: Fleets, claim: ResourceClaimDict) -> list[Observation]:
    """What keeps a claim from being met (v1 shape, defaults applied); nothing if a node can meet it.

    Claims that the allocator cannot even prepare (a missing class, say) give nothing: other rules
    say why. A cause hides what follows from it.

    Raises:
        InventoryError: if the claim is not in the shape of the API.
    """
    allocator = fleets.allocator(claim)
    plan = allocator.plan.claims[0]
    if plan.error or any(r.error or any(a.error for a in r.alternatives) for r in plan.requests):
        return []
    groups = list(fleets.fleet.groups(allocator, fleets.inventory.nodes))
    views = Views(fleets, allocator, groups)
    found = [*_over_limit(views), *_unreached(views), *_timeouts(views)]
    if any(group.fits for group in groups) or not views.problems:
        return found
    causes = list(unsatisfiable_requests(views))
    if not causes:
        causes = list(broken_constraints(views, claim))
    enough = (facts.SearchMayTimeOut, facts.AllModeOverLimit)
    if not causes and not any(isinstance(one.facts, enough) for one in found):
        causes = list(unsatisfiable(views))
    return [*found, *causes]


def _unreached(views: Views) -> Iterator[Observation]:
    """Alternatives that ask for more than an earlier one, of the same devices."""
    for request in views.allocator.plan.claims[0].requests:
        for later in range(1, len(request.alternatives)):
            for earlier in range(later):
                if _implies(views, request.alternatives[later], request.alternatives[earlier]):
                    request_data, first = request.alternatives[later], request.alternatives[earlier]
                    yield Observation(
                        facts.AlternativeNeverReached(request_data.name, first.name),
                        (
                            *BASE,
                            "requests",
                            request_data.request,
                            "firstAvailable",
                            request_data.alternative,
                        ),
                    )
                    break


def _implies(views: Views, later: RequestData, earlier: RequestData) -> bool:
    """Whether a node that meets `later` surely meets `earlier`, whatever else runs there."""
    plain = later.mode == EXACT == earlier.mode and earlier.count <= later.count
    if not plain or earlier.capacity != later.capacity or earlier.derived != later.derived:
        return False
    for constraint in views.allocator.plan.constraints:
        if (later.index in constraint.covered) != (earlier.index in constraint.covered):
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


def _over_limit(views: Views) -> Iterator[Observation]:
    """All mode that makes a claim ask for more devices than it can hold, which is fatal."""
    worst: tuple[int, int, RequestData, str] | None = None
    for group, problem in views.problems:
        counts = _least_counts(views, problem)
        total = sum(count for count, _ in counts)
        most, request_data = max(
            ((count, request_data) for count, request_data in counts if request_data.mode == ALL),
            key=lambda pair: pair[0],
            default=(0, None),
        )
        above = most and total > MAX_RESULTS
        if request_data is not None and above and (worst is None or total > worst[0]):
            worst = total, most, request_data, group.nodes[0].name
    if worst is not None:
        total, most, request_data, node = worst
        found = facts.AllModeOverLimit(node, most, total, MAX_RESULTS)
        yield Observation(found, (*path_of(request_data), "allocationMode"))


def _least_counts(views: Views, problem: SearchProblem) -> list[tuple[int, RequestData]]:
    """The devices that each request needs at least on a node, with the request that needs so few."""
    found: list[tuple[int, RequestData]] = []
    claim = views.allocator.plan.claims[0]
    for request in claim.requests:
        counts = []
        for request_data in request.alternatives:
            count = request_data.count
            if request_data.mode == ALL:
                devices = all_devices(
                    request_data, request.alternatives, claim, problem, views.fleets.variant
                )
                if isinstance(devices, SearchAnswer):
                    return []  # an error of its own
                count = len(devices)
            counts.append((count, request_data))
        found.append(min(counts, key=lambda pair: pair[0]))
    return found


def _timeouts(views: Views) -> Iterator[Observation]:
    """Searches that the scheduler may not finish in time."""
    for group in views.groups:
        answer = group.answer
        if answer is None:
            continue
        spent = answer.outcome is SearchOutcome.SPENT
        if spent or answer.steps > STEPS_OF_A_TIMEOUT:
            found = facts.SearchMayTimeOut(group.nodes[0].name, answer.steps, spent)
            yield Observation(found, (*BASE, "requests"))
            return

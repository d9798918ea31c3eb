"""Why a claim fits no node of a fleet whose devices are all free.

The simplest reason that explains it is named: a request that cannot be met alone, then a constraint
without which the claim would fit, then only that it does not.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from dradsl.allocator.engine.constraints import UNKNOWN, lookup
from dradsl.allocator.engine.plan import ALL, EXACT
from dradsl.allocator.explain import facts
from dradsl.allocator.fleets.views import BASE, Views, path_of
from dradsl.allocator.inventory.slices import DeviceId
from dradsl.observations import Observation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.allocator.engine.constraints import Value
    from dradsl.allocator.engine.plan import ConstraintPlan, RequestData
    from dradsl.allocator.engine.problem import SearchProblem
    from dradsl.allocator.inventory.slices import Attribute
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict

__all__ = ["broken_constraints", "unsatisfiable", "unsatisfiable_requests"]


def unsatisfiable_requests(views: Views) -> Iterator[Observation]:
    """Requests of which no node can satisfy any alternative, whatever else the claim requests."""
    for request in views.allocator.plan.claims[0].requests:
        reasons = [_alone(views, request_data) for request_data in request.alternatives]
        # One alternative that can be met is enough.
        if all(reasons):
            yield from (reason for reason in reasons if reason is not None)


def _alone(views: Views, request_data: RequestData) -> Observation | None:
    """Why no node can meet a request even if it stood alone, without constraints."""
    if views.has_faults(request_data):
        return None
    if not views.selected(request_data):
        return _nothing_selected(views, request_data)
    best, node = views.best(request_data)
    if (
        request_data.mode != EXACT
        or not best
        or request_data.count <= best
        or views.takes_again(request_data)
    ):
        return None
    found = facts.CountAboveAnyNode(request_data.count, best, node)
    return Observation(found, (*path_of(request_data), "count"))


def _nothing_selected(views: Views, request_data: RequestData) -> Observation | None:
    """The class or selector after which no device is left; None if it is something else."""
    device_class = request_data.device_class
    own = len(device_class.selectors) if device_class is not None else 0
    survivors = _survivors(views, request_data)
    first = next((n for n, left in enumerate(survivors) if not left), 0)
    if not first:
        return None
    if first <= own:
        name = device_class.name if device_class is not None else ""
        of_class = facts.ClassMatchesNothing(name, len(survivors[0]))
        return Observation(of_class, (*path_of(request_data), "deviceClassName"))
    number = first - 1 - own
    found = facts.SelectorMatchesNothing(
        devices=len(survivors[first - 1]),
        is_first=first == 1,
        recorded=tuple(_recorded(views, request_data, number)),
    )
    return Observation(found, (*path_of(request_data), "selectors", number, "cel", "expression"))


def _survivors(views: Views, request_data: RequestData) -> list[set[DeviceId]]:
    """All devices, then those left after each selector of the class and of the request."""
    fleet = views.fleets.fleet
    found: list[set[DeviceId]] = []
    for group, problem in views.problems:
        for position, signature in enumerate(problem.signatures):
            if signature.fault is not None:
                continue
            _, owner, device = problem.place(position)
            answers = views.allocator.eligibility.explain(request_data, owner.driver, device)
            while len(found) <= len(answers):
                found.append(set())
            passed = next((n for n, (_, yes) in enumerate(answers) if yes is not True), None)
            stages = len(answers) if passed is None else passed
            for node in group.nodes:
                # The nodes of a group are alike, position by position.
                _, owner, device = fleet.layout(node).places[position]
                identity = DeviceId(owner.driver, owner.pool, device.name)
                for stage in range(stages + 1):
                    found[stage].add(identity)
    return found


def _recorded(
    views: Views, request_data: RequestData, number: int
) -> Iterator[tuple[str, tuple[Attribute, ...]]]:
    """What the devices have where the selector reads."""
    reads = views.allocator.eligibility.compiled(request_data.selectors[number] or "").reads or ()
    for name in sorted(reads):
        values: dict[Attribute, None] = {}
        for _, problem in views.problems:
            for _, owner, device in problem.places:
                found = lookup(device, owner.driver, name)
                if found is not None:
                    values[found] = None
        if values:
            yield name, tuple(values)


def broken_constraints(views: Views, claim: ResourceClaimDict) -> Iterator[Observation]:
    """Constraints without which the claim would fit."""
    for constraint in views.allocator.plan.constraints:
        devices = claim["spec"]["devices"]
        others = [c for i, c in enumerate(devices["constraints"]) if i != constraint.number]
        without: ResourceClaimDict = {
            **claim,
            "spec": {**claim["spec"], "devices": {**devices, "constraints": others}},
        }
        allocator = views.fleets.allocator(without)
        nodes = views.fleets.inventory.nodes
        if any(group.fits for group in views.fleets.fleet.groups(allocator, nodes)):
            yield _unsatisfied(views, constraint)


def _unsatisfied(views: Views, constraint: ConstraintPlan) -> Observation:
    best, missing, total = 0, 0, 0
    for _, problem in views.problems:
        values = _compared_values(views, constraint, problem)
        total += len(values)
        missing += sum(value is None for value in values)
        best = max(best, _largest(values, constraint.distinct))
    covered = [
        request.alternatives
        for request in views.allocator.plan.claims[0].requests
        if any(request_data.index in constraint.covered for request_data in request.alternatives)
    ]
    wanted = sum(
        min(request_data.count for request_data in alternatives) for alternatives in covered
    )
    every = any(
        request_data.mode == ALL for alternatives in covered for request_data in alternatives
    )
    found = facts.ConstraintNeverSatisfiable(
        attribute=constraint.attribute,
        distinct=constraint.distinct,
        count=wanted,
        every=every,
        best=best,
        never_there=bool(total) and missing == total,
    )
    key = "distinctAttribute" if constraint.distinct else "matchAttribute"
    return Observation(found, (*BASE, "constraints", constraint.number, key))


def _compared_values(
    views: Views, constraint: ConstraintPlan, problem: SearchProblem
) -> list[Value | None]:
    """What the constraint compares of each device that some request under it can take."""
    return list(
        {
            position: problem.compared(constraint.index, request_data.index)[position]
            for request_data in views.allocator.plan.all_requests
            if request_data.index in constraint.covered
            for position in views.usable(request_data, problem)
        }.values()
    )


def _largest(values: Sequence[Value], distinct: bool) -> int:
    """The most devices that can share a value, or the number of values (of lists: of elements)."""
    counts: Counter[Any] = Counter()
    single = False
    for value in values:
        if value == UNKNOWN:
            # Equal to nothing, itself included.
            single = True
        elif isinstance(value, frozenset):
            counts.update(value)
        elif value is not None:
            counts[value] += 1
    return max(int(single), len(counts) if distinct else max(counts.values(), default=0))


def unsatisfiable(views: Views) -> Iterator[Observation]:
    """That no node can meet the claim, where nothing simpler explains it."""
    errors: dict[str, None] = {}
    for group, _ in views.problems:
        if group.answer is not None and group.answer.fault is not None:
            result = views.fleets.fleet.result(views.allocator, group, group.nodes[0])
            errors[result.error or ""] = None
    nodes = len(views.fleets.inventory.nodes)
    found = facts.UnsatisfiableClaim(nodes, next(iter(errors), None))
    yield Observation(found, (*BASE, "requests"))

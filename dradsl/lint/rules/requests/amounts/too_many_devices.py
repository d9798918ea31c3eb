"""DRA319: the requests of a claim need more devices than any claim can hold.

Follows Allocate of k8s.io/dynamic-resource-allocation structured/internal, 1.34 to 1.37: the least that each
request can need is added up before any device is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import FieldPath
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, Run

CODE = "DRA319"
WORDS = ("count",)


def check(run: Run) -> Iterator[RuleFinding]:
    few: set[int] = set()
    for claim in run.claims():
        if claim.like is not None and id(claim.spec) in few:
            continue  # that very spec was looked at
        needs = list(_needs(claim))
        total = sum(count for count, _ in needs)
        if total < 2:
            few.add(id(claim.spec))
            continue
        from dradsl.kube.limits import MAX_RESULTS

        if total <= MAX_RESULTS:
            few.add(id(claim.spec))
            continue
        many, path = max(needs, key=lambda each: each[0])
        among = "" if len(needs) == 1 else f", {many} of them by this request"
        yield RuleFinding(
            CODE,
            claim.manifest,
            claim.written(path),
            f"the claim needs {total} devices{among}; a claim holds at most {MAX_RESULTS}",
            help="spread the devices over several claims",
            upstream=f"exceeds the claim limit of {MAX_RESULTS}",
        )


def _needs(claim: ClaimView) -> Iterator[tuple[int, FieldPath]]:
    """The fewest devices that each request can do with, and where their number stands."""
    by_request: dict[FieldPath, list[tuple[int, FieldPath]]] = {}
    for request in claim.bodies():
        count = request.body.get("count")
        # Of All at least one: where it finds none, the node does not fit.
        exact = request.body.get("allocationMode") == "ExactCount"
        least = count if exact and isinstance(count, int) else 1
        field = "count" if exact and least > 1 else "deviceClassName"
        owner = request.path[: request.path.index("requests") + 2]
        by_request.setdefault(owner, []).append((least, (*request.path, field)))
    for asks in by_request.values():
        yield min(asks, key=lambda each: each[0])

"""DRA317, DRA319, DRA330: a count of 0, more devices than any claim can hold, and no request at all.

What a claim can hold follows Allocate of k8s.io/dynamic-resource-allocation structured/internal, 1.34 to 1.37: the least
that each request can need is added up before any device is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import FieldPath
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, Run

_ZERO = "DRA317"
_TOO_MANY = "DRA319"
_NONE = "DRA330"
WORDS = (("ResourceClaim", "ResourceClaimTemplate"),)


def check(run: Run) -> Iterator[RuleFinding]:
    few: set[int] = set()
    for claim in run.claims:
        yield from _zero(run, claim)
        yield from _no_requests(run, claim)
        if claim.like is None or id(claim.spec) not in few:
            found = _too_many(claim)
            if found is None:
                few.add(id(claim.spec))  # that very spec need not be looked at again
            else:
                yield found


def _zero(run: Run, claim: ClaimView) -> Iterator[RuleFinding]:
    """`count: 0` is written out, which the API server turns into 1."""
    for request in claim.bodies:
        if request.body.get("count") != 1:
            continue
        path = claim.written((*request.path, "count"))
        if run.written_value(claim.manifest, path) == 0:
            yield RuleFinding(
                _ZERO,
                claim.manifest,
                path,
                "count: 0 is read as unset and becomes 1",
                help="leave the request out if no device is needed; otherwise write count: 1",
            )


def _no_requests(run: Run, claim: ClaimView) -> Iterator[RuleFinding]:
    """A claim without requests is allocated nothing."""
    manifest = claim.manifest
    if manifest.is_patch or manifest.build_context.completed or not claim.admission.accepted:
        return
    if claim.devices.get("requests"):
        return
    path = claim.written((*claim.path, "devices", "requests"))
    while path and run.written_value(manifest, path) is None:
        path = path[:-1]
    yield RuleFinding(
        _NONE,
        manifest,
        path,
        f"the {manifest.kind} asks for no device: its pods start without any",
        help="add a request, or leave the claim out",
        on_key=True,
    )


def _too_many(claim: ClaimView) -> RuleFinding | None:
    needs = list(_needs(claim))
    total = sum(count for count, _ in needs)
    if total < 2:
        return None
    from dradsl.kube.limits import MAX_RESULTS

    if total <= MAX_RESULTS:
        return None
    many, path = max(needs, key=lambda each: each[0])
    among = "" if len(needs) == 1 else f", {many} of them by this request"
    return RuleFinding(
        _TOO_MANY,
        claim.manifest,
        claim.written(path),
        f"the claim needs {total} devices{among}; a claim holds at most {MAX_RESULTS}",
        help="spread the devices over several claims",
        upstream=f"exceeds the claim limit of {MAX_RESULTS}",
    )


def _needs(claim: ClaimView) -> Iterator[tuple[int, FieldPath]]:
    """The fewest devices that each request can do with, and where their number stands."""
    by_request: dict[FieldPath, list[tuple[int, FieldPath]]] = {}
    for request in claim.bodies:
        count = request.body.get("count")
        # Of All at least one: where it finds none, the node does not fit.
        exact = request.body.get("allocationMode") == "ExactCount"
        least = count if exact and isinstance(count, int) else 1
        field = "count" if exact and least > 1 else "deviceClassName"
        owner = request.path[: request.path.index("requests") + 2]
        by_request.setdefault(owner, []).append((least, (*request.path, field)))
    for asks in by_request.values():
        yield min(asks, key=lambda each: each[0])

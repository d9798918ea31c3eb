"""DRA332: three or more requests of a claim that differ in nothing but the name: a count says the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, RequestView, Run
from dradsl.values.plain import list_at, member

CODE = "DRA332"
_MANY = 3
WORDS = (("ResourceClaim", "ResourceClaimTemplate"),)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        if claim.manifest.is_patch:
            continue
        for alike in _alike(claim):
            names = [each.name for each in alike]
            if len(alike) < _MANY or _is_named(claim, names) or _is_used(run, names):
                continue
            total = sum(_count(each.body) for each in alike)
            yield RuleFinding(
                CODE,
                claim.manifest,
                claim.written((*alike[0].path[:-1], "name")),
                f"{len(alike)} requests ask for the same: {', '.join(names[:5])}; the scheduler tries them "
                "in more orders",
                help=f"write one request with count: {total}",
            )


def _alike(claim: ClaimView) -> list[list[RequestView]]:
    """The exact requests, those together that ask for the same."""
    found: list[list[RequestView]] = []
    for request in claim.bodies():
        if request.parent is None and request.body.get("allocationMode") == "ExactCount":
            same = next((each for each in found if each[0].body == request.body), None)
            if same is None:
                found.append([request])
            else:
                same.append(request)
    return found


def _count(body: Mapping[str, object]) -> int:
    count = body.get("count")
    return count if isinstance(count, int) else 1


def _is_named(claim: ClaimView, names: list[str]) -> bool:
    """Whether a constraint or a configuration mentions some of them."""
    for field in ("constraints", "config"):
        for item in list_at(claim.devices, field):
            named = member(item, "requests")
            if named and not set(names).isdisjoint(named):
                return True
    return False


def _is_used(run: Run, names: list[str]) -> bool:
    """Whether some container is given one of them alone: then they are different."""
    used = run.remember("requests-of-containers", lambda: _used(run))
    return not used.isdisjoint(names)


def _used(run: Run) -> frozenset[object]:
    found = (each for pod in run.pods() for _, each in pod.container_claims())
    return frozenset(name for each in found if isinstance(name := each.get("request"), str))

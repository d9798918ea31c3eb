"""DRA335: distinctAttribute over a request of several devices, in a release that does not compare them all.

Which release remembers what is a row of the allocator's table; kubernetes issue 140438.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, Run
from dradsl.values.plain import list_at

CODE = "DRA335"
WORDS = ("distinctAttribute",)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        for index, constraint in enumerate(list_at(claim.devices, "constraints")):
            if not isinstance(constraint, dict) or not constraint.get("distinctAttribute"):
                continue
            if constraint.get("matchAttribute"):
                continue  # DRA318: it is ignored
            most = _most(claim, constraint.get("requests"))
            compared = _compared(run)
            if compared is None or most <= compared:
                continue
            yield RuleFinding(
                CODE,
                claim.manifest,
                claim.written((*claim.path, "devices", "constraints", index, "distinctAttribute")),
                f"{most} devices of one request are to differ, but Kubernetes {run.release.name} compares "
                "a device only with the one chosen before it: the first and the third may be equal",
                help="write requests of count 1 each",
            )


def _most(claim: ClaimView, named: object) -> int:
    """The most devices of one request that the constraint is about."""
    counts = [0]
    for request in claim.named(named):
        count = request.body.get("count")
        counts.append(count if isinstance(count, int) else 0)
    return max(counts)


def _compared(run: Run) -> int | None:
    """How many devices of a request must differ; None if all are, or the field is unknown."""
    from dradsl.allocator.switches import allocator_features, choose_variant, variants_of
    from dradsl.releases.scheduling import DistinctComparison

    variant = choose_variant(variants_of(run.release.patch), allocator_features(run.features))
    return 2 if variant.distinct is DistinctComparison.LAST_OF_REQUEST else None

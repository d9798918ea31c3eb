"""Family 7: claims that the recorded slices cannot meet, or only with trouble."""

from __future__ import annotations

from dradsl.lint.rules.feasibility.recorded import fleets_of
from dradsl.lint.rules.observed import reported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dradsl.lint.view.found import Found
    from dradsl.lint.view.view import ClaimView, Run


def check(run: Run) -> Iterator[Found]:
    from dradsl.allocator.explain.feasibility import check_claim
    from dradsl.lint.catalogue.feasibility_words import FEASIBILITY_WORDS

    fleets = fleets_of(run)
    for claim in run.claims():
        if not claim.admission.accepted:
            continue
        for observed in check_claim(fleets, _document(claim)):
            path = claim.written((*claim.path, *observed.path[1:]))
            yield reported(claim.manifest, path, observed, FEASIBILITY_WORDS)


def _document(claim: ClaimView) -> dict[str, Any]:
    metadata = {"name": claim.manifest.name or "", "namespace": claim.manifest.namespace or ""}
    return {"metadata": metadata, "spec": dict(claim.spec)}

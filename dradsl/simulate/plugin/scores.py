"""What a node scores: more for alternatives nearer to the front (computeScore of the plugin)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.simulate.plugin.reserved import allocation_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.allocator.engine.allocate import Allocator
    from dradsl.kube.fields.typed_dicts import ResourceClaimDict

__all__ = ["score_before", "score_found"]

_MAX_SCORE = 8  # resource.k8s.io FirstAvailableDeviceRequestMaxSize


# Upstream: DynamicResources.Score (plugins/dynamicresources/dynamicresources.go)
def score_before(claim: ResourceClaimDict) -> int:
    """What a claim that is allocated already adds to the score of every node."""
    allocation = allocation_of(claim) or {}
    names = {
        result.get("request") for result in (allocation.get("devices") or {}).get("results") or ()
    }
    total = 0
    for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ():
        for place, ask in enumerate(request.get("firstAvailable") or ()):
            if f"{request.get('name')}/{ask.get('name')}" in names:
                total += _MAX_SCORE - place
                break
    return total


# Upstream: computeScore (plugins/dynamicresources/dynamicresources.go)
def score_found(alternatives: Mapping[tuple[int, int], int], allocator: Allocator) -> int:
    """What the alternatives that were chosen add, by claim and request."""
    return sum(
        _MAX_SCORE - alternatives.get((number, place), 0)
        for number, claim in enumerate(allocator.plan.claims)
        for place, request in enumerate(claim.requests)
        if request.prioritized
    )

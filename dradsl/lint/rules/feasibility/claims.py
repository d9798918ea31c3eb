"""Family 7: claims that the recorded slices cannot meet, or only with trouble."""

from __future__ import annotations

from dradsl.lint.rules.feasibility.recorded import fleets_of, recorded_cluster
from dradsl.lint.rules.observed import reported
from dradsl.records import replace
from dradsl.values.limits import MOST_NEAR_NODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from dradsl.allocator.explain.feasibility import Fleets
    from dradsl.kube.fields.typed_dicts import ObjectMetaDict, ResourceClaimDict
    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.lint.view.view import ClaimView, Run
    from dradsl.simulate.cluster import Cluster


def check(run: Run) -> Iterator[RuleFinding]:
    from dradsl.allocator.explain.facts import UnsatisfiableClaim
    from dradsl.allocator.explain.feasibility import check_claim
    from dradsl.lint.catalogue.feasibility_messages import FEASIBILITY_MESSAGES

    cluster, fleets = recorded_cluster(run), fleets_of(run)
    for claim in run.claims:
        if not claim.admission.accepted:
            continue
        document = _document(claim)
        for observed in check_claim(fleets, document):
            path = claim.written((*claim.path, *observed.path[1:]))
            found = reported(claim.manifest, path, observed, FEASIBILITY_MESSAGES)
            facts = observed.facts
            if isinstance(facts, UnsatisfiableClaim) and facts.error is None:
                nearest = _nearest(run, fleets, cluster, document)
                found = found if nearest is None else replace(found, help=nearest)
            yield found


def _nearest(run: Run, fleets: Fleets, cluster: Cluster, claim: ResourceClaimDict) -> str | None:
    """The smallest change under which a node can meet the claim, as `dradsl simulate` says it."""
    from dradsl.allocator.engine.selectors import CelSelectors
    from dradsl.simulate.attempts import Simulation
    from dradsl.simulate.relax import relax

    allocator = fleets.allocator(claim)
    groups = fleets.fleet.groups(allocator, fleets.inventory.nodes)
    nodes = [group.nodes[0] for group, _ in zip(groups, range(MOST_NEAR_NODES), strict=False)]
    simulation = Simulation(
        cluster, run.release, run.features, CelSelectors(run.release, run.features)
    )
    found = relax(simulation, [each.document for each in allocator.plan.claims], nodes)
    return None if found is None else f"nearest: {found.node}: {found.text}"


def _document(claim: ClaimView) -> ResourceClaimDict:
    metadata: ObjectMetaDict = {
        "name": claim.manifest.name or "",
        "namespace": claim.manifest.namespace or "",
    }
    spec: Any = dict(claim.spec)  # of an object that the API server accepts
    return {"metadata": metadata, "spec": spec}

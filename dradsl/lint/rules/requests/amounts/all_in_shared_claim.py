"""DRA321: several pods share a ResourceClaim that takes all devices of a node."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.references.consumption.consumers import consumers_of_claims
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA321"
WORDS = ("All", "resourceClaimName")


def check(run: Run) -> Iterator[RuleFinding]:
    consumers = run.remember("consumers-of-claims", lambda: consumers_of_claims(run))
    for claim in run.claims():
        users = consumers.get(claim.manifest.key, ())
        if sum(each.pods for each in users) < 2:
            continue
        for request in claim.bodies():
            if request.body.get("allocationMode") == "All":
                first = users[0]
                yield RuleFinding(
                    CODE,
                    claim.manifest,
                    claim.written((*request.path, "allocationMode")),
                    "the pods that share this claim get all devices of one node: it has to be a node "
                    "on which none of them is in use",
                    help="ask for a count, or give each pod a claim of its own by a ResourceClaimTemplate",
                    related=(RelatedField("named here", first.pod.manifest, first.path),),
                )

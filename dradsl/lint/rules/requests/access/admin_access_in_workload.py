"""DRA323: the replicas of an ordinary workload get devices by admin access, beside their owners."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.references.lookup import claims_of_entry
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA323"
WORDS = ("adminAccess", "resourceClaims")
_REFERENCES = ("resourceClaimName", "resourceClaimTemplateName")


def _names(run: Run) -> frozenset[str] | None:
    """The names of the claims and templates that ask for admin access; None if one of them is not known."""
    asking = [
        claim.manifest
        for kind in ("ResourceClaim", "ResourceClaimTemplate")
        for manifest in run.index.kind(kind)
        if (claim := run.claim_of(manifest)) is not None
        and any(each.body.get("adminAccess") is True for each in claim.bodies())
    ]
    if any(each.build_context.names or each.build_context.holes for each in asking):
        return None
    return frozenset([str(each.name) for each in asking])


def check(run: Run) -> Iterator[RuleFinding]:
    names = run.remember("names-with-admin-access", lambda: _names(run))
    for pod in run.pods():
        if pod.at.per_node or (pod.at.replicas or 0) < 2:
            continue  # one pod a node, or a single one, is what watches over devices
        for index, entry in pod.claims():
            if names is not None and not any(str(entry.get(each)) in names for each in _REFERENCES):
                continue
            for claim in claims_of_entry(run, pod, entry):
                asks = [each for each in claim.bodies() if each.body.get("adminAccess") is True]
                if not asks:
                    continue
                path = claim.written((*asks[0].path, "adminAccess"))
                yield RuleFinding(
                    CODE,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims", index, "name"),
                    f"the {pod.at.replicas} replicas get devices by admin access: such devices are not "
                    "theirs, other pods use them at the same time",
                    help="leave adminAccess out of claims for pods that are to work with the devices",
                    related=(RelatedField("admin access", claim.manifest, path),),
                )
                break

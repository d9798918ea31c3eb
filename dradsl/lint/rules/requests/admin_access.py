"""DRA323, DRA324: admin access for the replicas of an ordinary workload, and in a namespace without the label."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.pods import PodView
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import ClaimView, RequestView, Run
from dradsl.tree.manifests.manifest import Manifest

_IN_WORKLOAD = "DRA323"
_UNLABELLED = "DRA324"
_LABEL = 'resource.kubernetes.io/admin-access: "true"'
_REFERENCES = ("resourceClaimName", "resourceClaimTemplateName")
WORDS = ("adminAccess",)


def check(run: Run) -> Iterator[RuleFinding]:
    names = run.remember("names-with-admin-access", lambda: _names(run))
    for pod in run.pods:
        if not pod.at.per_node and (pod.at.replicas or 0) > 1:
            # One pod a node, or a single one, is what watches over devices.
            yield from _in_workload(run, pod, names)
    yield from _unlabelled(run)


def _asks(claim: ClaimView) -> RequestView | None:
    """The first request with admin access."""
    return next((each for each in claim.bodies if each.body.get("adminAccess") is True), None)


def _names(run: Run) -> frozenset[str] | None:
    """The names of the claims and templates that ask for admin access; None if one of them is not known."""
    asking = [
        claim.manifest
        for kind in ("ResourceClaim", "ResourceClaimTemplate")
        for manifest in run.index.kind(kind)
        if (claim := run.claim_of(manifest)) is not None and _asks(claim) is not None
    ]
    if any(each.build_context.names or each.build_context.holes for each in asking):
        return None
    return frozenset([str(each.name) for each in asking])


def _in_workload(run: Run, pod: PodView, names: frozenset[str] | None) -> Iterator[RuleFinding]:
    """The replicas of an ordinary workload get devices by admin access, beside their owners."""
    from dradsl.lint.rules.references.lookup import claims_of_entry

    for index, entry in pod.claims:
        if names is not None and not any(str(entry.get(each)) in names for each in _REFERENCES):
            continue
        for claim in claims_of_entry(run, pod, entry):
            ask = _asks(claim)
            if ask is None:
                continue
            path = claim.written((*ask.path, "adminAccess"))
            yield RuleFinding(
                _IN_WORKLOAD,
                pod.manifest,
                (*pod.at.path, "resourceClaims", index, "name"),
                f"the {pod.at.replicas} replicas get devices by admin access: such devices are not "
                "theirs, other pods use them at the same time",
                help="leave adminAccess out of claims for pods that are to work with the devices",
                related=(RelatedField("admin access", claim.manifest, path),),
            )
            break


def _unlabelled(run: Run) -> Iterator[RuleFinding]:
    """Admin access in a namespace of which the run does not hold the Namespace: it needs a label."""
    told: set[str] = set()
    for claim in run.claims:
        ask = None if claim.manifest.is_recorded else _asks(claim)  # the server has taken it
        if ask is None or run.namespace_labels(claim.manifest) or _is_unknown(run, claim.manifest):
            continue
        namespaces = claim.manifest.namespaces
        if len(namespaces) != 1 or namespaces[0] in told:
            continue  # whoever installs it into some namespace knows of the label; and once is enough
        told.add(namespaces[0])
        yield RuleFinding(
            _UNLABELLED,
            claim.manifest,
            claim.written((*ask.path, "adminAccess")),
            f'admin access is rejected unless namespace "{namespaces[0]}" has the label {_LABEL}',
            help="add the Namespace with this label to the manifests, or show it with --context PATH",
            on_key=True,
        )


def _is_unknown(run: Run, manifest: Manifest) -> bool:
    """Whether a Namespace of the run may be the one, or may have the label, by a value that is not known."""
    namespaces = run.index.kind("Namespace")
    if namespaces and manifest.is_unknown(("metadata", "namespace")):
        return True
    return any(each.build_context.holes or each.build_context.completed for each in namespaces)

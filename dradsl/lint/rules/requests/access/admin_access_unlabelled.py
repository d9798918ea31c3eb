"""DRA324: admin access in a namespace of which the run does not hold the Namespace: it needs a label."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest

CODE = "DRA324"
_LABEL = 'resource.kubernetes.io/admin-access: "true"'
WORDS = ("adminAccess",)


def check(run: Run) -> Iterator[RuleFinding]:
    told: set[str] = set()
    for claim in run.claims():
        ask = next((each for each in claim.bodies() if each.body.get("adminAccess") is True), None)
        if ask is None or claim.manifest.is_recorded:
            continue  # the server has taken what was read from a cluster
        if run.namespace_labels(claim.manifest) or _is_unknown(run, claim.manifest):
            continue
        namespaces = claim.manifest.namespaces
        if len(namespaces) != 1 or namespaces[0] in told:
            continue  # whoever installs it into some namespace knows of the label; and once is enough
        told.add(namespaces[0])
        yield RuleFinding(
            CODE,
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

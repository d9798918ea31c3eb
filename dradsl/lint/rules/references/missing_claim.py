"""DRA411: a pod names a ResourceClaim that no manifest of the run defines."""

from __future__ import annotations

from dradsl.lint.rules.references.lookup import elsewhere, suggest
from dradsl.lint.view.rule_finding import RuleFinding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.view.view import Run

CODE = "DRA411"
WORDS = ("resourceClaimName",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        for index, entry in pod.claims():
            name = entry.get("resourceClaimName")
            if not isinstance(name, str) or not name:
                continue
            if run.index.holds("ResourceClaim", name, pod.manifest):
                continue
            if elsewhere(run, "ResourceClaim", name, pod.manifest):
                continue  # in another namespace: DRA416 says so
            yield RuleFinding(
                CODE,
                pod.manifest,
                (*pod.at.path, "resourceClaims", index, "resourceClaimName"),
                f'no ResourceClaim "{name}" among the manifests',
                help=suggest(run, "ResourceClaim", name, pod.manifest),
                upstream=f'resourceclaim.resource.k8s.io "{name}" not found',
            )

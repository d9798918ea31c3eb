"""DRA410: a pod names a ResourceClaimTemplate that no manifest of the run defines."""

from __future__ import annotations

from dradsl.lint.view.rule_finding import RuleFinding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.view.view import Run

CODE = "DRA410"
WORDS = ("resourceClaimTemplateName",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        for index, entry in pod.claims():
            name = entry.get("resourceClaimTemplateName")
            if not isinstance(name, str) or not name:
                continue
            if run.index.holds("ResourceClaimTemplate", name, pod.manifest):
                continue
            from dradsl.lint.rules.references.generated import is_generated
            from dradsl.lint.rules.references.lookup import elsewhere, suggest

            if elsewhere(run, "ResourceClaimTemplate", name, pod.manifest):
                continue  # in another namespace: DRA416 says so
            if is_generated(run, name):
                continue
            path = (*pod.at.path, "resourceClaims", index, "resourceClaimTemplateName")
            yield RuleFinding(
                CODE,
                pod.manifest,
                path,
                f'no ResourceClaimTemplate "{name}" among the manifests',
                help=suggest(run, "ResourceClaimTemplate", name, pod.manifest),
                upstream=f'resourceclaimtemplate.resource.k8s.io "{name}" not found',
            )

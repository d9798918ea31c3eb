"""DRA410, DRA411, DRA416: a pod names a template or claim that is not in its namespace, as far as the run shows."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.references.evidence import ELSEWHERE, evidence_of, finding_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

_FIELDS = (
    ("resourceClaimName", "ResourceClaim", "DRA411"),
    ("resourceClaimTemplateName", "ResourceClaimTemplate", "DRA410"),
)
_CODE = "DRA416"
WORDS = ("resourceClaims",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        for index, entry in pod.claims():
            for field, kind, code in _FIELDS:
                name = entry.get(field)
                if not isinstance(name, str) or not name:
                    continue
                evidence = evidence_of(run, kind, name, pod.manifest)
                found = finding_of(
                    run,
                    evidence,
                    _CODE if evidence.known in ELSEWHERE else code,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims", index, field),
                    f'{kind.lower()}.resource.k8s.io "{name}" not found',
                )
                if found is not None:
                    yield found

"""DRA416: the claim or template that a pod names exists, but in another namespace."""

from __future__ import annotations

from dradsl.lint.view.rule_finding import RelatedField, RuleFinding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.view.view import Run

CODE = "DRA416"

_FIELDS = (
    ("resourceClaimName", "ResourceClaim"),
    ("resourceClaimTemplateName", "ResourceClaimTemplate"),
)
_MADE = {"ComputeDomain": "its controller makes the template here"}
WORDS = ("resourceClaims",)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        for index, entry in pod.claims():
            for field, kind in _FIELDS:
                name = entry.get(field)
                if not isinstance(name, str) or not name:
                    continue
                if run.index.holds(kind, name, pod.manifest):
                    continue
                from dradsl.lint.rules.references.generated import domains
                from dradsl.lint.rules.references.lookup import elsewhere

                others = elsewhere(run, kind, name, pod.manifest)
                if kind == "ResourceClaimTemplate":
                    here, made = domains(run, name, pod.manifest)
                    if here:
                        continue
                    others = others or made
                if not others:
                    continue
                own = " or ".join(pod.manifest.namespaces)
                yield RuleFinding(
                    CODE,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims", index, field),
                    f'no {kind} "{name}" in namespace {own}: '
                    f"the one in {' or '.join(others[0].namespaces)} cannot be used from here",
                    help="a pod can only use claims and templates of its own namespace: "
                    f"define the {kind} in {own} too",
                    upstream=f'{kind.lower()}.resource.k8s.io "{name}" not found',
                    related=(
                        RelatedField(
                            _MADE.get(others[0].kind, "defined here"),
                            others[0],
                            ("metadata", "namespace"),
                        ),
                    ),
                )

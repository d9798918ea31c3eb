"""DRA410 to DRA413, DRA416: claims, templates and classes that are named and not there, as far as the run shows."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

_FIELDS = (
    ("resourceClaimName", "ResourceClaim", "DRA411"),
    ("resourceClaimTemplateName", "ResourceClaimTemplate", "DRA410"),
)
_ELSEWHERE = "DRA416"
NO_CLASS = "DRA412"
NO_ALTERNATIVE = "DRA413"  # it blocks the pod even if others fit
WORDS = (("resourceClaims", "deviceClassName"),)


def check(run: Run) -> Iterator[RuleFinding]:
    yield from _claims(run)
    yield from _classes(run)


def _claims(run: Run) -> Iterator[RuleFinding]:
    if not run.pods:
        return
    from dradsl.lint.rules.references.evidence import ELSEWHERE, evidence_of, finding_of

    for pod in run.pods:
        for index, entry in pod.claims:
            for field, kind, code in _FIELDS:
                name = entry.get(field)
                if not isinstance(name, str) or not name:
                    continue
                evidence = evidence_of(run, kind, name, pod.manifest)
                yield from finding_of(
                    run,
                    evidence,
                    _ELSEWHERE if evidence.known in ELSEWHERE else code,
                    pod.manifest,
                    (*pod.at.path, "resourceClaims", index, field),
                    f'{kind.lower()}.resource.k8s.io "{name}" not found',
                )


def _classes(run: Run) -> Iterator[RuleFinding]:
    """Classes that neither the run nor a known driver defines."""
    for claim in run.claims:
        for request in claim.bodies:
            name = request.class_name
            if not name or run.has_class(name, claim.manifest) or _is_of_own_driver(run, name):
                continue
            from dradsl.lint.rules.references.evidence import evidence_of, finding_of

            yield from finding_of(
                run,
                evidence_of(run, "DeviceClass", name, claim.manifest),
                NO_CLASS if request.parent is None else NO_ALTERNATIVE,
                claim.manifest,
                claim.written((*request.path, "deviceClassName")),
                f"request {request.reference}: device class {name} does not exist",
            )


def _is_of_own_driver(run: Run, name: str) -> bool:
    """Whether the class is called like a driver whose schema the run was given, without any class: by
    convention the driver installs one of its own name. Or it is there as a ResourceClass."""
    if not run.drivers.settled(name):  # what is said of a ResourceClass is how to write it
        return any(each.name == name for each in run.index.kind("ResourceClass"))
    schema = run.drivers.get(name)
    return schema is not None and not schema.classes

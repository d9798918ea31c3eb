"""DRA412, DRA413: a request, or an alternative of one, names a DeviceClass that neither the run nor a known driver defines."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA412"
OF_ALTERNATIVE = "DRA413"  # it blocks the pod even if others fit
WORDS = ("deviceClassName",)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        for request in claim.bodies():
            name = request.body.get("deviceClassName")
            if not isinstance(name, str) or not name:
                continue
            if run.has_class(name, claim.manifest) or _is_of_own_driver(run, name):
                continue
            from dradsl.lint.rules.references.evidence import evidence_of, finding_of

            found = finding_of(
                run,
                evidence_of(run, "DeviceClass", name, claim.manifest),
                CODE if request.parent is None else OF_ALTERNATIVE,
                claim.manifest,
                claim.written((*request.path, "deviceClassName")),
                f"request {request.reference}: device class {name} does not exist",
            )
            if found is not None:
                yield found


def _is_of_own_driver(run: Run, name: str) -> bool:
    """Whether the class is called like a driver whose schema the run was given, without any class: by
    convention the driver installs one of its own name."""
    if not run.drivers.settled(name):
        return False
    schema = run.drivers.get(name)
    return schema is not None and not schema.classes

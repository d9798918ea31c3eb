"""DRA322: a constraint over a request with allocationMode All: it picks no devices, it rejects nodes."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, Run

CODE = "DRA322"
WORDS = ("All", "constraints")


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        constraints = claim.devices.get("constraints")
        every = _every(claim) if constraints else {}
        for index, constraint in enumerate(constraints if isinstance(constraints, list) else ()):
            named = (
                constraint.get("requests") or tuple(every) if isinstance(constraint, dict) else ()
            )
            hit = next((each for each in named if each in every), None)
            field = "matchAttribute" if constraint.get("matchAttribute") else "distinctAttribute"
            if hit is None or not constraint.get(field):
                continue
            if _is_of_the_node(run, claim, every[hit], str(constraint[field])):
                continue  # DRA228: it holds on every node
            verb = "share" if field == "matchAttribute" else "differ in"
            yield RuleFinding(
                CODE,
                claim.manifest,
                claim.written((*claim.path, "devices", "constraints", index, field)),
                f'request "{every[hit]}" takes all devices of a node: they all have to {verb} '
                f"{constraint[field]}, else the node does not fit",
                help="a selector leaves devices out; a constraint does not",
            )


def _is_of_the_node(run: Run, claim: ClaimView, reference: str, attribute: str) -> bool:
    """Whether all devices of a node have the same value, by the driver's schema."""
    body = next(each.body for each in claim.bodies() if each.reference == reference)
    name = body.get("deviceClassName")
    found = [
        each.same_on
        for driver in (drivers_of_class(run, name) if isinstance(name, str) else ())
        for schema in (run.drivers.get(driver),)
        for _, each in (schema.attributes() if schema is not None else ())
        if f"{each.domain}/{each.name}" == attribute
    ]
    return bool(found) and all(each == "node" for each in found)


def _every(claim: ClaimView) -> dict[str, str]:
    """The requests that take all devices: by each name that a constraint may use."""
    found: dict[str, str] = {}
    for request in claim.bodies():
        if request.body.get("allocationMode") == "All":
            found[request.reference] = request.reference
            if request.parent is not None:
                found.setdefault(request.parent, request.reference)
    return found

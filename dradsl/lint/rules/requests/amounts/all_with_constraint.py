"""DRA322: a constraint over a request with allocationMode All: it picks no devices, it refuses nodes."""

from __future__ import annotations

from dradsl.lint.view.found import Found

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.lint.view.view import ClaimView, Run

CODE = "DRA322"


def check(run: Run) -> Iterator[Found]:
    for claim in run.claims():
        constraints = claim.devices().get("constraints")
        every = _every(claim) if constraints else {}
        for index, constraint in enumerate(constraints if isinstance(constraints, list) else ()):
            named = (
                constraint.get("requests") or tuple(every) if isinstance(constraint, dict) else ()
            )
            hit = next((each for each in named if each in every), None)
            field = "matchAttribute" if constraint.get("matchAttribute") else "distinctAttribute"
            if hit is None or not constraint.get(field):
                continue
            verb = "share" if field == "matchAttribute" else "differ in"
            yield Found(
                CODE,
                claim.manifest,
                claim.written((*claim.path, "devices", "constraints", index, field)),
                f'request "{every[hit]}" takes all devices of a node: they all have to {verb} '
                f"{constraint[field]}, else the node does not fit",
                help="a selector leaves devices out; a constraint does not",
            )


def _every(claim: ClaimView) -> dict[str, str]:
    """The requests that take all devices: by each name that a constraint may use."""
    found: dict[str, str] = {}
    for request in claim.bodies():
        if request.body.get("allocationMode") == "All":
            found[request.reference] = request.reference
            if request.parent is not None:
                found.setdefault(request.parent, request.reference)
    return found

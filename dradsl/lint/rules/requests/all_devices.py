"""DRA320 to DRA322: allocationMode All, which takes every device of the node that the request can have."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.drivers.classes import drivers_of_class, selectors_of_class
from dradsl.lint.rules.references.shared_claims import consumers_of_claims
from dradsl.lint.view.rule_finding import RelatedField, RuleFinding
from dradsl.lint.view.view import ClaimView, RequestView, Run
from dradsl.values.plain import list_at, member

_OF_EVERY_DRIVER = "DRA320"
_SHARED = "DRA321"
_CONSTRAINED = "DRA322"
WORDS = ("All",)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims:
        every = [each for each in claim.bodies if each.body.get("allocationMode") == "All"]
        for request in every:
            yield from _of_every_driver(run, claim, request)
            yield from _shared(run, claim, request)
        if every:
            yield from _constrained(run, claim, every)


def _of_every_driver(run: Run, claim: ClaimView, request: RequestView) -> Iterator[RuleFinding]:
    """Nothing says which devices: those of every driver are taken."""
    name = request.class_name
    if request.body.get("selectors") or name is None or claim.manifest.is_patch:
        return
    classes = run.index.meant("DeviceClass", name, claim.manifest)
    if classes and selectors_of_class(run, name) == ():
        yield RuleFinding(
            _OF_EVERY_DRIVER,
            claim.manifest,
            claim.written((*request.path, "allocationMode")),
            f'class "{name}" has no selector: All takes every device of the node, of whatever driver',
            help="give the class a selector with device.driver",
            related=(RelatedField("the class", classes[0], ("metadata", "name")),),
        )


def _shared(run: Run, claim: ClaimView, request: RequestView) -> Iterator[RuleFinding]:
    """Several pods share a ResourceClaim that takes all devices of a node."""
    users = consumers_of_claims(run).get(claim.manifest.key, [])
    if sum(each.pods for each in users) > 1:
        yield RuleFinding(
            _SHARED,
            claim.manifest,
            claim.written((*request.path, "allocationMode")),
            "the pods that share this claim get all devices of one node: it has to be a node "
            "on which none of them is in use",
            help="ask for a count, or give each pod a claim of its own by a ResourceClaimTemplate",
            related=(RelatedField("named here", users[0].pod.manifest, users[0].path),),
        )


def _constrained(run: Run, claim: ClaimView, every: list[RequestView]) -> Iterator[RuleFinding]:
    """A constraint picks no devices then, it rejects nodes."""
    # By each name that a constraint may use; of alternatives the first.
    parents = {each.parent: each for each in reversed(every) if each.parent is not None}
    known = {each.reference: each for each in every}
    known |= {name: each for name, each in parents.items() if name not in known}
    for index, constraint in enumerate(list_at(claim.devices, "constraints")):
        named = member(constraint, "requests") or [*known]
        hit = next((known[each] for each in named if each in known), None)
        field = "matchAttribute" if member(constraint, "matchAttribute") else "distinctAttribute"
        attribute = member(constraint, field)
        # DRA228: what holds on every node.
        if hit is None or not attribute or _is_of_the_node(run, hit, str(attribute)):
            continue
        verb = "share" if field == "matchAttribute" else "differ in"
        yield RuleFinding(
            _CONSTRAINED,
            claim.manifest,
            claim.written((*claim.path, "devices", "constraints", index, field)),
            f'request "{hit.reference}" takes all devices of a node: they all have to {verb} '
            f"{attribute}, else the node does not fit",
            help="a selector leaves devices out; a constraint does not",
        )


def _is_of_the_node(run: Run, request: RequestView, attribute: str) -> bool:
    """Whether all devices of a node have the same value, by the driver's schema."""
    found = [
        each.same_on
        for driver in drivers_of_class(run, request.class_name)
        for schema in (run.drivers.get(driver),)
        for _, each in (schema.attributes() if schema is not None else ())
        if f"{each.domain}/{each.name}" == attribute
    ]
    return bool(found) and all(each == "node" for each in found)

"""Family 2: amounts, device types and constraints of claims against the driver schemas."""

from __future__ import annotations

from operator import itemgetter

from dradsl.diagnostics import Severity
from dradsl.drivers.judge.requests import check_request, looked_at, named_after_other
from dradsl.kube.limits import MAX_CONSTRAINTS
from dradsl.lint.rules.drivers.classes import expressions, selectors_of_class, shapes_of
from dradsl.observations import Impact
from dradsl.records import replace
from dradsl.values.patterns import pattern
from dradsl.values.plain import list_at, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from dradsl.diagnostics import FieldPath
    from dradsl.drivers.judge.constraints import ConstraintKind
    from dradsl.drivers.schema.shapes import Shape
    from dradsl.lint.view.pods import PodView
    from dradsl.lint.view.rule_finding import RuleFinding
    from dradsl.lint.view.view import ClaimView, RequestView, Run
    from dradsl.observations import Observation
    from dradsl.tree.manifests.manifest import Manifest

_PROFILE = pattern(
    "[0-9]g[.-]?[0-9]"
)  # what a name says of a part of a device; the driver's schema decides
WORDS = (("deviceClassName", "constraints"),)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims:
        for path, observed in _of_claim(run, claim):
            yield _found(run, claim, claim.written(path), observed)


def _found(run: Run, claim: ClaimView, path: FieldPath, observed: Observation) -> RuleFinding:
    from dradsl.drivers.judge.request_facts import OneDevice, SameOnNode

    if "firstAvailable" in path and observed.impact is Impact.FATAL:
        observed = replace(observed, impact=Impact.MISLEADING)  # another alternative may be had
    from dradsl.lint.catalogue.request_messages import REQUEST_MESSAGES
    from dradsl.lint.rules.observed import reported

    owner = None
    if isinstance(observed.facts, OneDevice | SameOnNode):
        owner = _owner(run, claim.manifest)
    if owner is None:
        return reported(claim.manifest, path, observed, REQUEST_MESSAGES)
    # The constraint may be meant to bring these pods together, which it cannot do.
    and_so = f", and the pods of {owner} have a claim each"
    return reported(
        claim.manifest, path, observed, REQUEST_MESSAGES, and_so=and_so, severity=Severity.WARNING
    )


def _owner(run: Run, template: Manifest) -> str | None:
    """The first workload with several pods that names a template; None if there is none."""
    naming = run.remember("pods-naming-templates", lambda: _naming(run))
    # With parts that are not known it may be of any name.
    names = naming if template.build_context.names or template.name is None else (template.name,)
    pods = [(number, name, pod) for name in names for number, pod in naming.get(name, ())]
    for _, name, pod in sorted(pods, key=itemgetter(0)):
        meant = run.index.meant("ResourceClaimTemplate", name, pod.manifest)
        if any(each.key == template.key for each in meant):
            return f"{pod.manifest.kind} {pod.manifest.name}"
    return None


def _naming(run: Run) -> dict[str, list[tuple[int, PodView]]]:
    """The workloads with several pods, with their place in the run, by the templates that they name."""
    found: dict[str, list[tuple[int, PodView]]] = {}
    several = (
        pod
        for each in run.reported
        for pod in run.pods_of(each)
        if pod.at.per_node or (pod.at.replicas or 0) > 1
    )
    for number, pod in enumerate(several):
        for _, entry in pod.claims:
            name = entry.get("resourceClaimTemplateName")
            if isinstance(name, str):
                found.setdefault(name, []).append((number, pod))
    return found


def _of_claim(run: Run, claim: ClaimView) -> Iterator[tuple[FieldPath, Observation]]:
    for request in claim.bodies:
        names = (claim.manifest.name or "", request.reference)
        shapes = (_PROFILE.search(" ".join(names)) and shapes_of(run, request)) or ()
        named = named_after_other(names, shapes, run.drivers)
        for observed in (*_of_request(run, request), *named):
            yield (*request.path, *observed.path), observed
    yield from _constraints(run, claim)


def _of_request(run: Run, request: RequestView) -> Sequence[Observation]:
    """What is wrong with a request, found once for those that are alike in what is looked at."""
    body = request.body
    own = expressions(body.get("selectors"))
    before = selectors_of_class(run, request.class_name)
    key = "request", request.class_name, before, own, looked_at(body)
    return run.remember(
        key, lambda: tuple(check_request(body, shapes_of(run, request) or (), own)), by="schemas"
    )


def _constraints(run: Run, claim: ClaimView) -> Iterator[tuple[FieldPath, Observation]]:
    listed = claim.devices.get("constraints")
    if not isinstance(listed, list) or len(listed) > MAX_CONSTRAINTS:
        return  # more are rejected for their number
    for index, constraint in enumerate(listed):
        if not isinstance(constraint, dict):
            continue
        path = (*claim.path, "devices", "constraints", index)
        if constraint.get("requests") and _names_are_open(claim, (*path, "requests")):
            continue
        kinds: tuple[ConstraintKind, ...] = ("matchAttribute", "distinctAttribute")
        for kind in kinds:
            attribute = constraint.get(kind)
            if isinstance(attribute, str):
                named = [*claim.named(constraint.get("requests"))]
                for observed in _of_constraint(run, attribute, kind, named):
                    yield (*path, *observed.path), observed


def _names_are_open(claim: ClaimView, path: FieldPath) -> bool:
    """Whether the requests that the list at `path` names are not known, or their names are not."""
    holes = claim.manifest.build_context.holes
    if not holes:
        return False
    listed = claim.written(path)
    requests = claim.written((*claim.path, "devices", "requests"))
    return any(
        hole[: len(listed)] == listed
        or (hole[: len(requests)] == requests and hole[-1:] == ("name",))
        for hole in holes
    )


def _of_constraint(
    run: Run, attribute: str, kind: ConstraintKind, requests: Sequence[RequestView]
) -> Sequence[Observation]:
    """What is wrong with a constraint on `attribute` of those requests."""
    from dradsl.drivers.judge import constraints

    constrained = tuple([
        constraints.ConstrainedRequest(
            request.reference,
            shapes_of(run, request) or shapes_of(run, request, own=False) or (),
            _count(request.body),
            frozenset(_derived(request.body.get("derivedAttributes"))),
            _is_exact(request.body),
            constraints.fixed_value(attribute, expressions(request.body.get("selectors"))),
        )
        for request in requests
    ])  # fmt: skip

    def check() -> Sequence[Observation]:
        from dradsl.drivers.judge import constraints

        return tuple(constraints.check_constraint(attribute, kind, constrained, run.drivers))

    def largest(shapes: tuple[Shape, ...]) -> int:
        key = "largest-group", attribute, shapes
        from dradsl.drivers.judge import constraints

        return run.remember(key, lambda: constraints.largest_group(attribute, shapes), by="schemas")

    # What is wrong is told with names and counts; that nothing is depends on less.
    key = "constraint", attribute, kind, constraints.like(constrained, largest)
    return check() if run.remember(key, lambda: bool(check()), by="schemas") else ()


def _count(body: Any) -> int:
    count = body.get("count", 1)
    return count if _is_exact(body) and isinstance(count, int) else 1


def _is_exact(body: Any) -> bool:
    return bool(body.get("allocationMode", "ExactCount") == "ExactCount")


def _derived(attributes: object) -> Iterator[str]:
    return (name for each in list_at(attributes) if (name := string_at(each, "name")) is not None)

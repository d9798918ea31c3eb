"""DRA318, DRA333 to DRA335: constraints and configurations that hold for less than they seem to.

Which release remembers what of the devices that are to differ is a row of the allocator's table; kubernetes issue 140438.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, RequestView, Run
from dradsl.values.plain import list_at, member

_BOTH = "DRA318"
_CONSTRAINT = "DRA333"
_CONFIG = "DRA334"
_DISTINCT = "DRA335"
WORDS = (("constraints", "config"),)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims:
        for number, constraint in enumerate(list_at(claim.devices, "constraints")):
            match = member(constraint, "matchAttribute")
            distinct = member(constraint, "distinctAttribute")
            most = _most(claim, constraint) if distinct else 0
            path = (*claim.path, "devices", "constraints", number)
            if match and distinct:
                yield RuleFinding(
                    _BOTH,
                    claim.manifest,
                    claim.written((*path, "distinctAttribute")),
                    "the constraint has both attributes; distinctAttribute is ignored",
                    help="write two constraints, one for each attribute",
                    on_key=True,
                )
            elif not _is_enforced(run, most):
                yield RuleFinding(
                    _DISTINCT,
                    claim.manifest,
                    claim.written((*path, "distinctAttribute")),
                    f"{most} devices of one request are to differ, but Kubernetes {run.release.name} compares "
                    "a device only with the one chosen before it: the first and the third may be equal",
                    help="write requests of count 1 each",
                )
            for index, this, other in _left_out(claim, _names_of(constraint)):
                yield RuleFinding(
                    _CONSTRAINT,
                    claim.manifest,
                    claim.written((*path, "requests", index)),
                    f'the constraint holds for "{this.reference}" only: if "{other.reference}" is taken, '
                    "nothing constrains its devices",
                    help=f'name "{this.parent}", which stands for all its alternatives',
                    # Devices of another class may lack the attribute: then this is how to write it.
                    severity=None if this.class_name == other.class_name else Severity.INFO,
                )
        if claim.devices.get("config"):
            yield from _configs(claim)


def _most(claim: ClaimView, constraint: object) -> int:
    """The most devices of one request that the constraint is about."""
    counts = [each.body.get("count") for each in claim.named(list_at(constraint, "requests"))]
    return max((each for each in counts if isinstance(each, int)), default=0)


def _is_enforced(run: Run, most: int) -> bool:
    """Whether the release compares so many devices of a request with each other."""
    from dradsl.releases.scheduling import DistinctComparison

    return most <= 2 or run.variant().distinct is not DistinctComparison.LAST_OF_REQUEST


def _configs(claim: ClaimView) -> Iterator[RuleFinding]:
    configs = list_at(claim.devices, "config")
    everywhere = {name for each in configs for name in _names_of(each)}
    if not all(_names_of(each) for each in configs):
        return  # one applies to all requests
    for number, config in enumerate(configs):
        for index, this, other in _left_out(claim, _names_of(config)):
            if other.reference not in everywhere and this.class_name == other.class_name:
                yield RuleFinding(
                    _CONFIG,
                    claim.manifest,
                    claim.written((*claim.path, "devices", "config", number, "requests", index)),
                    f'only "{this.reference}" is configured: if "{other.reference}" of the same class is '
                    "taken, its devices are used as they are",
                    help=f'name "{this.parent}", which stands for all its alternatives',
                )


def _names_of(item: object) -> tuple[str, ...]:
    """The requests and alternatives that a constraint or a configuration names."""
    return tuple(each for each in list_at(item, "requests") if isinstance(each, str))


def _left_out(
    claim: ClaimView, named: tuple[str, ...]
) -> Iterator[tuple[int, RequestView, RequestView]]:
    """Each alternative that is named (its index), with one sibling that is not, a like one first."""
    alternatives: dict[str | None, list[RequestView]] = {}
    for request in claim.bodies:
        alternatives.setdefault(request.parent, []).append(request)
    told: set[str] = set()
    for index, name in enumerate(named):
        parent, slash, own = name.partition("/")
        if not slash or parent in named or parent in told:
            continue
        told.add(parent)
        siblings = alternatives.get(parent, [])
        this = next((each for each in siblings if each.name == own), None)
        others = [each for each in siblings if each.reference not in named]
        if this is not None and others:
            yield index, this, min(others, key=lambda each: each.class_name != this.class_name)

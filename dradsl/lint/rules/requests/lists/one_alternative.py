"""DRA333, DRA334: a constraint or a configuration names one alternative; where another one is taken, it does not hold."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, RequestView, Run
from dradsl.values.plain import list_at

_CONSTRAINT = "DRA333"
_CONFIG = "DRA334"
WORDS = ("firstAvailable", ("constraints", "config"))


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        for number, constraint in enumerate(list_at(claim.devices, "constraints")):
            for index, this, other in _left_out(claim, _names_of(constraint)):
                yield RuleFinding(
                    _CONSTRAINT,
                    claim.manifest,
                    claim.written(
                        (*claim.path, "devices", "constraints", number, "requests", index)
                    ),
                    f'the constraint holds for "{this.reference}" only: if "{other.reference}" is taken, '
                    "nothing constrains its devices",
                    help=f'name "{this.parent}", which stands for all its alternatives',
                    # Devices of another class may lack the attribute: then this is how to write it.
                    severity=None if _are_alike(this, other) else Severity.INFO,
                )
        configs = list_at(claim.devices, "config")
        everywhere = {name for each in configs for name in _names_of(each)}
        if any(isinstance(each, dict) and not _names_of(each) for each in configs):
            continue  # one applies to all requests
        for number, config in enumerate(configs):
            for index, this, other in _left_out(claim, _names_of(config)):
                if other.reference not in everywhere and _are_alike(this, other):
                    yield RuleFinding(
                        _CONFIG,
                        claim.manifest,
                        claim.written(
                            (*claim.path, "devices", "config", number, "requests", index)
                        ),
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
    alternatives: dict[str, list[RequestView]] = {}
    for request in claim.bodies():
        if request.parent is not None:
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
            yield index, this, min(others, key=lambda each: not _are_alike(each, this))


def _are_alike(one: RequestView, other: RequestView) -> bool:
    return one.body.get("deviceClassName") == other.body.get("deviceClassName")

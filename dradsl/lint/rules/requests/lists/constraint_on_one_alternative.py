"""DRA333: a constraint names one alternative of a request; where another is taken, it does not hold."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.rules.requests.lists.one_alternative import left_out, names_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import ClaimView, Run
from dradsl.values.plain import list_at

CODE = "DRA333"
WORDS = ("firstAvailable", "constraints")


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        for number, constraint in enumerate(list_at(claim.devices(), "constraints")):
            for index, name, sibling in left_out(claim, names_of(constraint)):
                path = (*claim.path, "devices", "constraints", number, "requests", index)
                same = _class_of(claim, name) == sibling.body.get("deviceClassName")
                yield RuleFinding(
                    CODE,
                    claim.manifest,
                    claim.written(path),
                    f'the constraint holds for "{name}" only: if "{sibling.reference}" is taken, '
                    "nothing constrains its devices",
                    help=f'name "{name.partition("/")[0]}", which stands for all its alternatives',
                    # Devices of another class may lack the attribute: then this is how to write it.
                    severity=None if same else Severity.INFO,
                )


def _class_of(claim: ClaimView, reference: str) -> object:
    found = (each.body for each in claim.bodies() if each.reference == reference)
    return next((body.get("deviceClassName") for body in found), None)

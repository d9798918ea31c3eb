"""DRA318: a constraint names both attributes; only matchAttribute counts."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA318"
WORDS = ("matchAttribute", "distinctAttribute")


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        constraints = claim.devices.get("constraints")
        if not isinstance(constraints, list):
            continue
        for index, constraint in enumerate(constraints):
            if (
                isinstance(constraint, dict)
                and constraint.get("matchAttribute")
                and constraint.get("distinctAttribute")
            ):
                path = (*claim.path, "devices", "constraints", index, "distinctAttribute")
                yield RuleFinding(
                    CODE,
                    claim.manifest,
                    claim.written(path),
                    "the constraint has both attributes; distinctAttribute is ignored",
                    help="write two constraints, one for each attribute",
                    on_key=True,
                )

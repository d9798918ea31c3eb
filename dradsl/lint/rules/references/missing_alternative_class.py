"""DRA413: an alternative's DeviceClass is missing, which blocks the pod even if others fit."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.references.missing_device_class import missing_class
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA413"
WORDS = ("firstAvailable",)


def check(run: Run) -> Iterator[RuleFinding]:
    for claim in run.claims():
        for request in claim.bodies():
            if request.parent is not None:
                yield from missing_class(run, claim, request, CODE)

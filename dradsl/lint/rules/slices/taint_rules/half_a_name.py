"""DRA642: a DeviceTaintRule that names a device without its pool, or a pool without its driver."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.rules.slices.taint_rules.selector import rules_of, selector_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA642"
WORDS = ("DeviceTaintRule",)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest, spec in rules_of(run):
        selector = selector_of(spec) or {}
        device, pool = selector.get("device"), selector.get("pool")
        path = ("spec", "deviceSelector")
        if device and not pool:
            yield RuleFinding(
                CODE,
                manifest,
                (*path, "device"),
                f'device "{device}" is meant in every pool: devices of other nodes may have that name too',
                help="name the driver and the pool as well",
            )
        elif pool and not selector.get("driver"):
            yield RuleFinding(
                CODE,
                manifest,
                (*path, "pool"),
                f'pool "{pool}" is meant of every driver: many drivers call their pool after the node',
                help="name the driver as well, unless all devices of the node are meant",
                severity=Severity.INFO,  # the API names this use
            )

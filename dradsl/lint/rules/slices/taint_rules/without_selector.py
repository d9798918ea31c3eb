"""DRA641: a DeviceTaintRule without deviceSelector: it hits nothing, or, in older releases, all by half.

The API says that such a rule selects no device. Eviction does so in all releases; the scheduler's tracker took it
for every device before kubernetes 141648 (resourceslice/tracker/tracker.go, 0.36.5 and 0.37.2).
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.lint.rules.slices.taint_rules.selector import rules_of, selector_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA641"
WORDS = ("DeviceTaintRule",)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest, spec in rules_of(run):
        if selector_of(spec) is not None:
            continue
        from dradsl.allocator.switches import plugin_of

        if plugin_of(run.release.name).bare_rules_apply:
            does = "the scheduler takes it for a rule on every device, eviction for one on none"
        else:
            does = "the rule holds for no device"
        yield RuleFinding(
            CODE,
            manifest,
            ("spec",),
            f"deviceSelector is missing: in Kubernetes {run.release.name} {does}",
            help="name the driver, the pool or the device under deviceSelector",
            on_key=True,
        )

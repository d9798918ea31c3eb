"""DRA640: a DeviceTaintRule with an empty selector, which is every device of the cluster.

Follows ruleMatchesDevice of kubernetes pkg/controller/devicetainteviction/device_taint_eviction.go and
resourceslice/tracker of k8s.io/dynamic-resource-allocation, 1.36 and 1.37.
"""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import Severity
from dradsl.lint.rules.slices.taint_rules.selector import rules_of, selector_of
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run

CODE = "DRA640"
_DOES = {
    "NoExecute": "every pod with devices is evicted, and none is scheduled",
    "NoSchedule": "no pod with devices is scheduled any more",
}
WORDS = ("DeviceTaintRule",)


def check(run: Run) -> Iterator[RuleFinding]:
    for manifest, spec in rules_of(run):
        selector, taint = selector_of(spec), spec.get("taint")
        effect = taint.get("effect") if isinstance(taint, dict) else None
        if selector is None or selector or not isinstance(effect, str) or effect not in _DOES:
            continue
        yield RuleFinding(
            CODE,
            manifest,
            ("spec", "deviceSelector"),
            f"the empty selector is every device of every driver: {_DOES[effect]}",
            help="name the driver, the pool or the device",
            severity=None if effect == "NoExecute" else Severity.WARNING,
        )

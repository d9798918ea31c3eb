"""DRA640, DRA641, DRA642: DeviceTaintRules that hit other devices than was meant.

Follows ruleMatchesDevice of kubernetes pkg/controller/devicetainteviction/device_taint_eviction.go and
resourceslice/tracker of k8s.io/dynamic-resource-allocation, 1.36 and 1.37. The API says that a rule without
deviceSelector selects no device. Eviction does so in all releases; the scheduler's tracker took it for every device
before kubernetes 141648 (resourceslice/tracker/tracker.go, 0.36.5 and 0.37.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dradsl.diagnostics import FieldPath, Severity
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.tree.manifests.manifest import Manifest
from dradsl.values.plain import mapping_at

_EVERYTHING = "DRA640"
_NO_SELECTOR = "DRA641"
_HALF_A_NAME = "DRA642"
_PATH: FieldPath = ("spec", "deviceSelector")
_DOES = {
    "NoExecute": "every pod with devices is evicted, and none is scheduled",
    "NoSchedule": "no pod with devices is scheduled any more",
}
WORDS = ("DeviceTaintRule",)


def check(run: Run) -> Iterator[RuleFinding]:
    # None where the release does not honour them.
    gates = {"DRADeviceTaints", "DRADeviceTaintRules"} & set(run.release.gates)
    if not all(gate in run.features for gate in gates):
        return
    for manifest, admission in run.objects("DeviceTaintRule"):
        spec = (admission.object or {}).get("spec")
        if not isinstance(spec, dict) or manifest.is_patch or not admission.accepted:
            continue
        if not isinstance(spec.get("deviceSelector"), dict):
            yield _without_selector(run, manifest)
            continue
        selector = {k: v for k, v in mapping_at(spec, "deviceSelector").items() if v is not None}
        effect = str(mapping_at(spec, "taint").get("effect"))
        if selector:
            yield from _half_a_name(manifest, selector)
        elif effect in _DOES:
            yield RuleFinding(
                _EVERYTHING,
                manifest,
                _PATH,
                f"the empty selector is every device of every driver: {_DOES[effect]}",
                help="name the driver, the pool or the device",
                severity=None if effect == "NoExecute" else Severity.WARNING,
            )


def _without_selector(run: Run, manifest: Manifest) -> RuleFinding:
    from dradsl.allocator.switches import plugin_of

    if plugin_of(run.release.name).bare_rules_apply:
        does = "the scheduler takes it for a rule on every device, eviction for one on none"
    else:
        does = "the rule holds for no device"
    return RuleFinding(
        _NO_SELECTOR,
        manifest,
        ("spec",),
        f"deviceSelector is missing: in Kubernetes {run.release.name} {does}",
        help="name the driver, the pool or the device under deviceSelector",
        on_key=True,
    )


def _half_a_name(manifest: Manifest, selector: Mapping[str, object]) -> Iterator[RuleFinding]:
    device, pool = selector.get("device"), selector.get("pool")
    if device and not pool:
        yield RuleFinding(
            _HALF_A_NAME,
            manifest,
            (*_PATH, "device"),
            f'device "{device}" is meant in every pool: devices of other nodes may have that name too',
            help="name the driver and the pool as well",
        )
    elif pool and not selector.get("driver"):
        yield RuleFinding(
            _HALF_A_NAME,
            manifest,
            (*_PATH, "pool"),
            f'pool "{pool}" is meant of every driver: many drivers call their pool after the node',
            help="name the driver as well, unless all devices of the node are meant",
            severity=Severity.INFO,  # the API names this use
        )

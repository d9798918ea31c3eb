"""Conditions of devices that the scheduler waits for before it binds a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.simulate.input.ailments import results_of
from dradsl.simulate.plugin.reserved import allocation_of
from dradsl.values.plain import mappings_at
from dradsl.why.answer import Answer
from dradsl.why.dump import conditions_of, words_of
from dradsl.why.holders import device_of

if TYPE_CHECKING:
    from dradsl.kube.fields.typed_dicts import DeviceRequestAllocationResultDict, ResourceClaimDict
    from dradsl.simulate.pods import Pod
    from dradsl.why.world import RecordedCluster

__all__ = ["binding"]


def binding(world: RecordedCluster, pod: Pod) -> Answer | None:
    """Conditions of devices that the scheduler waits for: the claims are allocated, the pod is not bound."""
    waiting: list[str] = []
    failed: list[str] = []
    for entry in pod.claims:
        claim = world.dump.claims.get(entry.key)
        if claim is None or allocation_of(claim) is None:
            continue
        reserved = {one.get("name") for one in mappings_at(claim, "status", "reservedFor")}
        for result in results_of(claim) if pod.name in reserved else ():
            device, true = "/".join(device_of(result)), _true_conditions(claim, result)
            wanted, bad = result.get("bindingConditions"), result.get("bindingFailureConditions")
            waiting += [f"{name} of {device}" for name in wanted or () if name not in true]
            failed += [f"{name} of {device}{true[name]}" for name in bad or () if name in true]
    if failed:
        text = f"the driver reports failure: {', '.join(failed)}; the scheduler gives the devices back and tries again"
        return Answer("", "", "binding", text)
    if waiting:
        text = f"the driver has not set {', '.join(waiting)}"
        then = "the devices are allocated; after 10 minutes the scheduler gives them back and tries again"
        return Answer("", "", "binding", text, (then,))
    return None


def _true_conditions(
    claim: ResourceClaimDict, result: DeviceRequestAllocationResultDict
) -> dict[str, str]:
    """The conditions of a device that are true, each with its reason and message in parentheses."""
    for entry in mappings_at(claim, "status", "devices"):
        if all(entry.get(key) == result.get(key) for key in ("driver", "pool", "device")):
            found = conditions_of(entry, "conditions")
            true = {
                name: words_of(one) for name, one in found.items() if one.get("status") == "True"
            }
            return {name: f" ({words})" if words else "" for name, words in true.items()}
    return {}

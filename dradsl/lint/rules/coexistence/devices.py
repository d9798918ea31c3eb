"""Which devices a pod gets by claims and by extended resources: what the rules here compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dradsl.lint.rules.drivers.classes import drivers_of_class
from dradsl.lint.rules.references.lookup import claims_of_entry
from dradsl.lint.view.view import ClaimView, PodView, Run

__all__ = ["classes_of", "common_classes", "drivers_of_pod", "plugin_drivers"]


def classes_of(claim: ClaimView) -> Iterator[str]:
    """The DeviceClasses that a claim asks for."""
    for request in claim.bodies():
        name = request.body.get("deviceClassName")
        if isinstance(name, str) and name:
            yield name


def common_classes(claims: Sequence[ClaimView]) -> tuple[str, ...]:
    """The DeviceClasses that each of some claims asks for."""
    lists = [dict.fromkeys(classes_of(claim)) for claim in claims]
    return tuple(name for name in lists[0] if all(name in each for each in lists)) if lists else ()


def drivers_of_pod(run: Run, pod: PodView) -> Mapping[str, str]:
    """The drivers that serve a pod's claims, each with the name of the claim in the pod."""
    found: dict[str, str] = {}
    for _, entry in pod.claims():
        for name in common_classes(claims_of_entry(run, pod, entry)):
            for driver in drivers_of_class(run, name):
                found.setdefault(driver, str(entry.get("name")))
    return found


def plugin_drivers(run: Run, resource: str) -> frozenset[str]:
    """The drivers that take the place of the device plugin which serves `resource`."""
    return run.remember(
        ("plugin-drivers", resource), lambda: _plugin_drivers(run, resource), by="schemas"
    )


def _plugin_drivers(run: Run, resource: str) -> frozenset[str]:
    from dradsl.drivers.schema.device_plugin import find_resources

    return frozenset(match.driver.name for match in find_resources(resource, run.drivers))

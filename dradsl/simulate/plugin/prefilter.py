"""What keeps a pod from being scheduled before any node is looked at: its claims and their classes.

Follows PreFilter of the DynamicResources plugin (dynamicresources.go, 1.34 to 1.37).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.allocator.inventory.nodes import SelectorError, compile_selector
from dradsl.simulate.plugin.reserved import allocation_of
from dradsl.simulate.plugin.verdicts import Obstacle

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from dradsl.kube.fields.typed_dicts import (
        DeviceSubRequestDict,
        ExactDeviceRequestDict,
        ResourceClaimDict,
    )
    from dradsl.releases import Features

__all__ = ["find_obstacle"]


# Upstream: DynamicResources.PreFilter (plugins/dynamicresources/dynamicresources.go)
def find_obstacle(
    claims: Iterable[ResourceClaimDict], classes: Collection[str], features: Features
) -> Obstacle | None:
    """The first thing that is wrong with a pod's claims, in their order."""
    for claim in claims:
        if allocation_of(claim) is not None:
            found = _of_allocated(claim)
        else:
            found = next(_of_pending(claim, classes, features), None)
        if found is not None:
            return found
    return None


def _of_allocated(claim: ResourceClaimDict) -> Obstacle | None:
    selector = (allocation_of(claim) or {}).get("nodeSelector")
    if selector is not None:
        try:
            compile_selector(selector)
        except SelectorError as error:
            return Obstacle(error.detail, is_error=True)
    return None


def _of_pending(
    claim: ResourceClaimDict, classes: Collection[str], features: Features
) -> Iterator[Obstacle]:
    """What is wrong with its requests: every class of every alternative must exist."""
    metadata = claim.get("metadata") or {}
    label = f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}"
    for request in ((claim.get("spec") or {}).get("devices") or {}).get("requests") or ():
        name = request.get("name") or ""
        at = f"resource claim {label}, request {name}"
        if request.get("exactly") is not None:
            yield from _of_class(name, request["exactly"], classes)
        elif not request.get("firstAvailable"):
            yield Obstacle(f"{at}: unknown request type")
        elif "DRAPrioritizedList" not in features:
            yield Obstacle(f"{at}: has subrequests, but the DRAPrioritizedList feature is disabled")
        else:
            for ask in request["firstAvailable"]:
                yield from _of_class(f"{name}/{ask.get('name')}", ask, classes)


# Upstream: DynamicResources.validateDeviceClass (plugins/dynamicresources/dynamicresources.go)
def _of_class(
    request: str, ask: ExactDeviceRequestDict | DeviceSubRequestDict, classes: Collection[str]
) -> Iterator[Obstacle]:
    wanted = ask.get("deviceClassName") or ""
    if not wanted:
        yield Obstacle(f"request {request}: unsupported request type", is_error=True)
    elif wanted not in classes:
        yield Obstacle(f"request {request}: device class {wanted} does not exist")

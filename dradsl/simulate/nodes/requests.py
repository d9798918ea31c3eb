"""What a pod asks its node for: requests and limits of its containers and of the pod as a whole.

Follows k8s.io/component-helpers resource/helpers.go (PodRequests, AggregateContainerRequests,
AggregateContainerLimits), NewResource of kubernetes pkg/scheduler/framework/types.go, and what the
API server fills in (SetDefaults_Pod of pkg/apis/core/v1/defaults.go). A pod that is not there yet has
no status, so that resizing plays no part. The gate PodLevelResources is on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from dradsl.values.quantity import Quantity, QuantityError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.pods.typed_dicts import (
        ContainerDict,
        PodResourcesDict,
        PodSpecDict,
        ResourceListDict,
    )

__all__ = [
    "HUGE_PAGES",
    "add",
    "allocatable_of",
    "amounts",
    "container_sum",
    "is_pod_level",
    "pod_level",
    "pod_requests",
    "with_defaults",
]

HUGE_PAGES = "hugepages-"
_IN_BYTES = ("memory", "ephemeral-storage")

Resources = dict[str, Quantity]
_Part: TypeAlias = "Literal['requests', 'limits']"


# Upstream: DynamicResources.getPodNodeAllocatableResourceFootprint (plugins/dynamicresources/nodeallocatabledynamicresources.go)
def pod_requests(spec: PodSpecDict, extra: Iterable[tuple[str, Quantity]] = ()) -> Resources:
    """What a pod asks for in all; `extra` is what its claims take of the node besides.

    What the pod as a whole asks for stands instead of the sum of its containers and claims.
    """
    total = container_sum(spec, "requests", extra)
    total.update(pod_level(spec, "requests"))
    add(total, _quantities(spec.get("overhead")).items())
    return total


def container_sum(
    spec: PodSpecDict, kind: _Part, extra: Iterable[tuple[str, Quantity]] = ()
) -> Resources:
    """The most that runs at once of what containers say ("requests" or "limits"), and `extra`."""
    running: Resources = {}
    sidecars: Resources = {}
    peak: Resources = {}
    for container in spec.get("containers") or ():
        add(running, _given(container, kind).items())
    for container in spec.get("initContainers") or ():
        given = _given(container, kind)
        if container.get("restartPolicy") == "Always":
            add(running, given.items())
            add(sidecars, given.items())
            given = sidecars
        else:
            add(given, sidecars.items())
        _raise(peak, given)
    _raise(running, peak)
    add(running, extra)
    return running


def pod_level(spec: PodSpecDict, kind: _Part) -> Resources:
    """What the pod as a whole says, of the resources for which that counts."""
    given = _given(spec, kind)
    return {name: amount for name, amount in given.items() if is_pod_level(name)}


def is_pod_level(name: str) -> bool:
    """Whether requests and limits of the pod as a whole count (IsSupportedPodLevelResource)."""
    return name in ("cpu", "memory") or name.startswith(HUGE_PAGES)


def amounts(resources: Mapping[str, Quantity]) -> dict[str, int]:
    """The whole numbers that the scheduler counts with: thousandths of cpu, bytes; rounded up.

    Other resources count if their names have a domain, as those of device plugins.
    """
    found = {}
    for name, amount in resources.items():
        if name == "cpu":
            found[name] = amount.milli_value()
        elif name in _IN_BYTES or name.startswith(HUGE_PAGES) or "/" in name:
            found[name] = amount.value()
    return found


def allocatable_of(node: Node) -> Resources:
    """What a node has for pods, as far as its Node object tells."""
    return _quantities(node.allocatable)


def with_defaults(spec: PodSpecDict) -> PodSpecDict:
    """The spec of a pod as the API server stores it, as far as requests and limits go."""
    filled = spec.copy()
    if filled.get("containers"):
        filled["containers"] = [_with_requests(one) for one in filled["containers"]]
    if filled.get("initContainers"):
        filled["initContainers"] = [_with_requests(one) for one in filled["initContainers"]]
    level: PodResourcesDict = spec.get("resources") or {}
    if not level.get("limits") and not level.get("requests"):
        return filled
    limits = dict(level.get("limits") or {})
    for name, amount in container_sum(filled, "limits").items():
        if name.startswith(HUGE_PAGES):
            limits.setdefault(name, str(amount))
    requests = dict(level.get("requests") or {})
    if limits:
        for name, amount in container_sum(filled, "requests").items():
            if is_pod_level(name) and not name.startswith(HUGE_PAGES):
                requests.setdefault(name, str(amount))
        for name, limit in limits.items():
            if is_pod_level(name):
                requests.setdefault(name, limit)
    filled["resources"] = {**level, "requests": requests}
    if limits:
        filled["resources"]["limits"] = limits
    return filled


def add(total: Resources, more: Iterable[tuple[str, Quantity]]) -> None:
    """Add amounts to those of the same name."""
    for name, amount in more:
        known = total.get(name)
        total[name] = amount if known is None else known + amount


def _raise(total: Resources, least: Mapping[str, Quantity]) -> None:
    for name, amount in least.items():
        known = total.get(name)
        if known is None or amount > known:
            total[name] = amount


def _given(owner: PodSpecDict | ContainerDict, kind: _Part) -> Resources:
    return _quantities((owner.get("resources") or {}).get(kind))


def _quantities(given: ResourceListDict | None) -> Resources:
    """The amounts in a list of resources; what is no quantity is not in it."""
    found: Resources = {}
    for name, value in (given or {}).items():
        try:
            found[name] = Quantity.decode(value)
        except (QuantityError, TypeError):
            continue
    return found


def _with_requests(container: ContainerDict) -> ContainerDict:
    resources = container.get("resources") or {}
    limits = resources.get("limits")
    if not limits:
        return container.copy()
    requests = {**limits, **(resources.get("requests") or {})}
    return {**container, "resources": {**resources, "requests": requests}}

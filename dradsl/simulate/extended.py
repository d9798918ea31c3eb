"""Extended resources that classes are behind: the claim that the scheduler makes for a pod.

Follows `extendeddynamicresources.go` of the DynamicResources plugin and the extendedresourcecache
of k8s.io/dynamic-resource-allocation (KEP-5004).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.kube.quota import add_up, raise_to
from dradsl.records import Record
from dradsl.values.quantity import Quantity, QuantityError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dradsl.kube.fields.typed_dicts import DeviceClassDict, DeviceRequestDict, ResourceClaimDict
    from dradsl.kube.pods.typed_dicts import ContainerDict, PodSpecDict, ResourceListDict


__all__ = [
    "CLAIM_NAME",
    "IMPLICIT",
    "ExtendedClaim",
    "class_by_resource",
    "extended_claim",
    "extended_resources",
    "has_extended",
    "is_extended",
    "is_left_over",
]

CLAIM_NAME = "<extended-resources>"
_ANNOTATION = "resource.kubernetes.io/extended-resource-claim"
IMPLICIT = "deviceclass.resource.kubernetes.io/"


class ExtendedClaim(Record):
    """The synthetic claim on one node, and which container gets which request.

    `empty`: the node itself offers the resources, but the pod has other claims. Upstream then makes
    a claim without requests, and the pod never binds.
    """

    document: ResourceClaimDict
    mappings: tuple[Mapping[str, str], ...]
    empty: bool = False


# Upstream: ExtendedResourceCache.* (deviceclass/extendedresourcecache/extendedresourcecache.go)
def class_by_resource(
    classes: Mapping[str, DeviceClassDict], *, implicit: bool = True
) -> dict[str, str]:
    """Extended resource name to class name; `implicit`: names made from class names count too.

    Of classes with one name the newest counts, and of equally new ones the first by name. Upstream
    forgets the implicit name of a class that comes too late for its explicit one. In which order
    classes come is taken from a scheduler that has just started: by name.
    """
    found: dict[str, str] = {}
    for name, document in sorted(classes.items()):
        resource = (document.get("spec") or {}).get("extendedResourceName")
        if resource:
            other = found.get(str(resource))
            if other is not None and _created(document) <= _created(classes[other]):
                continue
            found[str(resource)] = name
        if implicit:
            found[IMPLICIT + name] = name
    return found


def is_extended(resource: str) -> bool:
    """Whether a resource name is one that devices can be behind (IsDRAExtendedResourceName)."""
    if resource.startswith(IMPLICIT):
        return True
    native = "/" not in resource or "kubernetes.io/" in resource
    return not native and not resource.startswith("requests.")


# Upstream: createResourceRequestAndMappings, createRequestsAndMappings (plugins/dynamicresources/*.go)
# Upstream: createDeviceRequests, createRequestMappings (plugins/dynamicresources/dynamicresources.go)
def extended_claim(
    spec: PodSpecDict,
    pod_name: str,
    namespace: str,
    classes: Mapping[str, str],
    allocatable: Mapping[str, str],
    *,
    has_claims: bool = False,
    first_form: bool = False,
) -> ExtendedClaim | str | None:
    """The claim for the extended resources of a pod on a node with these allocatable resources.

    `classes` are class names by resource; `has_claims` tells whether the pod has claims of its own;
    `first_form` is a switch of the release. None if nothing is to be allocated by DRA, a text if
    the node can never offer what is asked for.
    """
    asked = extended_resources(spec)
    if not any(resource in classes for resource in asked):
        missing = [resource for resource in asked if _count(allocatable.get(resource)) <= 0]
        return f"nothing offers {missing[0]} here" if missing else None
    wanted, mapped = [], []
    for resource in asked:
        offered = allocatable.get(resource)
        by_node = offered is not None if first_form else _count(offered) > 0
        if resource in classes:
            mapped.append(resource)
        if resource in classes and not by_node:
            wanted.append(resource)
        elif offered is None:
            # The plugin says "cannot fit resource".
            return f"nothing offers {resource} here"
    if not wanted and not has_claims:
        return None
    # The first form asks for what the node offers as well.
    resources = sorted(mapped if first_form else wanted)
    if first_form:
        requests, mappings = _plain_requests(spec, resources, classes)
    else:
        requests, mappings = _requests(spec, resources, classes)
    document: ResourceClaimDict = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": CLAIM_NAME,
            "generateName": f"{pod_name}-extended-resources-",
            "namespace": namespace,
            "annotations": {_ANNOTATION: "true"},
        },
        "spec": {"devices": {"requests": requests}},
    }
    return ExtendedClaim(document, tuple(mappings), empty=not requests)


# Upstream: isSpecialClaimName (plugins/dynamicresources/*.go)
def is_left_over(claim: ResourceClaimDict, name: str, uid: str) -> bool:
    """Whether a claim was made for the extended resources of the pod with this name and UID.

    The scheduler makes one in an attempt that then failed, and deletes it before the next one.
    """
    metadata = claim.get("metadata") or {}
    if (metadata.get("annotations") or {}).get(_ANNOTATION) != "true":
        return False
    return any(
        owner.get("name") == name and owner.get("controller") is True and owner.get("uid") == uid
        for owner in metadata.get("ownerReferences") or ()
    )


def _plain_requests(
    spec: PodSpecDict, resources: Sequence[str], classes: Mapping[str, str]
) -> tuple[list[DeviceRequestDict], list[dict[str, str]]]:
    """One request a container and resource, init containers like the others.

    Requests stand resource by resource, their mappings container by container.
    """
    containers, _ = _containers(spec)
    found: list[DeviceRequestDict] = []
    by_container: list[list[dict[str, str]]] = [[] for _ in containers]
    for resource in resources:
        for number, container in enumerate(containers):
            request, mapped = _for_container(number, container, resource, classes[resource], ())
            by_container[number] += mapped
            if request is not None:
                found.append(request)
    return found, [mapping for mappings in by_container for mapping in mappings]


# Upstream: DynamicResources.preFilterExtendedResources (plugins/dynamicresources/*.go)
# Upstream: DynamicResources.filterExtendedResources (plugins/dynamicresources/*.go)
def extended_resources(spec: PodSpecDict) -> list[str]:
    """The extended resources that a pod asks for."""
    return [
        resource
        for resource, amount in _pod_requests(spec).items()
        if is_extended(resource) and amount > 0
    ]


# Upstream: hasDeviceClassMappedExtendedResource (plugins/dynamicresources/*.go)
def has_extended(spec: PodSpecDict) -> bool:
    """Whether a pod asks for an extended resource."""
    return bool(extended_resources(spec))


def _created(document: DeviceClassDict) -> str:
    return str((document.get("metadata") or {}).get("creationTimestamp") or "")


def _count(amount: str | None) -> int:
    if amount is None:
        return 0
    try:
        return Quantity.decode(amount).value()
    except QuantityError:
        return 0


# Upstream: partitionContainerIndices (plugins/dynamicresources/extendeddynamicresources.go)
def _containers(spec: PodSpecDict) -> tuple[list[ContainerDict], int]:
    starting = list(spec.get("initContainers") or ())
    return [*starting, *(spec.get("containers") or ())], len(starting)


def _requests_of(container: ContainerDict) -> ResourceListDict:
    resources = container.get("resources") or {}
    # The API server copies a limit to a request that is missing.
    return {**(resources.get("limits") or {}), **(resources.get("requests") or {})}


def _pod_requests(spec: PodSpecDict) -> dict[str, int]:
    """What the pod needs at most of each resource, as a whole number (resourcehelper.PodRequests)."""
    containers, starting = _containers(spec)
    running: dict[str, int] = {}
    peak: dict[str, int] = {}
    sidecars: dict[str, int] = {}
    for number, container in enumerate(containers):
        requests = {name: _count(str(value)) for name, value in _requests_of(container).items()}
        if number >= starting:
            add_up(running, requests)
        elif container.get("restartPolicy") == "Always":
            add_up(running, requests)
            add_up(sidecars, requests)
            raise_to(peak, sidecars)
        else:
            together = dict(sidecars)
            add_up(together, requests)
            raise_to(peak, together)
    raise_to(running, peak)
    return running


def _requests(
    spec: PodSpecDict, resources: Sequence[str], classes: Mapping[str, str]
) -> tuple[list[DeviceRequestDict], list[dict[str, str]]]:
    containers, starting = _containers(spec)
    requests: list[DeviceRequestDict] = []
    mappings: list[dict[str, str]] = []
    for resource in resources:
        own, mapped = _for_resource(containers, starting, resource, classes[resource])
        requests += own
        mappings += mapped
    return sorted(requests, key=lambda request: str(request["name"])), mappings


def _for_resource(
    containers: Sequence[ContainerDict], starting: int, resource: str, class_name: str
) -> tuple[list[DeviceRequestDict], list[dict[str, str]]]:
    """Requests of long-lived containers; init containers use them, and at most one more request."""
    brief = [
        number for number in range(starting) if containers[number].get("restartPolicy") != "Always"
    ]
    kept: list[DeviceRequestDict | None] = [None] * len(containers)
    long_lived: list[dict[str, str]] = []
    for number in range(len(containers)):
        if number not in brief:
            request, mapped = _for_container(number, containers[number], resource, class_name, ())
            kept[number] = request
            long_lived += mapped
    largest: DeviceRequestDict | None = None
    names: set[str] = set()
    short_lived: list[dict[str, str]] = []
    for number in brief:
        request, mapped = _for_container(
            number, containers[number], resource, class_name, kept[number:]
        )
        short_lived += mapped
        if request is not None:
            names.add(request["name"])
            if largest is None or largest["exactly"]["count"] < request["exactly"]["count"]:
                largest = request
    if largest is not None:
        for mapping in short_lived:
            if mapping["requestName"] in names:
                mapping["requestName"] = largest["name"]
    found = [request for request in (largest, *kept) if request is not None]
    return found, [*long_lived, *short_lived]


def _for_container(
    number: int,
    container: ContainerDict,
    resource: str,
    class_name: str,
    reusable: Sequence[DeviceRequestDict | None],
) -> tuple[DeviceRequestDict | None, list[dict[str, str]]]:
    requests = _requests_of(container)
    try:
        amount = Quantity.decode(str(requests[resource])) if resource in requests else None
    except QuantityError:
        amount = None
    if amount is None or not amount.is_integer() or not amount.as_integer():
        return None, []
    wanted, covered = amount.as_integer(), 0
    mappings: list[dict[str, str]] = []

    def use(name: str) -> None:
        mappings.append(
            {
                "containerName": str(container.get("name") or ""),
                "resourceName": resource,
                "requestName": name,
            }
        )

    for request in reusable:
        if request is not None:
            covered += request["exactly"]["count"]
            use(request["name"])
            if covered >= wanted:
                return None, mappings
    place = sorted(requests).index(resource)
    name = f"container-{number}-request-{place}"
    use(name)
    return {
        "name": name,
        "exactly": {
            "deviceClassName": class_name,
            "allocationMode": "ExactCount",
            "count": wanted - covered,
        },
    }, mappings

"""Whether the containers of a pod get the devices of its claims, as far as objects tell.

GetResources of pkg/kubelet/cm/dra/manager.go: they get those of their resources.claims, and of mappings for resources that they
request; from 1.31 on in CDIDevices of the CRI alone (https://github.com/kubernetes/kubernetes/issues/125210).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from dradsl.simulate.plugin.reserved import allocation_of
from dradsl.values.plain import mapping_at, mappings_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.why.dump import Document, Dump

__all__ = ["containers_of", "unasked", "undelivered"]

_READ = {  # the first version of a runtime that reads CDIDevices
    "containerd": ((1, 7, 2), "which reads CDIDevices of the CRI from 1.7.2 on"),
    "cri-o": ((1, 28), "which reads CDIDevices of the CRI from 1.28 on"),
    "docker": (
        (999,),
        "by cri-dockerd, whose releases up to 0.4.3 pass no CDI devices on to Docker",
    ),
}
_EXTENDED = re.compile(r"deviceclass\.resource\.kubernetes\.io/|(?!.*kubernetes\.io/).*/")


def containers_of(spec: Mapping[str, object]) -> list[Mapping[str, Any]]:
    """The init containers and containers of the spec of a pod."""
    return [*mappings_at(spec, "initContainers"), *mappings_at(spec, "containers")]


def unasked(pod: Document, entries: Iterable[str]) -> list[str]:
    """The entries for claims that no container of a pod names."""
    boxes = containers_of(mapping_at(pod, "spec"))
    uses = {use.get("name") for one in boxes for use in mappings_at(one, "resources", "claims")}
    return [name for name in entries if name not in uses]


def undelivered(
    dump: Dump, pod: Document, claims: Iterable[tuple[str, ResourceClaimDict | None]]
) -> Iterator[str]:
    """Why containers of a pod that runs get no devices of its claims; these are given with their entries, empty for that of
    its extended resources."""
    there = [(name, one) for name, one in claims if one is not None and allocation_of(one)]
    if there and mapping_at(pod, "status").get("phase") == "Running":
        for one in (one for name, one in there if not name):
            yield from _unmapped(pod, one)
        yield from _old_runtime(dump, str(mapping_at(pod, "spec").get("nodeName")))


def _old_runtime(dump: Dump, name: str) -> Iterator[str]:
    """That the container runtime of a node does not pass CDI devices on."""
    info = mapping_at(dump.get("Node", ("default", name)) or {}, "status", "nodeInfo")
    told = str(info.get("containerRuntimeVersion"))
    least, words = _READ.get(told.partition("://")[0], ((), ""))
    if tuple(map(int, re.findall(r"\d+", told)[:3])) < least:
        yield f"the runtime of {name} is {told}, {words}"


def _unmapped(pod: Document, claim: ResourceClaimDict) -> Iterator[str]:
    """Why the mappings in the status of a pod give containers no device of its claim for extended resources."""
    names = [str(one.get("name")) for one in mappings_at(claim, "spec", "devices", "requests")]
    boxes = {one.get("name"): one for one in containers_of(mapping_at(pod, "spec"))}
    path = ("status", "extendedResourceClaimStatus", "requestMappings")
    for one in mappings_at(pod, *path):
        name, resource = one.get("containerName"), str(one.get("resourceName"))
        request = one.get("requestName")
        texts = [] if _EXTENDED.match(resource) else [f"{resource} is no extended resource"]
        if resource not in mapping_at(boxes.get(name, {}), "resources", "requests"):
            texts.append(f"the container does not request {resource}")
        if request not in names:
            texts.append(f"the claim has no request {request} (it has {', '.join(names)})")
        if texts:
            yield f"container {name} gets no device by requestMappings in extendedResourceClaimStatus of the pod: {'; '.join(texts)}"

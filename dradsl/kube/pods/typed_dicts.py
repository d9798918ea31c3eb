"""What is read of pods and nodes, as plain data in the API's form: the types for checkers, and for the look at what is read.

Not all fields of core/v1: those that decide where a pod runs and which claims it has. The types of these fields have been
looked at before (`dradsl.allocator.inventory.shape`), as the API server does. Objects of resource.k8s.io
are in `dradsl.kube.fields.typed_dicts`.
"""

# ruff: noqa: TC001 (names of fields are names of types)
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypedDict

from dradsl.kube.fields.typed_dicts import NodeSelectorDict

__all__ = [
    "AffinityDict",
    "ClaimOfPodDict",
    "ClaimTakesDict",
    "ContainerClaimDict",
    "ContainerDict",
    "ContainerResourcesDict",
    "MappedDict",
    "NodeAffinityDict",
    "OverheadDict",
    "PodResourceClaimDict",
    "PodResourcesDict",
    "PodSpecDict",
    "PodStatusDict",
    "ResourceListDict",
    "SchedulingGroupDict",
    "TaintDict",
    "TolerationDict",
]

ResourceListDict: TypeAlias = Mapping[str, str | int | float]
"""Quantities by the names of resources, as written."""


class ContainerClaimDict(TypedDict, total=False):
    """A claim that a container uses, or one request of it."""

    name: str
    request: str


class PodResourcesDict(TypedDict, total=False):
    """`resources` of a pod as a whole."""

    limits: ResourceListDict
    requests: ResourceListDict


class ContainerResourcesDict(PodResourcesDict, total=False):
    """`resources` of a container."""

    claims: Sequence[ContainerClaimDict]


class ContainerDict(TypedDict, total=False):
    """A container or an init container."""

    name: str
    restartPolicy: str
    resources: ContainerResourcesDict


class TolerationDict(TypedDict, total=False):
    """Which taint of a node a pod puts up with."""

    key: str
    operator: str
    value: str
    effect: str


class TaintDict(TypedDict, total=False):
    """What keeps pods away from a node."""

    key: str
    value: str
    effect: str


class NodeAffinityDict(TypedDict, total=False):
    """Which nodes a pod can run on."""

    requiredDuringSchedulingIgnoredDuringExecution: NodeSelectorDict


class AffinityDict(TypedDict, total=False):
    """Where a pod can run."""

    nodeAffinity: NodeAffinityDict


class PodResourceClaimDict(TypedDict, total=False):
    """An entry of a pod's `resourceClaims`."""

    name: str
    resourceClaimName: str
    resourceClaimTemplateName: str


class SchedulingGroupDict(TypedDict, total=False):
    """The PodGroup of a pod."""

    podGroupName: str


class PodSpecDict(TypedDict, total=False):
    """A pod's spec, as far as it decides where the pod runs."""

    nodeName: str
    nodeSelector: Mapping[str, str]
    affinity: AffinityDict
    tolerations: Sequence[TolerationDict]
    hostNetwork: bool
    overhead: ResourceListDict
    resources: PodResourcesDict
    containers: Sequence[ContainerDict]
    initContainers: Sequence[ContainerDict]
    resourceClaims: Sequence[PodResourceClaimDict]
    schedulingGroup: SchedulingGroupDict


class ClaimOfPodDict(TypedDict, total=False):
    """An entry of `resourceClaimStatuses`: the claim made for an entry of the pod."""

    name: str
    resourceClaimName: str


class MappedDict(TypedDict, total=False):
    """How much of a node's resource the devices of a claim stand for."""

    name: str
    quantity: str | int | float


class OverheadDict(TypedDict, total=False):
    """How much of a node's resource the use of a claim costs."""

    name: str
    perPod: str | int | float
    perContainer: str | int | float


class ClaimTakesDict(TypedDict, total=False):
    """An entry of `nodeAllocatableResourceClaimStatuses`: what a claim takes of the node."""

    resourceClaimName: str
    containers: Sequence[str]
    resources: ResourceListDict
    mapping: Sequence[MappedDict]
    overhead: Sequence[OverheadDict]


class PodStatusDict(TypedDict, total=False):
    """A pod's status, as far as claims and nodes go."""

    phase: str
    nominatedNodeName: str
    resourceClaimStatuses: Sequence[ClaimOfPodDict]
    nodeAllocatableResourceClaimStatuses: Sequence[ClaimTakesDict]

"""Workloads that are to be placed, and pods that run already."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.kube.pods.typed_dicts import ClaimTakesDict, PodSpecDict, PodStatusDict
    from dradsl.kube.pods.workloads import PodSpecAt
    from dradsl.values.json_types import JsonObject

__all__ = ["Running", "Workload"]


def _no_status() -> PodStatusDict:
    return {}


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """A pod spec of the input and how many pods it stands for (None: unknown, or one per node).

    `status` is that of an object that is a Pod itself.
    """

    kind: str
    name: str
    namespace: str
    at: PodSpecAt
    origin: str
    status: PodStatusDict = field(default_factory=_no_status)

    @property
    def spec(self) -> PodSpecDict:
        """The pod spec; who makes a workload has looked at the types in it."""
        return cast("PodSpecDict", self.at.spec)

    @property
    def label(self) -> str:
        """Kind, namespace and name, as reports write them."""
        return f"{self.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """A pod that is on a node. `statuses`: its `nodeAllocatableResourceClaimStatuses`; `document` is all of it."""

    node: str
    namespace: str
    uid: str
    spec: PodSpecDict
    statuses: Sequence[ClaimTakesDict] = ()
    document: JsonObject = field(default_factory=dict, repr=False)

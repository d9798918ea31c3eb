"""Pods to be placed: what a workload is expanded to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dradsl.simulate.pod_claims import Owner, PodClaimEntry, claims_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.kube.fields.typed_dicts import ResourceClaimConsumerReferenceDict
    from dradsl.kube.pods.typed_dicts import PodSpecDict
    from dradsl.simulate.input.workload import Workload

__all__ = ["Pod", "PodClaimEntry", "count_of", "expand", "pod_with", "replica", "the_pod"]

_FIELDS = {
    "ResourceClaim": "resourceClaimName",
    "ResourceClaimTemplate": "resourceClaimTemplateName",
}


@dataclass(frozen=True, slots=True, eq=False)
class Pod:
    """One pod to place. `uid` is empty for a pod that no API server has seen yet; `nominated` is the
    node that its status names, which the scheduler asks before all others, `only` the one that a pod of a
    DaemonSet is made for."""

    name: str
    namespace: str
    spec: PodSpecDict
    claims: tuple[PodClaimEntry, ...]
    workload: Workload
    uid: str = ""
    nominated: str = ""
    only: str = ""

    @property
    def label(self) -> str:
        """`namespace/name` of the pod."""
        return f"{self.namespace}/{self.name}"

    @property
    def consumer(self) -> ResourceClaimConsumerReferenceDict:
        """The entry of a claim's `reservedFor` that stands for this pod."""
        uid = self.uid or f"pod-{self.namespace}-{self.name}"
        return {"resource": "pods", "name": self.name, "uid": uid}

    @property
    def owner(self) -> Owner:
        """The pod as the claims that are made for it name it."""
        group = (self.spec.get("schedulingGroup") or {}).get("podGroupName")
        return Owner(self.namespace, self.name, self.uid, str(group or ""))


def count_of(workload: Workload, replicas: int | None = None) -> int:
    """How many pods a workload has: `replicas`, else as many as it says, else one."""
    declared = workload.at.replicas
    return replicas if replicas is not None else (1 if declared is None else declared)


def expand(workload: Workload, replicas: int | None = None) -> Iterator[Pod]:
    """The pods of a workload, one at a time; `count_of` says how many they are."""
    count = count_of(workload, replicas)
    if workload.at.named and count == 1:
        yield the_pod(workload)
        return
    for number in range(count):
        yield replica(workload, number)


def the_pod(workload: Workload) -> Pod:
    """The pod that a workload of kind Pod is, with what its status says."""
    uid, status = workload.at.metadata.get("uid"), workload.status
    return Pod(
        workload.name,
        workload.namespace,
        workload.spec,
        tuple(claims_of(workload.spec, workload.namespace, workload.name, status)),
        workload,
        uid if isinstance(uid, str) else "",
        str(status.get("nominatedNodeName") or ""),
    )


def replica(workload: Workload, number: int) -> Pod:
    """The pod with this number."""
    name, spec = f"{workload.name}-{number}", workload.spec
    claims = tuple(claims_of(spec, workload.namespace, name))
    return Pod(name, workload.namespace, spec, claims, workload)


def pod_with(claim: Mapping[str, object]) -> dict[str, object] | None:
    """A pod with the claim, or with one of the template; None for other objects, and without a name."""
    field, metadata = _FIELDS.get(str(claim.get("kind"))), claim.get("metadata")
    if field is None or not isinstance(metadata, Mapping) or not metadata.get("name"):
        return None
    name, namespace = str(metadata["name"]), metadata.get("namespace")
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **({"namespace": namespace} if namespace else {})},
        "spec": {
            "containers": [
                {"name": "main", "image": "any", "resources": {"claims": [{"name": "claim"}]}}
            ],
            "resourceClaims": [{"name": "claim", field: name}],
        },
    }

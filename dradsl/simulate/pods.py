"""Pods to be placed: what a workload is expanded to, and which claims each entry means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dradsl.simulate.cluster import Key, Workload

__all__ = ["Pod", "PodClaim", "expand", "replica"]


@dataclass(frozen=True, slots=True)
class PodClaim:
    """An entry of a pod's `resourceClaims`: the claim it means, made from a template or not."""

    name: str
    key: Key
    template: Key | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pod:
    """One pod to place. `uid` is empty for a pod that no API server has seen yet."""

    name: str
    namespace: str
    spec: Mapping[str, Any]
    claims: tuple[PodClaim, ...]
    workload: Workload
    uid: str = ""

    @property
    def label(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def consumer(self) -> dict[str, str]:
        """The entry of a claim's `reservedFor` that stands for this pod."""
        uid = self.uid or f"pod-{self.namespace}-{self.name}"
        return {"resource": "pods", "name": self.name, "uid": uid}


def expand(workload: Workload, replicas: int | None = None) -> Iterator[Pod]:
    """The pods of a workload: `replicas` of them, else as many as it says, else one."""
    declared = workload.at.replicas
    count = replicas if replicas is not None else (1 if declared is None else declared)
    if workload.at.named and count == 1:
        uid = workload.at.metadata.get("uid")
        yield _pod(workload, workload.name, uid if isinstance(uid, str) else "")
        return
    for number in range(count):
        yield replica(workload, number)


def replica(workload: Workload, number: int) -> Pod:
    """The pod with this number."""
    return _pod(workload, f"{workload.name}-{number}")


def _pod(workload: Workload, name: str, uid: str = "") -> Pod:
    claims = []
    for entry in workload.at.spec.get("resourceClaims") or ():
        if not isinstance(entry, Mapping):
            continue
        source = entry.get("source") if isinstance(entry.get("source"), Mapping) else {}
        given = {**(source or {}), **entry}
        own, direct = str(entry.get("name") or ""), given.get("resourceClaimName")
        template = given.get("resourceClaimTemplateName")
        if direct:
            claims.append(PodClaim(own, (workload.namespace, str(direct))))
        elif template:
            key = (workload.namespace, f"{name}-{own}")
            claims.append(PodClaim(own, key, (workload.namespace, str(template))))
    return Pod(name, workload.namespace, workload.at.spec, tuple(claims), workload, uid)

"""The parts of a pod that name claims: entries of `resourceClaims`, and of a container's claims."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from dradsl.dsl.data.foreign import attach_claim
from dradsl.dsl.data.fragment import Fragment, check_name
from dradsl.dsl.data.frozen import thaw
from dradsl.dsl.data.places import is_dropped
from dradsl.dsl.objects.claims import ResourceClaim, ResourceClaimTemplate
from dradsl.dsl.objects.compute_domains import ComputeDomain
from dradsl.dsl.objects.constraints import references
from dradsl.dsl.objects.manifest import KubernetesObject

if TYPE_CHECKING:
    from dradsl.dsl.objects.requests import AnyRequest
    from dradsl.values.json_types import JsonObject

__all__ = ["PodClaim"]

P = TypeVar("P")


@dataclass(frozen=True, slots=True, eq=False)
class PodClaim(Fragment):
    """A claim as a pod knows it: `resourceClaims=[pod_claim.to_dict()]`.

    Args:
        name: its name in the pod.
        source: the claim that pods share, the template that gives each pod its own, or a ComputeDomain.
    """

    name: str
    source: ResourceClaim | ResourceClaimTemplate | ComputeDomain

    def __post_init__(self) -> None:
        check_name("dns1123_label", self.name, "the name of a claim in a pod")
        if not isinstance(self.source, ResourceClaim | ResourceClaimTemplate | ComputeDomain):
            raise TypeError(f"a pod names a claim or a template, not {self.source!r}")

    def to_dict(self) -> JsonObject:
        """The entry of the pod's `resourceClaims`."""
        if isinstance(self.source, ComputeDomain):
            return {"name": self.name, "resourceClaimTemplateName": self.source.template_name}
        is_claim = isinstance(self.source, ResourceClaim)
        key = "resourceClaimName" if is_claim else "resourceClaimTemplateName"
        return {"name": self.name, key: self.source.name}

    def attach(
        self,
        pod: P,
        *containers: str,
        request: AnyRequest | None = None,
    ) -> P:
        """A copy of `pod` that has the claim, and whose containers use it.

        Args:
            pod: a Pod or a workload (Deployment, Job, CronJob, ...), or their pod spec: as a dict, as a
                KubernetesObject, or as a model of the official Kubernetes client.
            containers: the containers that get the devices; all of them if none is named. Init
                containers only where they are named.
            request: only the devices of this request.

        Raises:
            ValueError: if there is no pod, no such container, or another claim of that name; and if the
                call is a statement by itself, because `pod` does not change.
        """
        names = containers or None
        use = self.container(request)
        data = thaw(pod.data, keep=True) if isinstance(pod, KubernetesObject) else pod
        made = attach_claim(data, self.to_dict(), use, names)
        if is_dropped(inspect.currentframe().f_back):  # type: ignore[union-attr] # Python has frames
            raise ValueError(
                f"attach returns a copy with the claim {self.name}, and nothing takes it: write "
                "pod = claim.attach(pod)"
            )
        result: P = type(pod)(made) if isinstance(pod, KubernetesObject) else made
        return result

    def container(self, request: AnyRequest | None = None) -> dict[str, object]:
        """The entry of a container's `resources.claims`: all devices, or those of one request."""
        if request is None:
            return {"name": self.name}
        [name] = references([request], self.source.requests)["requests"]
        if "/" in name:
            raise ValueError(f"a container names a whole request, not its alternative {name}")
        return {"name": self.name, "request": name}

"""The parts of a pod that name claims: entries of `resourceClaims`, and of a container's claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dradsl.dsl.objects.claims import ResourceClaim, ResourceClaimTemplate
from dradsl.dsl.objects.constraints import references
from dradsl.dsl.objects.fragment import Fragment, check_name

if TYPE_CHECKING:
    from dradsl.dsl.objects.requests import AnyRequest

__all__ = ["PodClaim"]


@dataclass(frozen=True, slots=True, eq=False)
class PodClaim(Fragment):
    """A claim as a pod knows it: `resourceClaims=[pod_claim.to_dict()]`.

    Args:
        name: its name in the pod.
        source: the claim that pods share, or the template that gives each pod its own.
    """

    name: str
    source: ResourceClaim | ResourceClaimTemplate

    def __post_init__(self) -> None:
        check_name("dns1123_label", self.name, "the name of a claim in a pod")
        if not isinstance(self.source, ResourceClaim | ResourceClaimTemplate):
            raise TypeError(f"a pod names a claim or a template, not {self.source!r}")

    def to_dict(self) -> dict[str, Any]:
        """The entry of the pod's `resourceClaims`."""
        is_claim = isinstance(self.source, ResourceClaim)
        key = "resourceClaimName" if is_claim else "resourceClaimTemplateName"
        return {"name": self.name, key: self.source.name}

    def container(self, request: AnyRequest | None = None) -> dict[str, Any]:
        """The entry of a container's `resources.claims`: all devices, or those of one request."""
        if request is None:
            return {"name": self.name}
        [name] = references([request], self.source.requests)["requests"]
        if "/" in name:
            raise ValueError(f"a container names a whole request, not its alternative {name}")
        return {"name": self.name, "request": name}

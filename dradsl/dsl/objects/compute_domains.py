"""ComputeDomain of NVIDIA's driver: nodes joined by NVLink, and the template of its channels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from dradsl.dsl.data.fragment import Plain, check_name
from dradsl.dsl.objects.manifest import Manifest, Metadata, read_metadata

if TYPE_CHECKING:
    from dradsl.dsl.objects.manifest import KubernetesObject
    from dradsl.dsl.objects.requests import AnyRequest

__all__ = ["ComputeDomain"]

_VERSION = "resource.nvidia.com/v1beta1"


@dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=True)
class ComputeDomain(Metadata, Manifest):
    """Nodes that share memory over NVLink (IMEX), of NVIDIA's driver compute-domain.nvidia.com.

    The driver's controller makes a ResourceClaimTemplate for its channels: give the domain to `PodClaim`
    like a template of your own.

    Args:
        name: the object's name.
        labels: its labels.
        annotations: its annotations.
        metadata: any other field of the metadata, such as `ownerReferences`.
        namespace: where it lives; None leaves that to whoever applies it.
        num_nodes: how many nodes it has; 0 leaves that to its pods.
        channel_template: the name of the template that the controller makes; `NAME-channel` if None.
        allocation_mode: "All" gives a pod every channel of its node, "Single" (the default) one.
    """

    kind: ClassVar[str] = "ComputeDomain"

    namespace: str | None = None
    num_nodes: int = 0
    channel_template: str | None = None
    allocation_mode: Literal["Single", "All"] | None = None

    def __post_init__(self) -> None:
        self._freeze_metadata(self.kind)
        if self.namespace is not None:
            check_name("dns1123_label", self.namespace, f"the namespace of {self.name}")
        if not isinstance(self.num_nodes, int) or isinstance(self.num_nodes, bool):
            raise TypeError(f"num_nodes of {self.name} is an integer, not {self.num_nodes!r}")
        if self.num_nodes < 0:
            raise ValueError(f"num_nodes of {self.name} is {self.num_nodes}: at least 0 is needed")
        if self.allocation_mode not in (None, "Single", "All"):
            raise ValueError(f'allocation_mode of {self.name} is "Single" or "All"')
        check_name("dns1123_subdomain", self.template_name, f"the channel template of {self.name}")

    @property
    def template_name(self) -> str:
        """The name of the ResourceClaimTemplate that the controller makes."""
        return self.channel_template or f"{self.name}-channel"

    @property
    def requests(self) -> tuple[AnyRequest, ...]:
        """None that a container could name: it gets the channel as a whole."""
        return ()

    def _v1(self) -> dict[str, object]:
        channel: dict[str, object] = {"resourceClaimTemplate": {"name": self.template_name}}
        if self.allocation_mode is not None:
            channel["allocationMode"] = self.allocation_mode
        return {
            "apiVersion": _VERSION,
            "kind": self.kind,
            "metadata": self._metadata(self.namespace),
            "spec": {"numNodes": self.num_nodes, "channel": channel},
        }

    @classmethod
    def read(cls, obj: Plain) -> ComputeDomain:
        """The domain in an object."""
        spec = obj["spec"]
        return cls(
            **read_metadata(obj["metadata"]),
            num_nodes=spec.get("numNodes", 0),
            channel_template=spec["channel"]["resourceClaimTemplate"]["name"],
            allocation_mode=spec["channel"].get("allocationMode"),
        )

    @classmethod
    def holding(cls, plain: KubernetesObject) -> ComputeDomain | None:
        """The builder that says the same as `plain`; None if there is none."""
        obj = plain.to_dict()
        if (obj["apiVersion"], obj["kind"]) != (_VERSION, cls.kind):
            return None
        try:
            built = cls.read(obj)
        except (ValueError, TypeError, LookupError, AttributeError):
            return None
        return built if built.to_dict() == obj else None

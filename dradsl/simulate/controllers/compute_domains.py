"""The ResourceClaimTemplate that NVIDIA's controller makes for a ComputeDomain.

Follows cmd/compute-domain-controller/resourceclaimtemplate.go of dra-driver-nvidia-gpu and its template
of templates. The UID of the domain is not known before the domain exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["channel_template", "is_compute_domain"]

_GROUP = "resource.nvidia.com/"
_CLASS = "compute-domain-default-channel.nvidia.com"
_DRIVER = "compute-domain.nvidia.com"


def is_compute_domain(document: Mapping[str, object]) -> bool:
    """Whether this is a ComputeDomain of NVIDIA's driver."""
    version = str(document.get("apiVersion") or "")
    return document.get("kind") == "ComputeDomain" and version.startswith(_GROUP)


def channel_template(document: Mapping[str, object]) -> dict[str, object] | None:
    """The template for the channel of a ComputeDomain; None if it names none."""
    spec = document.get("spec")
    channel = spec.get("channel") if isinstance(spec, dict) else None
    template = channel.get("resourceClaimTemplate") if isinstance(channel, dict) else None
    name = template.get("name") if isinstance(template, dict) else None
    if not isinstance(channel, dict) or not isinstance(name, str) or not name:
        return None
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    parameters = {
        "apiVersion": str(document.get("apiVersion")),
        "kind": "ComputeDomainChannelConfig",
        "domainID": str(metadata.get("uid") or "00000000-0000-0000-0000-000000000000"),
        "allocationMode": str(channel.get("allocationMode") or "Single"),
    }
    opaque = {"driver": _DRIVER, "parameters": parameters}
    devices = {
        "requests": [{"name": "channel", "exactly": {"deviceClassName": _CLASS}}],
        "config": [{"requests": ["channel"], "opaque": opaque}],
    }
    named = {"name": name}
    if metadata.get("namespace"):
        named["namespace"] = metadata["namespace"]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": named,
        "spec": {"spec": {"devices": devices}},
    }

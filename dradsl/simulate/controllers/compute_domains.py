"""The ResourceClaimTemplate that NVIDIA's controller makes for a ComputeDomain.

Follows cmd/compute-domain-controller/resourceclaimtemplate.go of dra-driver-nvidia-gpu and its template
of templates. The UID of the domain is not known before the domain exists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.values.plain import mapping_at, string_at

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
    channel, metadata = mapping_at(document, "spec", "channel"), mapping_at(document, "metadata")
    name = string_at(channel, "resourceClaimTemplate", "name")
    if name is None:
        return None
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

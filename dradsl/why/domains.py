"""ComputeDomains of NVIDIA's driver: how many of their nodes are ready, and whose template is waited for.

Facts of api/nvidia.com/resource/v1beta1/computedomain.go of dra-driver-nvidia-gpu: `spec.numNodes`,
`spec.channel.resourceClaimTemplate.name`, `status.nodes[].status`; the claim names the domain by its UID.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import key_of, label_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.why.dump import Document, Dump, Key

__all__ = ["domain_of_template", "domain_trouble"]

_READY = "Ready"


def domain_trouble(dump: Dump, claims: Iterable[ResourceClaimDict]) -> str:
    """What keeps the ComputeDomain of these claims from being ready; empty if there is none, or it is."""
    domains = {
        str(mapping_at(one, "metadata").get("uid")): one for one in dump.all("ComputeDomain")
    }
    for claim in claims if domains else ():
        configs = mappings_at(claim, "status", "allocation", "devices", "config")
        for config in (*configs, *mappings_at(claim, "spec", "devices", "config")):
            domain = domains.get(str(mapping_at(config, "opaque", "parameters").get("domainID")))
            if domain is not None and (words := _not_ready(domain)):
                return words
    return ""


def _not_ready(domain: Document) -> str:
    wanted = mapping_at(domain, "spec").get("numNodes")
    nodes = mappings_at(domain, "status", "nodes")
    ready = sum(node.get("status") == _READY for node in nodes)
    if mapping_at(domain, "status").get("status") == _READY:
        return ""
    named = ", ".join(f"{node.get('name')} {node.get('status')}" for node in nodes) or "none yet"
    return f"{label_of(domain)} is not ready: {ready} of {wanted} nodes (spec.numNodes) are; it has {named}"


def domain_of_template(dump: Dump, template: Key) -> str:
    """The ComputeDomain whose controller makes this template; empty if none does."""
    for domain in dump.all("ComputeDomain"):
        named = mapping_at(domain, "spec", "channel", "resourceClaimTemplate").get("name")
        if (key_of(domain)[0], named) == template:
            return label_of(domain)
    return ""

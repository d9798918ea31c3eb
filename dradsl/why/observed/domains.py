"""ComputeDomains of NVIDIA's driver: which one a claim names, and what keeps it from being ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.values.counted import first_of, plural
from dradsl.values.plain import mapping_at, mappings_at
from dradsl.why.dump import key_of, label_of
from dradsl.why.observed.plugins import troubles_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.kube.fields.typed_dicts import ResourceClaimDict
    from dradsl.simulate.attempts import Simulation
    from dradsl.why.dump import Document, Dump, Key

__all__ = ["DOMAIN", "DRIVER_OF_DOMAINS", "domain_ids", "domain_of_template", "domain_trouble"]

# ComputeDomains: api/nvidia.com/resource/v1beta1/computedomain.go of dra-driver-nvidia-gpu. A claim names the domain by its UID.
DRIVER_OF_DOMAINS = "compute-domain.nvidia.com"
DOMAIN = "resource.nvidia.com/computeDomain"  # the label of its daemons, with the UID


def domain_trouble(
    dump: Dump, pod: Document, claims: Iterable[ResourceClaimDict], simulation: Simulation
) -> str:
    """What keeps the ComputeDomain of a pod, by its claims or their templates, from being ready; empty if there is none, or it is."""
    node, space = str(mapping_at(pod, "spec").get("nodeName") or ""), key_of(pod)[0]
    ids = {one for claim in claims for one in domain_ids(claim)}
    for entry in mappings_at(pod, "spec", "resourceClaims"):
        ids.add(domain_of_template(dump, (space, str(entry.get("resourceClaimTemplateName")))))
    for one in dump.all("ComputeDomain"):
        is_its = not ids.isdisjoint((mapping_at(one, "metadata").get("uid"), label_of(one)))
        if is_its and (words := _not_ready(dump, one, simulation, node)):
            return words
    return ""


def domain_ids(claim: ResourceClaimDict) -> Iterator[str]:
    """The UIDs of the ComputeDomains that a claim names."""
    configs = mappings_at(claim, "status", "allocation", "devices", "config")
    for config in (*configs, *mappings_at(claim, "spec", "devices", "config")):
        if found := mapping_at(config, "opaque", "parameters").get("domainID"):
            yield str(found)


def domain_of_template(dump: Dump, template: Key) -> str:
    """The ComputeDomain whose controller makes this template; empty if none does."""
    for domain in dump.all("ComputeDomain"):
        named = mapping_at(domain, "spec", "channel", "resourceClaimTemplate").get("name")
        if (key_of(domain)[0], named) == template:
            return label_of(domain)
    return ""


def _not_ready(dump: Dump, domain: Document, simulation: Simulation, node: str) -> str:
    wanted = mapping_at(domain, "spec").get("numNodes")
    nodes = mappings_at(domain, "status", "nodes")
    ready = sum(node.get("status") == "Ready" for node in nodes)
    names = [f"{node.get('name')} {node.get('status') or ''}".rstrip() for node in nodes]
    named = f"{len(names)}: {first_of(names)}" if len(names) > 3 else ", ".join(names) or "none yet"
    uid = str(mapping_at(domain, "metadata").get("uid"))
    daemons = (
        one
        for one in (*dump.all("DaemonSet"), *dump.all("Pod"))
        if mapping_at(one, "spec", "template", "spec", "nodeSelector").get(DOMAIN) == uid
        or mapping_at(one, "metadata", "labels").get(DOMAIN) == uid
    )
    texts = [f"; {text}" for text in troubles_of(dump, daemons, "", simulation)]
    texts.sort(key=lambda text: f" on {node}: " not in text)
    if mapping_at(domain, "status").get("status") == "Ready":
        here = [text for text in texts[:1] if f" on {node}: " in text]
        return f"{label_of(domain)} is ready, and not on {node}{here[0]}" if here else ""
    count = f"{ready} of {wanted} nodes (spec.numNodes) are" if wanted else f"{ready} nodes are"
    lacks = isinstance(wanted, int) and len(nodes) < wanted
    texts = [*texts[:1], *(_gated(dump, domain) if lacks else ())]
    return f"{label_of(domain)} is not ready: {count}; it has {named}{''.join(texts)}"


def _gated(dump: Dump, domain: Document) -> Iterator[str]:
    """That pods which ask for a channel of a ComputeDomain are not looked at by the scheduler yet."""
    gates = [
        str(gate.get("name"))
        for pod in dump.all("Pod")
        for one in mappings_at(pod, "spec", "resourceClaims")
        for gate in mappings_at(pod, "spec", "schedulingGates")[:1]
        if domain_of_template(dump, (key_of(pod)[0], str(one.get("resourceClaimTemplateName"))))
        == label_of(domain)
    ]
    if gates:
        names = first_of(list(dict.fromkeys(gates)))
        yield f"; scheduling gate {names} keeps {plural(len(gates), 'pod')} with a claim for it"

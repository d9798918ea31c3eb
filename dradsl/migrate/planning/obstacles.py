"""What prevents a translation besides the resource itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from dradsl.migrate.mapping.labels import AUTO_MODE, nodes_without_dra
from dradsl.migrate.mapping.resource import Rejection
from dradsl.migrate.places import ContainerAt, PodAt, Use, whole
from dradsl.migrate.planning.kinds import kind_obstacle
from dradsl.values.plain import mappings_at

if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions

__all__ = ["ROUTES", "VISIBLE", "container_obstacle", "drivers_of", "names_devices", "pod_obstacle"]

# The variables that show devices to a container, with the domain of the resources that they are for.
_DOMAINS: Mapping[str, str] = MappingProxyType(
    {
        "NVIDIA_VISIBLE_DEVICES": "nvidia.com/",
        "AMD_VISIBLE_DEVICES": "amd.com/",
        "HABANA_VISIBLE_DEVICES": "habana.ai/",
    }
)
VISIBLE = tuple(_DOMAINS)
_NOTHING = ("", "none", "void")
ROUTES = (
    "helm template RELEASE CHART | dradsl migrate --post-render migrates what the chart renders",
    "--set strategy=extended-resource keeps the request and lets a DeviceClass answer it",
)
# Users who install these charts do not run our post-renderer.
_INSTALLED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "values of HelmRelease": (
            "helm template ... | dradsl migrate --set form=flux --output DIR - writes the patches for spec.postRenderers, and "
            "the new objects for the Kustomization that applies the release",
            ROUTES[1],
        ),
        "values of Application": (
            "the plugin in examples/migrations/post-render/argocd migrates what the chart renders",
            ROUTES[1],
        ),
        "values of ApplicationSet": (
            "the plugin in examples/migrations/post-render/argocd migrates what the chart renders",
            ROUTES[1],
        ),
    }
)
_DIMENSIONS = re.compile(r"[0-9]{1,6}(x[0-9]{1,6}){1,3}")
_TOPOLOGY = "cloud.google.com/gke-tpu-topology"


def container_obstacle(container: ContainerAt, use: Use, decisions: Decisions) -> Rejection | None:
    """Why the amount of a use cannot be translated as it is written."""
    limit, request = use.limit, use.request
    if limit is not None and request is not None and whole(limit) != whole(request):
        return Rejection(
            f"requests ({request}) and limits ({limit}) differ: the API server rejects that for "
            "extended resources, so which one was meant is not known"
        )
    named = (name for name, domain in _DOMAINS.items() if use.resource.startswith(domain))
    variable = next((name for name in named if names_devices(container, name)), None)
    if variable is None:
        return None
    if whole(use.amount) == 0:
        return Rejection(
            f"no device is asked for but {variable} is set: the container shares devices that the "
            "scheduler does not know of. With claims: one ResourceClaim that all such pods name, "
            "or ConsumableShares; neither can be seen from here"
        )
    if decisions.visible_devices is not None:
        return None
    return Rejection(
        f"{variable} is set: with a claim it may show devices that the claim does not hold",
        "visible-devices",
    )


def names_devices(container: ContainerAt, variable: str) -> bool:
    """Whether a container sets a variable to a value other than "no devices"."""
    variables = container.variables()
    return variable in variables and variables[variable] not in _NOTHING


def pod_obstacle(
    pod: PodAt, decisions: Decisions, evidence: Evidence, catalogue: Catalogue
) -> Rejection | None:
    """Why a pod cannot be given a claim."""
    if pod.blocked is not None:
        routes: tuple[str, ...] = ROUTES if pod.rendered else ROUTES[1:]
        routes = _INSTALLED.get(pod.manifest.kind, routes)
        who = "it" if pod.manifest.api_version else "the chart"
        needs = tuple(f"{who} needs {each}" for each in pod.needs)
        return Rejection(pod.blocked, pod.question, routes=(*needs, *routes))
    unknown = kind_obstacle(pod, decisions, evidence)
    if unknown is not None:
        return unknown
    if pod.spec.get("nodeName"):
        return Rejection("nodeName bypasses the scheduler, which alone allocates claims")
    hosts = _hosts(pod)
    if hosts is not None:
        return hosts
    nodes = nodes_without_dra(pod, decisions.accept)
    if nodes is not None:
        return Rejection(nodes, *(("accept", AUTO_MODE) if AUTO_MODE in nodes else ()))
    existing = tuple(_existing_classes(pod, evidence))
    if not existing or decisions.existing_claims == "other-devices":
        return None
    ours = _drivers_used(pod, catalogue)
    for classes in existing:
        drivers = [
            drivers_of(name, evidence, catalogue, pod.manifest.path) for name in classes or ()
        ]
        if not drivers or any(each is None or each & ours for each in drivers):
            return Rejection(
                "the pod has claims already, for the same devices as far as can be seen: both "
                "would be allocated",
                "existing-claims",
            )
    return None


def _existing_classes(pod: PodAt, evidence: Evidence) -> Iterator[frozenset[str] | None]:
    """The classes of each claim that the pod names; None where the claim is not in the run."""
    for entry in mappings_at(pod.spec, "resourceClaims"):
        for kind, key in (
            ("ResourceClaimTemplate", "resourceClaimTemplateName"),
            ("ResourceClaim", "resourceClaimName"),
        ):
            if key in entry:
                name = (kind, pod.manifest.namespace, str(entry[key]))
                yield evidence.claim_classes(name, pod.manifest.path)


def drivers_of(
    name: str, evidence: Evidence, catalogue: Catalogue, file: str
) -> frozenset[str] | None:
    """The drivers whose devices are in a class of the cluster that a file goes to; None if that is not known."""
    written = evidence.class_selectors(name, file)
    if written:
        from dradsl.drivers.judge.reachable import reachable_drivers

        found = [reachable_drivers(selectors, catalogue) for selectors in written]
        known = [each for each in found if each is not None]
        return frozenset().union(*known) if len(known) == len(found) else None
    driver = catalogue.index().classes.get(name)
    return None if driver is None else frozenset({driver})


def _drivers_used(pod: PodAt, catalogue: Catalogue) -> set[str]:
    from dradsl.drivers.schema.device_plugin import find_resources

    return {
        match.driver.name
        for container in pod.containers
        for use in container.uses
        for match in find_resources(use.resource, catalogue)
    }


def _hosts(pod: PodAt) -> Rejection | None:
    """TPU slices that span several hosts: their nodes belong together, which a claim cannot express."""
    amounts = [
        whole(use.amount) or 0
        for container in pod.containers
        for use in container.uses
        if use.resource == "google.com/tpu"
    ]
    selector = pod.spec.get("nodeSelector")
    topology = selector.get(_TOPOLOGY) if isinstance(selector, Mapping) else None
    if not amounts or not isinstance(topology, str):
        return None
    if not _DIMENSIONS.fullmatch(topology):
        return Rejection(
            f"topology {topology} is a placeholder, not of the form NxM: whether one host has all chips is "
            "not known before it is filled in"
        )
    chips = 1
    for part in topology.split("x"):
        chips *= int(part)
    if chips == sum(amounts):
        return None
    return Rejection(
        f"topology {topology} has {chips} chips, the pod asks for {sum(amounts)}: the slice spans "
        "several hosts, which claims of single pods cannot keep together"
    )

"""What prevents a translation besides the resource itself: the kind of an object, its containers, claims that it has."""

from __future__ import annotations

import math
import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from dradsl.drivers.schema.device_plugin import find_resources
from dradsl.migrate.mapping.kind_table import row_of
from dradsl.migrate.mapping.labels import AUTO_MODE, nodes_without_dra
from dradsl.migrate.mapping.resource import BY_CLASS, Rejection
from dradsl.migrate.places import BUILT_IN, ContainerAt, PodAt, Use, whole
from dradsl.values.plain import mapping_at, mappings_at, member

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.evidence import Evidence
    from dradsl.migrate.mapping.questions import Decisions

__all__ = [
    "ROUTES",
    "VISIBLE",
    "container_obstacle",
    "drivers_of",
    "kind_notes",
    "names_devices",
    "pod_obstacle",
]

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
    *BY_CLASS,
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
    placed = _on_a_node(pod, decisions) or (None if decisions.asks_by_name else _hosts(pod))
    if placed is not None:
        return placed
    nodes = nodes_without_dra(pod, decisions.accept)
    if nodes is not None:
        return Rejection(nodes, *(("accept", AUTO_MODE) if AUTO_MODE in nodes else ()))
    existing = tuple(_existing_classes(pod, evidence))
    if not existing or decisions.existing_claims == "other-devices":
        return None
    ours = {
        match.driver.name
        for container in pod.containers
        for use in container.uses
        for match in find_resources(use.resource, catalogue)
    }
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


def _on_a_node(pod: PodAt, decisions: Decisions) -> Rejection | None:
    """Why a pod that names its node gets no claim; an affinity can take the place of the name if it has none."""
    no_way = decisions.asks_by_name or member(pod.spec, "affinity", "nodeAffinity")
    if not pod.spec.get("nodeName") or (decisions.node_name is not None and not no_way):
        return None
    asked = None if no_way else "node-name"
    return Rejection("nodeName bypasses the scheduler, which alone allocates claims", asked)


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


def _hosts(pod: PodAt) -> Rejection | None:
    """TPU slices that span several hosts: their nodes belong together, which a claim cannot express."""
    amounts = [
        whole(use.amount) or 0
        for container in pod.containers
        for use in container.uses
        if use.resource == "google.com/tpu"
    ]
    topology = member(pod.spec, "nodeSelector", _TOPOLOGY)
    if not amounts or not isinstance(topology, str):
        return None
    if not _DIMENSIONS.fullmatch(topology):
        return Rejection(
            f"topology {topology} is a placeholder, not of the form NxM: whether one host has all chips is "
            "not known before it is filled in"
        )
    chips = math.prod(map(int, topology.split("x")))
    if chips == sum(amounts):
        return None
    return Rejection(
        f"topology {topology} has {chips} chips, the pod asks for {sum(amounts)}: the slice spans "
        "several hosts, which claims of single pods cannot keep together",
        routes=BY_CLASS,
    )


# Their pod specs are immutable (k8s.io/kubernetes pkg/apis/{core,batch}/validation).
_NEVER_CHANGED = frozenset({("", "Pod"), ("batch", "Job")})
# KServe's LLMInferenceService (kserve pkg/controller/v1alpha2/llmisvc/managed_dra.go @ aaac4e29).
_MANAGED = "serving.kserve.io/exp-dra-"
# llm-d-incubation/llm-d-fast-model-actuation pkg/controller/dual-pods/inference-server.go @ 553c7b7; the first is its
# older name.
_COPIED = tuple(
    f"{domain}/{name}"
    for domain in ("dual-pod.llm-d.ai", "dual-pods.llm-d.ai")
    for name in ("server-patch", "inference-server-config")
)
_QUEUE_LABEL = "kueue.x-k8s.io/queue-name"


def kind_obstacle(pod: PodAt, decisions: Decisions, evidence: Evidence) -> Rejection | None:
    """Why claims in this kind may be lost: a CRD without the field drops it silently."""
    manifest = pod.manifest
    managed = next((key for key in pod.annotations if key.startswith(_MANAGED)), None)
    if managed is not None and decisions.existing_claims is None:
        return Rejection(
            f"annotation {managed} makes KServe write a claim of its own for this service: both would "
            "be allocated",
            "existing-claims",
        )
    if decisions.asks_by_name:
        return None
    copied = next((key for key in _COPIED if key in pod.annotations), None)
    if copied is not None:
        return Rejection(
            f"annotation {copied} makes llm-d's dual-pods controller copy this pod: it takes nvidia.com/gpu out of "
            "the copy, but no claims, so both would get devices of their own",
            routes=BY_CLASS,
        )
    if not manifest.api_version or pod.set_values or pod.spec.get("resourceClaims"):
        return None  # an object that has claims already keeps them
    name = f"{manifest.kind}.{manifest.group}"
    if name in decisions.accept:
        return None
    if manifest.kind.startswith("Cluster") and manifest.namespace is None:
        return Rejection(
            f"a {manifest.kind} has no namespace: its pods run where it is used, and the claim "
            "template must be in each of these namespaces",
            "accept",
            name,
        )
    seen = evidence.seen_kind(manifest.group, manifest.kind, manifest.path)
    row = row_of(manifest.group, manifest.kind)
    if seen is not None and not seen.keeps:
        return Rejection(
            f"the CRD of {manifest.kind} in {seen.place} has no resourceClaims in its pods: claims are dropped "
            "silently, and the pods run without devices",
            routes=BY_CLASS,
        )
    if seen is not None or (row is not None and row.verdict == "keeps"):
        return None
    why = f" ({row.why})" if row is not None and row.why else ""
    if row is not None and row.verdict != "varies":
        said = f"a {manifest.kind} drops resourceClaims silently{why}: its pods would run without devices"
        if row.verdict == "rejects":
            said = f"a {manifest.kind} with resourceClaims is rejected{why}"
        return Rejection(said, routes=BY_CLASS)
    return Rejection(
        f"whether the CRD of {manifest.kind} ({manifest.api_version}) keeps resourceClaims is not "
        f"known{why}: one without the field drops it silently, and the pods run without devices",
        "accept",
        name,
    )


def kind_notes(pod: PodAt) -> Iterator[str]:
    """What else counts the request that is removed, by kind and labels."""
    manifest = pod.manifest
    if (
        (manifest.kind.startswith("values of ") or (manifest.kind == "values" and not pod.goes_to))
        and not pod.chart_writes_template
        and pod.objects is None
    ):
        yield "the new object must come to the cluster and the namespace of the chart's pods"
    if (manifest.group, manifest.kind) in _NEVER_CHANGED:
        yield f"a {manifest.kind} that runs cannot be changed: delete it and create it again"
    if manifest.kind.startswith("Cluster") and manifest.namespace is None:
        yield "apply the claim template in every namespace where pods of this run"
    if manifest.api_version and manifest.group not in BUILT_IN and not pod.set_values:
        row = row_of(manifest.group, manifest.kind)
        if row is not None and row.since:
            yield f"{manifest.kind} keeps resourceClaims since {row.since}: before, they are dropped silently"
        elif row is None or row.verdict == "varies":
            yield (
                f"the CRD of {manifest.kind} must hold resourceClaims: an old one drops the field "
                "silently"
            )
    if pod.spec.get("schedulerName") == "volcano" or manifest.group == "batch.volcano.sh":
        yield "Volcano's queues and gangs count the extended resource, not the claim"
    if _QUEUE_LABEL in mapping_at(manifest.data, "metadata", "labels"):
        yield "Kueue counts the claim only with deviceClassMappings for its class"
    if pod.spec.get("priorityClassName"):
        yield "pods are not preempted to free devices of claims, whatever their priority"

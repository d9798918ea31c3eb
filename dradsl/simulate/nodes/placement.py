"""What rules a node out for a pod besides devices: name, selector, affinity, taints, resources.

Only what Node objects tell counts. Inter-pod affinity, spreading, volumes, ports and priorities are
not looked at. Follows kube-scheduler's NodeName, NodeUnschedulable, NodeAffinity, TaintToleration
and NodeResourcesFit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dradsl.allocator.inventory.nodes import Node, SelectorError, compile_selector, matches_labels
from dradsl.allocator.inventory.slices import TaintRecord
from dradsl.allocator.inventory.taints import tolerates
from dradsl.simulate.nodes.requests import (
    allocatable_of,
    amounts as whole_amounts,
    pod_requests,
    with_defaults,
)
from dradsl.values.plain import mappings_at

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

    from dradsl.kube.fields.typed_dicts import NodeSelectorDict, NodeSelectorTermDict
    from dradsl.kube.pods.typed_dicts import PodSpecDict, TaintDict, TolerationDict
    from dradsl.values.json_types import JsonMapping
    from dradsl.values.quantity import Quantity

__all__ = [
    "GANGS",
    "Amounts",
    "Usage",
    "ignored_parts",
    "placed_by",
    "pod_amounts",
    "unknown_needs",
    "why_not",
]

NOT_CONSIDERED = (
    "affinity and spreading between pods, gangs, volumes, host ports, priorities and preemption"
)
_UNSCHEDULABLE: TaintDict = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
_COUNTED = ("cpu", "memory", "ephemeral-storage")

GANGS = (
    "kueue.x-k8s.io/pod-group-name",
    "pod-group.scheduling.sigs.k8s.io",
    "scheduling.k8s.io/group-name",
    "scheduling.x-k8s.io/pod-group",
)
_KUEUE_TOPOLOGY = re.compile(r"kueue\.x-k8s\.io/podset-[a-z-]*topology")

Amounts = dict[str, int]


class Usage:
    """What the pods on each node use of it, in the whole numbers that the scheduler counts with.

    `consumers` are the UIDs of pods of which the status says that a claim takes resources there.
    """

    def __init__(self) -> None:
        self._used: dict[str, dict[str, int]] = {}
        self._pods: dict[str, int] = {}
        self._consumers: dict[tuple[str, str, str], set[str]] = {}

    def add(
        self,
        node: str,
        amounts: Mapping[str, int],
        claims: Iterable[tuple[str, str]] = (),
        uid: str = "",
        more: int = 1,
    ) -> None:
        """A pod more, or less if `more` is -1; `claims` (namespace and name) take resources of the node for it."""
        used = self._used.setdefault(node, {})
        for name, amount in amounts.items():
            used[name] = used.get(name, 0) + more * amount
        self._pods[node] = self._pods.get(node, 0) + more
        for namespace, claim in claims:
            self._consumers.setdefault((node, namespace, claim), set()).add(uid)

    def used(self, node: str) -> Mapping[str, int]:
        """What the pods on a node use of it."""
        return self._used.get(node, {})

    def consumers(self, node: str, namespace: str, claim: str) -> Collection[str]:
        """The pods on a node for which a claim takes resources of it."""
        return self._consumers.get((node, namespace, claim), ())

    # Upstream: fitsRequest, computePodResourceRequest (noderesources/fit.go)
    def lacking(self, node: Node, amounts: Mapping[str, int]) -> str | None:
        """The resource of which the node has too little left for these requests."""
        used, offered = self.used(node.name), allocatable_of(node)
        if "pods" in offered and self._pods.get(node.name, 0) >= offered["pods"].value():
            return "pods"
        limits = whole_amounts(offered)
        for name, wanted in amounts.items():
            # What no device plugin offers any more, DRA may offer.
            counts = wanted and (limits.get(name) if "/" in name else name in limits)
            if counts and used.get(name, 0) + wanted > limits[name]:
                return name
        return None


def pod_amounts(
    spec: PodSpecDict, taken: Iterable[tuple[str, Quantity]] = (), *, stored: bool = False
) -> Amounts:
    """What a pod uses of its node, `taken` by its claims; `stored`: the API server has filled in
    what the spec leaves out."""
    found = whole_amounts(pod_requests(spec if stored else with_defaults(spec), taken))
    first = [name for name in _COUNTED if name in found]
    return {name: found[name] for name in (*first, *sorted(found.keys() - {*first}))}


def placed_by(spec: PodSpecDict, amounts: Mapping[str, int]) -> Hashable:
    """All that `why_not` looks at of a pod that uses so much: pods that are alike in it are told the
    same by every node."""
    affinity = (spec.get("affinity") or {}).get("nodeAffinity")
    parts = [spec.get(name) for name in ("nodeName", "nodeSelector", "tolerations")]
    return repr([*parts, affinity]), tuple(amounts.items())


def why_not(spec: PodSpecDict, node: Node, usage: Usage, amounts: Mapping[str, int]) -> str | None:
    """Why a pod cannot run on a node, in words; None if nothing known stands against it."""
    wanted = spec.get("nodeName")
    if wanted and wanted != node.name:
        return f"the pod names node {wanted}"
    tolerations = spec.get("tolerations") or ()
    if node.unschedulable and not _tolerated(_UNSCHEDULABLE, tolerations):
        return "the node is unschedulable"
    for taint in node.taints:
        if taint.get("effect") in ("NoSchedule", "NoExecute") and not _tolerated(
            taint, tolerations
        ):
            shown = "=".join(filter(None, (taint.get("key"), taint.get("value"))))
            return f"node taint {shown}:{taint.get('effect')} is not tolerated"
    selected = spec.get("nodeSelector") or {}
    if not node.known:
        selected = {key: value for key, value in selected.items() if key in node.labels}
    if not matches_labels(selected, node):
        return "nodeSelector does not match the node's labels"
    by_labels = node.known or _affinity_keys(spec) <= node.labels.keys()
    if (reason := (_by_affinity if by_labels else _by_name_only)(spec, node)) is not None:
        return reason
    lacking = usage.lacking(node, amounts)
    return None if lacking is None else f"too little {lacking} left"


def ignored_parts(spec: PodSpecDict, metadata: JsonMapping) -> tuple[str, ...]:
    """What a pod uses of the scheduler, or of Kueue, that is not considered here."""
    affinity = spec.get("affinity") or {}
    parts = (metadata.get("labels"), metadata.get("annotations"))
    marks = [key for part in parts if isinstance(part, dict) for key in part]
    claims = ("persistentVolumeClaim", "ephemeral")
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    found = {
        "affinity between pods": "podAffinity" in affinity or "podAntiAffinity" in affinity,
        "topology spread constraints": spec.get("topologySpreadConstraints"),
        "volumes": any(key in one for one in mappings_at(spec, "volumes") for key in claims),
        "host ports": any(
            port.get("hostPort") for one in containers for port in mappings_at(one, "ports")
        ),
        "priority and preemption": spec.get("priorityClassName") or spec.get("priority"),
        "the gang that it belongs to": spec.get("schedulingGroup")
        or any(key in GANGS for key in marks),
        "Kueue's topology": any(_KUEUE_TOPOLOGY.match(str(key)) for key in marks),
    }
    return tuple(name for name, used in found.items() if used)


def unknown_needs(spec: PodSpecDict, node: Node) -> tuple[str, ...]:
    """What a pod needs of a node and the node does not state: resources, and labels if no Node object is known."""
    offered = allocatable_of(node)
    found = [
        name
        for name, amount in pod_amounts(spec).items()
        if amount and "/" not in name and name not in offered
    ]
    if not node.known:
        keys = {*(spec.get("nodeSelector") or {}), *_affinity_keys(spec)}
        found += [f"label {key}" for key in sorted(keys - node.labels.keys())]
    return tuple(found)


def _affinity_keys(spec: PodSpecDict) -> set[str]:
    """The labels that the required node affinity reads."""
    return {
        str(need.get("key")) for term in _terms(spec) for need in term.get("matchExpressions") or ()
    }


def _required(spec: PodSpecDict) -> NodeSelectorDict | None:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    return affinity.get("requiredDuringSchedulingIgnoredDuringExecution")


def _terms(spec: PodSpecDict) -> Sequence[NodeSelectorTermDict]:
    required = _required(spec)
    return required.get("nodeSelectorTerms") or () if required else ()


def _by_affinity(spec: PodSpecDict, node: Node) -> str | None:
    required = _required(spec)
    return _unmatched(required, node) if required else None


def _unmatched(selector: NodeSelectorDict, node: Node) -> str | None:
    try:
        if compile_selector(selector).matches(node):
            return None
    except SelectorError as error:
        return str(error)
    return "required node affinity does not match the node"


def _by_name_only(spec: PodSpecDict, node: Node) -> str | None:
    """Without a Node object there are no labels to compare, only the name."""
    terms = _terms(spec)
    if terms and all(term.get("matchFields") for term in terms):
        by_name: NodeSelectorDict = {
            "nodeSelectorTerms": [{"matchFields": term["matchFields"]} for term in terms]
        }
        return _unmatched(by_name, node)
    return None


def _tolerated(taint: TaintDict, tolerations: Sequence[TolerationDict]) -> bool:
    key, value, effect = taint.get("key"), taint.get("value"), taint.get("effect")
    record = TaintRecord(key or "", value or "", effect or "")
    return any(tolerates(toleration, record) for toleration in tolerations)

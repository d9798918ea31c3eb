"""What rules a node out for a pod besides devices: name, selector, affinity, taints, resources.

Only what Node objects tell counts. Inter-pod affinity, spreading, volumes, ports and priorities are
not looked at. Follows kube-scheduler's NodeName, NodeUnschedulable, NodeAffinity, TaintToleration
and NodeResourcesFit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dradsl.allocator.inventory import Amount, billionths
from dradsl.allocator.nodes import Node, SelectorError, compile_selector, matches_labels
from dradsl.values.quantity import Quantity, QuantityError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Usage", "pod_amounts", "why_not"]

NOT_CONSIDERED = (
    "affinity and spreading between pods, volumes, host ports, priorities and preemption"
)
_UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
_COUNTED = ("cpu", "memory", "ephemeral-storage")


class Usage:
    """What pods use of each node, in amounts that requests are compared with."""

    def __init__(self) -> None:
        self._used: dict[str, dict[str, Amount]] = {}
        self._pods: dict[str, int] = {}

    def add(self, node: str, amounts: Mapping[str, Amount]) -> None:
        used = self._used.setdefault(node, {})
        for name, amount in amounts.items():
            used[name] = used.get(name, 0) + amount
        self._pods[node] = self._pods.get(node, 0) + 1

    def lacking(self, node: Node, amounts: Mapping[str, Amount]) -> str | None:
        """The resource of which the node has too little left for these requests."""
        used = self._used.get(node.name, {})
        limit = _amount(node.allocatable.get("pods"))
        if limit is not None and self._pods.get(node.name, 0) * 10**9 >= limit:
            return "pods"
        for name in _COUNTED:
            offered, wanted = _amount(node.allocatable.get(name)), amounts.get(name, 0)
            if offered is not None and wanted and used.get(name, 0) + wanted > offered:
                return name
        return None


def pod_amounts(spec: Mapping[str, Any]) -> dict[str, Amount]:
    """What a pod requests of cpu, memory and storage: the sum of what runs at once, at its peak."""
    level = (spec.get("resources") or {}).get("requests") or {}
    running: dict[str, Amount] = {}
    sidecars: dict[str, Amount] = {}
    peak: dict[str, Amount] = {}
    for container in spec.get("initContainers") or ():
        amounts = _requests(container)
        if container.get("restartPolicy") == "Always":
            _add(sidecars, amounts)
            _add(running, amounts)
            together = sidecars
        else:
            together = dict(sidecars)
            _add(together, amounts)
        for name, amount in together.items():
            peak[name] = max(peak.get(name, 0), amount)
    for container in spec.get("containers") or ():
        _add(running, _requests(container))
    total = {name: max(running.get(name, 0), peak.get(name, 0)) for name in {**running, **peak}}
    for name, value in level.items():
        own = _amount(value)
        if name in _COUNTED and own is not None:
            total[name] = own
    _add(total, {n: a for n, v in (spec.get("overhead") or {}).items() if (a := _amount(v))})
    return total


def why_not(
    spec: Mapping[str, Any], node: Node, usage: Usage, amounts: Mapping[str, Amount]
) -> str | None:
    """Why a pod cannot run on a node, in words; None if nothing known stands against it."""
    wanted = spec.get("nodeName")
    if wanted and wanted != node.name:
        return f"the pod names node {wanted}"
    if not node.known:
        return _by_name_only(spec, node)
    tolerations = spec.get("tolerations") or ()
    if node.unschedulable and not _tolerated(_UNSCHEDULABLE, tolerations):
        return "the node is unschedulable"
    for taint in node.taints:
        if taint.get("effect") in ("NoSchedule", "NoExecute") and not _tolerated(
            taint, tolerations
        ):
            shown = "=".join(filter(None, (taint.get("key"), taint.get("value"))))
            return f"node taint {shown}:{taint.get('effect')} is not tolerated"
    if not matches_labels(spec.get("nodeSelector") or {}, node):
        return "nodeSelector does not match the node's labels"
    if (reason := _by_affinity(spec, node)) is not None:
        return reason
    lacking = usage.lacking(node, amounts)
    return None if lacking is None else f"too little {lacking} left"


def _by_affinity(spec: Mapping[str, Any], node: Node) -> str | None:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return None
    try:
        if compile_selector(required).matches(node):
            return None
    except SelectorError as error:
        return str(error)
    return "required node affinity does not match the node"


def _by_name_only(spec: Mapping[str, Any], node: Node) -> str | None:
    """Without a Node object there are no labels to compare, only the name."""
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    terms = required.get("nodeSelectorTerms") or ()
    if terms and all(term.get("matchFields") for term in terms):
        by_name = {"nodeSelectorTerms": [{"matchFields": term["matchFields"]} for term in terms]}
        try:
            if not compile_selector(by_name).matches(node):
                return "required node affinity does not match the node"
        except SelectorError as error:
            return str(error)
    return None


def _tolerated(taint: Mapping[str, Any], tolerations: Sequence[Mapping[str, Any]]) -> bool:
    return any(_tolerates(toleration, taint) for toleration in tolerations)


def _tolerates(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Toleration.ToleratesTaint of k8s.io/api core/v1."""
    effect, key = toleration.get("effect"), toleration.get("key")
    if (effect and effect != taint.get("effect")) or (key and key != taint.get("key")):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Exists":
        return True
    return operator == "Equal" and (toleration.get("value") or "") == (taint.get("value") or "")


def _requests(container: Mapping[str, Any]) -> dict[str, Amount]:
    resources = container.get("resources") or {}
    given = {**(resources.get("limits") or {}), **(resources.get("requests") or {})}
    return {name: a for name, value in given.items() if (a := _amount(value)) is not None}


def _amount(value: Any) -> Amount | None:
    if value is None:
        return None
    try:
        return billionths(Quantity.decode(value))
    except (QuantityError, TypeError):
        return None


def _add(total: dict[str, Amount], more: Mapping[str, Amount]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount

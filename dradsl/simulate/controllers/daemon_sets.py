"""The pods of a DaemonSet: one for each node that its selectors, affinity and tolerations admit.

Follows NodeShouldRunDaemonPod of pkg/controller/daemon/daemon_controller.go and AddOrUpdateDaemonPodTolerations
of pkg/controller/daemon/util/daemonset_util.go. Resources do not count: a pod is made all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.simulate.nodes.placement import Usage, why_not
from dradsl.simulate.pod_claims import claims_of
from dradsl.simulate.pods import Pod

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dradsl.allocator.inventory.nodes import Node
    from dradsl.kube.pods.typed_dicts import PodSpecDict, TolerationDict
    from dradsl.simulate.input.workload import Workload

__all__ = ["daemon_nodes", "daemon_pods"]

_TOLERATED = (
    ("not-ready", "NoExecute"),
    ("unreachable", "NoExecute"),
    ("disk-pressure", "NoSchedule"),
    ("memory-pressure", "NoSchedule"),
    ("pid-pressure", "NoSchedule"),
    ("unschedulable", "NoSchedule"),
)


def _daemon_spec(spec: PodSpecDict) -> PodSpecDict:
    """The spec of the pods, with the tolerations that the controller adds."""
    taints = list(_TOLERATED)
    if spec.get("hostNetwork"):
        taints.append(("network-unavailable", "NoSchedule"))
    added: list[TolerationDict] = [
        {"key": f"node.kubernetes.io/{name}", "operator": "Exists", "effect": effect}
        for name, effect in taints
    ]
    return {**spec, "tolerations": [*(spec.get("tolerations") or ()), *added]}


def daemon_nodes(workload: Workload, nodes: Iterable[Node]) -> list[Node]:
    """The nodes that get a pod."""
    spec, usage = _daemon_spec(workload.spec), Usage()
    return [node for node in nodes if why_not(spec, node, usage, {}) is None]


def daemon_pods(workload: Workload, nodes: Iterable[Node]) -> Iterator[Pod]:
    """A pod for each of the nodes that get one."""
    spec = _daemon_spec(workload.spec)
    for node in daemon_nodes(workload, nodes):
        name = f"{workload.name}-{node.name}"
        claims = tuple(claims_of(spec, workload.namespace, name))
        yield Pod(name, workload.namespace, spec, claims, workload, only=node.name)

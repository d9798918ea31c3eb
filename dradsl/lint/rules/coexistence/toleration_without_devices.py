"""DRA903: a pod is made ready for devices' nodes but asks for no device."""

from __future__ import annotations

from collections.abc import Iterator

from dradsl.diagnostics import FieldPath
from dradsl.lint.rules.coexistence.devices import plugin_drivers
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import PodView, Run
from dradsl.values.plain import list_at, member

CODE = "DRA903"
# Kinds with one pod a node go to device nodes to serve the nodes.
_FOR_NODES = frozenset({"DaemonSet"})
_CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
_RUNTIME_CLASSES = ("nvidia", "nvidia-cdi", "nvidia-legacy")
WORDS = (("tolerations", "runtimeClassName"),)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods():
        if pod.manifest.kind in _FOR_NODES or pod.spec.get("resourceClaims"):
            continue
        if _is_controller(pod):
            continue
        left = list(_left_over(run, pod))
        if left and not pod.extended_resources():
            path, text = left[0]
            yield RuleFinding(
                CODE,
                pod.manifest,
                path,
                f"{text}, but the pod asks for no device, neither by claim nor by limit",
                help="add the claim that was to take the limit's place, or take this out too",
            )


def _is_controller(pod: PodView) -> bool:
    """Whether the pod may run with the control plane: controllers go wherever there is room, on purpose."""
    return any(member(item, "key") == _CONTROL_PLANE for item in list_at(pod.spec, "tolerations"))


def _left_over(run: Run, pod: PodView) -> Iterator[tuple[FieldPath, str]]:
    for index, item in enumerate(list_at(pod.spec, "tolerations")):
        key = member(item, "key")
        if isinstance(key, str) and "/" in key and plugin_drivers(run, key):
            path = (*pod.at.path, "tolerations", index, "key")
            yield path, f"taint {key} of device nodes is tolerated"
    name = pod.spec.get("runtimeClassName")
    if name in _RUNTIME_CLASSES:
        yield (*pod.at.path, "runtimeClassName"), f"runtime class {name} is set"

"""DRA901, DRA903 to DRA905: pods in which claims and what belonged to the device plugin are mixed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dradsl.diagnostics import FieldPath
from dradsl.lint.rules.coexistence.devices import (
    drivers_of_pod,
    node_terms,
    plugin_drivers,
)
from dradsl.lint.view.pods import PodView
from dradsl.lint.view.rule_finding import RuleFinding
from dradsl.lint.view.view import Run
from dradsl.values.plain import list_at, mapping_at, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.drivers.schema.device_plugin import LabelMatch

_TWICE = "DRA901"
_NO_DEVICES = "DRA903"
_NODE_LABEL = "DRA904"
_VISIBLE = "DRA905"
# Kinds with one pod a node go to device nodes to serve the nodes.
_FOR_NODES = frozenset({"DaemonSet"})
_CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
_RUNTIME_CLASSES = ("nvidia", "nvidia-cdi", "nvidia-legacy")
_VARIABLES = {
    "NVIDIA_VISIBLE_DEVICES": "gpu.nvidia.com",
    "AMD_VISIBLE_DEVICES": "gpu.amd.com",
    "HABANA_VISIBLE_DEVICES": "gaudi.intel.com",
}
_NONE = ("", "none", "void")
WORDS = (("resourceClaims", "tolerations", "runtimeClassName"),)


def check(run: Run) -> Iterator[RuleFinding]:
    for pod in run.pods:
        if not pod.spec.get("resourceClaims"):
            yield from _without_devices(run, pod)
            continue
        yield from _asks_twice(run, pod)
        yield from _node_labels(run, pod)
        yield from _visible_devices(run, pod)


def _asks_twice(run: Run, pod: PodView) -> Iterator[RuleFinding]:
    """A pod asks for devices of one driver twice, by extended resource and by claim."""
    claimed: Mapping[str, str] | None = None
    for _, resource, path in pod.extended_resources:
        if claimed is None:
            claimed = drivers_of_pod(run, pod)
        both = sorted(plugin_drivers(run, resource) & claimed.keys())
        if both:
            yield RuleFinding(
                _TWICE,
                pod.manifest,
                path,
                f'the pod asks for {resource} besides claim "{claimed[both[0]]}", which is '
                f"served by {both[0]}: it gets both",
                on_key=True,
                help=f"take {resource} out of limits and requests, or the claim out of the pod",
            )


def _without_devices(run: Run, pod: PodView) -> Iterator[RuleFinding]:
    """A pod is made ready for devices' nodes but asks for no device."""
    tolerated = [member(item, "key") for item in list_at(pod.spec, "tolerations")]
    # What may run with the control plane goes wherever there is room, on purpose.
    if pod.manifest.kind in _FOR_NODES or _CONTROL_PLANE in tolerated:
        return
    left = next(_left_over(run, pod, tolerated), None)
    if left is not None and not pod.extended_resources:
        path, text = left
        yield RuleFinding(
            _NO_DEVICES,
            pod.manifest,
            path,
            f"{text}, but the pod asks for no device, neither by claim nor by limit",
            help="add the claim that was to take the limit's place, or take this out too",
        )


def _left_over(
    run: Run, pod: PodView, tolerated: Sequence[object]
) -> Iterator[tuple[FieldPath, str]]:
    for index, key in enumerate(tolerated):
        if isinstance(key, str) and "/" in key and plugin_drivers(run, key):
            path = (*pod.at.path, "tolerations", index, "key")
            yield path, f"taint {key} of device nodes is tolerated"
    name = pod.spec.get("runtimeClassName")
    if name in _RUNTIME_CLASSES:
        yield (*pod.at.path, "runtimeClassName"), f"runtime class {name} is set"


def _node_labels(run: Run, pod: PodView) -> Iterator[RuleFinding]:
    """A pod with claims selects nodes by labels that the device plugin's side keeps."""
    conditions = list(_conditions(pod))
    claimed = drivers_of_pod(run, pod) if conditions else {}
    for path, key, value in conditions if claimed else ():
        from dradsl.drivers.schema.device_plugin import translate_label

        for match in _labels(run, key):
            if match.driver.name not in claimed or match.label.stays:
                continue
            cel = translate_label(match, key, value) if value is not None else None
            sure = cel.selector if cel is not None and cel.certain else None
            yield RuleFinding(
                _NODE_LABEL,
                pod.manifest,
                path,
                f"node label {key} is kept by feature discovery, which comes and goes with "
                "the device plugin: without it no node has the label, or an old value of it",
                on_key=path[-1] == key,
                help=f"select devices in the claim instead: {sure}" if sure else None,
            )
            break


def _labels(run: Run, key: str) -> Sequence[LabelMatch]:
    from dradsl.drivers.schema.device_plugin import find_labels

    return run.remember(("labels", key), lambda: find_labels(key, run.drivers), by="schemas")


def _conditions(pod: PodView) -> Iterator[tuple[FieldPath, str, str | None]]:
    """Labels that a pod demands, with the value if there is just one."""
    for key, value in mapping_at(pod.spec, "nodeSelector").items():
        yield (*pod.at.path, "nodeSelector", key), key, str(value)
    for path, item in node_terms(pod):
        name, values = member(item, "key"), list_at(item, "values")
        if isinstance(name, str):
            plain = len(values) == 1 and member(item, "operator") == "In"
            yield (*path, "key"), name, str(values[0]) if plain else None


def _visible_devices(run: Run, pod: PodView) -> Iterator[RuleFinding]:
    """A container with a claim sets the variable that shows devices around it."""
    for path, container in pod.containers:
        claims = member(container, "resources", "claims")
        for index, item in enumerate(list_at(container, "env") if claims else ()):
            name = member(item, "name")
            driver = _VARIABLES.get(str(name))
            if driver is None or member(item, "value") in _NONE:
                continue
            if driver in drivers_of_pod(run, pod):
                yield RuleFinding(
                    _VISIBLE,
                    pod.manifest,
                    (*path, "env", index, "name"),
                    f"{name} makes the container runtime show devices that the claim does not hold",
                    help="take the variable out: the claim says which devices are visible",
                )

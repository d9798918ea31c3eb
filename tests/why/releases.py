"""Objects of Helm, Flux, Argo CD and the charts of drivers, for dumps of `dradsl why`."""

from __future__ import annotations

from typing import Any

from tests.why.test_causes import CLASS, SLICE, container, obj, on, owned, said, train
from tests.why.test_drivers import MISSING, of_cluster
from tests.why.test_points import GPU, REJECTED, claim, device_class, held

Object = dict[str, Any]
SYS = {"namespace": "sys"}
IMAGE = "registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1"
NVIDIA = "nvidia-dra-driver-gpu-kubelet-plugin"
DRA = "nvidia-dra-driver-gpu"
INTEL = "intel-gpu-resource-driver-kubelet-plugin"
INTEL_IMAGE = (
    "ghcr.io/intel/intel-resource-drivers-for-kubernetes/intel-gpu-resource-driver:v0.11.0"
)
FOLDERS = [
    {"name": "registry", "hostPath": {"path": "/var/lib/kubelet/plugins_registry"}},
    {"name": "plugins", "hostPath": {"path": "/var/lib/kubelet/plugins"}},
]
RUNS: Object = {
    "conditions": [{"type": "Ready", "status": "True"}],
    "containerStatuses": [{"name": "main", "ready": True, "state": {"running": {}}}],
}
PRESTART = {
    "name": "init-container",
    "image": IMAGE,
    "command": ["bash", "/usr/bin/kubelet-plugin-prestart.sh"],
    "env": [{"name": "NVIDIA_DRIVER_ROOT", "value": "/"}],
}
INIT = [{"name": "init-container", "ready": False, "state": {"running": {}}}]


def daemons(
    name: str,
    image: str,
    box: Object | None = None,
    desired: int = 1,
    main: str = "main",
    **spec: Any,
) -> Object:
    """The DaemonSet of a plugin."""
    boxes = [{"name": main, "image": image, **(box or {})}]
    template = {"spec": {"containers": boxes, "volumes": FOLDERS, **spec}}
    counts = {"desiredNumberScheduled": desired, "numberReady": 0}
    return obj("apps/v1", "DaemonSet", name, {"template": template}, counts, **SYS)


def of_chart(given: Object, chart: str, release: str, flux: bool = True) -> Object:
    """An object as a chart writes it."""
    head = given["metadata"]
    labels = {"app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": chart}
    more = {"helm.toolkit.fluxcd.io/name": release} if flux else {}
    marks = {"meta.helm.sh/release-name": release}
    return {**given, "metadata": {**head, "labels": labels | more, "annotations": marks}}


def nvidia(**given: Any) -> Object:
    image = given.pop("image", IMAGE)
    return of_chart(daemons(NVIDIA, image, **given), "dra-driver-nvidia-gpu-0.4.1", DRA)


def intel(**given: Any) -> Object:
    image, chart = given.pop("image", INTEL_IMAGE), "intel-gpu-resource-driver-chart-0.11.0"
    return of_chart(daemons(INTEL, image, **given), chart, "intel-gpu-resource-driver")


def dranet() -> Object:
    image = "registry.k8s.io/networking/dranet:v1.4.0"
    return of_chart(daemons("dranet", image, hostNetwork=True), "dranet-1.4.0", "dranet")


def pod_of(given: Object, node: str = "n1", **status: Any) -> Object:
    """A pod of a DaemonSet."""
    spec, head = given["spec"]["template"]["spec"], given["metadata"]
    owner = owned(given["kind"], head["name"])
    state = {"phase": "Running", **status}
    return obj("v1", "Pod", f"{head['name']}-x", {**spec, "nodeName": node}, state, **SYS, **owner)


def stopped(waits: str, text: str, name: str = "main", **last: Any) -> Object:
    """The status of a pod with one container, and how its last run ended."""
    ended = {"exitCode": 1, "reason": "Error", **last} if last else None
    return {"containerStatuses": container(waits, text, ended, name)}


def release(
    name: str = DRA, values: Any = None, *, namespace: str = "sys", says: str = "", **spec: Any
) -> Object:
    """A HelmRelease; `says` is what its condition Ready, which is False, says: the reason, and the message."""
    reason, _, message = says.partition(": ")
    status = {"conditions": [failed(reason, message)]} if says else {}
    given = {"interval": "1h", "values": values or {}, **spec}
    return obj("helm.toolkit.fluxcd.io/v2", "HelmRelease", name, given, status, namespace=namespace)


def failed(reason: str, message: str, kind: str = "Ready", status: str = "False") -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def kustomization(name: str, message: str, **spec: Any) -> Object:
    status = {"conditions": [failed("ReconciliationFailed", message)]}
    api = "kustomize.toolkit.fluxcd.io/v1"
    return obj(api, "Kustomization", name, spec, status, namespace="flux-system")


def application(name: str, **status: Any) -> Object:
    api = "argoproj.io/v1alpha1"
    return obj(api, "Application", name, {}, status, namespace="argocd")


def event(kind: str, name: str, reason: str, message: str) -> Object:
    found = said(name, reason, message, kind)
    found["involvedObject"]["namespace"] = "sys"
    return found


def rejects(message: str, name: str = NVIDIA) -> Object:
    return event("DaemonSet", name, "FailedCreate", f"Error creating: {message}")


def classless(name: str = GPU) -> list[Object]:
    """A pod whose class is missing."""
    return [on(), claim(device_class=name), train(MISSING.replace(GPU, name))]


def sliceless(driver: str = GPU, node: Object | None = None, **spec: Any) -> list[Object]:
    """A pod of whose driver there is no slice."""
    asks = [device_class(driver, driver), claim(device_class=driver), train(REJECTED, spec=spec)]
    return [node or on(), *asks]


def noded(labels: Any = None, taints: Any = None, info: Any = None, marks: Any = None) -> Object:
    found = on(taints=taints)
    found["metadata"].update({"labels": labels or {}, "annotations": marks or {}})
    found["status"]["nodeInfo"] = info or {}
    return found


def prepares(message: str, *more: Object, node: Object | None = None) -> list[Object]:
    words = f"Failed to prepare dynamic resources: {message}"
    failing = said("train", "FailedPrepareDynamicResources", words)
    return [
        node or on(),
        CLASS,
        SLICE,
        held("train"),
        train(node="n1", phase="Pending"),
        failing,
        *more,
    ]


def templateless(*more: Object) -> list[Object]:
    """A pod whose template is missing."""
    entries = [{"name": "gpu", "resourceClaimTemplateName": "gpu-t"}]
    words = 'PodResourceClaim gpu: resource claim template "gpu-t": resourceclaimtemplate.resource.k8s.io "gpu-t" not found'
    missing = said("train", "FailedResourceClaimCreation", words)
    return [on(), CLASS, SLICE, train(spec={"resourceClaims": entries}), missing, *more]


def space(name: str = "sys", **labels: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def cluster_object(api: str, kind: str, name: str, spec: Any = None) -> Object:
    return {**of_cluster(api, kind, name, {}), "spec": spec or {}}


def limits(amount: str) -> Object:
    return {"resources": {"limits": {"memory": amount}}}

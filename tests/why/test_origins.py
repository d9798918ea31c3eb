"""`dradsl why` where another object explains the words: who wrote the field that is wrong, what a driver or controller is
given (gates, folders, names), roles, namespaces, limits. Each case also has what is said without this object."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.api.origins import _table
from tests.why.test_causes import (
    BASE,
    CLASS,
    HAS,
    SLICE,
    container,
    failed_create,
    obj,
    on,
    owned,
    said,
    train,
)
from tests.why.test_controllers import GROVE, KUEUE, by, cond, inactive, kueue, no_quota, of_cluster
from tests.why.test_drivers import FOLDER, agent, agents, lacks, prepares, tells, waits
from tests.why.test_facts import answer_of
from tests.why.test_objects import OBJECTS, kubelet
from tests.why.test_points import GPU, REJECTED, claim, device_class, gpu, held, pod, slices
from tests.why.test_schedulers import SCHEDULERS

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
AT = {"namespace": "sys"}
POD, JOB = "ml/train", "job/ml/j"
CPU = "dra.cpu"
SELECTED = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
TAINTED = "0/1 nodes are available: 1 node(s) had untolerated taint(s)."
FEW = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."
UNREGISTERED = f"Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources: DRA driver {GPU} is not registered"
NODE_NAME = {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
PLUGIN = "nvidia-dra-driver-gpu-kubelet-plugin"
NVML = "error initializing NVML: failed to init NVML: ERROR_LIBRARY_NOT_FOUND"


def addressed(name: str, host: str, **labels: str) -> Object:
    """A node whose machine has a name."""
    found = on(name)
    found["status"]["addresses"] = [{"type": "Hostname", "address": host}]
    found["metadata"]["labels"] = labels
    return found


def with_info(**info: str) -> Object:
    found = on()
    found["status"]["nodeInfo"] = info
    return found


def workload(kind: str, name: str, box: Object, **spec: Any) -> Object:
    """A DaemonSet or Deployment of one container."""
    template = {"spec": {"containers": [{"name": "main", "image": "x", **box}], **spec}}
    counts = {"desiredNumberScheduled": 1}
    return obj("apps/v1", kind, name, {"template": template}, counts, **AT)


def pod_of(given: Object, node: str = "n1", **status: Any) -> Object:
    """A pod of such a DaemonSet."""
    spec, name = {**given["spec"]["template"]["spec"], "nodeName": node}, given["metadata"]["name"]
    state = {"phase": "Running", **status}
    return obj("v1", "Pod", f"{name}-p", spec, state, **AT, **owned("DaemonSet", name))


def both(given: Object, node: str = "n1", **status: Any) -> list[Object]:
    return [given, pod_of(given, node, **status)]


def cpus(node: Object, *more: Object, env: Any = ()) -> list[Object]:
    """A pod that waits for CPUs of a driver whose plugin runs on a node."""
    plugin = workload("DaemonSet", "dra-driver-cpu", {"env": list(env)}, volumes=[FOLDER])
    asks = [device_class(CPU, CPU), claim(device_class=CPU), train(REJECTED)]
    return [node, *asks, *more, *both(plugin, node["metadata"]["name"])]


def named_only(*env: Object) -> list[Object]:
    """Slices under the machine's name, of a DaemonSet whose pods are not in the dump."""
    own = slices({"name": "c"}, on="10-0-130-70", driver=CPU)
    found = cpus(addressed("worker-a", "10-0-130-70"), own, env=env)
    return [one for one in found if one["kind"] != "Pod" or one["metadata"]["name"] == "train"]


def made_by(message: str, *owners: Object, node: Object | None = None, **spec: Any) -> list[Object]:
    """A pod with a claim, and what made it, the nearest first."""
    found, chain = train(message, spec=spec), [copy.deepcopy(one) for one in owners]
    for one, above in zip((found, *chain), owners, strict=False):
        name = above["metadata"]["name"]
        one["metadata"] |= by(above["kind"], name, above["apiVersion"])
    return [node or on(), CLASS, SLICE, claim(), found, *chain]


def deployed(**spec: Any) -> list[Object]:
    """A ReplicaSet and its Deployment with a template of this spec."""
    return [obj("apps/v1", kind, "llm", templated(**spec)) for kind in ("ReplicaSet", "Deployment")]


def templated(**spec: Any) -> Object:
    claims = [{"name": "gpu", "resourceClaimName": "train"}]
    return {"template": {"spec": {**pod()["spec"], "resourceClaims": claims, **spec}}}


def marked(given: Object, **annotations: str) -> Object:
    return {**given, "metadata": {**given["metadata"], "annotations": annotations}}


def control(name: str, *args: str, version: str = "v1.36.0") -> Object:
    box = {"name": name, "image": f"registry.k8s.io/{name}:{version}", "command": [name, *args]}
    spec = {"containers": [box], "nodeName": "n1"}
    return obj("v1", "Pod", f"{name}-cp", spec, {"phase": "Running"}, namespace="kube-system")


def gates(name: str, text: str) -> Object:
    return control(name, f"--feature-gates={text}")


def extended(message: str, resource: str = "nvidia.com/gpu") -> Object:
    """A pod that asks for an extended resource."""
    found, amounts = train(message), {resource: "1"}
    box = {"name": "main", "image": "x", "resources": {"requests": amounts, "limits": amounts}}
    return {**found, "spec": {"containers": [box]}}


def classed(name: str, driver: str, minute: int) -> Object:
    """A class with an extended resource."""
    found = device_class(name, driver)
    found["spec"]["extendedResourceName"] = "nvidia.com/gpu"
    found["metadata"]["creationTimestamp"] = f"2026-11-28T08:{minute:02d}:00Z"
    return found


def bound(space: str) -> Object:
    subject = {"kind": "ServiceAccount", "namespace": space, "name": "plugin"}
    found = of_cluster(obj("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "gpu-plugin"))
    role = {"kind": "ClusterRole", "name": "gpu-plugin"}
    return {**found, "subjects": [subject], "roleRef": role}


ROLE = {
    **of_cluster(obj("rbac.authorization.k8s.io/v1", "ClusterRole", "gpu-plugin")),
    "rules": [
        {"apiGroups": ["resource.k8s.io"], "resources": ["resourceslices"], "verbs": ["get"]}
    ],
}
FORBIDDEN = 'resourceslices.resource.k8s.io is forbidden: User "system:serviceaccount:sys:plugin" cannot list resource "resourceslices" in API group "resource.k8s.io" at the cluster scope'


def crashing(message: str, root: str = "") -> list[Object]:
    """A plugin of NVIDIA's driver that crashes with these words."""
    env = [{"name": "NVIDIA_DRIVER_ROOT", "value": root}] if root else []
    given = workload("DaemonSet", PLUGIN, {"env": env}, volumes=[FOLDER])
    last = {"exitCode": 1, "reason": "Error", "message": message}
    return both(given, containerStatuses=container("CrashLoopBackOff", "back-off", last))


def policy(**spec: Any) -> Object:
    return of_cluster(obj("nvidia.com/v1", "ClusterPolicy", "cluster-policy", spec))


def ranged(message: str = "0/1 nodes are available: 1 Insufficient cpu.") -> list[Object]:
    """A pod whose request a LimitRange has set."""
    words = "LimitRanger plugin set: cpu, memory request for container main; cpu limit for container main"
    found = marked(train(message), **{"kubernetes.io/limit-ranger": words})
    found["spec"]["containers"][0]["resources"]["requests"] = {"cpu": "16"}
    return [*BASE, claim(), found, LIMITS]


LIMITS = obj(
    "v1",
    "LimitRange",
    "defaults",
    {"limits": [{"type": "Container", "defaultRequest": {"cpu": "16"}, "max": {"cpu": "32"}}]},
)
UNMAPPED = f"couldn't assign flavors to pod set main: DeviceClass {GPU} is not mapped in DRA configuration for podset main"


def configured(*classes: str) -> Object:
    """The configuration of Kueue."""
    maps = "\n".join(f"  - name: r\n    deviceClassNames: [{one}]" for one in classes)
    text = f"apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nresources:\n  deviceClassMappings:\n{maps}\n"
    found = obj("v1", "ConfigMap", "kueue-manager-config", namespace="kueue-system")
    return {**found, "data": {"controller_manager_config.yaml": text}}


def shared(gate: str) -> list[Object]:
    """A claim with a sharing strategy whose gate the driver has."""
    env = [{"name": "FEATURE_GATES", "value": f"TimeSlicingSettings={gate},MPSSupport=true"}]
    words = "Failed to prepare dynamic resources: unknown GPU sharing strategy: TimeSlicing"
    return prepares(words, *both(workload("DaemonSet", PLUGIN, {"env": env}, volumes=[FOLDER])))


def pools(name: str) -> Object:
    told = {"driver": GPU, "generation": 2, "poolName": name, "validationError": "bad gpu-0"}
    other = {"driver": "a.example.com", "generation": 1, "poolName": name}
    status = {"pools": [other, told], "poolCount": 2}
    return of_cluster(
        obj("resource.k8s.io/v1alpha3", "ResourcePoolStatusRequest", "ask", {}, status)
    )


def tolerated(**rule: Any) -> list[Object]:
    """A pod that runs on a node with a NoExecute taint."""
    taint = {"key": "maintenance", "effect": "NoExecute"}
    rule = {"key": "maintenance", "operator": "Exists", "effect": "NoExecute", **rule}
    return [on(taints=[taint]), CLASS, SLICE, held("train"), train(node="n1", spec={"tolerations": [rule]})]  # fmt: skip


def tainted(key: str = "bad.example.com", **rule: Any) -> list[Object]:
    """A pod that runs with a device that has a NoExecute taint."""
    one, own = gpu(), held("train")
    one["taints"] = [{"key": "bad.example.com", "effect": "NoExecute"}]
    rule = {"key": key, "operator": "Exists", "effect": "NoExecute", **rule}
    own["status"]["allocation"]["devices"]["results"][0]["tolerations"] = [rule]
    return [on(), CLASS, slices(one), own, train(node="n1")]


def subnets(**device: Any) -> list[Object]:
    """A pod that wants the device of a subnet, which another pod has."""
    one = {"name": "s", "attributes": {"subnetName": {"string": "blue"}}, **device}
    asks = claim(selector=f"device.attributes['{GPU}'].subnetName == 'blue'")
    subnet = of_cluster(obj("kubeovn.io/v1", "Subnet", "blue", {"cidrBlock": "10.0.0.0/24"}))
    has = [held("o", device="s"), pod("o", on="n1")]
    return [on(), CLASS, slices(one), *has, asks, train(REJECTED), subnet]


def scaled(*args: str, version: str = "v1.33.0") -> list[Object]:
    """A pod for which an autoscaler adds no node."""
    image = f"registry.k8s.io/autoscaling/cluster-autoscaler:{version}"
    runs = workload(
        "Deployment", "cluster-autoscaler", {"image": image, "command": ["./ca", *args]}
    )
    words = "pod didn't trigger scale-up: 1 node(s) cannot allocate all claims"
    has = [held("o"), pod("o", on="n1")]
    return [*BASE, *has, claim(), train(REJECTED), runs, said("train", "NotTriggerScaleUp", words)]


def flavored(**labels: str) -> list[Object]:
    """A pod that Kueue has admitted with a flavor."""
    flavor = of_cluster(obj(KUEUE, "ResourceFlavor", "h100", {"nodeLabels": labels}))
    found = train(SELECTED, spec={"nodeSelector": {"gpu": "h100"}})
    found["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    return [*BASE, claim(), found, flavor]


def labelled_space(**labels: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "sys", "labels": labels}}


def pulls(**spec: Any) -> list[Object]:
    """A plugin that may not pull its image, and a Deployment beside it."""
    box = {"image": "r.example.com/plugin:1"}
    words = 'Back-off pulling image "r.example.com/plugin:1": ErrImagePull: 401 unauthorized'
    state = container("ImagePullBackOff", words)
    plugin = both(workload("DaemonSet", PLUGIN, box, volumes=[FOLDER]), containerStatuses=state)
    return waits(*plugin, workload("Deployment", "controller", box, **spec))


VIOLATES = 'Error creating: pods "x" is forbidden: violates PodSecurity "baseline:latest": privileged (container "main" must not set securityContext.privileged=true)'
VMI = obj(
    "kubevirt.io/v1",
    "VirtualMachineInstance",
    "vmi-pinned",
    {"domain": {"cpu": {"cores": 4, "dedicatedCpuPlacement": True}}},
)
PINNED = {"nodeSelector": {"kubevirt.io/cpumanager": "true"}}
ISVC = obj(
    "serving.kserve.io/v1beta1",
    "InferenceService",
    "llm",
    {"predictor": {"nodeSelector": {"gpu": "h100"}}},
)
H100 = {"nodeSelector": {"gpu": "h100"}}
TOLERANT = on(taints=[{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}])
KUBELETS = {
    **obj("v1", "ConfigMap", "kubelet-config", namespace="kube-system"),
    "data": {"kubelet": "featureGates:\n  DynamicResourceAllocation: false\n"},
}
DOMAINS = workload("DaemonSet", PLUGIN, {"name": "compute-domains"})
GATED = 'plugin: feature gate "PassthroughSupport" is needed'
PASSES = {"env": [{"name": "FEATURE_GATES", "value": "PassthroughSupport=false"}]}
PENDING = cond("QuotaReserved", "False", "Pending", "no quota")
CHECKS = {"admissionChecks": [{"name": "dws", "state": "Pending", "message": "waits"}]}
NO_CRI = "no object shows whether its containers see the devices"


RUNTIME = {
    **of_cluster(obj("node.k8s.io/v1", "RuntimeClass", "gvisor")),
    "scheduling": {"nodeSelector": {"gpu": "h100"}},
}
GATES = {
    **obj("v1", "ConfigMap", "config", namespace="kueue-system"),
    "data": {"c.yaml": "featureGates:\n  KueueDRAIntegration: false\n"},
}


def space(selector: str = "", **labels: str) -> Object:
    """The namespace of the pods."""
    head = {"name": "ml", "labels": labels, "annotations": {"openshift.io/node-selector": selector}}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": head}


def selective(**labels: str) -> list[Object]:
    """A queue that takes namespaces of one team."""
    spec = {"namespaceSelector": {"matchLabels": {"team": "a"}}}
    words = "Workload namespace doesn't match ClusterQueue selector"
    queue = of_cluster(obj(KUEUE, "ClusterQueue", "cq", spec))
    return [*kueue(no_quota(words, "Inadmissible")), queue, space(**labels)]


def plugin_asked() -> list[Object]:
    """A plugin that crashes, and is itself asked about."""
    state = container("CrashLoopBackOff", "back-off")
    spec = {"volumes": [FOLDER], "resourceClaims": []}
    return [on(), train(node="n1", phase="Running", spec=spec, containerStatuses=state)]


XPUMD = {"name": "s", "hostPath": {"path": "/run/xpumd"}}
ENDED = container("CrashLoopBackOff", "back-off", {"reason": "Error", "exitCode": 2})


def watching(*more: Object, daemons: int = 1) -> list[Object]:
    """A plugin that waits for xpumd and crashes, and is itself asked about."""
    crashing = train(
        node="n1", phase="Running", spec={"resourceClaims": []}, containerStatuses=ENDED
    )
    crashing["metadata"].update(owned("DaemonSet", "plugin"))
    spec = {"template": {"spec": {"containers": [], "volumes": [XPUMD]}}}
    some = [obj("apps/v1", "DaemonSet", "plugin", spec)][:daemons]
    return [on(), crashing, *some, *more]


def ending() -> list[Object]:
    """A pod that does not end, as the kubelet does not know the driver, whose plugin is Ready."""
    words = f"error killing pod: unprepare dynamic resources: DRA driver {GPU} is not registered"
    ready = [{"type": "Ready", "status": "True"}]
    plugin = agent(PLUGIN, conditions=ready)
    one = train(node="n1", phase="Running", containerStatuses=[])
    one["metadata"]["deletionTimestamp"] = "2026-09-01T10:00:00Z"
    return [*HAS, one, said("train", "FailedKillPod", words), agents(PLUGIN), plugin]


def of_any_driver(expression: str) -> list[Object]:
    """A class whose selector fails for devices of another driver, by the order of the slices."""
    words = f'running "DynamicResources" filter plugin: class {GPU}: selector #0: CEL runtime error: no such key: model'
    other = slices({"name": "nic-0"}, driver="a.example.com")
    own = device_class()
    own["spec"]["selectors"] = [{"cel": {"expression": expression}}]
    return [on(), own, other, slices(gpu(model="x")), claim(), train(words)]


# Case -> the dump, what is asked about, the step, what the cause has to say, what the change has to say, and the kind of
# the objects without which the cause does not say so.
ORIGINS: dict[str, tuple[list[Object], str, str, tuple[str, ...], str, str]] = {
    # Nodes and their names.
    "the machine's hostname": (cpus(addressed("worker-a", "10-0-130-70")), POD, "allocation", ("Node worker-a has the hostname 10-0-130-70, and DaemonSet sys/dra-driver-cpu gives its containers no spec.nodeName",), "--hostname-override=$(NODE_NAME)", "DaemonSet"),
    "slices of the hostname": (cpus(addressed("worker-a", "10-0-130-70"), slices({"name": "c"}, on="10-0-130-70", driver=CPU)), POD, "allocation", ("gives its containers no spec.nodeName", "the slices of this driver are of 10-0-130-70, which is the hostname of Node worker-a"), "--hostname-override", "DaemonSet"),
    "slices of the hostname and a driver that is given the name": (named_only(NODE_NAME), POD, "allocation", ("10-0-130-70 is the hostname of Node worker-a",), "delete this pod", "Node"),
    "slices of the hostname and no plugin on the node": (named_only(), POD, "allocation", ("10-0-130-70 is the hostname of Node worker-a", "gives its containers no spec.nodeName"), "worker-a, instead of its hostname", "Node"),
    "kubelet of MicroK8s": ([*prepares(UNREGISTERED)[1:], addressed("n1", "n1", **{"microk8s.io/cluster": "true"}), *both(agents(PLUGIN))], POD, "prepare", ("Node n1 is of MicroK8s", "mounts /var/lib/kubelet/plugins_registry"), "/var/snap/microk8s/common/var/lib/kubelet/plugins_registry", "DaemonSet"),
    "kubelet of k0s": ([with_info(kubeletVersion="v1.36.1+k0s"), *prepares(UNREGISTERED)[1:], *both(agents(PLUGIN))], POD, "prepare", ("Node n1 is of k0s",), "/var/lib/k0s/kubelet/plugins_registry", "DaemonSet"),
    "kubelet without the gate": ([*prepares(UNREGISTERED), *both(agents(PLUGIN)), KUBELETS], POD, "prepare", ("ConfigMap kube-system/kubelet-config, from which", "DynamicResourceAllocation: false"), "out of the configuration of the kubelets", "ConfigMap"),
    "a taint tolerated for a time": (tolerated(tolerationSeconds=600), POD, "none", ("the taint maintenance:NoExecute, which the pod tolerates for 600 s",), "", "Node"),
    "a taint of a device tolerated for a time": (tainted(tolerationSeconds=300), POD, "none", ("device gpu-0 has the taint bad.example.com:NoExecute, which ResourceClaim ml/train tolerates for 300 s",), "", "ResourceSlice"),
    "containerd that reads no devices": ([with_info(containerRuntimeVersion="containerd://1.6.33"), *HAS[1:], train(node="n1")], POD, "injection", ("the runtime of n1 is containerd://1.6.33",), "", "Node"),
    "cri-dockerd": ([with_info(containerRuntimeVersion="docker://29.1.3"), *HAS[1:], train(node="n1")], POD, "injection", ("the runtime of n1 is docker://29.1.3, by cri-dockerd",), "", "Node"),
    "kubelet before 1.34": ([with_info(kubeletVersion="v1.33.5"), kubelet("v1.36.1", "n2"), *HAS[1:], train(node="n1")], POD, "injection", ("the kubelet of n1 is v1.33.5, in which the feature gate DynamicResourceAllocation",), "", "Node"),
    "plugin that crashes": (plugin_asked(), POD, "container", ("it is a plugin of the kubelet, with its socket in /var/lib/kubelet/plugins_registry",), "", ""),
    "plugin without xpumd": (watching(), POD, "container", ("DaemonSet ml/plugin looks for xpumd in /run/xpumd of the host, and the dump has no DaemonSet of it",), "kubeletPlugin.healthMonitoring.enabled: false", "DaemonSet"),
    "values that the chart does not read": (watching(obj("helm.toolkit.fluxcd.io/v2", "HelmRelease", "gpu", {"values": {"healthMonitoring": {"enabled": False}}})), POD, "container", ("HelmRelease ml/gpu has healthMonitoring at the top of its values",), "move healthMonitoring and privileged below kubeletPlugin", "HelmRelease"),
    "xpumd that waits": (watching(obj("apps/v1", "DaemonSet", "xpumd"), obj("v1", "Pod", "xpumd-1", status={"phase": "Pending", "containerStatuses": container("InvalidImageName", "x", name="xpumd")})), POD, "container", ("waits for xpumd in /run/xpumd of the host, and Pod ml/xpumd-1 waits: InvalidImageName",), "let Pod ml/xpumd-1 run first", "DaemonSet"),
    "kubelet that has lost a driver": (ending(), POD, "deleted", (f"Pod sys/{PLUGIN}", "is Ready on n1: it is the kubelet that has no connection to it"), "so that it registers with the kubelet of n1 anew", ""),
    "a selector that reads of all drivers": (of_any_driver(f'device.attributes["{GPU}"].model == "x"'), POD, "allocation", (f"the expression of DeviceClass {GPU} reads model of devices of other drivers",), f'with device.driver == "{GPU}" &&', ""),
    "a container's claim that its pod does not have": ([*BASE, *failed_create('Pod "x" is invalid: spec.containers[0].resources.claims[0]: Not found: "gpu": must be one of the names in pod.spec.resourceClaims which is empty')], "deployment/ml/serve", "api-server", ("a container names a claim that its pod does not list",), "list gpu under resourceClaims", ""),
    "CDI file that is not there": ([*HAS, train(node="n1", phase="Pending", containerStatuses=container("CreateContainerError", "unresolvable CDI devices k8s.gpu.nvidia.com/claim=x"))], POD, "container", ("the CDI file of the device is missing, or is not read",), "restart the driver's plugin", ""),
    "CRI-O that reads no devices": ([with_info(containerRuntimeVersion="cri-o://1.27.4"), *HAS[1:], train(node="n1")], POD, "injection", ("the runtime of n1 is cri-o://1.27.4",), "", "Node"),
    # What makes a pod.
    "KubeVirt's selector": (made_by(SELECTED, VMI, node=addressed("n1", "n1", **{"kubevirt.io/cpumanager": "false"}), **PINNED), POD, "filter", ("VirtualMachineInstance ml/vmi-pinned asks for it, by domain.cpu.dedicatedCpuPlacement",), "drop dedicatedCpuPlacement from VirtualMachineInstance ml/vmi-pinned", "VirtualMachineInstance"),
    "an operator's selector": (made_by(SELECTED, *deployed(**H100), ISVC, **H100), POD, "filter", ("InferenceService ml/llm asks for it, in spec.predictor.nodeSelector",), "let spec.predictor.nodeSelector of InferenceService ml/llm", "InferenceService"),
    "a flavor's labels": (flavored(gpu="h100"), POD, "filter", ("ResourceFlavor h100 of Kueue asks for it",), "let nodeLabels of ResourceFlavor h100", "ResourceFlavor"),
    "labels of a RuntimeClass": ([*made_by(SELECTED, runtimeClassName="gvisor", **H100), RUNTIME], POD, "filter", ("RuntimeClass gvisor asks for it, in scheduling.nodeSelector",), "let scheduling.nodeSelector of RuntimeClass gvisor", "RuntimeClass"),
    "labels of a namespace": ([*made_by(SELECTED, **H100), space("a=b,gpu=h100")], POD, "filter", ("Namespace ml asks for it, by its annotation openshift.io/node-selector",), "take gpu=h100 out of the annotation", "Namespace"),
    # Gates and other arguments.
    "gate that the scheduler has off": ([on(), classed(GPU, GPU, 1), SLICE, extended(FEW), gates("kube-scheduler", "DRAExtendedResource=false")], POD, "rejected", ("Pod kube-system/kube-scheduler-cp has DRAExtendedResource=false",), "turn on the feature gate DRAExtendedResource in Pod kube-system/kube-scheduler-cp", "Pod"),
    "gate of claims that the scheduler has off": ([on(), CLASS, SLICE, claim(), train("0/1 nodes are available: 1 cannot allocate all claims."), gates("kube-scheduler", "DRAPrioritizedList=false")], POD, "rejected", ("Pod kube-system/kube-scheduler-cp has DRAPrioritizedList=false",), "", "Pod"),
    "gate that the scheduler lacks": ([on(), classed(GPU, GPU, 1), SLICE, extended(FEW), gates("kube-apiserver", "DRAExtendedResource=true"), control("kube-scheduler")], POD, "rejected", ("kube-apiserver-cp has DRAExtendedResource=true", "kube-scheduler-cp does not set it"), "set DRAExtendedResource=true", "Pod"),
    "gate of the driver": (shared("false"), POD, "prepare", (f"DaemonSet sys/{PLUGIN} has TimeSlicingSettings=false in FEATURE_GATES",), "set TimeSlicingSettings=true in FEATURE_GATES of DaemonSet", "DaemonSet"),
    "gate that the words name": (prepares(f"Failed to prepare dynamic resources: {GATED}", workload("DaemonSet", PLUGIN, PASSES)), POD, "prepare", (f"DaemonSet sys/{PLUGIN} has PassthroughSupport=false",), "turn on the feature gate PassthroughSupport in DaemonSet", "DaemonSet"),
    "autoscaler of another release": ([with_info(kubeletVersion="v1.36.1"), *[one for one in scaled(version="v1.30.2") if one["kind"] not in ("Event", "Node")]], POD, "allocation", ("Deployment sys/cluster-autoscaler is a Cluster Autoscaler of 1.30, no node is of this minor version (one is of 1.36)",), "use the image of the Cluster Autoscaler of the cluster's minor version", "Deployment"),
    "autoscaler without claims": (scaled(), POD, "allocation", ("Deployment sys/cluster-autoscaler is a Cluster Autoscaler before 1.35 without --enable-dynamic-resource-allocation",), "set --enable-dynamic-resource-allocation=true in Deployment sys/cluster-autoscaler", "Deployment"),
    "API server that does not serve it": (waits(*crashing("the server could not find the requested resource"), control("kube-apiserver", "--v=2", version="v1.33.4")), POD, "allocation", ("kube-apiserver-cp is of 1.33, and has no resource.k8s.io in --runtime-config",), "--runtime-config=resource.k8s.io/v1beta1=true", "Pod"),
    "driver with domains alone": (lacks(*both(DOMAINS)), POD, "class", ("has the container compute-domains alone",), "gpuResourcesEnabledOverride=true", "DaemonSet"),
    "no driver from the operator": (waits(*crashing(NVML, "/run/nvidia/driver"), policy(driver={"enabled": False})), POD, "allocation", ("looks for the driver in /run/nvidia/driver", "ClusterPolicy cluster-policy installs none"), "nvidiaDriverRoot=/)", "ClusterPolicy"),
    "driver from the operator": (waits(*crashing(NVML, "/"), workload("DaemonSet", "nvidia-driver-daemonset", {})), POD, "allocation", ("looks for the driver in / (NVIDIA_DRIVER_ROOT)",), "nvidiaDriverRoot=/run/nvidia/driver", "DaemonSet"),
    "no device plugin from the operator": ([on(), CLASS, SLICE, extended(FEW), policy(devicePlugin={"enabled": False})], POD, "class", ("ClusterPolicy cluster-policy installs no device plugin",), "set extendedResourceName", "ClusterPolicy"),
    # Roles, namespaces, registries.
    "binding of another namespace": (waits(*crashing(FORBIDDEN), bound("other"), ROLE), POD, "allocation", ("ClusterRoleBinding gpu-plugin gives ClusterRole gpu-plugin to ServiceAccount plugin of namespace other, and not",), "name ServiceAccount plugin of namespace sys in the subjects of ClusterRoleBinding gpu-plugin", "ClusterRoleBinding"),
    "role that is bound": (waits(*crashing(FORBIDDEN), bound("sys"), ROLE), POD, "allocation", ("ClusterRole gpu-plugin is bound to it",), "ClusterRole gpu-plugin", "ClusterRoleBinding"),
    "level of a namespace": (waits(agents(PLUGIN), labelled_space(**{"pod-security.kubernetes.io/enforce": "baseline"}), tells(PLUGIN, "FailedCreate", VIOLATES, "DaemonSet")), POD, "allocation", ("Namespace sys has pod-security.kubernetes.io/enforce=baseline",), "pod-security.kubernetes.io/enforce of namespace sys", "Namespace"),
    "secret of another workload": (pulls(imagePullSecrets=[{"name": "regcred"}]), POD, "allocation", ("the pod has no imagePullSecrets (ServiceAccount default), and Deployment sys/controller has regcred",), "", "Deployment"),
    # Limits, classes, pools, devices.
    "default of a LimitRange": (ranged(), POD, "filter", ("container main has no cpu request of its own, a LimitRange has set it (LimitRange ml/defaults has 16)",), "so that LimitRange ml/defaults does not set it; or, tried: request cpu 8 instead of 16", "LimitRange"),
    "maximum of a LimitRange": ([*BASE, *failed_create("maximum cpu usage per Container is 32, but limit is 64"), LIMITS], "deployment/ml/serve", "api-server", ("LimitRange ml/defaults says so",), "", "LimitRange"),
    "two classes of one resource": ([on(), classed("old", GPU, 1), classed("new", "none.example.com", 5), SLICE, extended(REJECTED)], POD, "allocation", ("DeviceClass old has extendedResourceName nvidia.com/gpu, too", "here new"), "take it out of DeviceClass new", ""),
    "status of a pool": ([on(), CLASS, SLICE, {**SLICE, "metadata": {"name": "second"}}, claim(), train(REJECTED), pools("n1")], POD, "allocation", ("ResourcePoolStatusRequest ask says of this pool: bad gpu-0",), "", "ResourcePoolStatusRequest"),
    "a device that stands for an object": (subnets(), POD, "allocation", ("this device stands for Subnet blue (attribute subnetName)",), "name one ResourceClaim; or let the driver publish it with allowMultipleAllocations", "Subnet"),
    # Queues.
    "class that Kueue does not know": ([*kueue(no_quota(UNMAPPED)), configured("other.example.com")], JOB, "kueue", ("ConfigMap kueue-system/kueue-manager-config, which has the configuration of Kueue, does not name it",), "deviceClassMappings", "ConfigMap"),
    "class that Kueue knows by now": ([*kueue(no_quota(UNMAPPED)), configured(GPU)], JOB, "kueue", ("names it by now",), "restart Kueue's manager", "ConfigMap"),
    "gate of Kueue": ([*kueue(no_quota("KueueDRAIntegration feature gate is not enabled", "Inadmissible")), GATES], JOB, "kueue", ("ConfigMap kueue-system/config has KueueDRAIntegration: false",), "turn on the feature gate KueueDRAIntegration in ConfigMap kueue-system/config", "ConfigMap"),
    "namespace that a queue does not take": (selective(team="b"), JOB, "kueue", ("ClusterQueue cq takes namespaces with the label team=a, which Namespace ml does not have",), "give Namespace ml the label team=a", "Namespace"),
    "queue of another namespace": ([*kueue(no_quota("LocalQueue team2 doesn't exist", "Inadmissible")), obj(KUEUE, "LocalQueue", "team2", namespace="other")], JOB, "kueue", ("one of this name is in namespace other",), "create LocalQueue team2 in namespace ml", "LocalQueue"),
    "queue that is not active": ([*kueue(PENDING), inactive("ClusterQueue", "cq", "Stopped", "is stopped")], JOB, "kueue", ("ClusterQueue cq: Stopped: is stopped",), "", "ClusterQueue"),
    "check that is not active": ([*kueue(cond("QuotaReserved", "True"), **CHECKS), inactive("AdmissionCheck", "dws", "BadParameters", "no ProvisioningRequestConfig")], JOB, "kueue", ("AdmissionCheck dws: BadParameters: no ProvisioningRequestConfig",), "", "AdmissionCheck"),
}  # fmt: skip
# Cases in which nothing of another object is said: the dump, and what is not said.
OTHERS: dict[str, tuple[list[Object], str]] = {
    "node of the machine's name": (cpus(addressed("worker-a", "worker-a")), "hostname"),
    "driver that is given its name": (cpus(addressed("worker-a", "10-0-130-70"), env=[NODE_NAME]), "hostname"),
    "gate that is on": (shared("true"), "FEATURE_GATES;"),
    "scheduler as the API server": ([on(), classed(GPU, GPU, 1), SLICE, extended(FEW), *(gates(one, "DRAExtendedResource=true") for one in ("kube-apiserver", "kube-scheduler"))], "--feature-gates"),
    "another gate of the API server": ([on(), classed(GPU, GPU, 1), SLICE, extended(FEW), gates("kube-apiserver", "DRAAdminAccess=true"), control("kube-scheduler")], "--feature-gates"),
    "autoscaler with claims": (scaled("--enable-dynamic-resource-allocation=true"), "is a Cluster Autoscaler"),
    "autoscaler from 1.35 on": (scaled(version="v1.35.0"), "handles no claims"),
    "taint tolerated for ever": (tolerated(), "evicted"),
    "taint of a device tolerated for ever": (tainted(), "evicted"),
    "namespace that a queue takes": (selective(team="a"), "takes namespaces"),
    "Kueue that knows the class": ([*kueue(no_quota(UNMAPPED)), configured(GPU)], "does not name it"),
    "namespace with other labels": ([*made_by(SELECTED, **H100), space("gpu=h1000")], "asks for it"),
    "device of several claims": (subnets(allowMultipleAllocations=True), "stands for"),
    "pool of another name": ([on(), CLASS, SLICE, {**SLICE, "metadata": {"name": "second"}}, claim(), train(REJECTED), pools("n2")], "says of this pool"),
    "flavor with other labels": (flavored(gpu="a100"), "ResourceFlavor"),
    "request of the pod's own": ([marked(one) if one["kind"] == "Pod" else one for one in ranged()], "LimitRange"),
    "operator that asks for nothing": (made_by(SELECTED, *deployed(**H100), obj("a.io/v1", "Fleet", "llm"), **H100), "asks for it"),
    "containerd that reads devices": ([with_info(containerRuntimeVersion="containerd://1.7.21"), *HAS[1:], train(node="n1")], "the runtime of"),
    "secret of the pod": (pulls(), "imagePullSecrets"),
    "binding that is right": (waits(*crashing(FORBIDDEN), bound("sys"), ROLE), "and not to that of namespace"),
    "one class of a resource": ([on(), classed("new", "none.example.com", 5), SLICE, extended(REJECTED)], ", too"),
}  # fmt: skip


@pytest.mark.parametrize("name", ORIGINS)
def test_another_object_explains_the_words(tmp_path: Path, name: str) -> None:
    given, target, step, cause, change, kind = ORIGINS[name]
    answer = answer_of(tmp_path, given, target)
    assert answer["step"] == step
    assert all(words in answer["cause"] for words in cause)
    assert change in (answer["change"] or "")
    kept = [
        one for one in given if one["kind"] != kind or one["metadata"]["name"] in ("train", "o")
    ]
    if kind and kind != "Node":
        assert cause[0] not in answer_of(tmp_path, kept, target)["cause"]


@pytest.mark.parametrize("name", OTHERS)
def test_an_object_that_explains_nothing_is_not_named(tmp_path: Path, name: str) -> None:
    given, words = OTHERS[name]
    target = JOB if any(one["kind"] == "Workload" for one in given) else POD
    assert words not in answer_of(tmp_path, given, target)["cause"]


def test_each_row_is_shown_and_names_its_source(tmp_path: Path) -> None:
    known = ("autoscaler", "quota", "daemon of the claim")
    more = [case[:2] for name, case in OBJECTS.items() if name.startswith(known)]
    more += [case[:2] for case in SCHEDULERS.values()]
    cases = [*(case[:2] for case in ORIGINS.values()), *more]
    causes = [answer_of(tmp_path, given, target)["cause"] for given, target in cases]
    lacking = []
    for row in _table()["rows"]:
        says = "[^;]*".join(map(re.escape, re.split(r"\{\w+\}", row["says"])))
        lacking += [row["says"]] * all(not re.search(says, cause) for cause in causes)
        assert re.search(r"\d", row["of"]["release"])
        assert re.search(r"\.go\b|https://", row["of"]["at"])
    assert lacking == []


def test_a_change_goes_into_the_template(tmp_path: Path) -> None:
    given = made_by(TAINTED, *deployed(), node=TOLERANT)
    answer = answer_of(tmp_path, given, POD)
    assert "in the template of Deployment ml/llm" in answer["change"]
    (line,) = answer["patch"]
    words, _, steps = line.partition(" -p ")
    assert words == "kubectl patch deployment llm -n ml --type=json"
    (step,) = json.loads(steps.strip("'"))
    assert step["path"] == "/spec/template/spec/tolerations"
    assert step["value"] == [{"operator": "Exists", "key": "dedicated", "effect": "NoSchedule"}]


def test_a_template_keeps_its_own_tolerations(tmp_path: Path) -> None:
    """Those that were added to the pod stay out of it."""
    own, added = ({"key": one, "operator": "Exists"} for one in ("own", "node.kubernetes.io/x"))
    given = made_by(TAINTED, *deployed(tolerations=[own]), node=TOLERANT, tolerations=[own, added])
    (line,) = answer_of(tmp_path, given, POD)["patch"]
    (step,) = json.loads(line.partition(" -p ")[2].strip("'"))
    assert [one["key"] for one in step["value"]] == ["own", "dedicated"]


def test_what_the_template_does_not_have_is_not_taken_out_of_it(tmp_path: Path) -> None:
    given = made_by(SELECTED, *deployed(), node=addressed("n1", "n1", gpu="a100"), **H100)
    answer = answer_of(tmp_path, given, POD)
    assert answer["change"].startswith("select gpu=a100 instead of h100")
    assert "template" not in answer["change"]
    other = made_by(SELECTED, *deployed(**H100), node=addressed("n1", "n1", gpu="a100"), **H100)
    (line,) = answer_of(tmp_path, other, POD)["patch"]
    assert '"path": "/spec/template/spec/nodeSelector", "value": {"gpu": "a100"}' in line


@pytest.mark.parametrize(
    ("owners", "words", "patch"),
    [
        ([obj("batch/v1", "Job", "j", templated())], "in the template of Job ml/j, which has to be created again", "# the template of a Job cannot be changed"),
        ([obj("batch/v1", "Job", "j", templated()), obj("batch/v1", "CronJob", "c", {"jobTemplate": {"spec": templated()}})], "in the template of CronJob ml/c", "/spec/jobTemplate/spec/template/spec/tolerations"),
        ([obj("ray.io/v1", "RayCluster", "ray")], "in RayCluster ml/ray", "# write it in RayCluster ml/ray"),
        ([*deployed(), ISVC], "in InferenceService ml/llm", "# write it in InferenceService ml/llm"),
        ([marked(one, **{"meta.helm.sh/release-name": "llm"}) for one in deployed()], "in the template of Deployment ml/llm, which Helm release llm writes", "kubectl patch deployment llm"),
        ([marked(one, **{"argocd.argoproj.io/tracking-id": "app:apps/Deployment:ml/llm"}) for one in deployed()], "which Application app of Argo CD writes", "kubectl patch deployment llm"),
    ],
)  # fmt: skip
def test_a_change_is_made_where_it_lasts(
    tmp_path: Path, owners: list[Object], words: str, patch: str
) -> None:
    answer = answer_of(tmp_path, made_by(TAINTED, *owners, node=TOLERANT), POD)
    assert words in answer["change"]
    assert patch in "\n".join(answer["patch"])


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        (by("GPUCluster", "gpu", "nvidia.com/v1"), "; GPUCluster gpu writes DaemonSet sys/"),
        ({"annotations": {"meta.helm.sh/release-name": "dra"}}, "; Helm release dra writes DaemonSet sys/"),
        ({"labels": {"helm.toolkit.fluxcd.io/name": "dra"}, "annotations": {"meta.helm.sh/release-name": "dra"}}, "; HelmRelease dra of Flux writes DaemonSet sys/"),
        ({}, ""),
    ],
)  # fmt: skip
def test_a_plugin_is_changed_where_it_is_written(
    tmp_path: Path, metadata: Object, words: str
) -> None:
    plugin = agents(PLUGIN, desiredNumberScheduled=0)
    plugin["metadata"] |= metadata
    node = on(taints=[{"key": "nvidia.com/gpu", "effect": "NoSchedule"}])
    asks = train(REJECTED, spec={"tolerations": [{"operator": "Exists"}]})
    given = [node, device_class("c", GPU), claim(device_class="c"), asks, plugin]
    change = answer_of(tmp_path, given, POD)["change"]
    assert change.startswith("let the plugin tolerate the taint nvidia.com/gpu:NoSchedule")
    assert words in change
    assert bool(words) is (" writes " in change)


@pytest.mark.parametrize(
    ("kind", "api", "status", "words"),
    [
        ("NIMService", "apps.nvidia.com/v1alpha1", {"state": "Failed", "conditions": [cond("Failed", "True", "DRAResourcesUnsupported", "DRA resources are not supported by NIM-Operator on this cluster, please upgrade to k8s version '1.33.0' or higher")]}, "update the cluster to Kubernetes 1.33.0"),
        ("NIMService", "apps.nvidia.com/v1alpha1", {"conditions": [cond("Failed", "True", "DRAResourcesUnsupported", "spec.draResources[1].resourceClaimName: duplicate resource claim name: 'gpu'")]}, "name ResourceClaim gpu once"),
        ("PodCliqueSet", GROVE, {"lastErrors": [{"description": "Error syncing PCS-level ResourceClaims for ml/w, cause: failed to ensure ResourceClaims: failed to get external ResourceClaimTemplate ml/gpu-t: not found"}]}, "create ResourceClaimTemplate gpu-t in namespace ml"),
        ("LLMInferenceService", "serving.kserve.io/v1alpha2", {"conditions": [cond("Ready", "False", "ReconcileError", "failed to reconcile managed DRA: failed to reconcile Managed DRA ResourceClaimTemplate: forbidden")]}, "let the controller of KServe write ResourceClaimTemplates"),
    ],
)  # fmt: skip
def test_operators_say_what_is_wrong_with_claims(
    tmp_path: Path, kind: str, api: str, status: Object, words: str
) -> None:
    answer = answer_of(tmp_path, [*BASE, obj(api, kind, "w", {}, status)], f"{kind.lower()}/ml/w")
    assert answer["step"] in ("controller", "api-server")
    assert words in (answer["change"] or "")


def test_a_claim_is_changed_in_its_template(tmp_path: Path) -> None:
    """And the template where an operator writes it, though the pod's status names the claim that was made from it."""
    asks = claim(selector=f"device.attributes['{GPU}'].architecture == 'hopper'")["spec"]
    head = {"name": "t", "namespace": "ml", **by("NIMService", "llm", "apps.nvidia.com/v1alpha1")}
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": head,
    }
    own = {**claim("train-gpu", **by("Pod", "train", "v1", "u-train")), "spec": asks}
    entries = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
    made = [{"name": "gpu", "resourceClaimName": "train-gpu"}]
    waiting = train(REJECTED, spec={"resourceClaims": entries}, resourceClaimStatuses=made)
    answer = answer_of(tmp_path, [*BASE, {**template, "spec": {"spec": asks}}, own, waiting], POD)
    assert answer["change"].startswith("n1: write Hopper instead of hopper in request gpu")
    assert (
        "; NIMService llm writes ResourceClaimTemplate ml/t, so change it there" in answer["change"]
    )
    assert answer["patch"][0] == "--- a/ResourceClaimTemplate ml/t"


def test_what_is_done_on_a_node_is_not_done_where_a_plugin_is_written(tmp_path: Path) -> None:
    """The plugin is named in the cause, and the change is none of it."""
    plugin, running = crashing("exec /usr/bin/plugin: permission to see the hardware")
    plugin["metadata"]["annotations"] = {"meta.helm.sh/release-name": "dra"}
    answer = answer_of(tmp_path, waits(plugin, running), POD)
    assert answer["change"].startswith("see the log of container main")
    assert "Helm release" not in answer["change"]

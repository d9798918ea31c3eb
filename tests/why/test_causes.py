"""`dradsl why` on small dumps of causes that an operator meets: workloads without pods, volumes, device plugins, nodes,
containers, other schedulers, drivers that publish nothing, names of other namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.why.test_facts import answer_of, asked
from tests.why.test_points import (
    DOMAIN,
    GPU,
    PCIE,
    REJECTED,
    claim,
    device_class,
    gpu,
    held,
    node,
    pod,
    root,
    slices,
)

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
WHEN = "2026-11-22T10:00:00Z"


def said(name: str, reason: str, message: str, kind: str = "Pod") -> Object:
    about = {"kind": kind, "namespace": "ml", "name": name}
    head = {"name": f"{kind}.{name}.{reason}", "namespace": "ml"}
    one = {"type": "Warning", "reason": reason, "message": message, "involvedObject": about}
    return {"apiVersion": "v1", "kind": "Event", "metadata": head, **one}


def on(name: str = "n1", ready: bool = True, taints: Any = None, amounts: Any = None) -> Object:
    found = node(name)
    found["status"]["allocatable"].update(amounts or {})
    found["status"]["conditions"] = [{"type": "Ready", "status": "True" if ready else "Unknown"}]
    return {**found, "spec": {"taints": taints}} if taints else found


def obj(
    api: str, kind: str, name: str, spec: Any = None, status: Any = None, **meta: Any
) -> Object:
    head = {"name": name, "namespace": "ml", "uid": f"u-{kind}-{name}", **meta}
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": head,
        "spec": spec or {},
        "status": status or {},
    }


def owned(kind: str, name: str) -> Object:
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": f"u-{kind}-{name}"}
    return {"ownerReferences": [{**owner, "controller": True}]}


def train(
    message: str = "", node: str = "", phase: str = "", spec: Any = None, **status: Any
) -> Object:
    found = pod(message=message, on=node)
    found["status"].update({"phase": phase or found["status"]["phase"], **status})
    found["spec"].update(spec or {})
    return found


def named(name: str, given: Object, **meta: Any) -> Object:
    return {**given, "metadata": {**given["metadata"], "name": name, "uid": f"u-{name}", **meta}}


def wants(**amounts: str) -> Object:
    """The spec of a pod that asks for these resources besides its claim."""
    resources = {"claims": [{"name": "gpu"}], "requests": amounts, "limits": amounts}
    return {"containers": [{"name": "main", "image": "x", "resources": resources}]}


def container(reason: str, message: str, last: Any = None, name: str = "main") -> list[Object]:
    ended = {"lastState": {"terminated": last}} if last else {}
    waiting = {"reason": reason, "message": message}
    return [{"name": name, "ready": False, "state": {"waiting": waiting}, **ended}]


RUNS = [{"name": "main", "ready": False, "state": {"running": {}}}]
CLASS, SLICE = device_class(), slices(gpu())
BASE = [on(), CLASS, SLICE]
HAS = [*BASE, held("train")]
TAKEN = [*BASE, held("o"), pod("o", on="n1"), claim()]
CLAIMS = [{"name": "gpu", "resourceClaimTemplateName": "t"}]
TEMPLATE = {"spec": {**wants(), "resourceClaims": CLAIMS}}
DEPLOYMENT = obj("apps/v1", "Deployment", "serve", {"replicas": 1, "template": TEMPLATE})
SET = obj(
    "apps/v1",
    "ReplicaSet",
    "serve-1",
    {"replicas": 1, "template": TEMPLATE},
    **owned("Deployment", "serve"),
)
SERVE = [*BASE, DEPLOYMENT, SET]
ONE = {"parallelism": 1, "template": TEMPLATE}
VOLUME = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
PVC = obj("v1", "PersistentVolumeClaim", "data", {"storageClassName": "fast"}, {"phase": "Pending"})
SELECTS = {"nodeSelector": {"nvidia.com/gpu.present": "true"}}
EXPRESSION = {"key": "nvidia.com/gpu.product", "operator": "In", "values": ["H100"]}
TERMS = {"nodeSelectorTerms": [{"matchExpressions": [EXPRESSION]}]}
AFFINITY = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": TERMS}}}
TAINT = [{"key": "gpu", "value": "true", "effect": "NoSchedule"}]
GROUP = {"reason": "OverLimit", "message": "Queue team has reached its limit"}


def failed_create(text: str) -> list[Object]:
    return [*SERVE, said("serve-1", "FailedCreate", f"Error creating: {text}", "ReplicaSet")]


def ended(kind: str, reason: str = "") -> list[Object]:
    return [
        *BASE,
        obj(
            "batch/v1",
            "Job",
            "j",
            ONE,
            {"conditions": [{"type": kind, "status": "True", "reason": reason}]},
        ),
    ]


def mig() -> list[Object]:
    own = device_class("mig.nvidia.com")
    own["spec"]["selectors"][0]["cel"]["expression"] += (
        f" && device.attributes['{GPU}'].type == 'mig'"
    )
    return [
        on(),
        own,
        slices(gpu(type="gpu")),
        claim(device_class="mig.nvidia.com"),
        train(REJECTED),
    ]


def two() -> Object:
    """A claim of a GPU and a network device with one PCIe root."""
    found = claim(constraint=PCIE)
    found["spec"]["devices"]["requests"].append(
        {"name": "nic", "exactly": {"deviceClassName": "nic"}}
    )
    found["spec"]["devices"]["constraints"][0]["requests"].append("nic")
    return found


def lost() -> list[Object]:
    """A pod without the claims that its template has."""
    found = named("serve-1-x", pod(on="n1"), **owned("ReplicaSet", "serve-1"))
    found["spec"] = {"nodeName": "n1", "containers": [{"name": "main", "image": "x"}]}
    return [*SERVE, found]


def old_slice() -> Object:
    return {**SLICE, "apiVersion": "resource.k8s.io/v1alpha3"}


def of_set(name: str, replicas: str, on: str = "", message: str = "") -> list[Object]:
    """A pod of a ReplicaSet, and the claim that was made for it."""
    made = train(message, on, spec={"resourceClaims": CLAIMS})
    made["status"]["resourceClaimStatuses"] = [{"name": "gpu", "resourceClaimName": f"{name}-gpu"}]
    own = held(f"{name}-gpu", pods=(name,)) if on else claim(f"{name}-gpu")
    own["metadata"]["ownerReferences"] = [
        {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": f"u-{name}", "controller": True}
    ]
    return [named(name, made, **owned("ReplicaSet", replicas)), own]


def plugin(**status: Any) -> Object:
    """A pod of NVIDIA's driver, as kubectl has it: without claims."""
    spec = {"nodeName": "n1", "containers": [{"name": "main", "image": "x"}]}
    return obj("v1", "Pod", "nvidia-dra-driver-gpu-kubelet-plugin-x", spec, status)


def daemons(*events: Object, **status: Any) -> list[Object]:
    spec = {"template": {"spec": SELECTS}}
    return [obj("apps/v1", "DaemonSet", "nvidia-dra-driver-kubelet-plugin", spec, status), *events]


def says(reason: str, message: str) -> Object:
    return said("train", reason, message)


def domain(**status: Any) -> list[Object]:
    """A ComputeDomain that is not ready, a claim of it, and a pod that waits for it with its daemon."""
    made = held("train")
    parameters = {"kind": "ComputeDomainChannelConfig", "domainID": "d1"}
    opaque = {"driver": "compute-domain.nvidia.com", "parameters": parameters}
    made["spec"]["devices"]["config"] = [{"opaque": opaque}]
    daemon = named("cd-x", train(node="n1", **status), labels={DAEMON_OF: "d1"})
    told = {"status": "NotReady", "nodes": [{"name": "n1", "status": "NotReady"}]}
    waits = train(node="n1", phase="Pending")
    return [*BASE, {**DOMAIN, "status": told}, made, daemon, waits]


DAEMON_OF = "resource.nvidia.com/computeDomain"
DEPLOY, JOB = "deployment/ml/serve", "job/ml/j"
CRASHES: dict[str, Any] = {
    "phase": "Running",
    "containerStatuses": container("CrashLoopBackOff", "back-off"),
}
ADMIN = (
    "PodResourceClaim gpu: create ResourceClaim : spec.devices.requests[0].exactly.adminAccess: Forbidden: admin access to "
    "devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace"
)
KARPENTER = "Failed to schedule pod, pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter"
ON_TIME = [{"type": "PodScheduled", "status": "True", "lastTransitionTime": WHEN}]
ENDS = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "DeletionByDeviceTaintManager",
    "message": "Device Taint manager: deleting due to NoExecute taint",
}
ONE_GPU = {"nvidia.com/gpu": "1"}
PLAIN = {"name": "main", "image": "x", "resources": {"requests": ONE_GPU, "limits": ONE_GPU}}
INIT = [{"name": "wait", "ready": False, "state": {"running": {}}}]
PORTS = "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."
FULL = "NodePrepareResources failed for claim ml/train: write /var/run/cdi/x.json: no space left on device"
OLDER = [{"apiVersion": "v1", "kind": "Pod", "name": "train", "uid": "older", "controller": True}]
TEMPLATED = obj("resource.k8s.io/v1", "ResourceClaimTemplate", "t", {"spec": claim()["spec"]})


def unattached() -> Object:
    """A claim whose device waits for a condition, and has failed."""
    found = held("train")
    (result,) = found["status"]["allocation"]["devices"]["results"]
    result |= {"bindingConditions": ["ready"], "bindingFailureConditions": ["failed"]}
    condition = {"type": "failed", "status": "True", "reason": "NoFabric"}
    of = {"driver": GPU, "pool": "n1", "device": "gpu-0"}
    found["status"]["devices"] = [{**of, "conditions": [{**condition, "message": "attach failed"}]}]
    return found


def with_port(given: Object) -> Object:
    """The pod with a port of its node."""
    given["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
    return given


# Case -> objects, target, step, what the headline has, the change (empty: none).
CAUSES: dict[str, tuple[list[Object], str, str, str, str]] = {
    # Devices that are elsewhere, of no driver, or of another kind.
    "node of the devices is tainted": (
        [on(), on("n2", taints=TAINT), CLASS, slices(gpu(), on="n2"), claim(), train("0/2 nodes are available: 1 cannot allocate all claims.")],
        "ml/train", "allocation", "the devices are on n2, where node taint gpu=true:NoSchedule is not tolerated", "tolerate gpu=true:NoSchedule (node n2)",
    ),
    "no slice of the driver": (
        [on(), CLASS, slices({"name": "channel-0"}, driver="compute-domain.nvidia.com"), claim(), train(REJECTED)],
        "ml/train", "allocation", f"driver {GPU} of class {GPU} publishes no ResourceSlice", f"let driver {GPU} run on nodes",
    ),
    "no slice": ([on(), CLASS, claim(), train(REJECTED)], "ml/train", "allocation", f"driver {GPU} of class {GPU} publishes no ResourceSlice", "let driver"),
    "slices of another version": ([on(), CLASS, old_slice(), claim(), train(REJECTED)], "ml/train", "allocation", "no ResourceSlice of the dump can be read", ""),
    "another kind of device": (mig(), "ml/train", "allocation", "type == 'mig': they have type \"gpu\"", "restart the GPU kubelet plugin of the driver if the MIG partitions were made after it started"),
    "taint of the driver": (
        [on(), CLASS, slices({**gpu(), "taints": [{"key": "gpu.nvidia.com/xid", "value": "79", "effect": "NoExecute"}]}), claim(), train(REJECTED)],
        "ml/train", "allocation", "the matching devices are tainted (gpu.nvidia.com/xid=79:NoExecute)", "see first what the driver reports, which sets the taint",
    ),
    "pool with a device twice": (
        [on(), CLASS, slices(gpu(), gpu()), claim(), train("0/1 nodes are available: 1 invalid resource pools were encountered.")],
        "ml/train", "allocation", "pool invalid: duplicate device name gpu-0", "let only one plugin publish device gpu-0",
    ),
    "constraint": (
        [on(), CLASS, slices(root(0, "a"), root(1, "b")), claim(count=2, constraint=PCIE), train(REJECTED)],
        "ml/train", "allocation", f"1 of 2 devices have the same {PCIE}", f"drop the constraint on {PCIE}",
    ),
    "constraint of two requests": (
        [on(), CLASS, device_class("nic", "nic.example.com"), slices(root(0, "a")), slices({"name": "nic-0", "attributes": {PCIE: {"string": "b"}}}, driver="nic.example.com"), two(), train(REJECTED)],
        "ml/train", "allocation", f"each request finds devices, but not together with the same {PCIE}", f"drop the constraint on {PCIE}",
    ),
    # Names.
    "claim of another namespace": (
        [*BASE, {**claim(), "metadata": {"name": "train", "namespace": "default"}}, train('waiting for user to create ResourceClaim "train"')],
        "ml/train", "claim", "ResourceClaim ml/train is not there", "create ResourceClaim train in namespace ml",
    ),
    "no claim": ([*BASE, claim("other"), train()], "ml/train", "claim", "ResourceClaim ml/train is not there", "create ResourceClaim train in namespace ml"),
    "no template": (
        [*BASE, train(spec={"resourceClaims": CLAIMS}), said("train", "FailedResourceClaimCreation", 'PodResourceClaim gpu: resource claim template "t": not found')],
        "ml/train", "claim-controller", "ResourceClaimTemplate ml/t is not there", "create ResourceClaimTemplate t in namespace ml",
    ),
    "class without its domain": ([*BASE, claim(device_class="gpu-nvidia"), train()], "ml/train", "class", "gpu-nvidia does not exist", f"name the DeviceClass {GPU}"),
    # Nodes and what is on them.
    "label that no node has": ([*BASE, claim(), train(spec=SELECTS)], "ml/train", "filter", "no node has the label nvidia.com/gpu.present=true", "label n1 with nvidia.com/gpu.present=true"),
    "key that no node has": ([*BASE, claim(), train(spec=AFFINITY)], "ml/train", "filter", "no node has the label nvidia.com/gpu.product", "label n1 with nvidia.com/gpu.product=H100"),
    "resource of a plugin": (
        [on(amounts={"rdma/hca": "0"}), CLASS, SLICE, claim(), train("0/1 nodes are available: 1 Insufficient rdma/hca.", spec=wants(**{"rdma/hca": "1"}))],
        "ml/train", "filter", "the only node does not: nothing offers rdma/hca here", "let the device plugin",
    ),
    "huge pages": (
        [*BASE, claim(), train("0/1 nodes are available: 1 Insufficient hugepages-1Gi.", spec=wants(**{"cpu": "1", "hugepages-1Gi": "4Gi"}))],
        "ml/train", "rejected", "1 Insufficient hugepages-1Gi", "",
    ),
    "node is gone": ([on("n2"), CLASS, held("train"), train(node="n1")], "ml/train", "node", "node n1 is not in the dump", "see whether node n1 exists"),
    "node is off": ([on(ready=False), CLASS, SLICE, held("train"), train(node="n1")], "ml/train", "node", "node n1 is not ready", "start the kubelet of n1 again"),
    # Volumes.
    "volume is not bound": (
        [*BASE, claim(), PVC, said("data", "ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found', PVC["kind"]),
         train("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.", spec=VOLUME)],
        "ml/train", "rejected", "PersistentVolumeClaim ml/data is Pending: storageclass", "create StorageClass fast",
    ),
    "volume is missing": (
        [*BASE, claim(), train('0/1 nodes are available: persistentvolumeclaim "data" not found.', spec=VOLUME)],
        "ml/train", "rejected", 'persistentvolumeclaim "data" not found', "create PersistentVolumeClaim data in namespace ml",
    ),
    # Other schedulers and gangs.
    "group of KAI": (
        [*BASE, claim(), {**train(spec={"schedulerName": "kai-scheduler"}), "metadata": {**pod()["metadata"], "annotations": {"pod-group-name": "pg"}}},
         obj("scheduling.run.ai/v2alpha2", "PodGroup", "pg", {}, {"schedulingConditions": [{"type": "UnschedulableOnNodePool", "status": "True", **GROUP}]})],
        "ml/train", "rejected", "PodGroup ml/pg: OverLimit: Queue team", "",
    ),
    "field of another release": (
        [*BASE, claim(), train("waiting for minCount pods from a gang", spec={"workloadRef": {"name": "w", "podGroup": "pg"}})],
        "ml/train", "rejected", "waiting for minCount pods from a gang", "create as many pods of the PodGroup",
    ),
    # What a kubelet says.
    "not ready": (
        [*HAS, train(node="n1", containerStatuses=RUNS), said("train", "Unhealthy", "Readiness probe failed: HTTP 503")],
        "ml/train", "container", "container main runs and is not ready: Readiness probe failed: HTTP 503", "",
    ),
    "init container": (
        [*HAS, train(node="n1", phase="Pending", initContainerStatuses=container("CrashLoopBackOff", "back-off", {"exitCode": 1}, "init"))],
        "ml/train", "container", "container init: CrashLoopBackOff", "",
    ),
    "no secret": ([*HAS, train(node="n1", containerStatuses=container("CreateContainerConfigError", 'secret "hf" not found'))], "ml/train", "container", 'secret "hf"', "create secret hf in namespace ml"),
    "no memory": ([*HAS, train(node="n1", containerStatuses=container("CrashLoopBackOff", "back-off", {"exitCode": 137, "reason": "OOMKilled"}))], "ml/train", "container", "OOMKilled", "raise the memory limit"),
    "no image": ([*HAS, train(node="n1", containerStatuses=container("ErrImagePull", "x: not found"))], "ml/train", "container", "ErrImagePull", "correct the image"),
    "no runtime": (
        [*HAS, train(node="n1", phase="Pending"), said("train", "FailedCreatePodSandBox", 'no runtime for "nvidia" is configured')],
        "ml/train", "kubelet", "no runtime for", "give the container runtime of n1 a handler nvidia",
    ),
    "topology": ([*HAS, train(node="n1", phase="Failed", reason="TopologyAffinityError")], "ml/train", "failed", "TopologyAffinityError", "one NUMA node of n1"),
    "kubelet is silent": (
        [*HAS, named("train", train(node="n1"), deletionTimestamp=WHEN)], "ml/train", "deleted", "the kubelet of n1 has not ended it", "",
    ),
    # Workloads.
    "quota": (failed_create("exceeded quota: q, requested: pods=1, used: pods=9, limited: pods=9"), DEPLOY, "quota", "exceeded quota: q", "raise ResourceQuota q of namespace ml: pods from 9 to 10"),
    "limits": (failed_create("maximum cpu usage per Container is 2, but limit is 4"), DEPLOY, "api-server", "maximum cpu usage", "ask for 2 of cpu"),
    "priority": (failed_create("no PriorityClass with name high was found"), DEPLOY, "api-server", "PriorityClass", "create PriorityClass high"),
    "webhook": (failed_create('admission webhook "x" denied the request: no'), DEPLOY, "api-server", "denied the request", "as webhook x asks for: no"),
    "condition": (
        [*BASE, {**DEPLOYMENT, "status": {"conditions": [{"type": "ReplicaFailure", "status": "True", "message": 'serviceaccount "s" not found'}]}}, SET],
        DEPLOY, "api-server", 'serviceaccount "s" not found', "create ServiceAccount s in namespace ml",
    ),
    "no replicas": ([*BASE, {**DEPLOYMENT, "spec": {"replicas": 0}}], DEPLOY, "absent", "spec.replicas is 0", "set spec.replicas"),
    "paused": ([*BASE, {**DEPLOYMENT, "spec": {"replicas": 1, "paused": True}}], DEPLOY, "absent", "spec.paused", "resume its rollout"),
    "daemons on no node": (
        [*BASE, obj("apps/v1", "DaemonSet", "d", {"template": {"spec": SELECTS}}, {"desiredNumberScheduled": 0})],
        "daemonset/ml/d", "filter", "pods for no node: nodeSelector does not match the node's labels (n1); no node has the label nvidia.com/gpu.present=true", "label the nodes that have the devices with nvidia.com/gpu.present=true",
    ),
    "job failed": (ended("Failed", "BackoffLimitExceeded"), JOB, "failed", "Failed: BackoffLimitExceeded", ""),
    "job is done": (ended("Complete"), JOB, "none", "Complete", ""),
    "suspended": ([*BASE, obj("batch/v1", "Job", "j", {**ONE, "suspend": True})], JOB, "gate", "spec.suspend is true", "set spec.suspend: false"),
    "suspended for Kueue": (
        [*BASE, obj("batch/v1", "Job", "j", {**ONE, "suspend": True}, labels={"kueue.x-k8s.io/queue-name": "q"})],
        JOB, "kueue", "it is for queue q of Kueue, and the dump has no Workload for it", "see that Kueue runs",
    ),
    # Drivers whose plugins are not in order.
    "plugin crashes, and is not registered": (
        [*HAS, train(node="n1", phase="Pending"), says("FailedPrepareDynamicResources", f"DRA driver {GPU} is not registered"), plugin(**CRASHES)],
        "ml/train", "prepare", "is not registered; Pod ml/nvidia-dra-driver-gpu-kubelet-plugin-x on n1: container main: CrashLoopBackOff", "see the log of container main of pod nvidia-dra-driver-gpu-kubelet-plugin-x in namespace ml",
    ),
    "plugin crashes, and publishes nothing": (
        [on(), CLASS, claim(), train(REJECTED), plugin(**CRASHES)],
        "ml/train", "allocation", "publishes no ResourceSlice; Pod ml/nvidia-dra-driver-gpu-kubelet-plugin-x on n1: container main: CrashLoopBackOff", "see the log of container main of pod nvidia-dra-driver-gpu-kubelet-plugin-x in namespace ml",
    ),
    "plugin on no node": (
        [on(), CLASS, claim(), train(REJECTED), *daemons(desiredNumberScheduled=0)],
        "ml/train", "allocation", "no node has the label nvidia.com/gpu.present=true", "label the nodes that have the devices with nvidia.com/gpu.present=true",
    ),
    "plugin that is rejected": (
        [on(), CLASS, claim(), train(REJECTED), *daemons(said("nvidia-dra-driver-kubelet-plugin", "FailedCreate", 'violates PodSecurity "restricted:latest"', "DaemonSet"))],
        "ml/train", "allocation", 'kubelet-plugin: violates PodSecurity "restricted:latest"', "change the pod so that it meets the level restricted:latest",
    ),
    "plugin of a class that is missing": (
        [on(), claim(), train(f"0/1 nodes are available: 1 request gpu: device class {GPU} does not exist."), plugin(**CRASHES)],
        "ml/train", "class", "does not exist; Pod ml/nvidia-dra-driver-gpu-kubelet-plugin-x on n1: container main: CrashLoopBackOff", "see the log of container main of pod nvidia-dra-driver-gpu-kubelet-plugin-x in namespace ml",
    ),
    "driver that the class misspells": (
        [on(), device_class(driver="gpu.nvidia.co"), SLICE, claim(), train(REJECTED)],
        "ml/train", "allocation", f"driver gpu.nvidia.co of class {GPU} publishes no ResourceSlice (driver {GPU} does)", f"write driver {GPU} instead of gpu.nvidia.co",
    ),
    "devices alone": (
        [CLASS, SLICE, claim(count=2), train("0/3 nodes are available: 1 cannot allocate all claims, 2 Insufficient cpu.")],
        "ml/train", "allocation", "the only node of the dump does not have the devices: request gpu: 1 of 2 devices are there", "ask for 1 instead of 2",
    ),
    "claim alone": ([claim()], "claim/ml/train", "unclaimed", "the dump has no Pod at all, perhaps they were not dumped; otherwise no pod that waits names it", ""),
    "pool without a slice": (
        [on(), CLASS, slices(gpu(), count=2), claim(), train(REJECTED)],
        "ml/train", "allocation", "pool being updated (1 of 2 slices)", "let the driver publish all slices of pool gpu.nvidia.com/n1",
    ),
    "daemon of a domain crashes": (
        domain(**CRASHES), "ml/train", "prepare", "0 of 2 nodes (spec.numNodes) are; it has n1 NotReady; Pod ml/cd-x on n1: container main: CrashLoopBackOff", "see the log of container main of pod cd-x in namespace ml",
    ),
    # Controllers, autoscalers, preemption.
    "claim that is rejected": (
        [*BASE, train(spec={"resourceClaims": CLAIMS}), obj("resource.k8s.io/v1", "ResourceClaimTemplate", "t", {"spec": claim()["spec"]}), says("FailedResourceClaimCreation", ADMIN)],
        "ml/train", "claim-controller", "admin access to devices requires", 'label namespace ml with resource.kubernetes.io/admin-access: "true"',
    ),
    "autoscaler that adds no node": (
        [*TAKEN, train(REJECTED), says("NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached")],
        "ml/train", "allocation", "in use by ml/o; the autoscaler adds no node: pod didn't trigger scale-up", "end pod ml/o",
    ),
    "autoscaler that adds a node": (
        [*TAKEN, train(REJECTED), says("TriggeredScaleUp", "pod triggered scale-up: [{pool 1->2 (max: 4)}]")],
        "ml/train", "allocation", "in use by ml/o; the autoscaler adds a node: pod triggered scale-up", "end pod ml/o",
    ),
    "Karpenter": ([*TAKEN, train(REJECTED), says("FailedScheduling", KARPENTER)], "ml/train", "allocation", "in use by ml/o; the autoscaler adds no node: Failed to schedule pod", "end pod ml/o"),
    "Karpenter alone": ([*BASE, claim(), train(), says("FailedScheduling", KARPENTER)], "ml/train", "rejected", "not yet supported by Karpenter", "add nodes with the devices"),
    "preemption": ([*TAKEN, train(REJECTED, nominatedNodeName="n2")], "ml/train", "allocation", "nominatedNodeName is n2: the scheduler waits there", "end pod ml/o"),
    "older pod of the same Deployment": (
        [*SERVE, named("serve-2", SET, **owned("Deployment", "serve")), *of_set("serve-1-a", "serve-1", on="n1"), *of_set("serve-2-b", "serve-2", message=REJECTED)],
        "ml/serve-2-b", "allocation", "older pods of the same Deployment hold devices: ml/serve-1-a", "let older pods of Deployment serve end before new ones start",
    ),
    "resource of a plugin that a driver has": (
        [on(amounts={"nvidia.com/gpu": "0"}), CLASS, SLICE, train("0/1 nodes are available: 1 Insufficient nvidia.com/gpu.", spec={"containers": [PLAIN], "resourceClaims": []})],
        "ml/train", "class", f"no node offers nvidia.com/gpu, and DeviceClass {GPU} has no extendedResourceName", "set extendedResourceName: nvidia.com/gpu",
    ),
    # Pods that have started, or were ended.
    "init container runs": ([*HAS, train(node="n1", phase="Pending", initContainerStatuses=INIT)], "ml/train", "container", "init container wait runs and has not ended", ""),
    "ended by a taint": ([*HAS, train(node="n1", phase="Failed", conditions=[ENDS])], "ml/train", "failed", "DeletionByDeviceTaintManager: Device Taint manager", ""),
    "ends by a taint": ([*HAS, named("train", train(node="n1", conditions=[ENDS]), deletionTimestamp=WHEN)], "ml/train", "deleted", "(DeletionByDeviceTaintManager: Device Taint", ""),
    "claim made again": (
        [*BASE, {**claim(), "metadata": {**claim()["metadata"], "creationTimestamp": "2026-11-22T12:00:00Z"}}, train(node="n1", phase="Pending", conditions=ON_TIME)],
        "ml/train", "claim", "was made at 2026-11-22T12:00:00Z, after the pod was placed", "delete the pod, so that it is placed again",
    ),
    "nodes that were not dumped": (
        [*BASE, claim(), train("0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector.", spec=SELECTS)],
        "ml/train", "filter", "the only node of the dump does not: nodeSelector does not match the node's labels; no node of the dump has the label", "label n1 with",
    ),
    # What a person or a controller has to do: ports, owners, gates, finalizers, a full disk.
    "port of the node": (
        [on(), CLASS, slices(gpu(), gpu(1)), held("o"), with_port(pod("o", on="n1")), claim(), with_port(train(PORTS))],
        "ml/train", "rejected", "didn't have free ports", "end the pod that has the same hostPort",
    ),
    "claim of an older pod": (
        [*BASE, {**claim(), "metadata": {"name": "train-gpu", "namespace": "ml", "ownerReferences": OLDER}}, TEMPLATED, train(spec={"resourceClaims": CLAIMS}, resourceClaimStatuses=[{"name": "gpu", "resourceClaimName": "train-gpu"}])],
        "ml/train", "claim", "was not created for Pod ml/train", "delete the pod, so that it is made again with a claim of its own; if claim train-gpu stays",
    ),
    "too many share a claim": ([*BASE, held("train", pods=tuple(f"p{one}" for one in range(256))), train()], "ml/train", "reservation", "is reserved for 256 consumers", "give the further pods another claim"),
    "scheduling gate": ([*BASE, claim(), train(spec={"schedulingGates": [{"name": "example.com/wait"}]})], "ml/train", "gate", "scheduling gate example.com/wait", "let the controller that sets gate example.com/wait run"),
    "finalizer": ([*HAS, named("train", train(node="n1"), deletionTimestamp=WHEN, finalizers=["foo.com/x"])], "ml/train", "deleted", "finalizers left: foo.com/x", "let the controller that owns finalizer foo.com/x run"),
    "finalizer of Kubernetes": ([*HAS, named("train", train(node="n1"), deletionTimestamp=WHEN, finalizers=["batch.kubernetes.io/job-tracking"])], "ml/train", "deleted", "batch.kubernetes.io/job-tracking", ""),
    "no finalizer": ([*HAS, named("train", train(node="n1"), deletionTimestamp=WHEN)], "ml/train", "deleted", "finalizers left: none", ""),
    "full disk": ([*HAS, train(node="n1", phase="Pending"), said("train", "FailedPrepareDynamicResources", FULL)], "ml/train", "prepare", "no space left on device", "free space or inodes on n1"),
    "device that cannot be attached": ([*BASE, unattached(), train()], "ml/train", "binding", "failure: failed of gpu.nvidia.com/n1/gpu-0 (NoFabric: attach failed); the scheduler", ""),
    "rules of pods": ([*BASE, claim(), train("0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.")], "ml/train", "rejected", "anti-affinity", "meet the required pod anti-affinity"),
    "spreading": ([*BASE, claim(), train("0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints.")], "ml/train", "rejected", "spread constraints", "raise maxSkew"),
    "volume of another zone": ([*BASE, claim(), train("0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity.")], "ml/train", "rejected", "PersistentVolume's", "WaitForFirstConsumer"),
    "kubelet has no cpu left": ([*HAS, train(node="n1", phase="Failed", reason="OutOfcpu")], "ml/train", "failed", "OutOfcpu", "free cpu on n1"),
    "claims are lost": (lost(), "ml/serve-1-x", "claim", "the template of ReplicaSet ml/serve-1 has: the API server dropped them", "enable the feature gate DynamicResourceAllocation"),
}  # fmt: skip


@pytest.mark.parametrize("name", CAUSES)
def test_an_operator_reads_the_cause_and_what_helps(tmp_path: Path, name: str) -> None:
    given, target, step, cause, change = CAUSES[name]
    answer = answer_of(tmp_path, given, target)
    assert answer["step"] == step
    assert cause in answer["cause"]
    assert change in (answer["change"] or "")
    assert bool(answer["change"]) is bool(change)


def test_pods_of_a_set_are_made_in_order(tmp_path: Path) -> None:
    spec = {"replicas": 2, "template": TEMPLATE}
    first = named("db-0", train(node="n1", containerStatuses=RUNS), **owned("StatefulSet", "db"))
    given = [*HAS, obj("apps/v1", "StatefulSet", "db", spec), first]
    text = "its pods are made in order: the next one waits until db-0 is Ready"
    assert text in asked(tmp_path, given, "statefulset/ml/db").stdout
    first["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    assert text not in asked(tmp_path, given, "statefulset/ml/db").stdout
    spec["podManagementPolicy"], first["status"]["conditions"] = "Parallel", []
    assert text not in asked(tmp_path, given, "statefulset/ml/db").stdout


def test_resources_of_device_plugins_count(tmp_path: Path) -> None:
    resource = "nvidia.com/gpu"
    other = named("other", train(node="n1", spec=wants(**{resource: "8"})))
    rejected = train(
        f"0/1 nodes are available: 1 Insufficient {resource}.", spec=wants(**{resource: "1"})
    )
    given = [on(amounts={resource: "8"}), CLASS, SLICE, claim(), other, rejected]
    answer = answer_of(tmp_path, given, "ml/train")
    assert (answer["step"], answer["cause"]) == (
        "filter",
        f"the only node does not: too little {resource} left",
    )


def test_pods_of_other_drivers_are_not_named(tmp_path: Path) -> None:
    other = named("intel-gpu-resource-driver-kubelet-plugin-x", plugin(**CRASHES))
    told = says("FailedPrepareDynamicResources", f"DRA driver {GPU} is not registered")
    answer = answer_of(tmp_path, [*HAS, train(node="n1", phase="Pending"), told, other], "ml/train")
    assert answer["cause"].endswith("is not registered")
    assert answer["details"] == []


def test_no_selector_is_dropped_for_devices_on_other_nodes(tmp_path: Path) -> None:
    here, there = on(), on("n2")
    here["metadata"]["labels"] = {"gpu": "yes"}
    given = [here, there, CLASS, slices(gpu(), on="n2"), claim()]
    answer = answer_of(
        tmp_path, [*given, train(REJECTED, spec={"nodeSelector": {"gpu": "yes"}})], "ml/train"
    )
    assert "the only node that does otherwise does not have the devices" in answer["cause"]
    assert "the devices are on n2, where nodeSelector does not match" in answer["cause"]
    assert "publish devices on the nodes that the pod selects" in answer["change"]
    assert not answer["tried"]


def test_the_fewest_pods_of_all_nodes_are_ended(tmp_path: Path) -> None:
    both = held("c", on="n2")
    results = both["status"]["allocation"]["devices"]["results"]
    both["status"]["allocation"]["devices"]["results"] = [
        {**results[0], "device": f"gpu-{number}"} for number in (0, 1)
    ]
    here = [held("a"), held("b", device="gpu-1"), pod("a", on="n1"), pod("b", on="n1")]
    given = [on(), on("n2"), CLASS, slices(gpu(), gpu(1)), slices(gpu(), gpu(1), on="n2"), *here]
    rejected = train("0/2 nodes are available: 2 cannot allocate all claims.")
    answer = answer_of(
        tmp_path, [*given, both, pod("c", on="n2"), claim(count=2), rejected], "ml/train"
    )
    assert answer["change"].endswith("; or n2: end pod ml/c: gpu-0, gpu-1 are free then")


def test_a_domain_in_a_dump_is_no_workload(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, [*HAS, DOMAIN, train(node="n1")], "ml/train")
    assert (answer["step"], answer["stopped"]) == ("none", False)

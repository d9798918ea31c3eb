"""`dradsl why` on small dumps of classes of incidents that operators have: the headline names the cause, nothing that the dump contradicts is
said, and the change that is offered is the smallest that keeps what was asked."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from tests.why.test_causes import (
    BASE,
    CLASS,
    CRASHES,
    DAEMON_OF,
    DEPLOYMENT,
    HAS,
    PLAIN,
    RUNS,
    SET,
    SLICE,
    TAINT,
    TEMPLATE,
    container,
    named,
    obj,
    of_set,
    on,
    owned,
    plugin,
    said,
    says,
    train,
    two,
    wants,
)
from tests.why.test_facts import answer_of
from tests.why.test_points import (
    DOMAIN,
    GPU,
    PCIE,
    REJECTED,
    claim,
    device_class,
    device_object,
    gpu,
    held,
    pod,
    root,
    slices,
)

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
A = f"device.attributes['{GPU}']"
HEAD = "0/1 nodes are available: "
FIRST, SECOND = (
    "GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c",
    "GPU-4404041a-04cf-1ccf-9e70-f139a9b1e23c",
)
TAKEN = [held("o"), pod("o", on="n1")]
PLUGIN = "nvidia-dra-driver-gpu-kubelet-plugin"


def with_labels(given: Object, **labels: str) -> Object:
    labels = {name.replace("__", "/").replace("_", "."): value for name, value in labels.items()}
    return {**given, "metadata": {**given["metadata"], "labels": labels}}


def with_uuids() -> Object:
    """Two GPUs that publish their UUIDs."""
    return slices(gpu(uuid=FIRST), gpu(1, uuid=SECOND))


def template(name: str = "t", namespace: str = "ml") -> Object:
    head = {"name": name, "namespace": namespace}
    return device_object("ResourceClaimTemplate", head, spec=claim()["spec"])


def by_template(name: str, message: str = "") -> Object:
    return train(
        message, spec={"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": name}]}
    )


def by_claim(name: str) -> Object:
    return train(spec={"resourceClaims": [{"name": "gpu", "resourceClaimName": name}]})


def shared(policy: Any = None) -> Object:
    """A GPU of which claims take a part of the memory."""
    memory = {"value": "80Gi", **({"requestPolicy": policy} if policy else {})}
    return slices(
        {
            "name": "gpu-0",
            "allowMultipleAllocations": True,
            "attributes": {},
            "capacity": {"memory": memory},
        }
    )


def asks(**amounts: str) -> Object:
    """A claim of parts of a device."""
    found = claim()
    found["spec"]["devices"]["requests"][0]["exactly"]["capacity"] = {"requests": amounts}
    return found


def share(memory: str) -> Object:
    """A claim that has a part of the memory."""
    found = held("o")
    result = found["status"]["allocation"]["devices"]["results"][0]
    result |= {
        "shareID": "11111111-1111-1111-1111-111111111111",
        "consumedCapacity": {"memory": memory},
    }
    return found


def of_domain(*more: Object) -> list[Object]:
    """A pod that waits for a ComputeDomain of one node."""
    made, parameters = held("train"), {"kind": "ComputeDomainChannelConfig", "domainID": "d1"}
    opaque = {"driver": "compute-domain.nvidia.com", "parameters": parameters}
    made["spec"]["devices"]["config"] = [{"opaque": opaque}]
    whole = {**DOMAIN, "spec": {"numNodes": 1}, "status": {"status": "NotReady"}}
    return [on(), CLASS, SLICE, whole, made, train(node="n1", phase="Pending"), *more]


def daemons(events: tuple[Object, ...] = (), **status: Any) -> list[Object]:
    spec = {"template": {"spec": {"nodeSelector": {DAEMON_OF: "d1"}}}}
    return [obj("apps/v1", "DaemonSet", "cd-x", spec, status), *events]


def mounts(name: str, image: str = "x", **status: Any) -> Object:
    """A DaemonSet that mounts the folder of sockets of kubelet plugins."""
    folder = {"name": "r", "hostPath": {"path": "/var/lib/kubelet/plugins_registry/"}}
    spec = {"containers": [{"name": "main", "image": image}], "volumes": [folder]}
    return obj("apps/v1", "DaemonSet", name, {"template": {"spec": spec}}, status)


def gated(name: str) -> Object:
    """A pod with a claim for the ComputeDomain, and a scheduling gate."""
    claims = [{"name": "gpu", "resourceClaimTemplateName": "cd-channel"}]
    return named(
        "gated", train(spec={"resourceClaims": claims, "schedulingGates": [{"name": name}]})
    )


def of_gated(gate: str, *nodes: str) -> list[Object]:
    """A ComputeDomain of which a pod that has a gate is to have a channel, too."""
    *others, whole, made, waits = of_domain()
    channel = {"resourceClaimTemplate": {"name": "cd-channel"}}
    whole["status"]["nodes"] = [{"name": name} for name in nodes]
    return [
        *others,
        {**whole, "spec": {"numNodes": 2, "channel": channel}},
        made,
        waits,
        gated(gate),
    ]


def waits_as(name: str, message: str, **meta: Any) -> Object:
    """A pod of a driver that has no node."""
    found = named(name, train(f"{HEAD}{message}"), **meta)
    return {**found, "spec": {"containers": [{"name": "main", "image": "x"}]}}


def queued(message: str) -> list[Object]:
    """A pod that Kueue holds, and what its Workload says."""
    owner = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": "train",
        "uid": "u-train",
        "controller": True,
    }
    condition = {
        "type": "QuotaReserved",
        "status": "False",
        "reason": "Inadmissible",
        "message": message,
    }
    workload = obj(
        "kueue.x-k8s.io/v1beta1",
        "Workload",
        "w",
        {"queueName": "team"},
        {"conditions": [condition]},
        ownerReferences=[owner],
    )
    return [
        *BASE,
        claim(),
        train(spec={"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]}),
        workload,
    ]


def unprepared(message: str) -> list[Object]:
    text = f"Failed to prepare dynamic resources: {message}"
    return [*HAS, train(node="n1", phase="Pending"), says("FailedPrepareDynamicResources", text)]


def replicas(count: int) -> list[Object]:
    """A Deployment and its ReplicaSet that want more pods than there are GPUs."""
    return [{**one, "spec": {**one["spec"], "replicas": count}} for one in (DEPLOYMENT, SET)]


def requires(key: str, value: str) -> Object:
    """A required node affinity."""
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"affinity": {"nodeAffinity": required}}


def job() -> list[Object]:
    """A Job of two pods at once with one GPU."""
    pods = [*of_set("j-a", "j", on="n1"), *of_set("j-b", "j", message=REJECTED)]
    for one in pods:
        if one["kind"] == "Pod":
            one["metadata"] |= owned("Job", "j")
    return [*BASE, obj("batch/v1", "Job", "j", {"parallelism": 2, "template": TEMPLATE}), *pods]


def stateful(**meta: Any) -> list[Object]:
    """A StatefulSet of two pods with one GPU."""
    pods = [
        one
        for name, node, message in (("db-0", "n1", ""), ("db-1", "", REJECTED))
        for one in of_set(name, "db", node, message)
    ]
    for one in pods:
        if one["kind"] == "Pod":
            one["metadata"] |= owned("StatefulSet", "db")
    return [
        *BASE,
        obj("apps/v1", "StatefulSet", "db", {"replicas": 2, "template": TEMPLATE}, **meta),
        *pods,
    ]


def narrow(expression: str) -> Object:
    """A class of an operator's own, for this driver."""
    found = copy.deepcopy(device_class("fast-gpus"))
    found["spec"]["selectors"].append({"cel": {"expression": expression}})
    return found


def typed(name: str, kind: str) -> Object:
    """A class of a driver for one type of its devices."""
    found = device_class(name)
    found["spec"]["selectors"][0]["cel"]["expression"] += f" && {A}.type == '{kind}'"
    return found


def ill() -> Object:
    """A claim whose driver reports trouble with the device."""
    found, of = held("train"), {"driver": GPU, "pool": "n1", "device": "gpu-0"}
    ready = {"type": "Ready", "status": "False", "message": "XID 79"}
    found["status"]["devices"] = [{**of, "conditions": [ready]}]
    return found


def both() -> Object:
    """A claim of a GPU and a network device."""
    found = two()
    del found["spec"]["devices"]["constraints"]
    return found


def twice() -> Object:
    """A pod with two claims."""
    found = train(REJECTED)
    found["spec"]["resourceClaims"] = [
        {"name": one, "resourceClaimName": name} for one, name in (("gpu", "train"), ("b", "b"))
    ]
    return found


def network() -> list[Object]:
    """A pod that was given the interface of a network plugin, as its class takes any interface."""
    given = {"net-v": ("vxlan.calico", False), "pci-1": ("bond2", True), "pci-2": ("bond3", True)}
    devices = [
        {
            "name": name,
            "attributes": {"dra.net/ifName": {"string": interface}, "dra.net/rdma": {"bool": rdma}},
        }
        for name, (interface, rdma) in given.items()
    ]
    found = held("train", device="net-v")
    found["status"]["allocation"]["devices"]["results"][0]["driver"] = "dra.net"
    text = "failed to run pod sandbox: fail to add route for interface vxlan.calico: network is unreachable"
    return [
        on(), device_class("nics", "dra.net"), slices(*devices, driver="dra.net"), found, train(node="n1", phase="Pending"),
        says("FailedCreatePodSandBox", text),
    ]  # fmt: skip


def resource(name: str) -> Object:
    """A pod that asks for an extended resource."""
    amounts = {name: "1"}
    one = {**PLAIN, "resources": {"requests": amounts, "limits": amounts}}
    return train(f"{HEAD}1 Insufficient {name}.", spec={"containers": [one], "resourceClaims": []})


def offers(name: str) -> Object:
    found = device_class()
    return {**found, "spec": {**found["spec"], "extendedResourceName": name}}


SCOPES = "insufficient quota to match these scopes: [{PriorityClass In [system-node-critical]}]"
UNSCHEDULABLE = f"{HEAD}1 node(s) didn't match Pod's node affinity/selector."
UNTOLERATED = "1 node(s) had untolerated taint {gpu: true}."
IMPLICIT = "deviceclass.resource.kubernetes.io/"
POLICY = {"default": "1Gi", "validRange": {"min": "1Gi", "max": "40Gi"}}
FALSE = {
    "other pods of the same Deployment": "older pods",
    "extended resource misspelt": "has no extendedResourceName",
    "plugin that registers a CSI driver": "ml/block",
    "plugin of another driver": "ml/acme-plugin",
    "class of another driver": "is there",
    "domain that has its nodes": "scheduling gate",
}
"""Case -> what must not be said."""

# Case -> objects, target, step, what the headline has, the change (empty: none), whether it was tried.
CLASSES: dict[str, tuple[list[Object], str, str, str, str, bool]] = {
    # What a request asks for.
    "uuid that no device has": (
        [on(), CLASS, with_uuids(), claim(selector=f"{A}.uuid == 'GPU-deadbeef-0000-0000-0000-000000000000'"), train(REJECTED)],
        "ml/train", "allocation", "they have uuid", f"write {FIRST} instead of GPU-deadbeef-0000-0000-0000-000000000000", True,
    ),
    "uuid of a free device": (
        [on(), CLASS, with_uuids(), *TAKEN, claim(selector=f"{A}.architecture == 'Hopper' && {A}.uuid in ['n1-gpu-0']"), train(REJECTED)],
        "ml/train", "allocation", "they have uuid", f"write {SECOND} instead of n1-gpu-0", True,
    ),
    "capacity above the policy": (
        [on(), CLASS, shared(POLICY), asks(memory="60Gi"), train(REJECTED)],
        "ml/train", "allocation", "have too little capacity (memory: 60Gi is more than the maximum 40Gi)", "ask for 40Gi of memory instead of 60Gi", True,
    ),
    "capacity above the device": (
        [on(), CLASS, shared(), asks(memory="96Gi"), train(REJECTED)],
        "ml/train", "allocation", "too little capacity (memory: 96Gi wanted, 80Gi left)", "ask for 80Gi of memory instead of 96Gi", True,
    ),
    "capacity that no device has": (
        [on(), CLASS, shared(), asks(cores="10"), train(REJECTED)],
        "ml/train", "allocation", "have too little capacity (cores: the device has no such capacity)", "drop the capacity request", True,
    ),
    "capacity that others have": (
        [on(), CLASS, shared(), share("60Gi"), pod("o", on="n1"), asks(memory="40Gi"), train(REJECTED)],
        "ml/train", "allocation", "too little capacity (memory: 40Gi wanted, 20Gi left)", "end pod ml/o", True,
    ),
    "attribute that one driver lacks": (
        [on(), CLASS, device_class("nic", "nic.example.com"), slices(root(0, "a")), slices({"name": "nic-0", "attributes": {"numa": {"int": 0}}}, driver="nic.example.com"), two(), train(REJECTED)],
        "ml/train", "allocation", f"request nic: the matching devices do not have the attribute {PCIE}", f"drop the constraint on {PCIE}", True,
    ),
    "attribute that no device has": (
        [*BASE, claim(selector=f"{A}.gpuModel == 'H100'"), train(REJECTED)], "ml/train", "allocation", "no such key: gpuModel", "select by an attribute that the devices publish", False,
    ),
    "two claims of one device": (
        [*BASE, claim(), claim("b"), twice()], "ml/train", "allocation", "its requests ask for 2 devices in all, and 1 that match can be had", "ask for 1 devices in all", False,
    ),
    # Classes and extended resources.
    "class that is too narrow": (
        [on(), narrow(f"{A}.architecture == 'Blackwell'"), SLICE, claim(device_class="fast-gpus"), train(REJECTED)],
        "ml/train", "allocation", 'they have architecture "Hopper"', "change the selector of DeviceClass fast-gpus", False,
    ),
    "class of a type that is not published": (
        [on(), typed("vfio.gpu.nvidia.com", "vfio"), slices(gpu(type="gpu")), claim(device_class="vfio.gpu.nvidia.com"), train(REJECTED)],
        "ml/train", "allocation", "type == 'vfio': they have type \"gpu\"", "let the driver publish devices of type vfio", False,
    ),
    "class that is too wide": (network(), "ml/train", "kubelet", "vxlan.calico is device net-v of its claim, with dra.net/rdma false, unlike 2 others there", "select devices by rdma as well", False),
    "extended resource misspelt": (
        [on(), offers("nvidia.com/gpus"), SLICE, resource("nvidia.com/gpu")],
        "ml/train", "class", f"DeviceClass {GPU} has extendedResourceName nvidia.com/gpus", "set extendedResourceName: nvidia.com/gpu", True,
    ),
    "class of an implicit resource": (
        [*BASE, resource(f"{IMPLICIT}gpu.nvidia.co")], "ml/train", "class", f"DeviceClass gpu.nvidia.co does not exist, which the resource {IMPLICIT}gpu.nvidia.co names; there is {GPU}", "or create DeviceClass gpu.nvidia.co", False,
    ),
    "devices on different nodes": (
        [on(), on("n2"), CLASS, device_class("nic", "nic.example.com"), SLICE, slices({"name": "nic-0", "attributes": {}}, on="n2", driver="nic.example.com"), both(), train("0/2 nodes are available: 2 cannot allocate all claims.")],
        "ml/train", "allocation", "no node has devices for all of nic, gpu, though each has some", "let the drivers of all requests", False,
    ),
    "profile of another model": (
        [on(), CLASS, slices(gpu(profile="1g.10gb")), claim(selector=f"{A}.profile == '1g.5gb'"), train(REJECTED)],
        "ml/train", "allocation", 'they have profile "1g.10gb"', "write 1g.10gb instead of 1g.5gb", True,
    ),
    # Names.
    "template named as a claim": ([*BASE, template(), by_claim("t")], "ml/train", "claim", "resourceClaimName names t, which is a ResourceClaimTemplate", "name the ResourceClaimTemplate t in resourceClaimTemplateName", True),
    "claim named as a template": ([*BASE, claim("t"), by_template("t")], "ml/train", "claim-controller", "resourceClaimTemplateName names t, which is a ResourceClaim", "name the ResourceClaim t in resourceClaimName", True),
    "template of another namespace": (
        [*BASE, template(namespace="default"), by_template("t")], "ml/train", "claim-controller", "ResourceClaimTemplate ml/t is not there; one of this name is in namespace default", "create ResourceClaimTemplate t in namespace ml", False,
    ),
    "template of a ComputeDomain": (
        [on(), CLASS, {**DOMAIN, "spec": {"numNodes": 2, "channel": {"resourceClaimTemplate": {"name": "t"}}}}, template("other"), by_template("t")],
        "ml/train", "claim-controller", "the controller of ComputeDomain ml/cd has not made it", "let the controller of the driver run", False,
    ),
    # Workloads whose own pods have the devices.
    "other pods of the same Deployment": (
        [*BASE, *replicas(2), *of_set("serve-1-a", "serve-1", on="n1"), *of_set("serve-1-b", "serve-1", message=REJECTED)],
        "ml/serve-1-b", "allocation", "other pods of the same Deployment hold devices: ml/serve-1-a", "set spec.replicas of Deployment serve to 1", True,
    ),
    "other pods of the same StatefulSet": (stateful(), "ml/db-1", "allocation", "other pods of the same StatefulSet hold devices: ml/db-0", "set spec.replicas of StatefulSet db to 1", True),
    "pods of a LeaderWorkerSet": (stateful(**owned("LeaderWorkerSet", "llm")), "ml/db-1", "allocation", "other pods of the same LeaderWorkerSet hold devices: ml/db-0", "let the LeaderWorkerSet want no more pods", False),
    "other pods of the same Job": (job(), "ml/j-b", "allocation", "other pods of the same Job hold devices: ml/j-a", "set spec.parallelism of Job j to 1", True),
    # Nodes.
    "affinity to a label that no node has": (
        [on(), CLASS, SLICE, claim(), train(UNSCHEDULABLE, spec=requires("gpu-pool", "h100"))], "ml/train", "filter", "no node has the label gpu-pool=h100", "label n1 with gpu-pool=h100", True,
    ),
    "affinity to another value": (
        [with_labels(on(), gpu="a100"), CLASS, SLICE, claim(), train(UNSCHEDULABLE, spec=requires("gpu", "h100"))], "ml/train", "filter", "no node has the label gpu=h100", "select gpu=a100 instead of h100 (node n1)", True,
    ),
    "larger node that is tainted": (
        [on(), on("n2", taints=TAINT), CLASS, SLICE, slices(gpu(), gpu(1), on="n2"), claim(count=2), train("0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) had untolerated taint {gpu: true}.")],
        "ml/train", "allocation", "1 of 2 devices are there; the devices are on n2, where node taint gpu=true:NoSchedule is not tolerated", "tolerate gpu=true:NoSchedule (node n2)", True,
    ),
    "larger node that is not selected": (
        [with_labels(on(), pool="a"), with_labels(on("n2"), pool="b"), CLASS, SLICE, slices(gpu(), gpu(1), on="n2"), claim(count=2),
         train("0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) didn't match Pod's node affinity/selector.", spec={"nodeSelector": {"pool": "a"}})],
        "ml/train", "allocation", "the devices are on n2, where nodeSelector does not match", "ask for 1 instead of 2", True,
    ),
    "cpu of two containers": (
        [on(), CLASS, SLICE, claim(), train(f"{HEAD}1 Insufficient cpu.", spec={"containers": [wants(cpu="6")["containers"][0], {"name": "b", "image": "x", "resources": {"requests": {"cpu": "6"}}}]})],
        "ml/train", "filter", "too little cpu left", "ask for less cpu", False,
    ),
    "label with another value": (
        [with_labels(on(), nvidia_com__gpu_product="H100"), CLASS, SLICE, claim(), train(UNSCHEDULABLE, spec={"nodeSelector": {"nvidia.com/gpu.product": "A100"}})],
        "ml/train", "filter", "no node has the label nvidia.com/gpu.product=A100", "select nvidia.com/gpu.product=H100 instead of A100", True,
    ),
    "label that Kubernetes sets": (
        [on(), CLASS, SLICE, claim(), train(UNSCHEDULABLE, spec={"nodeSelector": {"topology.kubernetes.io/zone": "a"}})],
        "ml/train", "filter", "no node has the label topology.kubernetes.io/zone=a", "drop the nodeSelector", True,
    ),
    "claim of a node that is gone": (
        [on("n2"), CLASS, slices(gpu(), on="n2"), held("train", pods=("o",)), pod("o", on="n1"), train(f"{HEAD}1 node(s) resourceclaim not available on the node.")],
        "ml/train", "allocation", "it is of pool n1, and the dump has no node of this name", "delete the pod and its claim", False,
    ),
    "as many pods as the node takes": (
        [on(amounts={"pods": "1"}), CLASS, SLICE, claim(), {**pod("o", on="n1"), "spec": {"nodeName": "n1", "containers": [{"name": "m", "image": "x"}]}}, train(f"{HEAD}1 Too many pods.")],
        "ml/train", "filter", "too little pods left", "end a pod on a node with the devices", False,
    ),
    "cpu beside the devices": (
        [on(), CLASS, SLICE, claim(), train(f"{HEAD}1 Insufficient cpu.", spec=wants(cpu="32"))], "ml/train", "filter", "too little cpu left", "request cpu 8 instead of 32", True,
    ),
    # Drivers and ComputeDomains that do not get their pods.
    "plugin without a node": (
        [on(), CLASS, claim(), train(REJECTED), waits_as(f"{PLUGIN}-x", "1 Insufficient cpu.")],
        "ml/train", "allocation", f"Pod ml/{PLUGIN}-x on no node: {HEAD}1 Insufficient cpu", f"free cpu on the node where pod {PLUGIN}-x of namespace ml has to run", False,
    ),
    "plugin that no SCC allows": (
        [on(), CLASS, claim(), train(REJECTED), obj("apps/v1", "DaemonSet", PLUGIN, {"template": {"spec": {}}}, {"desiredNumberScheduled": 1}),
         said(PLUGIN, "FailedCreate", 'pods "x-" is forbidden: unable to validate against any security context constraint: [provider "anyuid"]', "DaemonSet")],
        "ml/train", "allocation", "unable to validate against any security context constraint", "bind the SecurityContextConstraints privileged", False,
    ),
    "plugin of another name": (
        [on(), CLASS, claim(), train(REJECTED), mounts("mine"), said("mine", "FailedCreate", 'pods "mine-" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes', "DaemonSet")],
        "ml/train", "allocation", 'DaemonSet ml/mine, which looks like a plugin of the kubelet: pods "mine-" is forbidden', "change the pod so that it meets the level baseline:latest", False,
    ),
    "plugin of another name for tainted nodes": (
        [on(taints=TAINT), CLASS, claim(), train(REJECTED, spec={"tolerations": [{"operator": "Exists"}]}), mounts("mine", desiredNumberScheduled=0)],
        "ml/train", "allocation", "which looks like a plugin of the kubelet: it makes pods for no node: node taint", "if this is the plugin of the driver, let it tolerate the taint gpu=true:NoSchedule", False,
    ),
    "plugin of another name that makes no pods goes first": (
        [on(taints=TAINT), CLASS, claim(), train(REJECTED, spec={"tolerations": [{"operator": "Exists"}]}), mounts("a", desiredNumberScheduled=0), mounts("b"), said("b", "FailedCreate", "exceeded", "DaemonSet")],
        "ml/train", "allocation", "; DaemonSet ml/b, which looks like a plugin of the kubelet: exceeded", "let driver gpu.nvidia.com run", False,
    ),
    "plugin of another name without a node": (
        [on(), CLASS, claim(), train(REJECTED), mounts("mine"), waits_as("mine-x", UNTOLERATED, ownerReferences=[{"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "mine", "uid": "u-DaemonSet-mine"}])],
        "ml/train", "allocation", "Pod ml/mine-x on no node, which looks like a plugin of the kubelet: ", "let pod mine-x of namespace ml tolerate the taint gpu", False,
    ),
    "plugin whose account has nearly this name": (
        [on(), CLASS, claim(), train(REJECTED), obj("apps/v1", "DaemonSet", PLUGIN, {"template": {"spec": {}}}), obj("v1", "ServiceAccount", "driver-plugins"), said(PLUGIN, "FailedCreate", 'error looking up service account ml/driver-plugin: serviceaccount "driver-plugin" not found', "DaemonSet")],
        "ml/train", "allocation", 'serviceaccount "driver-plugin" not found; ServiceAccount ml/driver-plugins is there', "name ServiceAccount driver-plugins in the DaemonSet", False,
    ),
    "plugin that registers a CSI driver": (
        [on(), CLASS, claim(), train(REJECTED), mounts("block", image="csi-node-driver-registrar:v2", desiredNumberScheduled=0)],
        "ml/train", "allocation", "publishes no ResourceSlice", "let driver gpu.nvidia.com run", False,
    ),
    "plugin of another driver": (
        [on(), CLASS, slices(driver="npu.acme.io"), claim(), train(REJECTED), mounts("acme-plugin", desiredNumberScheduled=0)],
        "ml/train", "allocation", "publishes no ResourceSlice", "let driver gpu.nvidia.com run", False,
    ),
    "plugin that does not start": (
        [on(), CLASS, claim(), train(REJECTED), plugin(phase="Pending"), said(f"{PLUGIN}-x", "FailedMount", 'MountVolume.SetUp failed for volume "c": configmap "c" not found')],
        "ml/train", "allocation", f'Pod ml/{PLUGIN}-x on n1: MountVolume.SetUp failed for volume "c"', "create configmap c", False,
    ),
    "plugin that publishes no device": (
        [on(), CLASS, slices(), claim(), train(REJECTED), plugin(phase="Running")],
        "ml/train", "allocation", f"Pod ml/{PLUGIN}-x runs on n1, and driver {GPU} publishes no device", f"see what the configuration or the policy objects of driver {GPU} select", False,
    ),
    "plugin that publishes nothing": (
        [on(), CLASS, slices({"name": "channel-0"}, driver="compute-domain.nvidia.com"), claim(), train(REJECTED), plugin(phase="Running")],
        "ml/train", "allocation", f"Pod ml/{PLUGIN}-x runs on n1, and driver {GPU} publishes no device", f"see what the configuration or the policy objects of driver {GPU} select", False,
    ),
    "class that is spelt nearly so": (
        [on(), device_class("gpus.acme.exmple.com"), claim(device_class="gpus.acme.example.com"), train()],
        "ml/train", "class", "device class gpus.acme.example.com does not exist; DeviceClass gpus.acme.exmple.com is there", "create the DeviceClass as gpus.acme.example.com", False,
    ),
    "class of another driver": (
        [on(), device_class("mig.nvidia.com"), SLICE, claim(), train()],
        "ml/train", "class", f"device class {GPU} does not exist", "install the driver", False,
    ),
    "class of another product": (
        [on(), device_class("gpu-h100"), SLICE, claim(device_class="gpu-a100"), train()],
        "ml/train", "class", "device class gpu-a100 does not exist", "install the driver", False,
    ),
    "nodes that say different things": (
        [on(taints=TAINT), on("n2", taints=TAINT), on("n3"), CLASS, SLICE, claim(), train(spec={**wants(cpu="32")})],
        "ml/train", "filter", "none of 3 nodes does: node taint gpu=true:NoSchedule is not tolerated (2 nodes); too little cpu left", "request cpu 8 instead of 32", True,
    ),
    "domain whose pods have a gate": (
        of_gated("example.com/wait"),
        "ml/train", "prepare", "scheduling gate example.com/wait keeps 1 pod with a claim for it", "lift the scheduling gate example.com/wait of these pods", False,
    ),
    "domain whose daemons wait and whose pods have a gate": (
        [*of_gated("example.com/wait"), named("cd-x-1", train(node="n1", phase="Running", containerStatuses=RUNS), labels={DAEMON_OF: "d1"})],
        "ml/train", "prepare", "Pod ml/cd-x-1 on n1: container main runs and is not ready; scheduling gate example.com/wait", "lift the scheduling gate example.com/wait", False,
    ),
    "domain whose daemon crashes and whose pods have a gate": (
        [*of_gated("example.com/wait"), named("cd-x-1", train(node="n1", **CRASHES), labels={DAEMON_OF: "d1"})],
        "ml/train", "prepare", "container main: CrashLoopBackOff: back-off; scheduling gate example.com/wait", "see the log of container main of pod cd-x-1", False,
    ),
    "domain that has its nodes": (
        of_gated("example.com/wait", "n1", "n2"),
        "ml/train", "prepare", "0 of 2 nodes (spec.numNodes) are; it has n1, n2", "let pods of the workload be placed on as many nodes as spec.numNodes", False,
    ),
    "domain whose pods wait for Kueue": (
        of_gated("kueue.x-k8s.io/admission"),
        "ml/train", "prepare", "scheduling gate kueue.x-k8s.io/admission keeps 1 pod with a claim for it", "let pods of the workload be placed on as many nodes as spec.numNodes", False,
    ),
    "plugin without its image": (
        [on(), CLASS, claim(), train(REJECTED), plugin(phase="Pending", containerStatuses=container("ImagePullBackOff", 'Back-off pulling image "x:v9": not found'))],
        "ml/train", "allocation", "ImagePullBackOff", "correct the image", False,
    ),
    "daemons of a domain have no quota": (
        of_domain(*daemons((said("cd-x", "FailedCreate", f"Error creating: {SCOPES}", "DaemonSet"),), desiredNumberScheduled=1)),
        "ml/train", "prepare", f"DaemonSet ml/cd-x: Error creating: {SCOPES}", "create a ResourceQuota in namespace ml whose scopeSelector has", False,
    ),
    "daemon of a domain has no node": (
        of_domain(*daemons(desiredNumberScheduled=1), waits_as("cd-x-1", UNTOLERATED, labels={DAEMON_OF: "d1"})),
        "ml/train", "prepare", f"Pod ml/cd-x-1 on no node: {HEAD}{UNTOLERATED}", "let pod cd-x-1 of namespace ml tolerate the taint gpu", False,
    ),
    "driver and autoscaler": (
        [on(), CLASS, claim(), train(REJECTED), says("NotTriggerScaleUp", "pod didn't trigger scale-up: 1 cannot allocate all claims")],
        "ml/train", "allocation", "publishes no ResourceSlice; the autoscaler adds no node: pod", "keep one node of the group", False,
    ),
    # Kueue, and other schedulers.
    "Kueue does not count it": (queued("DRA resource resolution failed: AllocationMode 'All' is not supported"), "ml/train", "kueue", "AllocationMode 'All' is not supported", "write the request with exactly and a count", False),
    "queue that is stopped": (queued("ClusterQueue cq is stopped"), "ml/train", "kueue", "ClusterQueue cq is stopped", "set spec.stopPolicy: None in ClusterQueue cq", False),
    "namespace that a queue does not take": (queued("Workload namespace doesn't match ClusterQueue selector"), "ml/train", "kueue", "doesn't match ClusterQueue selector", "give namespace ml the labels", False),
    "scheduler that does not run": ([*BASE, claim(), train(spec={"schedulerName": "mine"})], "ml/train", "other-scheduler", "schedulerName is mine, and it has no node", "see that scheduler mine runs", False),
    # Kubelets and drivers.
    "claim that no container has": (
        [*HAS, train(node="n1", spec={"containers": [{"name": "main", "image": "x"}]}, containerStatuses=container("CrashLoopBackOff", "back-off", {"exitCode": 127, "reason": "Error"}))],
        "ml/train", "container", "no container has the claim gpu in resources.claims", "name the claim gpu in resources.claims of the container", False,
    ),
    "plugin of a shorter name": (
        [on(), device_class("vfs", "sriovnetwork.example.io"), claim(device_class="vfs"), train(REJECTED), named("dra-driver-sriov-x", plugin(phase="Running", containerStatuses=container("CrashLoopBackOff", "back-off")))],
        "ml/train", "allocation", "Pod ml/dra-driver-sriov-x on n1: container main: CrashLoopBackOff", "see the log of container main of pod dra-driver-sriov-x in namespace ml", False,
    ),
    "device that is published no more": ([on(), CLASS, slices(gpu(1)), held("train"), train(node="n1")], "ml/train", "device", "no slice publishes it any more", "let the driver publish device gpu.nvidia.com/n1/gpu-0 again", False),
    "device that is not ready": ([*BASE, ill(), train(node="n1")], "ml/train", "device", "the driver reports it not to be ready (XID 79)", "see what the driver reports of the device", False),
    "device with NoExecute": (
        [on(), CLASS, slices({**gpu(), "taints": [{"key": "gpu.nvidia.com/xid", "value": "79", "effect": "NoExecute"}]}), held("train"), train(node="n1")],
        "ml/train", "taint", "has the taint gpu.nvidia.com/xid=79:NoExecute", "see who sets the taint gpu.nvidia.com/xid", False,
    ),
    "device that the driver lost": (unprepared('error preparing devices: allocatable not found for device "gpu-0"'), "ml/train", "prepare", "allocatable not found", "delete the pod and its claim", False),
    "claim that was deleted": (unprepared('fetch ResourceClaim train: resourceclaims.resource.k8s.io "train" not found'), "ml/train", "prepare", "fetch ResourceClaim train", "delete the pod, so that it is placed again", False),
    "name of an interface": (unprepared("interface.name: name 'gpu-network-zero-0' exceeds maximum length of 15 characters"), "ml/train", "prepare", "exceeds maximum length", "write a name of at most 15 characters", False),
    "node is bound to vfio": (unprepared('error configuring vfio device "gpu-0": IOMMU is off'), "ml/train", "prepare", "error configuring vfio device", "enable the IOMMU of n1", False),
}  # fmt: skip


@pytest.mark.parametrize("name", CLASSES)
def test_the_class_of_an_incident_is_recognized(tmp_path: Path, name: str) -> None:
    given, target, step, cause, change, tried = CLASSES[name]
    answer = answer_of(tmp_path, given, target)
    assert answer["step"] == step
    assert cause in answer["cause"]
    assert name not in FALSE or FALSE[name] not in answer["cause"]
    assert change in (answer["change"] or "")
    assert (bool(answer["change"]), answer["tried"]) == (bool(change), tried)

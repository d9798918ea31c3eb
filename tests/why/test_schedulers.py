"""`dradsl why` on what an administrator meets around scheduling: who has the devices, where volumes are, tolerations that are nearly right,
classes of the same driver, groups, queues, and schedulers that do not look at claims. The headline names the cause, and the change is the smallest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.why.questions import (
    DRIVER,
    claim,
    device_class,
    event,
    gpu,
    node,
    none_of,
    pod,
    request,
    slice_of,
    template,
    using,
    wanting,
    workload,
)
from tests.why.test_facts import answer_of

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
A = f"device.attributes['{DRIVER}']"
SAID = none_of(1)
H100 = "NVIDIA H100 80GB HBM3"
KUEUE = "kueue.x-k8s.io/v1beta2"
RES = "nvidia.com/gpu"
COUNTED = {"requests": {"x.io/gpus": "1"}, "limits": {"x.io/gpus": "1"}}
MAINTAINED = {"key": "example.com/maintenance", "value": "planned", "effect": "NoExecute"}


def obj(api: str, kind: str, name: str, space: str = "ml", **top: Any) -> Object:
    head = {"name": name, "uid": f"u-{name}", **top.pop("metadata", {})}
    head |= {"namespace": space} if space else {}
    return {"apiVersion": api, "kind": kind, "metadata": head, **top}


def with_(found: Object, path: str, value: Any) -> Object:
    """The object with another value at a path."""
    *above, last = path.split("/")
    place = found
    for step in above:
        place = place.setdefault(step, {})
    place[last] = value
    return found


def named(name: str, **attributes: str) -> Object:
    return gpu(name, attributes={key: {"string": value} for key, value in attributes.items()})


def base(*devices: Object, at: str = "n1", **labels: str) -> list[Object]:
    """A node with devices, and the class of all of them."""
    some = devices or (gpu("gpu-0"), gpu("gpu-1"))
    return [node(at, **labels), slice_of(at, *some), device_class(expression=f"device.driver == '{DRIVER}'")]  # fmt: skip


def only() -> list[Object]:
    """A node whose one GPU a pod has."""
    return [*base(gpu("gpu-0")), *using("nb", "n1", "gpu-0")]


def asks(selector: str = "", **exactly: Any) -> list[Object]:
    found = request(of=DRIVER, **exactly) if not selector else request("gpu", selector, **exactly)
    return wanting("train", found, said=SAID)


def tolerating(**toleration: str) -> list[Object]:
    """A pod whose claim tolerates a taint, and the one GPU, which has another."""
    own = {"key": MAINTAINED["key"], "operator": "Equal", "value": "planned", **toleration}
    return [*base(gpu("gpu-0", taints=[MAINTAINED])), *asks(tolerations=[own])]


def on_tainted(**toleration: str) -> list[Object]:
    """A pod that tolerates the taint of the only node nearly."""
    taint = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
    own = {"key": "dedicated", "operator": "Equal", "value": "gpu", **toleration}
    said = "0/1 nodes are available: 1 node(s) had untolerated taint(s)."
    waits = wanting("train", request(), said=said, pod_spec={"tolerations": [own]})
    return [node("n1", taints=[taint]), *base()[1:], *waits]


def volume(zone: str) -> list[Object]:
    """A volume of a zone, and its claim."""
    rule = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [zone]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [rule]}]}
    spec = {"volumeName": "pv-1", "accessModes": ["ReadWriteOnce"]}
    return [
        obj("v1", "PersistentVolumeClaim", "data", spec=spec, status={"phase": "Bound"}),
        obj("v1", "PersistentVolume", "pv-1", "", spec={"nodeAffinity": {"required": terms}}),
    ]


def in_zones(zone: str, *more: Object) -> list[Object]:
    """Two nodes of two zones with a GPU each, that of the first in use, and a pod with a volume of this zone."""
    label = "topology.kubernetes.io/zone"
    both = [*base(gpu("gpu-0"), **{label: "a"}), *base(gpu("gpu-0"), at="n2", **{label: "b"})[:2]]
    spec = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
    said = "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 1 cannot allocate all claims."
    waits = wanting("train", request(), said=said, pod_spec=spec)
    return [*both, *using("nb", "n1", "gpu-0"), *volume(zone), *waits, *more]


def spread() -> list[Object]:
    """A pod that a spread constraint keeps from the only node with devices."""
    said = "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) didn't match pod topology spread constraints."
    return [*base(), node("n2"), *wanting("train", request(), said=said)]


def gang() -> list[Object]:
    """Two pods of a Volcano group, and one GPU."""
    said = "pod group is not ready, 2 Pending, 2 minAvailable; Pending: 2 Unschedulable"
    some = [one for name in ("vc-0", "vc-1") for one in wanting(name, request(), said=said, pod_spec={"schedulerName": "volcano"})[:2]]  # fmt: skip
    for one in some:
        one["metadata"]["annotations"] = {"scheduling.k8s.io/group-name": "vc", **one["metadata"].get("annotations", {})}  # fmt: skip
    return [*base(gpu("gpu-0")), *some, template("one", request())]


def left_on_dead_node() -> list[Object]:
    """A shared claim that a pod keeps on a node whose kubelet is gone, and a new pod."""
    gone = {"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}
    dead = with_(node("n1", taints=[gone]), "status/conditions", [{"type": "Ready", "status": "Unknown"}])  # fmt: skip
    old = pod("old", ("gpu", "shared", ""), on="n1")
    with_(old, "metadata/deletionTimestamp", "2026-11-20T07:00:00Z")
    said = "0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 resourceclaim not available on the node."
    new = pod("train", ("gpu", "shared", ""), said=said)
    held = claim("shared", request(), on="n1", has=["gpu-0"], users=["old"])
    return [dead, *base()[1:], *base(at="n2")[:2], held, old, new]


def exporter() -> list[Object]:
    """A DaemonSet whose pods take all devices of their nodes."""
    every = {"name": "gpu", "exactly": {"deviceClassName": DRIVER, "allocationMode": "All"}}
    holder = using("exp", "n1", "gpu-0", space="mon", owner=("DaemonSet", "exporter"))
    holder[1]["spec"]["devices"]["requests"] = [every]
    return [*base(gpu("gpu-0")), *holder, *asks()]


def watched() -> list[Object]:
    """A device that one pod has, and another watches."""
    watching = using("exp", "n1", {"device": "gpu-0", "adminAccess": True}, space="mon")
    watching[1]["spec"]["devices"]["requests"] = [request(adminAccess=True)]
    return [*only(), *watching, *asks()]


def labelled() -> list[Object]:
    """A pod that selects a label which the node with free devices does not have."""
    key = "nvidia.com/gpu.present"
    spec = {"nodeSelector": {key: "true"}}
    first = [*base(gpu("gpu-0"), **{key: "true"}), *using("nb", "n1", "gpu-0")]
    said = "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) didn't match Pod's node affinity/selector."
    return [*first, *base(at="n2")[:2], *wanting("train", request(), said=said, pod_spec=spec)]


def suspended(queue: str, text: str, **spec: Any) -> list[Object]:
    """A Job that Kueue holds, and what its Workload says."""
    job = workload("Job", "train", 1, {"name": "gpu", "resourceClaimTemplateName": "one"}, suspend=True)  # fmt: skip
    job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": queue}
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "u-train", "controller": True}  # fmt: skip
    said = {"type": "QuotaReserved", "status": "False", "reason": "Inadmissible", "message": text}
    of = {"ownerReferences": [owner]}
    held = obj(KUEUE, "Workload", "job-train", metadata=of, spec={"queueName": queue, **spec}, status={"conditions": [said]})  # fmt: skip
    local = obj(KUEUE, "LocalQueue", "team-a", spec={"clusterQueue": "cq"})
    return [*base(), template("one", request()), job, held, local]


def by_topology(counted: bool) -> list[Object]:
    """A pod that Kueue has given a node on which another pod has the device, which counts for Kueue or not."""
    waits = wanting("train", request(), said=SAID, owner=("Job", "x"), pod_spec={"nodeSelector": {"kubernetes.io/hostname": "n1"}, "resources": COUNTED})  # fmt: skip
    owner = [{"apiVersion": "batch/v1", "kind": "Job", "name": "x", "uid": "u-x", "controller": True}]  # fmt: skip
    assigned = {"podSetAssignments": [{"name": "main", "topologyAssignment": {"levels": ["kubernetes.io/hostname"]}}]}  # fmt: skip
    given = base(gpu("gpu-0"))
    given[0]["status"]["allocatable"]["x.io/gpus"] = "2"
    more: Object = {"resources": COUNTED} if counted else {}
    return [*given, *using("nb", "n1", "gpu-0", **more), *waits, obj(KUEUE, "Workload", "job-x", metadata={"ownerReferences": owner}, status={"admission": assigned})]  # fmt: skip


def by_other(scheduler: str, *more: Object) -> list[Object]:
    """A pod that a scheduler has placed without a claim for its extended resource."""
    mapped = device_class("a30", f"device.driver == '{DRIVER}'", extendedResourceName=RES)
    limits = {"limits": {RES: "1"}, "requests": {RES: "1"}}
    placed = pod("train", on="n1", resources=limits, schedulerName=scheduler)
    state = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}
    with_(placed, "status/containerStatuses", [{"name": "main", "ready": False, "state": state}])
    return [*base()[:2], mapped, placed, *more]


def profile(scheduler: str, plugins: str) -> Object:
    text = f"profiles:\n- schedulerName: {scheduler}\n  plugins:\n    multiPoint:\n      disabled:\n      - name: '*'\n{plugins}"
    return obj("v1", "ConfigMap", "scheduler-config", "slurm", data={"scheduler-config.yaml": text})


def by_volcano(arguments: str = "") -> list[Object]:
    """A pod that Volcano has placed, and whose claim nobody has allocated."""
    waits = wanting("train", request(), pod_spec={"schedulerName": "volcano", "nodeName": "n1"})
    text = f"tiers:\n- plugins:\n  - name: predicates\n{arguments}"
    return [*base(), *waits, obj("v1", "ConfigMap", "volcano-scheduler", "volcano-system", data={"volcano.conf": text})]  # fmt: skip


def incomplete() -> list[Object]:
    """A pool of which one slice is missing, and the plugin of its driver."""
    found = slice_of("n1", gpu("gpu-0"), pool={"resourceSliceCount": 2})
    plugin = pod("gpu-example-com-kubelet-plugin", on="n1", space="sys")
    plugin["metadata"]["labels"] = {"app": DRIVER}
    return [node("n1"), found, base()[2], plugin, *asks()]


def kyverno() -> list[Object]:
    """A Deployment whose pods a policy of Kyverno rejects."""
    text = "admission webhook \"validate.kyverno.svc-fail\" denied the request: \n\nresource Pod/ml/serve-7b was blocked due to the following policies \n\nneeds-toleration:\n  check: 'validation error: GPU pods must tolerate nvidia.com/gpu. rule check failed at path /spec/tolerations/'\n"
    bad = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": text}
    made = workload("Deployment", "serve", 1, {"name": "gpu", "resourceClaimTemplateName": "one"})
    return [*base(), template("one", request()), with_(made, "status/conditions", [bad])]


def got_nic() -> list[Object]:
    """A pod that has got a network interface, as its class takes any device."""
    crashed = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}
    given = using("train", "n1", {"device": "eth1", "driver": "dra.net"})
    with_(given[0], "status/containerStatuses", [{"name": "main", "ready": False, "state": crashed}])  # fmt: skip
    given[1]["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] = "any"
    every = device_class("any", "device.attributes.size() > 0")
    return [*base()[:2], slice_of("n1", gpu("eth1"), driver="dra.net"), every, *given]


def by_default(**capacity: Any) -> list[Object]:
    """A device that may be shared, which a claim without (or with) a capacity has whole."""
    shared = {**gpu("gpu-0", memory="48Gi"), "allowMultipleAllocations": True}
    part = {"device": "gpu-0", "shareID": "00000001-0000-4000-8000-000000000000", "consumedCapacity": {"memory": "48Gi"}}  # fmt: skip
    holder = using("nb", "n1", part)
    holder[1]["spec"]["devices"]["requests"] = [request(**capacity)]
    wants = request(capacity={"requests": {"memory": "16Gi"}})
    return [*base(shared), *holder, *wanting("train", wants, said=SAID)]


def silent() -> list[Object]:
    """A pod whose claim nobody makes, and a controller manager that crashes."""
    manager = pod("kube-controller-manager-cp", on="n1", space="kube-system")
    crashed = {"waiting": {"reason": "CrashLoopBackOff"}}
    with_(manager, "status/containerStatuses", [{"name": "main", "ready": False, "state": crashed}])
    return [*base(), template("one", request()), pod("train", ("gpu", "", "one")), manager]


def extended(count: int) -> list[Object]:
    """A pod that asks for more of an extended resource than a node has devices."""
    every = device_class(expression=f"device.driver == '{DRIVER}'", extendedResourceName=RES)
    asked = {RES: str(count)}
    return [*base()[:2], every, pod("train", said=SAID, resources={"limits": asked, "requests": asked})]  # fmt: skip


def bound_apart() -> list[Object]:
    """A claim that is allocated on one node, and a volume of another."""
    found = [one for one in in_zones("b") if one["metadata"]["name"] not in ("nb", "nb-gpu", "train", "train-gpu", "one")]  # fmt: skip
    held = claim("shared", request(), on="n1", has=["gpu-0"], users=["a"])
    said = "0/2 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity, 1 resourceclaim not available on the node."
    spec: Object = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
    return [*found, held, pod("a", ("gpu", "shared", ""), on="n1"), pod("train", ("gpu", "shared", ""), said=said, **spec)]  # fmt: skip


def port() -> list[Object]:
    """A pod that the only node with devices has no port for."""
    said = "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) didn't have free ports for the requested pod ports."
    return [*base(), node("n2"), *wanting("train", request(), said=said)]


def numa() -> list[Object]:
    """Two GPUs of one NUMA node, of which one is in use, and one of another."""
    key = "resource.kubernetes.io/numaNode"
    some = [gpu(f"gpu-{n}", attributes={key: {"int": n // 2}}) for n in range(3)]
    wants = wanting("train", request(count=2), said=SAID, constraints=[{"matchAttribute": key}])
    return [*base(*some), *using("nb", "n1", "gpu-0"), *wants]


def unplaced() -> list[Object]:
    """A pod that has a device reserved, and no node."""
    said = 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'
    held = claim("pre-gpu", request(), on="n1", has=["gpu-0"], users=["pre"], pod="pre")
    return [*base(gpu("gpu-0")), pod("pre", ("gpu", "pre-gpu", "one"), said=said), held, *asks()]


def everywhere(**spec: Any) -> list[Object]:
    """A pod of a DaemonSet for a node without devices."""
    made = workload("DaemonSet", "infer", 2, {"name": "gpu", "resourceClaimTemplateName": "one"})
    made["spec"]["template"]["spec"].update(spec)
    names = [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]
    terms = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields": names}]}}  # fmt: skip
    said = "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) didn't match Pod's node affinity/selector."
    waits = wanting("train", request(), said=said, owner=("DaemonSet", "infer"), pod_spec={"affinity": {"nodeAffinity": terms}})  # fmt: skip
    return [*base(), node("n2"), made, *waits]


def rejected(text: str, *more: Object) -> list[Object]:
    """A Deployment whose pods the API server rejects."""
    bad = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": text}
    made = workload("Deployment", "serve", 1, {"name": "gpu", "resourceClaimTemplateName": "one"})
    return [*base(), template("one", request()), with_(made, "status/conditions", [bad]), *more]


def forbidden() -> list[Object]:
    """A scheduler that may not list slices."""
    text = 'resourceslices.resource.k8s.io is forbidden: User "system:serviceaccount:sched:packer" cannot list resource "resourceslices" in API group "resource.k8s.io" at the cluster scope'
    packer = pod("packer", on="n1", space="sched")
    state = {"waiting": {"reason": "CrashLoopBackOff"}}
    last = {"terminated": {"exitCode": 1, "reason": "Error", "message": text}}
    with_(packer, "status/containerStatuses", [{"name": "main", "ready": False, "state": state, "lastState": last}])  # fmt: skip
    role = obj("rbac.authorization.k8s.io/v1", "ClusterRole", "packer", "", rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]}])  # fmt: skip
    subject = {"kind": "ServiceAccount", "namespace": "sched", "name": "packer"}
    bound = obj("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "packer", "", roleRef={"kind": "ClusterRole", "name": "packer"}, subjects=[subject])  # fmt: skip
    return [*base(), packer, role, bound]


# Case -> objects, what is asked, step, words of the cause, words of the change.
SCHEDULERS: dict[str, tuple[list[Object], str, str, tuple[str, ...], str]] = {
    "who has the device": ([*only(), *asks()], "ml/train", "allocation", ("the matching devices are in use by ml/nb",), "end pod ml/nb"),
    "all devices, one in use": ([*base(), *using("nb", "n1", "gpu-0"), *wanting("train", {"name": "gpu", "exactly": {"deviceClassName": DRIVER, "allocationMode": "All"}}, said=SAID)], "ml/train", "allocation", ("in use by ml/nb (1 of 2 devices left, and it asks for all of them)",), "end pod ml/nb"),
    "version": ([*base(gpu("gpu-0", attributes={"driverVersion": {"version": "570.124.6"}})), *asks(f"{A}.driverVersion.compareTo(semver('580.0.0')) >= 0")], "ml/train", "allocation", ("driverVersion 570.124.6",), "write 570.124.6 instead of 580.0.0"),
    "part of a name": ([*base(named("gpu-0", productName="NVIDIA A100-SXM4-40GB")), *asks(f"{A}.productName.contains('H100')")], "ml/train", "allocation", ("A100-SXM4-40GB",), "write NVIDIA A100-SXM4-40GB instead of H100"),
    "class of the same driver": ([node("n1"), slice_of("n1", gpu("gpu-0"), driver="gpu.nvidia.com"), device_class("nvidia-gpu", "device.driver == 'gpu.nvidia.com'"), *wanting("train", request(of="gpu.nvidia.com"), said="0/1 nodes are available: request gpu: device class gpu.nvidia.com does not exist.")], "ml/train", "class", ("DeviceClass nvidia-gpu is there, and has such devices",), "name the DeviceClass nvidia-gpu"),
    "another driver alone": ([node("n1"), slice_of("n1", gpu("gpu-0"), driver="other.example.org"), *base()[2:], *asks()], "ml/train", "allocation", ("publishes no ResourceSlice (only driver other.example.org does)",), "let driver"),
    "profile that a GPU does not have": ([*base(named("mig-0", profile="1g.10gb", productName=H100)), *asks(f"{A}.profile == '1g.5gb'")], "ml/train", "allocation", (f"{H100} has no profile 1g.5gb: its profiles are 1g.10gb",), "write 1g.10gb instead of 1g.5gb"),
    "profile of 40 GB": ([*base(named("mig-0", profile="1g.5gb", productName="NVIDIA A100-SXM4-40GB")), *asks(f"{A}.profile == '3g.40gb'"), ], "ml/train", "allocation", ('they have profile "1g.5gb"',), "write 1g.5gb instead of 3g.40gb"),
    "profile of an A100 of 80 GB": ([*base(named("mig-0", profile="1g.5gb", productName="NVIDIA A100-SXM4-40GB")), *asks(f"{A}.profile == '7g.80gb'")], "ml/train", "allocation", ("NVIDIA A100-SXM4-40GB has no profile 7g.80gb: its profiles are 1g.5gb",), "write 1g.5gb instead of 7g.80gb"),
    "profile of an H200": ([*base(named("mig-0", profile="1g.18gb", productName="NVIDIA H200")), *asks(f"{A}.profile == '1g.10gb'")], "ml/train", "allocation", ("NVIDIA H200 has no profile 1g.10gb: its profiles are 1g.18gb",), "write 1g.18gb instead of 1g.10gb"),
    "effect of a toleration": (tolerating(effect="NoSchedule"), "ml/train", "allocation", ("ResourceClaim ml/train-gpu tolerates example.com/maintenance with effect NoSchedule, and the taint has NoExecute",), "write effect: NoExecute in this toleration"),
    "value of a toleration": (tolerating(value="urgent", effect="NoExecute"), "ml/train", "allocation", ("tolerates example.com/maintenance with the value urgent, and the taint has planned",), "write value: planned in this toleration"),
    "effect of a pod's toleration": (on_tainted(effect="NoExecute"), "ml/train", "filter", ("Pod ml/train tolerates dedicated with effect NoExecute, and the taint has NoSchedule",), "tolerate dedicated"),
    "value of a pod's toleration": (on_tainted(value="cpu", effect="NoSchedule"), "ml/train", "filter", ("Pod ml/train tolerates dedicated with the value cpu, and the taint of Node n1 has gpu",), "tolerate dedicated"),
    "volume of a zone": (in_zones("a"), "ml/train", "allocation", ("PersistentVolume pv-1 of claim data can only be used on n1; there", "in use by ml/nb", "without it it fits on 1 of 2 nodes, n2"), "end pod ml/nb"),
    "volume of no node": (in_zones("c"), "ml/train", "rejected", ("PersistentVolume pv-1 of claim data can only be used on no node of the dump; 0/2 nodes",), "use a volume that the nodes with the devices reach"),
    "spread": (spread(), "ml/train", "rejected", ("topology spread constraints.; apart from these rules it fits on 1 of 2 nodes, n1 for one",), "ScheduleAnyway"),
    "group with too few devices": (gang(), "ml/vc-0", "rejected", ("placed one after the other, 1 of the 2 pods of its group that wait fit",), "lower minMember"),
    "claim that is kept on a dead node": (left_on_dead_node(), "ml/train", "allocation", ("pod ml/old keeps it, and is Terminating since",), "let pod ml/old go"),
    "exporter with all devices": (exporter(), "ml/train", "allocation", ("in use by mon/exp; ResourceClaim mon/exp-gpu, of a DaemonSet's pod, asks for all devices of its node without adminAccess",), "set adminAccess: true in ResourceClaimTemplate mon/one"),
    "label of a node": (labelled(), "ml/train", "allocation", ("Node n2 does not have the label nvidia.com/gpu.present=true that the pod selects",), "label n2 with nvidia.com/gpu.present=true"),
    "queue of another name": (suspended("team-b", "LocalQueue team-b doesn't exist"), "job/ml/train", "kueue", ("namespace ml has LocalQueue team-a",), "name LocalQueue team-a"),
    "Workload that is not active": (suspended("team-a", "x", active=False), "job/ml/train", "kueue", ("is not active (spec.active: false)",), "set spec.active: true in Workload job-train"),
    "node that Kueue counts as free": (by_topology(counted=False), "ml/train", "allocation", ("in use by ml/nb", "has given the pod n1, which Kueue counts by x.io/gpus: Pod ml/nb has devices there and does not ask for x.io/gpus"), "end pod ml/nb"),
    "scheduler without the plugin": (by_other("slurm", profile("slurm", "")), "ml/train", "claim", ("no claim was made for nvidia.com/gpu, which DeviceClass a30 offers", "the profile of slurm in ConfigMap slurm/scheduler-config turns all plugins off"), "enable DynamicResources (plugins.multiPoint.enabled) for slurm"),
    "scheduler of an unknown profile": (by_other("slurm"), "ml/train", "claim", ("slurm has placed the pod without the plugin DynamicResources",), "let slurm run the plugin DynamicResources"),
    "Volcano without claims": (by_volcano(), "ml/train", "claim", ("ConfigMap volcano-system/volcano-scheduler does not have predicate.DynamicResourceAllocationEnable: true",), "set predicate.DynamicResourceAllocationEnable: true"),
    "pool without a slice": (incomplete(), "ml/train", "allocation", ("Pod sys/gpu-example-com-kubelet-plugin is the plugin there",), "delete Pod sys/gpu-example-com-kubelet-plugin"),
    "class that takes anything": (got_nic(), "ml/train", "container", (f"DeviceClass any does not name a driver: the pod has got a device of dra.net, and {DRIVER} publishes devices, too",), f'begin the selector of DeviceClass any with device.driver == "{DRIVER}"'),
    "device that is whole by default": (by_default(), "ml/train", "allocation", ("ResourceClaim ml/nb-gpu asks for no capacity and has all of the memory of device gpu-0 (48Gi)",), "write capacity.requests.memory into ResourceClaim ml/nb-gpu"),
    "controller manager that crashes": (silent(), "ml/train", "claim-controller", ("Pod kube-system/kube-controller-manager-cp, which makes it, waits: CrashLoopBackOff",), "let Pod kube-system/kube-controller-manager-cp run"),
    "more of an extended resource": (extended(8), "ml/train", "allocation", ("nvidia.com/gpu: 2 of 8 devices are there",), "ask for 2 instead of 8 in nvidia.com/gpu"),
    "claim here and volume there": (bound_apart(), "ml/train", "allocation", ("PersistentVolume pv-1 of claim data can only be used on n2; there its claim ml/shared is allocated, and no node", "(its devices are of pool n1)"), "give the pod a claim of its own"),
    "port of a node": (port(), "ml/train", "rejected", ("apart from these rules it fits on 1 of 2 nodes, n1 for one",), "drop hostPort"),
    "one NUMA node": (numa(), "ml/train", "allocation", ("1 of 2 devices have the same resource.kubernetes.io/numaNode, 1 more in use",), "end pod ml/nb"),
    "device of a pod without a node": (unplaced(), "ml/train", "allocation", ('in use by ml/pre; Pod ml/pre has no node itself: running PreBind plugin "VolumeBinding"',), "end pod ml/pre"),
    "DaemonSet on all nodes": (everywhere(), "ml/train", "allocation", ("DaemonSet ml/infer has no nodeSelector and no affinity, so that it makes a pod for nodes without such devices, too",), "give DaemonSet ml/infer a nodeSelector"),
    "PriorityClass": (rejected('pods "serve-x" is forbidden: no PriorityClass with name gpu was found', obj("scheduling.k8s.io/v1", "PriorityClass", "gpu-high", "")), "deployment/ml/serve", "api-server", ("PriorityClass gpu-high is there",), "name PriorityClass gpu-high"),
    "scheduler that may not list": (forbidden(), "sched/packer", "container", ("ClusterRole packer is bound to it",), "allow ServiceAccount packer of namespace sched to get, list and watch resourceslices"),
    "devices of a RayCluster": ([*base(gpu("gpu-0")), *using("w", "n1", "gpu-0", owner=("RayCluster", "idle")), *asks()], "ml/train", "allocation", ("in use by ml/w",), "end pod ml/w, by scaling down or stopping RayCluster idle"),
    "policy of Kyverno": (kyverno(), "deployment/ml/serve", "api-server", ("GPU pods must tolerate nvidia.com/gpu",), "write the template of the pods as rule check of Kyverno's policy needs-toleration asks for"),
}  # fmt: skip
# Cases in which something is not said: the dump, and the words.
OTHERS: dict[str, tuple[list[Object], str]] = {
    "pod that counts for Kueue": (by_topology(counted=True), "counts the node as free"),
    "profile with the plugin": (by_other("slurm", profile("slurm", "      enabled:\n      - name: DynamicResources\n")), "turns all plugins off"),
    "kube-scheduler": (by_other("default-scheduler"), "no claim was made"),
    "Volcano with claims": (by_volcano("    arguments:\n      predicate.DynamicResourceAllocationEnable: true\n"), "does not have predicate"),
    "volume of all nodes": ([*base(gpu("gpu-0")), *volume("a"), *using("nb", "n1", "gpu-0"), *asks()], "PersistentVolume"),
    "devices of two requests": ([*base(gpu("gpu-0")), *using("nb", "n1", "gpu-0"), *wanting("train", request("a"), request("b"), said=SAID)], "in use by"),
    "profile that one of two GPUs has": ([*base(named("a", profile="1g.10gb", productName=H100), named("b", profile="2g.10gb", productName="NVIDIA A100-SXM4-40GB")), *asks(f"{A}.profile == '1g.5gb'")], "has no profile"),
    "class of its driver": ([device_class("any", "device.driver == 'dra.net'") if one["metadata"]["name"] == "any" else one for one in got_nic()], "does not name a driver"),
    "DaemonSet of some nodes": (everywhere(nodeSelector={"a": "b"}), "has no nodeSelector"),
    "score alone turned off": (by_other("slurm", obj("v1", "ConfigMap", "c", "slurm", data={"c": "profiles:\n- schedulerName: slurm\n  plugins:\n    score:\n      disabled:\n      - name: '*'\n"})), "turns all plugins off"),
    "device that is watched": (watched(), "in use by mon/exp"),
    "device with a capacity": (by_default(capacity={"requests": {"memory": "48Gi"}}), "asks for no capacity"),
    "scheduler that made a claim": (by_other("slurm", profile("slurm", ""), event(pod("train"), "BackOff", "x")), "does not exist"),
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEDULERS)
def test_an_administrator_reads_the_cause_and_the_smallest_change(
    tmp_path: Path, name: str
) -> None:
    given, target, step, cause, change = SCHEDULERS[name]
    answer = answer_of(tmp_path, given, target)
    assert answer["step"] == step
    for words in cause:
        assert words in answer["cause"]
    assert change in (answer["change"] or "")
    assert bool(change) is bool(answer["change"])


@pytest.mark.parametrize("name", OTHERS)
def test_what_does_not_follow_is_not_said(tmp_path: Path, name: str) -> None:
    given, words = OTHERS[name]
    answer = answer_of(tmp_path, given, "ml/train")
    assert words not in answer["cause"]

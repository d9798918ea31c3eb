"""`dradsl why` where objects of the dump contradict or explain what a component wrote: pods that run without their claims, events that
later ones outdate, plugins that leave a node out, slices of other nodes, templates made anew, gangs, webhooks."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from tests.why.test_causes import (
    BASE,
    CLAIMS,
    CLASS,
    DEPLOYMENT,
    HAS,
    SET,
    SLICE,
    TAKEN,
    TEMPLATED,
    container,
    failed_create,
    named,
    obj,
    of_set,
    on,
    plugin,
    said,
    says,
    train,
)
from tests.why.test_facts import answer_of
from tests.why.test_points import GPU, REJECTED, claim, gpu, held, slices

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
LONE = [on(), CLASS]
UNREGISTERED = "Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources: DRA driver gpu.nvidia.com is not registered"
PULLING = 'Pulling image "example.com/train:1"'
TAINT = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
GOING = [{"key": "ToBeDeletedByClusterAutoscaler", "value": "1764316800", "effect": "NoSchedule"}]
BESIDE = (
    "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) had untolerated taint(s)."
)
SELECTED = "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) didn't match Pod's node affinity/selector."
QUORUM = "waiting for minCount pods from a gang to appear in scheduling queue"
SEES = "no object shows whether its containers see the devices"


def at(minute: int, given: Object) -> Object:
    """The event or object at a minute of an hour."""
    when = f"2026-11-28T08:{minute:02d}:00Z"
    if given["kind"] == "Event":
        return {**given, "lastTimestamp": when}
    return {**given, "metadata": {**given["metadata"], "creationTimestamp": when}}


def starts(*events: Object) -> list[Object]:
    """A pod on its node that has not started, with the plugin of its driver."""
    return [*HAS, plugin(phase="Running"), train(node="n1", phase="Pending"), *events]


def status(given: Object, **more: Any) -> Object:
    return {**given, "status": {**given.get("status", {}), **more}}


def of_pod(given: Object, uid: str) -> Object:
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "other", "uid": uid, "controller": True}
    return {**given, "metadata": {**given["metadata"], "ownerReferences": [owner]}}


def templated(*names: str, node: str = "", message: str = "") -> Object:
    """A pod with a claim from a template, and the claims that its status names for it."""
    given = train(message, node, spec={"resourceClaims": CLAIMS})
    made = [{"name": "gpu", "resourceClaimName": one} for one in names]
    return status(given, resourceClaimStatuses=made)


def kubelet(version: str, name: str = "n1") -> Object:
    return status(on(name), nodeInfo={"kubeletVersion": version})


def daemons(**spec: Any) -> Object:
    """The DaemonSet of the driver, which has a pod on no node of the dump."""
    counts = {"desiredNumberScheduled": 1}
    return obj("apps/v1", "DaemonSet", "nvidia-dra-driver-kubelet-plugin", {"template": {"spec": spec}}, counts)  # fmt: skip


def labelled(given: Object, **labels: str) -> Object:
    return {**given, "metadata": {**given["metadata"], "labels": labels}}


def selects(node: Object, *more: Object, **spec: Any) -> list[Object]:
    """A pod that selects a node without slices, and a node that has some."""
    tolerant = {"nodeSelector": {"pool": "gpu"}, "tolerations": [{"operator": "Exists"}], **spec}
    return [
        on("n0"), labelled(node, pool="gpu"), CLASS, slices(gpu(), on="n0"), *more, claim(), train(SELECTED, spec=tolerant),
    ]  # fmt: skip


def anew(template: Object, minute: int) -> list[Object]:
    """A pod whose claim asks for a product that no device is."""
    asks = of_pod(claim("train-gpu", selector=f"device.attributes['{GPU}'].architecture == 'Ampere'"), "u-train")  # fmt: skip
    template = copy.deepcopy(template)
    for one in template["spec"]["spec"]["devices"]["requests"]:
        one["exactly"]["allocationMode"] = "ExactCount"  # as an API server has it
    return [*BASE, at(minute, template), at(5, asks), templated("train-gpu", message=REJECTED)]


def gang(least: int, *others: Object) -> list[Object]:
    group = obj("scheduling.k8s.io/v1beta1", "PodGroup", "pg", {"schedulingPolicy": {"gang": {"minCount": least}}})  # fmt: skip
    member = {"schedulingGroup": {"podGroupName": "pg"}}
    return [*BASE, group, claim(), train(QUORUM, spec=member), *others]


def gated(name: str) -> Object:
    spec = {"schedulingGroup": {"podGroupName": "pg"}, "schedulingGates": [{"name": "a.io/data"}]}
    return named(name, train(spec=spec))


def injected() -> list[Object]:
    """A pod of a Deployment with an entry that its template does not have."""
    (waits, own) = of_set("serve-1-a", "serve-1")
    extra = {"name": "nic", "resourceClaimTemplateName": "nic-t"}
    waits["spec"]["resourceClaims"] = [*CLAIMS, extra]
    text = 'PodResourceClaim nic: resource claim template "nic-t": resourceclaimtemplate.resource.k8s.io "nic-t" not found'
    return [*BASE, TEMPLATED, DEPLOYMENT, SET, own, waits, said("serve-1-a", "FailedResourceClaimCreation", text)]  # fmt: skip


def workload_of(name: str) -> Object:
    """A workload of a kind that dradsl does not know, with the entry of that pod."""
    entry = {"name": "nic", "resourceClaimTemplateName": "nic-t"}
    return obj("a.io/v1", "Fleet", name, {"parts": [{"podSpec": {"resourceClaims": [entry]}}]})


def of_pool(pool: str, node: str) -> Object:
    """A slice of a node in the pool of another."""
    given = slices(gpu(), on=pool)
    named = {**given["metadata"], "name": f"{node}-{GPU}"}
    return {**given, "metadata": named, "spec": {**given["spec"], "nodeName": node}}


def wants_all() -> Object:
    asks = claim()
    (wanted,) = asks["spec"]["devices"]["requests"]
    wanted["exactly"] = {"deviceClassName": GPU, "allocationMode": "All"}
    return asks


SCALER = "system:serviceaccount:sys:driver"
REFUSED = f'Failed to prepare dynamic resources: deployments.apps "d" is forbidden: User "{SCALER}" cannot get resource "deployments" in API group "apps" in the namespace "sys"'
DRIVER_STATUS = f'Failed to prepare dynamic resources: resourceclaims.resource.k8s.io "{GPU}" is forbidden: User "{SCALER}" cannot associated-node:update resource "resourceclaims/driver" in API group "resource.k8s.io" in the namespace "ml"'
OTHER = f'Failed to prepare dynamic resources: secrets "s" is forbidden: User "{SCALER}" cannot list resource "secrets" in API group "" in the namespace "sys"'
SCC = 'pods "d-" is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden: not usable by user or serviceaccount]'
FULL = "0/1 nodes are available: 1 Insufficient cpu."


def bound(role: str = "driver-role", *groups: str) -> list[Object]:
    """A ServiceAccount's ClusterRole, and its binding."""
    api, account = "rbac.authorization.k8s.io/v1", {"kind": "ServiceAccount", "name": "driver", "namespace": "sys"}  # fmt: skip
    rules = [{"apiGroups": list(groups), "resources": ["x"], "verbs": ["get"]}]
    return [
        {"apiVersion": api, "kind": "ClusterRole", "metadata": {"name": role}, "rules": rules},
        {
            "apiVersion": api,
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "b"},
            "subjects": [account],
            "roleRef": {"kind": "ClusterRole", "name": role},
        },
    ]


def rejects() -> Object:
    """Why the pods of the driver are rejected."""
    given = said("nvidia-dra-driver-kubelet-plugin", "FailedCreate", OTHER)
    about = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "nvidia-dra-driver-kubelet-plugin", "namespace": "ml"}  # fmt: skip
    return {**given, "involvedObject": about}


def unprepared(text: str, *more: Object) -> list[Object]:
    return starts(says("FailedPrepareDynamicResources", text), *more)


def daemon_of(uid: str) -> list[Object]:
    """The driver waits for a Deployment that it made for a claim of this UID, and whose pods are rejected."""
    cond = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": SCC}
    made = obj("apps/v1", "Deployment", f"daemon-{uid}-1", {"template": {"spec": {"containers": []}}}, {"conditions": [cond]}, namespace="sys")  # fmt: skip
    some = unprepared("Failed to prepare dynamic resources: daemon is not ready", made)
    claims = [one for one in some if one["kind"] == "ResourceClaim"]
    own = [{**one, "metadata": {**one["metadata"], "uid": "u-c-train"}} for one in claims]
    return [*(one for one in some if one not in claims), *own]


def full(version: str, *groups: str) -> list[Object]:
    """A pod that is too large for the node, and a Cluster Autoscaler with a ClusterRole of these API groups."""
    box = {"name": "a", "image": f"registry.k8s.io/autoscaling/cluster-autoscaler:v{version}.0"}
    scaler = obj("apps/v1", "Deployment", "scaler", {"template": {"spec": {"serviceAccountName": "driver", "containers": [box]}}}, namespace="sys")  # fmt: skip
    big = [{"name": "main", "image": "x", "resources": {"requests": {"cpu": "999"}}}]
    here = kubelet(f"v{version}.1")
    return [here, CLASS, SLICE, claim(), scaler, *bound("r", *groups), train(FULL, spec={"containers": big})]  # fmt: skip


def tainted(mode: str) -> list[Object]:
    """Two GPUs, one with a taint."""
    ill = {"taints": [{"key": "a.io/maint", "value": "x", "effect": "NoSchedule"}]}
    asks = wants_all()
    asks["spec"]["devices"]["requests"][0]["exactly"]["allocationMode"] = mode
    return [*LONE, slices({**gpu(), **ill}, gpu(1)), asks, train(REJECTED)]


def scaled() -> list[Object]:
    """A Deployment that an autoscaler gives more replicas than there are GPUs."""
    ref = {"kind": "Deployment", "name": "serve"}
    scaler = obj("autoscaling/v2", "HorizontalPodAutoscaler", "serve", {"scaleTargetRef": ref})
    wants = {**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "replicas": 2}}
    return [
        *BASE, wants, SET, scaler, *of_set("serve-1-a", "serve-1", "n1"), *of_set("serve-1-b", "serve-1", message=REJECTED),
    ]  # fmt: skip


def quota(hard: str) -> list[Object]:
    """A pod whose claim a quota did not admit, and this quota as it is now."""
    name = "count/resourceclaims.resource.k8s.io"
    text = f'PodResourceClaim gpu: create ResourceClaim : resourceclaims.resource.k8s.io "train-gpu-x" is forbidden: exceeded quota: q, requested: {name}=1, used: {name}=2, limited: {name}=2'
    now = {"hard": {name: hard}, "used": {name: "2"}}
    return [*BASE, TEMPLATED, templated(), says("FailedResourceClaimCreation", text), obj("v1", "ResourceQuota", "q", {}, now)]  # fmt: skip


def pinned() -> list[Object]:
    """A pod with a shared claim on n1, and a second claim for a GPU that is free on n2 only."""
    both = [{"name": "gpu", "resourceClaimName": "shared"}, {"name": "own", "resourceClaimName": "own"}]  # fmt: skip
    shared, user = held("shared", pods=("o",)), named("o", train(node="n1", spec={"resourceClaims": both[:1]}))  # fmt: skip
    asks = train(
        "0/2 nodes are available: 1 cannot allocate all claims.", spec={"resourceClaims": both}
    )
    return [
        on(),
        on("n2"),
        CLASS,
        SLICE,
        slices(gpu(), gpu(1), on="n2"),
        shared,
        user,
        claim("own"),
        asks,
    ]


POD = "ml/train"
# Case -> objects, target, step, what the headline has, what the answer must not have, the change (empty: none).
OBJECTS: dict[str, tuple[list[Object], str, str, str, str, str]] = {
    # Pods that run.
    "claim of a running pod is gone": ([*BASE, claim("other"), train(node="n1")], POD, "claim", "its claims are not in the dump: train: they were deleted", "has no claims", "delete the pod, so that it is made and placed again"),
    "no claim was dumped": ([*BASE, train(node="n1")], POD, "none", "its claims are not in the dump: train", "deleted", ""),
    "claim of extended resources is gone": (
        [*BASE, claim("other"), status(train(node="n1", spec={"resourceClaims": []}), extendedResourceClaimStatus={"resourceClaimName": "train-ext"})],
        POD, "claim", "its claims are not in the dump: train-ext", "has no claims", "delete the pod",
    ),
    "status of a running pod names no claim": ([*BASE, claim("other"), templated(node="n1")], POD, "claim", "its status names no claim for gpu", "deleted", "delete the pod, so that it is made again"),
    "claim of a running pod lost its reservation": ([*BASE, status(held("train"), reservedFor=[]), train(node="n1")], POD, "claim", "is not reserved for the pod", SEES, "delete the pod, and let kube-scheduler"),
    "claim of a running pod is elsewhere": ([*BASE, on("n2"), slices(gpu(), on="n2"), held("train", on="n2"), train(node="n1")], POD, "claim", "has its devices elsewhere (pool n2)", "allocated on n1", "delete the pod, and let the scheduler place it where claim ml/train"),
    "claim of a running pod is another pod's": ([*BASE, of_pod(held("train"), "u-other"), train(node="n1")], POD, "claim", "claim ml/train was made for Pod other (UID u-other)", SEES, "delete the pod, so that it is made again"),
    "kubelet that is older": ([kubelet("v1.33.5"), kubelet("v1.34.1", "n2"), CLASS, SLICE, held("train"), train(node="n1")], POD, "injection", "the kubelet of n1 is v1.33.5", "", "update the kubelet of n1"),
    "kubelets that are old together": ([kubelet("v1.33.5"), kubelet("v1.33.2", "n2"), CLASS, SLICE, held("train"), train(node="n1")], POD, "none", SEES, "off by default", ""),
    "node of the device is gone": ([on("n2"), CLASS, slices(gpu(), on="n2"), held("train"), train(node="n1")], POD, "node", "node n1 is not in the dump", "no slice publishes", "see whether node n1 exists"),
    "pod that starts": (starts(), POD, "starting", "its claims are allocated on n1", "it has its devices", ""),
    "container that failed": ([*HAS, train(node="n1", phase="Failed", containerStatuses=[{"name": "main", "state": {"terminated": {"exitCode": 1, "reason": "Error", "message": "no CUDA-capable device"}}}])], POD, "failed", "Error: no CUDA-capable device (exit code 1)", "", ""),
    # Events that later ones outdate.
    "prepared since": (starts(at(1, says("FailedPrepareDynamicResources", UNREGISTERED)), at(9, says("Pulling", PULLING))), POD, "kubelet", PULLING, "not registered", "wait until the image example.com/train:1 is pulled"),
    "mounted since": (starts(at(1, says("FailedMount", 'configmap "c" not found')), at(9, says("Pulling", PULLING))), POD, "kubelet", PULLING, "configmap", "wait until the image"),
    "pulled since": (starts(at(1, says("Pulling", PULLING)), at(2, says("Pulled", "Successfully pulled image"))), POD, "starting", "its claims are allocated", "Pulling", ""),
    "not prepared anew": (starts(at(9, says("FailedPrepareDynamicResources", UNREGISTERED)), at(1, says("Pulling", PULLING))), POD, "prepare", "not registered", "Pulling", "delete pod nvidia-dra-driver-gpu-kubelet-plugin-x"),
    "at the same time": (starts(says("FailedPrepareDynamicResources", UNREGISTERED), says("Pulling", PULLING)), POD, "prepare", "not registered", "", "delete pod nvidia-dra-driver-gpu-kubelet-plugin-x"),
    # Plugins, slices and nodes.
    "plugin that does not tolerate its node": (selects(on(taints=[TAINT]), daemons()), POD, "allocation", "it has no pod on n1: node taint dedicated=gpu:NoSchedule is not tolerated", "", "let the plugin tolerate the taint dedicated=gpu:NoSchedule"),
    "plugin that does not select its node": (selects(on(), daemons(nodeSelector={"gpu": "true"})), POD, "allocation", "it has no pod on n1: nodeSelector does not match", "", "label n1 as DaemonSet nvidia-dra-driver-kubelet-plugin selects it"),
    "cordon does not keep a plugin away": (selects(on(), daemons(), nodeName=None), POD, "allocation", "the devices are on n0", "has no pod on", "let the driver of class"),
    "plugin that was taken off the node": ([on(taints=[{**TAINT, "effect": "NoExecute"}]), CLASS, SLICE, held("train"), daemons(), train(node="n1", phase="Pending"), says("FailedPrepareDynamicResources", UNREGISTERED)], POD, "prepare", "it has no pod on n1: node taint dedicated=gpu:NoExecute", "", "let the plugin tolerate the taint dedicated=gpu:NoExecute"),
    "slices of a node of another name": ([on("gpu-a"), CLASS, slices(gpu(), on="ip-10-0-0-1"), claim(), train(REJECTED)], POD, "allocation", f"the slices of driver {GPU} are of ip-10-0-0-1, of which no node has the name", "", f"let the plugin of driver {GPU} publish under the name"),
    "slices of a node that is gone, beside others": ([*TAKEN, slices(gpu(), on="old"), train(REJECTED)], POD, "allocation", "the matching devices are in use", "of which no node", "end pod ml/o"),
    "node that is about to go": ([on(taints=GOING), on("n2"), CLASS, SLICE, claim(), train(BESIDE)], POD, "allocation", "node n1 is about to go (taint ToBeDeletedByClusterAutoscaler)", "tolerate ", "wait for another node with such devices"),
    "free device on a node that is cordoned": ([*TAKEN, {**on("n2"), "spec": {"unschedulable": True}}, slices(gpu(), on="n2"), train("0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) were unschedulable.")], POD, "allocation", "devices are free on n2, where the node is unschedulable", "", "end pod ml/o"),
    # Who has the devices, and what keeps them.
    "holder that crashes": ([*BASE, held("o"), named("o", train(node="n1", containerStatuses=container("CrashLoopBackOff", "back-off"))), claim(), train(REJECTED)], POD, "allocation", "Pod ml/o, which has one: container main: CrashLoopBackOff", "", "end pod ml/o"),
    "replicas that an autoscaler sets": (scaled(), "ml/serve-1-b", "allocation", "other pods of the same Deployment", "", "set spec.replicas of Deployment serve to 1 (and maxReplicas, if autoscaled)"),
    "device that the own claim keeps": (pinned(), POD, "allocation", "its claim ml/shared is allocated on n1", "end pod", "give the pod a claim of its own"),
    "one of all is tainted": (tainted("All"), POD, "allocation", "1 of 2 devices left, others are tainted (a.io/maint=x:NoSchedule)", "the matching devices are tainted", "tolerate taint a.io/maint:NoSchedule"),
    "pool that two nodes publish": ([*TAKEN, on("n2"), of_pool("n1", "n2"), train(REJECTED)], POD, "allocation", f"{GPU}/n1/gpu-0 is published by 2 nodes (n1, n2)", "end pod", f"let driver {GPU} give the pool of each node a name of its own"),
    "pool that two nodes publish, held by the same Deployment": ([*BASE, DEPLOYMENT, SET, on("n2"), of_pool("n1", "n2"), *of_set("serve-1-a", "serve-1", "n1"), *of_set("serve-1-b", "serve-1", message=REJECTED)], "ml/serve-1-b", "allocation", "is published by 2 nodes (n1, n2)", "spec.replicas", f"let driver {GPU} give"),
    "pool of each node": ([*TAKEN, on("n2"), slices(on="n2"), train(REJECTED)], POD, "allocation", "the matching devices are in use", "is published by", "end pod ml/o"),
    "all devices of a pool that is not whole": ([on(), CLASS, slices(gpu(), count=2), wants_all(), train(REJECTED)], POD, "allocation", "is currently being updated", "needs no complete pool", "a complete pool of another node is enough"),
    # Claims and templates.
    "template made anew": (anew(TEMPLATED, 7), POD, "allocation", "its template t was made anew at 2026-11-28T08:07:00Z", "", "delete the pod, so that its claim is made from the template t"),
    "template that is older": (anew(TEMPLATED, 3), POD, "allocation", "they have architecture", "made anew", "write Hopper instead of Ampere"),
    "entry that a webhook put in": (injected(), "ml/serve-1-a", "claim-controller", "; perhaps a webhook put it into the pod (ReplicaSet serve-1 does not name it)", "", "create ResourceClaimTemplate nic-t in namespace ml, which the webhook expects"),
    "entry that a workload of another kind has": ([*injected(), workload_of("serve")], "ml/serve-1-a", "claim-controller", "is not there; Fleet ml/serve names it", "webhook", "or change Fleet serve, from which the pod has this entry"),
    "entry that another workload has": ([*injected(), workload_of("other")], "ml/serve-1-a", "claim-controller", "; perhaps a webhook put it", "Fleet", "which the webhook expects"),
    # What a ClusterRole lacks, and what a driver makes for a claim.
    "role of a driver that makes Deployments": (unprepared(REFUSED, *bound()), POD, "prepare", "; ClusterRole driver-role is bound to it", "", "add a rule to ClusterRole driver-role of ServiceAccount driver: deployments of the API group \"apps\" with get, list, watch, create"),
    "role of a driver that writes its devices": (unprepared(DRIVER_STATUS, *bound()), POD, "prepare", "; ClusterRole driver-role is bound to it", "", f"resourceNames {GPU}, verbs associated-node:update and associated-node:patch"),
    "role without another rule": (unprepared(OTHER, *bound()), POD, "prepare", "; ClusterRole driver-role is bound to it", "", 'to list secrets of the API group "": add a rule to its ClusterRole driver-role'),
    "role of a driver whose pods are rejected": ([on(), CLASS, claim(), daemons(), *bound(), rejects(), train(REJECTED)], POD, "allocation", "; ClusterRole driver-role is bound to it", "bound to it; ClusterRole", "to list secrets of the API group"),
    "role that was not dumped": (unprepared(REFUSED, *bound()[1:]), POD, "prepare", "in the namespace \"sys\"", "is bound to it", "by a ClusterRole and a binding"),
    "daemon of the claim is rejected": (daemon_of("u-c-train"), POD, "prepare", "unable to validate against any security context constraint", "", "add-scc-to-user privileged -z default -n sys"),
    "daemon of another claim is rejected": (daemon_of("u-c-other"), POD, "prepare", "daemon is not ready", "security context", ""),
    "strategy behind a gate": (unprepared("Failed to prepare dynamic resources: error validating GPU config: unknown GPU sharing strategy: TimeSlicing"), POD, "prepare", "only with its feature gate TimeSlicingSettings", "", "featureGates.TimeSlicingSettings=true"),
    "autoscaler that may not read claims": (full("1.35", "apps"), POD, "filter", "and its ClusterRole r has no rule for it", "", "add a rule for deviceclasses, resourceclaims and resourceslices"),
    "autoscaler that may read claims": (full("1.35", "apps", "resource.k8s.io"), POD, "filter", "too little cpu left", "Autoscaler", "request cpu 8 instead of 999"),
    "autoscaler that reads no claims": (full("1.34", "apps"), POD, "filter", "too little cpu left", "Autoscaler", "request cpu 8 instead of 999"),
    # What a component misses, and is there by now.
    "ServiceAccount by now": ([*failed_create('pods "serve-1-" is forbidden: error looking up service account ml/serve: serviceaccount "serve" not found'), at(40, obj("v1", "ServiceAccount", "serve"))], "deployment/ml/serve", "api-server", "; ServiceAccount ml/serve: it is there since 2026-11-28T08:40:00Z", "create ServiceAccount", "wait until the component that wrote this tries again, as ServiceAccount ml/serve"),
    "ServiceAccount of another namespace": ([*failed_create('pods "serve-1-" is forbidden: error looking up service account ml/serve: serviceaccount "serve" not found'), obj("v1", "ServiceAccount", "serve", namespace="other")], "deployment/ml/serve", "api-server", 'serviceaccount "serve" not found', "it is there", "create ServiceAccount serve"),
    "volume claim by now": ([*BASE, claim(), at(40, obj("v1", "PersistentVolumeClaim", "data", {}, {"phase": "Bound"})), train('0/1 nodes are available: persistentvolumeclaim "data" not found.')], POD, "rejected", "; PersistentVolumeClaim ml/data: it is there since", "create Persist", "wait until the component"),
    "class by now": ([on(), at(40, CLASS), SLICE, claim(), train(f"0/1 nodes are available: request gpu: device class {GPU} does not exist.")], POD, "rejected", f"; DeviceClass {GPU}: it is there since", "install", "wait until the component"),
    "quota is larger by now": (quota("4"), POD, "quota", "; ResourceQuota ml/q: count/resourceclaims.resource.k8s.io is limited to 4 by now", "raise ResourceQuota", "wait until the controller tries again"),
    "quota is as it was": (quota("2"), POD, "quota", "exceeded quota", "by now", "raise ResourceQuota q of namespace ml"),
    # Gangs.
    "gang with too few pods": (gang(3, gated("w-1")), POD, "rejected", "PodGroup ml/pg needs 3 pods at once (minCount), and the dump has 2", "", "create as many pods of the PodGroup"),
    "gang with a gated pod": (gang(2, gated("w-1")), POD, "rejected", "scheduling gate a.io/data holds Pod ml/w-1 of it", "", "let the owner of scheduling gate a.io/data remove it from pod ml/w-1"),
}  # fmt: skip


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_explain_or_contradict_the_words(tmp_path: Path, name: str) -> None:
    given, target, step, cause, without, change = OBJECTS[name]
    answer = answer_of(tmp_path, given, target)
    assert answer["step"] == step
    assert cause in answer["cause"]
    assert not without or without not in f"{answer['cause']} {answer['change']}"
    assert (answer["change"] or "").find(change) >= 0
    assert bool(answer["change"]) == bool(change)

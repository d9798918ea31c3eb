"""`dradsl why` on workloads of any kind, and on pods behind queues, groups, gates and nodes to come: what the last controller said is the
headline, and no change is offered that another controller takes back."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from tests.why.test_causes import (
    CLAIMS,
    CLASS,
    DEPLOYMENT,
    SET,
    TEMPLATE,
    TEMPLATED,
    WHEN,
    named,
    obj,
    on,
    said,
    train,
    wants,
)
from tests.why.test_facts import answer_of, asked
from tests.why.test_points import GPU, claim, gpu, held, slices

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
A = f"device.attributes['{GPU}']"
MASTER = [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]
NODES = [on("cp", taints=MASTER), on("gpu-1"), on("gpu-2")]
REAL = [
    *NODES,
    CLASS,
    slices(gpu(), gpu(1), on="gpu-1"),
    slices(gpu(), gpu(1), on="gpu-2"),
]
KUEUE, VOLCANO, GROVE = (
    "kueue.x-k8s.io/v1beta1",
    "scheduling.volcano.sh/v1beta1",
    "grove.io/v1alpha1",
)
TAKEN = "0/3 nodes are available: 2 cannot allocate all claims, 1 node(s) had untolerated taint(s)."


def cond(kind: str, status: str, reason: str = "", message: str = "") -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def by(kind: str, name: str, api: str = "apps/v1", uid: str = "") -> Object:
    uid = uid or f"u-{kind}-{name}"
    owner = {"apiVersion": api, "kind": kind, "name": name, "uid": uid, "controller": True}
    return {"ownerReferences": [owner]}


def of_cluster(given: Object) -> Object:
    """The object, of a kind that has no namespace."""
    return {
        **given,
        "metadata": {k: v for k, v in given["metadata"].items() if k != "namespace"},
    }


def kueue(*conditions: Object, **more: Any) -> list[Object]:
    """A Job that Kueue holds, its Workload and its queue."""
    spec = {"queueName": "team", "active": more.pop("active", True)}
    job = obj("batch/v1", "Job", "j", {"parallelism": 1, "suspend": True, "template": TEMPLATE})
    status = {"conditions": list(conditions), **more}
    queue = obj(KUEUE, "LocalQueue", "team", {"clusterQueue": "cq"})
    return [*REAL, job, obj(KUEUE, "Workload", "job-j", spec, status, **by("Job", "j")), queue]


def inactive(kind: str, name: str, reason: str, message: str) -> Object:
    status = {"conditions": [cond("Active", "False", reason, message)]}
    return of_cluster(obj(KUEUE, kind, name, {}, status))


def no_quota(message: str, reason: str = "Pending") -> Object:
    return cond("QuotaReserved", "False", reason, message)


def member(
    name: str, owner: Object, message: str = "", node: str = "", **spec: Any
) -> list[Object]:
    """A pod of a controller with a claim of its own; with a node it holds `spec`'s device there."""
    device = spec.pop("device", "gpu-0")
    found = train(message, node, spec={"resourceClaims": CLAIMS, **spec})
    found["status"]["resourceClaimStatuses"] = [{"name": "gpu", "resourceClaimName": f"{name}-gpu"}]
    own = (
        held(f"{name}-gpu", device=device, on=node, pods=(name,)) if node else claim(f"{name}-gpu")
    )
    own["metadata"] |= by("Pod", name, "v1", f"u-{name}")
    return [named(name, found, **owner), own]


def replicas(count: int, owner: Object) -> list[Object]:
    """All GPUs in use by pods of one owner, and one more that waits."""
    places = [(node, device) for node in ("gpu-1", "gpu-2") for device in ("gpu-0", "gpu-1")]
    made = [
        one
        for i, (node, device) in enumerate(places)
        for one in member(f"w-{i}", owner, node=node, device=device)
    ]
    return [*REAL, *made, *member(f"w-{count - 1}", owner, TAKEN)]


def volcano(phase: str, *more: Object, **status: Any) -> list[Object]:
    spec = {"minMember": 2, "queue": "team"}
    group = obj(VOLCANO, "PodGroup", "pg", spec, {"phase": phase, **status})
    owner = {"annotations": {"scheduling.k8s.io/group-name": "pg"}}
    return [*REAL, group, *more, *member("v-0", owner, schedulerName="volcano")]


def shared(name: str, message: str = "", node: str = "", **spec: Any) -> Object:
    claims = [{"name": "gpu", "resourceClaimName": "shared"}]
    return named(name, train(message, node, spec={"resourceClaims": claims, **spec}))


def elsewhere(reason: str) -> list[Object]:
    """A pod whose claim is on a node that a reason rules out which dradsl does not simulate."""
    text = (
        f"0/3 nodes are available: 1 node(s) {reason}, 1 resourceclaim not available on the node."
    )
    bound = held("shared", on="gpu-1", pods=("a",))
    return [*REAL, bound, shared("a", node="gpu-1"), shared("b", text)]


def nominated(*finalizers: str) -> list[Object]:
    """A pod that waits for another one to end."""
    text = "0/1 nodes are available: 1 Insufficient cpu."
    asks = wants(cpu="4")
    waiting = train(text, spec=asks, nominatedNodeName="gpu-1")
    box = {"name": "m", "image": "x", "resources": {"requests": {"cpu": "7"}}}
    victim = train("", "gpu-1", spec={"resourceClaims": [], "containers": [box]})
    going = named("victim", victim, deletionTimestamp=WHEN, finalizers=list(finalizers))
    return [on("gpu-1"), CLASS, slices(gpu(), on="gpu-1"), going, claim(), waiting]


def node_claim(message: str) -> list[Object]:
    """A pod for which Karpenter cannot start a node."""
    status = {"conditions": [cond("Launched", "False", "LaunchFailed", message)]}
    of = of_cluster(obj("karpenter.sh/v1", "NodeClaim", "pool-x", {}, status))
    return [
        *replicas(5, {}),
        said("w-4", "Nominated", "Pod should schedule on: nodeclaim/pool-x"),
        of,
    ]


def deleted_claim() -> list[Object]:
    made = held("shared", on="gpu-1", pods=("a",))
    left = ["resource.kubernetes.io/delete-protection"]
    made["metadata"] |= {"deletionTimestamp": WHEN, "finalizers": left}
    return [*REAL, made, shared("a", node="gpu-1"), shared("b")]


def from_template(message: str) -> list[Object]:
    event = said("x", "FailedResourceClaimCreation", f"PodResourceClaim gpu: {message}")
    pod = train(spec={"resourceClaims": CLAIMS})
    return [
        *REAL,
        DEPLOYMENT,
        SET,
        TEMPLATED,
        named("x", pod, **by("ReplicaSet", "serve-1")),
        event,
    ]


def workload(api: str, kind: str, *conditions: Object, **status: Any) -> Object:
    return obj(api, kind, "w", {}, {"conditions": list(conditions), **status})


def channels() -> list[Object]:
    driver = "compute-domain.nvidia.com"
    of = slices({"name": "channel-0", "attributes": {}}, on="gpu-1", driver=driver)
    own = {**copy.deepcopy(CLASS), "metadata": {"name": driver}}
    own["spec"]["selectors"][0]["cel"]["expression"] = f"device.driver == '{driver}'"
    has, waits = held("a", device="channel-0", on="gpu-1"), claim("b", device_class=driver)
    for one in (has, waits):
        one["spec"]["devices"]["requests"][0] |= {
            "name": "channel",
            "exactly": {"deviceClassName": driver},
        }
    has["status"]["allocation"]["devices"]["results"][0] |= {
        "driver": driver,
        "request": "channel",
    }
    pods = [
        named(one, train(text, node, spec={"resourceClaims": [{"name": "gpu", "resourceClaimName": one}]}))
        for one, text, node in (("a", "", "gpu-1"), ("b", TAKEN, ""))
    ]  # fmt: skip
    return [*NODES[:2], own, of, has, waits, *pods]


def unattached() -> Object:
    """A claim whose device waits for a condition that nobody has set."""
    found = held("train", on="gpu-1")
    (result,) = found["status"]["allocation"]["devices"]["results"]
    result |= {"bindingConditions": ["example.com/attached"]}
    result |= {"bindingFailureConditions": ["example.com/failed"]}
    return found


RBAC = 'is forbidden: User "system:serviceaccount:grove-system:operator" cannot create resource "podgangs" in API group "scheduler.grove.io" in the namespace "ml"'
QUOTA = "is forbidden: exceeded quota: q, requested: pods=1, used: pods=9, limited: pods=9"
GATED: Object = {"schedulingGates": [{"name": "grove.io/podgang-pending-creation"}]}
DENIED = 'admission webhook "validation.gatekeeper.sh" denied the request: [team] you must provide labels: {"team"}'
GATE = "vmi.spec.domain.devices.gpus contains DRA enabled gpus but feature gate is not enabled"
KNATIVE = 'Revision creation failed with message: admission webhook "validation.webhook.serving.knative.dev" denied the request: validation failed: must not set the field(s): spec.template.spec.resourceClaims.'
PREEMPTED = "Preempted to accommodate a workload (UID: 7a, JobUID: 8b) due to prioritization in the ClusterQueue"
VERSIONS = slices({**gpu(), "attributes": {"driverVersion": {"version": "570.86.15"}}}, on="gpu-1")

# Case -> objects, target, step, what the headline has, the change (empty: none).
CONTROLLERS: dict[str, tuple[list[Object], str, str, str, str]] = {
    # Kueue: what is behind its words.
    "flavor that is missing": (
        [*kueue(no_quota("ClusterQueue cq is inactive")), inactive("ClusterQueue", "cq", "FlavorNotFound", "Can't admit new workloads: references missing ResourceFlavor(s): h100.")],
        "job/ml/j", "kueue", "ClusterQueue cq: FlavorNotFound: Can't admit", "create ResourceFlavor h100",
    ),
    "check without its parameters": (
        [*kueue(cond("QuotaReserved", "True"), admissionChecks=[{"name": "prov", "state": "Pending"}]),
         inactive("AdmissionCheck", "prov", "BadParametersRef", 'provisioningrequestconfigs.kueue.x-k8s.io "conf" not found')],
        "job/ml/j", "kueue", 'AdmissionCheck prov: BadParametersRef: provisioningrequestconfigs.kueue.x-k8s.io "conf" not found', "create the object conf of provisioningrequestconfigs",
    ),
    "topology": (kueue(no_quota('topology "t" allows to fit only 1 out of 4 pod(s)')), "job/ml/j", "kueue", "allows to fit only 1", "let the pods be spread wider than one domain of Topology t"),
    "preempted": (kueue(cond("Evicted", "True", "Preempted", PREEMPTED)), "job/ml/j", "kueue", PREEMPTED, "wait: Kueue admits it again once the job with the UID 8b"),
    "requeued too often": (
        kueue(cond("Evicted", "True", "DeactivatedDueToRequeuingLimitExceeded", "exceeding the maximum"), active=False),
        "job/ml/j", "kueue", "is not active (spec.active: false): DeactivatedDueToRequeuingLimitExceeded", "let the pods get ready in time first",
    ),
    # Workloads of other kinds.
    "pods of a RayCluster": (
        [*REAL, workload("ray.io/v1", "RayCluster", cond("ReplicaFailure", "True", "FailedCreateWorkerPod", f'failed to create worker pod: pods "w" {QUOTA}'))],
        "raycluster/ml/w", "quota", "exceeded quota: q", "raise ResourceQuota q",
    ),
    "pods of a LeaderWorkerSet": (
        [*REAL, workload("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"), obj("apps/v1", "StatefulSet", "w", {"replicas": 1}, **by("LeaderWorkerSet", "w")),
         *member("w-0", by("StatefulSet", "w"), node="gpu-1")[1:], obj("apps/v1", "StatefulSet", "w-0", {"replicas": 1}, **by("StatefulSet", "w")), said("w-0", "FailedCreate", DENIED, "StatefulSet")],
        "lws/w", "api-server", "you must provide labels", 'as webhook validation.gatekeeper.sh asks for: [team] you must provide labels: {"team"}',
    ),
    "job of a JobSet": (
        [*REAL, workload("jobset.x-k8s.io/v1alpha2", "JobSet"), said("w", "JobCreationFailed", 'Job.batch "w-0" is invalid: spec.template.spec.containers[0].resources.claims[0]: Not found: "gpu"', "JobSet")],
        "jobsets/ml/w", "api-server", "JobCreationFailed", "write an entry gpu into resourceClaims",
    ),
    "gate of KubeVirt": (
        [*REAL, workload("kubevirt.io/v1", "VirtualMachine", cond("Ready", "False", "VMINotExists", "VMI does not exist"), cond("Failure", "True", "FailedCreate", f'admission webhook "x.kubevirt.io" denied the request: {GATE}'))],
        "vm/ml/w", "api-server", GATE, "enable KubeVirt's feature gate",
    ),
    "Knative of a KServe service": (
        [*REAL, workload("serving.kserve.io/v1beta1", "InferenceService", cond("Ready", "False")),
         {**workload("serving.knative.dev/v1", "Service", cond("Ready", "False", "RevisionFailed", KNATIVE)), "metadata": {"name": "p", "namespace": "ml", "uid": "p", **by("InferenceService", "w")}}],
        "isvc/ml/w", "api-server", "must not set the field(s)", "run it without Knative",
    ),
    "error of a controller": (
        [*REAL, workload("example.com/v1", "Thing", cond("Ready", "False", "Stuck", "no license was found: invalid key"))], "thing/ml/w", "controller", "Thing ml/w: Stuck: no license", "",
    ),
    "template of an LLMInferenceService": (
        [*REAL, workload("serving.kserve.io/v1alpha1", "LLMInferenceService"), {**SET, "metadata": {**SET["metadata"], **by("LLMInferenceService", "w")}}, named("x", train(spec={"resourceClaims": CLAIMS}), **by("ReplicaSet", "serve-1"))],
        "llmisvc/ml/w", "claim-controller", "ResourceClaimTemplate ml/t is not there", "create ResourceClaimTemplate t",
    ),
    "suspended CronJob": ([*REAL, obj("batch/v1", "CronJob", "night", {"suspend": True})], "cronjob/ml/night", "gate", "spec.suspend is true", "set spec.suspend: false"),
    "webhook and a claim": (
        from_template('failed to create ResourceClaim: admission webhook "validate.kyverno.svc-fail" denied the request: \n\nteam: label team is required'), "ml/x", "claim-controller", "label team is required", "write ResourceClaimTemplate t as webhook validate.kyverno.svc-fail asks for",
    ),
    # Gates and other schedulers.
    "gate of an owner with an error": (
        [*REAL, obj(GROVE, "PodCliqueSet", "s", {}, {"lastErrors": [{"description": f"podgangs {RBAC}"}]}), obj(GROVE, "PodClique", "c", **by("PodCliqueSet", "s")), *member("g", by("PodClique", "c"), **GATED)],
        "ml/g", "gate", "PodCliqueSet ml/s: podgangs is forbidden", "allow ServiceAccount operator of namespace grove-system to create podgangs",
    ),
    "gate, and pods that wait": (
        [*REAL, obj(GROVE, "PodClique", "c", {}, {"conditions": [cond("PodCliqueScheduled", "False", "InsufficientScheduledPods", "Insufficient scheduled pods")]}), *member("g", by("PodClique", "c"), **GATED)],
        "ml/g", "gate", "its owner has not removed it", "let the controller that sets gate grove.io/podgang-pending-creation run",
    ),
    "queue of Volcano is full": (
        volcano("Pending", said("pg", "Unschedulable", "queue resource quota insufficient: insufficient nvidia.com/gpu", "PodGroup")), "ml/v-0", "rejected", "queue resource quota insufficient", "raise the capability of the pod's queue of Volcano for nvidia.com/gpu",
    ),
    "queue of Volcano is closed": (
        volcano("Pending", of_cluster(obj(VOLCANO, "Queue", "team", {}, {"state": "Closed"}))), "ml/v-0", "rejected", "Queue team: status.state is Closed", "open queue team again",
    ),
    "gang of Volcano": (
        volcano("Inqueue", conditions=[cond("Unschedulable", "True", "NotEnoughResources", "1/1 tasks in gang unschedulable: pod group is not ready, 1 Pending, 2 minAvailable")]),
        "ml/v-0", "rejected", "2 minAvailable", "let 2 pods of the PodGroup be there",
    ),
    "binder of KAI": (
        [*REAL, *member("k", {}, schedulerName="kai-scheduler"), obj("scheduling.run.ai/v1alpha2", "BindRequest", "k-x", {}, {"phase": "Failed", "reason": f"failed to bind: {RBAC}"}, **by("Pod", "k", "v1", "u-k"))],
        "ml/k", "rejected", "BindRequest ml/k-x: failed to bind", "allow ServiceAccount operator",
    ),
    # Claims that are bound, and pods that end.
    "claim on a full node": (
        [*REAL, held("shared", on="gpu-1", pods=("a",)), shared("a", node="gpu-1", **wants(cpu="7")), shared("b", "0/3 nodes are available: 1 Insufficient cpu, 1 resourceclaim not available on the node.", **wants(cpu="4"))],
        "ml/b", "allocation", "its claim ml/shared is allocated on gpu-1, where too little cpu left", "request cpu 1 instead of 4 (node gpu-1)",
    ),
    "claim and volume": (elsewhere("didn't match PersistentVolume's node affinity"), "ml/b", "rejected", "its claim ml/shared is allocated on gpu-1; 0/3", "give the pod a claim of its own from a ResourceClaimTemplate"),
    "claim and rules of pods": (elsewhere("didn't match pod anti-affinity rules"), "ml/b", "rejected", "its claim ml/shared is allocated on gpu-1; 0/3", "give each pod a claim of its own"),
    "claim that is deleted": (deleted_claim(), "ml/b", "claim", "reservedFor names pod ml/a, which is Running on gpu-1", "end pod a (namespace ml), or wait until it ends"),
    "preempted pod ends": (nominated(), "ml/train", "filter", "where Pod ml/victim is to end (finalizers left: none)", "wait until pod victim of namespace ml has ended"),
    "preempted pod has a finalizer": (nominated("example.com/x"), "ml/train", "filter", "is to end (finalizers left: example.com/x)", "let the controller that owns the finalizer example.com/x of pod victim"),
    "finalizer of a Job that is gone": (
        [*REAL, named("j-x", train("", "gpu-1", "Succeeded"), deletionTimestamp=WHEN, finalizers=["batch.kubernetes.io/job-tracking"], **by("Job", "j"))],
        "ml/j-x", "deleted", "its Job j is not in the dump", "if Job j is gone, take its finalizer off the pod",
    ),
    # Nodes to come, pods of the same owner.
    "no instance for a node": (node_claim("insufficient capacity for p5"), "ml/w-4", "allocation", "the autoscaler waits: NodeClaim pool-x: LaunchFailed", "let the NodePool use more instance types"),
    "no node for another reason": (node_claim("ami not found"), "ml/w-4", "allocation", "NodeClaim pool-x: LaunchFailed: ami not found", "see why NodeClaim pool-x becomes no node"),
    "pods of the same PodClique": (replicas(5, by("PodClique", "c")), "ml/w-4", "allocation", "other pods of the same PodClique hold devices", "let the PodClique want no more pods"),
    "channel of a node": (channels(), "ml/b", "allocation", "request channel: the matching devices are in use", "take the claim of a channel off pods"),
    "device that waits for a condition": (
        [*REAL, unattached(), train()], "ml/train", "binding", "the driver has not set example.com/attached", "let the controller that sets the condition example.com/attached run",
    ),
    # What a selector asks for.
    "version as a text": (
        [*NODES[:2], CLASS, VERSIONS, claim(selector=f"{A}.driverVersion == '570.86.15'"), train(TAKEN)], "ml/train", "allocation", "no such overload", "write semver('570.86.15') instead of '570.86.15'",
    ),
    "another product": ([*REAL, claim(selector=f"{A}.productName == 'NVIDIA H200'"), train(TAKEN)], "ml/train", "allocation", "they have productName", "write NVIDIA H100 80GB HBM3 instead of NVIDIA H200"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTROLLERS)
def test_what_controllers_say_is_the_headline(tmp_path: Path, name: str) -> None:
    given, target, step, cause, change = CONTROLLERS[name]
    answer = answer_of(tmp_path, given, target)
    assert answer["step"] == step
    assert cause in answer["cause"]
    assert change in (answer["change"] or "")
    assert bool(answer["change"]) is bool(change)


def test_another_product_is_given_up_last(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, *CONTROLLERS["another product"][:2])
    assert answer["givesUp"] == "what NVIDIA H200 stands for"
    fewer = claim()
    parts: list[Object] = [
        {"name": "h200", "selectors": [{"cel": {"expression": f"{A}.productName == 'H200'"}}]},
        {"name": "four", "count": 4},
    ]
    first = [{**one, "deviceClassName": GPU} for one in parts]
    fewer["spec"]["devices"]["requests"] = [{"name": "gpu", "firstAvailable": first}]
    answer = answer_of(tmp_path, [*REAL, fewer, train(TAKEN)], "ml/train")
    assert "ask for 2 instead of 4" in answer["change"]


@pytest.mark.parametrize("target", ["RayCluster/w", "rayclusters/ml/w", "raycluster/ml/nope"])
def test_a_kind_is_found_by_its_names(tmp_path: Path, target: str) -> None:
    given, *_ = CONTROLLERS["pods of a RayCluster"]
    assert asked(tmp_path, given, target).exit_code == (2 if "nope" in target else 1)


def test_an_older_event_does_not_stop_a_workload_that_is_well(tmp_path: Path) -> None:
    well = workload("ray.io/v1", "RayCluster", cond("RayClusterProvisioned", "True"))
    event = said("w", "FailedToCreateWorkerPod", f'pods "w" {QUOTA}', "RayCluster")
    given = [*REAL, well, event, *member("w-0", by("RayCluster", "w"), node="gpu-1")]
    answer = answer_of(tmp_path, given, "raycluster/ml/w")
    assert answer["step"] == "none"
    well["status"]["conditions"].append(
        cond("ReplicaFailure", "True", "FailedCreateWorkerPod", QUOTA)
    )
    assert asked(tmp_path, given, "raycluster/ml/w").exit_code == 1


def test_a_product_that_is_written_otherwise_is_no_other_product(tmp_path: Path) -> None:
    pending = [claim(selector=f"{A}.productName == 'H100-80GB'"), train(TAKEN)]
    answer = answer_of(tmp_path, [*REAL, *pending], "ml/train")
    assert "write NVIDIA H100 80GB HBM3 instead of H100-80GB" in answer["change"]


def test_a_pod_of_the_same_owner_that_ends_is_waited_for(tmp_path: Path) -> None:
    given = replicas(5, by("PodClique", "c"))
    going = next(one for one in given if one["metadata"]["name"] == "w-0")
    going["metadata"]["deletionTimestamp"] = WHEN
    answer = answer_of(tmp_path, given, "ml/w-4")
    assert answer["change"] == "gpu-1: wait for pod ml/w-0, which ends already: gpu-0 is free then"

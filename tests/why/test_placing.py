"""`dradsl why` on what the scheduler, claims, quotas, queues, controllers and autoscalers do: the cause is the headline, and what an
operator would do goes before a change that only makes the pod fit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.why import command
from tests.why.test_causes import BASE, CLASS, SERVE, named as renamed, obj as made, on, said, train
from tests.why.test_controllers import REAL, by, cond, kueue, no_quota, of_cluster, volcano
from tests.why.test_points import GPU, PCIE, device_class, device_object, gpu, slices

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
NUMA = "resource.kubernetes.io/numaNode"
NIC = "sriovnetwork.k8snetworkplumbingwg.io"
NICS = device_class(NIC, NIC)
A = f"device.attributes['{GPU}']"
IMPLICIT = "deviceclass.resource.kubernetes.io/"
LONE = "0/1 nodes are available: 1 cannot allocate all claims."
PAIR = "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 cannot allocate all claims."
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
ENTRY = "PodResourceClaim gpu: "


def dev(name: str, **attributes: Any) -> Object:
    kinds = {str: "string", int: "int"}
    return {"name": name, "attributes": {k: {kinds[type(v)]: v} for k, v in attributes.items()}}


def at(name: str, pcie: str, numa: int) -> Object:
    found = dev(name)
    found["attributes"] = {PCIE: {"string": pcie}, NUMA: {"int": numa}}
    return found


def request(name: str = "gpu", of: str = GPU, selector: str = "", **exactly: Any) -> Object:
    if selector:
        exactly["selectors"] = [{"cel": {"expression": selector}}]
    return {"name": name, "exactly": {"deviceClassName": of, **exactly}}


def asks(name: str, *requests: Object, match: str = "", **metadata: Any) -> Object:
    """A claim of these requests."""
    devices: Object = {"requests": list(requests or (request(),))}
    if match:
        devices["constraints"] = [{"matchAttribute": match}]
    head = {"name": name, "namespace": "ml", "uid": f"u-{name}", **metadata}
    return device_object("ResourceClaim", head, devices=devices)


def pattern(name: str, *requests: Object, **annotations: Any) -> Object:
    """A template of these requests."""
    head = {"name": name, "namespace": "ml", "annotations": annotations}
    return device_object("ResourceClaimTemplate", head, spec=asks(name, *requests)["spec"])


def has(claim: Object, device: str, on: str, pod: str, **more: Any) -> Object:
    """The claim with a device, reserved for a pod."""
    (asked,) = claim["spec"]["devices"]["requests"]
    result = {"request": asked["name"], "driver": GPU, "pool": on, "device": device, **more}
    fields = [{"key": "metadata.name", "operator": "In", "values": [on]}]
    allocation = {
        "devices": {"results": [result]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": fields}]},
    }
    reserved = [{"resource": "pods", "name": pod, "uid": f"u-{pod}"}]
    return {**claim, "status": {"allocation": allocation, "reservedFor": reserved}}


def needs(name: str, message: str = LONE, node: str = "", **spec: Any) -> Object:
    """A pod with a shared claim for each value of `claims`, and a claim of its own, already made, of each template of
    `templates`."""
    shared, own = spec.pop("claims", {}), spec.pop("templates", {})
    entries = [{"name": key, "resourceClaimName": value} for key, value in shared.items()]
    entries += [{"name": key, "resourceClaimTemplateName": value} for key, value in own.items()]
    found = train(message, node, spec={"resourceClaims": entries, **spec})
    found["status"]["resourceClaimStatuses"] = [
        {"name": key, "resourceClaimName": f"{name}-{key}"} for key in own
    ]
    return renamed(name, found)


def own(pod: str, *requests: Object) -> Object:
    return asks(f"{pod}-gpu", *requests, **by("Pod", pod, "v1", f"u-{pod}"))


def without(pod: str, template: str, why: str) -> list[Object]:
    """A pod whose claim is not made, and the event of the claim controller."""
    found = needs(pod, "", templates={"gpu": template})
    found["status"]["resourceClaimStatuses"] = []
    return [*BASE, found, said(pod, "FailedResourceClaimCreation", f"{ENTRY}{why}")]


def box(**requests: str) -> list[Object]:
    return [{"name": "m", "image": "x", "resources": {"requests": requests, "limits": requests}}]


def plain(name: str, message: str = "", node: str = "", **requests: str) -> Object:
    return renamed(
        name, train(message, node, spec={"resourceClaims": [], "containers": box(**requests)})
    )


def taken(reason: str, message: str) -> list[Object]:
    """The only GPU is in use, and an autoscaler says something of the pod that waits."""
    return [
        on(),
        CLASS,
        slices(gpu()),
        has(own("u"), "gpu-0", "n1", "u"),
        needs("u", "", "n1", templates={"gpu": "one"}),
        pattern("one"),
        own("g"),
        needs("g", templates={"gpu": "one"}),
        said("g", reason, message),
    ]


def failed(reason: str) -> list[Object]:
    text = f"Node scale up in zones us-central1-a associated with this pod failed: {reason}. Pod is at risk of not being scheduled."
    triggered = said("g", "TriggeredScaleUp", "pod triggered scale-up: [{group 1->2 (max: 4)}]")
    return [*taken("FailedScaleUp", text), triggered]


def no_devices(*more: Object) -> list[Object]:
    """No driver publishes anything, and a node is to come."""
    waits = needs("g", templates={"gpu": "one"})
    return [on("cpu-1"), CLASS, pattern("one"), own("g"), waits, *more]


def selected(selector: str, device: Object) -> list[Object]:
    words = 'running "DynamicResources" filter plugin: claim ml/p: selector #0 on device gpu.nvidia.com/n1/gpu-0: CEL runtime error: no such'
    text = f"{words} {'key: memory' if 'memory' in selector else 'overload'}"
    waits = needs("w", text, claims={"gpu": "p"})
    return [on(), CLASS, slices(device), asks("p", request(selector=selector)), waits]


def says(message: str) -> list[Object]:
    return [*BASE, asks("c"), needs("w", message, claims={"gpu": "c"})]


def applied(kind: str, name: str, spec: Object) -> Object:
    head = {"name": name, "namespace": "ml"}
    return {APPLIED: json.dumps(device_object(kind, head, **spec))}


def more_quota(name: str, amount: int, limit: int) -> str:
    words = f"requested: {name}={amount}, used: {name}={limit}, limited: {name}={limit}"
    return f'create ResourceClaim : resourceclaims.resource.k8s.io "x" is forbidden: exceeded quota: q, {words}'


def labelled(name: str, label: str) -> Object:
    found = on(name)
    found["metadata"]["labels"] = {"accel": label}
    return found


OF_CLASS = "gpu.nvidia.com.deviceclass.resource.k8s.io/devices"
ASKED = request("mig", "mig.nvidia.com", f"{A}.profile == '3g.40gb'")
MIG = device_class("mig.nvidia.com")
MIG["spec"]["selectors"][0]["cel"]["expression"] += f" && {A}.type == 'mig'"
POLICY = "create ResourceClaim : resourceclaims.resource.k8s.io \"x\" is forbidden: ValidatingAdmissionPolicy 'limits' with binding 'limits-ml' denied request: at most 2 devices"
KUEUE = "insufficient matching devices for CEL selector in DeviceClass gpu.nvidia.com: 0 device(s) match in the cluster but 1 requested"
POOLS = of_cluster(
    made("karpenter.sh/v1", "NodeClaim", "gpu-x", {}, {"conditions": [
        cond("Launched", "True"),
        cond("Initialized", "Unknown", "DRADriverPoolsNotPublished", 'DRA driver "gpu.nvidia.com" has not published a complete resource pool'),
    ]})
)  # fmt: skip
SLICED = {
    "name": "gpu",
    "exactly": {"deviceClassName": GPU, "capacity": {"requests": {"memory": "10Gi"}}},
}
BUSY = [
    *REAL,
    has(asks("team"), "gpu-0", "gpu-1", "a"),
    needs("a", "", "gpu-1", claims={"gpu": "team"}),
    plain("busy", "", "gpu-1", memory="15Gi"),
]
BOTH = [
    on("gpu-1"),
    on("gpu-2"),
    CLASS,
    NICS,
    slices(gpu(), on="gpu-1"),
    slices(gpu(), on="gpu-2"),
    slices(dev("vf-0"), on="gpu-2", driver=NIC),
    has(asks("shared"), "gpu-0", "gpu-1", "a"),
    needs("a", "", "gpu-1", claims={"gpu": "shared"}),
    own("b", request("nic", NIC)),
]

# Case -> objects, target, release, step, what the headline has, the change.
PLACING: dict[str, tuple[list[Object], str, str, str, str, str]] = {
    # Names, constraints, selectors.
    "name of a template": ([*BASE, pattern("llm"), needs("w", "", claims={"gpu": "llm"})], "ml/w", "1.36", "claim", "resourceClaimName names llm, which is a ResourceClaimTemplate", "name the ResourceClaimTemplate llm in resourceClaimTemplateName"),
    "name of a template without a place": ([on(), CLASS, pattern("llm"), needs("w", "", claims={"gpu": "llm"})], "ml/w", "1.36", "claim", "resourceClaimName names llm, which is a ResourceClaimTemplate", "name llm in the field of a ResourceClaimTemplate"),
    "another place": (
        [on(), CLASS, NICS, slices(at("gpu-0", "pci0000:00", 0)), slices(at("vf-0", "pci0000:80", 0), driver=NIC), asks("p", request(), request("nic", NIC), match=PCIE), needs("w", claims={"gpu": "p"})],
        "ml/w", "1.36", "allocation", f"not together with the same {PCIE}", f"match {NUMA} instead of {PCIE} in the constraint",
    ),
    "no place": (
        [on(), CLASS, slices({**at("gpu-0", "pci0000:00", 0)}, at("gpu-1", "pci0000:00", 0)), asks("p", request(count=2), match=f"{GPU}/nvlinkDomain"), needs("w", claims={"gpu": "p"})],
        "ml/w", "1.36", "allocation", "do not have the attribute gpu.nvidia.com/nvlinkDomain", "drop the constraint on gpu.nvidia.com/nvlinkDomain",
    ),
    "profile": (
        [on(), MIG, slices(dev("m-0", type="mig", profile="1g.10gb")), own("w", ASKED), pattern("m", ASKED), needs("w", templates={"gpu": "m"})],
        "ml/w", "1.36", "allocation", "they have profile \"1g.10gb\"", "let a GPU of n1 be partitioned so that it has a 3g.40gb",
    ),
    "capacity as an attribute": (selected(f"{A}.memory.compareTo(quantity('40Gi')) >= 0", gpu()), "ml/w", "1.36", "allocation", "no such key: memory", f"write device.capacity['{GPU}'].memory instead of {A}.memory"),
    "version as a text": (selected(f"{A}.driverVersion >= '550'", {"name": "gpu-0", "attributes": {"driverVersion": {"version": "570.86.15"}}}), "ml/w", "1.36", "allocation", "no such overload", f"write {A}.driverVersion.compareTo(semver('550.0.0')) >= 0 instead of"),
    # Claims that are shared.
    "full node of a shared claim": ([*BUSY, needs("b", "0/3 nodes are available: 1 Insufficient memory, 1 resourceclaim not available on the node.", claims={"gpu": "team"}, containers=box(memory="12Gi"))], "ml/b", "1.36", "allocation", "its claim ml/team is allocated on gpu-1, where too little memory left", "give the pod a claim of its own with the spec of ml/team"),
    "shared claim apart from other devices": ([*BOTH, needs("b", "0/2 nodes are available: 1 cannot allocate all claims, 1 resourceclaim not available on the node.", claims={"shared": "shared"}, templates={"gpu": "nic"})], "ml/b", "1.36", "allocation", "its claim ml/shared is allocated on gpu-1, where request nic: no device is published there", "give the pod a claim of its own with the spec of ml/shared"),
    # Quotas and policies.
    "quota of a class": ([*without("w", "one", more_quota(OF_CLASS, 1, 2)), pattern("one")], "ml/w", "1.36", "quota", f"used: {OF_CLASS}=2", f"raise ResourceQuota q of namespace ml: {OF_CLASS} from 2 to 3 or more (2 in use)"),
    "quota of an extended resource": (
        [*SERVE, said("serve-1", "FailedCreate", 'Error creating: pods "x" is forbidden: exceeded quota: q, requested: requests.nvidia.com/gpu=1,requests.memory=8Gi, used: requests.nvidia.com/gpu=4,requests.memory=30Gi, limited: requests.nvidia.com/gpu=4,requests.memory=32Gi', "ReplicaSet")],
        "deployment/ml/serve", "1.36", "quota", "exceeded quota: q", "requests.nvidia.com/gpu from 4 to 5 or more (4 in use) and requests.memory from 32Gi to 38Gi or more (30Gi in use)",
    ),
    "policy on a claim": ([*without("w", "four", POLICY), pattern("four", request(count=4))], "ml/w", "1.36", "claim-controller", "at most 2 devices", "write ResourceClaimTemplate four as policy limits asks for (at most 2 devices)"),
    "claim that is not made": ([one for one in without("w", "one", "") if one["kind"] != "Event"] + [pattern("one")], "ml/w", "1.36", "claim-controller", "no ResourceClaim was made from the template one for the entry gpu yet", "let kube-controller-manager run, which makes the claim from one"),
    # Feature gates.
    "dropped capacity": (
        [*taken("Nominated", "Pod should schedule on: node/n1")[:-1], pattern("one", **applied("ResourceClaimTemplate", "one", {"spec": {"devices": {"requests": [SLICED]}}}))],
        "ml/g", "1.35", "allocation", "ResourceClaimTemplate ml/one was applied with spec.spec.devices.requests.exactly.capacity, and does not have it", "turn on the feature gate DRAConsumableCapacity",
    ),
    "extended resource without its gate": ([*BASE, plain("m", "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.", **{"nvidia.com/gpu": "1"})], "ml/m", "1.35", "class", "DeviceClass gpu.nvidia.com has no extendedResourceName; 1 of its devices are free; the feature gate DRAExtendedResource that this needs is on by default only from 1.36 on", "use a claim of DeviceClass gpu.nvidia.com in the pod instead of nvidia.com/gpu; or turn on the feature gate DRAExtendedResource"),
    "class of a resource": ([*BASE, plain("m", "0/1 nodes are available: 1 Insufficient deviceclass.resource.kubernetes.io/gpu.nvidia.co.", **{f"{IMPLICIT}gpu.nvidia.co": "1"})], "ml/m", "1.36", "class", "there is gpu.nvidia.com", f"ask for {IMPLICIT}gpu.nvidia.com in the containers instead of {IMPLICIT}gpu.nvidia.co"),
    # Kueue.
    "selector that Kueue matches": ([*kueue(no_quota(KUEUE, "Inadmissible")), pattern("t", request(selector=f"{A}.productName == 'NVIDIA H100'"))], "job/ml/j", "1.36", "kueue", "they have productName", "write NVIDIA H100 80GB HBM3 instead of NVIDIA H100"),
    "flavor of other nodes": (
        [labelled("h-1", "h100"), labelled("a-1", "a100"), CLASS, slices(gpu(), on="a-1"), own("t"), needs("t", "0/2 nodes are available: 1 cannot allocate all claims.", templates={"gpu": "one"}, nodeSelector={"accel": "h100"})],
        "ml/t", "1.36", "allocation", "the devices are on a-1, where nodeSelector does not match", "let the driver of class gpu.nvidia.com publish devices on the nodes that the pod selects",
    ),
    # Autoscalers.
    "group at its maximum": (taken("NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached"), "ml/g", "1.36", "allocation", "max node group size reached", "raise the maximum of the autoscaler (of the node group, or of the cluster) so that it can add a node with such devices; or, tried: n1: end pod ml/u"),
    "backoff": (taken("NotTriggerScaleUp", "pod didn't trigger scale-up: 1 in backoff after failed scale-up"), "ml/g", "1.36", "allocation", "in backoff", "see why the cloud gave no node at the last attempt"),
    "quota of Google Cloud": (failed("GCE quota exceeded"), "ml/g", "1.36", "allocation", "the autoscaler could not add a node: Node scale up", "raise the quota of the Google Cloud project"),
    "no machines": (failed("GCE out of resources"), "ml/g", "1.36", "allocation", "GCE out of resources", "let the node pool (or the ComputeClass of the pod) use other zones"),
    "no addresses": (failed("IP space exhausted"), "ml/g", "1.36", "allocation", "IP space", "give the cluster a larger range of addresses"),
    "no account": (failed("Service Account was deleted"), "ml/g", "1.36", "allocation", "Service Account", "name a service account that exists"),
    "no reservation": (failed("Reservation not ready: r"), "ml/g", "1.36", "allocation", "Reservation", "let the node pool (or what the pod selects by cloud.google.com/reservation-name)"),
    "topology of a TPU": (failed("Invalid TPU topology: 3x3"), "ml/g", "1.36", "allocation", "Invalid TPU", "select a TPU type and topology that go together"),
    "placement": (failed("Unsupported Compact Placement Config"), "ml/g", "1.36", "allocation", "Placement", "let the node pool use a machine type and zone that compact placement supports"),
    "machines that do not appear": (failed('Some nodes in node group ["g"] failed to appear in time'), "ml/g", "1.36", "allocation", "failed to appear", "see why machines of the node pool do not become nodes"),
    "pools of a new node": (no_devices(said("g", "Nominated", "Pod should schedule on: nodeclaim/gpu-x, node/ip-1"), POOLS), "ml/g", "1.36", "allocation", "the autoscaler waits: NodeClaim gpu-x: DRADriverPoolsNotPublished", "let driver gpu.nvidia.com run on the new node"),
    "no instance type": (no_devices(said("g", "FailedScheduling", "Failed to schedule pod, incompatible dynamic resource requirements, no instance type can satisfy the allocation")), "ml/g", "1.36", "allocation", "no instance type", "let a NodePool allow instance types with such devices"),
    # Other schedulers, and reasons of the scheduler that are not simulated.
    "KAI without DRA": (
        [*BASE, asks("c"), needs("k", "", claims={"gpu": "c"}, schedulerName="kai-scheduler"), said("k", "Unschedulable", "pod ml/k requires DRA (resource claims or DRA-backed extended resources) but DRA manager is not initialized")],
        "ml/k", "1.36", "rejected", "DRA manager is not initialized", "turn DRA on in KAI",
    ),
    "gang of Volcano": (volcano("Inqueue", conditions=[cond("Unschedulable", "True", "NotEnoughPods", "Not enough valid tasks for gang-scheduling, valid: 1, min: 2")]), "ml/v-0", "1.36", "rejected", "Not enough valid tasks", "let all 2 pods of the job be there"),
    "too many devices": ([on(), CLASS, slices(*map(gpu, range(8))), asks("big", request("a", count=20), request("b", count=20)), needs("w", "claim ml/big, request b: adding 20 devices exceeds the claim limit of 32, with 20 already accounted for", claims={"gpu": "big"})], "ml/w", "1.36", "allocation", "exceeds the claim limit of 32", "ask for at most 32 devices in one claim"),
    "pool that is updated": ([on(), CLASS, slices(gpu(), count=2), asks("all", request(allocationMode="All")), needs("w", claims={"gpu": "all"})], "ml/w", "1.36", "allocation", "gpu.nvidia.com/n1 is currently being updated", "let the driver publish all slices of pool gpu.nvidia.com/n1"),
    "amounts of the pod": (says("0/1 nodes are available: 1 pod level request for cpu is insufficient to cover the aggregated container and node-allocatable DRA requests."), "ml/w", "1.36", "rejected", "pod level request for cpu", "raise spec.resources.requests.cpu of the pod"),
    "group that is missing": (says('waiting for pods\'s pod group "pg" to appear in scheduling queue'), "ml/w", "1.37", "rejected", 'pod group "pg"', "create PodGroup pg in namespace ml"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACING)
def test_the_cause_and_what_an_operator_does(tmp_path: Path, name: str) -> None:
    given, target, release, step, cause, change = PLACING[name]
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"kind": "List", "items": given}), "utf-8")
    call = [target, str(path), "--kube-version", release, "--output-format", "json"]
    result = CliRunner().invoke(command, call, catch_exceptions=False)
    (answer,) = json.loads(result.stdout)["answers"]
    assert answer["step"] == step
    assert cause in answer["cause"]
    assert change in (answer["change"] or "")
    assert "{" not in (answer["change"] or "")


def test_a_change_that_was_tried_is_kept_beside_what_goes_first(tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    given = taken("NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached")
    path.write_text(json.dumps({"kind": "List", "items": given}), "utf-8")
    out = CliRunner().invoke(command, ["ml/g", str(path), "--diff"]).stdout
    assert "# not tried" in out
    assert "kubectl delete pod u -n ml" in out


def test_a_quota_that_is_raised_is_a_patch(tmp_path: Path) -> None:
    given, target, release, *_ = PLACING["quota of an extended resource"]
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"kind": "List", "items": given}), "utf-8")
    out = CliRunner().invoke(command, [target, str(path), "--kube-version", release, "--diff"])
    patch = {"spec": {"hard": {"requests.nvidia.com/gpu": "5", "requests.memory": "38Gi"}}}
    assert (
        f"kubectl patch resourcequota q -n ml --type=merge -p '{json.dumps(patch)}'" in out.stdout
    )

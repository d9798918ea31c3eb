"""`dradsl why` where another object explains the words: who wrote the field that is wrong, what a driver or controller is
given (gates, mounts, names), roles, namespaces, limits. Each case names what has to be said and what would be false."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.why.test_causes import BASE, CLASS, SLICE, container, obj, on, owned, said, train
from tests.why.test_controllers import by, cond, kueue, no_quota, of_cluster
from tests.why.test_drivers import FOLDER, agent, agents, prepares, tells, waits
from tests.why.test_facts import answer_of, asked
from tests.why.test_points import GPU, REJECTED, claim, device_class, gpu, held, slices

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
AT = {"namespace": "sys"}
CPU, CPUS = "dra.cpu", device_class("dra.cpu", "dra.cpu")
SELECTED = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
TAINTED = "0/1 nodes are available: 1 node(s) had untolerated taint(s)."
UNREGISTERED = "Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources: DRA driver gpu.nvidia.com is not registered"
POD_NAME = {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}


def addressed(name: str, host: str, **labels: str) -> Object:
    """A node whose machine has a name."""
    found = on(name)
    found["status"]["addresses"] = [{"type": "Hostname", "address": host}]
    found["metadata"]["labels"] = labels
    return found


def workload(kind: str, name: str, box: Object, **spec: Any) -> Object:
    """A DaemonSet or Deployment of one container."""
    template = {"spec": {"containers": [{"name": "main", "image": "x", **box}], **spec}}
    return obj("apps/v1", kind, name, {"template": template}, {"desiredNumberScheduled": 1}, **AT)


def pod_of(given: Object, node: str = "n1", **status: Any) -> Object:
    """A pod of such a workload."""
    spec = {**given["spec"]["template"]["spec"], "nodeName": node}
    name = given["metadata"]["name"]
    return obj(
        "v1",
        "Pod",
        f"{name}-p",
        spec,
        {"phase": "Running", **status},
        **AT,
        **owned("DaemonSet", name),
    )


def cpu_waits(node: Object, *more: Object) -> list[Object]:
    return [node, CPUS, claim(device_class=CPU), train(REJECTED), *more]


def cpu_plugin(**box: Any) -> list[Object]:
    found = workload("DaemonSet", "dra-driver-cpu", box, hostNetwork=True, volumes=[FOLDER])
    return [found, pod_of(found)]


def made_by(message: str, *owners: Object, node: str = "", **spec: Any) -> list[Object]:
    """A pod with a claim, and what made it, the nearest first."""
    head = owners[0]
    found = train(message, node, spec=spec)
    found["metadata"] |= by(head["kind"], head["metadata"]["name"], head["apiVersion"])
    chain = [copy.deepcopy(one) for one in owners]
    for one, above in zip(chain, chain[1:]):
        one["metadata"] |= by(above["kind"], above["metadata"]["name"], above["apiVersion"])
    return [*BASE, claim(), found, *chain]


def replicated(**spec: Any) -> list[Object]:
    """A ReplicaSet and its Deployment with a template of this spec."""
    box = {"name": "main", "image": "x", "resources": {"claims": [{"name": "gpu"}]}}
    whole = {
        "containers": [box],
        "resourceClaims": [{"name": "gpu", "resourceClaimName": "train"}],
        **spec,
    }
    template = {"replicas": 1, "template": {"spec": whole}}
    return [
        obj("apps/v1", "ReplicaSet", "llm-1", template),
        obj("apps/v1", "Deployment", "llm", template),
    ]


VMI = obj(
    "kubevirt.io/v1",
    "VirtualMachineInstance",
    "vmi-pinned",
    {"domain": {"cpu": {"cores": 4, "dedicatedCpuPlacement": True}}},
)
PINNED = {"nodeSelector": {"kubevirt.io/cpumanager": "true"}}
LABELS = {"kubevirt.io/cpumanager": "false"}
ISVC = obj(
    "serving.kserve.io/v1beta1",
    "InferenceService",
    "llm",
    {"predictor": {"nodeSelector": {"gpu": "h100"}}},
)
TOLERANT = on(taints=[{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}])
STATIC = "--feature-gates=DRAExtendedResource={}"


def control(name: str, *args: str) -> Object:
    box = {"name": name, "image": f"registry.k8s.io/{name}:v1.36.0", "command": [name, *args]}
    head = {"namespace": "kube-system", "labels": {"component": name, "tier": "control-plane"}}
    return obj(
        "v1",
        "Pod",
        f"{name}-cp",
        {"containers": [box], "nodeName": "n1"},
        {"phase": "Running"},
        **head,
    )


def extended(resource: str = "nvidia.com/gpu", message: str = "") -> Object:
    found = train(message)
    amounts = {resource: "1"}
    found["spec"] = {
        "containers": [
            {"name": "main", "image": "x", "resources": {"requests": amounts, "limits": amounts}}
        ]
    }
    return found


def classed(name: str, driver: str, minute: int, resource: str = "nvidia.com/gpu") -> Object:
    found = device_class(name, driver)
    found["spec"]["extendedResourceName"] = resource
    found["metadata"]["creationTimestamp"] = f"2026-11-28T08:{minute:02d}:00Z"
    return found


def bound(space: str, role: str = "gpu-plugin", account: str = "plugin") -> Object:
    subject = {"kind": "ServiceAccount", "namespace": space, "name": account}
    found = of_cluster(obj("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", role))
    return {**found, "subjects": [subject], "roleRef": {"kind": "ClusterRole", "name": role}}


ROLE = {
    **of_cluster(obj("rbac.authorization.k8s.io/v1", "ClusterRole", "gpu-plugin")),
    "rules": [{"apiGroups": ["resource.k8s.io"], "resources": ["resourceslices"], "verbs": ["*"]}],
}
FORBIDDEN = 'resourceslices.resource.k8s.io is forbidden: User "system:serviceaccount:sys:plugin" cannot list resource "resourceslices" in API group "resource.k8s.io" at the cluster scope'


def crashing(message: str, *, node: str = "n1", **spec: Any) -> list[Object]:
    """A plugin of NVIDIA's driver that crashes with these words."""
    found = agents(name="nvidia-dra-driver-gpu-kubelet-plugin", spec=spec)
    last = {"exitCode": 1, "reason": "Error", "message": message}
    state = {"containerStatuses": container("CrashLoopBackOff", "back-off", last)}
    return [found, pod_of(found, node, **state)]


LIMITS = obj(
    "v1",
    "LimitRange",
    "defaults",
    {"limits": [{"type": "Container", "defaultRequest": {"cpu": "16"}, "max": {"cpu": "32"}}]},
)
RANGED = "LimitRanger plugin set: cpu request for container main"


def ranged() -> list[Object]:
    found = train("0/1 nodes are available: 1 Insufficient cpu.")
    found["metadata"]["annotations"] = {"kubernetes.io/limit-ranger": RANGED}
    found["spec"]["containers"][0]["resources"]["requests"] = {"cpu": "16"}
    return [*BASE, claim(), found, LIMITS]


CONFIG = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nresources:\n  deviceClassMappings:\n  - name: whole-gpus\n    deviceClassNames: [other.example.com]\n"
MANAGER = {
    **obj("v1", "ConfigMap", "kueue-manager-config", namespace="kueue-system"),
    "data": {"controller_manager_config.yaml": CONFIG},
}
UNMAPPED = "couldn't assign flavors to pod set main: DeviceClass gpu.nvidia.com is not mapped in DRA configuration for podset main: spec.podSets[0]"

POOLS = {
    "apiVersion": "resource.k8s.io/v1alpha3",
    "kind": "ResourcePoolStatusRequest",
    "metadata": {"name": "ask"},
    "spec": {"driver": GPU},
    "status": {
        "pools": [
            {
                "driver": GPU,
                "poolName": "n1",
                "generation": 2,
                "validationError": "device gpu-0 is published twice",
            }
        ],
        "poolCount": 1,
    },
}


# Case -> the dump, the step, what the cause has to say, what nobody may say, what the change has to say.
ORIGINS: dict[str, tuple[list[Object], str, tuple[str, ...], tuple[str, ...], str]] = {
    "the machine's hostname": (
        cpu_waits(
            addressed("worker-a", "10-0-130-70"),
            *cpu_plugin(args=["/dracpu"])[:1],
            pod_of(cpu_plugin()[0], "worker-a"),
        ),
        "allocation",
        ("10-0-130-70", "worker-a", "spec.nodeName"),
        ("does not run",),
        "spec.nodeName",
    ),
    "slices of the hostname": (
        [
            addressed("worker-a", "10-0-130-70"),
            CPUS,
            slices({"name": "c"}, on="10-0-130-70", driver=CPU),
            claim(device_class=CPU),
            train(REJECTED),
            *cpu_plugin(env=[{"name": "NODE_NAME", "value": "x"}]),
        ],
        "allocation",
        ("10-0-130-70", "of which no node has the name", "hostname of worker-a"),
        (),
        "spec.nodeName",
    ),
    "KubeVirt's selector": (
        [on_labelled for on_labelled in made_by(SELECTED, VMI, **PINNED)]
        if False
        else [addressed("n1", "n1", **LABELS), *made_by(SELECTED, VMI, **PINNED)[1:]],
        "filter",
        ("VirtualMachineInstance ml/vmi-pinned", "dedicatedCpuPlacement"),
        ("webhook",),
        "VirtualMachineInstance",
    ),
    "an operator's template": (
        [
            *made_by(
                SELECTED,
                *replicated(nodeSelector={"gpu": "h100"}),
                ISVC,
                nodeSelector={"gpu": "h100"},
            )
        ],
        "filter",
        ("InferenceService ml/llm",),
        (),
        "InferenceService ml/llm",
    ),
    "a Deployment's template": (
        [TOLERANT, *made_by(TAINTED, *replicated())[1:]],
        "filter",
        ("dedicated=gpu:NoSchedule",),
        (),
        "tolerate dedicated=gpu:NoSchedule",
    ),
    "the scheduler's gate": (
        [
            on(),
            classed("gpu.nvidia.com", GPU, 1),
            SLICE,
            extended(message="0/1 nodes are available: 1 Insufficient nvidia.com/gpu."),
            control("kube-scheduler", STATIC.format("false")),
            control("kube-apiserver", STATIC.format("true")),
        ],
        "rejected",
        ("kube-scheduler-cp", "DRAExtendedResource=false"),
        (),
        "kube-scheduler",
    ),
    "two classes of one resource": (
        [
            on(),
            classed("old", GPU, 1),
            classed("new", "none.example.com", 5),
            SLICE,
            extended(message="0/1 nodes are available: 1 cannot allocate all claims."),
        ],
        "allocation",
        ("DeviceClass new", "DeviceClass old", "nvidia.com/gpu"),
        (),
        "extendedResourceName",
    ),
    "a binding of another namespace": (
        waits(
            *crashing(FORBIDDEN),
            bound("other"),
            ROLE,
        ),
        "allocation",
        ("ClusterRoleBinding gpu-plugin", "namespace other"),
        (),
        "ClusterRoleBinding gpu-plugin",
    ),
    "a RuntimeClass that is there": (
        waits(
            *crashing("error initializing NVML: failed to init NVML: ERROR_LIBRARY_NOT_FOUND"),
            of_cluster({**obj("node.k8s.io/v1", "RuntimeClass", "nvidia"), "handler": "nvidia"}),
        ),
        "allocation",
        ("ERROR_LIBRARY_NOT_FOUND", "RuntimeClass nvidia", "runtimeClassName"),
        (),
        "",
    ),
    "a kubelet with another root": (
        [
            *prepares(UNREGISTERED)[1:],
            addressed("n1", "n1", **{"microk8s.io/cluster": "true"}),
            *(lambda d: (d, pod_of(d)))(agents(name="nvidia-dra-driver-gpu-kubelet-plugin")),
        ],
        "prepare",
        ("is not registered", "/var/lib/kubelet/plugins_registry", "microk8s"),
        (),
        "/var/snap/microk8s/common/var/lib/kubelet",
    ),
    "a LimitRange's default": (
        ranged(),
        "filter",
        ("LimitRange ml/defaults",),
        (),
        "LimitRange",
    ),
    "Kueue's configuration": (
        kueue(no_quota(UNMAPPED, "Inadmissible")) + [MANAGER],
        "kueue",
        ("ConfigMap kueue-system/kueue-manager-config", "whole-gpus"),
        (),
        "deviceClassMappings",
    ),
    "the driver's gates": (
        prepares(
            "Failed to prepare dynamic resources: unknown GPU sharing strategy: TimeSlicing",
            *(lambda d: (d, pod_of(d)))(
                workload(
                    "DaemonSet",
                    "nvidia-dra-driver-gpu-kubelet-plugin",
                    {
                        "env": [
                            {
                                "name": "FEATURE_GATES",
                                "value": "TimeSlicingSettings=false,MPSSupport=true",
                            }
                        ]
                    },
                    volumes=[FOLDER],
                )
            ),
        ),
        "prepare",
        ("DaemonSet sys/nvidia-dra-driver-gpu-kubelet-plugin", "TimeSlicingSettings=false"),
        (),
        "TimeSlicingSettings",
    ),
    "a pool's status": (
        [
            on(),
            CLASS,
            SLICE,
            {**SLICE, "metadata": {"name": "second"}},
            claim(),
            train(REJECTED),
            POOLS,
        ],
        "allocation",
        ("ResourcePoolStatusRequest ask", "published twice"),
        (),
        "",
    ),
    "a taint tolerated for a time": (
        [
            on(
                taints=[
                    {
                        "key": "maintenance",
                        "effect": "NoExecute",
                        "timeAdded": "2026-11-28T08:00:00Z",
                    }
                ]
            ),
            CLASS,
            SLICE,
            held("train"),
            train(
                node="n1",
                spec={
                    "tolerations": [
                        {
                            "key": "maintenance",
                            "operator": "Exists",
                            "effect": "NoExecute",
                            "tolerationSeconds": 600,
                        }
                    ]
                },
            ),
        ],
        "node",
        ("maintenance", "600"),
        (),
        "",
    ),
}

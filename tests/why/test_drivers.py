"""`dradsl why` on drivers that do not run: what it finds behind their plugins, in the objects of operators, in other pods and
in nodes. The dumps have the words of public issues."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import dradsl.api.remedies
from tests.why.test_causes import container, domain, obj, on, owned, said, train
from tests.why.test_classes import with_labels
from tests.why.test_facts import answer_of
from tests.why.test_points import GPU, REJECTED, claim, device_class, gpu, held, slices

Object = dict[str, Any]
FOLDER = {"name": "r", "hostPath": {"path": "/var/lib/kubelet/plugins_registry"}}
RUNNING = [{"name": "init", "ready": False, "state": {"running": {}}}]
MISSING = f"0/1 nodes are available: 1 request gpu: device class {GPU} does not exist."
UNTOLERATED = "0/1 nodes are available: 1 node(s) had untolerated taint(s)."
CORDONED = "0/1 nodes are available: 1 node(s) were unschedulable."
AT = {"namespace": "sys"}


def waits(
    *more: Object, driver: str = GPU, node: Object | None = None, message: str = REJECTED
) -> list[Object]:
    """A pod that waits for a driver that publishes nothing."""
    return [node or on(), device_class("c", driver), claim(device_class="c"), train(message), *more]


def lacks(*more: Object) -> list[Object]:
    """A pod whose class is missing, as nothing installs the driver."""
    return [on(), device_class("other", "other.example.com"), claim(), train(MISSING), *more]


def agents(name: str = "nvidia-agent", image: str = "x", spec: Any = None, **status: Any) -> Object:
    """A DaemonSet that mounts the folder of sockets of kubelet plugins."""
    template = {
        "containers": [{"name": "main", "image": image}],
        "volumes": [FOLDER],
        **(spec or {}),
    }
    counts = {"desiredNumberScheduled": 1, **status}
    return obj("apps/v1", "DaemonSet", name, {"template": {"spec": template}}, counts, **AT)


def agent(name: str = "nvidia-agent", image: str = "x", node: str = "n1", **status: Any) -> Object:
    """A pod of such a DaemonSet."""
    spec = {"nodeName": node, "containers": [{"name": "main", "image": image}], "volumes": [FOLDER]}
    return obj(
        "v1",
        "Pod",
        f"{name}-p",
        spec,
        {"phase": "Running", **status},
        **AT,
        **owned("DaemonSet", name),
    )


def other(
    name: str, reason: str = "CrashLoopBackOff", last: str = "", image: str = "x", **status: Any
) -> Object:
    """A pod that is no plugin, and whose container has failed."""
    ended = {"exitCode": 1, "reason": "Error", "message": last} if last else None
    state = {
        "containerStatuses": container(reason, "back-off", ended),
        "phase": "Running",
        **status,
    }
    spec = {"nodeName": "n1", "containers": [{"name": "main", "image": image}]}
    return obj("v1", "Pod", name, spec, state, **AT)


def tells(name: str, reason: str, message: str, kind: str = "Pod") -> Object:
    found = said(name, reason, message, kind)
    found["involvedObject"]["namespace"] = "sys"
    return found


def crashes(message: str, **given: Any) -> Object:
    last = {"exitCode": 1, "reason": "Error", "message": message}
    return agent(**given, containerStatuses=container("CrashLoopBackOff", "back-off", last))


def of_cluster(api: str, kind: str, name: str, status: Object) -> Object:
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": {"name": name},
        "spec": {},
        "status": status,
    }


def state(kind: str, status: str, reason: str, message: str) -> Object:
    return {"conditions": [{"type": kind, "status": status, "reason": reason, "message": message}]}


def labelled(given: Object, **metadata: Any) -> Object:
    return {**given, "metadata": {**given["metadata"], **metadata}}


def taken_out(**metadata: Any) -> Object:
    return labelled({**on(), "spec": {"unschedulable": True}}, **metadata)


def not_ready(reason: str, message: str) -> Object:
    found = on(taints=[{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}])
    found["status"].update(state("Ready", "False", reason, message))
    return found


def prepares(message: str, *more: Object) -> list[Object]:
    starting = train(node="n1", phase="Pending")
    failed = said("train", "FailedPrepareDynamicResources", message)
    return [on(), device_class(), slices(gpu()), held("train"), starting, failed, *more]


PAUSED = {
    "nvidia.com/gpu.deploy.dra-driver": "paused-for-mig-change",
    "nvidia.com/mig.config.state": "failed",
}
SELECTS = {"nodeSelector": {"nvidia.com/gpu.deploy.dra-driver": "true"}}
OF_KMM = {"nodeSelector": {"kmm.node.kubernetes.io/sys.npu.ready": ""}}
MODULE = obj(
    "kmm.sigs.x-k8s.io/v1beta1",
    "Module",
    "npu",
    {},
    {"moduleLoader": {"nodesMatchingSelectorNumber": 2, "desiredNumber": 0}},
    **AT,
)
QUOTA = "insufficient quota to match these scopes: [{PriorityClass In [system-node-critical system-cluster-critical]}]"
OPERATOR = obj(
    "apps/v1",
    "Deployment",
    "gpu-operator",
    {
        "template": {
            "spec": {"containers": [{"name": "m", "image": "nvcr.io/nvidia/gpu-operator:v25"}]}
        }
    },
    **AT,
)
OPERATORS = obj(
    "apps/v1", "ReplicaSet", "gpu-operator-1", {}, {}, **AT, **owned("Deployment", "gpu-operator")
)
WEBHOOK = 'PodResourceClaim gpu: Internal error occurred: failed calling webhook "w.nvidia.com": failed to call webhook: Post "https://dra-webhook.sys.svc:443/v": '
SRIOV = "sriovnetwork.k8snetworkplumbingwg.io"
DIALS = 'NodePrepareResources: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /x/dra.sock: connect: connection refused"'

SCC = 'Error creating: pods "x-" is forbidden: unable to validate against any security context constraint: [provider "anyuid": Forbidden]'
CUT_OFF = f"error killing pod: unprepare dynamic resources: {DIALS.replace('Prepare', 'Unprepare')}"

# What the kubelet of a node says, and words of the change.
UNREADY = {
    "container runtime network not ready: cni plugin not initialized": "let the pod of the network plugin (CNI) run on n1",
    "PLEG is not healthy: pleg was last seen active 3m ago": "restart the container runtime of n1",
    "container runtime is down": "start the container runtime of n1 again",
    "failed to initialize CSINode": "put right on n1 what its kubelet tells: failed to initialize CSINode",
}
# The plugin that waits, by its name, why, words of the cause, and of the change.
WAITING: dict[str, tuple[str, Object, str, str]] = {
    "image that is not known": (
        "nvidia-agent",
        {"containerStatuses": container("ImagePullBackOff", 'Back-off pulling image "x/y:1"')},
        "ImagePullBackOff",
        "see why n1 cannot pull x/y:1",
    ),
    "ConfigMap of its namespace": (
        "nvidia-agent",
        {"containerStatuses": container("CreateContainerConfigError", 'configmap "c" not found')},
        'configmap "c" not found',
        "create configmap c in namespace sys",
    ),
    "driver of NVIDIA": (
        "nvidia-agent",
        {"initContainerStatuses": RUNNING},
        "init container init runs and has not ended",
        "let the NVIDIA driver and toolkit be on n1, for which init container init waits",
    ),
    "something of another driver": (
        "npu-agent",
        {"initContainerStatuses": RUNNING},
        "init container init runs and has not ended",
        "see the log of init container init of pod npu-agent-p in namespace sys",
    ),
}

# What is asked, its step, words of the cause, and of the change.
DRIVERS: dict[str, tuple[list[Object], str, str, str]] = {
    **{
        f"node: {says}": (
            waits(node=not_ready("KubeletNotReady", says), message=UNTOLERATED),
            "filter",
            f"node n1 is not ready: KubeletNotReady: {says}",
            change,
        )
        for says, change in UNREADY.items()
    },
    **{
        f"plugin that waits: {name}": (
            waits(
                agent(plugin, phase="Pending", **status),
                driver=GPU if plugin.startswith("nvidia") else "npu.example.com",
            ),
            "allocation",
            cause,
            change,
        )
        for name, (plugin, status, cause, change) in WAITING.items()
    },
    "ServiceAccount of a plugin that OpenShift rejects": (
        waits(
            agents(spec={"serviceAccountName": "dra"}),
            tells("nvidia-agent", "FailedCreate", SCC, "DaemonSet"),
        ),
        "allocation",
        "; its pods use ServiceAccount sys/dra",
        "oc adm policy add-scc-to-user privileged -z dra -n sys",
    ),
    "operator that is ready with no node": (
        waits(
            of_cluster(
                "nvidia.com/v1",
                "ClusterPolicy",
                "p",
                state("Ready", "True", "NFDLabelsMissing", "No NFD labels found"),
            )
        ),
        "allocation",
        "the operator has set nothing up, as it finds no node with a GPU",
        "let Node Feature Discovery run",
    ),
    "plugin that does not answer a pod that ends": (
        [
            on(),
            device_class(),
            slices(gpu()),
            held("train"),
            labelled(train(node="n1", phase="Running"), deletionTimestamp="2026-11-01T00:00:00Z"),
            said("train", "FailedKillPod", CUT_OFF),
            crashes("panic: x"),
        ],
        "deleted",
        f"; driver {GPU} has to unprepare its claim, and Pod sys/nvidia-agent-p on n1",
        "let the plugin that serves /x/dra.sock run on n1",
    ),
    "device that two CDI files have": (
        [
            on(),
            device_class(),
            slices(gpu()),
            held("train"),
            train(
                node="n1",
                phase="Pending",
                containerStatuses=container(
                    "CreateContainerError",
                    'unresolvable CDI devices x/gpu=0: conflicting device "x/gpu=0" (specs "/a", "/b")',
                ),
            ),
        ],
        "container",
        'conflicting device "x/gpu=0" (specs "/a", "/b")',
        "delete the CDI file on n1 that no driver or toolkit writes any more",
    ),
    "daemon of a domain that is not created": (
        domain(containerStatuses=container("CreateContainerError", "context deadline exceeded")),
        "prepare",
        "; Pod ml/cd-x on n1: container main: CreateContainerError",
        "see the log and events of pod cd-x of namespace ml",
    ),
    "label that an operator has set aside": (
        waits(
            agents(spec=SELECTS, desiredNumberScheduled=0),
            node=with_labels(
                on(), **{k.replace("/", "__").replace(".", "_"): v for k, v in PAUSED.items()}
            ),
        ),
        "allocation",
        "n1 has nvidia.com/gpu.deploy.dra-driver=paused-for-mig-change",
        "see what set the label nvidia.com/gpu.deploy.dra-driver of n1 to paused-for-mig-change",
    ),
    "label of a module that is not loaded": (
        waits(agents(spec=OF_KMM, desiredNumberScheduled=0), MODULE),
        "allocation",
        "; Module sys/npu: moduleLoader is ready on 0 of 2 nodes that it selects",
        "let Module npu load its module on the nodes",
    ),
    "module that cannot be loaded": (
        waits(
            agents(spec=OF_KMM, desiredNumberScheduled=0),
            other(
                "kmm-worker-n1-npu",
                last="modprobe: ERROR: could not insert 'amdgpu': Unknown symbol in module",
            ),
        ),
        "allocation",
        "; Pod sys/kmm-worker-n1-npu on n1: container main: CrashLoopBackOff",
        "use a version of the driver amdgpu",
    ),
    "label of features that nobody sets": (
        waits(
            agents(
                spec={"nodeSelector": {"feature.node.kubernetes.io/pci-10de.present": "true"}},
                desiredNumberScheduled=0,
            ),
            other("nfd-worker", "ImagePullBackOff", phase="Pending"),
        ),
        "allocation",
        "no node has the label feature.node.kubernetes.io/pci-10de.present=true; Pod sys/nfd-worker on n1: container main: ImagePullBackOff",
        "label the nodes that have the devices",
    ),
    "init container that waits for another pod": (
        waits(
            agent(phase="Pending", initContainerStatuses=RUNNING),
            other("nvidia-driver-daemonset-x", last="Could not resolve Linux kernel version"),
        ),
        "allocation",
        "init container init runs and has not ended; Pod sys/nvidia-driver-daemonset-x on n1: container main: CrashLoopBackOff",
        "use a version of the driver whose image is for the kernel of n1",
    ),
    "init container of AMD": (
        waits(
            agent("amd-agent", phase="Pending", initContainerStatuses=RUNNING),
            obj(
                "amd.com/v1alpha1",
                "DeviceConfig",
                "d",
                {},
                state("Ready", "False", "OperandNotReady", "driver is not ready"),
                **AT,
            ),
            driver="gpu.amd.com",
        ),
        "allocation",
        "DeviceConfig sys/d: Ready is False: OperandNotReady: driver is not ready",
        "let the kernel driver amdgpu be loaded on n1",
    ),
    "plugin whose name is another, by its image": (
        waits(
            crashes(
                "start gRPC server: listen unix /var/lib/kubelet/plugins_registry/dra.net-reg.sock: bind: no such file or directory",
                name="network-agent",
                image="registry.k8s.io/networking/dranet:v1",
            ),
            driver="dra.net",
        ),
        "allocation",
        "; Pod sys/network-agent-p on n1: container main: CrashLoopBackOff",
        "mount the folder /var/lib/kubelet/plugins_registry of the kubelet",
    ),
    "plugin that is not healthy": (
        waits(
            agent(containerStatuses=[{"name": "main", "ready": False, "state": {"running": {}}}]),
            tells("nvidia-agent-p", "Unhealthy", "Liveness probe failed: timeout"),
        ),
        "allocation",
        "container main runs and is not ready: Liveness probe failed: timeout",
        "see the log of container main",
    ),
    "plugin that was evicted": (
        waits(
            agent(phase="Failed", reason="Evicted", message="The node was low on resource: memory.")
        ),
        "allocation",
        "Pod sys/nvidia-agent-p on n1: Evicted: The node was low on resource: memory.",
        "",
    ),
    "operator whose settings are rejected": (
        lacks(
            of_cluster(
                "nvidia.com/v1",
                "ClusterPolicy",
                "p",
                state("Error", "True", "ReconcileFailed", "failed to validate DRA"),
            )
        ),
        "class",
        "does not exist; ClusterPolicy p: Error is True: ReconcileFailed: failed to validate DRA",
        "put right what ClusterPolicy p tells: ReconcileFailed: failed to validate DRA",
    ),
    "release that was not installed": (
        lacks(
            obj(
                "helm.toolkit.fluxcd.io/v2",
                "HelmRelease",
                "nvidia-dra-driver-gpu",
                {},
                state("Ready", "False", "InstallFailed", "nvidiaDriverRoot must be set"),
                namespace="flux",
            )
        ),
        "class",
        "HelmRelease flux/nvidia-dra-driver-gpu: Ready is False: InstallFailed: nvidiaDriverRoot must be set",
        "put right what HelmRelease nvidia-dra-driver-gpu tells",
    ),
    "operator whose pods are rejected": (
        lacks(
            OPERATOR,
            OPERATORS,
            tells("gpu-operator-1", "FailedCreate", f"Error creating: {QUOTA}", "ReplicaSet"),
        ),
        "class",
        f"Deployment sys/gpu-operator: Error creating: {QUOTA}",
        "create a ResourceQuota in namespace sys",
    ),
    "application that cannot be applied": (
        waits(
            crashes(
                "failed to list *v1beta1.ResourceSlice: the server could not find the requested resource"
            ),
            obj(
                "argoproj.io/v1alpha1",
                "Application",
                "nvidia-dra-driver",
                {},
                {
                    "operationState": {
                        "phase": "Failed",
                        "message": 'DaemonSet.apps "nvidia-agent" is invalid: spec.selector: Invalid value: {}: field is immutable',
                    }
                },
                namespace="argocd",
            ),
        ),
        "allocation",
        "; Application argocd/nvidia-dra-driver: Failed: DaemonSet.apps",
        "delete the DaemonSet nvidia-agent",
    ),
    "state of a node's hardware": (
        waits(
            obj(
                "sriovnetwork.openshift.io/v1",
                "SriovNetworkNodeState",
                "n1",
                {},
                {"syncStatus": "Failed", "lastSyncError": "cannot set numVfs"},
                **AT,
            ),
            driver=SRIOV,
        ),
        "allocation",
        "; SriovNetworkNodeState sys/n1: Failed: cannot set numVfs",
        "put right what SriovNetworkNodeState n1 tells: cannot set numVfs",
    ),
    "operator of other hardware": (
        waits(
            of_cluster(
                "mellanox.com/v1alpha1",
                "NicClusterPolicy",
                "n",
                {
                    "state": "notReady",
                    "appliedStates": [
                        {
                            "name": "state-OFED",
                            "state": "notReady",
                            "message": "no image for kernel 6.8",
                        }
                    ],
                },
            ),
            driver=SRIOV,
        ),
        "allocation",
        "; NicClusterPolicy n, which may concern it: state-OFED: notReady: no image for kernel 6.8",
        "put right what NicClusterPolicy n tells: no image for kernel 6.8",
    ),
    "webhook without a pod": (
        [
            on(),
            device_class(),
            obj("resource.k8s.io/v1", "ResourceClaimTemplate", "t", {"spec": claim()["spec"]}),
            train(spec={"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}]}),
            said(
                "train",
                "FailedResourceClaimCreation",
                f'{WEBHOOK}no endpoints available for service "dra-webhook"',
            ),
            other("dra-webhook-1", last="flag provided but not defined: -x"),
        ],
        "claim-controller",
        "; Pod sys/dra-webhook-1 on n1: container main: CrashLoopBackOff",
        "use an image and a chart of the same version",
    ),
    "webhook that rejects pods of the plugin, and whose own pod crashes": (
        waits(
            agents(),
            tells(
                "nvidia-agent",
                "FailedCreate",
                'Error creating: failed calling webhook "c.g.sh": failed to call webhook: Post "https://gatekeeper-webhook-service.sys.svc:443/v": no endpoints available',
                "DaemonSet",
            ),
            other("gatekeeper-1", last="flag provided but not defined: -x"),
        ),
        "allocation",
        "; Pod sys/gatekeeper-1 on n1: container main: CrashLoopBackOff",
        "use an image and a chart of the same version",
    ),
    "plugin that has no node yet": (
        prepares(
            f"DRA driver {GPU} is not registered",
            obj(
                "v1",
                "Pod",
                "nvidia-agent-p",
                {
                    "volumes": [FOLDER],
                    "affinity": {
                        "nodeAffinity": {
                            "requiredDuringSchedulingIgnoredDuringExecution": {
                                "nodeSelectorTerms": [
                                    {
                                        "matchFields": [
                                            {
                                                "key": "metadata.name",
                                                "operator": "In",
                                                "values": ["n1"],
                                            }
                                        ]
                                    }
                                ]
                            }
                        }
                    },
                },
                {
                    "phase": "Pending",
                    "conditions": [
                        {
                            "type": "PodScheduled",
                            "status": "False",
                            "message": "0/1 nodes are available: 1 Insufficient cpu.",
                        }
                    ],
                },
                **AT,
                **owned("DaemonSet", "nvidia-agent"),
            ),
        ),
        "prepare",
        "; Pod sys/nvidia-agent-p on no node: 0/1 nodes are available: 1 Insufficient cpu.",
        "free cpu on the node where pod nvidia-agent-p of namespace sys has to run",
    ),
    "template whose controller crashes": (
        [
            on(),
            train(spec={"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}]}),
            obj(
                "resource.nvidia.com/v1beta1",
                "ComputeDomain",
                "cd",
                {"channel": {"resourceClaimTemplate": {"name": "t"}}},
            ),
            other(
                "nvidia-dra-driver-gpu-controller-1",
                last="the server could not find the requested resource (get computedomains.resource.nvidia.com)",
            ),
        ],
        "claim-controller",
        "has not made it; Pod sys/nvidia-dra-driver-gpu-controller-1 on n1",
        "install the CustomResourceDefinition computedomains.resource.nvidia.com",
    ),
    "plugin that the kubelet does not reach": (
        prepares(
            DIALS,
            agent(
                containerStatuses=container(
                    "CrashLoopBackOff", "back-off", {"exitCode": 137, "reason": "OOMKilled"}
                )
            ),
        ),
        "prepare",
        'connection refused"; Pod sys/nvidia-agent-p on n1',
        "raise the memory limit",
    ),
    "driver that is being replaced": (
        waits(
            other("nvidia-driver-daemonset-x", last="failed to uninstall nvidia driver components"),
            node=taken_out(labels={"nvidia.com/gpu-driver-upgrade-state": "pod-restart-required"}),
            message=CORDONED,
        ),
        "filter",
        "node n1 is cordoned, with nvidia.com/gpu-driver-upgrade-state=pod-restart-required; Pod sys/nvidia-driver-daemonset-x on n1",
        "let all that uses the driver of n1 end",
    ),
    "node that an operator drains": (
        waits(
            node=taken_out(annotations={"sriovnetwork.openshift.io/state": "Draining"}),
            message=CORDONED,
        ),
        "filter",
        "node n1 is cordoned, with sriovnetwork.openshift.io/state=Draining",
        "see what the operator that set sriovnetwork.openshift.io/state=Draining on n1 waits for",
    ),
    "node that its network has not set up": (
        waits(
            other("cilium-x", last="daemon creation failed"),
            node=on(taints=[{"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"}]),
            message=UNTOLERATED,
        ),
        "filter",
        "node n1 has the taint node.cilium.io/agent-not-ready until it is set up; Pod sys/cilium-x on n1",
        "see the log of container main of pod cilium-x",
    ),
    "node that the cloud has not set up": (
        waits(
            node=on(
                taints=[
                    {
                        "key": "node.cloudprovider.kubernetes.io/uninitialized",
                        "value": "true",
                        "effect": "NoSchedule",
                    }
                ]
            ),
            message=UNTOLERATED,
        ),
        "filter",
        "node n1 has the taint node.cloudprovider.kubernetes.io/uninitialized until it is set up",
        "let what takes the taint node.cloudprovider.kubernetes.io/uninitialized off n1 run",
    ),
    "label that the cluster sets": (
        waits(
            agents(
                spec={"nodeSelector": {"kubernetes.io/arch": "amd64"}}, desiredNumberScheduled=0
            ),
            node=with_labels(on(), kubernetes_io__arch="arm64"),
        ),
        "allocation",
        "no node has the label kubernetes.io/arch=amd64; n1 has kubernetes.io/arch=arm64",
        "change what the DaemonSet selects (kubernetes.io/arch=amd64)",
    ),
    "node whose disk is full": (
        waits(
            node=labelled(
                {
                    **on(
                        taints=[{"key": "node.kubernetes.io/disk-pressure", "effect": "NoSchedule"}]
                    ),
                    "status": {
                        "allocatable": {"pods": "9"},
                        **state(
                            "DiskPressure",
                            "True",
                            "KubeletHasDiskPressure",
                            "kubelet has disk pressure",
                        ),
                    },
                }
            ),
            message=UNTOLERATED,
        ),
        "filter",
        "node n1 has DiskPressure: KubeletHasDiskPressure",
        "free what n1 lacks",
    ),
}


@pytest.mark.parametrize("name", DRIVERS)
def test_what_stands_behind_a_driver_is_named(tmp_path: Path, name: str) -> None:
    given, step, cause, change = DRIVERS[name]
    answer = answer_of(tmp_path, given, "ml/train")
    assert answer["step"] == step
    assert cause in answer["cause"]
    assert change in (answer["change"] or "")


def test_objects_of_others_are_not_named(tmp_path: Path) -> None:
    """What is not ready as its pods wait, or is of another vendor, is no cause."""
    waiting = state("Ready", "False", "NotReady", "pods are pending")
    some = [
        obj("apps.nvidia.com/v1alpha1", "NIMService", "llm", {}, waiting),
        obj("ray.io/v1", "RayCluster", "ray", {}, waiting, **AT),
        of_cluster("amd.com/v1", "Cluster", "a", waiting),
        of_cluster("mellanox.com/v1alpha1", "NicClusterPolicy", "n", {"state": "notReady"}),
        obj("amd.com/v1alpha1", "DeviceConfig", "d", {}, waiting, namespace="amd"),
        obj("helm.toolkit.fluxcd.io/v2", "HelmRelease", "train", {}, waiting, namespace="flux"),
    ]
    plain = answer_of(tmp_path, waits(), "ml/train")
    assert answer_of(tmp_path, waits(*some), "ml/train")["cause"] == plain["cause"]


def test_a_node_that_is_taken_out_does_not_hide_what_helps_on_another(tmp_path: Path) -> None:
    drained = taken_out(annotations={"sriovnetwork.openshift.io/state": "Draining"})
    tainted = on("n2", taints=[{"key": "team", "effect": "NoSchedule"}])
    some = [slices(gpu(), on=name) for name in ("n1", "n2")]
    given = [tainted, *waits(*some, node=drained, message=UNTOLERATED)]
    answer = answer_of(tmp_path, given, "ml/train")
    assert "tolerate team:NoSchedule (node n2)" in answer["change"]
    assert "is cordoned, with" not in answer["cause"]


# What kubelets, drivers, operators and container runtimes write, and the advice for it.
ROWS: list[Object] = json.loads(
    Path(dradsl.api.remedies.__file__).with_name("remedies_of_nodes.json").read_text("utf-8")
)
SAID: list[dict[str, str]] = yaml.safe_load(
    (Path(__file__).parent / "node_messages.yaml").read_text("utf-8")
)


def test_each_row_has_its_source_and_a_message() -> None:
    found = [next(row for row in ROWS if re.search(row["when"], one["says"])) for one in SAID]
    assert found == ROWS
    for row in ROWS:
        assert re.search(r"\d", row["of"]["release"])
        assert re.search(r"\.(go|c|yaml)\b|https://", row["of"]["at"])
        assert all(
            one.startswith(("kubectl get", "kubectl describe", "kubectl api-"))
            for one in row.get("commands", ())
        )


@pytest.mark.parametrize("one", SAID, ids=lambda one: one["says"][:40])
def test_advice_for_what_a_driver_or_a_node_writes(tmp_path: Path, one: dict[str, str]) -> None:
    answer = answer_of(tmp_path, prepares(one["says"]), "ml/train")
    (row,) = (
        row
        for row in ROWS
        if row["then"].startswith(one["then"]) and re.search(row["when"], one["says"])
    )
    assert one["then"] in answer["change"]
    assert one["says"].rstrip() in answer["cause"]
    assert re.split(r"\{", row.get("means", ""))[0] in answer["cause"]
    assert not re.search(r"\{(\d|name|namespace|node)\}", str(answer))

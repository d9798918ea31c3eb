"""`dradsl why` on drivers that Helm, Flux, Argo CD, OLM or an operator installs: what their objects say of a driver that is not
there, and in which object and value a change lasts."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.api.origins import _table
from tests.why.releases import (
    DRA,
    FOLDERS,
    IMAGE,
    INIT,
    INTEL,
    NVIDIA,
    PRESTART,
    RUNS,
    SYS,
    application,
    classless,
    cluster_object,
    daemons,
    dranet,
    event,
    failed,
    intel,
    kustomization,
    limits,
    noded,
    nvidia,
    of_chart,
    pod_of,
    prepares,
    rejects,
    release,
    sliceless,
    space,
    stopped,
    templateless,
)
from tests.why.test_causes import BASE, CLASS, SLICE, obj, on, train
from tests.why.test_controllers import by, kueue, no_quota
from tests.why.test_facts import answer_of
from tests.why.test_objects import OBJECTS
from tests.why.test_origins import (
    FORBIDDEN,
    JOB,
    ORIGINS,
    POD,
    ROLE,
    UNMAPPED,
    VIOLATES,
    bound,
    configured,
    deployed,
    extended,
)
from tests.why.test_points import GPU, claim, held
from tests.why.test_schedulers import SCHEDULERS

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
Case = tuple[list[Object], str, str, tuple[str, ...], str, str]

SLASH = "ghcr.io/intel/intel-gpu-resource-driver:intel-gpu-resource-driver/v0.11.0"
TWICE = f"{IMAGE}:v0.4.1"
INVALID = 'Failed to apply default image tag "{}": couldn\'t parse image name "{}": invalid reference format'
PULLS = 'Back-off pulling image "{}": ErrImagePull: failed to resolve reference: {}: not found'
DENIED = 'Back-off pulling image "r.example.com/x": ErrImagePull: authorization failed: no basic auth credentials'
CHARTS = "Helm install failed for release sys/x with chart x@0.4.1: "
OWNED = f'{CHARTS}DeviceClass "{GPU}" in namespace "" exists and cannot be imported into the current release: invalid ownership metadata; annotation validation error: key "meta.helm.sh/release-name" must equal "new": current value is "old"'
GATES = "feature gate MPSSupport is currently mutually exclusive with NVMLDeviceHealthCheck"
IMMUTABLE = 'ResourceClaimTemplate/ml/gpu-t dry-run failed (Invalid): ResourceClaimTemplate.resource.k8s.io "gpu-t" is invalid: spec: Invalid value: field is immutable'
BOUND = "listen unix /var/lib/kubelet/plugins/gpu.nvidia.com/dra.sock: bind: address already in use"
NO_FOLDER = "listen unix /var/lib/kubelet/plugins_registry/dra.net-reg.sock: bind: no such file or directory"
UNREGISTERED = (
    f"prepare dynamic resources: NodePrepareResources: DRA driver {GPU} is not registered"
)
BROKEN = 'one or more objects failed to apply, reason: DeviceClass.resource.k8s.io "big" is invalid: spec.selectors[0].cel.expression: Invalid value'
FORBIDS = "resource resource.k8s.io:DeviceClass is not permitted in project ml"
MISSING_CRD = "the server could not find the requested resource (get computedomaincliques.resource.nvidia.com)"
PCI = "feature.node.kubernetes.io/pci-10de.present"
TOLERANT: dict[str, Any] = {"tolerations": [{"operator": "Exists"}]}
CLUSTER = cluster_object("nvidia.com/v1alpha1", "GPUCluster", "gpu-cluster")
POLICY = {"driver": {"enabled": True, "version": "550.163.01"}}
TALOS = {"osImage": "Talos (v1.13.2)"}
OLD_SHAPE = 'ResourceClaimTemplate/ml/gpu-t dry-run failed: failed to create typed patch object (ml/gpu-t; resource.k8s.io/v1, Kind=ResourceClaimTemplate): .spec.spec.devices.requests[name="gpu"].deviceClassName: field not declared in schema'
AMD = daemons("k8s-gpu-dra-driver-kubeletplugin", "docker.io/rocm/k8s-gpu-dra-driver:v1")
DEPLOYS = {"nvidia.com/gpu.deploy.dra-driver": "true"}
GKE = {"cloud.google.com/gke-nodepool": "l4"}
MISSES = [{"kind": "DeviceClass", "name": "big", "health": {"status": "Missing"}}]


def kind_of(given: Object, kind: str, name: str, api: str) -> Object:
    """An object that an operator's object owns."""
    return {**given, "metadata": {**given["metadata"], **by(kind, name, api)}}


def stops(given: Object, reason: str, message: str, **more: Any) -> list[Object]:
    """A DaemonSet and its pod, which does not start."""
    return [given, pod_of(given, phase="Pending", **stopped(reason, message, **more))]


def crashes(given: Object, message: str, name: str = "main", **last: Any) -> list[Object]:
    ended = {"message": message, **last} if message else last
    return [given, pod_of(given, **stopped("CrashLoopBackOff", "back-off", name, **ended))]


def own(name: str, **given: Any) -> Object:
    """The DaemonSet of the GPU operator."""
    return kind_of(
        daemons(name, IMAGE, **given), "GPUCluster", "gpu-cluster", "nvidia.com/v1alpha1"
    )


def replaced() -> Object:
    """A DaemonSet whose pods stay until they are deleted."""
    found = nvidia()
    return {**found, "spec": {**found["spec"], "updateStrategy": {"type": "OnDelete"}}}


def selecting(*labels: str) -> Object:
    """A DaemonSet that makes pods for no node."""
    terms = [
        {"matchExpressions": [{"key": k, "operator": "In", "values": ["true"]}]} for k in labels
    ]
    rule = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return nvidia(affinity={"nodeAffinity": rule}, desired=0)


def watcher() -> Object:
    """The DaemonSet of Node Feature Discovery, which tolerates nothing."""
    given = daemons("nfd-worker", "registry.k8s.io/nfd/node-feature-discovery:v0.18.3", desired=0)
    return of_chart(given, "node-feature-discovery-0.18.3", "nfd")


def asking(*owners: Object) -> list[Object]:
    """A pod that asks for an extended resource beside its claim, and what made it."""
    found, amounts = (
        extended("0/1 nodes are available: 1 Insufficient nvidia.com/gpu."),
        {"nvidia.com/gpu": "1"},
    )
    resources = {"claims": [{"name": "gpu"}], "limits": amounts, "requests": amounts}
    boxes = [{"name": "main", "image": "x", "resources": resources}]
    entries = [{"name": "gpu", "resourceClaimName": "train"}]
    found["spec"] = {"containers": boxes, "resourceClaims": entries}
    chain = [found, *map(copy.deepcopy, owners)]
    for one, above in zip(chain, owners, strict=False):
        one["metadata"] |= by(above["kind"], above["metadata"]["name"], above["apiVersion"])
    return [on(), CLASS, SLICE, claim(), *chain]


def writing(folder: str) -> Object:
    """A DaemonSet that writes CDI files to a folder of its nodes."""
    return intel(volumes=[*FOLDERS, {"name": "cdi", "hostPath": {"path": folder}}])


def model(name: str = "llama", **spec: Any) -> Object:
    return obj("inference.llmkube.dev/v1alpha1", "Model", name, spec)


def webhook() -> list[Object]:
    """A pod whose claim a webhook stops, as its certificate is not there."""
    words = 'PodResourceClaim gpu: failed to create ResourceClaim: Internal error occurred: failed calling webhook "v.nvidia.com": failed to call webhook: Post "https://dra-webhook.sys.svc:443/v": no endpoints available for service "dra-webhook"'
    lacks = 'MountVolume.SetUp failed for volume "cert" : secret "dra-cert" not found'
    refers = 'Referenced "ClusterIssuer" not found: clusterissuer.cert-manager.io "ca" not found'
    pod = obj(
        "v1",
        "Pod",
        "dra-webhook-1",
        {"nodeName": "n1", "containers": []},
        {"phase": "Pending"},
        **SYS,
    )
    some = templateless(pod, event("Pod", "dra-webhook-1", "FailedMount", lacks))
    some[4]["message"] = words
    certificate = obj(
        "cert-manager.io/v1",
        "Certificate",
        "c",
        {"secretName": "dra-cert"},
        {"conditions": [failed("DoesNotExist", "x")]},
        **SYS,
    )
    asks = obj(
        "cert-manager.io/v1",
        "CertificateRequest",
        "c-1",
        {},
        {"conditions": [failed("Pending", refers)]},
        **SYS,
    )
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "gpu-t", "namespace": "ml"},
        "spec": {"spec": claim()["spec"]},
    }
    return [*some, certificate, asks, template]


def from_template(*more: Object) -> list[Object]:
    """A pod with a claim of an older template."""
    entries = [{"name": "gpu", "resourceClaimTemplateName": "gpu-t"}]
    made = [{"name": "gpu", "resourceClaimName": "train-gpu"}]
    mine = claim("train-gpu", device_class="old", **by("Pod", "train", "v1", "u-train"))
    waiting = train(
        "0/1 nodes are available: 1 request gpu: device class old does not exist.",
        spec={"resourceClaims": entries},
        resourceClaimStatuses=made,
    )
    return [on(), CLASS, SLICE, mine, waiting, *more]


def daemon_of_mps() -> list[Object]:
    words = f'pods "mps" is forbidden: {VIOLATES.partition("forbidden: ")[2]}'
    status = {"conditions": [failed("FailedCreate", words, "ReplicaFailure", "True")]}
    given = obj(
        "apps/v1",
        "Deployment",
        "mps-control-daemon-a",
        {"template": {"spec": {"containers": []}}},
        status,
        **SYS,
    )
    label = {"pod-security.kubernetes.io/enforce": "baseline"}
    return prepares(
        "error applying GPU config: MPS control daemon is not yet ready", given, space(**label)
    )


# Case -> as in ORIGINS: the dump, what is asked about, the step, what the cause has to say, what the change has to say, and the
# kind of the objects without which the cause does not say the first of it.
RELEASES: dict[str, Case] = {
    # Releases and applications that are not installed.
    "chart that wants GPUs confirmed": ([*classless(), release(says=f"InstallFailed: {CHARTS}this DRA driver cannot be deployed alongside the standard GPU device plugin")], POD, "class", (f"HelmRelease sys/{DRA}: Ready is False",), f"set gpuResourcesEnabledOverride: true in the values of HelmRelease sys/{DRA}", "HelmRelease"),
    "retries are used up": ([*classless(), {**release(), "status": {"conditions": [failed("RetriesExceeded", "Failed to install", "Stalled", "True"), failed("InstallFailed", f"{CHARTS}timeout waiting for: [DaemonSet]", "Released")]}}], POD, "class", ("Released is False: InstallFailed",), f"flux reconcile helmrelease {DRA} -n sys --reset", "HelmRelease"),
    "class of another release": ([*sliceless(), release("dra-driver-nvidia-gpu", says=f"InstallFailed: {OWNED}")], POD, "allocation", ("invalid ownership metadata",), "uninstall the Helm release old", "HelmRelease"),
    "dependency of a release": ([*classless(), release(says="DependencyNotReady: dependency 'sys/nfd' is not ready"), release("nfd", says="SourceNotReady: no 'nfd' chart with version matching '9.9' found")], POD, "class", ("HelmRelease sys/nfd: Ready is False: no 'nfd' chart",), "write a version of chart nfd that its repository has in HelmRelease sys/nfd", "HelmRelease"),
    "driver whose name has no vendor": ([*classless("dra.cpu"), release("dra-driver-cpu", says=f"InstallFailed: {CHARTS}values don't meet the specifications of the schema(s): - at '/args/reservedCPUs': got number, want string")], POD, "class", ("HelmRelease sys/dra-driver-cpu",), "write args/reservedCPUs as string", "HelmRelease"),
    "chart that Argo CD cannot render": ([*classless(), application("nvidia-dra", conditions=[{"type": "ComparisonError", "message": "execution error: Running in the 'default' namespace is not recommended."}])], POD, "class", ("Application argocd/nvidia-dra: ComparisonError is True",), "spec.destination.namespace of an Application", "Application"),
    "application that is not synced": ([*classless("big"), application("ml", resources=MISSES)], POD, "class", ("Application argocd/ml lists it as Missing",), "sync Application argocd/ml", "Application"),
    "sync that the API server rejects": ([*classless("big"), application("ml", resources=MISSES, operationState={"phase": "Failed", "message": BROKEN})], POD, "class", (f"Application argocd/ml: {BROKEN}",), "correct spec.selectors[0].cel.expression of DeviceClass big in what Application argocd/ml applies", "Application"),
    "sync that a project forbids": ([*classless("big"), application("ml", operationState={"syncResult": {"resources": [{"name": "big", "message": FORBIDS, "status": "SyncFailed"}]}})], POD, "class", (f"Application argocd/ml: {FORBIDS}",), "in AppProject ml (spec.clusterResourceWhitelist", "Application"),
    "subscription that waits": ([*classless(), obj("operators.coreos.com/v1alpha1", "Subscription", "gpu-operator", {}, {"conditions": [failed("RequiresApproval", "", "InstallPlanPending", "True")]}, namespace="nvidia")], POD, "class", ("Subscription nvidia/gpu-operator: InstallPlanPending is True: RequiresApproval",), "approve the InstallPlan in namespace nvidia", "Subscription"),
    "template whose API is not served": (templateless(kustomization("ml", 'ResourceClaimTemplate/ml/gpu-t dry-run failed: no matches for kind "ResourceClaimTemplate" in version "resource.k8s.io/v1"')), POD, "claim-controller", ("Kustomization flux-system/ml: ResourceClaimTemplate/ml/gpu-t dry-run failed",), "instead of v1 in what Kustomization flux-system/ml applies", "Kustomization"),
    "Kustomization of the namespace": (templateless(kustomization("ml", 'variable not set (strict mode): "GPU_CLASS"', targetNamespace="ml")), POD, "claim-controller", ("Kustomization flux-system/ml, which is for this namespace: Ready is False",), "set GPU_CLASS in spec.postBuild", "Kustomization"),
    "template that was changed in Git": (from_template(kustomization("ml", IMMUTABLE)), POD, "class", ("field is immutable: what it has of this template is not in the cluster",), "delete ResourceClaimTemplate gpu-t", "Kustomization"),
    "certificate of a webhook": (webhook(), POD, "claim-controller", ("Certificate sys/c of cert-manager makes it, and is not ready", 'CertificateRequest sys/c-1: Referenced "ClusterIssuer" not found'), "create the ClusterIssuer ca", "Certificate"),
    # What has to be changed, and where it lasts.
    "tag with a slash": ([*sliceless("gpu.intel.com"), *stops(intel(image=SLASH), "InvalidImageName", INVALID.format(SLASH, SLASH)), release("intel-gpu-resource-driver")], POD, "allocation", ("the tag intel-gpu-resource-driver/v0.11.0 has a slash",), "; HelmRelease intel-gpu-resource-driver of Flux writes DaemonSet sys/intel-gpu-resource-driver-kubelet-plugin, so change it there (image.tag)", ""),
    "tag that is there twice": ([*sliceless(), *stops(of_chart(daemons(NVIDIA, TWICE), "dra-driver-nvidia-gpu-0.4.1", "dra", flux=False), "InvalidImageName", INVALID.format(TWICE, TWICE))], POD, "allocation", ("its name has two tags",), f"; Helm release dra writes DaemonSet sys/{NVIDIA}, so change it there (image.repository)", ""),
    "release that is suspended": ([*sliceless(), *stops(nvidia(image="x/y:9"), "ImagePullBackOff", PULLS.format("x/y:9", "x/y:9")), release(suspend=True)], POD, "allocation", (f"HelmRelease sys/{DRA} is suspended (spec.suspend)",), "(image.tag), and resume it (spec.suspend)", "HelmRelease"),
    "tolerations at the top": ([*sliceless("gpu.intel.com", noded(taints=[{"key": "gpu", "effect": "NoSchedule"}]), **TOLERANT), intel(desired=0), release("intel-gpu-resource-driver", {"tolerations": []})], POD, "allocation", ("node taint gpu:NoSchedule is not tolerated",), "(kubeletPlugin.tolerations, not tolerations at the top of the values as it is now)", ""),
    "memory of a container": ([*prepares("dial unix: connect: connection refused", *crashes(nvidia(box=limits("64Mi"), main="gpus"), "", "gpus", exitCode=137, reason="OOMKilled")), release()], POD, "prepare", ("OOMKilled",), "(kubeletPlugin.containers.gpus.resources)", ""),
    "memory of a container of the operator": ([*sliceless(), *crashes(own("nvidia-dra", main="gpus"), "", "gpus", exitCode=137, reason="OOMKilled"), CLUSTER], POD, "allocation", ("OOMKilled",), "GPUCluster gpu-cluster writes DaemonSet sys/nvidia-dra, so change it there (spec.draDriver.gpus.kubeletPlugin.resources)", ""),
    "gates of the operator": ([*sliceless(), *crashes(own("nvidia-dra"), GATES), CLUSTER], POD, "allocation", (GATES,), "(spec.draDriver.featureGates)", ""),
    "gates of a chart": ([*sliceless(), *crashes(nvidia(), GATES), release()], POD, "allocation", (GATES,), "change it there (featureGates)", ""),
    "port of a plugin": ([*sliceless("dra.net"), *crashes(dranet(), "listen tcp :9177: bind: address already in use"), release("dranet")], POD, "allocation", (":9177",), "(metricsPort)", ""),
    "namespace of a Kustomization": ([*sliceless(), nvidia(), space(**{"pod-security.kubernetes.io/enforce": "baseline", "kustomize.toolkit.fluxcd.io/name": "apps"}), rejects(VIOLATES)], POD, "allocation", ("Namespace sys has pod-security",), "; Kustomization apps of Flux writes Namespace sys, so change it there", "Namespace"),
    "configuration of Kueue by a chart": ([*kueue(no_quota(UNMAPPED)), of_chart(configured("other.example.com"), "kueue-0.15.1", "kueue"), release("kueue")], JOB, "kueue", ("does not name it",), "(managerConfig.controllerManagerConfigYaml)", "ConfigMap"),
    "writer by managed fields": ([*sliceless(node=noded(taints=[{"key": "gpu", "effect": "NoSchedule"}]), **TOLERANT), (lambda one: {**one, "metadata": {**one["metadata"], "managedFields": [{"manager": "helm-controller"}]}})(daemons(NVIDIA, IMAGE, desired=0))], POD, "allocation", ("is not tolerated",), f"; a HelmRelease of Flux writes DaemonSet sys/{NVIDIA}", ""),
    "pods that stay until they are deleted": ([*sliceless(), replaced(), {**pod_of(nvidia(image="x/y:9"), phase="Pending", **stopped("ImagePullBackOff", PULLS.format("x/y:9", "x/y:9")))}], POD, "allocation", (f"DaemonSet sys/{NVIDIA} has {IMAGE} by now, and updateStrategy OnDelete",), f"delete Pod sys/{NVIDIA}-x", "DaemonSet"),
    "CustomResourceDefinition that an update leaves out": ([*sliceless(), *crashes(nvidia(), MISSING_CRD), release()], POD, "allocation", (f"HelmRelease sys/{DRA} does not update the CustomResourceDefinitions",), f"set spec.upgrade.crds: CreateReplace in HelmRelease sys/{DRA}", "HelmRelease"),
    "secret that the kubelet does not get": ([*sliceless("gpu.intel.com"), *stops(intel(imagePullSecrets=[{"name": "regcred"}]), "ImagePullBackOff", DENIED), event("Pod", f"{INTEL}-x", "FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.")], POD, "allocation", ("the kubelet could not read its imagePullSecrets: regcred",), "create the Secret regcred", "Event"),
    # Nodes and their labels.
    "class of PCI devices in a label": ([*sliceless(node=noded({"feature.node.kubernetes.io/pci-0302_10de.present": "true"})), selecting(PCI, "nvidia.com/gpu.present")], POD, "allocation", ("Node n1 has feature.node.kubernetes.io/pci-0302_10de.present=true",), "label the nodes with nvidia.com/gpu.present=true", ""),
    "label much like that of a node": ([*sliceless("gpu.intel.com", noded({"intel.feature.node.kubernetes.io/gpu": "true"})), intel(desired=0, nodeSelector={"intel.feature.node.kubernetes.io/gpus": "true"}), release("intel-gpu-resource-driver")], POD, "allocation", ("n1 has intel.feature.node.kubernetes.io/gpu=true",), "(kubeletPlugin.nodeSelector)", ""),
    "rule without Node Feature Discovery": ([*sliceless("gpu.intel.com"), intel(desired=0, nodeSelector={"intel/gpu": "true"}), obj("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule", "r", {"rules": [{"name": "x", "labels": {"intel/gpu": "true"}}]})], POD, "allocation", ("NodeFeatureRule ml/r asks Node Feature Discovery for it, of which the dump has no DaemonSet",), "(nodeFeatureRules.enabled)", "NodeFeatureRule"),
    "Node Feature Discovery that is left out": ([*sliceless(node=noded(taints=[{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]), **TOLERANT), watcher(), nvidia(desired=0, nodeSelector={PCI: "true"}, tolerations=[{"operator": "Exists"}])], POD, "allocation", ("DaemonSet sys/nfd-worker: it makes pods for no node: node taint nvidia.com/gpu:NoSchedule",), "HelmRelease nfd of Flux writes DaemonSet sys/nfd-worker, so change it there (worker.tolerations)", ""),
    "driver of GKE": ([*sliceless(node=noded(GKE)), nvidia(initContainers=[PRESTART]), pod_of(nvidia(initContainers=[PRESTART]), phase="Pending", initContainerStatuses=INIT)], POD, "allocation", ("Node n1 is of GKE, which has the driver in /home/kubernetes/bin/nvidia, and the plugin looks in /",), "set nvidiaDriverRoot: /home/kubernetes/bin/nvidia", ""),
    "kubelet of k0s, by the plugin's words": ([*sliceless("dra.net", noded(info={"kubeletVersion": "v1.36.1+k0s"})), *crashes(dranet(), NO_FOLDER), release("dranet")], POD, "allocation", ("Node n1 is of k0s",), "(kubeletRootDir)", ""),
    "node that kured restarts": ([{**noded(marks={"weave.works/kured-reboot-in-progress": "now"}), "spec": {"unschedulable": True}}, CLASS, SLICE, claim(), train("0/1 nodes are available: 1 node(s) were unschedulable.")], POD, "filter", ("is cordoned, with weave.works/kured-reboot-in-progress",), "it uncordons the node itself", ""),
    "kubelet that loses idle plugins": (prepares(UNREGISTERED, nvidia(), pod_of(nvidia(), **RUNS), node=noded(info={"kubeletVersion": "v1.34.1"})), POD, "prepare", ("the kubelet of n1 is v1.34.1, which can lose its connection",), "update this kubelet to 1.34.2", ""),
    "two plugins of a driver": ([*sliceless(), nvidia(), pod_of(nvidia(), **RUNS), *crashes(own("nvidia-dra"), BOUND)], POD, "allocation", (f"Pod sys/{NVIDIA}-x of the same driver runs on n1, too",), "let one of the two run on n1", ""),
    "daemon of MPS": (daemon_of_mps(), POD, "prepare", ("Deployment sys/mps-control-daemon-a: ", "the driver makes this Deployment for the claim"), "set the label pod-security.kubernetes.io/enforce of namespace sys to privileged", "Deployment"),
    "driver of a ClusterPolicy": ([*sliceless(), *crashes(nvidia(main="compute-domains"), "IMEXDaemonsWithDNSNames feature requires GPU driver version >= 570.158.01, but found 550.163.01", "compute-domains"), cluster_object("nvidia.com/v1", "ClusterPolicy", "p", POLICY)], POD, "allocation", ("ClusterPolicy p installs driver 550.163.01",), "set spec.driver.version of ClusterPolicy p to 570.158.01", "ClusterPolicy"),
    "limit of a driver's namespace": ([*sliceless(), nvidia(), rejects('pods "x" is forbidden: maximum memory usage per Container is 128Mi, but limit is 512Mi'), obj("v1", "LimitRange", "lr", {"limits": [{"type": "Container", "max": {"memory": "128Mi"}}]}, **SYS)], POD, "allocation", ("LimitRange sys/lr has this limit",), "128Mi", "LimitRange"),
    "driver of Talos": ([*sliceless(node=noded(info=TALOS)), nvidia(initContainers=[PRESTART]), pod_of(nvidia(initContainers=[PRESTART]), phase="Pending", initContainerStatuses=INIT), release()], POD, "allocation", ("Node n1 is of Talos, which has NVIDIA's driver below /usr/local",), "set nvidiaDriverRoot: /usr/local in the chart", ""),
    "NRI of Talos": ([*sliceless("dra.net", noded(info=TALOS)), *crashes(dranet(), "failed to connect to NRI service")], POD, "allocation", ("Node n1 is of Talos, which has NRI off by default",), "turn NRI on in the machine configuration of n1", ""),
    "folder of CDI files": ([*BASE, held("train"), train(node="n1", phase="Pending", containerStatuses=stopped("CreateContainerError", "unresolvable CDI devices intel.com/gpu=x")["containerStatuses"]), writing("/var/cdi/dynamic"), release("intel-gpu-resource-driver")], POD, "container", (f"DaemonSet sys/{INTEL} writes CDI files to /var/cdi/dynamic of its nodes",), "(cdi.staticPath, cdi.dynamicPath)", "DaemonSet"),
    "request of an older version": (templateless(kustomization("ml", OLD_SHAPE)), POD, "claim-controller", ("field not declared in schema",), "write deviceClassName of request gpu below exactly", "Kustomization"),
    "dependency of another namespace": (templateless(kustomization("ml", "dependency 'flux-system/dra' not found", targetNamespace="ml"), {**release("dra"), "kind": "Kustomization"}), POD, "claim-controller", ("Kustomization sys/dra is there",), "write namespace: sys in spec.dependsOn", ""),
    "what Helm waits for": ([*sliceless("gpu.intel.com"), *crashes(intel(), "mkdir /etc/cdi: read-only file system"), release("intel-gpu-resource-driver", says=f"InstallFailed: {CHARTS}timeout waiting for: [DaemonSet/sys/{INTEL} status: 'InProgress']")], "helmrelease/sys/intel-gpu-resource-driver", "controller", (f"; Pod sys/{INTEL}-x on n1: container main: CrashLoopBackOff",), "(cdi.staticPath, cdi.dynamicPath)", "Pod"),
    "application of a driver, by one word": ([*classless(), application("dra", conditions=[{"type": "SyncError", "message": "x failed"}])], POD, "class", ("Application argocd/dra, which may concern it: SyncError is True: x failed",), "", "Application"),
    "role of a chart": ([*sliceless(), *crashes(nvidia(), FORBIDDEN), of_chart(ROLE, "dra-driver-nvidia-gpu-0.4.0", DRA), bound("sys"), release()], POD, "allocation", ("ClusterRole gpu-plugin is bound to it",), f"HelmRelease {DRA} of Flux writes ClusterRole gpu-plugin, so change it there (a chart of the version that the image has", ""),
    "node that the operator leaves out": ([*sliceless(node=noded({"nvidia.com/gpu.deploy.operands": "false"})), own("nvidia-dra", desired=0, nodeSelector=DEPLOYS)], POD, "allocation", ("Node n1 has nvidia.com/gpu.deploy.operands=false",), "take the label nvidia.com/gpu.deploy.operands off Node n1", ""),
    "node of virtual machines": ([*sliceless(node=noded({"nvidia.com/gpu.workload.config": "vm-passthrough"})), own("nvidia-dra", desired=0, nodeSelector=DEPLOYS)], POD, "allocation", ("Node n1 has nvidia.com/gpu.workload.config=vm-passthrough",), "to container", ""),
    "Kustomization that is suspended": (templateless(obj("kustomize.toolkit.fluxcd.io/v1", "Kustomization", "ml", {"targetNamespace": "ml", "suspend": True})), POD, "claim-controller", ("Kustomization ml/ml, which is for this namespace, is suspended",), "resume Kustomization ml/ml", "Kustomization"),
    "source of a Kustomization": (templateless(kustomization("ml", "Source artifact not found", targetNamespace="ml", sourceRef={"name": "flux"}), obj("source.toolkit.fluxcd.io/v1", "GitRepository", "flux", {}, {"conditions": [failed("GitOperationFailed", "unable to clone: authentication required")]})), POD, "claim-controller", ("GitRepository ml/flux: Ready is False: unable to clone",), "correct spec.secretRef or spec.url (and spec.ref) of GitRepository ml/flux", "GitRepository"),
    "image that somebody has changed": ([*sliceless(), *stops(nvidia(image="x/y:9"), "ImagePullBackOff", PULLS.format("x/y:9", "x/y:9")), release(values={"image": {"tag": "v0.4.1"}})], POD, "allocation", (f"HelmRelease sys/{DRA} has image.tag v0.4.1, and DaemonSet sys/{NVIDIA} has another",), f"let Flux apply HelmRelease sys/{DRA} again", "HelmRelease"),
    "namespace of a release that goes": ([*classless(), release(says=f"InstallFailed: {CHARTS}x is forbidden: unable to create new content in namespace sys because it is being terminated")], POD, "class", ("being terminated",), "wait until namespace sys is gone", "HelmRelease"),
    "AMD's driver by its image": ([*sliceless("gpu.amd.com"), AMD, pod_of(AMD, phase="Pending", initContainerStatuses=INIT)], POD, "allocation", ("Pod sys/k8s-gpu-dra-driver-kubeletplugin-x on n1, which looks like a plugin of the kubelet: init container",), "let the kernel driver amdgpu be loaded on n1", ""),
    # Counts beside claims.
    "count beside a claim": (asking(), POD, "class", ("a container of the pod asks for nvidia.com/gpu beside its claim gpu",), "take nvidia.com/gpu out of the container", ""),
    "count of a custom resource": (asking(*deployed(), model(hardware={"gpu": {"count": 1}})), POD, "class", ("Model ml/llama has spec.hardware.gpu.count=1",), "set spec.hardware.gpu.count of Model ml/llama to 0", "Model"),
    "count of what a custom resource names": ([*asking(*deployed(), obj("inference.llmkube.dev/v1alpha1", "InferenceService", "llm", {"modelRef": "llama"})), model(hardware={"gpu": {"count": 1}})], POD, "class", ("Model ml/llama, which InferenceService ml/llm names, has spec.hardware.gpu.count=1",), "of Model ml/llama to 0", "Model"),
    "limit of a custom resource": (asking(*deployed(), obj("serving.kserve.io/v1alpha2", "LLMInferenceService", "llm", {"template": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]}})), POD, "class", ("LLMInferenceService ml/llm has it in spec.template.containers.main.resources.limits.nvidia.com/gpu",), "out of LLMInferenceService ml/llm", "LLMInferenceService"),
}  # fmt: skip
# What is not said: the dump, what is asked about, and the words.
NOT_SAID: dict[str, tuple[list[Object], str]] = {
    "other resource beside a claim": ([*BASE, claim(), extended("0/1 nodes are available: 1 Insufficient rdma/hca.", "rdma/hca")], "beside its claim"),
    "release with this name and without its labels": ([*sliceless(), *stops(daemons(NVIDIA, "x/y:9"), "ImagePullBackOff", PULLS.format("x/y:9", "x/y:9")), release()], "HelmRelease"),
    "kubelet that keeps idle plugins": (prepares(UNREGISTERED, nvidia(), pod_of(nvidia(), **RUNS), node=noded(info={"kubeletVersion": "v1.34.2"})), "lose its connection"),
    "rule with Node Feature Discovery": ([*sliceless("gpu.intel.com"), watcher(), intel(desired=0, nodeSelector={"intel/gpu": "true"}), obj("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule", "r", {"rules": [{"name": "x", "labels": {"intel/gpu": "true"}}]})], "of which the dump has no"),
    "Kustomization of another namespace": (templateless(kustomization("b", "x failed", targetNamespace="b")), "Kustomization"),
    "plugin of another node": ([*sliceless(), pod_of(nvidia(), "n2", **RUNS), *crashes(own("nvidia-dra"), BOUND)], "of the same driver"),
    "folder of CDI files that is read": ([*BASE, held("train"), train(node="n1", phase="Pending", containerStatuses=stopped("CreateContainerError", "unresolvable CDI devices intel.com/gpu=x")["containerStatuses"]), writing("/run/cdi")], "writes CDI files"),
    "image of the release": ([*sliceless(), *stops(nvidia(image="x/y:9"), "ImagePullBackOff", PULLS.format("x/y:9", "x/y:9")), release(values={"image": {"tag": "9"}})], "has another"),
    "policy of Kyverno": ([*sliceless(), *crashes(nvidia(), "requires GPU driver version >= 570.158.01, but found 550"), cluster_object("kyverno.io/v1", "ClusterPolicy", "p", {"rules": []})], "installs driver"),
}  # fmt: skip


@pytest.mark.parametrize("name", RELEASES)
def test_what_writes_a_driver_is_named(tmp_path: Path, name: str) -> None:
    given, target, step, cause, change, kind = RELEASES[name]
    answer = answer_of(tmp_path, given, target)
    assert answer["step"] == step
    assert all(words in answer["cause"] for words in cause)
    assert change in (answer["change"] or "")
    kept = [one for one in given if one["kind"] != kind]
    if kind:
        assert cause[0] not in answer_of(tmp_path, kept, target)["cause"]


@pytest.mark.parametrize("name", NOT_SAID)
def test_what_does_not_follow_is_not_said(tmp_path: Path, name: str) -> None:
    given, words = NOT_SAID[name]
    answer = answer_of(tmp_path, given, POD)
    assert words not in answer["cause"] + str(answer["change"])


@pytest.mark.parametrize(
    ("given", "change"),
    [
        (["kyverno.svc-fail", "x was blocked due to the following policies disallow:"], "exclude namespace sys from the Kyverno policy disallow"),
        (["validation.gatekeeper.sh", "[host] HostPath volume is not allowed"], "exclude namespace sys from the Gatekeeper constraint host"),
    ],
)  # fmt: skip
def test_a_policy_exempts_the_plugin(tmp_path: Path, given: list[str], change: str) -> None:
    words = f'admission webhook "{given[0]}" denied the request: {given[1]}'
    answer = answer_of(tmp_path, [*sliceless(), nvidia(), rejects(words)], POD)
    assert answer["change"].startswith(change)
    assert "writes" not in answer["change"]


def test_each_row_is_shown_and_names_its_source(tmp_path: Path) -> None:
    known = ("autoscaler", "quota", "daemon of the claim")
    more = [case[:2] for name, case in OBJECTS.items() if name.startswith(known)]
    own = (case[:2] for table in (ORIGINS, RELEASES, SCHEDULERS) for case in table.values())
    causes = [answer_of(tmp_path, given, target)["cause"] for given, target in (*own, *more)]
    lacking = []
    for row in _table()["rows"]:
        says = "[^;]*".join(map(re.escape, re.split(r"\{\w+\}", row["says"])))
        lacking += [row["says"]] * all(not re.search(says, cause) for cause in causes)
    for row in (*_table()["rows"], *_table()["charts"]):
        assert re.search(r"\d", row["of"]["release"])
        assert re.search(r"\.go\b|https://", row["of"]["at"])
    assert lacking == []

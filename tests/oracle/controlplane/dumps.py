"""Records one dump for each reason why a pod stays pending, from a real API server and scheduler.

    python -m tests.oracle.controlplane.dumps [NAME]...

writes `tests/why/dumps/NAME.json.gz`, what `kubectl get KINDS -A -o json` shows at that moment. What a kubelet, a
driver, a controller or Kueue would write is written through the API server; `written` of a scenario names the
source that it follows. Nothing else is made up: conditions and events of pods are the scheduler's own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.oracle.controlplane import trial
from tests.oracle.controlplane.api import Api, RejectedError

if TYPE_CHECKING:
    from collections.abc import Callable

Json = dict[str, Any]
DRIVER = "gpu.example.com"
NAMESPACE = "ml"
TARGET = Path(__file__).parents[2] / "why" / "dumps"
GATES = "DRADeviceTaintRules=true"

_KINDS = (
    ("", "v1", "namespaces", "Namespace"),
    ("", "v1", "nodes", "Node"),
    ("", "v1", "pods", "Pod"),
    ("", "v1", "events", "Event"),
    ("", "v1", "resourcequotas", "ResourceQuota"),
    ("apps", "v1", "deployments", "Deployment"),
    ("apps", "v1", "replicasets", "ReplicaSet"),
    ("resource.k8s.io", "v1", "deviceclasses", "DeviceClass"),
    ("resource.k8s.io", "v1", "resourceslices", "ResourceSlice"),
    ("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim"),
    ("resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate"),
    ("resource.k8s.io", "v1beta2", "devicetaintrules", "DeviceTaintRule"),
    ("kueue.x-k8s.io", "v1beta1", "workloads", "Workload"),
)


def path_of(kind: str, namespace: str = "", name: str = "") -> str:
    group, version, plural, _ = next(row for row in _KINDS if row[3] == kind)
    start = f"/apis/{group}/{version}" if group else f"/api/{version}"
    inside = f"/namespaces/{namespace}" if namespace else ""
    return f"{start}{inside}/{plural}" + (f"/{name}" if name else "")


class Cluster:
    """Creates objects, as users and components do."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.said: dict[str, str] = {}  # why the API server rejected objects, by object
        self.rejected: list[Json] = []

    def make(self, kind: str, name: str, spec: Json, namespace: str = "", **more: Any) -> Json:
        group, version, _, _ = next(row for row in _KINDS if row[3] == kind)
        metadata = {"name": name, **more.pop("metadata", {})}
        body = {"apiVersion": f"{group}/{version}".lstrip("/"), "kind": kind, "metadata": metadata}
        body |= {"spec": spec, **more}
        code, reply = self.api.call("POST", path_of(kind, namespace), body)
        if code >= 400:
            self.said[f"{kind}/{name}"] = str(reply.get("message"))
            self.rejected.append({**body, "metadata": {**metadata, "namespace": namespace}})
        return reply

    def status(self, kind: str, name: str, status: Json, namespace: str = NAMESPACE) -> None:
        path = path_of(kind, namespace, name)
        current = self.api.call("GET", path)[1]
        current["status"] = {**(current.get("status") or {}), **status}
        code, reply = self.api.call("PUT", f"{path}/status", current)
        if code >= 400:
            raise RejectedError(f"{path}/status: {reply.get('message')}")

    def node(
        self, name: str, taints: list[Json] | None = None, cpu: str = "8", **labels: str
    ) -> None:
        trial._node(
            self.api,
            {
                "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
                "status": {"allocatable": {"cpu": cpu, "memory": "32Gi"}},
            },
        )
        if taints:
            current = self.api.call("GET", path_of("Node", name=name))[1]
            current["spec"]["taints"] = taints
            self.api.call("PUT", path_of("Node", name=name), current)

    def slice(self, node: str, *devices: Json, generation: int = 1) -> None:
        name = f"{node}-{DRIVER}"
        spec = {
            "driver": DRIVER,
            "nodeName": node,
            "pool": {"name": node, "generation": generation, "resourceSliceCount": 1},
            "devices": list(devices),
        }
        path = path_of("ResourceSlice", name=name)
        code, current = self.api.call("GET", path)
        if code == 200:
            self.api.call("PUT", path, {**current, "spec": spec})
        else:
            self.make("ResourceSlice", name, spec)

    def device_class(self, name: str = "gpu") -> None:
        cel = {"expression": f'device.driver == "{DRIVER}"'}
        self.make("DeviceClass", name, {"selectors": [{"cel": cel}]})

    def claim(self, name: str, selector: str = "", device_class: str = "gpu", **more: Any) -> Json:
        return self.make(
            "ResourceClaim", name, claim_spec(selector, device_class), NAMESPACE, **more
        )

    def template(self, name: str, selector: str = "") -> None:
        self.make("ResourceClaimTemplate", name, {"spec": claim_spec(selector)}, NAMESPACE)

    def pod(self, name: str, entry: Json, **more: Any) -> Json:
        uses = {"claims": [{"name": "gpu"}], "requests": more.pop("requests", {})}
        container = {"name": "main", "image": "example.com/train:1", "resources": uses}
        metadata = more.pop("metadata", {})
        spec = {"containers": [container], "resourceClaims": [{"name": "gpu", **entry}], **more}
        return self.make("Pod", name, spec, NAMESPACE, metadata=metadata)

    def event(self, pod: str, reason: str, message: str, component: str) -> None:
        """An event as a component writes it."""
        found = self.api.call("GET", path_of("Pod", NAMESPACE, pod))[1]
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        body = {
            "metadata": {"name": f"{pod}.{reason.lower()}", "namespace": NAMESPACE},
            "involvedObject": {
                "apiVersion": "v1",
                "kind": "Pod",
                "name": pod,
                "namespace": NAMESPACE,
                "uid": found["metadata"]["uid"],
            },
            "type": "Warning",
            "reason": reason,
            "message": message,
            "source": {"component": component},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        code, reply = self.api.call("POST", path_of("Event", NAMESPACE), body)
        if code >= 400:
            raise RejectedError(f"event {reason}: {reply.get('message')}")

    def until(self, pod: str, done: Callable[[Json], bool], seconds: float = 20) -> Json:
        """The pod once the scheduler has done something."""
        end = time.monotonic() + seconds
        while True:
            current = self.api.call("GET", path_of("Pod", NAMESPACE, pod))[1]
            if done(current):
                return current
            if time.monotonic() > end:
                raise RejectedError(f"pod {pod}: {json.dumps(current.get('status'))}")
            time.sleep(0.2)

    def judged(self, pod: str) -> Json:
        """The pod once the scheduler has said why not."""

        def told(current: Json) -> bool:
            conditions = (current.get("status") or {}).get("conditions") or ()
            return any(c["type"] == "PodScheduled" and c["status"] == "False" for c in conditions)

        return self.until(pod, told)

    def bound(self, pod: str) -> Json:
        return self.until(pod, lambda current: bool((current.get("spec") or {}).get("nodeName")))

    def running(self, pod: str, **container: Any) -> None:
        """The pod as its kubelet reports it once the container runs (pkg/kubelet/status)."""
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        status = {
            "name": "main",
            "image": "example.com/train:1",
            "imageID": "",
            "ready": True,
            "restartCount": 0,
            "started": True,
            "state": {"running": {"startedAt": now}},
            **container,
        }
        self.status(
            "Pod", pod, {"phase": "Running", "startTime": now, "containerStatuses": [status]}
        )

    def dump(self) -> Json:
        items = []
        for group, version, _, kind in _KINDS:
            code, reply = self.api.call("GET", path_of(kind))
            if code == 404:
                continue
            api = f"{group}/{version}".lstrip("/")
            for item in reply.get("items") or ():
                namespace = item["metadata"].get("namespace") or NAMESPACE
                own = item["metadata"]["name"] if kind == "Namespace" else namespace
                if own != NAMESPACE:
                    continue
                item["metadata"].pop("managedFields", None)
                items.append({"apiVersion": api, "kind": kind, **item})
        return {
            "apiVersion": "v1",
            "kind": "List",
            "items": items,
            "metadata": {"resourceVersion": ""},
        }


def claim_spec(selector: str = "", device_class: str = "gpu") -> Json:
    exactly: Json = {"deviceClassName": device_class}
    if selector:
        exactly["selectors"] = [{"cel": {"expression": selector}}]
    return {"devices": {"requests": [{"name": "gpu", "exactly": exactly}]}}


def gpu(name: str = "gpu-0", model: str = "a100", **more: Any) -> Json:
    return {"name": name, "attributes": {"model": {"string": model}}, **more}


def owned_by(pod: str, uid: str) -> list[Json]:
    return [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": pod,
            "uid": uid,
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]


@dataclass(frozen=True)
class Scenario:
    """`written`: what is not the API server's or the scheduler's own, and the source it follows."""

    play: Callable[[Cluster], None]
    written: str = ""


SCENARIOS: dict[str, Scenario] = {}


def scenario(name: str, written: str = "") -> Callable[[Callable[[Cluster], None]], None]:
    def add(play: Callable[[Cluster], None]) -> None:
        SCENARIOS[name] = Scenario(play, written)

    return add


def _fleet(c: Cluster, *nodes: str, **more: Any) -> None:
    c.device_class()
    for name in nodes or ("n1", "n2"):
        c.node(name)
        c.slice(name, gpu(**more))


@scenario("api-server")
def _api_server(c: Cluster) -> None:
    """The API server rejects the pod; the dump has its words."""
    _fleet(c)
    c.claim("train")
    entry = {"resourceClaimName": "train", "resourceClaimTemplateName": "train"}
    c.pod("train", entry)


@scenario("template-missing")
def _template_missing(c: Cluster) -> None:
    _fleet(c)
    c.template("trian")
    c.pod("train", {"resourceClaimTemplateName": "train"})
    time.sleep(3)


@scenario("claim-not-generated")
def _claim_not_generated(c: Cluster) -> None:
    """No controller manager runs: a template is there, and no claim is made of it."""
    _fleet(c)
    c.template("train")
    c.pod("train", {"resourceClaimTemplateName": "train"})
    time.sleep(3)


@scenario("claim-missing")
def _claim_missing(c: Cluster) -> None:
    _fleet(c)
    c.pod("train", {"resourceClaimName": "train"})
    time.sleep(3)


@scenario(
    "claim-of-another",
    "pod status.resourceClaimStatuses: kubernetes pkg/controller/resourceclaim/controller.go, handleClaim",
)
def _claim_of_another(c: Cluster) -> None:
    _fleet(c)
    c.template("train")
    other = c.pod("other", {"resourceClaimTemplateName": "train"})
    c.claim(
        "train-gpu-x", metadata={"ownerReferences": owned_by("other", other["metadata"]["uid"])}
    )
    c.pod("train", {"resourceClaimTemplateName": "train"})
    named = [{"name": "gpu", "resourceClaimName": "train-gpu-x"}]
    c.status("Pod", "train", {"resourceClaimStatuses": named})
    time.sleep(3)


@scenario("claim-deleted")
def _claim_deleted(c: Cluster) -> None:
    _fleet(c)
    c.claim("train", metadata={"finalizers": ["example.com/keep"]})
    c.api.call("DELETE", path_of("ResourceClaim", NAMESPACE, "train"))
    c.pod("train", {"resourceClaimName": "train"})
    time.sleep(3)


@scenario("class-missing")
def _class_missing(c: Cluster) -> None:
    _fleet(c)
    c.claim("train", device_class="gpus")
    c.pod("train", {"resourceClaimName": "train"})
    c.judged("train")


@scenario(
    "quota",
    "ResourceQuota status: kubernetes pkg/controller/resourcequota; the event of the claim controller: "
    "pkg/controller/resourceclaim/controller.go, FailedResourceClaimCreation, with the API server's own words",
)
def _quota(c: Cluster) -> None:
    _fleet(c)
    limit = {"gpu.deviceclass.resource.k8s.io/devices": "0"}
    c.make("ResourceQuota", "gpus", {"hard": limit}, NAMESPACE)
    c.status("ResourceQuota", "gpus", {"hard": limit, "used": dict.fromkeys(limit, "0")})
    time.sleep(2)
    c.template("train")
    c.pod("train", {"resourceClaimTemplateName": "train"})
    c.claim("train-gpu-abcde")  # what the controller tries
    rejected = c.said.pop("ResourceClaim/train-gpu-abcde")
    message = f"PodResourceClaim gpu: failed to create ResourceClaim: {rejected}"
    c.event("train", "FailedResourceClaimCreation", message, "resource_claim")


@scenario(
    "kueue",
    "Workload and its conditions: kueue apis/kueue/v1beta1/workload_types.go, pkg/scheduler and "
    "pkg/controller/jobs/pod (scheduling gate, label)",
)
def _kueue(c: Cluster) -> None:
    _kueue_crd(c)
    _fleet(c)
    c.claim("train")
    pod = c.pod(
        "train",
        {"resourceClaimName": "train"},
        metadata={
            "labels": {"kueue.x-k8s.io/queue-name": "team", "kueue.x-k8s.io/managed": "true"}
        },
        schedulingGates=[{"name": "kueue.x-k8s.io/admission"}],
    )
    owner = owned_by("train", pod["metadata"]["uid"])
    c.make(
        "Workload",
        "pod-train-1a2b3",
        {"queueName": "team", "active": True, "podSets": [{"name": "main", "count": 1}]},
        NAMESPACE,
        metadata={"ownerReferences": owner},
    )
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    waiting = {
        "type": "QuotaReserved",
        "status": "False",
        "reason": "Pending",
        "message": "couldn't assign flavors to pod set main: insufficient unused quota for gpu in flavor "
        "a100, 1 more needed",
        "lastTransitionTime": now,
    }
    c.status("Workload", "pod-train-1a2b3", {"conditions": [waiting]})
    c.judged("train")


def _kueue_crd(c: Cluster) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    names = {
        "plural": "workloads",
        "singular": "workload",
        "kind": "Workload",
        "listKind": "WorkloadList",
    }
    version = {
        "name": "v1beta1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": "workloads.kueue.x-k8s.io",
            "annotations": {"api-approved.kubernetes.io": "unapproved, for a trial"},
        },
        "spec": {
            "group": "kueue.x-k8s.io",
            "names": names,
            "scope": "Namespaced",
            "versions": [version],
        },
    }
    c.api.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body)
    for _ in range(40):
        if c.api.call("GET", path_of("Workload"))[0] == 200:
            return
        time.sleep(0.5)


@scenario("scheduling-gate")
def _scheduling_gate(c: Cluster) -> None:
    _fleet(c)
    c.claim("train")
    c.pod("train", {"resourceClaimName": "train"}, schedulingGates=[{"name": "example.com/wait"}])
    c.judged("train")


@scenario("node-filter")
def _node_filter(c: Cluster) -> None:
    c.device_class()
    c.node("n1", [{"key": "dedicated", "value": "infer", "effect": "NoSchedule"}])
    c.node("n2", cpu="1")
    c.node("n3", pool="cpu")
    for name in ("n1", "n2", "n3"):
        c.slice(name, gpu())
    c.claim("train")
    c.pod(
        "train",
        {"resourceClaimName": "train"},
        requests={"cpu": "4"},
        affinity={
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "pool", "operator": "DoesNotExist"}]}
                    ]
                }
            }
        },
    )
    c.judged("train")


@scenario("allocation")
def _allocation(c: Cluster) -> None:
    _fleet(c)
    c.claim("train", f'device.attributes["{DRIVER}"].model == "h100"')
    c.pod("train", {"resourceClaimName": "train"})
    c.judged("train")


@scenario("no-slices")
def _no_slices(c: Cluster) -> None:
    c.device_class()
    c.node("n1")
    c.claim("train")
    c.pod("train", {"resourceClaimName": "train"})
    c.judged("train")


@scenario("selector-error")
def _selector_error(c: Cluster) -> None:
    _fleet(c)
    c.claim("train", f'device.attributes["{DRIVER}"].memory == "80Gi"')
    c.pod("train", {"resourceClaimName": "train"})
    c.judged("train")


@scenario("in-use")
def _in_use(c: Cluster) -> None:
    _fleet(c)
    for number in (1, 2):
        c.claim(f"infer-{number}")
        c.pod(f"infer-{number}", {"resourceClaimName": f"infer-{number}"})
        c.bound(f"infer-{number}")
    c.claim("train")
    c.pod("train", {"resourceClaimName": "train"})
    c.judged("train")


@scenario("device-taint")
def _device_taint(c: Cluster) -> None:
    taint = {"key": f"{DRIVER}/ecc", "value": "errors", "effect": "NoSchedule"}
    _fleet(c, "n1", taints=[taint])
    c.claim("train")
    c.pod("train", {"resourceClaimName": "train"})
    c.judged("train")


@scenario("binding-conditions")
def _binding_conditions(c: Cluster) -> None:
    more = {
        "bindingConditions": [f"{DRIVER}/attached"],
        "bindingFailureConditions": [f"{DRIVER}/failed"],
        "bindsToNode": True,
    }
    _fleet(c, "n1", **more)
    c.claim("train")
    c.pod("train", {"resourceClaimName": "train"})
    for _ in range(60):
        claim = c.api.call("GET", path_of("ResourceClaim", NAMESPACE, "train"))[1]
        if (claim.get("status") or {}).get("allocation"):
            return
        time.sleep(0.25)
    raise RejectedError("the claim is not allocated")


def _placed(c: Cluster) -> None:
    _fleet(c, "n1")
    c.claim("train")
    c.pod("train", {"resourceClaimName": "train"})
    c.bound("train")


@scenario(
    "prepare",
    "event of the kubelet: kubernetes pkg/kubelet/kubelet.go and events/event.go, FailedPrepareDynamicResources; "
    "its text: pkg/kubelet/cm/dra/manager.go",
)
def _prepare(c: Cluster) -> None:
    _placed(c)
    uid = c.api.call("GET", path_of("ResourceClaim", NAMESPACE, "train"))[1]["metadata"]["uid"]
    message = (
        f"Failed to prepare dynamic resources: prepare dynamic resources: NodePrepareResources failed for "
        f"ResourceClaim train: error preparing devices for claim {uid}: unable to create CDI spec file"
    )
    c.event("train", "FailedPrepareDynamicResources", message, "kubelet")


@scenario("driver-not-registered", "event of the kubelet, as for prepare")
def _driver_not_registered(c: Cluster) -> None:
    _placed(c)
    message = (
        "Failed to prepare dynamic resources: prepare dynamic resources: DRA driver "
        f"{DRIVER} is not registered"
    )
    c.event("train", "FailedPrepareDynamicResources", message, "kubelet")


@scenario("taint-since", "status of the running pod: kubelet, pkg/kubelet/status")
def _taint_since(c: Cluster) -> None:
    _placed(c)
    c.running("train")
    selector = {"driver": DRIVER, "pool": "n1", "device": "gpu-0"}
    taint = {"key": "example.com/xid", "value": "79", "effect": "NoExecute"}
    c.make("DeviceTaintRule", "xid", {"deviceSelector": selector, "taint": taint})


@scenario("running", "status of the running pod: kubelet, pkg/kubelet/status")
def _running(c: Cluster) -> None:
    _placed(c)
    c.running("train")


@scenario("device-gone", "status of the running pod: kubelet, pkg/kubelet/status")
def _device_gone(c: Cluster) -> None:
    _placed(c)
    c.running("train")
    c.slice("n1", gpu("gpu-1"), generation=2)


@scenario(
    "unhealthy",
    "status of the running pod with allocatedResourcesStatus: kubelet, pkg/kubelet/cm/dra/manager.go (KEP-4680); "
    "status.devices of the claim: a driver, staging/src/k8s.io/api/resource/v1 (KEP-4817)",
)
def _unhealthy(c: Cluster) -> None:
    _placed(c)
    health = [{"resourceID": f"{DRIVER}/n1/gpu-0", "health": "Unhealthy"}]
    c.running("train", allocatedResourcesStatus=[{"name": "claim:gpu", "resources": health}])
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    condition = {
        "type": "Ready",
        "status": "False",
        "reason": "XID79",
        "message": "the GPU has fallen off the bus",
        "lastTransitionTime": now,
    }
    device = {"driver": DRIVER, "pool": "n1", "device": "gpu-0", "conditions": [condition]}
    c.status("ResourceClaim", "train", {"devices": [device]})


def _clear(api: Api) -> None:
    trial._cleared(api)
    for kind in ("DeviceTaintRule", "ResourceClaimTemplate", "ResourceQuota", "Event", "Workload"):
        for item in api.call("GET", path_of(kind))[1].get("items") or ():
            metadata = item["metadata"]
            api.call("DELETE", path_of(kind, metadata.get("namespace") or "", metadata["name"]))
    time.sleep(1.5)


def main(arguments: list[str] | None = None) -> int:
    """Records the dumps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="scenarios; default: all")
    parser.add_argument("--keep", type=Path, help="a folder for logs and data that stays")
    options = parser.parse_args(arguments)
    TARGET.mkdir(parents=True, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with trial.control_plane("1.36", folder, GATES) as api:
            api.call("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
            for name, one in SCENARIOS.items():
                if options.names and name not in options.names:
                    continue
                cluster = Cluster(api)
                _clear(api)
                try:
                    one.play(cluster)
                    time.sleep(1)
                    dump = cluster.dump()
                except RejectedError as error:
                    failed += 1
                    sys.stdout.write(f"{name}: {error}\n")
                    continue
                about = {
                    "written": one.written,
                    "refused": cluster.said,
                    "manifests": cluster.rejected,
                }
                text = json.dumps({**dump, "metadata": {"annotations": about}}, indent=1)
                (TARGET / f"{name}.json.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
                sys.stdout.write(f"{name}: {len(dump['items'])} objects {cluster.said or ''}\n")
                sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

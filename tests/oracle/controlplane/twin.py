"""A twin of a real scheduler: random histories of a cluster, and after each step what dradsl says of the next pod.

    python -m tests.oracle.controlplane.twin --release 1.37 --steps 1000 [--gates A=true] [--seed N] [--keep FILE]

API server, scheduler and, where the release has taints of devices, the controller that evicts pods for them are real. Other
controllers and kubelets are played: claims are made of templates, and freed when their
pods end. A step changes something (nodes and slices come and go, taints, cordons, classes, other attributes of a driver, pods
that end), then one pod is created. dradsl is asked with the objects that the API server had before, through its public
function, and has to agree: the node that the scheduler took is one that dradsl allows, the allocations are equal given
that node, and a pod that is not scheduled has the same reasons on as many nodes. The pods that are evicted after the change, and
once the pod is bound, are those that `dradsl why` says a taint ends.

A step that differs is asked again after a pause, since the caches of the scheduler may be late; what is equal then is
counted as late. `--keep` records the steps, so that tests replay them without a control plane.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dradsl
from dradsl.releases import get_release
from dradsl.why.dump import Dump
from dradsl.why.examine import examine
from dradsl.why.world import build_world
from tests.oracle.controlplane.api import Api, Json, RejectedError
from tests.oracle.controlplane.plane import control_plane

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["differences", "evicted", "main"]

_DRIVER = "gpu.example.com"
_NIC = "nic.example.com"
_API = "resource.k8s.io/v1"
_ROOT = "resource.kubernetes.io/pcieRoot"
_GROUP = f"/apis/{_API}"
_LISTED = {
    "Node": "/api/v1/nodes",
    "Pod": "/api/v1/namespaces/default/pods",
    "ResourceSlice": f"{_GROUP}/resourceslices",
    "DeviceClass": f"{_GROUP}/deviceclasses",
    "ResourceClaim": f"{_GROUP}/namespaces/default/resourceclaims",
}
_EVICTS = "device-taint-eviction-controller"
_UNTIL = 4.0  # seconds in which what has to be evicted is
_MOST_NODES = 8
_MOST_PODS = 40
_PATIENCE = 30  # seconds for the scheduler to say something
_PAUSE = 0.4  # seconds for its caches after a change
_LONG_PAUSE = 3.0
# What dradsl says of a node, and what the scheduler counts it as.
_SAID = (
    (r"too little (.*) left|nothing offers (.*) here", r"Insufficient \1\2"),
    (r"the node is unschedulable", "node(s) were unschedulable"),
    (r"node taint .*", "node(s) had untolerated taint(s)"),
    (
        r"nodeSelector .*|required node affinity .*",
        "node(s) didn't match Pod's node affinity/selector",
    ),
    (r"resourceclaim not available on the node.*", "resourceclaim not available on the node"),
)


# Workloads


def _asking(selector: str = "", **more: Any) -> Json:
    found: Json = {"deviceClassName": "gpu", **more}
    if selector:
        found["selectors"] = [{"cel": {"expression": selector}}]
    return found


def _attribute(name: str, value: str) -> str:
    return f"device.attributes['{_DRIVER}'].?{name}.orValue('') == '{value}'"


def _spec(*requests: Json, constraints: Any = ()) -> Json:
    return {"devices": {"requests": list(requests), "constraints": list(constraints)}}


def _one(**more: Any) -> Json:
    return _spec({"name": "gpu", "exactly": _asking(**more)})


_SAME_ROOT = {"matchAttribute": _ROOT}
# What pods ask for: the spec of their claim, and what else is in their own spec.
_CLAIMS: dict[str, Json] = {
    "one": _one(),
    "whole": _one(selector=_attribute("kind", "whole")),
    "half": _one(selector=_attribute("kind", "half")),
    "pair": _spec({"name": "gpu", "exactly": _asking(count=2)}, constraints=[_SAME_ROOT]),
    "with-nic": _spec(
        {"name": "gpu", "exactly": _asking()},
        {"name": "nic", "exactly": {"deviceClassName": "nic"}},
        constraints=[_SAME_ROOT],
    ),
    "share": _spec(
        {
            "name": "nic",
            "exactly": {
                "deviceClassName": "nic",
                "capacity": {"requests": {"bandwidth": "3Gi"}},
            },
        }
    ),
    "all": _spec({"name": "gpu", "exactly": _asking(allocationMode="All")}),
    "model": _one(selector=_attribute("model", "b")),
    "strict": _one(selector=f"device.attributes['{_DRIVER}'].model == 'b'"),
    "large": _one(selector=f"device.capacity['{_DRIVER}'].memory.compareTo(quantity('40Gi')) >= 0"),
    "first": _spec(
        {
            "name": "gpu",
            "firstAvailable": [
                {"name": "big", **_asking(_attribute("model", "b"), count=2)},
                {"name": "small", **_asking()},
            ],
        }
    ),
    "tolerant": _one(tolerations=[{"operator": "Exists"}]),
    "patient": _one(
        tolerations=[
            {"operator": "Exists", "effect": "NoSchedule"},
            {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 36000},
        ]
    ),
    "steady": _one(tolerations=[{"key": "rule", "operator": "Exists", "effect": "NoExecute"}]),
    "distinct": _spec(
        {"name": "gpu", "exactly": _asking(count=2)},
        constraints=[{"distinctAttribute": f"{_DRIVER}/model"}],
    ),
}


def _pod_spec(random_: random.Random) -> Json:
    """What a pod has besides its claims."""
    spec: Json = {"containers": [{"name": "main", "image": "any"}]}
    resources: Json = {}
    if random_.random() < 0.25:
        resources["requests"] = {"cpu": random_.choice(["100m", "2", "7", "30"])}
    if random_.random() < 0.08:
        resources["limits"] = {"example.com/gpu": "1"}
    if resources:
        spec["containers"][0]["resources"] = resources
    if random_.random() < 0.2:
        spec["nodeSelector"] = {"zone": random_.choice(["east", "west"])}
    if random_.random() < 0.2:
        spec["tolerations"] = [{"key": "team", "operator": "Exists"}]
    return spec


# Devices


def _devices(random_: random.Random) -> tuple[list[Json], list[Json]]:
    """The devices of a node, and the counters that they share."""
    count = random_.choice([1, 2, 2, 4])
    renamed = random_.random() < 0.1
    devices, counters = [], []
    for number in range(count):
        attributes: Json = {
            "kind": {"string": "whole"},
            "modelName" if renamed else "model": {"string": random_.choice("ab")},
            _ROOT: {"string": f"root-{number // 2}"},
        }
        if random_.random() < 0.1:
            del attributes[_ROOT]
        memory = random_.choice(["16Gi", "40Gi", "80Gi"])
        gpu: Json = {
            "name": f"gpu-{number}",
            "attributes": attributes,
            "capacity": {"memory": {"value": memory}},
        }
        if random_.random() < 0.1:
            gpu["taints"] = [
                {"key": "sick", "effect": random_.choice(["NoSchedule", "NoExecute", "None"])}
            ]
        devices.append(gpu)
        if random_.random() < 0.3:
            name = f"set-{number}"
            counters.append({"name": name, "counters": {"slices": {"value": "2"}}})
            gpu["consumesCounters"] = _consumes(name, "2")
            for part in range(2):
                half = {**attributes, "kind": {"string": "half"}}
                devices.append(
                    {
                        "name": f"gpu-{number}-half-{part}",
                        "attributes": half,
                        "capacity": {"memory": {"value": "8Gi"}},
                        "consumesCounters": _consumes(name, "1"),
                    }
                )
    return devices, counters


def _consumes(name: str, amount: str) -> list[Json]:
    return [{"counterSet": name, "counters": {"slices": {"value": amount}}}]


def _nics(random_: random.Random) -> list[Json]:
    policy = {"default": "1Gi", "validRange": {"min": "1Gi", "step": "2Gi"}}
    return [
        {
            "name": f"nic-{number}",
            "allowMultipleAllocations": True,
            "attributes": {_ROOT: {"string": f"root-{number}"}},
            "capacity": {"bandwidth": {"value": "10Gi", "requestPolicy": policy}},
        }
        for number in range(random_.choice([1, 2]))
    ]


# The cluster


@dataclass(frozen=True)
class _Rules:
    """What a release does with some gates: what drivers and users write follows it."""

    release: str
    gates: dict[str, bool]

    def on(self, gate: str) -> bool:
        """Whether a gate is on; one that the release does not have is off."""
        return gate in get_release(self.release).features(self.gates).enabled

    @property
    def rules(self) -> str:
        """The version of DeviceTaintRules that is served first."""
        return f"resource.k8s.io/{'v1beta2' if self.release in ('1.36', '1.37') else 'v1alpha3'}"

    @property
    def kinds(self) -> list[str]:
        """The claims that can be created."""
        shares = self.on("DRAConsumableCapacity")
        return [one for one in _CLAIMS if shares or one != "distinct"]


@dataclass
class _History:
    """The cluster under test, and what happens to it."""

    api: Api
    random: random.Random
    run: str
    rules: _Rules
    made: int = 0
    generations: dict[str, int] = field(default_factory=dict)
    paths: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.paths = {**_LISTED, "DeviceTaintRule": f"/apis/{self.rules.rules}/devicetaintrules"}

    def name(self, word: str) -> str:
        """A name that was never used: caches of the scheduler may remember one."""
        self.made += 1
        return f"{word}-{self.run}-{self.made}"

    def items(self, kind: str) -> list[Json]:
        """The objects of a kind, as a dump has them."""
        version = {"Node": "v1", "Pod": "v1", "DeviceTaintRule": self.rules.rules}
        about = {"apiVersion": version.get(kind, _API), "kind": kind}
        return [{**about, **one} for one in self.api.items(self.paths[kind])]

    def dump(self) -> list[Json]:
        """All that a simulation reads."""
        return [one for kind in self.paths for one in self.items(kind)]

    def begin(self) -> None:
        """Classes, and the first nodes."""
        for name, driver in (("gpu", _DRIVER), ("nic", _NIC)):
            spec: Json = {"selectors": [{"cel": {"expression": f"device.driver == '{driver}'"}}]}
            if name == "gpu":
                spec["extendedResourceName"] = "example.com/gpu"
            self.api.create(
                {
                    "apiVersion": _API,
                    "kind": "DeviceClass",
                    "metadata": {"name": name},
                    "spec": spec,
                }
            )
        for _ in range(3):
            self.add_node()

    def change(self) -> str:
        """One thing changes; what, in words."""
        nodes = self.items("Node")
        choices: list[tuple[int, Callable[[], str]]] = [
            (3 if len(nodes) < _MOST_NODES else 0, self.add_node),
            (2 if len(nodes) > 2 else 0, self.remove_node),
            (3, self.taint_node),
            (4, self.publish_again),
            (2, self.withdraw),
            (3, self.taint_devices),
            (1, self.other_class),
            (6, self.end_pods),
            (3, lambda: "nothing changes"),
        ]
        if len(self.items("Pod")) > _MOST_PODS:
            return self.end_pods()
        chosen: Callable[[], str]
        (chosen,) = self.random.choices([c for _, c in choices], [w for w, _ in choices])
        return chosen()

    def add_node(self) -> str:
        name = self.name("node")
        labels = {"kubernetes.io/hostname": name, "zone": self.random.choice(["east", "west"])}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}
        self.api.create(node)
        amounts = {"cpu": self.random.choice(["8", "32"]), "memory": "64Gi", "pods": "20"}
        ready = [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]
        status = {"allocatable": amounts, "capacity": amounts, "conditions": ready}
        self.api.call("PATCH", f"/api/v1/nodes/{name}/status", {"status": status})
        # The taint of a node that no controller has seen yet.
        self.api.call("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": []}})
        self.publish(name)
        return f"{name} comes"

    def remove_node(self) -> str:
        name = self._any("Node")
        self.api.call("DELETE", f"/api/v1/nodes/{name}")
        for one in self.items("ResourceSlice"):
            if one["spec"].get("nodeName") == name:
                self.api.call("DELETE", f"{self.paths['ResourceSlice']}/{one['metadata']['name']}")
        for pod in self.items("Pod"):
            if pod["spec"].get("nodeName") == name:
                self.end(pod)
        return f"{name} goes"

    def taint_node(self) -> str:
        name = self._any("Node")
        taints = self.random.choice([[], [{"key": "team", "value": "x", "effect": "NoSchedule"}]])
        spec = {"taints": taints, "unschedulable": self.random.random() < 0.2 or None}
        self.api.call("PATCH", f"/api/v1/nodes/{name}", {"spec": spec})
        return f"{name}: {spec}"

    def publish(self, node: str) -> None:
        """The slices of a node, of a new generation; sometimes one of a pool is missing."""
        for driver in (_DRIVER, _NIC):
            devices, counters = _devices(self.random) if driver == _DRIVER else ([], [])
            if not self.rules.on("DRAPartitionableDevices"):
                counters = []
            if driver == _NIC:
                if self.random.random() < 0.4:
                    continue
                devices = _nics(self.random)
            pool = f"{node}-{driver.partition('.')[0]}"
            generation = self.generations[pool] = self.generations.get(pool, 0) + 1
            parts: list[Json] = [{"devices": devices}]
            if counters and self.rules.release == "1.34":
                parts[0]["sharedCounters"] = counters  # of the same slice, up to this release
            elif counters:
                parts.insert(0, {"sharedCounters": counters})
            old = [s for s in self.items("ResourceSlice") if s["spec"]["pool"]["name"] == pool]
            for one in old:
                self.api.call("DELETE", f"{self.paths['ResourceSlice']}/{one['metadata']['name']}")
            count = len(parts) + (self.random.random() < 0.06)
            for part in parts:
                spec = {
                    "driver": driver,
                    "nodeName": node,
                    "pool": {"name": pool, "generation": generation, "resourceSliceCount": count},
                    **part,
                }
                meta = {"name": self.name("slice")}
                self.api.create(
                    {"apiVersion": _API, "kind": "ResourceSlice", "metadata": meta, "spec": spec}
                )

    def publish_again(self) -> str:
        name = self._any("Node")
        self.publish(name)
        return f"the drivers of {name} publish anew"

    def withdraw(self) -> str:
        slices = self.items("ResourceSlice")
        if not slices:
            return "no slice to withdraw"
        name = self.random.choice(slices)["metadata"]["name"]
        self.api.call("DELETE", f"{self.paths['ResourceSlice']}/{name}")
        return f"{name} is withdrawn"

    def taint_devices(self) -> str:
        rules = self.items("DeviceTaintRule")
        if rules and self.random.random() < 0.6:
            name = self.random.choice(rules)["metadata"]["name"]
            self.api.call("DELETE", f"{self.paths['DeviceTaintRule']}/{name}")
            return f"{name} goes"
        slices = [one for one in self.items("ResourceSlice") if one["spec"].get("devices")]
        if not slices:
            return "no device to taint"
        chosen = self.random.choice(slices)["spec"]
        selector = {"driver": chosen["driver"], "pool": chosen["pool"]["name"]}
        if self.random.random() < 0.7:
            selector["device"] = self.random.choice(chosen["devices"])["name"]
        taint = {"key": "rule", "effect": self.random.choice(["NoSchedule", "NoExecute"])}
        name = self.name("rule")
        self.api.create(
            {
                "apiVersion": self.rules.rules,
                "kind": "DeviceTaintRule",
                "metadata": {"name": name},
                "spec": {"deviceSelector": selector, "taint": taint},
            }
        )
        return f"{name}: {selector} {taint['effect']}"

    def other_class(self) -> str:
        expression = self.random.choice(
            [
                f"device.driver == '{_DRIVER}'",
                f"device.driver == '{_DRIVER}' && {_attribute('kind', 'whole')}",
                f"device.driver == '{_DRIVER}' && device.attributes['{_DRIVER}'].model != 'x'",
            ]
        )
        spec = {"selectors": [{"cel": {"expression": expression}}]}
        self.api.call("PATCH", f"{self.paths['DeviceClass']}/gpu", {"spec": spec})
        return f"class gpu: {expression}"

    def end_pods(self) -> str:
        pods = self.items("Pod")
        ending = self.random.sample(pods, min(len(pods), self.random.choice([1, 1, 2, 8])))
        for pod in ending:
            self.end(pod)
        return f"{len(ending)} pods end"

    def end(self, pod: Json) -> None:
        """The pod is gone, and what controllers do for its claims is done."""
        name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
        self.api.call("DELETE", f"{self.paths['Pod']}/{name}?gracePeriodSeconds=0")
        for claim in self.items("ResourceClaim"):
            metadata, status = claim["metadata"], claim.get("status") or {}
            place = f"{self.paths['ResourceClaim']}/{metadata['name']}"
            if any(one["uid"] == uid for one in metadata.get("ownerReferences") or ()):
                self.api.call("PATCH", place, {"metadata": {"finalizers": None}})
                self.api.call("DELETE", place)
                continue
            users = status.get("reservedFor") or []
            rest = [one for one in users if one["uid"] != uid]
            if len(rest) < len(users):
                body = {**claim, "status": {**status, "reservedFor": rest}}
                if not rest:
                    body["status"].pop("allocation", None)
                self.api.call("PUT", f"{place}/status", body)

    def pod(self) -> Json:
        """A pod that is still held back, with its claims made."""
        name = self.name("pod")
        spec = _pod_spec(self.random)
        kinds = self.rules.kinds
        claims = self.random.choices(
            [[], *([each] for each in kinds), ["one", "share"]], [1, *(2 for _ in kinds), 2]
        )[0]
        shared = self._shared_claim() if self.random.random() < 0.15 else None
        spec["schedulingGates"] = [{"name": "twin.example.com/claims"}]
        spec["resourceClaims"] = [
            {"name": each, "resourceClaimTemplateName": each} for each in claims
        ]
        if shared:
            spec["resourceClaims"].append({"name": "shared", "resourceClaimName": shared})
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
        made = self.api.create(pod)
        statuses = []
        for each in claims:
            owner = {"apiVersion": "v1", "kind": "Pod", "name": name, "controller": True}
            owner["uid"] = made["metadata"]["uid"]
            metadata = {
                "name": f"{name}-{each}",
                "ownerReferences": [owner],
                "annotations": {"resource.kubernetes.io/pod-claim-name": each},
            }
            self.api.create(
                {
                    "apiVersion": _API,
                    "kind": "ResourceClaim",
                    "metadata": metadata,
                    "spec": _CLAIMS[each],
                }
            )
            statuses.append({"name": each, "resourceClaimName": f"{name}-{each}"})
        place = f"{self.paths['Pod']}/{name}"
        self.api.call("PATCH", f"{place}/status", {"status": {"resourceClaimStatuses": statuses}})
        return {"apiVersion": "v1", "kind": "Pod", **self.api.call("GET", place)[1]}

    def _shared_claim(self) -> str:
        found = [
            one["metadata"]["name"]
            for one in self.items("ResourceClaim")
            if not one["metadata"].get("ownerReferences")
        ]
        if found and self.random.random() < 0.7:
            return str(self.random.choice(found))
        name = self.name("claim")
        spec = _CLAIMS[self.random.choice(["one", "share"])]
        meta = {"name": name}
        self.api.create(
            {"apiVersion": _API, "kind": "ResourceClaim", "metadata": meta, "spec": spec}
        )
        return name

    def schedule(self, pod: Json) -> Json:
        """The pod once the scheduler has said something, with `claims` as they are then."""
        place = f"{self.paths['Pod']}/{pod['metadata']['name']}"
        self.api.call("PATCH", place, {"spec": {"schedulingGates": None}})
        end = time.monotonic() + _PATIENCE
        found: Json = {}
        while time.monotonic() < end:
            found = self.api.call("GET", place)[1]
            conditions = found.get("status", {}).get("conditions") or ()
            said = [c for c in conditions if c["type"] == "PodScheduled"]
            if found["spec"].get("nodeName") or any(
                c["reason"] in ("Unschedulable", "SchedulerError") for c in said
            ):
                break
            time.sleep(0.05)
        claims = {one["metadata"]["name"]: one for one in self.items("ResourceClaim")}
        extended = found.get("status", {}).get("extendedResourceClaimStatus") or {}
        names = [
            one.get("resourceClaimName")
            for one in (
                *found.get("status", {}).get("resourceClaimStatuses", ()),
                *pod["spec"].get("resourceClaims", ()),
                extended,
            )
        ]
        return {**found, "claims": [claims[name] for name in names if name in claims]}

    def evictions(self) -> Json | None:
        """What is evicted as things are: the objects, and the pods of which dradsl and the controller say so.

        What is evicted ends. None if nothing is evicted.
        """
        if not self.rules.on("DRADeviceTaints"):
            return None
        dump = self.dump()
        for one in dump:
            one["metadata"].pop("deletionTimestamp", None)
        expected = evicted(self.rules.release, dump, self.rules.gates)
        tainting = [one for one in dump if one["kind"] in ("ResourceSlice", "DeviceTaintRule")]
        if not expected and '"NoExecute"' not in json.dumps(tainting):
            return None
        time.sleep(_PAUSE)
        end = time.monotonic() + _UNTIL
        while time.monotonic() < end:
            ending = [one for one in self.items("Pod") if one["metadata"].get("deletionTimestamp")]
            names = sorted(one["metadata"]["name"] for one in ending)
            if names == expected:
                break
            time.sleep(0.1)
        for one in ending:
            self.end(one)
        if not expected and not names:
            return None
        return {"dump": dump, "expected": expected, "evicted": names}

    def _any(self, kind: str) -> str:
        return str(self.random.choice(self.items(kind))["metadata"]["name"])


# Comparing


def evicted(release: str, dump: list[Json], gates: dict[str, bool] | None = None) -> list[str]:
    """The names of the pods of which `dradsl why` says that the taint of a device ends them."""
    chosen = get_release(release)
    running: list[Json] = [
        {**one, "status": {**(one.get("status") or {}), "phase": "Running"}}
        if one["kind"] == "Pod"
        else one
        for one in dump
    ]
    known = Dump(running)
    world = build_world(known, [], [], chosen, chosen.features(gates or {}), None)
    pods: list[Any] = list(known.all("Pod"))
    pods = [one for one in pods if one["spec"].get("nodeName")]
    return sorted(
        pod["metadata"]["name"]
        for pod, answer in zip(pods, examine(world, pods), strict=True)
        if answer.step == "taint" and any("ends the pod" in each for each in answer.details)
    )


def differences(
    release: str,
    dump: list[Json],
    pod: Json,
    then: Json,
    gates: dict[str, bool] | None = None,
) -> list[str]:
    """In what dradsl, asked with the objects of `dump` and the pod, differs from what the scheduler did `then`."""
    asked: Json = json.loads(json.dumps(pod))
    asked["spec"].pop("schedulingGates", None)
    name = pod["metadata"]["name"]
    others = [one for one in dump if one["metadata"]["name"] != name or one["kind"] != "Pod"]
    fleet = dradsl.Fleet.from_objects(*others)
    report = _report(asked, fleet, release, gates)
    allowed = {
        node
        for verdict in report.get("nodes") or ()
        for node in verdict["names"]
        if verdict["verdict"] == "fits" or "fits" in verdict.get("mayBe", ())
    }
    node = then["spec"].get("nodeName")
    conditions = then.get("status", {}).get("conditions") or ()
    message = next((c.get("message", "") for c in conditions if c["type"] == "PodScheduled"), "")
    if node is None:
        if report["answer"] == "fits":
            return [f"dradsl: fits on {sorted(allowed)}; scheduler: {message or 'nothing'}"]
        return _reasons_differ(report, message)
    if node not in allowed or report["answer"] == "never":
        return [f"the scheduler took {node}; dradsl: {report['answer']}, {sorted(allowed)}"]
    asked["spec"]["nodeName"] = node
    there = _report(asked, fleet, release, gates)
    ours = [_bare(one["allocation"]) for one in there["claims"]]
    held = {one["metadata"]["name"] for one in dump if (one.get("status") or {}).get("allocation")}
    theirs = [
        _bare(one["status"]["allocation"])
        for one in then["claims"]
        if one["metadata"]["name"] not in held
    ]
    return [] if ours == theirs else [f"on {node}: scheduler {theirs}; dradsl {ours}"]


def _report(pod: Json, fleet: dradsl.Fleet, release: str, gates: dict[str, bool] | None) -> Json:
    result = dradsl.simulate(
        [pod],
        fleet,
        kube_version=release,
        feature_gates=gates,
        known_classes=False,
        pods_for_claims=False,
    )
    if result.rejected:
        raise AssertionError(result.rejected)
    found: Json = json.loads(result.report("json"))["pods"][0]
    return found


def _bare(allocation: Json) -> Json:
    """An allocation without what is random or a time."""
    copy: Json = json.loads(json.dumps(allocation))
    copy.pop("allocationTimestamp", None)
    for one in copy.get("devices", {}).get("results") or ():
        one.pop("shareID", None)
    return copy


def _reasons_differ(report: Json, message: str) -> list[str]:
    """Whether as many nodes have the same reasons in both."""
    found = re.match(r"0/\d+ nodes are available: (.*?)\.( |$)", message)
    if found is None:
        # An error on one node ends the attempt; what is wrong with the claims ends it before.
        errors = [one["reason"] for one in report["nodes"] if one["verdict"] == "error"]
        said = any(text in message for text in (*errors, report.get("problem") or message))
        return [] if said else [f"scheduler: {message}; dradsl: {report.get('problem')}, {errors}"]
    theirs: Counter[str] = Counter()
    for part in found[1].split(", "):
        number, _, words = part.partition(" ")
        theirs[re.sub(r"(node\(s\) had untolerated taint)(\(s\)| ?{.*})", r"\1(s)", words)] += int(
            number
        )
    ours: Counter[str] = Counter()
    for verdict in report["nodes"]:
        words = verdict.get("reason") or verdict["verdict"]
        for pattern, counted in _SAID:
            if matched := re.fullmatch(pattern, words):
                words = matched.expand(counted) if "\\" in counted else counted
                break
        ours[words] += len(verdict["names"])
    # Of several resources that a node has too little of, dradsl names one; the scheduler counts the node for each.
    short, named = (
        {words: number for words, number in each.items() if words.startswith("Insufficient ")}
        for each in (theirs, ours)
    )
    equal = all(
        theirs[words] == ours[words] for words in (theirs | ours) if words not in (short | named)
    )
    several = all(number <= short.get(words, 0) for words, number in named.items()) and max(
        short.values(), default=0
    ) <= sum(named.values()) <= sum(short.values())
    if equal and several:
        return []
    return [f"scheduler {dict(theirs)}; dradsl {dict(ours)}"]


def _histories(api: Api, rules: _Rules, steps: int, seed: int) -> Iterator[tuple[str, Json]]:
    """Steps as they happened: how each ended, and its record."""
    run = format(int(time.time()) % 46656, "x")
    history = _History(api, random.Random(seed), run, rules)
    release, gates = rules.release, rules.gates
    history.begin()
    for _ in range(steps):
        what = history.change()
        ended = [history.evictions()]
        pod = history.pod()
        time.sleep(_PAUSE)
        dump = history.dump()
        then = history.schedule(pod)
        found = differences(release, dump, pod, then, gates)
        outcome = "equal"
        if found:
            # Once more, when all caches have surely seen what is there.
            history.end(then)
            again = _made_again(history, pod)
            time.sleep(_LONG_PAUSE)
            dump = history.dump()
            pod, then = again, history.schedule(again)
            found = differences(release, dump, pod, then, gates)
            outcome = "differs" if found else "late"
        if then["spec"].get("nodeName"):
            ended.append(history.evictions())
        else:
            history.end(then)
        evictions = [one for one in ended if one is not None]
        for one in evictions:
            if one["expected"] != one["evicted"]:
                outcome = "differs"
                found.append(f"evicted {one['evicted']}; dradsl: {one.pop('expected')}")
        record = {"change": what, "pod": pod, "dump": dump, "then": then, "found": found}
        yield outcome, {**record, "evictions": evictions}


def _bare_objects(value: Any) -> Any:
    """Objects without the book-keeping of who wrote which field."""
    if isinstance(value, dict):
        return {k: _bare_objects(one) for k, one in value.items() if k != "managedFields"}
    return [_bare_objects(one) for one in value] if isinstance(value, list) else value


def _made_again(history: _History, pod: Json) -> Json:
    """The same pod and claims, made anew."""
    spec = {k: v for k, v in pod["spec"].items() if k != "nodeName"}
    name = history.name("pod")
    made = history.api.create(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
    )
    statuses = []
    for each in spec.get("resourceClaims") or ():
        if not (template := each.get("resourceClaimTemplateName")):
            continue
        owner = {"apiVersion": "v1", "kind": "Pod", "name": name, "controller": True}
        meta = {
            "name": f"{name}-{each['name']}",
            "ownerReferences": [owner | {"uid": made["metadata"]["uid"]}],
            "annotations": {"resource.kubernetes.io/pod-claim-name": each["name"]},
        }
        history.api.create(
            {
                "apiVersion": _API,
                "kind": "ResourceClaim",
                "metadata": meta,
                "spec": _CLAIMS[template],
            }
        )
        statuses.append({"name": each["name"], "resourceClaimName": meta["name"]})
    place = f"{history.paths['Pod']}/{name}"
    history.api.call("PATCH", f"{place}/status", {"status": {"resourceClaimStatuses": statuses}})
    return {"apiVersion": "v1", "kind": "Pod", **history.api.call("GET", place)[1]}


def main(arguments: list[str] | None = None) -> int:
    """Plays a history; the exit code is 1 if a step differs, or if not all were played."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", default="1.37")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--gates", default="", help="as in --feature-gates, for both")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    parser.add_argument("--keep", type=Path, help="record the steps here, as JSON lines (.gz)")
    options = parser.parse_args(arguments)
    sys.stdout.write(f"seed {options.seed}\n")
    counts: Counter[str] = Counter()
    kept: list[str] = []
    pairs = (one.partition("=") for one in filter(None, options.gates.split(",")))
    rules = _Rules(options.release, {name: value == "true" for name, _, value in pairs})
    controllers = _EVICTS if rules.on("DRADeviceTaints") else False
    with control_plane(
        options.release, gates=options.gates, controllers=controllers, kubelets=False
    ) as plane:
        steps = _histories(plane.api, rules, options.steps, options.seed)
        try:
            for number, (outcome, record) in enumerate(steps):
                bound = "bound" if record["then"]["spec"].get("nodeName") else "pending"
                counts[outcome] += 1
                counts[bound] += 1
                counts["evicted"] += sum(len(one["evicted"]) for one in record["evictions"])
                kept.append(json.dumps(_bare_objects(record), separators=(",", ":")))
                if outcome == "differs":
                    claims = [c["name"] for c in record["pod"]["spec"].get("resourceClaims", ())]
                    sys.stdout.write(
                        f"  {number}: {record['change']}: {claims}: {record['found']}\n"
                    )
                if number % 50 == 49:
                    sys.stdout.write(f"{number + 1}: {dict(counts)}\n")
                sys.stdout.flush()
        except (RejectedError, OSError) as error:
            sys.stdout.write(f"ended early: {error}\n")
    total = counts["equal"] + counts["late"] + counts["differs"]
    sys.stdout.write(f"{options.release}, seed {options.seed}: {total} steps: {dict(counts)}\n")
    if options.keep:
        text = "".join(f"{line}\n" for line in kept)
        options.keep.write_bytes(gzip.compress(text.encode(), mtime=0))
    return 1 if counts["differs"] or total < options.steps else 0


if __name__ == "__main__":
    sys.exit(main())

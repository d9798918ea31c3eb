"""`dradsl why` on what lies behind a pod with a node: whether its containers get devices, who made its claim, whose device an
error names, what an init container waits for, and the daemon of its ComputeDomain on its node."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from tests.why.test_causes import (
    BASE,
    DAEMON_OF,
    HAS,
    container,
    domain,
    named,
    obj,
    on,
    owned,
    said,
    train,
)
from tests.why.test_drivers import FOLDER
from tests.why.test_facts import answer_of, asked
from tests.why.test_points import DOMAIN, GPU, claim, device_class, gpu, held, slices

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
SEEN = "no object shows whether its containers see the devices"


def runs_on(runtime: str, kernel: str = "6.8.0") -> Object:
    """A node with this container runtime."""
    found = on()
    info = {"containerRuntimeVersion": runtime, "kernelVersion": kernel}
    found["status"]["nodeInfo"] = {"kubeletVersion": "v1.36.0", **info}
    return found


@pytest.mark.parametrize(
    ("runtime", "words"),
    [
        ("docker://29.4.0", "docker://29.4.0, by cri-dockerd"),
        ("containerd://1.6.8", "which reads CDIDevices of the CRI from 1.7.2 on"),
        ("containerd://1.7.1", "which reads CDIDevices of the CRI from 1.7.2 on"),
        ("cri-o://1.27.9", "which reads CDIDevices of the CRI from 1.28 on"),
        ("containerd://1.7.2", ""),
        ("containerd://2.1.5-k3s1", ""),
        ("cri-o://1.28.0", ""),
        ("containerd://Unknown", ""),
        ("other://0.1.0", ""),
        ("", ""),
    ],
)
def test_a_runtime_that_drops_cdi_devices(tmp_path: Path, runtime: str, words: str) -> None:
    given = [runs_on(runtime), *HAS[1:], train(node="n1")]
    answer = answer_of(tmp_path, given, "ml/train")
    assert (answer["step"] == "injection") is bool(words)
    assert (words or SEEN) in answer["cause"]
    assert bool(answer["change"]) is bool(words)


def test_a_runtime_is_no_matter_where_no_container_asks(tmp_path: Path) -> None:
    alone = [{"name": "main", "image": "x"}]
    given = [runs_on("docker://29.4.0"), *HAS[1:], train(node="n1", spec={"containers": alone})]
    answer = answer_of(tmp_path, given, "ml/train")
    assert answer["step"] == "none"
    assert f"{SEEN}; no container has the claim gpu in resources.claims" in answer["cause"]


def extended(resource: str, request: str, name: str = "main", asks: str = "") -> list[Object]:
    """A pod that runs with a claim for an extended resource, and one mapping."""
    mapping = {"containerName": name, "resourceName": resource, "requestName": request}
    status = {"resourceClaimName": "train", "requestMappings": [mapping]}
    amounts = {"requests": {asks or resource: "1"}, "limits": {asks or resource: "1"}}
    spec = {
        "resourceClaims": [],
        "containers": [{"name": "main", "image": "x", "resources": amounts}],
    }
    return [*HAS, train(node="n1", spec=spec, extendedResourceClaimStatus=status)]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (extended("example.com/gpu", "gpu"), []),
        (extended(f"deviceclass.resource.kubernetes.io/{GPU}", "gpu"), []),
        (extended("example.com/gpu", "other"), ["has no request other (it has gpu)"]),
        (extended("cpu", "gpu"), ["cpu is no extended resource"]),
        (extended("requests.kubernetes.io/x", "gpu"), ["requests.kubernetes.io/x is no extended"]),
        (
            extended("example.com/a", "gpu", asks="example.com/b"),
            ["does not request example.com/a"],
        ),
        (extended("example.com/gpu", "gpu", "side"), ["container side", "does not request"]),
        (extended("cpu", "x"), ["cpu is no extended resource", "no request x"]),
    ],
)
def test_mappings_that_give_no_device(
    tmp_path: Path, given: list[Object], words: list[str]
) -> None:
    result = asked(
        tmp_path, given, "ml/train", "--feature-gates", "DRAExtendedResource=true"
    ).stdout
    assert ("step: injection" in result) is bool(words)
    assert all(one in result for one in words or [SEEN])


def test_a_claim_that_is_not_allocated_gives_nothing(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, [*BASE, claim(), train(node="n1")], "ml/train")
    assert "claim ml/train is not allocated, and the pod has a node" in answer["cause"]
    assert SEEN not in answer["cause"]


# Whose claim it is

BORN = "2026-11-22T10:00:00Z"
SET_OF = owned("ReplicaSet", "serve")["ownerReferences"]


def replicas(*entries: str) -> Object:
    """A ReplicaSet whose template names these claims."""
    claims = [{"name": one, "resourceClaimName": "train"} for one in entries]
    boxes = [{"name": "main", "image": "x"}]
    return obj(
        "apps/v1",
        "ReplicaSet",
        "serve",
        {"template": {"spec": {"containers": boxes, "resourceClaims": claims}}},
    )


def placed(made: str = "2026-11-22T09:00:00Z", **meta: Any) -> list[Object]:
    """A pod of a ReplicaSet with a node, and a claim that is not allocated."""
    mine = named("train", train(node="n1", phase="Pending"), creationTimestamp=BORN)
    mine["metadata"]["ownerReferences"] = SET_OF
    return [*BASE, named("train", claim(), creationTimestamp=made, **meta), mine]


@pytest.mark.parametrize(
    ("given", "words", "without"),
    [
        (
            [*placed(), replicas()],
            "perhaps a webhook put it into the pod (ReplicaSet serve does not",
            "user",
        ),
        ([*placed(), replicas("gpu")], "a user or a controller made it", "webhook"),
        (placed(), f"is older than it (2026-11-22T09:00:00Z, {BORN})", "webhook"),
        (placed("2026-11-22T10:00:01Z"), "did not make it for this pod", "older than"),
        (
            placed(
                ownerReferences=[
                    {"apiVersion": "v1", "kind": "Pod", "name": "train", "uid": "u-train"}
                ]
            ),
            "nothing that looks at claims placed it (spec.nodeName was set)",
            "did not make it",
        ),
        (
            placed(annotations={"resource.kubernetes.io/pod-claim-name": "gpu"}),
            "nothing that looks at claims placed it",
            "did not make it",
        ),
        (
            [*placed(), said("train", "Scheduled", "Successfully assigned")],
            "the pod lost it after",
            "nodeName",
        ),
    ],
)
def test_whose_claim_it_is(tmp_path: Path, given: list[Object], words: str, without: str) -> None:
    answer = answer_of(tmp_path, given, "ml/train")
    assert answer["step"] == "claim"
    assert words in answer["cause"]
    assert without not in answer["cause"]
    assert answer["change"].startswith("delete the pod")


@pytest.mark.parametrize(
    ("release", "can_be_off"), [("1.34", True), ("1.35", False), ("1.37", False)]
)
def test_a_locked_gate_is_not_off(tmp_path: Path, release: str, can_be_off: bool) -> None:
    result = asked(tmp_path, placed(), "ml/train", "--kube-version", release)
    assert ("DynamicResourceAllocation of kube-scheduler is off" in result.stdout) is can_be_off


# Whose device an error names


def of_two_drivers(text: str, published: bool = True, other: str = "dra.cpu") -> list[Object]:
    """A pod whose claim has devices of two drivers, and what one of them says."""
    mine = held("train")
    of = {"request": "cpu", "driver": other, "pool": "n1", "device": "cpudev000"}
    mine["status"]["allocation"]["devices"]["results"].append(of)
    cpus = slices({"name": "cpudev000" if published else "cpudev001"}, driver=other)
    failed = said("train", "FailedPrepareDynamicResources", f"prepare failed: {text}")
    return [
        on(),
        device_class(),
        slices(gpu()),
        cpus,
        mine,
        train(node="n1", phase="Pending"),
        failed,
    ]


@pytest.mark.parametrize(
    ("given", "is_alien"),
    [
        (of_two_drivers("requested GPU is not allocatable: cpudev000"), True),
        (of_two_drivers("device cpudev000 not found"), True),
        (of_two_drivers("device cpudev000-1 not found"), False),
        (of_two_drivers("cpudev000: no space left on device"), False),
        (of_two_drivers("requested GPU is not allocatable: cpudev000", published=False), False),
        (of_two_drivers("requested GPU is not allocatable: cpudev000", other="gpu.x"), False),
    ],
)
def test_whose_device_an_error_names(tmp_path: Path, given: list[Object], is_alien: bool) -> None:
    cause = answer_of(tmp_path, given, "ml/train")["cause"]
    assert (
        f"the claim has devices of {GPU}, too, which may take it for its own" in cause
    ) is is_alien


# What an init container waits for


def starts(name: str, words: list[str], kernel: str = "6.8.0", **more: Any) -> list[Object]:
    """A pod whose init container has not ended."""
    inits = [{"name": "init-container", "image": "x", "command": words, **more}]
    status = [{"name": "init-container", "ready": False, "state": {"running": {}}}]
    found = train(node="n1", phase="Pending", initContainerStatuses=status)
    boxes = [{"name": "main", "image": "x"}]
    volumes = [FOLDER] if "gpu" in name else []
    found["spec"] = {
        "nodeName": "n1",
        "containers": boxes,
        "initContainers": inits,
        "volumes": volumes,
    }
    return [runs_on("containerd://2.1.0", kernel), named(name, found)]


SCRIPT = ["bash", "/usr/bin/kubelet-plugin-prestart.sh"]
ROOT: Object = {
    "env": [{"name": "NVIDIA_DRIVER_ROOT", "value": "/"}, {"name": "OTHER", "value": "x"}]
}
WSL = "6.6.87-microsoft-standard-WSL2"


@pytest.mark.parametrize(
    ("given", "words", "change"),
    [
        (
            starts("p", SCRIPT, **ROOT),
            "prestart.sh NVIDIA_DRIVER_ROOT=/); as far as",
            "let the NVIDIA driver be on n1",
        ),
        (
            starts("p", SCRIPT, WSL, **ROOT),
            f"the kernel of n1 is {WSL}; this script waits",
            "/usr/lib/wsl/lib",
        ),
        (
            starts("nvidia-dra-driver-gpu-kubelet-plugin", []),
            "as far as these words tell, it waits until",
            "let the NVIDIA driver be on n1",
        ),
        (
            starts("amd-gpu-dra-driver", ["wait"]),
            "Pod ml/amd-gpu-dra-driver on n1: init container",
            "amdgpu be loaded on n1",
        ),
        (starts("web", ["sh", "-c", "wait"]), "has not ended (it runs sh -c wait)", ""),
    ],
)
def test_what_an_init_container_waits_for(
    tmp_path: Path, given: list[Object], words: str, change: str
) -> None:
    answer = answer_of(tmp_path, given, f"ml/{given[-1]['metadata']['name']}")
    assert answer["step"] == "container"
    assert words in answer["cause"]
    assert change in (answer["change"] or "")
    assert bool(answer["change"]) is bool(change)


# The daemon of a ComputeDomain

NOT_THERE = "error applying config: current node not ready in ComputeDomain"
DENIED = container("ImagePullBackOff", "pull access denied, authorization failed", name="cd")
KEYS = [{"name": "registry-key"}]


def puller(name: str = "plugin", image: str = "r.example.com/x:1", space: str = "ml") -> Object:
    """A DaemonSet with imagePullSecrets."""
    spec = {"imagePullSecrets": KEYS, "containers": [{"name": "a", "image": image}]}
    return obj("apps/v1", "DaemonSet", name, {"template": {"spec": spec}}, namespace=space)


def waits_for_domain(
    *more: Object, state: str = "NotReady", by_template: bool = False
) -> list[Object]:
    """A pod whose ComputeDomain is not ready on its node, as its daemon there cannot pull its image."""
    given = copy.deepcopy(domain(phase="Pending", containerStatuses=DENIED))
    for one in given:
        if one["kind"] == "ComputeDomain":
            one["status"]["status"] = state
            one["spec"]["channel"] = {"resourceClaimTemplate": {"name": "channel"}}
        if one["metadata"]["name"] == "cd-x":
            one["spec"]["containers"] = [{"name": "cd", "image": "r.example.com/x:1"}]
        if one["kind"] == "ResourceClaim" and by_template:
            del one["spec"]["devices"]["config"]
    if by_template:
        entry = {"name": "gpu", "resourceClaimTemplateName": "channel"}
        given[-1]["spec"]["resourceClaims"] = [entry]
        made = [{"name": "gpu", "resourceClaimName": "train"}]
        given[-1]["status"]["resourceClaimStatuses"] = made
    failed = said("train", "FailedPrepareDynamicResources", NOT_THERE)
    return [*given, failed, *more]


@pytest.mark.parametrize("by_template", [False, True])
@pytest.mark.parametrize("state", ["NotReady", "Ready"])
def test_the_daemon_of_the_domain_on_the_node(
    tmp_path: Path, state: str, by_template: bool
) -> None:
    given = waits_for_domain(puller(), state=state, by_template=by_template)
    answer = answer_of(tmp_path, given, "ml/train")
    assert answer["step"] == "prepare"
    assert "Pod ml/cd-x on n1: container cd: ImagePullBackOff" in answer["cause"]
    assert "DaemonSet ml/plugin has registry-key for the same registry" in answer["cause"]
    assert answer["change"].startswith("give the pod the imagePullSecrets that DaemonSet ml/plugin")


def test_the_daemon_of_the_own_node_goes_first(tmp_path: Path) -> None:
    given = waits_for_domain()
    other = named("cd-a", train(node="n2", phase="Pending"), labels={DAEMON_OF: "d1"})
    cause = answer_of(tmp_path, [on("n2"), other, *given], "ml/train")["cause"]
    assert "Pod ml/cd-x on n1" in cause
    assert "cd-a" not in cause


@pytest.mark.parametrize(
    "other", [puller(image="other.example.com/x:1"), puller(space="elsewhere"), DOMAIN]
)
def test_secrets_of_others_are_no_help(tmp_path: Path, other: Object) -> None:
    given = waits_for_domain(*([other] if other is not DOMAIN else []))
    answer = answer_of(tmp_path, given, "ml/train")
    assert "ImagePullBackOff" in answer["cause"]
    assert "for the same registry" not in answer["cause"]
    assert answer["change"].startswith("give the pod an imagePullSecret that may read")

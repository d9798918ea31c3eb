"""Constructed questions to `dradsl why`, as a user asks them: pods that a claim is of no use to, changes that keep
what was asked, and answers without what is true of every cluster."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import dradsl.recordings
from dradsl.cli.devices import command as devices_command
from dradsl.cli.why import command
from tests.why.test_facts import answer_of, asked

if TYPE_CHECKING:
    from pathlib import Path

Object = dict[str, Any]
GPU = "gpu.nvidia.com"
ATTRIBUTES = f"device.attributes['{GPU}']"
MEMORY = f"device.capacity['{GPU}'].memory.compareTo(quantity('80Gi')) >= 0"
GATE = "DRAPartitionableDevices"
PCIE = "resource.kubernetes.io/pcieRoot"
REJECTED = "0/1 nodes are available: 1 cannot allocate all claims."
BESIDE = "declined and in use"  # what was tried comes after what the autoscaler needs
ENDING: dict[str, Any] = {"deletionTimestamp": "2026-11-22T10:00:00Z"}
CONTROLLER = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rs"}
OWNED: dict[str, Any] = {"ownerReferences": [{**CONTROLLER, "controller": True}]}


def node(name: str = "n1") -> Object:
    status = {"allocatable": {"cpu": "8", "memory": "16Gi", "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


def device_class(name: str = GPU, driver: str = GPU) -> Object:
    selectors = [{"cel": {"expression": f"device.driver == '{driver}'"}}]
    return device_object("DeviceClass", {"name": name}, selectors=selectors)


def device_object(kind: str, metadata: Object, **spec: Any) -> Object:
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


def slices(*devices: Object, on: str = "n1", driver: str = GPU, count: int = 1) -> Object:
    pool = {"name": on, "generation": 1, "resourceSliceCount": count}
    where = {"driver": driver, "nodeName": on, "pool": pool}
    return device_object("ResourceSlice", {"name": f"{on}-{driver}"}, **where, devices=devices)


def gpu(number: int = 0, **attributes: Any) -> Object:
    given = {"productName": "NVIDIA H100 80GB HBM3", "architecture": "Hopper", **attributes}
    texts = {name: {"string": value} for name, value in given.items()}
    return {
        "name": f"gpu-{number}",
        "attributes": texts,
        "capacity": {"memory": {"value": "81559Mi"}},
    }


def claim(
    name: str = "train",
    selector: str = "",
    device_class: str = GPU,
    constraint: str = "",
    count: int = 1,
    **metadata: Any,
) -> Object:
    exactly: Object = {"deviceClassName": device_class, "count": count}
    if selector:
        exactly["selectors"] = [{"cel": {"expression": selector}}]
    devices: Object = {"requests": [{"name": "gpu", "exactly": exactly}]}
    if constraint:
        devices["constraints"] = [{"matchAttribute": constraint, "requests": ["gpu"]}]
    head = {"name": name, "namespace": "ml", **metadata}
    return device_object("ResourceClaim", head, devices=devices)


def held(name: str, device: str = "gpu-0", on: str = "n1", pods: tuple[str, ...] = ()) -> Object:
    results = [{"request": "gpu", "driver": GPU, "pool": on, "device": device}]
    fields = [{"key": "metadata.name", "operator": "In", "values": [on]}]
    allocation = {
        "devices": {"results": results},
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": fields}]},
    }
    reserved = [{"resource": "pods", "name": one, "uid": f"u-{one}"} for one in pods or (name,)]
    status = {"allocation": allocation, "reservedFor": reserved}
    return {**claim(name), "status": status}


def pod(name: str = "train", message: str = "", on: str = "", **metadata: Any) -> Object:
    spec: Object = {
        "resourceClaims": [{"name": "gpu", "resourceClaimName": name}],
        "containers": [{"name": "main", "image": "x", "resources": {"claims": [{"name": "gpu"}]}}],
    }
    status: Object = {"phase": "Running" if on else "Pending"}
    if on:
        spec["nodeName"] = on
    if message:
        condition = {"type": "PodScheduled", "status": "False", "message": message}
        status["conditions"] = [condition]
    head = {"name": name, "namespace": "ml", "uid": f"u-{name}", **metadata}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": head, "spec": spec, "status": status}


def event(name: str, reason: str, message: str, kind: str = "Pod") -> Object:
    uid = f"u-{name}" if kind == "Pod" else name
    about = {"kind": kind, "namespace": "ml", "name": name, "uid": uid}
    head = {"name": f"{name}.{reason}", "namespace": "ml"}
    said = {"type": "Warning", "reason": reason, "message": message, "involvedObject": about}
    return {"apiVersion": "v1", "kind": "Event", "metadata": head, **said}


def cluster(*more: Object, devices: tuple[Object, ...] = ()) -> list[Object]:
    return [node(), device_class(), slices(*(devices or (gpu(),))), *more]


def waits(*more: Object, devices: tuple[Object, ...] = (), **asks: Any) -> list[Object]:
    """A pod that the scheduler has rejected, with a claim that asks for this."""
    return cluster(*more, claim(**asks), pod(message=REJECTED), devices=devices)


def root(number: int, value: str) -> Object:
    return gpu(number, **{PCIE: value})


STARTING = {**pod(on="n1"), "status": {"phase": "Pending"}}
NOT_REGISTERED = event(
    "train", "FailedPrepareDynamicResources", f"DRA driver {GPU} is not registered"
)
DOMAIN = {
    "apiVersion": "resource.nvidia.com/v1beta1",
    "kind": "ComputeDomain",
    "metadata": {"name": "cd", "namespace": "ml", "uid": "d1"},
    "spec": {"numNodes": 2},
}
OF_DOMAIN = held("train")
OF_DOMAIN["spec"]["devices"]["config"] = [
    {"opaque": {"driver": GPU, "parameters": {"domainID": "d1"}}}
]

# What is asked, its step, words of the cause, and of the change; no change if these are empty.
ANSWERS: dict[str, tuple[list[Object], str, str, str]] = {
    # A pod has a node, and its claim is of no use there.
    "not allocated": (cluster(claim(), STARTING), "claim", "claim ml/train is not allocated", ""),
    "not reserved": (
        cluster(held("train", pods=("other",)), STARTING), "claim", "claim ml/train is not reserved for the pod", "",
    ),
    "elsewhere": (
        cluster(node("n2"), slices(gpu(), on="n2"), held("train", on="n2"), STARTING),
        "claim", "has its devices elsewhere (pool n2), and the pod is on n1", "",
    ),
    "in order": (cluster(held("train"), STARTING), "starting", "its claims are allocated on n1", ""),
    # The kubelet's words go before the state of a domain that they do not speak of.
    "not registered": (
        cluster(DOMAIN, OF_DOMAIN, STARTING, NOT_REGISTERED), "prepare", "is not registered", "",
    ),
    "domain": (cluster(DOMAIN, OF_DOMAIN, STARTING), "prepare", "ComputeDomain ml/cd is not ready", ""),
    # An autoscaler's words are the headline if nothing else is one.
    "declined": (
        cluster(claim(), pod(), event("train", "NotTriggerScaleUp", "1 max node group size reached")),
        "rejected", "1 max node group size reached", "",
    ),
    "declined and in use": (
        [*waits(held("a"), pod("a", on="n1")), event("train", "NotTriggerScaleUp", "1 max node group size reached")],
        "allocation", "the matching devices are in use", "end pod ml/a: gpu-0 is free then",
    ),
    # How devices fall out.
    "too few": (waits(count=2), "allocation", "1 of 2 devices are there", "ask for 1 instead of 2"),
    "no group": (
        waits(count=2, constraint=PCIE, devices=(root(0, "a"), root(1, "b"))),
        "allocation", f"1 of 2 devices have the same {PCIE}", f"drop the constraint on {PCIE}",
    ),
    "incomplete": (
        [node(), device_class(), slices(gpu(), count=2), claim(), pod(message=REJECTED)],
        "allocation", f"pool {GPU}/n1: pool being updated (1 of 2 slices)", "",
    ),
    "none": (
        [node(), device_class(), slices(driver="other.example.com"), claim(), pod(message=REJECTED)],
        "allocation", f"driver {GPU} of class {GPU} publishes no ResourceSlice", "",
    ),
    # Near misses keep what was asked.
    "domain of attributes": (
        waits(selector=f"device.attributes.{GPU}.architecture == 'Hopper'"),
        "allocation", "no such key: nvidia", f"write attributes['{GPU}'] instead of attributes.{GPU} in request gpu",
    ),
    "two": (
        waits(selector=f"{ATTRIBUTES}.architecture == 'hopper' && {MEMORY}"),
        "allocation", "no device passes", "write Hopper instead of hopper and 79Gi instead of 80Gi in request gpu",
    ),
    "part of a name": (
        waits(selector=f"{ATTRIBUTES}.productName == 'H100'"),
        "allocation", "no device passes", "write NVIDIA H100 80GB HBM3 instead of H100",
    ),
    "driver": (
        waits(selector="device.driver == 'gpu.nvidia.co'"), "allocation", "no device passes", f"write {GPU} instead of gpu.nvidia.co",
    ),
    "domain of a constraint": (
        waits(count=2, constraint=f"{GPU}/pcieRoot", devices=(root(0, "a"), root(1, "a"))),
        "allocation", f"the matching devices do not have the attribute {GPU}/pcieRoot", f"write {PCIE} instead of {GPU}/pcieRoot in the constraint",
    ),
    "another value": (
        waits(selector=f"{ATTRIBUTES}.architecture == 'Blackwell'"), "allocation", "no device passes", "write Hopper instead of Blackwell",
    ),
    # Never another class.
    "other driver's class": (
        [node(), device_class("gpu.amd.com", "gpu.amd.com"), slices(gpu(), driver="gpu.amd.com"), claim(), pod(message=f"device class {GPU} does not exist")],
        "class", f"device class {GPU} does not exist", "",
    ),
    "class of GPUs": (
        cluster(claim(device_class="mig.nvidia.com"), pod(message="device class mig.nvidia.com does not exist")),
        "class", "device class mig.nvidia.com does not exist", "",
    ),
    # Whom to end.
    "ends already": (
        waits(held("a"), pod("a", on="n1", **ENDING)), "allocation", "in use", "wait for pod ml/a, which ends already: gpu-0 is free then",
    ),
    "reserved for none": (
        waits({**held("a"), "status": {**held("a")["status"], "reservedFor": []}}),
        "allocation", "in use", "delete claim ml/a, which is reserved for no pod: gpu-0 is free then",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_cause_and_change(tmp_path: Path, name: str) -> None:
    given, step, cause, change = ANSWERS[name]
    answer = answer_of(tmp_path, given, "ml/train")
    assert answer["step"] == step
    assert cause in answer["cause"]
    assert change in (answer["change"] or "")
    assert bool(answer["tried"]) is (bool(change) and name != BESIDE)


@pytest.mark.parametrize("name", [name for name in ANSWERS if ANSWERS[name][3] and name != BESIDE])
def test_each_change_says_what_it_gives_up_and_is_a_patch(tmp_path: Path, name: str) -> None:
    lines = asked(tmp_path, ANSWERS[name][0], "ml/train", "--diff").stdout.splitlines()
    assert lines[1].startswith("# gives up: ")
    is_patch = any(line.startswith(("kubectl ", "--- a/")) for line in lines)
    assert is_patch is (name != "ends already")


def test_an_amount_that_is_lower_is_given_up(tmp_path: Path) -> None:
    answer = answer_of(tmp_path, waits(selector=MEMORY), "ml/train")
    assert answer["givesUp"] == "what is above 79Gi"


@pytest.mark.parametrize(
    ("change", "step", "words"),
    [
        ({}, "starting", "its claims are allocated on n1"),
        ({"device": "gpu-9"}, "device", "no slice publishes it any more"),
        ({"on": "n2"}, "claim", "has its devices elsewhere (pool n2)"),
    ],
)
def test_a_claim_of_extended_resources_is_looked_at(
    tmp_path: Path, change: dict[str, Any], step: str, words: str
) -> None:
    user = pod(on="n1")
    del user["spec"]["resourceClaims"], user["spec"]["containers"][0]["resources"]
    user["status"] = {
        "phase": "Pending",
        "extendedResourceClaimStatus": {"resourceClaimName": "train"},
    }
    given = cluster(node("n2"), slices(gpu(), on="n2"), held("train", **change), user)
    answer = answer_of(tmp_path, given, "ml/train")
    assert answer["step"] == step
    assert words in answer["cause"]


def test_why_a_pod_cannot_end_is_the_kubelets_reason(tmp_path: Path) -> None:
    text = "error killing pod: unprepare dynamic resources: no connection"
    for given, said in ((pod(on="n1", **ENDING), True), (pod(on="n1"), False)):
        killed = cluster(held("train"), given, event("train", "FailedKillPod", text))
        answer = answer_of(tmp_path, killed, "ml/train")
        assert (text in answer["cause"]) is said


def test_what_an_api_server_took_is_no_second_answer(tmp_path: Path) -> None:
    broken = pod(message=REJECTED)
    broken["spec"]["containers"][0]["name"] = "Main"
    answer = answer_of(tmp_path, cluster(claim(), broken), "ml/train")
    assert answer["step"] == "rejected"
    assert answer["cause"] == REJECTED
    text = "an API server took it, and Kubernetes 1.36 rejects it: "
    assert answer["details"][0].startswith(text)
    del broken["status"]["conditions"]
    answer = answer_of(tmp_path, cluster(claim(), broken), "ml/train")
    assert answer["step"] == "unknown"
    assert text in answer["cause"]


def test_a_selector_that_cannot_be_read_is_left_alone(tmp_path: Path) -> None:
    broken = held("train")
    terms = broken["status"]["allocation"]["nodeSelector"]["nodeSelectorTerms"]
    terms[0]["matchFields"][0]["operator"] = "Bad"
    answer = answer_of(tmp_path, cluster(broken, STARTING), "ml/train")
    assert answer["step"] == "starting"


def test_another_scheduler_has_words_of_its_own(tmp_path: Path) -> None:
    other = pod()
    other["spec"]["schedulerName"] = "volcano"
    said = event("train", "Unschedulable", "3/3 tasks in gang unschedulable")
    answer = answer_of(tmp_path, cluster(claim(), other, said), "ml/train")
    assert (answer["step"], answer["cause"]) == ("rejected", "3/3 tasks in gang unschedulable")
    mine = answer_of(tmp_path, cluster(claim(), pod(), said), "ml/train")
    assert mine["step"] == "scheduler"


@pytest.mark.parametrize(("gates", "step"), [("", "scheduler"), (f"{GATE}=false", "allocation")])
def test_gates_are_on_whose_fields_the_dump_has(tmp_path: Path, gates: str, step: str) -> None:
    counters = [{"name": "g", "counters": {"memory": {"value": "1"}}}]
    shared = slices(count=2)
    del shared["spec"]["devices"]
    shared["metadata"]["name"] = "counters"
    shared["spec"]["sharedCounters"] = counters
    part = gpu()
    part["consumesCounters"] = [{"counterSet": "g", "counters": counters[0]["counters"]}]
    given = [node(), device_class(), shared, slices(part, count=2), claim(), pod()]
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"kind": "List", "items": given}))
    call = ["ml/train", str(path), "--kube-version", "1.35"]
    found = CliRunner().invoke(command, [*call, *(["--feature-gates", gates] if gates else [])])
    assert f"step: {step} " in found.stdout
    note = f"feature gates: {GATE} judged as on, as the dump has fields of it"
    assert (note in found.stdout) is not bool(gates)


def replicas(count: int) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": "rs", "namespace": "ml", "uid": "rs"},
        "spec": {"replicas": count},
    }


@pytest.mark.parametrize(("wanted", "said"), [(2, True), (1, False)])
def test_pods_that_cannot_be_created_beside_others(tmp_path: Path, wanted: int, said: bool) -> None:
    text = "pods is forbidden: exceeded quota: q"
    failed = event("rs", "FailedCreate", text, kind="ReplicaSet")
    given = cluster(held("train"), pod(on="n1", **OWNED), replicas(wanted), failed)
    out = asked(tmp_path, given, "rs/ml/rs").stdout
    assert (f"ReplicaSet ml/rs: has 1 of 2 pods\n  why: {text}\n" in out) is said
    assert "Pod ml/train of ReplicaSet ml/rs: running on n1" in out


def test_holders_are_folded_by_owner(tmp_path: Path) -> None:
    count = 16
    users = [
        x for i in range(count) for x in (held(f"h{i}", f"gpu-{i}"), pod(f"h{i}", on="n1", **OWNED))
    ]
    channel = {"name": "channel-0", "attributes": {"type": {"string": "channel"}}}
    other = slices(channel, driver="compute-domain.nvidia.com")
    given = waits(*users, other, devices=tuple(map(gpu, range(count))))
    out = asked(tmp_path, given, "ml/train").stdout
    (line,) = [one for one in out.splitlines() if "held by others" in one]
    assert "gpu-0, gpu-1, gpu-2 and 13 more (NVIDIA H100 80GB HBM3)" in line
    assert line.endswith(" and 13 more of ReplicaSet ml/rs")
    assert "compute-domain.nvidia.com" not in out
    assert len(answer_of(tmp_path, given, "ml/train")["holders"]) == count


def test_partitions_show_their_profile(tmp_path: Path) -> None:
    parts = tuple(gpu(i, profile=name) for i, name in enumerate(("1g.10gb", "1g.10gb", "3g.40gb")))
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"kind": "List", "items": [slices(*parts), held("a")]}))
    found = CliRunner().invoke(devices_command, [str(path), "--by", "model"])
    assert found.stdout == (
        "total NVIDIA H100 80GB HBM3 1g.10gb: 1 held, 1 free\n"
        "total NVIDIA H100 80GB HBM3 3g.40gb: 1 free\n"
    )


def test_a_pod_that_asks_for_no_device_needs_no_lists_of_devices(tmp_path: Path) -> None:
    plain = pod(message="0/1 nodes are available: 1 Insufficient cpu.")
    del plain["spec"]["resourceClaims"]
    plain["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "100"}}
    result = asked(tmp_path, [node(), plain], "ml/train")
    assert "step: filter " in result.stdout
    assert "cannot be known" not in result.stdout


def test_what_to_do_with_a_dump_that_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = waits()
    monkeypatch.setattr(dradsl.recordings, "MAX_BYTES", 1000)
    assert len(json.dumps(given)) > 1000
    result = asked(tmp_path, given, "ml/train")
    assert result.exit_code == 2
    words = "write each kind, or each namespace, to a file of its own, and name these files"
    assert words in result.stderr
    for number, one in enumerate(given):
        (tmp_path / f"{number}.json").write_text(json.dumps(one))
    files = sorted(map(str, tmp_path.glob("[0-9].json")))
    call = ["ml/train", *files, "--kube-version", "1.36"]
    found = CliRunner().invoke(command, call)
    assert found.exit_code == 1
    assert "1 Pod, 1 ResourceClaim, 1 ResourceSlice" in found.stdout

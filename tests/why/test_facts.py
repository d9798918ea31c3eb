"""What the dump shows goes before a guess: claims that outlive their pods, the scheduler's own words, kinds
that were not dumped. Each case is a YAML file in `shown` with a golden answer, and a table varies it."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from click.testing import CliRunner, Result

from dradsl.cli.devices import command as devices_command
from dradsl.cli.why import command
from tests.golden import check_golden
from tests.why.test_dumps import NAMES, loaded

if TYPE_CHECKING:
    from collections.abc import Callable

    Change = Callable[[list[dict[str, Any]]], object]

SHOWN = Path(__file__).parent / "shown"
TRAIN = "ml/train"
ZOMBIE = "claim/gold/zombie-gpu-xyz12"
# Case -> what is asked about, and the step of the answer. A case has nodes and slices unless it says otherwise.
CASES: dict[str, tuple[str, str]] = {
    "q02": (ZOMBIE, "deleted"),
    "q02b": (TRAIN, "allocation"),
    "q03": (TRAIN, "class"),
    "q05": (TRAIN, "rejected"),
    "q12": (TRAIN, "allocation"),
    "q13": (TRAIN, "allocation"),
    "q15": (TRAIN, "rejected"),
    "q16": (TRAIN, "rejected"),
    "q17": (TRAIN, "other-scheduler"),
    "q23-deadnode": (TRAIN, "allocation"),
    "r1": (TRAIN, "allocation"),
    "r2": (TRAIN, "allocation"),
    "r5-succeeded": (TRAIN, "allocation"),
    "r6-uid": (TRAIN, "allocation"),
    "r8": (TRAIN, "container"),
    "r9": (TRAIN, "container"),
    "noclaims": (TRAIN, "rejected"),
    "nonodes": (TRAIN, "rejected"),
}
WITHOUT = {"nonodes": ["nodes"], "q03": ["slices"], "q12": ["slices"]}
FALSE = ("nothing stops it", "has not taken it yet", "nothing in the dump stops it")


def objects(name: str) -> list[dict[str, Any]]:
    """The objects of a case, the last of a name counts."""
    files = [one for one in ("nodes", "slices") if one not in WITHOUT.get(name, ())]
    texts = [(SHOWN / f"{one}.yaml").read_text("utf-8") for one in (*files, name)]
    return [one for text in texts for one in yaml.safe_load_all(text)]


def asked(folder: Path, given: list[dict[str, Any]], target: str, *words: str) -> Result:
    path = folder / "dump.json"
    path.write_text(json.dumps({"kind": "List", "items": given}), "utf-8")
    call = [target, str(path), "--kube-version", "1.36", *words]
    return CliRunner().invoke(command, call, catch_exceptions=False)


def answer_of(folder: Path, given: list[dict[str, Any]], target: str) -> dict[str, Any]:
    result = asked(folder, given, target, "--output-format", "json")
    (answer,) = json.loads(result.stdout)["answers"]
    assert result.exit_code == int(answer["stopped"])
    found: dict[str, Any] = answer
    return found


@pytest.mark.parametrize("name", CASES)
def test_the_answer_to_each_case(name: str, tmp_path: Path) -> None:
    target, step = CASES[name]
    result = asked(tmp_path, objects(name), target)
    assert result.exit_code == 1
    assert f"step: {step} " in result.stdout
    assert not any(words in result.stdout for words in FALSE)
    check_golden(SHOWN / f"{name}.txt", result.stdout)


# The same, varied


def named(given: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    """The object that counts."""
    return [one for one in given if one["kind"] == kind and one["metadata"]["name"] == name][-1]


def meta(kind: str, name: str, **fields: Any) -> Change:
    return lambda given: named(given, kind, name)["metadata"].update(fields)


def spec(kind: str, name: str, **fields: Any) -> Change:
    return lambda given: named(given, kind, name)["spec"].update(fields)


def status(kind: str, name: str, **fields: Any) -> Change:
    return lambda given: named(given, kind, name).setdefault("status", {}).update(fields)


def without(*kinds: str) -> Change:
    def change(given: list[dict[str, Any]]) -> None:
        given[:] = [one for one in given if one["kind"] not in kinds]

    return change


def event(reason: str, message: str) -> Change:
    about = {"kind": "Pod", "name": "train", "namespace": "ml"}
    one = {"kind": "Event", "metadata": {"name": reason.lower(), "namespace": "ml"}}
    return lambda given: given.append(
        {**one, "involvedObject": about, "reason": reason, "message": message}
    )


def said(message: str) -> Change:
    condition = {"type": "PodScheduled", "status": "False", "message": message}
    return status("Pod", "train", conditions=[condition])


def terminated(**fields: Any) -> Change:
    one = {"name": "main", "state": {"terminated": fields}}
    return status("Pod", "train", containerStatuses=[one])


def one_node(given: list[dict[str, Any]]) -> None:
    """All devices on n1, which is the only node."""
    given.remove(named(given, "Node", "n2"))
    slices = [named(given, "ResourceSlice", f"{name}-gpu") for name in ("n1", "n2")]
    given.remove(slices[1])
    devices = slices[0]["spec"]["devices"]
    devices.append({**devices[0], "name": "gpu-1"})
    allocation = named(given, "ResourceClaim", "infer")["status"]["allocation"]
    allocation["devices"]["results"][0].update(pool="n1", device="gpu-1")
    named(given, "Pod", "infer")["spec"]["nodeName"] = "n1"


CPU = "0/2 nodes are available: 2 Insufficient cpu."
HOLD = "resource.kubernetes.io/delete-protection"
RELEASED = "release gpu-0, held for pods that are gone, ended or cannot end"
VARIED: list[tuple[str, list[Change], str, str, str]] = [
    # A claim in deletion: other finalizers, none, nobody in reservedFor, a pod that runs
    ("q02", [meta("ResourceClaim", "zombie-gpu-xyz12", finalizers=["example.com/keep"])], ZOMBIE, "deleted", "example.com/keep stays until its owner removes it"),
    ("q02", [meta("ResourceClaim", "zombie-gpu-xyz12", finalizers=[])], ZOMBIE, "deleted", "no finalizer is left"),
    ("q02", [status("ResourceClaim", "zombie-gpu-xyz12", reservedFor=[])], ZOMBIE, "deleted", "no pod is in reservedFor"),
    ("q02", [meta("ResourceClaim", "infer", deletionTimestamp="2026-11-22T04:00:00Z")], "claim/ml/infer", "deleted", "pod ml/infer, which is Running on n2"),
    ("r8", [meta("ResourceClaim", "train", deletionTimestamp="2026-11-22T04:00:00Z"), status("Pod", "train", containerStatuses=[])], TRAIN, "deleted", "ResourceClaim train: it is being deleted"),
    ("q05", [meta("ResourceClaim", "train", deletionTimestamp="2026-11-22T04:00:00Z")], TRAIN, "claim", "is being deleted"),
    # Holders that never end by themselves
    ("q02b", [status("ResourceClaim", "zombie-gpu-xyz12", reservedFor=[])], TRAIN, "allocation", RELEASED),
    ("q02b", [without("Node")], TRAIN, "allocation", RELEASED),
    ("r5-succeeded", [status("Pod", "db", phase="Failed")], TRAIN, "allocation", RELEASED),
    ("r5-succeeded", [], "claim/ml/db", "leftover", "pod ml/db is Succeeded on n1"),
    ("r5-succeeded", [status("Pod", "db", phase="Running")], TRAIN, "allocation", "end pod ml/db: gpu-0 is free then"),
    ("r6-uid", [meta("Pod", "db", uid="u-earlier")], TRAIN, "allocation", "end pod ml/db: gpu-0 is free then"),
    ("r6-uid", [], "claim/ml/db", "leftover", "the pod there has UID u-db"),
    ("q23-deadnode", [meta("Pod", "sts-0", deletionTimestamp=None)], TRAIN, "allocation", "end pod ml/sts-0: gpu-0 is free then"),
    ("q23-deadnode", [status("Node", "n1", conditions=[{"type": "Ready", "status": "True"}])], TRAIN, "allocation", "wait for pod ml/sts-0, which ends already: gpu-0 is free then"),
    ("q23-deadnode", [], "ml/sts-0", "deleted", "n1 is not ready (NodeStatusUnknown)"),
    ("q23-deadnode", [], "claim/ml/sts-0", "leftover", "is Terminating since 2026-11-22T04:00:00Z on n1"),
    ("q23-deadnode", [meta("Pod", "sts-0", deletionTimestamp=None)], "ml/sts-0", "node", "n1 is not ready"),
    ("q23-deadnode", [spec("Pod", "train", resourceClaims=[{"name": "gpu", "resourceClaimName": "sts-0"}], nodeSelector={"kubernetes.io/hostname": "n2"})], TRAIN, "allocation", "if n1 is off for good"),
    ("q02b", [lambda given: request(given).update(count=2), one_node], TRAIN, "allocation", f"{RELEASED} (claim gold/zombie-gpu-xyz12); and end pod ml/infer: gpu-1 is free then"),
    # The scheduler's words
    ("q15", [event("NotTriggerScaleUp", "pod didn't trigger scale-up: 1 max node group size reached")], TRAIN, "rejected", "max node group size reached"),
    ("q15", [status("Pod", "train", nominatedNodeName="n1")], TRAIN, "rejected", "status.nominatedNodeName of Pod ml/train: n1"),
    ("q15", [status("Pod", "train", conditions=[]), event("FailedScheduling", "0/2 nodes are available: x")], TRAIN, "rejected", "0/2 nodes are available: x"),
    ("q17", [spec("Pod", "train", schedulerName="default-scheduler")], TRAIN, "scheduler", "it fits on 2 of 2 nodes"),
    ("q17", [spec("Pod", "train", schedulerName="default-scheduler"), status("Pod", "train", nominatedNodeName="n2")], TRAIN, "rejected", "nominatedNodeName is n2"),
    ("q17", [said("queue ml is full")], TRAIN, "rejected", "queue ml is full"),
    ("r1", [said(CPU)], TRAIN, "rejected", "dradsl finds another reason: none of 2 nodes has the devices"),
    ("q03", [said(CPU)], TRAIN, "rejected", "dradsl finds another reason"),
    ("q13", [without("DeviceTaintRule")], TRAIN, "rejected", "the reason no longer exists"),
    ("q13", [said(CPU)], TRAIN, "rejected", "dradsl finds another reason"),
    # Kinds that were not dumped
    ("nonodes", [status("Pod", "train", conditions=[])], TRAIN, "unknown", "no Node is in the dump"),
    ("nonodes", [without("ResourceSlice", "DeviceClass"), said(CPU)], TRAIN, "rejected", "no Node is in the dump"),
    ("noclaims", [status("Pod", "train", conditions=[])], TRAIN, "claim", "the dump has no ResourceClaim at all, perhaps they were not dumped"),
    ("noclaims", [spec("Pod", "train", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "t"}])], TRAIN, "rejected", "the dump has no ResourceClaimTemplate at all"),
    ("q02", [without("Pod")], ZOMBIE, "deleted", "not in the dump"),
    ("r5-succeeded", [without("DeviceClass"), lambda given: named(given, "ResourceClaim", "train")["spec"]["devices"]["requests"][0]["exactly"].update(deviceClassName="other.example.com")], TRAIN, "rejected", "the dump has no DeviceClass at all"),
    # Containers
    ("r8", [terminated(reason="OOMKilled", exitCode=137)], TRAIN, "container", "OOMKilled (exit code 137)"),
    ("r8", [status("Pod", "train", phase="Failed", reason="Evicted", message="low on memory")], TRAIN, "failed", "Failed: Evicted: low on memory"),
    ("r9", [status("Pod", "train", containerStatuses=[{"name": "main", "state": {"waiting": {"reason": "ContainerCreating"}}}])], TRAIN, "starting", "its claims are allocated on n1"),
    ("r9", [status("Pod", "train", initContainerStatuses=[{"name": "init", "state": {"waiting": {"reason": "ErrImagePull"}}}])], TRAIN, "container", "container init: ErrImagePull"),
    ("r9", [status("Pod", "train", containerStatuses=[{"name": "main", "state": {"waiting": {"reason": "ContainerCreating"}}}]), event("FailedMount", "MountVolume.SetUp failed for volume data")], TRAIN, "kubelet", "MountVolume.SetUp failed for volume data"),
    ("r8", [status("Pod", "train", containerStatuses=[]), lambda given: given.append(second_claim(given))], TRAIN, "device", "it is allocated twice: claim ml/other has it, too"),
    ("r1", [lambda given: named(given, "Node", "n1").update(spec={"unschedulable": True}), lambda given: request(given).pop("selectors"), spec("Pod", "train", nodeSelector={"kubernetes.io/hostname": "n1"}), said("0/2 nodes are available: 1 node(s) were unschedulable.")], TRAIN, "filter", "uncordon n1"),
    ("q12", [lambda given: given.remove(named(given, "ResourceClaim", "s1"))], TRAIN, "rejected", "it fits on 1 of 2 nodes"),
]  # fmt: skip


def second_claim(given: list[dict[str, Any]]) -> dict[str, Any]:
    """A claim that has the devices of `train`, too."""
    claim = copy.deepcopy(named(given, "ResourceClaim", "train"))
    claim["metadata"].update(name="other", uid="u-other")
    return claim


@pytest.mark.parametrize(("name", "changes", "target", "step", "words"), VARIED)
def test_a_case_that_is_varied(
    tmp_path: Path, name: str, changes: list[Change], target: str, step: str, words: str
) -> None:
    given = objects(name)
    for change in changes:
        change(given)
    answer = answer_of(tmp_path, given, target)
    assert answer["step"] == step
    assert words in json.dumps(answer)


def test_gates_and_releases_are_tried_where_dradsl_would_place_the_pod(tmp_path: Path) -> None:
    """The gate of the taint is off by the call: dradsl places the pod, the scheduler did not."""
    off = ("--feature-gates", "DRADeviceTaintRules=false")
    said = asked(tmp_path, objects("q13"), TRAIN, *off).stdout
    assert "why: 0/2 nodes are available: 2 cannot allocate all claims." in said
    assert "it does not simulate the reason, or the reason no longer exists" in said
    assert "tried: with DRADeviceTaintRules=true or Kubernetes 1.37 dradsl finds it too" in said


@pytest.mark.parametrize(
    "words",
    [
        "0/2 nodes are available: 2 node(s) had volume node affinity conflict.",
        "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints.",
        "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports.",
        'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
        "0/2 nodes are available: 1 Insufficient cpu, 1 cannot allocate all claims.",
    ],
)
@pytest.mark.parametrize("name", ["q05", "q15", "q16"])
def test_what_the_scheduler_says_is_the_headline(tmp_path: Path, name: str, words: str) -> None:
    given = objects(name)
    said(words)(given)
    answer = answer_of(tmp_path, given, TRAIN)
    assert (answer["step"], answer["cause"]) == ("rejected", words)
    assert not answer.get("tried"), "what the words alone say is not tried"


# Changes that keep what was asked


def selector(text: str) -> Change:
    return lambda given: request(given).update(selectors=[{"cel": {"expression": text}}])


def of_class(name: str) -> Change:
    return lambda given: request(given).update(deviceClassName=name)


def request(given: list[dict[str, Any]]) -> dict[str, Any]:
    claim = named(given, "ResourceClaim", "train")
    found: dict[str, Any] = claim["spec"]["devices"]["requests"][0]["exactly"]
    return found


def other_class(name: str) -> Change:
    def change(given: list[dict[str, Any]]) -> None:
        one = copy.deepcopy(named(given, "DeviceClass", "compute-domain-daemon.nvidia.com"))
        one["metadata"]["name"] = name
        given.append(one)

    return change


MEMORY = "device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('{}')) >= 0"
DAEMON = "compute-domain-daemon.nvidia.com"


@pytest.mark.parametrize(
    ("name", "changes", "change"),
    [
        ("r1", [], "n1: write 79Gi instead of 80Gi in request gpu"),
        ("r1", [selector(MEMORY.format("85G"))], None),  # it fits
        ("r1", [selector(MEMORY.format("82000Mi"))], "n1: write 81559Mi instead of 82000Mi in request gpu"),
        ("r1", [selector(MEMORY.format("141Gi"))], "n1: write 81559Mi instead of 141Gi in request gpu"),
        ("r2", [], "n1: write Hopper instead of hopper in request gpu"),
        ("r2", [selector("device.attributes['gpu.nvidia.com'].architecture == 'Hoper'")], "n1: write Hopper"),
        ("r2", [selector("device.attributes['gpu.nvidia.com'].productName == 'NVIDIA H200 80GB HBM3'")], "n1: write NVIDIA H100 80GB HBM3 instead of NVIDIA H200 80GB HBM3"),
        ("r2", [selector("device.attributes['nvidia.com'].architecture == 'Hopper'")], "n1: write gpu.nvidia.com instead of nvidia.com in request gpu"),
        ("r2", [selector("device.attributes['gpu.nvidia.com'].architectur == 'Hopper'")], "n1: write architecture instead of architectur in request gpu"),
        ("q12", [], "n1: end pod ml/s1: mig-1g-0 is free then"),
        ("q03", [], None),
        ("q03", [other_class("mig.nvidia.com")], None),
        ("q03", [of_class("compute-domain-deamon.nvidia.com")], f"name the DeviceClass {DAEMON} in the request gpu"),
        ("q03", [of_class("compute")], None),
    ],
)  # fmt: skip
def test_a_change_keeps_what_was_asked(
    tmp_path: Path, name: str, changes: list[Change], change: str | None
) -> None:
    given = objects(name)
    for one in changes:
        one(given)
    answer = answer_of(tmp_path, given, TRAIN)
    found = answer["change"] if answer["tried"] else None
    assert (found or "").startswith(change or "")
    assert bool(found) is bool(change)


def test_a_fix_says_what_it_gives_up_and_prints_as_a_patch(tmp_path: Path) -> None:
    near = asked(tmp_path, objects("r1"), TRAIN)
    assert "    gives up what is above 79Gi; keeps the rest\n" in near.stdout
    lines = asked(tmp_path, objects("r1"), TRAIN, "--diff").stdout.splitlines()
    assert lines[:2] == [
        "# Pod ml/train: n1: write 79Gi instead of 80Gi in request gpu",
        "# gives up: what is above 79Gi",
    ]
    assert sum(line.startswith("-  ") and "80Gi" in line for line in lines) == 1
    assert sum(line.startswith("+  ") and "79Gi" in line for line in lines) == 1
    ended = asked(tmp_path, objects("q12"), TRAIN)
    assert "    gives up pod ml/s1; keeps the rest\n" in ended.stdout
    assert (
        "kubectl delete pod s1 -n ml\n" in asked(tmp_path, objects("q12"), TRAIN, "--diff").stdout
    )


def test_facts_name_what_they_were_read_from(tmp_path: Path) -> None:
    given = objects("q15")
    event("NotTriggerScaleUp", "pod didn't trigger scale-up")(given)
    answer = answer_of(tmp_path, given, TRAIN)
    assert [fact["about"] for fact in answer["facts"]] == [
        "condition PodScheduled of Pod ml/train",
        "event NotTriggerScaleUp of Pod ml/train",
    ]


def test_old_versions_are_named(tmp_path: Path) -> None:
    given = objects("r1")
    named(given, "ResourceClaim", "train")["apiVersion"] = "resource.k8s.io/v1alpha3"
    out = asked(tmp_path, given, TRAIN).stdout
    assert (
        "cannot be known: ResourceClaim ml/train is of resource.k8s.io/v1alpha3, which is not read"
        in out
    )


def test_a_file_that_is_in_the_dump_is_not_new(tmp_path: Path) -> None:
    path = tmp_path / "train.yaml"
    path.write_text(yaml.safe_dump(named(objects("r8"), "Pod", "train")), "utf-8")
    out = asked(tmp_path, objects("r8"), str(path)).stdout
    assert "Pod ml/train: running on n1" in out
    assert "not created" not in out


def test_a_claim_has_pods_that_end(tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"kind": "List", "items": objects("q23-deadnode")}), "utf-8")
    out = (
        CliRunner()
        .invoke(devices_command, [str(path), "--by", "claim", "--kube-version", "1.36"])
        .stdout
    )
    assert "pod ml/sts-0: Terminating since 2026-11-22T04:00:00Z on n1, which is not ready" in out
    assert "pod ml/infer: Running on n2" in out


# Recorded dumps, changed in every way


def untouched(given: list[dict[str, Any]]) -> None:
    pass


def claims_deleted(given: list[dict[str, Any]]) -> None:
    for one in given:
        if one["kind"] == "ResourceClaim":
            one["metadata"]["deletionTimestamp"] = "2026-11-22T04:00:00Z"


def claims_freed(given: list[dict[str, Any]]) -> None:
    for one in given:
        if one["kind"] == "ResourceClaim":
            one.pop("status", None)


WAYS = (
    untouched,
    claims_deleted,
    claims_freed,
    without("Node"),
    without("ResourceClaim"),
    without("ResourceSlice"),
    without("DeviceClass", "Event"),
)


@pytest.mark.parametrize("name", NAMES)
def test_no_headline_contradicts_the_dump(name: str, tmp_path: Path) -> None:
    """A pod that the scheduler rejects, or a claim of which is being deleted, is never said to be in order."""
    for way in WAYS:
        given = loaded(name)["items"]
        way(given)
        claims = [one for one in given if one["kind"] == "ResourceClaim"]
        ending = {one["metadata"]["name"] for one in claims if is_deleted(one)}
        for one in [*given]:
            label = f"{one['kind'].lower()}/ml/{one['metadata']['name']}"
            wrong = one["kind"] == "ResourceClaim" and is_deleted(one)
            if one["kind"] == "Pod":
                entries = one["spec"].get("resourceClaims", ())
                used = {each.get("resourceClaimName") for each in entries}
                wrong = rejected(one) or bool(used & ending)
            if wrong:
                answer = answer_of(tmp_path, given, label)
                assert answer["stopped"], (way, label)
                assert not any(words in answer["means"] for words in FALSE), (way, label)


def is_deleted(one: dict[str, Any]) -> bool:
    return "deletionTimestamp" in one["metadata"]


def rejected(pod: dict[str, Any]) -> bool:
    conditions = pod.get("status", {}).get("conditions", ())
    return any(
        one["type"] == "PodScheduled" and one["status"] == "False" and one.get("message")
        for one in conditions
    )


def test_the_dumps_have_what_the_property_needs() -> None:
    pods = [one for name in NAMES for one in loaded(name)["items"] if one["kind"] == "Pod"]
    assert sum(map(rejected, pods)) >= 8

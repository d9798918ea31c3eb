"""`dradsl why` on dumps of a real control plane, one for each reason (tests/oracle/controlplane/dumps.py)."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner, Result

from dradsl.cli.why import command
from dradsl.why.answer import steps

DUMPS = Path(__file__).parent / "dumps"
ROOT = Path(__file__).parents[2]
NAMES = sorted(path.name.removesuffix(".json.gz") for path in DUMPS.glob("*.json.gz"))

# Dump -> step, and words of the cause and of the change that was tried.
EXPECTED: dict[str, tuple[str, str, str]] = {
    "allocation": (
        "allocation",
        "none of 2 nodes has the devices",
        "n1: write a100 instead of h100",
    ),
    "api-server": ("api-server", "at most one of", ""),
    "binding-conditions": (
        "binding",
        "has not set gpu.example.com/attached of gpu.example.com/n1/gpu-0",
        "let the controller that sets the condition gpu.example.com/attached run",
    ),
    "claim-deleted": ("claim", 'resourceclaim "train" is being deleted', ""),
    "claim-missing": ("claim", "ResourceClaim ml/train is not there", ""),
    "claim-not-generated": (
        "claim-controller",
        "no ResourceClaim was made from the template train",
        "let kube-controller-manager run",
    ),
    "claim-of-another": (
        "claim",
        "was not created for Pod ml/train (Pod is not owner)",
        "delete the pod, so that it is made again",
    ),
    "class-missing": ("class", "device class gpus does not exist", "name the DeviceClass gpu"),
    "device-gone": (
        "device",
        "gpu.example.com/n1/gpu-0: no slice publishes it any more",
        "let the driver publish device",
    ),
    "device-taint": (
        "allocation",
        "the only node does not have the devices",
        "or tolerate taint gpu.example.com/ecc",
    ),
    "driver-not-registered": (
        "prepare",
        "DRA driver gpu.example.com is not registered",
        "let the kubelet plugin of driver gpu.example.com run on n1",
    ),
    "in-use": (
        "allocation",
        "none of 2 nodes has the devices",
        "n1: end pod ml/infer-1: gpu-0 is free then",
    ),
    "kueue": (
        "kueue",
        "insufficient unused quota for gpu in flavor a100, 1 more needed",
        "raise nominalQuota of gpu in flavor a100",
    ),
    "no-slices": (
        "allocation",
        "no driver publishes any ResourceSlice, or they were not dumped: request gpu: driver gpu.example.com of class gpu",
        "let driver gpu.example.com run",
    ),
    "node-filter": (
        "filter",
        "none of 3 nodes does",
        "tolerate dedicated=infer:NoSchedule (node n1)",
    ),
    "prepare": ("prepare", "NodePrepareResources failed for ResourceClaim train", ""),
    "quota": ("quota", "exceeded quota: gpus", "raise ResourceQuota gpus of namespace"),
    "running": (
        "none",
        "its claims are allocated on n1; no object shows whether its containers see",
        "",
    ),
    "scheduling-gate": ("gate", "scheduling gate example.com/wait", "let the controller that sets"),
    "selector-error": (
        "allocation",
        "an error of one node ends the scheduler's attempt",
        "n1: drop the selector",
    ),
    "taint-since": (
        "taint",
        "has the taint example.com/xid=79:NoExecute",
        "see who sets the taint",
    ),
    "template-missing": (
        "claim-controller",
        "ResourceClaimTemplate ml/train is not there",
        "ResourceClaimTemplate trian",
    ),
    "unhealthy": (
        "device",
        "XID79: the GPU has fallen off the bus",
        "see what the driver reports of the device",
    ),
}
WORDS = ["--kube-version", "1.36", "--feature-gates", "DRADeviceTaintRules=true"]


def loaded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress((DUMPS / f"{name}.json.gz").read_bytes()))
    return found


def about(name: str) -> dict[str, Any]:
    found: dict[str, Any] = loaded(name)["metadata"]["annotations"]
    return found


def why(*words: str) -> Result:
    return CliRunner().invoke(command, [*words, *WORDS], catch_exceptions=False)


def asked(name: str, folder: Path) -> str:
    """What is asked about: the pod, or where the API server rejected it, its manifest."""
    manifests = about(name)["manifests"] if about(name)["refused"] else []
    if not manifests or name == "quota":
        return "ml/train"
    path = folder / "manifest.json"
    path.write_text(json.dumps(manifests[0]), "utf-8")
    return str(path)


def test_every_dump_has_its_cause() -> None:
    assert sorted(EXPECTED) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_cause_is_named(name: str, tmp_path: Path) -> None:
    step, cause, change = EXPECTED[name]
    dump = str(DUMPS / f"{name}.json.gz")
    result = why(asked(name, tmp_path), dump, "--output-format", "json")
    report = json.loads(result.stdout)
    (answer,) = report["answers"]
    assert answer["step"] == step
    assert cause in answer["cause"]
    assert change in (answer["change"] or "")
    assert bool(answer["change"]) is bool(change)
    assert result.exit_code == (0 if step == "none" else 1)
    schema = json.loads((ROOT / "schemas" / "why.schema.json").read_text("utf-8"))
    jsonschema.validate(report, schema)
    assert set(schema["$defs"]["answer"]["properties"]["step"]["enum"]) == set(steps())


@pytest.mark.parametrize("name", NAMES)
def test_an_answer_is_one_screen(name: str, tmp_path: Path) -> None:
    text = why(asked(name, tmp_path), str(DUMPS / f"{name}.json.gz")).stdout
    assert 3 < len(text.splitlines()) <= 40
    assert "read: " in text


def test_what_the_server_says_is_what_we_say(tmp_path: Path) -> None:
    (said,) = about("api-server")["refused"].values()
    result = why(asked("api-server", tmp_path), str(DUMPS / "api-server.json.gz"))
    words = said.partition("}: ")[2]
    assert len(words) > 20
    assert words in result.stdout


@pytest.mark.parametrize("name", NAMES)
def test_the_scheduler_agrees(name: str) -> None:
    """Where the recorded scheduler says that nodes do not do, so do we, and the other way round."""
    pods = [one for one in loaded(name)["items"] if one["kind"] == "Pod"]
    train = next((one for one in pods if one["metadata"]["name"] == "train"), None)
    step = EXPECTED[name][0]
    conditions = (train or {}).get("status", {}).get("conditions", ())
    said = {one.get("reason") for one in conditions if one["type"] == "PodScheduled"}
    assert ("SchedulingGated" in said) is (step in ("gate", "kueue"))
    assert bool(said & {"Unschedulable", "SchedulerError"}) is (
        step in ("allocation", "filter", "class")
    )
    bound = bool((train or {}).get("spec", {}).get("nodeName"))
    assert bound is (step in ("prepare", "taint", "device", "none"))


def test_most_dumps_need_no_other_component() -> None:
    alone = [name for name in NAMES if not about(name)["written"]]
    assert len(alone) >= 7


def test_the_page_has_a_row_for_each() -> None:
    page = (ROOT / "docs" / "why.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| `([\w-]+)` \|", page, re.MULTILINE)
    assert dict(rows) == {name: step for name, (step, _, _) in EXPECTED.items()}
    for step in steps():
        assert f"`{step}`" in page, step


# Other ways to ask


def test_a_dump_alone_names_all_that_wait() -> None:
    result = why(str(DUMPS / "in-use.json.gz"))
    assert result.exit_code == 1
    assert [line for line in result.stdout.splitlines() if line.startswith("Pod ")] == [
        "Pod ml/train: pending since 2026-11-22T17:46:06Z"
    ]


def test_a_claim_has_its_devices_or_waits_with_its_pod() -> None:
    dump = str(DUMPS / "in-use.json.gz")
    held = why("claim/infer-1", dump, "-n", "ml")
    assert held.exit_code == 0
    assert "has: gpu.example.com/n1/gpu-0 (a100) by claim ml/infer-1 for ml/infer-1" in held.stdout
    waits = why("claim/ml/train", dump)
    assert waits.exit_code == 1
    assert "ResourceClaim ml/train: not allocated" in waits.stdout
    assert "why: Pod ml/train waits: none of 2 nodes has the devices" in waits.stdout


def test_who_holds_the_devices_is_told() -> None:
    result = why("ml/train", str(DUMPS / "in-use.json.gz"), "--output-format", "json")
    (answer,) = json.loads(result.stdout)["answers"]
    assert [(one["pool"], one["claim"], one["pods"]) for one in answer["holders"]] == [
        ("n1", "ml/infer-1", ["ml/infer-1"]),
        ("n2", "ml/infer-2", ["ml/infer-2"]),
    ]
    assert all(one["since"] for one in answer["holders"])


def test_a_pod_that_is_not_there(tmp_path: Path) -> None:
    result = why("ml/trian", str(DUMPS / "in-use.json.gz"))
    assert result.exit_code == 2
    assert "did you mean ml/train?" in result.stderr
    assert why("ml/train").exit_code == 2


def owned(kind: str, name: str, uid: str, **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "ml", "uid": uid, **more.pop("metadata", {})},
        **more,
    }


def reference(kind: str, name: str, uid: str) -> list[dict[str, Any]]:
    return [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": True}]


def test_a_deployment_is_its_pods(tmp_path: Path) -> None:
    dump = loaded("in-use")
    dump["items"].append(owned("Deployment", "train", "d"))
    owner = {"ownerReferences": reference("Deployment", "train", "d")}
    dump["items"].append(owned("ReplicaSet", "train-1", "r", metadata=owner))
    for one in dump["items"]:
        if one["kind"] == "Pod":
            one["metadata"]["ownerReferences"] = reference("ReplicaSet", "train-1", "r")
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(dump), "utf-8")
    result = why("deploy/ml/train", str(path))
    assert result.exit_code == 1
    assert "of Deployment ml/train: pending" in result.stdout
    assert "of Deployment ml/train: pending on n1" in result.stdout  # no kubelet wrote its status


def test_a_workload_without_pods_has_its_controllers_words(tmp_path: Path) -> None:
    dump = loaded("in-use")
    dump["items"].append(owned("Deployment", "train", "d"))
    owner = {"ownerReferences": reference("Deployment", "train", "d")}
    dump["items"].append(owned("ReplicaSet", "train-1", "r", metadata=owner))
    about = {"kind": "ReplicaSet", "name": "train-1", "namespace": "ml"}
    event = {"reason": "FailedCreate", "message": "pods is forbidden: exceeded quota: q"}
    metadata = {"name": "e", "namespace": "ml"}
    dump["items"].append({"kind": "Event", "metadata": metadata, "involvedObject": about, **event})
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(dump), "utf-8")
    result = why("deploy/ml/train", str(path))
    assert "step: quota" in result.stdout
    assert "exceeded quota: q" in result.stdout


def test_manifests_are_tried_on_the_dump(tmp_path: Path) -> None:
    pod = next(one for one in loaded("in-use")["items"] if one["metadata"]["name"] == "train")
    fresh = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "new", "namespace": "ml"}}
    fresh["spec"] = {
        "containers": [{"name": "c", "image": "x"}],
        "resourceClaims": [{"name": "gpu", "resourceClaimName": "train"}],
    }
    path = tmp_path / "pod.yaml"
    path.write_text(json.dumps(fresh), "utf-8")
    assert pod
    result = why(str(path), str(DUMPS / "in-use.json.gz"))
    assert result.exit_code == 1
    assert "Pod ml/new: not created" in result.stdout
    assert "step: allocation" in result.stdout


# From the cluster


def test_a_cluster_is_only_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, trace = tmp_path / "bin", tmp_path / "trace"
    folder.mkdir()
    dump = tmp_path / "dump.json"
    dump.write_text(json.dumps(loaded("in-use")), "utf-8")
    program = folder / "kubectl"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> {trace}\ncase "$*" in */resourceslices?*) exec cat {dump};; esac\n'
        'echo "no such kind" >&2; exit 1\n'
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.chdir(tmp_path)
    result = why("ml/train", "--from-cluster", "--kube-context", "c")
    assert result.exit_code == 1, result.output
    calls = trace.read_text().splitlines()
    discovery = [call for call in calls if not call.startswith("get --context=c --raw /")]
    assert discovery == ["api-resources --context=c --verbs=list --no-headers"]
    assert "reads with kubectl get, and writes nothing: pods, resourceclaims" in result.stderr
    said = " ".join(result.stderr.split())
    assert "not read: " in said
    assert ", jobs: no such kind" in said


@pytest.mark.parametrize(
    ("effect", "pool", "code", "said"),
    [
        ("NoExecute", "n1", 1, "why: it would end 1 pod: ml/infer-1"),
        (
            "NoSchedule",
            "n1",
            0,
            "1 device in use: example.com/xid=79:NoSchedule does not evict the 1 pod there",
        ),
        ("NoExecute", "n9", 0, "no claim holds a device that gets example.com/xid=79:NoExecute"),
    ],
)
def test_a_taint_rule_is_told_whom_it_would_end(
    tmp_path: Path, effect: str, pool: str, code: int, said: str
) -> None:
    spec = {
        "deviceSelector": {"driver": "gpu.example.com", "pool": pool},
        "taint": {"key": "example.com/xid", "value": "79", "effect": effect},
    }
    rule = {"apiVersion": "resource.k8s.io/v1beta2", "kind": "DeviceTaintRule", "spec": spec}
    path = tmp_path / "rule.yaml"
    path.write_text(json.dumps({**rule, "metadata": {"name": "xid"}}), "utf-8")
    result = why(str(path), str(DUMPS / "in-use.json.gz"))
    assert said in result.stdout
    assert result.exit_code == code


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        (["v1.35.2", "v1.36.1"], "judged as 1.36, as kubelets are of 1.36"),
        (
            ["v1.29.2", "bad"],
            "judged as 1.34, the nearest that dradsl knows, as kubelets are of 1.29",
        ),
        (["", "bad"], "judged as 1.37, as kubelets do not tell"),
    ],
)
def test_the_release_is_that_of_the_newest_kubelet(
    tmp_path: Path, versions: list[str], said: str
) -> None:
    dump = loaded("in-use")
    nodes = [one for one in dump["items"] if one["kind"] == "Node"]
    for node, version in zip(nodes, versions, strict=True):
        node["status"]["nodeInfo"] = {"kubeletVersion": version}
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(dump), "utf-8")
    result = CliRunner().invoke(command, ["ml/train", str(path)], catch_exceptions=False)
    assert f"cannot be known: the release of the control plane: {said}" in result.stdout
    assert "release of the control plane" not in why("ml/train", str(path)).stdout


# Steps of which no dump was recorded: a recorded one, changed


def train_of(dump: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(
        one for one in dump["items"] if one["kind"] == "Pod" and one["metadata"]["name"] == "train"
    )
    return found


def without(dump: dict[str, Any], *kinds: str) -> None:
    dump["items"] = [one for one in dump["items"] if one["kind"] not in kinds]


def deleted(dump: dict[str, Any]) -> None:
    train_of(dump)["metadata"] |= {
        "deletionTimestamp": "2026-11-22T18:00:00Z",
        "finalizers": ["x/y"],
    }


def unclaimed(dump: dict[str, Any]) -> None:
    dump["items"].remove(train_of(dump))


def freed(dump: dict[str, Any]) -> None:
    for one in dump["items"]:
        if one["kind"] == "ResourceClaim":
            one.pop("status", None)


def not_seen(dump: dict[str, Any]) -> None:
    """No scheduler has looked at the pod."""
    freed(dump)
    without(dump, "Event")
    del train_of(dump)["status"]["conditions"]


def no_events(dump: dict[str, Any]) -> None:
    without(dump, "Event")


def unknown_request(dump: dict[str, Any]) -> None:
    without(dump, "Event")
    container = train_of(dump)["spec"]["containers"][0]
    container["resources"]["claims"][0]["request"] = "nope"


def full(dump: dict[str, Any]) -> None:
    """The claim of the pod has all the consumers that a claim can have."""
    claims = {
        one["metadata"]["name"]: one for one in dump["items"] if one["kind"] == "ResourceClaim"
    }
    claims["train"]["status"] = claims["infer-1"].pop("status")
    consumers = [{"resource": "pods", "name": f"p{i}", "uid": f"u{i}"} for i in range(256)]
    claims["train"]["status"]["reservedFor"] = consumers


def no_pods(dump: dict[str, Any]) -> None:
    dump["items"].append(owned("Deployment", "train", "d"))


def suspended(dump: dict[str, Any]) -> None:
    job = owned("Job", "train", "j", spec={"suspend": True})
    dump["items"].append(job)
    for one in dump["items"]:
        if one["kind"] == "Workload":
            one["metadata"]["ownerReferences"] = reference("Job", "train", "j")


@pytest.mark.parametrize(
    ("name", "change", "target", "step", "said"),
    [
        ("in-use", deleted, "ml/train", "deleted", "finalizers left: x/y"),
        ("in-use", unclaimed, "claim/ml/train", "unclaimed", "no pod that waits names it"),
        ("in-use", freed, "ml/train", "rejected", "2 cannot allocate all claims"),
        ("in-use", not_seen, "ml/train", "scheduler", "it fits on 2 of 2 nodes"),
        ("prepare", no_events, "ml/train", "starting", "its claims are allocated on n1"),
        ("prepare", unknown_request, "ml/train", "kubelet", 'has no request "nope"'),
        ("in-use", full, "ml/train", "reservation", "reserved for 256 consumers already"),
        ("in-use", no_pods, "deploy/ml/train", "absent", "the dump has no pod of it"),
        ("kueue", suspended, "job/ml/train", "kueue", "insufficient unused quota"),
    ],
)
def test_other_steps(
    tmp_path: Path, name: str, change: Any, target: str, step: str, said: str
) -> None:
    dump = loaded(name)
    change(dump)
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(dump), "utf-8")
    result = why(target, str(path), "--output-format", "json")
    (answer,) = json.loads(result.stdout)["answers"]
    assert answer["step"] == step
    assert said in answer["cause"]
    assert result.exit_code == 1


def test_every_step_is_shown() -> None:
    shown = {step for step, _, _ in EXPECTED.values()}
    shown |= {"deleted", "unclaimed", "scheduler", "starting", "kubelet", "reservation", "absent"}
    shown |= {
        "controller",
        "rejected",
        "other-scheduler",
        "unknown",
        "node",
        "container",
        "injection",
        "failed",
        "leftover",
    }
    assert shown == set(steps())


def test_the_sample_of_the_page_is_what_is_printed() -> None:
    page = (ROOT / "docs" / "why.md").read_text("utf-8")
    sample = page.partition("```text\n")[2].partition("```")[0]
    assert len(sample.splitlines()) > 5
    assert why("ml/train", str(DUMPS / "in-use.json.gz")).stdout.startswith(sample)

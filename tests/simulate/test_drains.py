"""Nodes that go away: which pods move, which cannot, and what was there before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.simulate.test_cli import DRIVER, class_of, device, slice_of, template, workload
from tests.simulate.test_what_is_there import node_of, run, written

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]


def claim(pod: str, node: str, given: str) -> Json:
    """The claim that was made for a pod that runs."""
    result = {"request": "gpu", "driver": DRIVER, "pool": node, "device": given}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": pod, "controller": True}
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {
            "name": f"{pod}-gpu-x",
            "namespace": "default",
            "uid": f"{pod}-claim",
            "ownerReferences": [owner],
            "annotations": {"resource.kubernetes.io/pod-claim-name": "gpu"},
        },
        "spec": template()["spec"]["spec"],
        "status": {
            "allocation": {
                "devices": {"results": [result]},
                "nodeSelector": {"nodeSelectorTerms": [term]},
            },
            "reservedFor": [{"resource": "pods", "name": pod, "uid": pod}],
        },
    }


def running(name: str, node: str, *, owner: str = "ReplicaSet") -> Json:
    made = workload()
    references = [{"apiVersion": "apps/v1", "kind": owner, "name": "o", "uid": "o"}]
    made["metadata"] = {
        "name": name,
        "namespace": "default",
        "uid": name,
        "ownerReferences": references,
    }
    made["spec"]["nodeName"] = node
    made["status"] = {
        "phase": "Running",
        "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": f"{name}-gpu-x"}],
    }
    return made


def fleet(folder: Path) -> str:
    """n1 with two pods and their GPUs; n2 with two GPUs, of which one is free; a daemon on n1."""
    daemon = running("daemon", "n1", owner="DaemonSet")
    del daemon["spec"]["resourceClaims"], daemon["status"]["resourceClaimStatuses"]
    objects: list[Json] = [class_of(), template(), daemon]
    for node in ("n1", "n2"):
        objects += [slice_of(node, device("gpu-0"), device("gpu-1")), node_of(node)]
    for name, node, given in (("a", "n1", "gpu-0"), ("b", "n1", "gpu-1"), ("c", "n2", "gpu-0")):
        objects += [running(name, node), claim(name, node, given)]
    return written(folder, "fleet", *objects)


def test_who_moves_where_and_who_cannot(tmp_path: Path) -> None:
    words = ["--slices", fleet(tmp_path), "--without", "n1"]
    result = run(*words)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert "without n1: 1 pod can move, 1 cannot; 1 pod of DaemonSets or ending" in lines
    table = [line.split(maxsplit=2) for line in lines if line.startswith("  default/")]
    assert table[0] == ["default/a", "n1", "n2"]
    assert table[1][:2] == ["default/b", "n1"]
    assert table[1][2].startswith("never: ")
    assert any(line.split() == ["free", "a", "1", "of", "4", "0", "of", "2"] for line in lines)
    assert "gpu: driver.example/n2/gpu-1" in result.stdout.replace(DRIVER, "driver.example")

    report = json.loads(run(*words, "--output-format", "json").stdout)["comparison"]
    assert report["without"] == ["n1"]
    assert report["ending"] == ["default/daemon"]
    assert [(one["pod"], one["before"], one["answer"]) for one in report["pods"]] == [
        ("default/a", "n1", "fits"),
        ("default/b", "n1", "never"),
    ]
    page = run(*words, "--output-format", "html").stdout
    assert "<tr><td>default/a</td><td>n1</td><td>n2</td></tr>" in page


def test_pods_of_manifests_have_both_columns(tmp_path: Path) -> None:
    given = written(tmp_path, "pods", template(), workload())
    result = run(given, "--slices", fleet(tmp_path), "--without", "n2", "--replicas", "1")
    # n1 is full: what was on n2 cannot move, and the new pod, which had n2's last GPU, has none.
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["default/c", "n2", "never:"] in [row[:3] for row in rows]
    said = ["Pod", "default/w,", "pods", "that", "start", "1", "of", "1", "0", "of", "1"]
    assert said in rows


def test_of_pods_that_are_not_recorded_nothing_is_known(tmp_path: Path) -> None:
    """Their claims lose their devices, but whether these pods can run elsewhere depends on more than the claims."""
    objects = json.loads((tmp_path / fleet(tmp_path)).read_text("utf-8"))["items"]
    bare = [one for one in objects if one["kind"] != "Pod"]
    words = ["--slices", written(tmp_path, "bare", *bare), "--without", "n1"]
    result = run(*words)
    assert result.exit_code == 1
    said = "without n1: 0 pods can move, 0 cannot; 2 claims of pods that are not recorded"
    assert said in result.stdout.splitlines()
    row = next(line for line in result.stdout.splitlines() if "claim default/a-gpu-x" in line)
    assert row.split(maxsplit=5)[1:] == [
        "default/a-gpu-x",
        "of",
        "default/a",
        "matches",
        "unknown: its devices go with their node, and no pod that uses it is recorded",
    ]
    report = json.loads(run(*words, "--output-format", "json").stdout)
    claims = report["comparison"]["claims"]
    assert [(one["claim"], one["pods"], one["answer"]) for one in claims] == [
        ("default/a-gpu-x", ["default/a"], "unknown"),
        ("default/b-gpu-x", ["default/b"], "unknown"),
    ]
    assert report["answer"] == "unknown"
    # A device that its driver no longer publishes is another matter: no pod gets it again, recorded or not.
    fewer = written(tmp_path, "fewer", slice_of("n2", device("gpu-1")))
    result = run(*words, "--what-if", fewer)
    assert "2 claims of pods that are not recorded; 1 running claim would not match again" in (
        " ".join(
            result.stdout.replace("replaced: 1 x ResourceSlice of " + DRIVER + "; ", "").split()
        )
    )


def test_one_recorded_pod_of_a_claim_is_enough(tmp_path: Path) -> None:
    """The pod that is recorded cannot move, as others use its claim: that is known."""
    objects = json.loads((tmp_path / fleet(tmp_path)).read_text("utf-8"))["items"]
    for one in objects:
        if one["metadata"]["name"] == "a-gpu-x":
            one["status"]["reservedFor"].append({"resource": "pods", "name": "z", "uid": "z"})
    given = written(tmp_path, "shared", *objects)
    report = json.loads(run("--slices", given, "--without", "n1", "--output-format", "json").stdout)
    assert [one["answer"] for one in report["comparison"]["claims"]] == ["never"]


def test_a_claim_that_others_use_stays_where_it_is(tmp_path: Path) -> None:
    objects = json.loads((tmp_path / fleet(tmp_path)).read_text("utf-8"))["items"]
    for one in objects:
        if one["metadata"]["name"] == "a-gpu-x":
            one["status"]["reservedFor"].append({"resource": "pods", "name": "z", "uid": "z"})
    given = written(tmp_path, "fleet", *objects)
    report = json.loads(run("--slices", given, "--without", "n1", "--output-format", "json").stdout)
    answers = {one["pod"]: one["answer"] for one in report["comparison"]["pods"]}
    assert answers == {"default/a": "never", "default/b": "fits"}


def test_nodes_that_cannot_go(tmp_path: Path) -> None:
    result = run("--slices", fleet(tmp_path), "--without", "n9")
    assert result.exit_code == 2
    assert "no Node, ResourceSlice or Pod of node n9 is recorded" in result.stderr


def test_replicas_are_counted_once_the_pods_have_moved(tmp_path: Path) -> None:
    given = written(tmp_path, "pods", template(), workload())
    result = run(given, "--slices", fleet(tmp_path), "--without", "n1", "--fit")
    assert result.exit_code == 1  # the other pod of n1 has no place
    rows = [line.split() for line in result.stdout.splitlines()]
    # One GPU of n2 was free, and a pod of n1 has it then.
    assert ["Pod", "default/w,", "replicas", "that", "fit", "1", "0"] in rows
    assert ["default/a", "n1", "n2"] in rows


def test_a_node_without_pods_may_go(tmp_path: Path) -> None:
    objects = [slice_of("n3", device("gpu-0")), node_of("n3")]
    result = run(
        "--slices",
        fleet(tmp_path),
        "--slices",
        written(tmp_path, "more", *objects),
        "--without",
        "n3",
    )
    assert result.exit_code == 0
    assert "without n3: 0 pods can move, 0 cannot" in result.stdout

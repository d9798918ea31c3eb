"""What is known of machines besides devices: stated by hand, taken of a recorded Node, or unknown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.simulate.test_cli import class_of, device, slice_of, template
from tests.simulate.test_what_is_there import base, node_of, pods, run, written

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]
SHAPE = "gpu.nvidia.com/gpu:8"


def asking(folder: Path, **spec: Any) -> str:
    """Two pods of 100 CPUs each, for one GPU of NVIDIA each."""
    container = {"name": "c", "image": "example", "resources": {"requests": {"cpu": "100"}}}
    made = template(deviceClassName="gpu.nvidia.com")
    pods(folder, containers=[container], **spec)
    text = json.loads((folder / "pods.json").read_text("utf-8"))
    return written(folder, "asking", made, *text["items"][1:])


def test_what_a_shape_does_not_state_is_part_of_the_verdict(tmp_path: Path) -> None:
    given = asking(tmp_path, nodeSelector={"node.kubernetes.io/instance-type": "p5.48xlarge"})
    result = run(given, "--shape", SHAPE, "--fit")
    said = "8 replicas fit by devices; cpu, label node.kubernetes.io/instance-type of the nodes are not known"
    assert f"Deployment default/w: {said}" in result.stdout
    placed = run(given, "--shape", SHAPE)
    assert placed.exit_code == 0
    assert "default/w-0: fits by devices on the only node, placed on shape-1; cpu, label " in (
        placed.stdout
    )
    report = json.loads(run(given, "--shape", SHAPE, "--output-format", "json").stdout)
    assert report["pods"][0]["answer"] == "fits"
    assert report["pods"][0]["notKnown"] == ["cpu", "label node.kubernetes.io/instance-type"]


def test_a_shape_names_what_selectors_read_and_it_does_not_say(tmp_path: Path) -> None:
    said = "--shape does not say, so that selectors on it fail"
    assert said not in run(asking(tmp_path), "--shape", SHAPE).stdout
    label = {"example.com/architecture": "Hopper"}  # is no attribute
    assert said not in run(asking(tmp_path, nodeSelector=label), "--shape", SHAPE).stdout
    cel = {"expression": 'device.attributes["gpu.nvidia.com"].architecture == "Hopper"'}
    made = template(deviceClassName="gpu.nvidia.com", selectors=[{"cel": cel}])
    pods(tmp_path)
    text = json.loads((tmp_path / "pods.json").read_text("utf-8"))
    given = written(tmp_path, "selecting", made, *text["items"][1:])
    assert f"{said}: architecture\n" in run(given, "--shape", SHAPE).stdout


@pytest.mark.parametrize(
    ("words", "selector", "said"),
    [
        ("node.cpu=192", {}, "1 replicas fit\n"),
        ("node.cpu=192,node.label.a/b=c", {"a/b": "d"}, "0 replicas fit\n"),
        ("node.cpu=192,node.label.a/b=c", {"a/b": "c"}, "1 replicas fit\n"),
        (
            "node.cpu=192,node.zone=eu-1",
            {"topology.kubernetes.io/zone": "eu-2"},
            "0 replicas fit\n",
        ),
        (
            "node.cpu=192,node.label.x=y",
            {"a/b": "c"},
            "1 replicas fit by devices; label a/b of the",
        ),
        ("node.cpu=999,node.pods=3", {}, "3 replicas fit\n"),
        ("node.cpu=192,node.taint.gpu=yes:NoSchedule", {}, "0 replicas fit\n"),
    ],
)
def test_machines_by_hand(tmp_path: Path, words: str, selector: Json, said: str) -> None:
    given = asking(tmp_path, nodeSelector=selector)
    assert f"w: {said}" in run(given, "--shape", f"{SHAPE},{words}", "--fit").stdout


def test_a_machine_like_a_recorded_node(tmp_path: Path) -> None:
    node = node_of("n1", cpu="250")
    node["metadata"]["labels"] = {"kubernetes.io/hostname": "n1", "a": "b"}
    slices = written(tmp_path, "fleet", class_of(), slice_of("n1", device("gpu-0")), node)
    given = asking(tmp_path, nodeSelector={"a": "b"})
    words = [given, "--slices", slices, "--shape", f"{SHAPE},node.like=n1"]
    assert "w: 2 replicas fit\n" in run(*words, "--fit").stdout
    assert "w: 6 replicas fit\n" in run(*words, "--fit", "--copies", "2").stdout
    given = asking(tmp_path, nodeSelector={"kubernetes.io/hostname": "n1"})
    assert "w: 0 replicas fit\n" in run(given, *words[1:], "--fit").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("node.like=n9", "no Node n9 is recorded"),
        ("node.cpu=many", "--shape: cpu=many: "),
        ("node.cpu", "expected node.NAME=VALUE, not node.cpu"),
        ("node.taint.a=b:Never", "expected VALUE:EFFECT, EFFECT of NoSchedule"),
    ],
)
def test_machines_that_cannot_be_read(tmp_path: Path, words: str, said: str) -> None:
    result = run(asking(tmp_path), "--slices", base(tmp_path), "--shape", f"{SHAPE},{words}")
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_node_of_slices_alone(tmp_path: Path) -> None:
    slices = written(tmp_path, "fleet", class_of(), slice_of("n1", device("gpu-0")))
    container = {"name": "c", "image": "example", "resources": {"requests": {"memory": "1Ti"}}}
    given = pods(tmp_path, containers=[container])
    assert "placed on n1; memory of the node is not known" in run(given, "--slices", slices).stdout


def test_what_a_pod_uses_and_is_not_considered_stands_in_its_answer(tmp_path: Path) -> None:
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"a": "b"}}}
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    volumes = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    given = pods(tmp_path, affinity=affinity, volumes=volumes, priorityClassName="high")
    said = json.loads((tmp_path / "pods.json").read_text("utf-8"))
    metadata = said["items"][1]["spec"]["template"]["metadata"]
    metadata["annotations"] = {"kueue.x-k8s.io/podset-required-topology": "rack"}
    metadata["labels"]["kueue.x-k8s.io/pod-group-name"] = "g"
    given = written(tmp_path, "pods", *said["items"])
    parts = "affinity between pods, volumes, priority and preemption, the gang that it belongs to, Kueue's topology"
    line = f"  not considered, though it uses it: {parts}"
    lines = run(given, "--slices", base(tmp_path)).stdout.splitlines()
    assert lines.count(line) == 2  # the one that fits and the one that does not
    report = run(given, "--slices", base(tmp_path), "--output-format", "json").stdout
    assert json.loads(report)["pods"][0]["notConsidered"] == parts.split(", ")
    plain = run(pods(tmp_path), "--slices", base(tmp_path))
    assert "though it uses it" not in plain.stdout

"""Questions of capacity: copies of nodes, mixes, totals, and output that stays readable."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.simulate.test_cli import class_of, device, slice_of, template, workload
from tests.simulate.test_what_is_there import base, node_of, run, written

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]


def named(name: str, replicas: int) -> Json:
    made = workload("Deployment", replicas)
    made["metadata"]["name"] = name
    return made


def test_copies_of_a_recorded_node(tmp_path: Path) -> None:
    given = written(tmp_path, "pods", template(), named("w", 4))
    result = run(given, "--slices", base(tmp_path), "--copies", "n1=3")
    assert result.exit_code == 0
    placed = {line.rpartition(" ")[2] for line in result.stdout.splitlines() if "placed on" in line}
    assert placed == {"n1", "n1-copy-1", "n1-copy-2", "n1-copy-3"}


def test_copies_of_what_is_added(tmp_path: Path) -> None:
    given = written(tmp_path, "pods", template(), named("w", 1))
    extra = written(
        tmp_path, "extra", slice_of("big", device("gpu-0"), device("gpu-1")), node_of("big")
    )
    words = [given, "--slices", base(tmp_path), "--what-if", extra, "--copies", "2", "--fit"]
    assert "Deployment default/w: 7 replicas fit" in run(*words).stdout


@pytest.mark.parametrize(
    ("copies", "said"),
    [
        ("n9=2", "no Node and no ResourceSlice of node n9"),
        ("n1=x", "expected N or NODE=N"),
        ("2", "no node in --what-if or --shape"),
    ],
)
def test_copies_that_cannot_be_made(tmp_path: Path, copies: str, said: str) -> None:
    given = written(tmp_path, "pods", template(), named("w", 1))
    result = run(given, "--slices", base(tmp_path), "--copies", copies)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_mix(tmp_path: Path) -> None:
    given = written(tmp_path, "pods", template(), named("a", 1), named("b", 1))
    words = [given, "--slices", base(tmp_path), "--copies", "n1=4", "--fit", "--given"]
    result = run(*words, "b=2")
    assert "Deployment default/a: 3 replicas fit" in result.stdout
    assert "Deployment default/b" not in result.stdout
    for text, said in (
        ("b=6", "only 5 of them fit"),
        ("c=1", "expected the name of one workload of: Deployment default/a, Deployment default/b"),
        ("b", "expected NAME=N"),
    ):
        rejected = run(*words, text)
        assert rejected.exit_code == 2
        assert said in rejected.stderr


def test_many_pods_are_a_few_lines(tmp_path: Path) -> None:
    given = written(tmp_path, "pods", template(), named("w", 1000))
    words = [given, "--slices", base(tmp_path), "--copies", "n1=499"]
    result = run(*words)
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert len(lines) < 30
    assert "497 more pods, default/w-3 to default/w-499: fit, placed on 497 nodes" in lines
    assert "total: 1,000 pods: 500 fit, 500 never start" in lines
    assert "total: 500 x a: 0 used before, 500 used now, 0 free; most free on one node 0" in lines
    assert len(run(*words, "--verbose").stdout.splitlines()) > 1500


def test_totals_count_by_model_node_and_root(tmp_path: Path) -> None:
    def gpu(name: str, root: str) -> Json:
        made = device(name)
        made["attributes"]["resource.kubernetes.io/pcieRoot"] = {"string": root}
        return made

    devices = [gpu(f"gpu-{i}", f"r{i // 2}") for i in range(4)]
    other = device("old", attributes={"model": {"string": "b"}})
    slices = written(tmp_path, "base", class_of(), slice_of("n1", *devices, other), node_of("n1"))
    given = written(tmp_path, "pods", template(), named("w", 1))
    report = json.loads(run(given, "--slices", slices, "--output-format", "json").stdout)
    assert report["totals"]["pods"] == {"fits": 1}
    a, b = report["totals"]["devices"]
    assert (a["model"], a["total"], a["usedNow"], a["free"]) == ("a", 4, 1, 3)
    assert (a["mostFreeOnOneNode"], a["mostFreeOnOnePCIeRoot"]) == (3, 2)
    assert (b["model"], b["free"], b["mostFreeOnOnePCIeRoot"]) == ("b", 1, None)


def test_partitions_that_others_block_are_not_free(tmp_path: Path) -> None:
    needs = [{"counterSet": "g", "counters": {"slices": {"value": "4"}}}]
    parts = slice_of("n1", *(device(f"mig-{i}", consumesCounters=needs) for i in range(3)), count=2)
    shared = slice_of(
        "n1", count=2, sharedCounters=[{"name": "g", "counters": {"slices": {"value": "7"}}}]
    )
    del shared["spec"]["devices"]
    shared["metadata"]["name"] = "counters"
    slices = written(tmp_path, "base", class_of(), parts, shared, node_of("n1"))
    given = written(tmp_path, "pods", template(), named("w", 1))
    report = json.loads(run(given, "--slices", slices, "--output-format", "json").stdout)
    (row,) = report["totals"]["devices"]
    assert (row["total"], row["usedNow"], row["free"]) == (1, 1, 0)
    assert row["stillFits"] == {"partition": 0}


def test_a_few_pods_have_no_totals(tmp_path: Path) -> None:
    given = written(tmp_path, "pods", template(), named("w", 1))
    assert "total" not in run(given, "--slices", base(tmp_path)).stdout


# Shapes

H100 = "gpu.nvidia.com/gpu:8,productName=NVIDIA H100 80GB HBM3,memory=80Gi,pcieRoot=/2"


def pair(folder: Path, count: int = 2, model: str = "NVIDIA H100 80GB HBM3") -> str:
    made = template(
        deviceClassName="gpu.nvidia.com",
        count=count,
        selectors=[
            {"cel": {"expression": f'device.attributes["gpu.nvidia.com"].productName == "{model}"'}}
        ],
    )
    made["spec"]["spec"]["devices"]["constraints"] = [
        {"matchAttribute": "resource.kubernetes.io/pcieRoot"}
    ]
    return written(folder, "pods", made, named("w", 1))


def test_a_shape_is_a_node_by_its_drivers_schema(tmp_path: Path) -> None:
    result = run(pair(tmp_path), "--shape", H100, "--fit")
    assert "Deployment default/w: 4 replicas fit" in result.stdout
    assert "selectors on it fail" not in result.stdout  # the shape says all that they read
    more = run(pair(tmp_path), "--shape", H100, "--fit", "--copies", "2")
    assert "Deployment default/w: 12 replicas fit" in more.stdout
    assert "0 replicas fit" in run(pair(tmp_path, 3), "--shape", H100, "--fit").stdout
    assert (
        "0 replicas fit" in run(pair(tmp_path, 2, "NVIDIA B200"), "--shape", H100, "--fit").stdout
    )


def test_shapes_go_with_recordings(tmp_path: Path) -> None:
    result = run(pair(tmp_path), "--slices", base(tmp_path), "--shape", H100)
    assert result.exit_code == 0
    assert "placed on shape-1" in result.stdout


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ("gpu.nvidia.com/gpu", "expected DRIVER/TYPE:COUNT"),
        ("gpu.nvidia.com/gpu:0", "COUNT from 1 to 128"),
        ("nope.example.org/gpu:1", "no schema of the driver nope.example.org"),
        ("gpu.nvidia.com/gpus:1", "has no devices of the type gpus; it has gpu"),
        ("gpu.nvidia.com/gpu:1,produktName=x", "did you mean productName?"),
        ("gpu.nvidia.com/gpu:1,architecture=Hoper", "the driver publishes Kepler"),
        ("gpu.nvidia.com/gpu:1,memory=much", "--shape: memory=much"),
        ("gpu.nvidia.com/gpu:1,pcieRoot=/x", "expected /N"),
        ("gpu.nvidia.com/gpu:1,brand", "expected NAME=VALUE"),
    ],
)
def test_shapes_that_the_driver_does_not_have(tmp_path: Path, shape: str, said: str) -> None:
    result = run(pair(tmp_path), "--shape", shape)
    assert result.exit_code == 2
    assert said in result.stderr

"""A cluster before and after a change: drivers, classes, taints and workloads in two columns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from tests.simulate.test_capacity import named
from tests.simulate.test_cli import DRIVER, class_of, device, slice_of, template
from tests.simulate.test_drains import claim, fleet, running
from tests.simulate.test_what_is_there import node_of, run, written

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]


def compared(*words: str) -> tuple[int, Json, str]:
    """The comparison as JSON and as a page; the text must say as much."""
    result = run(*words, "--output-format", "json")
    page = run(*words, "--output-format", "html").stdout
    return result.exit_code, json.loads(result.stdout), page


def lost(report: Json) -> dict[str, str]:
    return {one["claim"]: one["reason"] for one in report["comparison"]["claims"]}


def selecting(expression: str) -> Json:
    made = class_of()
    made["spec"]["selectors"] = [{"cel": {"expression": expression}}]
    return made


def test_the_next_version_of_a_driver(tmp_path: Path) -> None:
    """Other slices of a pool take the place of those that are there; only claims on them are asked again."""
    model = f"device.attributes['{DRIVER}'].model == 'a'"
    objects = json.loads((tmp_path / fleet(tmp_path)).read_text("utf-8"))["items"]
    objects = [selecting(model) if one["kind"] == "DeviceClass" else one for one in objects]
    given = written(tmp_path, "fleet", *objects)
    renamed = device("gpu-0")
    renamed["attributes"] = {"modelName": {"string": "a"}}
    following = written(tmp_path, "next", slice_of("n1", renamed, device("gpu-1")))
    words = ["--slices", given, "--what-if", following]
    code, report, page = compared(*words)
    assert code == 1
    assert set(lost(report)) == {"default/a-gpu-x"}
    assert "no such key: model" in lost(report)["default/a-gpu-x"]
    (row,) = report["comparison"]["claims"]
    assert row["pods"] == ["default/a"]
    assert row["devices"] == [f"{DRIVER}/n1/gpu-0"]
    assert report["comparison"]["replaced"] == [f"1 x ResourceSlice of {DRIVER}"]
    said = "1 running claim would not match again"
    assert said in run(*words).stdout
    assert "<td>claim default/a-gpu-x of default/a</td><td>matches</td><td>no match: " in page
    # The same devices as before cost nobody anything.
    same = written(tmp_path, "same", slice_of("n1", device("gpu-0"), device("gpu-1")))
    result = run("--slices", given, "--what-if", same)
    assert result.exit_code == 0
    assert "all running claims would match again" in result.stdout


def test_a_device_that_goes(tmp_path: Path) -> None:
    following = written(tmp_path, "next", slice_of("n1", device("gpu-0")))
    _, report, _ = compared("--slices", fleet(tmp_path), "--what-if", following)
    assert lost(report) == {"default/b-gpu-x": f"no slice publishes {DRIVER}/n1/gpu-1 any more"}


def test_another_selector_costs_running_claims_and_new_pods(tmp_path: Path) -> None:
    pods = written(tmp_path, "pods", template(), named("w", 3))
    other = written(tmp_path, "class", selecting("device.driver == 'other'"))
    code, report, _ = compared(pods, "--slices", fleet(tmp_path), "--what-if", other)
    assert code == 1
    assert set(lost(report)) == {"default/a-gpu-x", "default/b-gpu-x", "default/c-gpu-x"}
    stages = report["comparison"]["claims"][0]["requests"][0]["stages"]
    assert [stage["stage"] for stage in stages] == ["class"]
    rows = {row["pod"]: (row["before"], row["answer"]) for row in report["comparison"]["pods"]}
    assert rows["default/w-0"] == ("n2", "never")


def test_a_selector_that_the_server_rejects_is_said_to_be(tmp_path: Path) -> None:
    other = written(tmp_path, "class", selecting("device.driver =="))
    result = run("--slices", fleet(tmp_path), "--what-if", other)
    assert result.exit_code == 1
    assert "rejected: DeviceClass gpu: " in result.stdout


def test_a_taint(tmp_path: Path) -> None:
    rule = {
        "apiVersion": "resource.k8s.io/v1beta2",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "broken"},
        "spec": {
            "deviceSelector": {"driver": DRIVER, "pool": "n1", "device": "gpu-0"},
            "taint": {"key": "broken", "effect": "NoExecute"},
        },
    }
    words = ["--slices", fleet(tmp_path), "--what-if", written(tmp_path, "rule", rule)]
    words += ["--kube-version", "1.37", "--feature-gates", "DRADeviceTaintRules=true"]
    code, report, _ = compared(*words)
    assert code == 1
    assert set(lost(report)) == {"default/a-gpu-x"}
    assert "broken:NoExecute" in run(*words).stdout


def test_more_replicas(tmp_path: Path) -> None:
    pods = written(tmp_path, "pods", template(), named("w", 1))
    more = written(tmp_path, "more", named("w", 3))
    code, report, _ = compared(pods, "--slices", fleet(tmp_path), "--what-if", more)
    assert code == 1
    rows = [(row["pod"], row["before"], row["answer"]) for row in report["comparison"]["pods"]]
    assert rows[0] == ("default/w-0", "n2", "fits")
    assert rows[1][1:] == ("not there", "never")


def test_a_workload_of_a_cluster_may_be_changed(tmp_path: Path) -> None:
    """As `kubectl get` gives it, with a UID and a status."""
    pods = written(tmp_path, "pods", template(), named("w", 1))
    other = named("w", 5)
    other["metadata"]["uid"] = "u"
    other["status"] = {"replicas": 1}
    lone = running("x", "n2") | {"metadata": {"name": "x", "uid": "x"}}
    del lone["spec"]["nodeName"], lone["status"]
    result = run(
        pods, "--slices", fleet(tmp_path), "--what-if", written(tmp_path, "o", other, lone)
    )
    rows = [line.split() for line in result.stdout.splitlines()]
    assert [
        "Deployment",
        "default/w,",
        "pods",
        "that",
        "start",
        "1",
        "of",
        "1",
        "1",
        "of",
        "5",
    ] in rows
    assert ["Pod", "default/x,", "pods", "that", "start", "not", "there", "0", "of", "1"] in rows


def test_nodes_to_buy_have_both_columns(tmp_path: Path) -> None:
    pods = written(tmp_path, "pods", template(), named("w", 1))
    extra = written(tmp_path, "extra", slice_of("n3", device("gpu-0")), node_of("n3"))
    words = [pods, "--slices", fleet(tmp_path), "--what-if", extra, "--copies", "2", "--fit"]
    lines = [line.split() for line in run(*words).stdout.splitlines()]
    assert ["Deployment", "default/w,", "replicas", "that", "fit", "1", "4"] in lines
    assert ["free", "a", "1", "of", "4", "4", "of", "7"] in lines


def test_what_is_given_may_fit_after_the_change_only(tmp_path: Path) -> None:
    pods = written(tmp_path, "pods", template(), named("a", 1), named("b", 1))
    words = [pods, "--slices", fleet(tmp_path), "--copies", "n1=2", "--fit", "--given", "b=2"]
    result = run(*words)
    assert result.exit_code == 0
    assert not result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    # One GPU is free, and four more come.
    assert ["Deployment", "default/a,", "replicas", "that", "fit", "not", "there", "3"] in rows


def test_many_pods_are_a_row_of_their_workload(tmp_path: Path) -> None:
    pods = written(tmp_path, "pods", template(), named("w", 200))
    words = [pods, "--slices", fleet(tmp_path), "--copies", "n2=60"]
    said = "Deployment default/w, pods that start"
    (row,) = (line for line in run(*words).stdout.splitlines() if said in line)
    assert row.split()[-6:] == ["1", "of", "200", "121", "of", "200"]


def test_a_version_of_the_schema(tmp_path: Path) -> None:
    """v25.8 of the driver has no pciBusID yet, so that a claim that selects by it would not match."""
    name = "gpu.nvidia.com"
    one: Json = {
        "name": "gpu-0",
        "attributes": {
            "type": {"string": "gpu"},
            "resource.kubernetes.io/pciBusID": {"string": "0000:19:00.0"},
        },
    }
    slices = slice_of("n1", one, driver=name)
    held = claim("a", "n1", "gpu-0")
    held["status"]["allocation"]["devices"]["results"][0]["driver"] = name
    bus = "device.attributes['resource.kubernetes.io'].pciBusID.startsWith('0000')"
    given = written(tmp_path, "f", selecting(bus), slices, held, running("a", "n1"), node_of("n1"))
    code, report, _ = compared("--slices", given, "--what-if", f"{name}@v25.8")
    assert code == 1
    assert "pciBusID" in lost(report)["default/a-gpu-x"]
    notes = [note["text"] for note in report["notes"] if note["subject"] == f"{name}@v25.8"]
    assert notes == [
        "its devices lose resource.kubernetes.io/pciBusID; what that version adds is not known"
    ]
    assert compared("--slices", given, "--what-if", f"{name}@v25.12")[0] == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("gpu.nvidia.com@v99", "v99"),
        ("nobody.example.com@v1", "nobody.example.com@v1: "),
        ("gpu.nvidia.com@v25.8", "no slice of gpu.nvidia.com is recorded"),
        ("nothing.yaml", "no such file or directory: nothing.yaml"),
    ],
)
def test_changes_that_cannot_be_read(tmp_path: Path, given: str, said: str) -> None:
    result = run("--slices", fleet(tmp_path), "--what-if", given)
    assert result.exit_code == 2
    assert said in result.stderr


def test_the_comparison_is_in_the_schema_of_the_report(tmp_path: Path) -> None:
    from pathlib import Path as Folder

    schema = json.loads(Folder("schemas/simulate.schema.json").read_text("utf-8"))
    following = written(tmp_path, "next", slice_of("n1", device("gpu-0")))
    _, report, _ = compared("--slices", fleet(tmp_path), "--what-if", following, "--without", "n2")
    jsonschema.validate(report, schema)
    assert report["comparison"]["without"] == ["n2"]

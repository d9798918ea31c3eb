"""What simulate takes the input for: nodes, recordings that meet, controllers, the kubelet, trouble."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of
from dradsl.cli.record import command as record
from dradsl.cli.simulate import command as simulate
from tests.simulate.test_cli import DRIVER, class_of, device, slice_of, template, workload

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]


def node_of(name: str, **allocatable: str) -> Json:
    given = {"cpu": "8", "memory": "32Gi", "pods": "110", **allocatable}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": given},
    }


def written(folder: Path, name: str, *objects: Json) -> str:
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"kind": "List", "items": list(objects)}), "utf-8")
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(simulate, [*words, "--kube-version", "1.36"])


def base(folder: Path, *more: Json) -> str:
    one = slice_of("n1", device("gpu-0"))
    return written(folder, "base", class_of(), one, node_of("n1"), *more)


def pods(folder: Path, *more: Json, **spec: Any) -> str:
    return written(folder, "pods", template(), workload("Deployment", 2, **spec), *more)


def held(name: str, given: str, **status: Any) -> Json:
    result = {"request": "gpu", "driver": DRIVER, "pool": "n1", "device": given}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "prod", "uid": name},
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]}},
        "status": {
            "allocation": {"devices": {"results": [result]}},
            "reservedFor": [{"resource": "pods", "name": "p", "uid": "1"}],
            **status,
        },
    }


# Nodes


@pytest.mark.parametrize("how", ["--what-if", "manifest"])
def test_slices_that_are_added_bring_their_node(tmp_path: Path, how: str) -> None:
    extra = written(tmp_path, "extra", slice_of("n2", device("gpu-0")))
    more = [how, extra] if how == "--what-if" else [extra]
    result = run(pods(tmp_path), "--slices", base(tmp_path), *more)
    assert result.exit_code == 0
    assert "assumed: node n2: derived from added slices" in result.stdout
    assert "placed on n2" in result.stdout


def test_slices_of_a_node_that_was_not_recorded_are_said_to_be_left_out(tmp_path: Path) -> None:
    extra = written(tmp_path, "extra", slice_of("n2", device("gpu-0")))
    result = run(pods(tmp_path), "--slices", base(tmp_path), "--slices", extra)
    assert result.exit_code == 1
    assert "ignored: node n2: no Node object is recorded" in result.stdout


def test_an_added_node_leaves_those_that_only_slices_name(tmp_path: Path) -> None:
    slices = written(tmp_path, "slices", class_of(), slice_of("n1", device("gpu-0")))
    extra = written(tmp_path, "extra", node_of("n2"), slice_of("n2", device("gpu-0")))
    result = run(pods(tmp_path), "--slices", slices, "--what-if", extra)
    assert result.exit_code == 0
    assert "2 nodes, 1 of them from Node objects" in result.stdout


# Recordings that meet


def recorded(folder: Path, name: str, *words: str) -> str:
    given = written(folder, name, class_of(), slice_of(name, device("gpu-0")), node_of(name))
    target = str(folder / f"{name}-recorded.json")
    result = CliRunner().invoke(record, [given, "-o", target, *words])
    assert result.exit_code == 0
    assert "1 node, 1 slice, 1 class; replaced: names of nodes, UUIDs" in result.stderr
    return target


def test_two_recordings_of_one_name_are_rejected(tmp_path: Path) -> None:
    east, west = recorded(tmp_path, "east"), recorded(tmp_path, "west")
    result = run(pods(tmp_path), "--slices", east, "--slices", west)
    assert result.exit_code == 2
    assert "two machines of one name" in result.stderr
    assert "--prefix" in result.stderr
    other = run(pods(tmp_path), "--slices", east, "--what-if", west)
    assert "replaced: 1 x DeviceClass, 1 x Node, 1 x ResourceSlice of " in other.stdout


def test_recordings_with_prefixes_go_together(tmp_path: Path) -> None:
    east = recorded(tmp_path, "east", "--prefix", "east")
    west = recorded(tmp_path, "west", "--prefix", "west")
    result = run(pods(tmp_path), "--slices", east, "--what-if", west)
    assert result.exit_code == 0
    assert "placed on east-node-0001" in result.stdout
    assert "placed on west-node-0001" in result.stdout


def test_one_dump_in_many_files_is_no_quarrel(tmp_path: Path) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    for number in range(2):
        one = slice_of("n1", device(f"gpu-{number}"), count=2)
        one["metadata"]["name"] = f"s{number}"
        written(folder, f"slice-{number}", one)
    written(folder, "rest", class_of(), node_of("n1"))
    assert run(pods(tmp_path), "--slices", str(folder)).exit_code == 0


# Controllers and the kubelet


def test_what_is_assumed_of_several_objects_is_said_once(tmp_path: Path) -> None:
    sets = [workload("DaemonSet") for _ in range(5)]
    for number, each in enumerate(sets):
        each["metadata"]["name"] = f"w{number}"
    given = written(tmp_path, "ds", template(), *sets)
    lines = run(given, "--slices", base(tmp_path)).stdout.splitlines()
    (line,) = [each for each in lines if "one pod for each of the nodes" in each]
    assert line.startswith("assumed: DaemonSet default/w0, DaemonSet default/w1, DaemonSet ")
    assert " and 2 more: one pod" in line


def test_a_daemon_set_is_one_pod_for_each_node_that_it_admits(tmp_path: Path) -> None:
    tainted = node_of("n3") | {"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}
    cordoned = node_of("n2") | {"spec": {"unschedulable": True}}
    slices = [slice_of(f"n{i}", device("gpu-0")) for i in (2, 3)]
    given = written(tmp_path, "ds", template(), workload("DaemonSet"))
    result = run(given, "--slices", base(tmp_path, tainted, cordoned, *slices), "--replicas", "3")
    assert result.exit_code == 0
    assert "one pod for each of the nodes that it admits: 2 of 3" in result.stdout
    placed = [line for line in result.stdout.splitlines() if line.startswith("pod ")]
    assert placed == [
        "pod default/w-n1: fits on its node, placed on n1",
        "pod default/w-n2: fits on its node, placed on n2",
    ]


def test_a_pod_of_a_daemon_set_takes_no_other_node(tmp_path: Path) -> None:
    given = written(tmp_path, "ds", template(count=2), workload("DaemonSet"))
    two = slice_of("n2", device("gpu-0"), device("gpu-1"))
    result = run(given, "--slices", base(tmp_path, node_of("n2"), two))
    assert result.exit_code == 1
    assert "pod default/w-n1: does not fit on its node" in result.stdout
    assert "placed on n2" in result.stdout
    fit = run(given, "--slices", base(tmp_path, node_of("n2"), two), "--fit")
    assert "0 replicas fit" in fit.stdout


def test_the_template_of_a_compute_domain_is_there(tmp_path: Path) -> None:
    domain = {
        "apiVersion": "resource.nvidia.com/v1beta1",
        "kind": "ComputeDomain",
        "metadata": {"name": "imex"},
        "spec": {"numNodes": 1, "channel": {"resourceClaimTemplate": {"name": "t"}}},
    }
    channel = slice_of(
        "n1", {"name": "channel-0", "attributes": {"type": {"string": "channel"}, "id": {"int": 0}}}
    )
    channel["spec"]["driver"] = "compute-domain.nvidia.com"
    channel["metadata"]["name"] = "channels"
    pod = written(tmp_path, "pods", domain, workload())
    result = run(pod, "--slices", base(tmp_path, channel))
    assert result.exit_code == 0
    assert "taken as the controller of ComputeDomain imex makes it" in result.stdout
    assert "channel: compute-domain.nvidia.com/n1/channel-0" in result.stdout


@pytest.mark.parametrize(("request_name", "code"), [("gpu", 0), ("nope", 1)])
def test_a_container_that_names_no_request_never_starts(
    tmp_path: Path, request_name: str, code: int
) -> None:
    uses = [{"name": "gpu", "request": request_name}]
    container = {"name": "c", "image": "x", "resources": {"claims": uses}}
    given = written(tmp_path, "pods", template(), workload(containers=[container]))
    result = run(given, "--slices", base(tmp_path))
    assert result.exit_code == code
    assert ('has no request "nope" (it has gpu)' in result.stdout) is bool(code)
    report = json.loads(run(given, "--slices", base(tmp_path), "--output-format", "json").stdout)
    assert report["answer"] == ("never" if code else "fits")
    assert ("neverStarts" in report["pods"][0]) is bool(code)


def test_a_gang_is_named_as_not_considered(tmp_path: Path) -> None:
    group = {
        "apiVersion": "scheduling.k8s.io/v1alpha2",
        "kind": "PodGroup",
        "metadata": {"name": "pg"},
        "spec": {"schedulingPolicy": {"gang": {"minCount": 3}}},
    }
    result = run(pods(tmp_path, group), "--slices", base(tmp_path))
    assert "ignored: PodGroup pg: its pods are placed one by one" in result.stdout
    assert ", gangs," in result.stdout


# Trouble


def test_devices_that_are_ill_gone_or_given_twice_are_named(tmp_path: Path) -> None:
    ill = held(
        "ill",
        "gpu-0",
        devices=[
            {
                "driver": DRIVER,
                "pool": "n1",
                "device": "gpu-0",
                "conditions": [{"type": "Ready", "status": "False", "reason": "XID79"}],
            }
        ],
    )
    statuses = [
        {
            "name": "claim:gpu",
            "resources": [
                {"resourceID": "gpu-1", "health": "Unhealthy"},
                {"resourceID": "gpu-2", "health": "Healthy"},
            ],
        }
    ]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "prod"},
        "spec": {"nodeName": "n1", "containers": [{"name": "c"}]},
        "status": {"containerStatuses": [{"name": "c", "allocatedResourcesStatus": statuses}]},
    }
    result = run(pods(tmp_path), "--slices", base(tmp_path, ill, held("gone", "gpu-9"), pod))
    notes = [line for line in result.stdout.splitlines() if line.startswith(("unh", "contra"))]
    assert notes == [
        f"unhealthy: ResourceClaim prod/ill: {DRIVER}/n1/gpu-0 is not ready (XID79); "
        "the scheduler does not look at this",
        "unhealthy: Pod prod/p: claim:gpu: gpu-1 is unhealthy",
        f"contradiction: ResourceClaim prod/gone: holds {DRIVER}/n1/gpu-9, which no slice publishes any more",
    ]


def test_a_device_of_an_incomplete_pool_may_be_there(tmp_path: Path) -> None:
    part = slice_of("n1", device("gpu-0"), count=2)
    given = written(tmp_path, "base", class_of(), part, node_of("n1"), held("c", "gpu-9"))
    assert "contradiction" not in run(pods(tmp_path), "--slices", given).stdout


@pytest.mark.parametrize("amount", ["0", "2"])
def test_a_device_plugin_beside_slices_is_named(tmp_path: Path, amount: str) -> None:
    one = slice_of("n1", device("gpu-0"))
    one["spec"]["driver"] = "gpu.nvidia.com"
    node = node_of("n1", **{"nvidia.com/gpu": amount})
    given = written(tmp_path, "base", class_of(), one, node)
    out = run(pods(tmp_path), "--slices", given).stdout
    said = "contradiction: node n1: offers nvidia.com/gpu by a device plugin"
    assert (said in out) is (amount == "2")


# Words


def test_nodes_that_read_alike_stand_together(tmp_path: Path) -> None:
    two = [slice_of("n2", device("gpu-0")), node_of("n2"), held("busy", "gpu-0")]
    given = written(
        tmp_path,
        "pods",
        template(
            selectors=[{"cel": {"expression": f"device.attributes['{DRIVER}'].model == 'b'"}}]
        ),
        workload(),
    )
    result = run(given, "--slices", base(tmp_path, *two))
    assert "  2 nodes (n1, n2): cannot allocate all claims" in result.stdout


def test_holders_on_all_nodes_are_named(tmp_path: Path) -> None:
    two = [slice_of("n2", device("gpu-0")), node_of("n2")]
    result = run(pods(tmp_path), "--slices", base(tmp_path, *two), "--replicas", "3")
    assert "in use: 1 fail: held by default/w-0-gpu, default/w-1-gpu" in result.stdout


@pytest.mark.parametrize(
    ("name", "namespace", "hint"),
    [
        ("t", "other", "one of this name is in namespace other"),
        ("tt", "default", 'did you mean "tt"?'),
        ("unlike", "other", "is not in the input\n"),
    ],
)
def test_a_missing_template_is_looked_for(
    tmp_path: Path, name: str, namespace: str, hint: str
) -> None:
    there = template()
    there["metadata"] = {"name": name, "namespace": namespace}
    given = written(tmp_path, "pods", there, workload())
    result = run(given, "--slices", base(tmp_path))
    assert "ResourceClaimTemplate default/t is not in the input" in result.stdout
    assert hint in result.stdout


def test_a_manifest_may_say_again_what_is_recorded(tmp_path: Path) -> None:
    again = slice_of("n1", device("gpu-0"), device("gpu-1"))
    other = node_of("n1", cpu="1")
    result = run(pods(tmp_path, again, other), "--slices", base(tmp_path))
    assert result.exit_code == 1
    assert "ignored: ResourceSlice n1-slice: an earlier one has this name" in result.stdout


def test_fields_that_v1_does_not_know_are_named(tmp_path: Path) -> None:
    """Slices of v1beta1 that somebody called v1: their devices are bare, and every selector fails."""
    bare = {"name": "gpu-0", "basic": {"attributes": {"model": {"string": "a"}}}}
    odd = {"name": "gpu-1", "capacity": {"memory": {"value": "1Gi", "valeu": "2Gi"}}}
    slices = slice_of("n1", bare, {**bare, "name": "gpu-2"}, odd)
    told = run("--slices", written(tmp_path, "base", class_of(), slices), pods(tmp_path)).output
    basic = (
        "spec.devices[0].basic: no field of resource.k8s.io/v1, so nothing in it is read; v1beta1 has"
        " it: is apiVersion right?"
    )
    assert told.count("no field of resource.k8s.io/v1") == 2
    assert basic in told
    assert "spec.devices[2].capacity.memory.valeu: no field of" in told

    slices["apiVersion"] = "resource.k8s.io/v1beta1"
    del slices["spec"]["devices"][2]
    words = ("--slices", written(tmp_path, "base", class_of(), slices), pods(tmp_path))
    assert "no field of" not in run(*words).output


@pytest.mark.parametrize("words", ["devices", "devices --by claim", "cel eval true --slices"])
def test_all_who_read_slices_name_them(words: str, tmp_path: Path) -> None:
    slices = slice_of("n1", {"name": "gpu-0", "basic": {"attributes": {}}})
    path = written(tmp_path, "base", slices)
    result = CliRunner().invoke(group_of(_COMMANDS), [*words.split(), path])
    assert "spec.devices[0].basic: no field of resource.k8s.io/v1" in result.stderr
    assert "basic" not in result.stdout

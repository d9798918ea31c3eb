"""`dradsl why` on a cluster that a program plays: pages, rights in one namespace, versions of the API."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.devices import command as devices_command
from dradsl.cli.record import command as record_command
from dradsl.cli.simulate import command as simulate_command
from dradsl.cli.why import command
from tests.why.kubectl import PROGRAM
from tests.why.test_causes import CLASS, CRASHES, daemons, on, plugin, train
from tests.why.test_facts import objects
from tests.why.test_points import REJECTED, claim

if TYPE_CHECKING:
    from pathlib import Path

RESOURCES = {
    "Pod": "pods",
    "Node": "nodes",
    "DeviceClass": "deviceclasses",
    "ResourceSlice": "resourceslices",
    "ResourceClaim": "resourceclaims",
    "ResourceClaimTemplate": "resourceclaimtemplates",
    "Event": "events",
    "DeviceTaintRule": "devicetaintrules",
    "DaemonSet": "daemonsets",
}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "kubectl"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    monkeypatch.setenv("PLAYED", str(tmp_path))
    (tmp_path / "namespace").write_text("")
    (tmp_path / "version.json").write_text(json.dumps({"gitVersion": "v1.36.2"}))
    return tmp_path


def put(folder: Path, given: list[dict[str, Any]]) -> None:
    """Store objects as lists of the API; items of such lists have no kind of their own."""
    lists: dict[str, dict[str, Any]] = {}
    found: dict[str, list[Any]] = defaultdict(list)
    for one in given:
        resource = RESOURCES[one["kind"]]
        head = {"kind": f"{one['kind']}List", "apiVersion": one.get("apiVersion", "v1")}
        lists[resource] = head
        found[resource].append({k: v for k, v in one.items() if k not in ("kind", "apiVersion")})
    for resource, head in lists.items():
        (folder / f"{resource}.json").write_text(json.dumps({**head, "items": found[resource]}))


def ask(folder: Path, *words: str, of: Any = command) -> Result:
    env = {"DRADSL_KUBECTL": str(folder / "kubectl")}
    return CliRunner().invoke(of, [*words, "--from-cluster"], env=env, catch_exceptions=False)


def calls(folder: Path, resource: str) -> list[str]:
    lines = (folder / "calls").read_text().splitlines()
    return [line.rpartition(" ")[2] for line in lines if f"/{resource}?" in line]


def test_an_answer_of_a_cluster(cluster: Path) -> None:
    put(cluster, objects("r1"))
    result = ask(cluster, "ml/train")
    assert result.exit_code == 1
    assert "fix (tried): n1: write 79Gi instead of 80Gi" in result.stdout
    assert "judged as Kubernetes 1.36" in result.stdout
    assert "release of the control plane" not in result.stdout


def test_lists_are_read_in_pages(cluster: Path) -> None:
    given = objects("r1")
    node = next(one for one in given if one["kind"] == "Node")
    more = [{**node, "metadata": {**node["metadata"], "name": f"m{i}"}} for i in range(1200)]
    put(cluster, [*given, *more])
    result = ask(cluster, "ml/train")
    assert "1202 Node" in result.stdout
    assert calls(cluster, "nodes") == [
        "/api/v1/nodes?limit=500",
        "/api/v1/nodes?limit=500&continue=500",
        "/api/v1/nodes?limit=500&continue=1000",
    ]


def test_only_what_an_answer_needs_is_read_of_other_namespaces(cluster: Path) -> None:
    put(cluster, objects("r1"))
    ask(cluster, "ml/train")
    assert calls(cluster, "pods") == ["/api/v1/pods?limit=500"]
    assert calls(cluster, "events") == ["/api/v1/namespaces/ml/events?limit=500"]


def test_who_may_read_one_namespace_gets_an_answer(cluster: Path) -> None:
    put(cluster, objects("r1"))
    others = ("nodes", "pods ml", "resourceclaims ml", "resourceslices")
    (cluster / "forbidden").write_text("\n".join(others))
    result = ask(cluster, "ml/train")
    assert result.exit_code == 1
    assert "cannot allocate all claims" in result.stdout
    assert "only read in namespace ml: pods, resourceclaims: " in result.stderr
    lines = [line for line in result.stderr.splitlines() if line.startswith("not read: ")]
    (line,) = [line for line in lines if "may not list this" in line]
    assert line.startswith("not read: resourceslices, nodes: ")
    assert "cannot be known: nodes: " in result.stdout
    assert ask(cluster, of=devices_command).exit_code == 2


def test_older_versions_of_the_api_are_read(cluster: Path) -> None:
    given = objects("r1")
    for one in given:
        if one["apiVersion"].startswith("resource.k8s.io/"):
            one["apiVersion"] = "resource.k8s.io/v1beta2"
    put(cluster, given)
    result = ask(cluster, "ml/train")
    assert "write 79Gi instead of 80Gi" in result.stdout
    assert len(calls(cluster, "resourceslices")) == 2


def test_all_that_wait_with_the_same_cause_once(cluster: Path) -> None:
    given = objects("r1")
    pod, claim = (
        next(one for one in given if one["kind"] == kind) for kind in ("Pod", "ResourceClaim")
    )
    for number in range(3):
        name = {"name": f"train-{number}", "namespace": "ml", "uid": f"u{number}"}
        name["creationTimestamp"] = f"2026-11-22T0{number}:00:00Z"
        given.append({**pod, "metadata": name})
    put(cluster, given)
    out = ask(cluster).stdout
    assert "and 3 more: Pod ml/train-0, Pod ml/train-1, Pod ml/train-2" in out
    assert out.count("  why: ") == 1
    assert claim["metadata"]["name"] == "train"


def test_plugins_of_drivers_are_read_in_other_namespaces(cluster: Path) -> None:
    """Their pods have no claims, so that only what is not taken away of such pods shows their trouble."""
    crashing, wants_none = plugin(**CRASHES), daemons(desiredNumberScheduled=0)[0]
    crashing["metadata"]["namespace"] = wants_none["metadata"]["namespace"] = "drivers"
    put(cluster, [on(), CLASS, claim(), train(REJECTED), crashing, wants_none])
    out = ask(cluster, "ml/train").stdout
    assert "Pod drivers/nvidia-dra-driver-gpu-kubelet-plugin-x on n1: container main: Crash" in out
    assert "DaemonSet drivers/nvidia-dra-driver-kubelet-plugin: it makes pods for no node" in out


@pytest.mark.parametrize(
    ("context", "words", "found"),
    [
        ("ml", ("train",), True),
        ("other", ("train",), False),
        ("", ("train",), False),
        ("other", ("train", "-n", "ml"), True),
        ("other", ("ml/train",), True),
        ("ml", ("claim/train",), True),
    ],
)
def test_the_namespace_is_that_of_the_context(
    cluster: Path, context: str, words: tuple[str, ...], found: bool
) -> None:
    put(cluster, objects("r1"))
    (cluster / "namespace").write_text(context)
    result = ask(cluster, *words)
    assert result.exit_code == (1 if found else 2)
    assert ("ml/train" in result.stdout) is found
    if not found:
        assert f"Pod {context or 'default'}/train is not found" in result.stderr


def test_without_a_cluster_there_is_one_line(cluster: Path) -> None:
    said = "The connection to the server localhost:8080 was refused"
    (cluster / "kubectl").write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    result = ask(cluster, "ml/train")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"Error: kubectl cannot reach the cluster: {said}")


_NO = """\
import sys
path = sys.argv[-1]
kind = path.partition("?")[0].rpartition("/")[2]
if kind in ("workloads", "computedomains"):
    sys.exit("Error from server (NotFound): the server could not find the requested resource")
user = 'User "jane" cannot list resource "' + kind + '" in API group "" at the cluster scope'
sys.exit(f"Error from server (Forbidden): {kind} is forbidden: {user}")
"""


@pytest.mark.parametrize(
    ("of", "words"),
    [(devices_command, []), (simulate_command, ["pod.yaml"]), (record_command, ["-o", "all.json"])],
)
def test_who_may_read_nothing_gets_one_line_and_what_to_do(
    cluster: Path, monkeypatch: pytest.MonkeyPatch, of: Any, words: list[str]
) -> None:
    monkeypatch.chdir(cluster)
    (cluster / "kubectl").write_text(f"#!{sys.executable}\n{_NO}")
    (cluster / "pod.yaml").write_text("{apiVersion: v1, kind: Pod, metadata: {name: a}}")
    result = ask(cluster, *words, of=of)
    assert result.exit_code == 2
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert line == (
        f'Error: {cluster}/kubectl get resourceslices: User "jane" may not list this: ask for `get` and '
        "`list`, or read a dump from somebody who has them"
    )


def test_what_cannot_be_read_for_one_reason_is_one_line(cluster: Path) -> None:
    (cluster / "kubectl").write_text(f"#!{sys.executable}\n{_NO}")
    result = ask(cluster, "ml/train")
    lines = [line for line in result.stderr.splitlines() if line.startswith("not read: ")]
    assert len(lines) == 1
    assert lines[0].startswith("not read: pods, resourceclaims, ")
    assert (
        "Error: Pod ml/train is not found; without a name, all that waits is shown" in result.stderr
    )


def test_devices_of_a_cluster_without_any_name_the_next_step(cluster: Path) -> None:
    put(cluster, [one for one in objects("r1") if one["kind"] != "ResourceSlice"])
    (cluster / "resourceslices.json").write_text(
        '{"kind": "ResourceSliceList", "apiVersion": "resource.k8s.io/v1", "items": []}'
    )
    result = ask(cluster, of=devices_command)
    assert result.exit_code == 0
    assert "no ResourceSlice: no DRA driver publishes devices here" in result.stderr

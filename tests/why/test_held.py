"""`dradsl devices` and `kubectl dra`: who holds what, from dumps and through kubectl."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.devices import command as devices_command
from dradsl.cli.kubectl_dra import COMMANDS
from tests.why.test_dumps import DUMPS, ROOT, loaded

if TYPE_CHECKING:
    from pathlib import Path

DRIVER = "gpu.example.com"


def run(command: Any, *words: str) -> Result:
    return CliRunner().invoke(command, [*words, "--kube-version", "1.36"], catch_exceptions=False)


def dump(name: str) -> str:
    return str(DUMPS / f"{name}.json.gz")


def states(path: str, *words: str) -> dict[str, str]:
    result = run(devices_command, path, "--output-format", "json", *words)
    rows = json.loads(result.stdout)["devices"]
    return {f"{row['pool']}/{row['device']}": row["state"] for row in rows}


def test_devices_are_a_table_by_node() -> None:
    out = run(devices_command, dump("in-use")).stdout
    assert (
        "NODE n1\n gpu.example.com/n1: 1 device, 0 free\n  gpu-0   a100   held   ml/infer-1" in out
    )
    assert out.endswith("total a100: 2 held\n")


def test_claims_are_trees() -> None:
    out = run(devices_command, dump("in-use"), "--by", "claim", "-n", "ml").stdout
    assert "ml/train: not allocated\n└─ pod ml/train: Pending, no node\n" in out
    assert (
        "├─ device gpu.example.com/n1/gpu-0 (a100): request gpu\n└─ pod ml/infer-1: Pending on n1"
        in out
    )
    assert out.endswith("3 claims, 2 allocated\n")
    assert (
        run(devices_command, dump("in-use"), "--by", "claim", "-n", "other").stdout
        == "0 claims, 0 allocated\n"
    )


def test_states_of_devices() -> None:
    assert states(dump("in-use")) == {"n1/gpu-0": "held", "n2/gpu-0": "held"}
    assert states(dump("device-gone")) == {"n1/gpu-0": "gone", "n1/gpu-1": "free"}
    assert states(dump("device-gone"), "--free") == {"n1/gpu-1": "free"}
    assert states(dump("in-use"), "--node", "n2") == {"n2/gpu-0": "held"}
    assert states(dump("in-use"), "--driver", "other.example.com") == {}


def test_a_summary_has_the_totals_only() -> None:
    out = run(devices_command, dump("in-use"), "--by", "model").stdout
    assert out == "total a100: 2 held\n"


def written(folder: Path, *objects: dict[str, Any]) -> str:
    path = folder / "dump.json"
    path.write_text(json.dumps({"kind": "List", "items": list(objects)}), "utf-8")
    return str(path)


def slice_of(*devices: dict[str, Any], count: int = 1, **spec: Any) -> dict[str, Any]:
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": count}
    whole = {"driver": DRIVER, "nodeName": "n1", "pool": pool, "devices": list(devices), **spec}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": whole,
    }


def claim(name: str, **result: Any) -> dict[str, Any]:
    whole = {"request": "r", "driver": DRIVER, "pool": "n1", **result}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": "ml"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]}},
        "status": {"allocation": {"devices": {"results": [whole]}}},
    }


def test_a_partition_without_counters_left_is_blocked(tmp_path: Path) -> None:
    needs = [{"counterSet": "gpu-0", "counters": {"slices": {"value": "4"}}}]
    devices = [{"name": f"mig-{i}", "consumesCounters": needs} for i in range(3)]
    one = slice_of(*devices, {"name": "other"})
    shared = slice_of(sharedCounters=[{"name": "gpu-0", "counters": {"slices": {"value": "7"}}}])
    del shared["spec"]["devices"]
    shared["metadata"]["name"] = "counters"
    for each in (one, shared):
        each["spec"]["pool"]["resourceSliceCount"] = 2
    path = written(tmp_path, one, shared, claim("a", device="mig-1"))
    assert states(path) == {
        "n1/mig-0": "blocked",
        "n1/mig-1": "held",
        "n1/mig-2": "blocked",
        "n1/other": "free",
    }
    assert "gpu-0: too little slices left" in run(devices_command, path).stdout


def test_shares_and_admin_access(tmp_path: Path) -> None:
    given = {"device": "a", "consumedCapacity": {"memory": "10Gi"}}
    path = written(
        tmp_path,
        slice_of({"name": "a", "allowMultipleAllocations": True}, {"name": "b"}),
        claim("one", shareID="s1", **given),
        claim("two", shareID="s2", **given),
        claim("admin", device="b", adminAccess=True),
    )
    assert states(path) == {"n1/a": "shared", "n1/b": "free"}
    out = run(devices_command, path).stdout
    assert out.count("share: memory 10Gi") == 2
    assert "admin access" in out
    assert (
        "ml/one: allocated, reserved for no pod"
        in run(devices_command, path, "--by", "claim").stdout
    )


def test_a_pool_that_is_being_updated(tmp_path: Path) -> None:
    assert states(written(tmp_path, slice_of({"name": "a"}, count=2))) == {"n1/a": "incomplete"}


# The plugin


def plugin(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    call = [sys.executable, "-m", "dradsl.cli.kubectl_dra", *words]
    return subprocess.run(call, capture_output=True, text=True, check=False, **more)


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kubectl that has the objects of a dump, and tells what it was called with."""
    folder, trace = tmp_path / "bin", tmp_path / "trace"
    folder.mkdir()
    path = tmp_path / "objects.json"
    path.write_text(json.dumps(loaded("in-use")), "utf-8")
    program = folder / "kubectl"
    empty = '{"kind":"List","items":[]}'
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> {trace}\n'
        f"case \"$*\" in */resourceslices?*) exec cat {path};; esac\necho '{empty}'\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    return trace


def test_the_plugin_asks_the_cluster_by_itself(kubectl: Path, tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: new, namespace: ml}\nspec:\n"
        "  containers: [{name: c, image: x}]\n"
        "  resourceClaims: [{name: gpu, resourceClaimName: train}]\n"
    )
    for words, code, said in (
        (["why", "ml/train"], 1, "step: allocation"),
        (["why"], 1, "Pod ml/train: pending"),
        (["why", "pod.yaml"], 1, "Pod ml/new: not created"),
        (["devices"], 0, "total a100: 2 held"),
        (["devices", "--by", "claim", "-n", "ml"], 0, "3 claims, 2 allocated"),
        (["simulate", "pod.yaml"], 1, "pod ml/new: does not fit on any of 2 nodes"),
    ):
        result = plugin(*words)
        assert result.returncode == code, (words, result.stderr)
        assert said in result.stdout, words
    calls = kubectl.read_text().splitlines()
    assert {line.split()[0] for line in calls} == {"get", "api-resources"}  # neither writes


def test_the_plugin_takes_a_dump_as_well(kubectl: Path) -> None:
    result = plugin("why", "ml/train", dump("in-use"))
    assert "step: allocation" in result.stdout
    assert plugin("lint", "--help").returncode == 0
    assert not kubectl.exists()


def test_the_plugin_has_the_commands_that_look_at_clusters() -> None:
    shown = plugin("--help").stdout
    assert all(f"  {name} " in shown for name in COMMANDS)
    assert "  migrate " not in shown
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert scripts["kubectl-dra"] == "dradsl.cli.kubectl_dra:start"

"""`dradsl record` keeps what a simulation reads, and no more: answers on a recording are those on the dump."""

from __future__ import annotations

import gzip
import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dradsl.allocator.inventory.sanitise import KEPT_KINDS

ROOT = Path(__file__).parents[2]
DUMPS = sorted((ROOT / "tests" / "why" / "dumps").glob("*.json.gz"))
WORDS = ["--kube-version", "1.36", "--feature-gates", "DRADeviceTaintRules=true"]
SECRET = "SECRET-4711"  # noqa: S105 - of no use anywhere
# What is replaced also if names of claims and devices stay: values of taints, and who has reserved a claim, its UID too.
_NAMES = re.compile(
    rf"consumer-\d-of-[a-z0-9-]+|value-\d|(?<==)infer|{SECRET}|(?<=/)(?:consumer-\d-of-[a-z0-9-]+|infer-\d)|dump.json|recorded.json"
    r"|(?<=kubectl delete pod )(?:consumer-\d-of-[a-z0-9-]+|infer-\d)"
    r"|(?<=is reserved for pod ml/)(?:consumer-\d-of-[a-z0-9-]+|train)"
    r"|(?<=reserved for UID )(?:consumer-\d|[0-9a-f-]{36})"
)
KEEP = ["--keep", "nodes,devices,claims"]


def call(*words: str | Path) -> Result:
    name, *rest = (str(word) for word in words)
    command = importlib.import_module(f"dradsl.cli.{name}").command
    return CliRunner().invoke(command, rest, catch_exceptions=False)


def items(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".gz":
        found: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))["items"]
        return found
    raise ValueError(path)


def write(path: Path, objects: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return path


def with_secrets(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The objects, each with more of what no simulation reads."""
    config = [{"opaque": {"driver": "gpu.example.com", "parameters": {"token": SECRET}}}]
    for one in objects:
        kind, spec = one["kind"], one.setdefault("spec", {})
        one["metadata"].setdefault("annotations", {})["note"] = SECRET
        if kind == "Node":
            one["metadata"].setdefault("labels", {})[f"{SECRET}/account"] = SECRET
            spec["taints"] = [
                *(spec.get("taints") or []),
                {"key": "owner", "value": SECRET, "effect": "PreferNoSchedule"},
            ]
        elif kind == "DeviceClass":
            spec["config"] = config
        elif kind == "ResourceClaimTemplate":
            spec["spec"].setdefault("devices", {})["config"] = config
        elif kind == "ResourceClaim":
            spec.setdefault("devices", {})["config"] = config
            allocation = (one.get("status") or {}).get("allocation")
            if allocation:
                one["status"]["devices"] = [{"driver": "d", "data": {"a": SECRET}}]
                allocation.setdefault("devices", {})["config"] = [
                    {"source": "FromClaim", **config[0]}
                ]
    return objects


def alike(value: Any) -> Any:
    """A report of a simulation, whose allocation results repeat the configuration."""
    if isinstance(value, dict):
        return {k: alike(v) for k, v in value.items() if k != "parameters"}
    if isinstance(value, list):
        return [alike(one) for one in value]
    return _NAMES.sub("X", value) if isinstance(value, str) else value


@pytest.mark.parametrize("dump", DUMPS, ids=lambda path: path.name.partition(".")[0])
def test_the_answer_is_that_of_the_dump(dump: Path, tmp_path: Path) -> None:
    objects = with_secrets(items(dump))
    if not any(one["kind"] == "ResourceSlice" for one in objects):
        pytest.skip("nothing to record")
    kept = [one for one in objects if one["kind"] in KEPT_KINDS]
    pods = []
    for one in objects:
        if one["kind"] == "Pod":
            spec = {k: v for k, v in one["spec"].items() if k != "nodeName"}
            metadata = {k: one["metadata"][k] for k in ("name", "namespace")}
            pods.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    whole = write(tmp_path / "dump.json", kept)
    asked = write(tmp_path / "pods.json", pods)
    recorded = tmp_path / "recorded.json"
    result = call("record", whole, asked, *KEEP, "-o", recorded)
    assert result.exit_code == 0, result.output
    assert SECRET not in recorded.read_text()
    if any(one["kind"] == "Node" for one in kept):
        assert "left out: " in result.stderr
        assert f"labels that no selector uses ({SECRET}/account" in result.stderr
    answers = []
    for fleet in (whole, recorded):
        simulated = call("simulate", asked, "--slices", fleet, "--output-format", "json", *WORDS)
        why = call("why", asked, fleet, "--output-format", "json", *WORDS)
        assert simulated.exit_code in (0, 1, 2)
        answers.append(
            [
                (result.exit_code, alike(_json(result)), result.stderr.count("\n"))
                for result in (simulated, why)
            ]
        )
    assert answers[0] == answers[1]


def _json(result: Result) -> Any:
    return json.loads(result.stdout) if result.exit_code < 2 else result.stdout


def _fleet() -> list[dict[str, Any]]:
    labels = {"pool": "a", "zone": "z1", "rack": "r7", "kubernetes.io/os": "linux", "team/x": "y"}
    taints = [
        {"key": "dedicated", "value": "infer", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "owner", "value": "alice", "effect": "NoSchedule"},
    ]
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["z1"]}]}
    return [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": "n1", "labels": labels},
            "spec": {"taints": taints},
        },
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "s"},
            "spec": {
                "driver": "d.example.com",
                "nodeSelector": {"nodeSelectorTerms": [term]},
                "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": "d"}],
            },
        },
    ]


def _pod(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def _workload(**spec: Any) -> dict[str, Any]:
    template = {"template": {"spec": spec}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "w"},
        "spec": template,
    }


def _affinity(key: str) -> dict[str, Any]:
    terms = [{"matchExpressions": [{"key": key, "operator": "Exists"}]}]
    needs = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"nodeAffinity": needs}


_ALWAYS = {"zone", "kubernetes.io/os"}


@pytest.mark.parametrize(
    ("beside", "words", "labels", "values"),
    [
        ([], [], set(), {"present"}),
        ([_pod(nodeSelector={"pool": "a"})], [], {"pool"}, {"present"}),
        ([_workload(nodeSelector={"rack": "r7"})], [], {"rack"}, {"present"}),
        ([_workload(affinity=_affinity("team/x"))], [], {"team/x"}, {"present"}),
        (
            [_pod(tolerations=[{"key": "dedicated", "operator": "Equal", "value": "infer"}])],
            [],
            set(),
            {"present", "infer"},
        ),
        ([_pod(tolerations=[{"key": "dedicated", "value": "alice"}])], [], set(), {"present"}),
        (
            [],
            ["--keep", "labels=team/*", "--keep", "labels=owner"],
            {"team/x"},
            {"present", "alice"},
        ),
        (
            [],
            ["--keep", "labels=*"],
            {"pool", "rack", "team/x"},
            {"present", "infer", "alice"},
        ),
        ([], ["--keep", "labels=po.l"], set(), {"present"}),
    ],
)
def test_labels_and_values_that_something_uses(
    beside: list[dict[str, Any]],
    words: list[str],
    labels: set[str],
    values: set[str],
    tmp_path: Path,
) -> None:
    fleet = write(tmp_path / "fleet.json", [*_fleet(), *beside])
    recorded = tmp_path / "recorded.json"
    result = call("record", fleet, *words, "-o", recorded)
    node, *_ = json.loads(recorded.read_text())["items"]
    assert node["metadata"]["labels"].keys() == labels | _ALWAYS
    assert "labels " + ", ".join(sorted(labels | _ALWAYS)) in result.stderr
    taints = node["spec"]["taints"]
    assert {one["value"] for one in taints if not one["value"].startswith("value-")} == values
    # No value becomes empty: a toleration without a value would then hold for it.
    assert len({one["value"] for one in taints}) == 3
    assert ("values of taints" in result.stderr) == (len(values) < 3)


def test_what_is_said_without_a_file(tmp_path: Path) -> None:
    result = call("record", write(tmp_path / "fleet.json", _fleet()))
    assert json.loads(result.stdout)["kind"] == "List"
    assert result.stderr.startswith("recorded: 1 node, 1 slice, labels ")
    assert "left out: labels that no selector uses (pool, rack, team/x; " in result.stderr

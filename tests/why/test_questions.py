"""`dradsl why` on questions that are asked often: which change is offered first, and what is not said."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from dradsl.cli.why import command
from tests.why.questions import (
    DRIVER,
    Object,
    claim,
    device_class,
    gpu,
    node,
    none_of,
    pod,
    request,
    slice_of,
    template,
    using,
    wanting,
    workload,
)

MODEL = f'device.attributes["{DRIVER}"].model'
CLASS = device_class()
ONE: list[Object] = [node("n1"), CLASS, slice_of("n1", gpu("gpu-0"))]
BOTH = [slice_of(one, gpu("gpu-0"), gpu("gpu-1")) for one in ("n1", "n2")]
TWO: list[Object] = [node("n1"), node("n2"), CLASS, *BOTH]
TAINT = {"key": "dedicated", "value": "train", "effect": "NoSchedule"}
ENTRY = {"name": "gpu", "resourceClaimTemplateName": "one"}
SELECTS = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."


def apart(**spec: Any) -> list[Object]:
    """Two nodes of two pools with a GPU each, one of which is in use, and a pod."""
    nodes = [node("n1", pool="a"), node("n2", pool="b", taints=spec.pop("taints", ()))]
    slices = [slice_of(one, gpu("gpu-0")) for one in ("n1", "n2")]
    said = "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) x."
    waits = wanting("w", request(), said=said, pod_spec=spec)
    return [*nodes, CLASS, *slices, *waits, *using("a", "n1", "gpu-0")]


CASES: dict[str, tuple[list[Object], str, str]] = {
    "least priority, newest, not of the system": (
        [*TWO, *wanting("w", request(), said=none_of(2), pod_spec={"priority": 1000}),
         *using("sys", "n1", "gpu-0", space="kube-system", priority=-5), *using("mid", "n1", "gpu-1", priority=10),
         *using("old", "n2", "gpu-0", made="2026-11-01T00:00:00Z"), *using("new", "n2", "gpu-1", made="2026-11-19T00:00:00Z")],
        "are in use", "n2: end pod ml/new: gpu-1 is free then",
    ),
    "only the system has devices": (
        [*ONE, *wanting("w", request(), said=none_of(1)), *using("sys", "n1", "gpu-0", space="kube-system")],
        "are in use", "",
    ),
    "a taint goes before the end of a pod": (
        apart(taints=[TAINT]), "devices are free on n2, where node taint dedicated=train:NoSchedule is not tolerated",
        "tolerate dedicated=train:NoSchedule (node n2); or n1: end pod ml/a",
    ),
    "other nodes are selected": (
        apart(nodeSelector={"pool": "a"}), "devices are free on n2", "select pool=b instead of a (node n2); or n1: end pod ml/a",
    ),
    "a claim that can be shared": (
        [*ONE, pod("w", ("gpu", "mine", ""), said=none_of(1)), claim("mine", request()),
         claim("theirs", request(), on="n1", has=["gpu-0"], users=["a"]), pod("a", ("gpu", "theirs", ""), on="n1")],
        "are in use", "name claim ml/theirs in the pod, if it may share its devices with ml/a (node n1); or n1: end pod ml/a",
    ),
    "a claim of another namespace": (
        [*ONE, pod("w", ("gpu", "mine", ""), said=none_of(1)), claim("mine", request()), claim("theirs", request()),
         claim("theirs", request(), space="infra", on="n1", has=["gpu-0"], users=["a"]),
         pod("a", ("gpu", "theirs", ""), on="n1", space="infra")],
        "are in use", "n1: end pod infra/a: gpu-0 is free then",
    ),
    "claims on two nodes": (
        [*TWO, pod("w", ("gpu", "left", ""), ("other", "right", ""), said=none_of(2)),
         claim("left", request(), on="n1", has=["gpu-0"], users=["a"]), claim("right", request(), on="n2", has=["gpu-0"], users=["b"]),
         pod("a", ("gpu", "left", ""), on="n1"), pod("b", ("gpu", "right", ""), on="n2")],
        "its claims are allocated on different nodes: ml/left on n1, ml/right on n2", "give the pod a claim of its own with the spec of ml/left",
    ),
    "a label that is misspelt": (
        [node("n1", **{"gpu-pool": "a"}), node("n2"), CLASS, *BOTH, *wanting("w", request(), said=SELECTS, pod_spec={"nodeSelector": {"gpu-poool": "a"}})],
        "no node has the label gpu-poool=a", "select label gpu-pool instead of gpu-poool (node n1)",
    ),
    "a text for a bool": (
        [node("n1"), CLASS, slice_of("n1", gpu("gpu-0", attributes={"rdma": {"bool": True}})),
         *wanting("w", request("gpu", f'device.attributes["{DRIVER}"].rdma == "true"'), said=none_of(1))],
        "they have rdma true", f'write device.attributes["{DRIVER}"].rdma == true instead of',
    ),
    "a unit of bytes": (
        [*ONE, *wanting("w", request("gpu", f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gb")) >= 0'), said=none_of(1))],
        "quantities must match", "write 40G instead of 40Gb in request gpu",
    ),
    "each subrequest has its reason": (
        [*ONE, *using("a", "n1", "gpu-0"), *wanting("w", {"name": "gpu", "firstAvailable": [
            {"name": "big", "deviceClassName": DRIVER, "selectors": [{"cel": {"expression": f'{MODEL} == "h100"'}}]},
            {"name": "small", "deviceClassName": DRIVER}]}, said=none_of(1))],
        'have model "a100"; request gpu/small: the matching devices are in use', "n1: end pod ml/a",
    ),
    "a pod that ends": (
        [*ONE, *wanting("w", request(), said=none_of(1)), *(
            {**one, "metadata": {**one["metadata"], "deletionTimestamp": "2026-11-20T09:00:00Z"}} if one["kind"] == "Pod" else one
            for one in using("a", "n1", "gpu-0"))],
        "are in use", "n1: wait for pod ml/a, which ends already",
    ),
    "a pod of a Job": (
        [*ONE, workload("Job", "train", 1, ENTRY), *wanting("w", request(), said=none_of(1)), *using("t", "n1", "gpu-0", owner=("Job", "train"))],
        "are in use", "n1: end pod ml/t",
    ),
    "a template of another namespace": (
        [*TWO, pod("w", ("gpu", "", "gpus")), template("one", request()), template("gpus", request(), space="infra")],
        "one of this name is in namespace infra", "with the spec of that in namespace infra",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_offered_first(name: str) -> None:
    objects, cause, change = CASES[name]
    call = ["ml/w", "-", "--kube-version", "1.36"]
    given = yaml.safe_dump_all(objects)
    lines = (
        CliRunner().invoke(command, call, input=given, catch_exceptions=False).stdout.splitlines()
    )
    assert cause in lines[1]
    fix = lines[2] if "fix (" in lines[2] else ""
    assert fix.partition(": ")[2].find(change) >= 0 if change else not fix

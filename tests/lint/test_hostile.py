"""Objects of any shape are linted without an error of the program: every rule sees them."""

from __future__ import annotations

import json
from contextlib import suppress
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, note, settings, strategies as st

from dradsl.lint.engine.run import lint
from dradsl.lint.engine.state import RunInput
from dradsl.lint.settings.config import LintConfig
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText, UsageProblem
from tests.spoiled import seeds, spoil

INTERNAL = "DRA099"

# A claim, its class, and a device for it.
PLACED: tuple[Any, ...] = (
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "gpu"},
        "spec": {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "some"}}]}},
    },
    {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "some"}},
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "s"},
        "spec": {
            "driver": "driver.acme.io",
            "nodeName": "n1",
            "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
            "devices": [{"name": "a"}],
        },
    },
)


def check(objects: list[Any], before: list[Any], inventory: list[Any]) -> None:
    def source(name: str, data: list[Any]) -> SourceText:
        return SourceText(name, load("\n---\n".join(map(json.dumps, data)).encode()))

    work = RunInput(
        sources=(source("a.yaml", objects),),
        previous=(source("a.yaml", before),),
        inventory=tuple(each for each in inventory if isinstance(each, dict)),
    )
    with suppress(UsageProblem):  # recorded slices that are broken end the run, with a reason
        report = lint(work, LintConfig(Path(), kube_version=("1.34", "1.37")))
        # An error of the program is a finding, so that the run goes on.
        assert not [each for each in report.findings if each.code == INTERNAL], report.findings


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_no_rule_breaks(seed: int) -> None:
    random = Random(seed)
    original = random.choice(seeds())
    objects, before = spoil(original, random), spoil(original, random)
    inventory = spoil(original, random) if random.random() < 0.5 else []
    note(json.dumps([objects, before, inventory]))
    check(objects, before, inventory)


ODD: tuple[object, ...] = (None, True, 7, "x", [], [1], {}, {"a": 1}, [[{"a": 1}]], [None])
AFFINITY = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")


@pytest.mark.parametrize(
    "path",
    [
        ("containers",),
        ("containers", 0),
        ("containers", 0, "resources"),
        ("containers", 0, "resources", "requests"),
        ("initContainers",),
        ("initContainers", 0, "restartPolicy"),
        ("resources",),
        ("resources", "limits"),
        ("overhead",),
        ("tolerations", 0),
        AFFINITY[:1],
        AFFINITY,
        (*AFFINITY, "nodeSelectorTerms"),
        (*AFFINITY, "nodeSelectorTerms", 0, "matchExpressions"),
        ("nodeSelector",),
        ("schedulingGroup",),
    ],
    ids=lambda path: ".".join(map(str, path)),
)
def test_pods_of_odd_shapes_are_not_tried_on_nodes(path: tuple[str | int, ...]) -> None:
    """With recorded slices pods are simulated, and a simulation reads more of them than rules do."""
    for odd in ODD:
        claim, device_class, recorded = (deepcopy(each) for each in PLACED)
        container = {"name": "m", "image": "x", "resources": {"claims": [{"name": "gpu"}]}}
        spec: Any = {
            "containers": [container],
            "resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}],
        }
        at = spec
        for part, following in pairwise(path):
            if isinstance(part, str):
                at = at.setdefault(part, [] if isinstance(following, int) else {})
            else:
                at += [{"name": "i", "image": "y"}] if len(at) <= part else []
                at = at[part]
        if isinstance(at, list):
            at[:] = [odd]
        else:
            at[path[-1]] = odd
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
        check([pod, claim, device_class], [], [recorded])


def test_a_claim_whose_name_is_a_mapping() -> None:
    """What init containers and main containers name is put into sets; a mapping goes into none."""
    names = [{"name": {"a": "b"}, "resourceClaimTemplateName": "t"}]
    container = {"name": "c", "image": "x", "resources": {"claims": names}}
    spec = {"resourceClaims": names, "initContainers": [container], "containers": [container]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}
    check([pod], [pod], [])


def test_names_that_are_lists() -> None:
    """Texts are looked up in tables; a list is in none."""
    opaque = {"driver": "compute-domain.nvidia.com", "parameters": {"kind": ["a"]}}
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "t", "namespace": "ml"},
        "spec": {"spec": {"devices": {"config": [{"opaque": opaque}]}}},
    }
    queue = {
        "apiVersion": "kueue.x-k8s.io/v1beta1",
        "kind": "LocalQueue",
        "metadata": {"name": "team", "namespace": "ml"},
        "spec": {"clusterQueue": ["a"]},
    }
    configuration = {"apiVersion": "config.kueue.x-k8s.io/v1beta1", "kind": "Configuration"}
    labels = {"kueue.x-k8s.io/queue-name": "team"}
    spec = {"resourceClaims": [{"name": "c", "resourceClaimTemplateName": "t"}], "containers": []}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "ml", "labels": labels},
        "spec": spec,
    }
    objects = [template, queue, configuration, pod]
    check(objects, objects, [])

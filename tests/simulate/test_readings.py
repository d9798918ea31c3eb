"""Selectors that read a name which devices publish twice: what they see is left to chance."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli import _COMMANDS
from dradsl.cli.group import group_of

if TYPE_CHECKING:
    from pathlib import Path

_CLUSTER = """
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: gpus}
spec:
  driver: d.io
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
"""
_POD = """
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == "d.io"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: default}
spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu, count: COUNT,
  selectors: [{cel: {expression: 'EXPRESSION'}}]}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec:
  resourceClaims: [{name: x, resourceClaimName: c}]
  containers: [{name: c, image: i, resources: {claims: [{name: x}]}}]
"""
_BARE, _FULL = "model: {string: a}", "d.io/model: {string: b}"
_TWICE = (_BARE, _FULL)
_EQUAL = (_BARE, "d.io/model: {string: a}")
_ELSEWHERE = (_BARE, "e.io/model: {string: b}")
_MODEL = 'device.attributes["d.io"].model'
_CAPACITY = 'device.capacity["d.io"].m.compareTo(quantity("%s")) == 0'


@pytest.mark.parametrize(
    ("names", "number", "count", "expression", "expected"),
    [
        (_TWICE, 1, 1, f'{_MODEL} == "a"', "chance"),
        (_TWICE, 1, 1, f'{_MODEL} == "b"', "chance"),
        (_TWICE, 1, 1, f'{_MODEL} == "c"', "never"),
        (_TWICE, 1, 1, f'{_MODEL} in ["a", "b"]', "fits"),
        (_TWICE, 1, 1, 'device.attributes["d.io"].index == 1', "fits"),
        (_TWICE, 3, 2, f'{_MODEL} == "a"', "chance"),
        (_EQUAL, 1, 1, f'{_MODEL} == "a"', "fits"),
        (_ELSEWHERE, 1, 1, f'{_MODEL} == "a"', "fits"),
        (_EQUAL, 1, 1, _CAPACITY % "2Gi", "chance"),
        (_EQUAL, 1, 1, _CAPACITY % "3Gi", "never"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_what_is_seen_of_a_doubled_name_is_left_to_chance(
    names: tuple[str, str],
    number: int,
    count: int,
    expression: str,
    expected: str,
    turned: bool,
    tmp_path: Path,
) -> None:
    first, second = reversed(names) if turned else names
    attributes = f"{first}, {second}, index: {{int: 1}}"
    capacity = "m: {value: 1Gi}, d.io/m: {value: 2Gi}" if "capacity" in expression else ""
    device = f"attributes: {{{attributes}}}, capacity: {{{capacity}}}"
    listed = "".join(f"  - {{name: g{i}, {device}}}\n" for i in range(number))
    slices, manifest = tmp_path / "slices.yaml", tmp_path / "pod.yaml"
    slices.write_text(_CLUSTER + listed, "utf-8")
    pod = _POD.replace("COUNT", str(count)).replace("EXPRESSION", expression)
    manifest.write_text(pod, "utf-8")
    call = ["simulate", str(manifest), "--slices", str(slices), "--output-format", "json"]
    done = CliRunner().invoke(group_of(_COMMANDS), call)
    (answer,) = json.loads(done.stdout)["pods"]
    assert answer["answer"] == expected
    assert (done.exit_code == 0) == (expected == "fits")
    assert ("publish twice" in answer.get("reason", "")) == (expected == "chance")

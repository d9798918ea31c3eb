"""Gated fields: what each release drops without a word, and what that makes of the object."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from dradsl.kube.errors import upstream_path
from tests.kube.asking import ask

_CLAIM = """
apiVersion: resource.k8s.io/{version}
kind: ResourceClaim
metadata: {{name: a}}
spec:
  devices:
    requests:
    - {request}
    - name: alternatives
      firstAvailable:
      - {{name: s, deviceClassName: c, tolerations: [{{operator: Exists}}], capacity: {{requests: {{m: 1}}}}}}
    constraints:
    - {{distinctAttribute: example.com/uuid}}
"""
_EXACTLY = (
    "{name: r, exactly: {deviceClassName: c, tolerations: [{operator: Exists}], capacity: {}}}"
)
_FLAT = "{name: r, deviceClassName: c, tolerations: [{operator: Exists}], capacity: {}}"

_SLICE = """
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  perDeviceNodeSelection: true
  devices:
  - name: a
    allNodes: true
    taints: [{key: k, effect: NoSchedule}]
    bindsToNode: true
    allowMultipleAllocations: true
    consumesCounters: [{counterSet: c, counters: {m: {value: 1}}}]
"""


def _admit(text: str, release: str, **features: bool) -> Any:
    return ask(yaml.safe_load(text), release, features)


def _dropped(answer: Any) -> list[str]:
    return [upstream_path(dropped.path) for dropped in answer.dropped]


REQUEST = "spec.devices.requests[0]"
ALTERNATIVE = "spec.devices.requests[1].firstAvailable[0]"


@pytest.mark.parametrize(
    ("release", "expected"),
    [
        # 1.34 forgets tolerations, and only pretends to drop distinctAttribute.
        ("1.34", [f"{REQUEST}.exactly.capacity", f"{ALTERNATIVE}.capacity"]),
        (
            "1.35",
            [
                f"{REQUEST}.exactly.tolerations",
                f"{ALTERNATIVE}.tolerations",
                "spec.devices.constraints[0].distinctAttribute",
                f"{REQUEST}.exactly.capacity",
                f"{ALTERNATIVE}.capacity",
            ],
        ),
        ("1.36", []),
        ("1.37", []),
    ],
)
def test_claim_by_release(release: str, expected: list[str]) -> None:
    answer = _admit(_CLAIM.format(version="v1", request=_EXACTLY), release)
    assert _dropped(answer) == expected


def test_paths_are_as_written() -> None:
    answer = _admit(_CLAIM.format(version="v1beta1", request=_FLAT), "1.35")
    assert _dropped(answer)[0] == f"{REQUEST}.tolerations"


def test_dropping_can_make_the_object_invalid() -> None:
    answer = _admit(_CLAIM.format(version="v1", request=_EXACTLY), "1.35")
    (problem,) = answer.problems
    assert problem.error.reason == "constraint-empty"
    assert problem.written == ("spec", "devices", "constraints", 0, "matchAttribute")
    answer = _admit(_CLAIM.format(version="v1", request=_EXACTLY), "1.36", DRAPrioritizedList=False)
    assert [p.error.reason for p in answer.problems] == ["request-empty"]


def test_slice_with_everything_off() -> None:
    answer = _admit(_SLICE, "1.35")
    assert _dropped(answer) == [
        "spec.devices[0].taints",
        "spec.perDeviceNodeSelection",
        "spec.devices[0].consumesCounters",
        "spec.devices[0].allNodes",
        "spec.devices[0].bindsToNode",
        "spec.devices[0].allowMultipleAllocations",
    ]
    assert [p.error.reason for p in answer.problems] == ["node-choice-missing"]
    assert answer.object["spec"]["devices"] == [{"name": "a"}]


def test_gates_of_a_dropped_field() -> None:
    answer = _admit(_SLICE, "1.36", DRADeviceBindingConditions=False)
    (dropped,) = answer.dropped
    assert dropped.gates == ("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus")


def test_what_is_stored_already_stays() -> None:
    obj = yaml.safe_load(_SLICE)
    gates = {"DRADeviceTaints": False}
    assert ask(obj, "1.36", gates).dropped
    assert not ask(obj, "1.36", gates, old=obj).dropped
    without = yaml.safe_load(_SLICE)
    del without["spec"]["devices"][0]["taints"]
    assert ask(obj, "1.36", gates, old=without).dropped


def test_extended_resource_name() -> None:
    text = """
    {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: a},
     spec: {extendedResourceName: example.com/gpu}}
    """
    assert _dropped(_admit(text, "1.35")) == ["spec.extendedResourceName"]
    assert _dropped(_admit(text, "1.36")) == []


def test_list_attributes() -> None:
    text = _SLICE.replace("allNodes: true", "allNodes: true\n    attributes: {a: {ints: [1]}}")
    answer = _admit(text, "1.36")
    assert _dropped(answer) == ["spec.devices[0].attributes[a].ints"]
    assert [p.error.reason for p in answer.problems] == ["attribute-without-value"]
    assert _admit(text, "1.36", DRAListTypeAttributes=True).accepted
    assert [p.error.reason for p in _admit(text, "1.35").problems] == [
        "field-not-in-release",
        "node-choice-missing",
        "attribute-without-value",
    ]

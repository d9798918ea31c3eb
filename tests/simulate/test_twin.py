"""A history that a real API server and scheduler of 1.37 went through, asked again: see tests/oracle/controlplane/twin.py."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.controlplane.twin import differences

RECORDED = Path(__file__).with_name("twin-1.37.jsonl.gz")
STEPS = [json.loads(line) for line in gzip.decompress(RECORDED.read_bytes()).splitlines()]

Json = dict[str, Any]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: str(step["pod"]["metadata"]["name"]))
def test_the_scheduler_and_dradsl_agree(step: Json) -> None:
    assert differences("1.37", step["dump"], step["pod"], step["then"]) == []


def bound(step: Json) -> bool:
    return bool(step["then"]["spec"].get("nodeName"))


def test_many_kinds_of_steps_are_recorded() -> None:
    assert len(STEPS) >= 60
    assert 10 <= sum(map(bound, STEPS)) <= len(STEPS) - 10
    asked = {one["name"] for step in STEPS for one in step["pod"]["spec"].get("resourceClaims", ())}
    assert len(asked) >= 12


def test_what_differs_is_noticed() -> None:
    """Another node, another device and other reasons, each in every step that has one."""
    seen = {"node": 0, "device": 0, "reason": 0}
    for step in STEPS:
        then = copy.deepcopy(step["then"])
        results = [
            result
            for claim in then["claims"]
            for result in claim.get("status", {})
            .get("allocation", {})
            .get("devices", {})
            .get("results", ())
        ]
        if bound(step):
            then["spec"]["nodeName"] = "elsewhere"
            assert differences("1.37", step["dump"], step["pod"], then)
            seen["node"] += 1
            old = {
                one["metadata"]["name"]
                for one in step["dump"]
                if one.get("status", {}).get("allocation")
            }
            if results and not old & {claim["metadata"]["name"] for claim in then["claims"]}:
                other = copy.deepcopy(step["then"])
                first = next(
                    c for c in other["claims"] if c["status"]["allocation"]["devices"]["results"]
                )
                first["status"]["allocation"]["devices"]["results"][0]["device"] = "another"
                assert differences("1.37", step["dump"], step["pod"], other)
                seen["device"] += 1
            continue
        for condition in then["status"]["conditions"]:
            if "nodes are available: " in condition.get("message", ""):
                condition["message"] = condition["message"].replace(
                    "available: ", "available: 1 x, ", 1
                )
                assert differences("1.37", step["dump"], step["pod"], then)
                seen["reason"] += 1
    assert min(seen.values()) >= 5

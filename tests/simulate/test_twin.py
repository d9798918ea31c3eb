"""Histories that real API servers and schedulers went through, asked again: see tests/oracle/controlplane/twin.py."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.controlplane.twin import differences, evicted

Json = dict[str, Any]


def steps_of(release: str) -> list[Json]:
    file = Path(__file__).with_name(f"twin-{release}.jsonl.gz")
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]


RECORDED = {release: steps_of(release) for release in ("1.34", "1.35", "1.36", "1.37")}
STEPS = RECORDED["1.37"]
EVERY = [(release, step) for release, steps in RECORDED.items() for step in steps]
EVICTIONS = [(release, one) for release, step in EVERY for one in step.get("evictions", ())]


def name_of(value: object) -> str | None:
    return str(value["pod"]["metadata"]["name"]) if isinstance(value, dict) else None


@pytest.mark.parametrize(("release", "step"), EVERY, ids=name_of)
def test_the_scheduler_and_dradsl_agree(release: str, step: Json) -> None:
    assert differences(release, step["dump"], step["pod"], step["then"]) == []


def test_the_pods_that_were_evicted_are_those_that_a_taint_ends() -> None:
    for release, one in EVICTIONS:
        assert evicted(release, one["dump"]) == one["evicted"], release
        rest = [each for each in one["dump"] if each["kind"] != "DeviceTaintRule"]
        for each in rest:
            for device in (
                each["spec"].get("devices", ()) if each["kind"] == "ResourceSlice" else ()
            ):
                device.pop("taints", None)
        assert evicted(release, rest) == []
    assert sum(len(one["evicted"]) for _, one in EVICTIONS) >= 10


def bound(step: Json) -> bool:
    return bool(step["then"]["spec"].get("nodeName"))


@pytest.mark.parametrize("release", RECORDED)
def test_many_kinds_of_steps_are_recorded(release: str) -> None:
    steps = RECORDED[release]
    assert len(steps) >= 40
    assert 10 <= sum(map(bound, steps)) <= len(steps) - 10
    asked = {one["name"] for step in steps for one in step["pod"]["spec"].get("resourceClaims", ())}
    assert len(asked) >= 10


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

"""Questions in which null stands for no list, as Go writes it, or in which there are no nodes."""

from __future__ import annotations

import copy
import itertools
import random
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.releases import RELEASES
from tests.oracle.fuzz import absent, alloc, schedule
from tests.replay import answer_or_failure

if TYPE_CHECKING:
    from collections.abc import Iterator

NEWEST = RELEASES["1.37"]


def _questions(subject: str) -> Iterator[dict[str, Any]]:
    generator = alloc.generate if subject == "alloc" else schedule.generate
    return itertools.islice(generator(random.Random(8)), 25)


@pytest.mark.parametrize("subject", ["alloc", "schedule"])
def test_null_is_no_list(subject: str) -> None:
    for question in _questions(subject):
        filled = copy.deepcopy(question)
        absent.fill(random.Random(question["id"]), filled)
        for pod in filled.get("pods", ()):  # here they may ask for something
            given = next(p for p in question["pods"] if p["metadata"] == _bare(pod["metadata"]))
            pod["spec"]["containers"] = given["spec"]["containers"]
        expected = answer_or_failure(subject, question, NEWEST)
        assert answer_or_failure(subject, filled, NEWEST) == expected


def _bare(metadata: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in metadata.items() if value is not None}


@pytest.mark.parametrize("key", ["containers", "initContainers"])
@pytest.mark.parametrize("first_form", [True, False])
def test_a_pod_may_have_no_containers(key: str, first_form: bool) -> None:
    release = RELEASES["1.34" if first_form else "1.37"]
    for question in _questions("schedule"):
        for pod in question["pods"]:
            pod["spec"][key] = None
        lines = answer_or_failure("schedule", question, release)
        assert all(line.get("errorKind") != "failure" for line in lines)


@pytest.mark.parametrize("nodes", [[], None])
def test_without_nodes_no_node_answers(nodes: Any) -> None:
    for question in _questions("alloc"):
        assert answer_or_failure("alloc", {**question, "nodes": nodes}, NEWEST) == []
    for question in _questions("schedule"):
        for line in answer_or_failure("schedule", {**question, "nodes": nodes}, NEWEST):
            assert not line.get("nodes")


def test_all_locked_gates_are_named() -> None:
    locked = [gate.name for gate in NEWEST.gates.values() if gate.locked and gate.default]
    assert len(locked) > 1
    question = {"features": dict.fromkeys(locked, False)}
    (line,) = answer_or_failure("schedule", question, NEWEST)
    assert line["errorKind"] == "input"
    assert all(f"gate {name} to false" in line["error"] for name in locked)
    assert line["error"][0] + line["error"][-1] == "[]"

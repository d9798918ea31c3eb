"""The words of other projects by which `dradsl why` knows their messages: recorded with their place, and what is made of them is read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.why.sources import HERE, TARGET, asked
from tests.why.test_causes import BASE, TAKEN, obj, said, train
from tests.why.test_facts import answer_of
from tests.why.test_points import REJECTED, claim
from tests.why.test_remedies import MESSAGES, first_row

if TYPE_CHECKING:
    from pathlib import Path

Json = dict[str, Any]
SOURCES: dict[str, Json] = yaml.safe_load(TARGET.read_text("utf-8"))
CONSTANTS: list[Json] = yaml.safe_load((HERE / "constants.yaml").read_text("utf-8"))
THEIRS = [one for one in MESSAGES if "project" in one]
SEES = [one for one in CONSTANTS if one["as"] == "event"]


def pattern(words: str) -> str:
    """A regular expression of what Go makes of a format: each verb is any text."""
    return re.sub(r"%(?:%|\w)", r".+?", re.sub(r"([\\.^$*+?{}\[\]|()])", r"\\\1", words))


def test_all_have_a_place_in_a_source() -> None:
    assert set(SOURCES) == {row["words"] for row in asked()}
    for row in asked():
        at = SOURCES[row["words"]]
        assert at["project"] == row["project"]
        assert re.fullmatch(r"[0-9a-f]{40}", at["commit"])
        assert at["path"].endswith(".go")
        assert at["line"] > 0


def test_messages_have_a_source_a_thread_or_are_of_a_library() -> None:
    free = [one["words"] for one in MESSAGES if not {"file", "project", "from"}.intersection(one)]
    # kubernetes 1.36 and older put it together of parts; the last two are of Go and of every registry.
    assert free == ["Multi-Attach error for volume", "not found", "dial unix"]


@pytest.mark.parametrize("one", THEIRS, ids=lambda one: one["words"][:40])
def test_each_message_is_made_of_the_words(one: Json) -> None:
    made = re.search(pattern(one["words"]), one["says"])
    assert made
    row = first_row(one["says"])
    assert row
    # The advice hangs on these words, and on nothing that a message has besides; of a file that cannot be written,
    # on what the system says, which comes after them.
    known = [found.span() for found in re.finditer(row["when"], one["says"])]
    assert (
        any(start < made.end() and made.start() < end for start, end in known)
        or "CDI spec" in one["words"]
    )


@pytest.mark.parametrize("one", SEES, ids=lambda one: one["words"][:40])
def test_each_reason_is_read_as_its_authors(tmp_path: Path, one: Json) -> None:
    given = [*TAKEN, train(REJECTED), said("train", one["reason"], one["says"])]
    answer = answer_of(tmp_path, given, "ml/train")
    assert answer["step"] == "allocation"
    assert f"event {one['reason']} of Pod ml/train: {one['says']}" in answer["said"]
    does = "no" if one["reason"] in ("NotTriggerScaleUp", "FailedScheduling") else "a"
    assert f"the autoscaler adds {does} node: {one['says']}" in answer["cause"]


@pytest.mark.parametrize("kind", [one["says"] for one in CONSTANTS if one["as"] == "condition"])
def test_each_condition_of_kueue_is_read(tmp_path: Path, kind: str) -> None:
    condition = {
        "type": kind,
        "status": "True" if kind == "Evicted" else "False",
        "reason": "R",
        "message": "M",
    }
    owner = [
        {"apiVersion": "v1", "kind": "Pod", "name": "train", "uid": "u-train", "controller": True}
    ]
    workload = obj(
        "kueue.x-k8s.io/v1beta2",
        "Workload",
        "w",
        {"queueName": "q"},
        {"conditions": [condition]},
        ownerReferences=owner,
    )
    waiting = train(spec={"schedulingGates": [{"name": "kueue.x-k8s.io/admission"}]})
    waiting["metadata"]["uid"] = "u-train"
    answer = answer_of(tmp_path, [*BASE, claim(), waiting, workload], "ml/train")
    assert answer["step"] == "kueue"
    assert "R: M" in answer["cause"]


@pytest.mark.parametrize("key", [one["says"] for one in CONSTANTS if one["as"] == "annotation"])
def test_each_group_of_a_pod_is_found(tmp_path: Path, key: str) -> None:
    message = "3/4 tasks in gang unschedulable"
    condition = {
        "type": "Unschedulable",
        "status": "True",
        "reason": "NotEnoughResources",
        "message": message,
    }
    group = obj("scheduling.volcano.sh/v1beta1", "PodGroup", "g", {}, {"conditions": [condition]})
    waiting = train(spec={"schedulerName": "other"})
    waiting["metadata"]["annotations"] = {key: "g"}
    answer = answer_of(tmp_path, [*BASE, claim(), waiting, group], "ml/train")
    assert message in str(answer)

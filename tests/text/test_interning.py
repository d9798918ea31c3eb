"""Equal parts of a long stream are kept once, and what is read is the same."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dradsl.text.interning import Interner


def pod(name: str, image: str = "x") -> dict[str, Any]:
    container = {"name": "c", "image": image, "resources": {"limits": {"cpu": 1}}}
    second = copy.deepcopy({**container, "name": "d"})
    spec = {"containers": [container, second], "numbers": [1, True, 1.0, None]}
    metadata = {"name": name, "labels": {"app": "a"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize("parts", [False, True])
def test_what_is_read_stays_the_same(parts: bool) -> None:
    interner = Interner(parts=parts)
    objects = [pod("a"), pod("b"), pod("c", "y"), {"list": [{"a": 1}, {"a": True}, {"a": 1.0}]}]
    before = copy.deepcopy(objects)
    for each in objects:
        interner.intern(each)
    assert repr(objects) == repr(before)
    assert objects[0]["spec"] is objects[1]["spec"]
    assert objects[0]["metadata"] is not objects[1]["metadata"]


def test_parts_of_what_is_new() -> None:
    interner = Interner(parts=True)
    one, other = pod("a"), pod("b", "y")
    for each in (one, other):
        interner.intern(each)
    assert one["spec"] is not other["spec"]
    assert one["spec"]["numbers"] is other["spec"]["numbers"]
    assert one["metadata"]["labels"] is other["metadata"]["labels"]


def test_without_parts_no_object_holds_one_value_twice() -> None:
    """Who copies such data as a whole and changes one place would change the other, too."""
    interner = Interner()
    one = pod("a")
    interner.intern(one)
    changed = copy.deepcopy(one)
    changed["spec"]["containers"][0]["resources"]["limits"]["cpu"] = 2
    assert changed["spec"]["containers"][1]["resources"]["limits"] == {"cpu": 1}


def test_very_many_parts_are_not_kept() -> None:
    interner = Interner(parts=True)
    for number in range(20_000):
        interner.intern({"spec": {"part": {"number": number}, "name": f"n{number}"}})
    assert len(interner._known) < 10_000
    assert len(interner._words) < 10_000

"""An admission that is used again is the one that the object would have got itself."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dradsl.kube.admission import Admission, admit
from dradsl.kube.repeated import Admissions
from dradsl.releases import get_release
from tests.kube.mutations import bases, question

RELEASE = get_release("1.36")
FEATURES = RELEASE.features()
OBJECTS = [base["object"] for base in bases()]
NAMES: list[tuple[Any, Any]] = [
    ("a", None),
    ("b", None),
    ("b", "team"),
    ("c", "other-team"),
    ("c", ""),
    ("", "team"),
    (None, "team"),
    (7, "team"),
    ("Upper", "team"),
    ("a.b", "team"),
    ("b", "Team"),
    ("x" * 70, "y" * 70),
]


def taken(_expression: str, _kind: str, /) -> None:
    return None


def cost(_expression: str, /) -> int:
    return 1


def plain(obj: Any) -> Admission:
    return admit(obj, RELEASE, FEATURES, compile_cel=taken, cel_cost=cost)


def named(obj: Any, name: Any, namespace: Any) -> Any:
    made = copy.deepcopy(obj)
    made.setdefault("metadata", {})
    made["metadata"].pop("namespace", None)
    made["metadata"]["name"] = name
    if namespace is not None:
        made["metadata"]["namespace"] = namespace
    return made


def test_there_are_objects() -> None:
    assert {obj["kind"] for obj in OBJECTS} >= {"ResourceClaim", "ResourceSlice", "DeviceClass"}


@pytest.mark.parametrize("number", range(len(OBJECTS)))
def test_as_if_admitted_alone(number: int) -> None:
    admissions = Admissions(RELEASE, FEATURES, taken, cost)
    for name, namespace in NAMES:
        obj = named(OBJECTS[number], name, namespace)
        before = copy.deepcopy(obj)
        assert admissions.admit(obj, None) == plain(before)
        assert obj == before


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32))
def test_mutated_objects_as_if_admitted_alone(seed: int) -> None:
    asked = question(RELEASE, Random(seed))
    admissions = Admissions(RELEASE, FEATURES, taken, cost)
    labels = asked.get("namespaceLabels")
    for name, namespace in (("a", "b"), ("c", "d"), ("c", None)):
        obj = asked["object"]
        if isinstance(obj, dict) and isinstance(obj.get("metadata"), dict):
            obj = named(obj, name, namespace)
        alone = admit(
            obj, RELEASE, FEATURES, namespace_labels=labels, compile_cel=taken, cel_cost=cost
        )
        assert admissions.admit(obj, labels) == alone


def test_content_and_namespace_labels_matter() -> None:
    claim = next(obj for obj in OBJECTS if obj["kind"] == "ResourceClaim")
    admissions = Admissions(RELEASE, FEATURES, taken, cost)
    assert admissions.admit(claim, None) == plain(claim)
    other = copy.deepcopy(claim)
    other["spec"] = {"devices": {"requests": [{"name": "a"}]}}
    assert admissions.admit(other, None) == plain(other)
    admin = copy.deepcopy(claim)
    admin["spec"] = {
        "devices": {
            "requests": [{"name": "a", "exactly": {"deviceClassName": "gpu", "adminAccess": True}}]
        }
    }
    labels = {"resource.kubernetes.io/admin-access": "true"}
    assert admissions.admit(admin, labels).accepted
    assert not admissions.admit(admin, {}).accepted
    assert admissions.admit(admin, labels).accepted

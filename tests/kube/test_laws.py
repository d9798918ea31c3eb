"""Laws of admission: no input breaks it, reasons are known, conversion and defaults are stable."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.kube.equality import semantic_equal
from dradsl.kube.fields.conversion import from_v1, path_from_v1, path_to_v1, to_v1
from dradsl.kube.fields.decoding import decode
from dradsl.kube.fields.defaulting import copy_plain, default
from dradsl.kube.server.gates import drop_disabled
from dradsl.releases import RELEASES
from tests.kube.asking import ask
from tests.kube.mutations import bases, question
from tests.kube.reasons import reasons

if TYPE_CHECKING:
    from dradsl.kube.errors import FieldError

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
_SEEDS = st.integers(0, 2**32)
_RELEASES = st.sampled_from(list(RELEASES.values()))


def _random(seed: int) -> Random:
    return Random(seed)


def _admitted(seed: int, release: Any) -> Any:
    asked = question(release, _random(seed))
    return asked, ask(
        asked["object"],
        release.name,
        asked["features"],
        old=asked.get("old"),
        subresource=asked.get("subresource"),
        labels=asked.get("namespaceLabels", {}),
    )


def _check_error(error: FieldError) -> None:
    row = reasons()[error.reason]
    kind = error.type.removeprefix("FieldValue").removesuffix("Error")
    assert kind in row.types, error
    assert str(error)
    assert error.field


@settings(max_examples=400, deadline=None)
@given(_SEEDS, _RELEASES)
def test_every_error_has_its_row_and_a_place(seed: int, release: Any) -> None:
    _asked, answer = _admitted(seed, release)
    for problem in answer.problems:
        _check_error(problem.error)
        assert problem.written[:1] in {
            (name,) for name in ("apiVersion", "kind", "metadata", "spec", "status")
        } | {problem.written[:1] for _ in [1] if problem.error.type == "StrictDecodingError"}


@settings(max_examples=200, deadline=None)
@given(_JSON, _RELEASES, st.sampled_from([row["object"] for row in bases()]), _SEEDS)
def test_anything_in_any_place_is_answered(value: Any, release: Any, base: Any, seed: int) -> None:
    """Arbitrary JSON in the place of any part gives problems or none, never an exception."""
    obj = copy_plain(base)
    parent: Any = obj
    random = _random(seed)
    while True:
        keys = list(parent) if isinstance(parent, dict) else list(range(len(parent)))
        key = random.choice(keys)
        if isinstance(parent[key], dict | list) and parent[key] and random.random() < 0.8:
            parent = parent[key]
            continue
        parent[key] = value
        break
    answer = ask(obj, release.name, labels={})
    for problem in answer.problems:
        _check_error(problem.error)


@given(_JSON, _RELEASES)
def test_anything_at_all_is_answered(value: Any, release: Any) -> None:
    assert ask(value, release.name).problems


@settings(deadline=None)
@given(_SEEDS, _RELEASES)
def test_input_is_left_alone(seed: int, release: Any) -> None:
    asked = question(release, _random(seed))
    before = copy_plain(asked["object"])
    ask(asked["object"], release.name, old=asked.get("old"))
    assert asked["object"] == before


def _decoded(seed: int, release: Any) -> dict[str, Any] | None:
    return decode(question(release, _random(seed))["object"], release).object


@settings(max_examples=200, deadline=None)
@given(_SEEDS, _RELEASES)
def test_defaulting_twice_is_defaulting_once(seed: int, release: Any) -> None:
    obj = _decoded(seed, release)
    if obj is not None:
        once = default(obj, "2026-01-01T00:00:00Z")
        assert default(once, "2026-02-01T00:00:00Z") == once


@settings(max_examples=300, deadline=None)
@given(_SEEDS, _RELEASES, st.sampled_from(["v1", "v1beta2", "v1beta1"]))
def test_versions_round_trip(seed: int, release: Any, version: str) -> None:
    """v1 to another version and back loses nothing that counts."""
    obj = _decoded(seed, release)
    if obj is None or obj["kind"] not in (
        "ResourceClaim",
        "ResourceClaimTemplate",
        "ResourceSlice",
    ):
        return
    v1 = to_v1(default(obj))
    back = to_v1(from_v1(v1, version))
    if version != "v1beta1":
        assert back == v1
        return
    # v1beta1 cannot say "empty": such parts are as good as absent there.
    again = to_v1(from_v1(back, version))
    assert again == back
    if obj["apiVersion"].endswith("v1beta1"):
        assert semantic_equal(back, v1, obj["kind"], release.name)


@settings(max_examples=200, deadline=None)
@given(_SEEDS, _RELEASES)
def test_nothing_is_dropped_twice(seed: int, release: Any) -> None:
    asked = question(release, _random(seed))
    obj = decode(asked["object"], release).object
    if obj is None or obj["kind"] == "ResourcePoolStatusRequest":
        return
    features = release.features(asked["features"])
    v1 = to_v1(default(obj))
    kept, dropped = drop_disabled(v1, features)
    assert drop_disabled(kept, features) == (kept, ())
    assert bool(dropped) == (kept is not v1)


@pytest.mark.parametrize(
    ("kind", "written", "v1"),
    [
        (
            "ResourceClaim",
            ("spec", "devices", "requests", 0, "count"),
            ("spec", "devices", "requests", 0, "exactly", "count"),
        ),
        (
            "ResourceClaimTemplate",
            ("spec", "spec", "devices", "requests", 2, "selectors", 1, "cel"),
            ("spec", "spec", "devices", "requests", 2, "exactly", "selectors", 1, "cel"),
        ),
        ("ResourceClaim", ("spec", "devices", "requests", 0, "name"), None),
        ("ResourceClaim", ("spec", "devices", "requests", 0), None),
        ("ResourceClaim", ("spec", "devices", "requests", 0, "firstAvailable", 0, "count"), None),
        (
            "ResourceSlice",
            ("spec", "devices", 3, "basic", "taints", 0),
            ("spec", "devices", 3, "taints", 0),
        ),
        ("ResourceSlice", ("spec", "devices", 3, "name"), None),
        ("DeviceClass", ("spec", "selectors", 0), None),
    ],
)
def test_paths_follow_the_shape(kind: str, written: tuple[Any, ...], v1: Any) -> None:
    v1 = written if v1 is None else v1
    assert path_to_v1(written, kind, "resource.k8s.io/v1beta1") == v1
    assert path_from_v1(v1, kind, "resource.k8s.io/v1beta1") == written
    assert path_to_v1(v1, kind, "resource.k8s.io/v1") == v1

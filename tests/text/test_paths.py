"""Field paths and what they lead to."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dradsl.diagnostics import Span
from dradsl.text.documents import load
from dradsl.text.paths import FieldPath, PathError, format_path, locate, parse_path

SOURCE = """\
spec:
  devices:
    requests:
    - name: gpu
      exactly: &e
        count: 2
    - name: nic
      exactly: *e
  labels:
    example.com/a.b: x
"""

PATHS: list[tuple[FieldPath, str]] = [
    ((), ""),
    (("spec", "devices", "requests", 0, "exactly"), "spec.devices.requests[0].exactly"),
    (("metadata", "labels", "example.com/a.b"), "metadata.labels[example.com/a.b]"),
    ((0, "a"), "[0].a"),
    (("a", "", "b"), "a[].b"),
]


@pytest.mark.parametrize(("path", "text"), PATHS)
def test_texts_of_paths(path: FieldPath, text: str) -> None:
    assert format_path(path) == text
    assert parse_path(text) == path


@pytest.mark.parametrize("text", ["a..b", ".a", "a[", "a.b.", "a b"])
def test_what_is_no_path(text: str) -> None:
    with pytest.raises(PathError):
        parse_path(text)


@given(
    st.lists(
        st.integers(0, 99) | st.from_regex(r"[a-z][A-Za-z0-9./_-]{0,8}", fullmatch=True), max_size=5
    ).map(tuple)
)
def test_round_trip(path: FieldPath) -> None:
    assert parse_path(format_path(path)) == path


@pytest.mark.parametrize(
    ("path", "key", "value", "exact"),
    [
        ("", None, Span(1, 1, 10, 23), True),
        ("spec.devices.requests[0].name", Span(4, 7, 4, 11), Span(4, 13, 4, 16), True),
        ("spec.devices.requests[0]", None, Span(4, 7, 6, 17), True),
        # Through an alias the value is the alias, below it the anchor's content.
        ("spec.devices.requests[1].exactly", Span(8, 7, 8, 14), Span(8, 16, 8, 18), True),
        ("spec.devices.requests[1].exactly.count", Span(6, 9, 6, 14), Span(6, 16, 6, 17), True),
        ("spec.labels[example.com/a.b]", Span(10, 5, 10, 20), Span(10, 22, 10, 23), True),
        # What does not exist is as near as possible.
        ("spec.devices.requests[0].exactly.x.y", Span(5, 7, 5, 14), Span(5, 16, 6, 17), False),
        ("spec.devices.requests[7].name", Span(3, 5, 3, 13), Span(4, 5, 8, 18), False),
        ("spec.devices.requests.name", Span(3, 5, 3, 13), Span(4, 5, 8, 18), False),
        ("status", None, Span(1, 1, 10, 23), False),
    ],
)
def test_locate(path: str, key: Span | None, value: Span, exact: bool) -> None:
    root = load(SOURCE.encode()).documents[0].root
    assert root is not None
    located = locate(root, parse_path(path))
    assert (located.key_span, located.value_span, located.exact) == (key, value, exact)
    if exact:
        assert located.path == parse_path(path)


def test_where_to_point() -> None:
    root = load(SOURCE.encode()).documents[0].root
    assert root is not None
    assert locate(root, ("spec", "devices")).best_span == Span(2, 3, 2, 10)
    assert locate(root, ("spec", "devices", "requests", 0, "name")).best_span == Span(4, 13, 4, 16)


@pytest.mark.parametrize(
    ("path", "shared"),
    [
        ("spec.devices.requests[0].exactly.count", False),
        ("spec.devices.requests[1].exactly", True),
        ("spec.devices.requests[1].exactly.count", True),
        ("spec.devices.requests[1].exactly.missing", True),
        ("spec.devices.requests[1].name", False),
    ],
)
def test_what_stands_in_several_places(path: str, shared: bool) -> None:
    root = load(SOURCE.encode()).documents[0].root
    assert root is not None
    assert locate(root, parse_path(path)).shared is shared

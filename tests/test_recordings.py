"""Recorded objects: JSON is read item by item, and gives what reading it as a whole gives."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dradsl.recordings import RecordingError, documents_in, read_recording
from dradsl.text.json_values import json_values

if TYPE_CHECKING:
    from pathlib import Path

SLICE = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "a"}}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "m"}}

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
spaces = st.sampled_from([None, 1, "\t"])


@given(st.lists(plain, max_size=4), spaces)
def test_values_are_those_of_the_text(values: list[Any], indent: Any) -> None:
    text = "\n".join(json.dumps(value, indent=indent) for value in values)
    assert list(json_values(text)) == values


@given(st.lists(st.sampled_from([SLICE, NODE]), max_size=5), st.permutations(range(4)), spaces)
def test_lists_are_handed_out_item_by_item(items: list[Any], order: list[int], indent: Any) -> None:
    fields = [("apiVersion", "v1"), ("kind", "List"), ("metadata", {}), ("items", items)]
    text = json.dumps(dict(fields[i] for i in order), indent=indent)
    assert list(documents_in(text.encode())) == items


@pytest.mark.parametrize("kind_first", [True, False])
def test_items_of_a_typed_list_get_its_kind(kind_first: bool) -> None:
    head = {"kind": "ResourceSliceList", "apiVersion": "resource.k8s.io/v1"}
    items = {"items": [{"metadata": {"name": "a"}}]}
    given_ = {**head, **items} if kind_first else {**items, **head}
    assert list(documents_in(json.dumps(given_).encode())) == [SLICE]


@given(st.data())
def test_text_that_ends_early_is_an_error(data: st.DataObject) -> None:
    text = json.dumps({"items": [SLICE, NODE], "kind": "List"})
    cut = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(RecordingError):
        list(documents_in(text[:cut].encode()))


def test_yaml_that_looks_like_json() -> None:
    assert list(documents_in(b"{kind: Node, apiVersion: v1, metadata: {name: m}}")) == [NODE]


@pytest.mark.parametrize("data", [b"5", b'"x"', b"[5]", b'{"kind": "Node"} 5'])
def test_what_is_no_object(data: bytes) -> None:
    with pytest.raises(RecordingError):
        list(documents_in(data))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_files(tmp_path: Path, encoding: str) -> None:
    text = f"\n{json.dumps([SLICE])}\n{json.dumps(NODE)}\n".encode(encoding)
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(text))
    assert list(read_recording(path)) == [SLICE, NODE]
    path.write_bytes(gzip.compress(text)[:-12])
    with pytest.raises(RecordingError, match=r"a\.json\.gz: "):
        list(read_recording(path))

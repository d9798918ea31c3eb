"""Members of plain data: whatever the data is, an answer of the type that was asked for."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, strategies as st

from dradsl.values.plain import list_at, mapping_at, mappings_at, member, string_at

ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=8,
)
KEYS = st.lists(st.sampled_from("abc"), max_size=3)


@given(ANYTHING, KEYS)
def test_a_member_of_another_type_counts_as_none(data: Any, keys: list[str]) -> None:
    found = member(data, *keys)
    assert mapping_at(data, *keys) == (found if isinstance(found, dict) else {})
    assert list_at(data, *keys) == (found if isinstance(found, list) else [])
    assert string_at(data, *keys) == (found if isinstance(found, str) and found else None)
    assert mappings_at(data, *keys) == [
        item for item in list_at(data, *keys) if isinstance(item, dict)
    ]


@pytest.mark.parametrize(
    ("data", "keys", "expected"),
    [
        ({"spec": {"name": "a"}}, ("spec", "name"), "a"),
        ({"spec": {"name": "a"}}, (), {"spec": {"name": "a"}}),
        ({"spec": None}, ("spec", "name"), None),
        ({"spec": ["name"]}, ("spec", "name"), None),
        ({"spec": "name"}, ("spec", "name"), None),
        (MappingProxyType({"spec": MappingProxyType({"name": 1})}), ("spec", "name"), 1),
    ],
)
def test_keys_lead_through_mappings_only(
    data: object, keys: tuple[str, ...], expected: Any
) -> None:
    assert member(data, *keys) == expected

"""Edits change what they say and nothing else."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.diagnostics import Edit, Fix, Span
from dradsl.text.documents import load
from dradsl.text.edits import (
    EditError,
    OverlapError,
    apply,
    compatible,
    delete_entry,
    delete_item,
    hoist,
    insert_entry,
    insert_item,
    nest,
    rename_key,
    replace_node,
    replace_value,
)
from dradsl.text.nodes import MappingNode, SequenceNode
from dradsl.text.paths import locate, parse_path
from dradsl.text.render import render_block, render_flow


def mapping_at(source: str, path: str = "") -> MappingNode:
    root = load(source.encode()).documents[0].root
    assert root is not None
    node = locate(root, parse_path(path)).node
    assert isinstance(node, MappingNode)
    return node


def sequence_at(source: str, path: str) -> SequenceNode:
    root = load(source.encode()).documents[0].root
    assert root is not None
    node = locate(root, parse_path(path)).node
    assert isinstance(node, SequenceNode)
    return node


def entry_of(mapping: MappingNode, name: str) -> Any:
    entry = mapping.entry(name)
    assert entry is not None
    return entry


REQUEST = """\
requests:
- name: gpu # the name
  # which class
  deviceClassName: gpu.nvidia.com # class
  selectors:
  # only big ones
  - cel:
      expression: |
        device.x

        && device.y
  allocationMode: ExactCount
  # how many
  count: 2   # two
# end
"""

NESTED = """\
requests:
- name: gpu # the name
  # which class
  exactly:
    deviceClassName: gpu.nvidia.com # class
    selectors:
    # only big ones
    - cel:
        expression: |
          device.x

          && device.y
    allocationMode: ExactCount
    # how many
    count: 2   # two
# end
"""

FLAT = ["deviceClassName", "selectors", "allocationMode", "count"]


def test_flat_request_goes_under_exactly_and_back() -> None:
    mapping = mapping_at(REQUEST, "requests[0]")
    assert apply(REQUEST, nest(mapping, FLAT, "exactly")) == NESTED
    nested = mapping_at(NESTED, "requests[0]")
    assert apply(NESTED, hoist(nested, entry_of(nested, "exactly"))) == REQUEST


@pytest.mark.parametrize(
    ("before", "names", "after"),
    [
        (
            "- deviceClassName: a # c\n  name: b\n  count: 2 # two\n",
            FLAT,
            "- exactly:\n    deviceClassName: a # c\n    count: 2 # two\n  name: b\n",
        ),
        ("- name: b\n  count: 2", FLAT, "- name: b\n  exactly:\n    count: 2"),
        (
            "- count: 1\n  name: b\n  # why\n  selectors: []",
            FLAT,
            "- exactly:\n    count: 1\n    # why\n    selectors: []\n  name: b",
        ),
        ("- {name: b, count: 2}\n", FLAT, "- {name: b, exactly: {count: 2}}\n"),
        (
            "- {count: 2, name: b, selectors: [] , x: 1}\n",
            FLAT,
            "- {exactly: {count: 2, selectors: []}, name: b , x: 1}\n",
        ),
        (
            "- name: b\r\n  count: 2 # x\r\n  allocationMode: All\r\n",
            FLAT,
            "- name: b\r\n  exactly:\r\n    count: 2 # x\r\n    allocationMode: All\r\n",
        ),
    ],
)
def test_nest(before: str, names: list[str], after: str) -> None:
    assert apply(before, nest(mapping_at(before, "[0]"), names, "exactly")) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a:\n  k: {b: 1, c: 2} # x\n", "a:\n  b: 1\n  c: 2 # x\n"),
        ("a: {k: {b: 1, c: 2}, d: 3}\n", "a: {b: 1, c: 2, d: 3}\n"),
        ("a:\n- k: # why\n      b: 1\n      c: |\n        x\n", None),
        (
            "a:\n  k: # why\n      b: 1\n      c: |\n        x\n",
            "a:\n  # why\n  b: 1\n  c: |\n    x\n",
        ),
    ],
)
def test_hoist(before: str, after: str | None) -> None:
    path = "a" if after is not None else "a[0]"
    mapping = mapping_at(before, path)
    result = apply(before, hoist(mapping, entry_of(mapping, "k")))
    if after is None:
        after = "a:\n- # why\n  b: 1\n  c: |\n    x\n"
    assert result == after


@pytest.mark.parametrize(
    ("before", "path", "name", "after"),
    [
        ("a: 1\nb: 2 # x\nc: 3\n", "", "b", "a: 1\nc: 3\n"),
        ("a: 1\nb: 2", "", "b", "a: 1"),
        ("a: 1\r\nb: 2", "", "b", "a: 1"),
        ("a:\n  b: 1 # x\nc: 2\n", "a", "b", "a:\n  {} # x\nc: 2\n"),
        ("a:\n- b: 1 # x\n  c: 2\n", "a[0]", "b", "a:\n- c: 2\n"),
        ("a:\n- b: 1\n  # about c\n  c: 2\n", "a[0]", "b", "a:\n- \n  # about c\n  c: 2\n"),
        ("a:\n- b: 1\n  c:\n    d: |\n      x\n\n  e: 1\n", "a[0]", "c", "a:\n- b: 1\n\n  e: 1\n"),
        ("{a: 1, b: 2, c: 3}\n", "", "a", "{b: 2, c: 3}\n"),
        ("{a: 1, b: 2, c: 3}\n", "", "c", "{a: 1, b: 2}\n"),
        ("{a: 1}\n", "", "a", "{}\n"),
        ("a:\n  b:\n  c: 1\n", "a", "b", "a:\n  c: 1\n"),
        ("a: &x {q: 1}\nb: *x\nc: 2\n", "", "b", "a: &x {q: 1}\nc: 2\n"),
    ],
)
def test_delete_entry(before: str, path: str, name: str, after: str) -> None:
    mapping = mapping_at(before, path)
    assert apply(before, delete_entry(mapping, entry_of(mapping, name))) == after


@pytest.mark.parametrize(
    ("before", "index", "after"),
    [
        ("a:\n- b # x\n# about c\n- c\n", 0, "a:\n# about c\n- c\n"),
        ("a:\n- b\n- c: 1\n  d: 2 # y\n- e\n", 1, "a:\n- b\n- e\n"),
        ("a:\n  - b\n", 0, "a:\n  []\n"),
        ("a: [b, c, d]\n", 1, "a: [b, d]\n"),
        ("a: [b, c, d]\n", 2, "a: [b, c]\n"),
        ("a: [b]\n", 0, "a: []\n"),
        ("a:\n-\n- b\n", 0, "a:\n- b\n"),
        ("a:\n-  # none - at all\n  b: 1\n- c\n", 0, "a:\n- c\n"),
    ],
)
def test_delete_item(before: str, index: int, after: str) -> None:
    assert apply(before, delete_item(sequence_at(before, "a"), index)) == after


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ("a:\n  b: 1 # x\nc: 2\n", "a", 5, "a:\n  b: 1 # x\n  new: 5\nc: 2\n"),
        ("a: 1", "", {"x": [1]}, "a: 1\nnew:\n  x:\n  - 1"),
        ("a:\r\n- b: |\r\n    x\r\n", "a[0]", "z", "a:\r\n- b: |\r\n    x\r\n  new: z\r\n"),
        ("a: {b: 1}\n", "a", [1], "a: {b: 1, new: [1]}\n"),
        # The empty lines belong to the text above them.
        ("a:\n  b: |+\n    x\n\n\nc: 1\n", "a", 1, "a:\n  b: |+\n    x\n\n\n  new: 1\nc: 1\n"),
        ("a:\n  b: |\n    x\n\n\nc: 1\n", "a", 1, "a:\n  b: |\n    x\n  new: 1\n\n\nc: 1\n"),
        ("a: {}\n", "a", 1, "a: {new: 1}\n"),
        (
            "a:\n  b:\n    - c # d\n\n# e\nf: 1\n",
            "a",
            1,
            "a:\n  b:\n    - c # d\n  new: 1\n\n# e\nf: 1\n",
        ),
        # Deeper comments belong to what stands above them.
        (
            "a:\n  b:\n    - c\n\n    # - d\n  # e\nf: 1\n",
            "a",
            1,
            "a:\n  b:\n    - c\n\n    # - d\n  new: 1\n  # e\nf: 1\n",
        ),
        ("a:\n  b: 1\n    # c", "a", 1, "a:\n  b: 1\n    # c\n  new: 1"),
        # A block scalar at the end needs a line end.
        ("a: 1", "", ["x\ny\n"], "a: 1\nnew:\n- |\n  x\n  y\n"),
    ],
)
def test_insert_entry(before: str, path: str, value: object, after: str) -> None:
    assert apply(before, [insert_entry(mapping_at(before, path), "new", value)]) == after


@pytest.mark.parametrize(
    ("before", "index", "after"),
    [
        ("a:\n- b # x\n", None, "a:\n- b # x\n- p: 1\n  m: 2\n"),
        ("a:\n  - b\n  - c\n", 1, "a:\n  - b\n  - p: 1\n    m: 2\n  - c\n"),
        ("a:\n  # first\n  - b\n", 0, "a:\n  # first\n  - p: 1\n    m: 2\n  - b\n"),
        ("a: [b]\n", None, "a: [b, {p: 1, m: 2}]\n"),
        ("a: [b]\n", 0, "a: [{p: 1, m: 2}, b]\n"),
        ("a: []\n", None, "a: [{p: 1, m: 2}]\n"),
    ],
)
def test_insert_item(before: str, index: int | None, after: str) -> None:
    edit = insert_item(sequence_at(before, "a"), {"p": 1, "m": 2}, index=index)
    assert apply(before, [edit]) == after


@pytest.mark.parametrize(
    ("before", "value", "after"),
    [
        ("a: 1 # x\nb: 2\n", "yes", 'a: "yes" # x\nb: 2\n'),
        ("a: # x\n", 5, "a: 5 # x\n"),
        ("a:\n", {"b": 1}, "a:\n  b: 1\n"),
        ("a: 1 # x\n", [1, 2], "a:\n- 1\n- 2 # x\n"),
        ("a:\n  b: 1\n  c: 2 # x\n", {"d": 1}, "a:\n  d: 1 # x\n"),
        ("a:\n  b: 1\n", 5, "a: 5\n"),
        ("a: {b: 1}\n", {"c": 2}, "a:\n  c: 2\n"),
        ("{a: 1}\n", {"c": 2}, "{a: {c: 2}}\n"),
    ],
)
def test_replace_value(before: str, value: object, after: str) -> None:
    mapping = mapping_at(before)
    assert apply(before, [replace_value(mapping, entry_of(mapping, "a"), value)]) == after


def test_rename_and_replace_node() -> None:
    source = "spec:\n  'allocationmode': all # x\n"
    mapping = mapping_at(source, "spec")
    entry = entry_of(mapping, "allocationmode")
    edits = [rename_key(entry, "allocationMode"), replace_node(entry.value, "All")]
    assert apply(source, edits) == "spec:\n  allocationMode: All # x\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"cuont": 1}', '{"count": 1}'),
        ('{"cuont":"1"}', '{"count":"1"}'),
        ("{'cuont':\"1\"}", '{"count":"1"}'),
        ("{cuont: 1}", "{count: 1}"),
        ("'cuont': 1", "count: 1"),
        ("'cuont':\n  a: 1", "count:\n  a: 1"),
    ],
)
def test_a_renamed_key_is_still_a_key(before: str, after: str) -> None:
    entry = entry_of(mapping_at(before), "cuont")
    assert apply(before, [rename_key(entry, "count")]) == after


def test_what_a_merge_brought_in_is_not_edited() -> None:
    source = "a: &x {k: 1}\nb:\n  <<: *x\n  c: 2\n"
    mapping = mapping_at(source, "b")
    with pytest.raises(EditError):
        delete_entry(mapping, entry_of(mapping, "k"))
    with pytest.raises(EditError):
        rename_key(entry_of(mapping, "k"), "z")


def test_overlapping_edits_are_rejected() -> None:
    first, second = Edit(Span(1, 1, 1, 4), "x"), Edit(Span(1, 3, 1, 5), "y")
    with pytest.raises(OverlapError):
        apply("abcdef", [first, second])
    fixes = [
        Fix("one", (first,)),
        Fix("two", (second,)),
        Fix("three", (Edit(Span(1, 5, 1, 6), ""),)),
    ]
    assert [fix.title for fix in compatible("abcdef", fixes)] == ["one", "three"]
    assert (
        apply("abcdef", [Edit(Span(1, 4, 1, 4), "1"), first, Edit(Span(1, 4, 1, 4), "2")])
        == "x12def"
    )


# Laws: an edit of the text does to the data what it says, whatever the data and its style.

KEYS = st.sampled_from(["name", "count", "a", "selectors", "x y", "yes", "1"])
LEAVES: st.SearchStrategy[object] = st.sampled_from(
    [1, 2.5, "x", "yes", "a: b", "l1\nl2\n", "l1\n\nl2", "l1\n\n\n", None, True, "", [], {}]
)
DATA = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(KEYS, inner, min_size=1, max_size=4)
    ),
    max_leaves=8,
)
MAPPINGS = st.dictionaries(KEYS, DATA, min_size=1, max_size=4)


def write(data: object, flow: bool, newline: str, nested: bool) -> str:
    """A document with the data under `top`, in an item or directly, with comments around."""
    if nested:
        body = render_flow(data) if flow else render_block(data, 2, newline)
        return f"# head{newline}top:{newline}- {body} # tail{newline}- 1{newline}"
    body = render_flow(data) if flow else newline + "  " + render_block(data, 2, newline)
    return f"# head{newline}top: {body} # tail{newline}last: 1{newline}"


def safe_tail(source: str, data: dict[str, Any]) -> bool:
    """Whether the comment after the data is one: not in a block scalar."""
    root = load(source.encode()).documents[0].data
    return isinstance(root, dict) and data in (
        root["top"],
        root["top"][0] if isinstance(root["top"], list) else None,
    )


@settings(max_examples=300, deadline=None)
@given(MAPPINGS, st.booleans(), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.data())
def test_edits_do_to_the_data_what_they_say(
    data: dict[str, Any], flow: bool, newline: str, nested: bool, draw: st.DataObject
) -> None:
    source = write(data, flow, newline, nested)
    if not safe_tail(source, data):
        source = source.replace(" # tail", "")
    path = "top[0]" if nested else "top"
    mapping = mapping_at(source, path)
    name = draw.draw(st.sampled_from(sorted(data)))
    entry = entry_of(mapping, name)
    expected = copy.deepcopy(data)
    action = draw.draw(
        st.sampled_from(["delete", "insert", "replace", "rename", "nest", "nest+hoist"])
    )
    if action == "delete":
        edits = delete_entry(mapping, entry)
        del expected[name]
    elif action == "insert":
        value = draw.draw(DATA)
        edits = [
            insert_entry(mapping, "new", value, after=draw.draw(st.sampled_from([None, entry])))
        ]
        expected["new"] = value
    elif action == "replace":
        value = draw.draw(DATA)
        edits = [replace_value(mapping, entry, value)]
        expected[name] = value
    elif action == "rename":
        edits = [rename_key(entry, "other")]
        expected["other"] = expected.pop(name)
    else:
        names = draw.draw(st.lists(st.sampled_from(sorted(data)), min_size=1, unique=True))
        edits = nest(mapping, names, "under")
        expected = {k: v for k, v in data.items() if k not in names}
        expected["under"] = {k: data[k] for k in names}
    result = apply(source, edits)
    stream = load(result.encode())
    assert not list(stream.all_problems()), result
    holder: Any = stream.documents[0].data
    top = holder["top"]
    assert (top[0] if nested else top) == expected, result
    assert result.startswith(f"# head{newline}")
    assert ("\n" in result.replace("\r\n", "")) == (newline == "\n")
    if action == "nest+hoist":
        nested_mapping = mapping_at(result, path)
        back = apply(result, hoist(nested_mapping, entry_of(nested_mapping, "under")))
        holder = load(back.encode()).documents[0].data
        again = holder["top"]
        assert (again[0] if nested else again) == data, back

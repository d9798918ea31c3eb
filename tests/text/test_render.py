"""Rendered data reads back as the same data."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.text.documents import load
from dradsl.text.render import render_block, render_flow, render_scalar

TRICKY = st.sampled_from(
    [
        "yes", "y", "010", "1e3", "null", "~", "", " a", "a ", "a: b", "a #b", "- a", "-", "? a",
        "a:", "{a}", "[", "'x'", '"x"', "<<", "=", "> a", "| a", "@a", "`a", "%a", "&a", "*a", "!a",
        "a?b", "---", "...", "a\nb", "a\nb\n", "\na", " a\nb", "a\n\n\n", "\t", "a\tb", "é", "\x85", "\ufeff",
        "\x00", "device.attributes['a'].b == \"x\" && true", "1_000", "0x1F", ".5", "2001-01-01",
        "a,b", "80Gi", "gpu.nvidia.com", "#", "a\r\nb", "\u2028", "-1", "+1", ".", "..", "1.2.3",
    ]
)  # fmt: skip
TEXT = TRICKY | st.text(max_size=12)
SCALARS = TEXT | st.booleans() | st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e9, 1e9)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


def read(source: str) -> object:
    stream = load(source.encode("utf-8", "surrogatepass"))
    assert not list(stream.all_problems()), (source, stream.documents)
    return stream.documents[0].data if stream.documents else None


@settings(max_examples=300, deadline=None)
@given(DATA)
def test_block_style_reads_back(data: object) -> None:
    assert read(render_block({"k": data}) + "\n") == {"k": data}
    assert read("- " + render_block({"k": data, "l": 1}, 2) + "\n") == [{"k": data, "l": 1}]


@settings(max_examples=300, deadline=None)
@given(DATA)
def test_flow_style_reads_back(data: object) -> None:
    assert read(render_flow({"k": data, "l": [data]})) == {"k": data, "l": [data]}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("gpu.nvidia.com", "gpu.nvidia.com"),
        ("yes", '"yes"'),
        ("a: b", '"a: b"'),
        ('x == "y"', "'x == \"y\"'"),
        (1.5, "1.5"),
        (None, "null"),
        (True, "true"),
    ],
)
def test_scalars_look_like_hand_written_ones(value: str | float | None, text: str) -> None:
    assert render_scalar(value) == text


def test_block_style_looks_like_a_manifest() -> None:
    data = {"spec": {"requests": [{"name": "gpu", "exactly": {"count": 2}}], "text": "a\nb\n"}}
    assert render_block(data) == (
        "spec:\n  requests:\n  - name: gpu\n    exactly:\n      count: 2\n  text: |\n    a\n    b"
    )

"""What is rendered is text to every reader of YAML that is text to kubectl."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given, strategies as st
from ruamel.yaml import YAML

from dradsl.text.render import render_block, render_flow

TEXTS = [
    "0003:00:02.0", "0000:08:00.2", "2025-12-21T15:26:56Z", "2025-12-21", "190:20:30", "1:2", "-1:20",
    "2001-12-14t21:59:43.10-05:00", "2001-1-1 1:00:00", "1_000", "0b101", "0o17", "017", "0x1F", "1e3",
    "1.e5", ".5", "+1", "yes", "No", "on", "y", "n", "~", "null", "", "=", "<<", ".inf", ".NaN", "1.2.3",
    "10.0.0.1", "GPU-1:2", "a:b", "0000:19", "12:30:45.5", "1_0:30", "08", "00:1a:2b",
]  # fmt: skip


def readers(text: str) -> list[object]:
    return [
        yaml.safe_load(text),
        YAML(typ="safe", pure=True).load(text),
        YAML(typ="rt").load(text),
    ]


@pytest.mark.parametrize("value", TEXTS)
def test_texts_stay_texts(value: str) -> None:
    for text in (render_block({"k": [value], value: 1}), render_flow({"k": [value], value: 1})):
        for read in readers(text):
            assert read == {"k": [value], value: 1}, text


@example("-_")
@example("+_1")
@given(st.text("0123456789:.-_+eExobTZt yn/~aA", min_size=1, max_size=14))
def test_any_text(value: str) -> None:
    for read in readers(render_block({"k": value})):
        assert read == {"k": value}

"""A character of a decoded string leads back to the very character in the file."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.text.characters import character_ranges, span_in_scalar
from dradsl.text.documents import load
from dradsl.text.nodes import MappingNode, ScalarNode

EXPRESSION = "device.attributes['gpu.example.com'].model == \"H100\""


def scalar_at(source: str, key: str = "expression") -> ScalarNode:
    """The first value under `key`, at any depth."""
    pending = [load(source.encode()).documents[0].root]
    while pending:
        node = pending.pop()
        if isinstance(node, MappingNode):
            for entry in node.entries:
                if entry.name == key and isinstance(entry.value, ScalarNode):
                    return entry.value
                pending.append(entry.value)
        elif node is not None and not isinstance(node, ScalarNode):
            pending += node.items
    raise AssertionError(f"no {key} in {source!r}")


SOURCES = {
    "plain": "expression: device.driver == x\n",
    "plain folded": "a:\n  expression: device.driver\n     == x  # comment\n",
    "plain empty line": "a:\n  expression: device\n\n\n    driver == x\nb: 1\n",
    "plain in flow": "a: {expression: device.driver\n  == x, b: 1}\n",
    "single": "expression: 'device.attributes[''a''].x'\n",
    "single folded": "a:\n  expression: 'device   \n\n    .x ''\n    y'\n",
    "double": 'expression: "device.attributes[\\"a\\"].x\\t\\u00e9\\x41\\U0001F600z"\n',
    "double folded": 'a:\n  expression: "device \n    .x\\\n      .y  \\\n    z\n\n    w"\n',
    "literal": "a:\n- expression: |\n    device.x &&\n      device.y\n\n    || z\n",
    "literal strip": "a:\n  expression: |-\n    x\n    y\n\n\nb: 1\n",
    "literal keep": "a:\n  expression: |+\n    x\n    y\n\n\nb: 1\n",
    "literal indented": "a:\n  expression: |2-\n      x\n    y\nb: 1\n",
    "literal comment": "a:\n  expression: | # why\n\n\n    x\n    y",
    "literal crlf": "a:\r\n  expression: |\r\n    x &&\r\n    y\r\nb: 1\r\n",
    "folded": "a:\n  expression: >\n    x &&\n    y\n\n    z\n      more\n      deep\n    end\nb: 1\n",
    "folded strip": "a:\n  expression: >-\n    x &&\n    y\n\n\n",
    "folded indented": "a:\n  expression: >1\n     x\n   y\n   z\nb: 1\n",
    "folded crlf": "a:\r\n  expression: >\r\n    x &&\r\n    y\r\n\r\n    z\r\n",
    "anchor and tag": "a:\n  expression: &e !!str 'x y'\nb: *e\n",
    "empty": "expression: ''\n",
}


@pytest.mark.parametrize("name", SOURCES)
def test_each_style_leads_back(name: str) -> None:
    source = SOURCES[name]
    node = scalar_at(source)
    ranges = character_ranges(node)
    assert ranges is not None
    assert len(ranges) == len(node.text)
    assert ranges == sorted(ranges)
    for character, (start, end) in zip(node.text, ranges, strict=True):
        if character.isalnum() and end - start == 1:
            assert source[start:end] == character
        elif character not in " \n":
            assert source[start] in ("\\", "'", character)


@pytest.mark.parametrize(
    ("source", "position"),
    [
        ("expression: device.modle\n", (1, 20)),
        ("a:\n  expression: |\n    true &&\n    device.modle\n", (4, 12)),
        ("a:\n  expression: >-\n    true &&\n    device.modle\n", (4, 12)),
        ('expression: "\\"\\u0041\\" + device.modle"\n', (1, 34)),
        ("expression: 'a''b''' # c\n", None),
    ],
)
def test_position_of_a_word(source: str, position: tuple[int, int] | None) -> None:
    node = scalar_at(source)
    start = node.text.find("modle")
    span = span_in_scalar(node, start, start + 5)
    if position is None:
        assert start == -1
    else:
        assert (span.line, span.column) == position
        assert span.end_column == span.column + 5


def test_positions_in_redundant_json() -> None:
    source = '{"kind": "A"}{"expression": "\\ud83d\\ude00x"}'
    stream = load(source.encode())
    root = stream.documents[1].root
    assert isinstance(root, MappingNode)
    node = root.get("expression")
    assert isinstance(node, ScalarNode)
    assert node.text == "\N{GRINNING FACE}x"
    ranges = character_ranges(node)
    assert ranges is not None
    assert source[slice(*ranges[0])] == "\\ud83d\\ude00"
    assert source[slice(*ranges[1])] == "x"


# Property: plant random CEL text in every style; the reported character is the one planted.

WORDS = st.text(alphabet="abc.'\"[]()&|=!<>0159\\é😀{}:,-#%*?", min_size=1, max_size=6)
LINES = st.lists(
    st.tuples(st.integers(0, 3), st.lists(WORDS, min_size=0, max_size=4)), min_size=1, max_size=6
)
SPECIAL = re.compile(r"[#:,\[\]{}&*!|>'\"%?-]")
STYLES = ("literal", "folded", "single", "double", "plain")


def plant(style: str, lines: list[tuple[int, list[str]]], indent: int, newline: str) -> str:
    """YAML source of a document with these lines as the value of `expression`."""
    if style == "plain":
        lines = [(extra, [SPECIAL.sub("", word) for word in words]) for extra, words in lines]
    texts = [" " * extra + " ".join(words) for extra, words in lines]
    margin = " " * indent
    if style in ("literal", "folded"):
        header = {"literal": "|", "folded": ">"}[style] + str(indent - 2) + "-"
        body = newline.join(f"{margin}{text}" if text.strip() else text[:indent] for text in texts)
        return f"a:{newline}  expression: {header}{newline}{body}{newline}b: 1{newline}"
    joined = f"{newline}{margin}".join(text.strip() for text in texts)
    if style == "single":
        quoted = joined.replace("'", "''")
        return f"a:{newline}  expression: '{quoted}'{newline}b: 1{newline}"
    if style == "double":
        quoted = joined.replace("\\", "\\\\").replace('"', '\\"').replace("é", "\\u00e9")
        return f'a:{newline}  expression: "{quoted}"{newline}b: 1{newline}'
    return f"a:{newline}  expression: x{joined}{newline}b: 1{newline}"


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(STYLES), LINES, st.integers(3, 6), st.sampled_from(["\n", "\r\n"]))
def test_planted_text_is_found_again(
    style: str, lines: list[tuple[int, list[str]]], indent: int, newline: str
) -> None:
    source = plant(style, lines, indent, newline)
    stream = load(source.encode())
    assert stream.documents[0].data is not None, stream.documents[0].problems
    node = scalar_at(source)
    ranges = character_ranges(node)
    assert ranges is not None, (source, node.text)
    planted = "".join(word for _, words in lines for word in words)
    if style == "plain":
        planted = "x" + SPECIAL.sub("", planted)
    solid = [i for i, character in enumerate(node.text) if character not in " \n"]
    found = "".join(node.text[i] for i in solid)
    assert found == planted
    for index in solid:
        start, end = ranges[index]
        written = source[start:end]
        character = node.text[index]
        assert written in (
            character,
            {"'": "''", '"': '\\"', "\\": "\\\\", "é": "\\u00e9"}.get(character),
        )
    assert [r for r, s in itertools.pairwise(ranges) if r > s] == []

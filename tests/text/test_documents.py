"""Streams: how they fall into documents, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from dradsl.diagnostics import Span
from dradsl.text.documents import Limits, expand_list, load
from dradsl.text.nodes import MappingNode, ScalarNode, SequenceNode, to_plain


def data_of(source: str | bytes) -> list[object]:
    stream = load(source.encode() if isinstance(source, str) else source)
    return [document.data for document in stream.documents]


def problems_of(source: str | bytes) -> list[tuple[str, int, int]]:
    stream = load(source.encode() if isinstance(source, str) else source)
    return [(p.reason, p.span.line, p.span.column) for p in stream.all_problems()]


@pytest.mark.parametrize(
    ("source", "data"),
    [
        ("", []),
        ("# nothing\n\n", []),
        ("---\n---\n# x\n---\n", []),
        ("null\n", []),
        ("a: 1", [{"a": 1}]),
        ("---\na: 1\n--- # second\nb: 2\n---   \nc: 3", [{"a": 1}, {"b": 2}, {"c": 3}]),
        ("a: 1\r\n---\r\nb: 2\r\n", [{"a": 1}, {"b": 2}]),
        ("a: |\n  ---\n  x\n", [{"a": "---\nx\n"}]),
        ("[1, two]\n---\ntext\n", [[1, "two"], "text"]),
        ('{"a": [1, 2.5, null]}', [{"a": [1, 2.5, None]}]),
        ('{\n\t"a": 1\n}', [{"a": 1}]),
        ('{"a": 1}{"b": "\\ud83d\\ude00\\/"}\n{"c": "\\ud83d"}', None),
        ("a: &x {b: 1}\nc: *x\n", [{"a": {"b": 1}, "c": {"b": 1}}]),
        ("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", [{"a": 1, "b": 1, "c": 2, "d": 2}]),
        # A merge fills in where it stands: what comes later wins, of several the first.
        ("a: &x {k: 1, l: 1}\nb: {<<: *x, k: 2}\n", [{"a": {"k": 1, "l": 1}, "b": {"k": 2, "l": 1}}]),
        ("a: &x {k: 1}\nb: {k: 2, <<: *x}\n", [{"a": {"k": 1}, "b": {"k": 1}}]),
        ("- &x {k: 1}\n- &y {k: 2, m: 3}\n- <<: [*x, *y]\n", [[{"k": 1}, {"k": 2, "m": 3}, {"k": 1, "m": 3}]]),
        ("1: a\nyes: b\n1.5: c\n", [{"1": "a", "true": "b", "1.5": "c"}]),
        ("a: 1\n...\n", [{"a": 1}]),
    ],
)  # fmt: skip
def test_documents(source: str, data: list[object] | None) -> None:
    if data is None:
        data = [{"a": 1}, {"b": "\N{GRINNING FACE}/"}, {"c": "\N{REPLACEMENT CHARACTER}"}]
    assert data_of(source) == data
    assert problems_of(source) == []


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks(encoding: str) -> None:
    source = "a: é\nb: 1\n".encode(encoding)
    stream = load(source)
    assert stream.documents[0].data == {"a": "é", "b": 1}
    assert stream.encode(stream.text) == source
    root = stream.documents[0].root
    assert root is not None
    assert root.span == Span(1, 1, 2, 5)


@pytest.mark.parametrize(
    ("source", "problems", "data"),
    [
        ("a: 1\n---\nb: [1\n---\nc: 3\n", [("yaml-syntax", 4, 1)], [{"a": 1}, None, {"c": 3}]),
        ("a:\n\tb: 1\n", [("tab-indent", 2, 1)], [None]),
        ("a:\n  b: 1\n \t c: 1\n", [("tab-indent", 3, 2)], [None]),
        ("a: b: c\n", [("yaml-syntax", 1, 5)], [None]),
        ("a: 'x\n---\nb: 1\n", [("yaml-syntax", 1, 4)], [None, {"b": 1}]),
        ("a: 1\nb: 2\na: 3\n", [("duplicate-key", 3, 1)], [{"a": 3, "b": 2}]),
        ("{a: 1, 'a': 2}", [("duplicate-key", 1, 8)], [{"a": 2}]),
        ("--- {a: 1}\nb: 2\n", [("separator", 1, 1)], [{"b": 2}]),
        ("a: 1\n-----BEGIN X-----\n", [("separator", 2, 1)], [{"a": 1}]),
        ("a: 1\n...\nb: 2\n", [("content-after-end", 3, 1)], [{"a": 1}]),
        ("a: *b\n", [("yaml-syntax", 1, 4)], [None]),
        ("a: &a [*a]\n", [("alias-loop", 1, 8)], [None]),
        ("? {a: 1}\n: 2\n", [("invalid-key", 1, 3)], [None]),
        ("~: 2\n", [("invalid-key", 1, 1)], [None]),
        ("a: {<<: 1}\n", [("merge-value", 1, 9)], [None]),
        ("a: .inf\n", [("unreadable-scalar", 1, 4)], [None]),
        ("a: \x01\n---\nb: 1\n", [("encoding", 1, 4)], [None, {"b": 1}]),
        (b"a: \xc3\n---\nb: 1\n", [("encoding", 1, 4)], [None, {"b": 1}]),
        (b"\x7fELF\0\xff", [("binary", 1, 1)], []),
        (b"\xff\xfea\0\0\xd8", [("encoding", 1, 1)], []),
        # go-yaml ends an unquoted text at a question mark in flow style; libyaml does not.
        ("a: {cel: x ? y}\n", [("yaml-syntax", 1, 12)], [None]),
        ("a: [b, c?]\n", [("yaml-syntax", 1, 9)], [None]),
        ("a: {cel: 'x ? y'}\nb: x ? y\n", [], [{"a": {"cel": "x ? y"}, "b": "x ? y"}]),
        ("%YAML 1.1\n---\na: 1\n", [("yaml-syntax", 2, 1)], [None, {"a": 1}]),
    ],
)
def test_problems(
    source: str | bytes, problems: list[tuple[str, int, int]], data: list[object]
) -> None:
    assert problems_of(source) == problems
    assert data_of(source) == data


def test_upstreams_words() -> None:
    def upstream(source: str) -> list[str | None]:
        return [problem.upstream for problem in load(source.encode()).all_problems()]

    assert upstream("a:\n\tb: 1\n") == [
        "error converting YAML to JSON: yaml: line 2: found character that cannot start any token"
    ]
    assert upstream("x: 1\n---\na: [1\nb: 2\n") == [
        "error converting YAML to JSON: yaml: line 1: did not find expected ',' or ']'"
    ]
    assert upstream("a: 1\na: 2\n") == [
        'yaml: unmarshal errors:\n  line 2: key "a" already set in map'
    ]
    assert upstream("---x\n") == ["invalid Yaml document separator: x"]


def test_messages_name_lines_of_the_file() -> None:
    stream = load(b"x: 1\n---\n\na: [1\nb: 2\n")
    message = next(stream.all_problems()).message
    assert message.endswith("while parsing a flow sequence that begins on line 4")


def test_duplicates_name_the_first_key() -> None:
    problem = next(load(b"a: 1\nb:\n  c: 1\n  c: 2\n").all_problems())
    assert problem.span == Span(4, 3, 4, 4)
    assert problem.related == Span(3, 3, 3, 4)
    assert not problem.fatal


BOMB = "a: &a0 [x, x]\n" + "".join(
    f"b{i}: &a{i} [*a{i - 1}, *a{i - 1}, *a{i - 1}]\n" for i in range(1, 40)
)
MERGES = "a: &a0 {x: 1}\n" + "".join(
    f"b{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}, *a{i - 1}], k{i}: 1}}\n" for i in range(1, 40)
)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("[" * 200_000, "too-deep"),
        ("[" * 129 + "]" * 129, "too-deep"),
        ("{a: " * 50_000, "too-deep"),
        ("- " * 200_000, "too-deep"),
        ("? " * 50_000, "too-deep"),
        ("".join(" " * i + "a:\n" for i in range(500)), "too-deep"),
        (" " * 150 + "- " * 150 + "x", "too-deep"),
        ('{"a":' * 200_000, "too-deep"),
        (BOMB, "alias-bomb"),
        (MERGES, "alias-bomb"),
        ("a: &a0 [x]\n" + "".join(f"b{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 135)), "too-deep"),
        ("a: 1\n" * 600_000, "too-large"),
        ("x" * (16 * 1024 * 1024 + 1), "too-large"),
        ("a: 'it\n" * 3, "yaml-syntax"),
    ],
    ids=lambda value: value[:12].strip(),
)
def test_bombs_are_one_problem(source: str, reason: str) -> None:
    stream = load(source.encode())
    assert [problem.reason for problem in stream.all_problems()] == [reason]
    assert [document.root for document in stream.documents] == [None]


def test_depth_that_is_allowed() -> None:
    depth = 100
    assert data_of("[" * depth + "]" * depth)
    stream = load(("- " * depth + "x").encode())
    assert to_plain(stream.documents[0].root) == stream.documents[0].data
    chain = "a: &a0 [x]\n" + "".join(f"b{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 40))
    assert problems_of(chain) == []


def test_limits_of_the_caller() -> None:
    limits = Limits(max_bytes=10, max_document=100, max_depth=2, max_nodes=5)
    assert [p.reason for p in load(b"a: 1234567890", limits).problems] == ["too-large"]
    assert [p.reason for p in load(b"[[[1]]]", limits).all_problems()] == ["too-deep"]


def test_very_many_documents() -> None:
    stream = load(b"---\na: 1\n" * 20_000)
    assert len(stream.documents) == 20_000
    assert stream.documents[-1].index == 19_999
    last = stream.documents[-1].root
    assert last is not None
    assert last.span.line == 40_000


def test_source_comments_of_helm() -> None:
    source = "---\n# Source: c/templates/a.yaml\na: 1\n---\n# x\n\n# Source: c/b.yaml \nb: 1\n---\nc: '# Source: no'\n"
    documents = load(source.encode()).documents
    assert [document.source_comment for document in documents] == [
        "c/templates/a.yaml",
        "c/b.yaml",
        None,
    ]


@pytest.mark.parametrize(
    ("source", "template"),
    [
        ("a: {{ .Values.a }}\n", True),
        ("{{- if .Values.on }}\na: 1\n{{- end }}\n", True),
        ('a: "{{ .Release.Name }}-x"\n', True),
        ("a: |\n  {{ include \"c.labels\" . | nindent 4 }}\n", True),
        ("a: 1\n---\n{{ range .Values.x }}\n", True),
        # Workflows and alert rules hold braces in strings, and are YAML.
        ('a: "{{workflow.parameters.x}}"\n', False),
        ("a: '{{ $labels.pod }} is down'\n", False),
        ("a: {b: {c: 1}}\n", False),
        ("a: [1\n", False),
    ],
)  # fmt: skip
def test_helm_templates_are_told_from_yaml(source: str, template: bool) -> None:
    assert load(source.encode()).is_template is template


def test_lists_are_expanded() -> None:
    nested = {"kind": "List", "items": [{"a": 1}, {"items": [{"b": 2}, None]}]}
    assert list(expand_list(nested)) == [
        (("items", 0), {"a": 1}),
        (("items", 1, "items", 0), {"b": 2}),
        (("items", 1, "items", 1), None),
    ]
    assert list(expand_list({"kind": "Pod"})) == [((), {"kind": "Pod"})]
    assert list(expand_list({"items": []})) == []
    assert list(expand_list("text")) == [((), "text")]


def test_nodes_know_their_place() -> None:
    source = "a: 1\n---\nspec: # x\n  é: [1, 'two', {k: v}]\n  text: |\n    x\n    y\n\n# end\n"
    root = load(source.encode()).documents[1].root
    assert isinstance(root, MappingNode)
    spec = root.get("spec")
    assert isinstance(spec, MappingNode)
    assert spec.span == Span(4, 3, 7, 6)
    entry = spec.entry("é")
    assert entry is not None
    assert entry.key.span == Span(4, 3, 4, 4)
    assert entry.value.span == Span(4, 6, 4, 24)
    text = spec.get("text")
    assert isinstance(text, ScalarNode)
    assert (text.style, text.value) == ("|", "x\ny\n")
    assert text.span == Span(5, 9, 7, 6)


def test_aliases_and_merges_keep_their_places() -> None:
    source = "a: &x {k: 1}\nb: *x\nc:\n  <<: *x\n  l: 2\nd: [*x]\n"
    root = load(source.encode()).documents[0].root
    assert isinstance(root, MappingNode)
    b, c, d = root.entry("b"), root.get("c"), root.get("d")
    assert b is not None
    assert b.alias == Span(2, 4, 2, 6)
    assert b.value is root.get("a")
    assert isinstance(c, MappingNode)
    assert [(entry.name, entry.merged) for entry in c.entries] == [("k", True), ("l", False)]
    assert isinstance(d, SequenceNode)
    assert d.aliases == (Span(6, 5, 6, 7),)


TEXTS = st.text(alphabet="ab: \n\t-[]{}'\"#&*!|>%@`,?0.~<=\\é\r", max_size=60)


@settings(max_examples=400, deadline=None)
@given(TEXTS | st.lists(TEXTS, max_size=4).map("\n---\n".join))
def test_any_text_is_read_or_has_a_problem_in_the_text(source: str) -> None:
    stream = load(source.encode())
    lines = source.split("\n")
    for problem in stream.all_problems():
        assert 1 <= problem.span.line <= len(lines)
        assert 1 <= problem.span.column <= len(lines[problem.span.line - 1]) + 1
        assert problem.message
    for document in stream.documents:
        fatal = any(problem.fatal for problem in document.problems)
        assert fatal == (document.root is None)
        if not fatal:
            assert to_plain(document.root) == document.data


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_survived(data: bytes) -> None:
    stream = load(data)
    for document in stream.documents:
        assert document.span.line >= 1
    if not stream.problems:
        assert stream.encode(stream.text) == data


def test_equal_fields_of_objects_are_kept_once() -> None:
    one = "kind: A\nmetadata: {name: x}\nspec: {count: 1, list: [a, {b: 2.5}]}\n"
    others = (
        one.replace("count: 1", "count: true"),
        one.replace("count: 1", "count: '1'"),
        one.replace("2.5", "2"),
        one.replace("count: 1", "count: &n 1").replace("2.5", "*n"),
        "kind: A\nspec: text\n",
        "- a\n",
        one,
    )
    stream = "---\n".join((one, *others, "#" * 256 * 1024))  # short ones are not worth it
    found: list[Any] = [each.data for each in load(stream.encode()).documents]
    alone: list[Any] = [load(text.encode()).documents[0].data for text in (one, *others)]
    assert list(map(repr, found)) == list(map(repr, alone))
    assert found[-1]["spec"] is found[0]["spec"]
    assert found[-1]["metadata"] is not found[0]["metadata"]
    assert all(each["spec"] is not found[0]["spec"] for each in found[1:5])

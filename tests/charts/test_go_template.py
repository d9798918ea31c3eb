"""Go templates as trees: what is text and what an action, how blocks nest, and that time grows with the length alone."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from dradsl.tree.charts.go_template import (
    OPENING,
    Action,
    Block,
    Template,
    TextNode,
    actions_in,
    parse,
)

# Text, actions, parts of both, and what looks like neither.
PIECES = (
    "a: b\n", " ", "\n", "{{", "}}", "{", "}", "-", '"', "`", "'", "\\", "/*", "*/", "ü",
    "{{ .Values.x }}", "{{- toYaml .x | nindent 4 -}}", "{{/* a }} b */}}", '{{ "}}" }}', "{{ `}}\n` }}",
    "{{ '\"' }}", "{{ if .x }}", "{{- with $.y -}}", "{{ range $i, $e := .z }}", '{{ define "n" }}',
    "{{ else }}", "{{ else if .w }}", "{{ end }}", "{{- end -}}", "{{-3}}",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def spans(template: Template) -> list[tuple[int, int]]:
    """The offsets of all texts and actions, in the order of the tree."""

    def of(node: object) -> list[tuple[int, int]]:
        if isinstance(node, TextNode | Action):
            return [(node.start, node.end)]
        assert isinstance(node, Block)
        found = []
        for branch in node.branches:
            found += [*of(branch.action), *(span for each in branch.nodes for span in of(each))]
        return [*found, *([] if node.end_action is None else of(node.end_action))]

    return [span for each in template.nodes for span in of(each)]


@given(TEXTS)
def test_the_tree_holds_the_whole_text_once(text: str) -> None:
    template = parse(text)
    found = spans(template)
    assert "".join(text[start:end] for start, end in found) == text
    assert [end for _, end in found[:-1]] == [start for start, _ in found[1:]]
    assert template.actions == tuple(actions_in(text))


@given(TEXTS)
def test_blocks_lie_within_each_other(text: str) -> None:
    for block in parse(text).blocks():
        assert block.opening.word in OPENING
        assert all(each.action.word == "else" for each in block.branches[1:])
        assert block.end_action is None or block.end_action.word == "end"
        assert block.start < block.body[0] <= block.body[1] <= block.end
        inside = parse(text[slice(*block.body)])
        assert [*inside.blocks()] or not any(
            isinstance(each, Block) for branch in block.branches for each in branch.nodes
        )


@given(TEXTS)
def test_actions_hold_what_stands_between_their_delimiters(text: str) -> None:
    for each in actions_in(text):
        whole = text[each.start : each.end]
        assert whole.startswith("{{")
        assert whole.endswith("}}")
        assert text[each.at : each.at + len(each.inner)] == each.inner
        assert each.inner.startswith(each.word)
        assert each.inner.endswith(each.rest)


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("{{.x}}", ".x"),
        ("{{- .x -}}", ".x"),
        ("{{-3}}", "-3"),
        ("{{ -3 }}", "-3"),
        ('{{ "a}}b" }}', '"a}}b"'),
        ('{{ "a\\"}}b" }}', '"a\\"}}b"'),
        ('{{ `a\n}}"b` }}', '`a\n}}"b`'),
        ("{{ eq .x '\"' }}", "eq .x '\"'"),
        ("{{/* it's }} \" */}}", "/* it's }} \" */"),
        ("{{- /* a\nb */ -}}", "/* a\nb */"),
        ("{{ if (eq .a\n  .b) }}", "if (eq .a\n  .b)"),
        ('{{ dict "a" (dict "b" "}") }}', 'dict "a" (dict "b" "}")'),
        # What Go rejects: a quote that its line does not close.
        ('{{ "a }}', '"a'),
        ("{{}}", ""),
        ("{{-}}", ""),
    ],
)
def test_one_action(text: str, inner: str) -> None:
    (found,) = actions_in(f"x {text} y")
    assert (found.inner, found.start, found.end) == (inner, 2, 2 + len(text))


@pytest.mark.parametrize("text", ["{{", "a }} b", "{ {x} }", "{{ .x }", "{{/* a }", "{{ `a }"])
def test_no_action(text: str) -> None:
    assert parse(text).nodes == (TextNode(0, len(text)),)


def shape(template: Template) -> str:
    """The blocks of a template with their branches, in brackets."""

    def of(node: object) -> str:
        if not isinstance(node, Block):
            return "." if isinstance(node, TextNode) else "a"
        said = [
            f"{each.action.word} {each.action.rest}".strip() + ":" + "".join(map(of, each.nodes))
            for each in node.branches
        ]
        return f"({' | '.join(said)}{'' if node.end_action else ' …'})"

    return "".join(map(of, template.nodes))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x{{ if .a }}y{{ end }}z", ".(if .a:.)."),
        (
            "{{ if .a }}{{ else if .b }}y{{ else }}{{ .c }}{{ end }}",
            "(if .a: | else if .b:. | else:a)",
        ),
        ("{{ range .a }}{{ with .b }}{{ .c }}{{ end }}{{ end }}", "(range .a:(with .b:a))"),
        ('{{ define "n" }}x{{ end }}{{ block "m" . }}{{ end }}', '(define "n":.)(block "m" .:)'),
        ("{{ end }}x{{ else }}", "a.a"),
        ("{{ if .a }}x{{ with .b }}", "(if .a:.(with .b: …) …)"),
        ("{{ endpoint }}{{ ifx }}{{ .if }}", "aaa"),
        ("{{/* if */}}{{ end }}", "aa"),
    ],
)
def test_blocks(text: str, expected: str) -> None:
    assert shape(parse(text)) == expected


@pytest.mark.parametrize(
    "part",
    [
        "{{",
        "{{ `",
        "{{/*",
        '{{ "',
        '\\"',
        "{{ if .a }}",
        "{{ end }}",
        "{{ ' ",
        '{{ "a" }}',
        "{{- /* */ -}}",
    ],
)
def test_work_grows_with_the_length(part: str) -> None:
    """A hundred thousand parts: what is not linear takes hours."""
    text = '{{ "' + part * 100_000
    template = parse(text)
    assert sum(1 for _ in template.blocks()) in (0, 99_999, 100_000)

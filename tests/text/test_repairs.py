"""Texts that are no YAML and have one obvious repair, and those that have none."""

from __future__ import annotations

import pytest
import yaml

from dradsl.text.documents import Document, load
from dradsl.text.repairs import repairs_of

HEAD = "apiVersion: v1\nkind: X\n"


def document_of(text: str) -> Document:
    [document] = load((HEAD + text).encode()).documents
    return document


def repaired(text: str) -> str:
    document = document_of(text)
    found = document.text
    for repair in repairs_of(document):
        found = repair.applied(found)
    return found.removeprefix(HEAD)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a:\n\tb: 1\n", "a:\n  b: 1\n"),
        ("a:\n  b: 1\n\tc: 2\n", "a:\n  b: 1\n  c: 2\n"),
        ("a:\n\tb:\n\t\tc: 1\n\td: 2\n", "a:\n  b:\n    c: 1\n  d: 2\n"),
        ("a:\n  b:1\n  c: 2\n", "a:\n  b: 1\n  c: 2\n"),
        ("a:\n  b: 1\n  c\n  - d\n", "a:\n  b: 1\n  c:\n  - d\n"),
        ("a:\n  b: 1\n   c: 2\n", "a:\n  b: 1\n  c: 2\n"),
        ("a:\n  b:\n    c: 1\n   d: 2\n", "a:\n  b:\n    c: 1\n    d: 2\n"),
        ("a:\n  - b: 1\n  -c: 2\n", "a:\n  - b: 1\n  - c: 2\n"),
        ("a: [b\nc: 1\n", "a: [b]\nc: 1\n"),
        ("a: {b: 1\nc: 1\n", "a: {b: 1}\nc: 1\n"),
        ('a: "b\nc: 1\n', 'a: "b"\nc: 1\n'),
        ('a: "b # why\nc: "d"\n', 'a: "b" # why\nc: "d"\n'),
        ('a: "b["c"] == "d""\n', 'a: \'b["c"] == "d"\'\n'),
        ('a: "b" == c\n', "a: '\"b\" == c'\n"),
        ('a: "b" == "c"\n', 'a: \'"b" == "c"\'\n'),
        ("a: 'b['c'] == 1\n", "a: 'b[''c''] == 1'\n"),
        ("$ kubectl get x -o yaml\na: 1\n", "\na: 1\n"),
        ("a: 1\n–--\nb: 1\n", "a: 1\n---\nb: 1\n"),
        ("a: |\nb == 1\nc: 2\n", "a: |\n  b == 1\nc: 2\n"),
        ("```yaml\na: 1\n```\n", "\na: 1\n\n"),
        ("a:\n  b: 1\n  ...\n", "a:\n  b: 1\n\n"),
        ("a: `b`\n", "a: '`b`'\n"),
        ("a:\n  b: 1\n\tc: 2\n  d:1\ne: [1\n", "a:\n  b: 1\n  c: 2\n  d: 1\ne: [1]\n"),
    ],
)
def test_a_repair(text: str, wanted: str) -> None:
    assert document_of(text).data is None
    assert repaired(text) == wanted
    assert [*yaml.safe_load_all(HEAD + wanted)]


@pytest.mark.parametrize("text", ["a: *b\n", "a: &\n b: 1\n : [\n", "a: {{ b }}\n- c\n"])
def test_no_repair(text: str) -> None:
    assert repairs_of(document_of(text)) == ()


def test_other_texts_are_left_as_they_are() -> None:
    [document] = load(b"a:\n\tb: 1\n").documents
    assert repairs_of(document) == ()
    [twice] = load(b"apiVersion: v1\nkind: A\na: 1\napiVersion: v1\nkind: B\n").documents
    assert [repair.applied(twice.text).count("---") for repair in repairs_of(twice)] == [1]

"""The documents of a long stream, which are kept packed, are those that are read otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.text import documents as module
from dradsl.text import packed
from dradsl.text.documents import Stream, load, unusual

if TYPE_CHECKING:
    from dradsl.text.documents import Document

_OBJECT = """\
# Source: chart/templates/{n}.yaml
apiVersion: v1
kind: ConfigMap
metadata: {{name: {n}, namespace: "1"}}
data: {{a: "é\\u00e9", b: -0.0, c: [null, true, 12345678901234567890, 1.5], d: &part {{x: y}}, e: *part}}
"""
_STREAM = "---\n".join(
    [
        *(_OBJECT.format(n=f"first-{n}") for n in range(5)),
        "just: a mapping\n",
        "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}]\n",
        "- a list\n",
        "apiVersion: v1\nkind: Pod\nkind: Pod\n",  # a key twice
        "{broken\n",
        "apiVersion: ''\nkind: Pod\n",
        "# nothing\n",
        *(_OBJECT.format(n=f"last-{n}") for n in range(20)),
    ]
)


@pytest.fixture
def packs_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packs every stream, in small blocks of which few are open."""
    monkeypatch.setattr(module, "_PACKED", 0)
    monkeypatch.setattr(packed, "_BLOCK", 600)
    monkeypatch.setattr(packed, "_OPEN", 2)


def _plain() -> Stream:
    return load(_STREAM.encode())


def _looks(document: Document) -> tuple[object, ...]:
    return (
        document.index,
        document.start,
        document.end,
        repr(document.data),
        document.problems,
        document.source_comment,
        document.text,
        document.span,
    )


@pytest.mark.usefixtures("packs_all")
def test_packed_documents_are_those_that_are_not() -> None:
    stream = load(_STREAM.encode(), parts_once=True)
    assert isinstance(stream.documents, packed.PackedDocuments)
    assert len(stream.documents) == len(_plain().documents) == 31
    assert [*map(_looks, stream.documents)] == [*map(_looks, _plain().documents)]
    assert stream.is_template == _plain().is_template


@pytest.mark.usefixtures("packs_all")
def test_they_are_had_by_number_and_in_slices() -> None:
    found, plain = load(_STREAM.encode(), parts_once=True).documents, _plain().documents
    for number in (0, 30, 3, 29, -1, -31, 7):
        assert _looks(found[number]) == _looks(plain[number])
    assert [*map(_looks, found[2:29:5])] == [*map(_looks, plain[2:29:5])]
    with pytest.raises(IndexError):
        found[31]


@pytest.mark.usefixtures("packs_all")
def test_what_is_no_plain_object_is_kept_as_it_is() -> None:
    kept = unusual(load(_STREAM.encode(), parts_once=True).documents)
    assert [document.index for document in kept] == [5, 6, 7, 8, 9, 10]
    assert len([*unusual(_plain().documents)]) == 31


def test_only_long_streams_are_packed_and_only_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert isinstance(load(_STREAM.encode(), parts_once=True).documents, tuple)
    monkeypatch.setattr(module, "_PACKED", 0)
    assert isinstance(load(_STREAM.encode()).documents, tuple)

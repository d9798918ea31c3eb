"""Ignore comments: where they count, and what they silence."""

from __future__ import annotations

import pytest

from dradsl.text.documents import load
from dradsl.text.ignores import find_ignores

SOURCE = """\
# dradsl: ignore-file[DRA9] migrated later
a: 1 # dradsl: ignore[DRA301, count-not-positive] wanted
# dradsl: ignore[DRA2]

# and why
b: "# dradsl: ignore[DRA301]"
c: |
  # dradsl: ignore[DRA302]
  x
---
d: | # dradsl: ignore[DRA101]
  true
  && x

e: 1
f: x#dradsl:ignore[DRA301]
g: 'it''s # dradsl: ignore[DRA301]
  # dradsl: ignore[DRA301]'
# dradsl: ignore
h:
# dradsl: ignore[DRA102]
- expression: >-
    true

    && x
- expression: |
    // dradsl: ignore[DRA201] inside
    device.x
    && device.y // dradsl:ignore[DRA202]
"""


def test_comments_are_found_and_strings_are_not() -> None:
    found = [
        (ignore.codes, ignore.lines, ignore.span.line, ignore.reason)
        for ignore in find_ignores(load(SOURCE.encode()))
    ]
    assert found == [
        (("DRA9",), None, 1, "migrated later"),
        (("DRA301", "count-not-positive"), (2, 2), 2, "wanted"),
        (("DRA2",), (3, 6), 3, ""),
        (("DRA101",), (11, 13), 11, ""),
        ((), (19, 20), 19, ""),
        (("DRA102",), (21, 25), 21, ""),
        (("DRA201",), (27, 28), 27, "inside"),
        (("DRA202",), (29, 29), 29, ""),
    ]


def test_each_code_has_its_place() -> None:
    ignore = find_ignores(load(b"a: 1 # dradsl: ignore[DRA301, DRA4]\n"))[0]
    assert [(span.column, span.end_column) for span in ignore.spans] == [(23, 29), (31, 35)]
    assert (ignore.span.column, ignore.span.end_column) == (6, 36)


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        (1, ["DRA9"]),
        (2, ["DRA9", "DRA301"]),
        (6, ["DRA9", "DRA2"]),
        (8, ["DRA9"]),
        (13, ["DRA9", "DRA101"]),
        (15, ["DRA9"]),
        (24, ["DRA9", "DRA102"]),
        (28, ["DRA9", "DRA201"]),
        (400, ["DRA9"]),
    ],
)
def test_which_lines_are_covered(line: int, codes: list[str]) -> None:
    ignores = find_ignores(load(SOURCE.encode()))
    assert [ignore.codes[0] for ignore in ignores if ignore.codes and ignore.covers(line)] == codes


def test_comments_of_a_broken_document_count() -> None:
    source = b"a: [1 # dradsl: ignore[DRA001]\n---\nb: 2 # dradsl: ignore[DRA002]\n"
    ignores = find_ignores(load(source))
    assert [(ignore.codes, ignore.lines) for ignore in ignores] == [
        (("DRA001",), (1, 1)),
        (("DRA002",), (3, 3)),
    ]

"""Ignore comments: where they count, and what they silence."""

from __future__ import annotations

import pytest

from dradsl.text.documents import load
from dradsl.text.ignores import find_ignores, matching_ignore

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
    ("line", "names", "codes"),
    [
        (2, ("DRA301", "too-many"), ("DRA301", "count-not-positive")),
        (2, ("DRA399", "count-not-positive"), ("DRA301", "count-not-positive")),
        (6, ("DRA211", "x"), ("DRA2",)),
        (6, ("DRA301", "x"), None),
        (13, ("DRA101", "x"), ("DRA101",)),
        (15, ("DRA101", "x"), None),
        (24, ("DRA102", "x"), ("DRA102",)),
        (400, ("DRA901", "x"), ("DRA9",)),
    ],
)
def test_what_is_silenced(line: int, names: tuple[str, str], codes: tuple[str, ...] | None) -> None:
    ignore = matching_ignore(find_ignores(load(SOURCE.encode())), line, names)
    assert (ignore.codes if ignore else None) == codes


def test_comments_of_a_broken_document_count() -> None:
    source = b"a: [1 # dradsl: ignore[DRA001]\n---\nb: 2 # dradsl: ignore[DRA002]\n"
    ignores = find_ignores(load(source))
    assert [(ignore.codes, ignore.lines) for ignore in ignores] == [
        (("DRA001",), (1, 1)),
        (("DRA002",), (3, 3)),
    ]

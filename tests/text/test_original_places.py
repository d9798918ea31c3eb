"""Words that an edit moves stand where they stood before, however the edit writes them."""

from __future__ import annotations

from dradsl.diagnostics import Edit
from dradsl.text.edits import apply
from dradsl.text.lines import Lines
from dradsl.text.original_places import OriginalPlaces

TEXT = """\
a:
  b: 1
c:
- d: ["long", 'word']
  e: f.example/g
"""


def after(text: str, taken: str, put: str, new: str) -> tuple[str, OriginalPlaces]:
    """The text with `taken` taken out and `new` put behind `put`."""
    lines, at, end = Lines(text), text.index(taken), text.index(put) + len(put)
    edits = [Edit(lines.span(end, end), new), Edit(lines.span(at, at + len(taken)), "")]
    places = OriginalPlaces(text)
    places.edited(text, edits)
    return apply(text, edits), places


def stood(text: str, places: OriginalPlaces, word: str, original: str = TEXT) -> str:
    at = text.index(word)
    span = places.before(text, Lines(text).span(at, at + len(word)))
    lines = Lines(original)
    return original[
        lines.offset(span.line, span.column) : lines.offset(span.end_line, span.end_column)
    ]


def test_moved_words() -> None:
    new = "\n  c:\n  - d:\n    - \"long\"\n    - 'word'\n    e: f.example/g"
    text, places = after(TEXT, TEXT[TEXT.index("c:") :], "b: 1", new)
    for word in ("d", '"long"', "'word'", "e", "f.example/g", "b"):
        assert stood(text, places, word) == word


def test_keys_above_are_new() -> None:
    new = "\n  x:\n    c: [{d: [\"long\", 'word'], e: f.example/g}]"
    text, places = after(TEXT, TEXT[TEXT.index("c:") :], "b: 1", new)
    assert stood(text, places, "x") == ""
    assert stood(text, places, "f.example/g") == "f.example/g"


def test_other_words_stand_where_they_were_put() -> None:
    text, places = after(TEXT, TEXT[TEXT.index("c:") :], "b: 1", "\n  c: other words")
    assert stood(text, places, "other") == ""


def test_equal_texts_are_moved_in_their_order() -> None:
    text = "p\nq\nx y\nx y\n"
    places, lines = OriginalPlaces(text), Lines(text)
    edits = [
        Edit(lines.span(1, 1), " x y"),
        Edit(lines.span(3, 3), " x y"),
        Edit(lines.span(4, 8), ""),
        Edit(lines.span(8, 12), ""),
    ]
    places.edited(text, edits)
    fixed = apply(text, edits)
    found = [places.origin(n) for n, letter in enumerate(fixed) if letter == "x"]
    assert found == [4, 8]


def test_words_that_change_their_order_within_what_is_written_anew() -> None:
    text = "spec:\n  sharing: {slicing: true}\n  taints: [{key: k, effect: e}]\n"
    new = "{taints: [{key: k, effect: e}], config: [{sharing: {slicing: true}}]}"
    lines, places = Lines(text), OriginalPlaces(text)
    edit = Edit(lines.span(text.index("sharing"), len(text) - 1), new)
    places.edited(text, [edit])
    fixed = apply(text, [edit])
    for word in ("sharing", "slicing", "true", "taints", "effect"):
        assert stood(fixed, places, word, text) == word
    assert stood(fixed, places, "config", text) == ""

"""Ignores: what each form hides, and which of them hide nothing."""

from __future__ import annotations

from dradsl.diagnostics import Finding, Severity, Span
from dradsl.lint.engine.suppress import ObjectIgnore, UnusedIgnore, suppress
from dradsl.text.ignores import Ignore

PLACE = Span(1, 1, 1, 10)


def comment(codes: tuple[str, ...], first: int | None, last: int | None = None) -> Ignore:
    """An ignore for the lines from `first` to `last` (that line alone, the whole file)."""
    lines = None if first is None else (first, last or first)
    return Ignore(codes, (), "", PLACE, lines)


def finding(code: str, line: int, name: str = "some-name") -> Finding:
    return Finding(code, name, Severity.ERROR, "wrong", "a.yaml", Span(line, 3, line, 4))


COUNT = finding("DRA304", 5, "invalid-count")
NAME = finding("DRA306", 5, "invalid-name")
LATER = finding("DRA304", 9, "invalid-count")
ALL = (COUNT, NAME, LATER)


def test_nothing_to_apply() -> None:
    result = suppress(ALL)
    assert (result.kept, result.unused) == (ALL, ())


def test_comment_on_a_line() -> None:
    result = suppress(ALL, [comment(("DRA304",), 5)])
    assert result.kept == (NAME, LATER)
    assert result.unused == ()


def test_comment_over_a_block() -> None:
    assert suppress(ALL, [comment(("DRA304",), 4, 9)]).kept == (NAME,)


def test_prefix_and_name() -> None:
    assert suppress(ALL, [comment(("DRA3",), 5)]).kept == (LATER,)
    assert suppress(ALL, [comment(("invalid-count",), 5)]).kept == (NAME, LATER)


def test_whole_file() -> None:
    assert suppress(ALL, [comment(("DRA304",), None)]).kept == (NAME,)


def test_annotation_covers_its_object_alone() -> None:
    annotation = ObjectIgnore(("DRA304",), covers=Span(4, 1, 8, 1), span=PLACE)
    assert suppress(ALL, objects=[annotation]).kept == (NAME, LATER)
    # The end is exclusive: the next object starts there.
    ends_before = ObjectIgnore(("DRA304",), covers=Span(4, 1, 5, 3), span=PLACE)
    assert suppress(ALL, objects=[ends_before]).kept == ALL


def test_unused_codes_are_named_one_by_one() -> None:
    result = suppress(ALL, [comment(("DRA304", "DRA401", "DRA999"), 5)])
    assert result.unused == (
        UnusedIgnore(("DRA999",), PLACE, "unknown"),
        UnusedIgnore(("DRA401",), PLACE, "unused"),
    )


def test_an_ignore_on_another_line_is_unused() -> None:
    result = suppress(ALL, [comment(("DRA304",), 6)])
    assert result.kept == ALL
    assert result.unused == (UnusedIgnore(("DRA304",), PLACE, "unused"),)


def test_both_of_two_ignores_are_used() -> None:
    comments = [comment(("DRA304",), 5), comment(("DRA3",), 5)]
    assert suppress([COUNT], comments).unused == ()


def test_rules_that_did_not_run_leave_ignores_alone() -> None:
    comments = [comment(("DRA401", "claim-source", "DRA7"), 5)]
    active = {"DRA304": "invalid-count"}
    assert suppress([], comments, active=active).unused == ()
    active = {"DRA401": "claim-source"}
    (unused,) = suppress([], comments, active=active).unused
    assert unused.codes == ("DRA401", "claim-source")

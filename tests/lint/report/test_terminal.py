"""What the terminal gets: carets under the right characters, nothing that it would obey."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given, strategies as st

from dradsl.diagnostics import Finding, Severity, Span
from dradsl.lint.report import Report, ReportOptions, render
from dradsl.lint.report.excerpt import excerpt
from dradsl.lint.report.terminal import character_width, terminal_width, wants_color
from dradsl.values.printable import printable


def _columns(text: str) -> int:
    return sum(map(character_width, text))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("line", "columns", "shown", "carets"),
    [
        ("name: gpu", (7, 10), "name: gpu", "      ^^^"),
        ("name: gpu", (7, 7), "name: gpu", "      ^"),
        ("name: gpu", (10, 10), "name: gpu", "         ^"),
        ("name: gpu", (50, 60), "name: gpu", "         ^"),
        ("", (1, 1), "", "^"),
        ("日本: gpu", (5, 8), "日本: gpu", "      ^^^"),
        ("日本: gpu", (1, 3), "日本: gpu", "^^^^"),
        ("e\u0301a: gpu", (6, 9), "e\u0301a: gpu", "    ^^^"),
        ("\tname: gpu", (2, 6), "    name: gpu", "    ^^^^"),
        ("\tname: gpu", (1, 2), "    name: gpu", "^^^^"),
        ("a\x1b[31m: b", (2, 3), "a␛[31m: b", " ^"),
    ],
)
def test_carets(line: str, columns: tuple[int, int], shown: str, carets: str) -> None:
    found = excerpt(line, Span(1, columns[0], 1, columns[1]), 80)
    assert (found.line, found.carets) == (shown, carets)


def test_span_over_lines_is_underlined_to_the_end_of_its_first() -> None:
    found = excerpt("  - name: gpu   ", Span(3, 5, 6, 2), 80)
    assert found.carets == "    ^^^^^^^^^"


def test_long_line_is_cut_around_the_caret() -> None:
    line = "a" * 100 + "HERE" + "b" * 100
    found = excerpt(line, Span(1, 101, 1, 105), 40)
    assert found.line.startswith("…a")
    assert found.line.endswith("b…")
    assert len(found.line) <= 40
    start = found.carets.index("^")
    assert found.line[start : start + 4] == "HERE"


def test_megabytes_in_one_line_cost_nothing() -> None:
    found = excerpt("x" * 5_000_000 + "HERE", Span(1, 5_000_001, 1, 5_000_005), 80)
    assert found.line.endswith("HERE")
    assert len(found.line) <= 80


@given(
    before=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")),
    marked=st.text(alphabet="xyz", min_size=1, max_size=30),
    after=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")),
    width=st.integers(20, 120),
)
def test_carets_stand_under_the_marked_text(
    before: str, marked: str, after: str, width: int
) -> None:
    span = Span(1, len(before) + 1, 1, len(before) + len(marked) + 1)
    found = excerpt(before + marked + after, span, width)
    column = len(found.carets) - len(found.carets.lstrip(" "))
    position = 0
    while _columns(found.line[:position]) < column:
        position += 1
    while position < len(found.line) and _columns(found.line[position]) == 0:
        position += 1
    count = found.carets.count("^")
    assert found.line[position : position + count] == marked[:count]
    assert count == len(marked) or found.line.endswith("…")
    assert _columns(found.line) <= max(width, 20)


@given(st.text())
def test_printable_leaves_nothing_to_obey(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    for character in shown:
        assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(character) not in (
            "RLO",
            "LRO",
            "RLE",
            "LRE",
            "RLI",
            "LRI",
        )
    shown.encode("utf-8")


def test_messages_and_paths_cannot_drive_the_terminal() -> None:
    finding = Finding(
        "DRA001",
        "yaml-syntax",
        Severity.ERROR,
        "bad \x1b]0;title\x07",
        "a\x1b[2J.yaml",
        Span(1, 1, 1, 2),
        help="\x1b[31m",
        upstream="\u202ereversed",
    )
    out = io.StringIO()
    report = Report(findings=(finding,), notes=("\x07",), sources={"a\x1b[2J.yaml": "\x1b[1m\n"})
    render("text", report, out, ReportOptions())
    assert "\x1b" not in out.getvalue()
    assert "\x07" not in out.getvalue()
    assert "\u202e" not in out.getvalue()


@pytest.mark.parametrize(
    ("choice", "environ", "tty", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
        ("always", {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_color(choice: str, environ: dict[str, str], tty: bool, expected: bool) -> None:
    stream = Terminal() if tty else io.StringIO()
    assert wants_color(choice, stream, environ) is expected


def test_width() -> None:
    assert terminal_width(io.StringIO(), {"COLUMNS": "72"}) == 72
    assert terminal_width(io.StringIO(), {"COLUMNS": "wide"}) == 0
    assert terminal_width(io.StringIO(), {}) == 0

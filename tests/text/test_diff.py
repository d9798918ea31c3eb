"""Unified diffs: those of difflib for small texts, diffs that hold for large ones."""

from __future__ import annotations

import difflib
from random import Random

import pytest

from dradsl.text import diff
from dradsl.text.diff import unified_diff
from tests.counting import growth


def changed(random: Random, lines: list[str]) -> list[str]:
    lines = [*lines]
    for _ in range(random.randrange(8)):
        at = random.randrange(len(lines) + 1)
        if random.random() < 0.5 and at < len(lines):
            del lines[at]
        else:
            lines.insert(at, f"{random.choice('abxy')}\n")
    return lines


def applied(old: list[str], changes: list[str]) -> list[str]:
    """What a diff makes of `old`, each of its lines held to it."""
    result: list[str] = []
    at = 0
    for line in changes[2:]:
        if line.startswith("@@"):
            start, _, length = line.split()[1][1:].partition(",")
            first = int(start) - (length != "0")
            result += old[at:first]
            at = first
            continue
        if line[0] in " -":
            assert old[at] == line[1:]
            at += 1
        if line[0] in " +":
            result.append(line[1:])
    return result + old[at:]


def made(old: list[str], new: list[str]) -> list[str]:
    text = "".join(unified_diff("".join(old), "".join(new), "old", "new"))
    return text.splitlines(keepends=True)


@pytest.mark.parametrize("window", [3, 7, 20, 1000])
def test_diffs_hold(window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff, "_WINDOW", window)
    for seed in range(150):
        random = Random(seed)
        old = [f"{random.choice('abcdefghijklmnopqrstuv')}\n" for _ in range(random.randrange(60))]
        new = changed(random, old)
        found = made(old, new)
        assert applied(old, found) == new
        if window == 1000:
            assert found == list(difflib.unified_diff(old, new, "old", "new"))


def test_long_insertions_leave_the_rest_as_it_is() -> None:
    old = [f"{i}\n" for i in range(5000)]
    new = [*old[:100], *(f"new {i}\n" for i in range(3000)), *old[100:4000], *old[4500:]]
    found = made(old, new)
    assert applied(old, found) == new
    assert sum(line[0] in "+-" for line in found[2:]) == 3000 + 500


def test_a_last_line_without_an_end() -> None:
    text = "".join(unified_diff("a\nb", "a\nc\n", "x", "y"))
    assert text.endswith("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n")
    assert "".join(unified_diff("", "a\u2028b\r\n", "x", "y")).endswith("+a\u2028b\r\n")


ROWS = {
    "equal lines": lambda n: (["a: 1\n", "b: 2\n"] * n, ["a: 1\n", "b: 3\n"] * n),
    "different lines": lambda n: (
        [each for i in range(n) for each in (f"{i}\n", "b: 2\n")],
        [each for i in range(n) for each in (f"{i}\n", "b: 3\n")],
    ),
    "no common line": lambda n: ([f"a{i}\n" for i in range(n)], [f"b{i}\n" for i in range(n)]),
    "another order": lambda n: ([f"{i}\n" for i in range(n)], [f"{i}\n" for i in range(n)][::-1]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_twice_the_lines_are_twice_the_work(name: str) -> None:
    assert growth(ROWS[name], lambda texts: made(*texts), 1500) < 2.3

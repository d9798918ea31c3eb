"""Patterns against the recorded answers of Go's regexp (tests/regexp/record.py)."""

from __future__ import annotations

import functools
import gzip
import json
import random

import pytest

from dradsl.regexp import Pattern, PatternError, SearchLimitError, machine
from tests.regexp.record import ANSWERS, digest, members, ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@functools.cache
def recorded() -> tuple[dict[str, Any], ...]:
    lines = gzip.decompress(ANSWERS.read_bytes()).decode().splitlines()
    return tuple(json.loads(line) for line in lines)


def test_matches_and_rejections_are_those_of_go() -> None:
    asked = [answer for answer in recorded() if "pattern" in answer]
    assert len(asked) > 6000
    assert [ours(answer["pattern"], answer["text"]) for answer in asked] == asked


def test_classes_have_the_members_that_go_gives_them() -> None:
    """They depend neither on the release of Python nor on its version of Unicode."""
    asked = [answer for answer in recorded() if "class" in answer]
    assert len(asked) > 700
    ranges = {answer["class"]: digest(members(answer["class"])) for answer in asked}
    assert ranges == {answer["class"]: answer["members"] for answer in asked}


def test_search_and_find_agree() -> None:
    for answer in recorded():
        if "pattern" in answer and "error" not in answer:
            found = Pattern(answer["pattern"]).search(answer["text"])
            assert found is ("matches" in answer), answer


@pytest.mark.parametrize(
    "name", ["\\pſ", "\\Pſ", "\\p{ſ}", "\\p{ſc}", "\\p{\u212a}", "\\p{ſcript}"]
)
def test_names_of_classes_have_no_letters_beyond_ascii(name: str) -> None:
    with pytest.raises(PatternError, match="invalid character class range"):
        Pattern(name)


EACH = "abcdefgh" * 1000
LONG = {
    "(a+)+$": "a" * 5000 + "!",
    "(a|a)*b": "a" * 5000,
    "(.*)(.*)(.*)(.*)b": "a" * 5000,
    "(a?){30}a{30}$": "a" * 5000 + "!",
    "(?:(?:a|b|c|d|e|f|g|h){0,1000})z": EACH + "z",
    "(?:a?){1000}a{1000}": "a" * 1000,
    "[a-z]{1,1000}1": EACH,
    "(?:|a){1000}": "a" * 8000,
    "(?:a?){1000}": "ab" * 4000,
    "(?:(?:a?){10}b?){100}$": "ab" * 4000,
    "(a|b)*a(a|b){12}c": "".join(random.Random(1).choices("ab", k=8000)),
    "\\b(?:\\w{1,500} ?){2}\\b": "ab c" * 2000,
}


@pytest.mark.parametrize("pattern", LONG)
def test_matching_takes_steps_in_proportion_to_the_text(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Views of a set are what costs time: one for a place of the text, one more within a match."""
    views = 0
    make = machine._View.__init__

    def counted(self: machine._View, *given: Any) -> None:
        nonlocal views
        views += 1
        make(self, *given)

    monkeypatch.setattr(machine._View, "__init__", counted)
    text = LONG[pattern]
    found = Pattern(pattern).find(text)
    assert views <= 2 * len(text) + 2
    assert Pattern(pattern).search(text) is bool(found)


def test_where_long_matches_are() -> None:
    assert Pattern("(?:(?:a|b|c|d|e|f|g|h){0,1000})z").find(EACH + "z") == [(7000, 8001)]
    assert Pattern("(?:a?){1000}a{1000}").find("a" * 1999) == [(0, 1999)]
    assert Pattern("[a-z]{2,1000}?1").find(EACH + "1") == [(7000, 8001)]
    assert Pattern("(?:ab){2,500}").find("ab" * 1001) == [(0, 1000), (1000, 2000)]


def test_too_long_a_search_has_no_answer() -> None:
    """The limit counts parts of the pattern and characters, not time, so it is always the same."""
    pattern = Pattern("".join(f"{letter}*" for letter in "abcdefghij" * 100))
    text = "a" * (machine.MOST_STEPS // 1000)
    for _ in range(2):
        for search in (pattern.search, pattern.find):
            with pytest.raises(SearchLimitError, match="search budget spent"):
                search(text)
        assert pattern.search(text[:100]) is True


def test_what_is_remembered_is_bounded() -> None:
    pattern = Pattern("(a|b)*a(a|b){14}c")
    chosen = random.Random(1)
    assert pattern.search("".join(chosen.choice("ab") for _ in range(60000))) is False
    kept = sum(1 + len(each.following) for each in pattern._sets.values())
    assert kept * pattern._weight <= 2 * machine._MOST_KEPT

"""Patterns by both engines, against the recorded answers of Go's regexp (tests/regexp/record.py)."""

from __future__ import annotations

import functools
import gzip
import json

import pytest

from dradsl.regexp import PatternError
from dradsl.regexp.machine import Pattern
from tests.regexp.record import ANSWERS, ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@functools.cache
def recorded() -> tuple[dict[str, Any], ...]:
    lines = gzip.decompress(ANSWERS.read_bytes()).decode().splitlines()
    return tuple(json.loads(line) for line in lines)


def test_the_pure_engine_answers_as_go() -> None:
    assert len(recorded()) > 6000
    assert [ours(answer["pattern"], answer["text"]) for answer in recorded()] == list(recorded())


def test_search_and_find_agree() -> None:
    for answer in recorded():
        if "error" not in answer:
            found = Pattern(answer["pattern"]).search(answer["text"])
            assert found is ("matches" in answer), answer


def test_re2_answers_as_go() -> None:
    pytest.importorskip("re2")
    from dradsl.regexp.by_re2 import compile_by_re2

    for answer in recorded():
        if "error" in answer:
            with pytest.raises(PatternError) as refused:
                compile_by_re2(answer["pattern"])
            assert str(refused.value) == answer["error"]
        else:
            compiled = compile_by_re2(answer["pattern"])
            assert compiled.search(answer["text"]) is ("matches" in answer), answer
            found = [list(match) for match in compiled.find(answer["text"])]
            assert found == answer.get("matches", []), answer


def test_matching_takes_time_in_proportion_to_the_text() -> None:
    """Patterns that take exponential time where each way is tried on its own."""
    text = "a" * 5000 + "!"
    for pattern in ("(a+)+$", "(a|a)*b", "(a|aa)+$", "(.*)(.*)(.*)(.*)b", "(a?){30}a{30}$"):
        assert Pattern(pattern).search(text) is False, pattern


def test_what_is_remembered_is_bounded() -> None:
    pattern = Pattern("(a|b)*a(a|b){12}c")
    import random

    chosen = random.Random(1)
    assert pattern.search("".join(chosen.choice("ab") for _ in range(20000))) is False
    assert len(pattern._sets) <= 1000

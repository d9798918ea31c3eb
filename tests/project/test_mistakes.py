"""The page with a hundred mistakes: it is made of recorded answers, and of what dradsl says today."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from benchmarks import mistakes
from benchmarks.picture import bars, shown


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(mistakes.RECORDED.read_text("utf-8"))
    return found


def test_the_hundred_are_those_that_were_asked(recorded: dict[str, Any]) -> None:
    chosen = mistakes.chosen()
    assert len({each.name for each in chosen}) == mistakes.COUNT
    asked = {name: answer["text"] for name, answer in recorded["answers"].items()}
    assert {each.name: each.digest for each in chosen} == asked, (
        "python -m benchmarks.mistakes record"
    )
    ways = {answer["server"]["way"] for answer in recorded["answers"].values()}
    assert {"accepts", "rejects"} <= ways <= {"accepts", "rejects", "warns"}
    assert all(
        bool(answer["server"]["message"]) is (answer["server"]["way"] != "accepts")
        for answer in recorded["answers"].values()
    )


def test_nothing_is_said_of_the_correct_text() -> None:
    correct = mistakes.Mistake("correct", "", mistakes.correct(), lines=frozenset(range(100)))
    assert mistakes.found(correct) == []


def test_the_page_says_what_dradsl_says(recorded: dict[str, Any]) -> None:
    """Rows of a few: the whole table takes a process for each row."""
    text = mistakes.PAGE.read_text("utf-8")
    rows = re.findall(
        r"^\| (\d+) \| .* \| ([^|]*) \| (?:(DRA\d+) \w+: .*|\*\*nothing\*\*) \|$",
        text,
        re.MULTILINE,
    )
    assert [int(number) for number, _, _ in rows] == list(range(1, mistakes.COUNT + 1))
    for number in (0, 9, 25, 60, 99):
        own = mistakes.found(mistakes.chosen()[number])
        assert rows[number][2] == (own[0]["code"] if own else "")
    for (_, said, _), each in zip(rows, mistakes.chosen(), strict=True):
        assert said.startswith(recorded["answers"][each.name]["server"]["way"])


def test_the_readme_has_the_figures_of_the_page(recorded: dict[str, Any]) -> None:
    ways = [answer["server"]["way"] for answer in recorded["answers"].values()]
    rows = re.findall(
        r"^\| \d+ \| .* \| (DRA\d+|\*\*nothing)", mistakes.PAGE.read_text("utf-8"), re.MULTILINE
    )
    found = len(rows) - rows.count("**nothing")
    text = " ".join((mistakes.ROOT / "README.md").read_text("utf-8").split())
    wanted = f"the API server rejects {ways.count('rejects')}; dradsl finds"
    assert wanted in text
    assert f"{wanted} {'all ' if found == len(rows) else ''}{found}." in text


def test_a_changed_text_has_to_be_asked_again(
    recorded: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = mistakes.Mistake(mistakes.chosen()[0].name, "", "kind: Pod")
    monkeypatch.setattr(mistakes, "chosen", lambda: [changed])
    with pytest.raises(SystemExit, match="has changed"):
        mistakes.table(recorded)


def test_the_picture_is_one() -> None:
    text = bars([("a & b", [("dradsl", "1", 2.0), ("other", "2", 0.5)])], "less is better")
    root = ET.fromstring(text)
    widths = [float(each.attrib["width"]) for each in root.iter() if each.tag.endswith("rect")]
    assert widths[0] == 4 * widths[1]
    assert [shown(value) for value in (1.5, 0.0123, 4e-6, 345.0)] == [
        "1.5 s",
        "12.3 ms",
        "4 µs",
        "345 s",
    ]

"""The questions of the corpus are those of their sources; generated ones are held by the seeds of the generators."""

from __future__ import annotations

import pytest

from tests.verdicts import corpus, sources

# Written by hand, as text under inputs/.
BY_HAND = (
    "alloc/facts",
    "alloc/same-names",
    "cel/expressions",
    "cel/table",
    "schedule/facts",
    "schedule/fractions",
)


@pytest.mark.parametrize("name", BY_HAND)
def test_questions_are_those_of_the_source(name: str) -> None:
    rows = corpus.read_rows(corpus.FOLDER / f"{name}.jsonl.gz")
    stored = [{key: row[key] for key in row if key != "answers"} for row in rows]
    assert stored == sources.questions(name)


def test_sources_are_of_files_that_are_there() -> None:
    assert {*sources.SOURCES} <= {*corpus.names()}

"""Every recorded question is put to our code; upstream's answer is the only right one.

Subjects that nothing answers yet are marked in `EXPECTED_MISSING`; the mark fails as soon as they
answer. Differences that are known and have a reason stand in `known.json`; one that has gone fails
as well, so that the list only shrinks.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dradsl.releases import RELEASES
from dradsl.replay import SUBJECTS, NotBuiltError, answer
from tests.verdicts import corpus
from tests.verdicts.compare import ours

if TYPE_CHECKING:
    from pathlib import Path

EXPECTED_MISSING: frozenset[str] = frozenset()

FILES = [path for subject in sorted(SUBJECTS) for path in corpus.corpora(subject)]
_SHOWN = 5


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_upstream_agrees(path: Path) -> None:
    if path.parent.name in EXPECTED_MISSING:
        pytest.skip("expected to be missing; test_missing_subjects watches over it")
    known = corpus.known_differences()
    wrong, gone = [], set()
    for case in corpus.read_corpus(path):
        for release, expected in case.answers.items():
            found = ours(case, release)
            same = corpus.agree(case.subject, expected, found)
            key = (case.subject, case.name, release)
            if same and key in known:
                gone.add(key)
            elif not same and key not in known:
                wrong.append((case.name, release, dict(case.question), expected, found))
    shown = "\n".join(json.dumps(one, ensure_ascii=False)[:2000] for one in wrong[:_SHOWN])
    assert not wrong, f"{len(wrong)} answers differ from upstream's:\n{shown}"
    assert not gone, f"known differences that are none any more: {sorted(gone)}"


@pytest.mark.parametrize("subject", sorted(EXPECTED_MISSING))
def test_missing_subjects(subject: str) -> None:
    """Fails once the subject answers: then its mark has to go."""
    path = next(iter(corpus.corpora(subject)), None)
    question = next(corpus.read_corpus(path)).question if path else {"id": 0}
    with pytest.raises(NotBuiltError):
        answer(subject, question, RELEASES["1.36"])


def test_every_subject_is_recorded() -> None:
    missing = [subject for subject in SUBJECTS if not corpus.corpora(subject)]
    assert not missing, f"nothing is recorded for {missing}"

"""Every recorded question is put to our code; upstream's answer is the only right one.

Differences that are known and have a reason stand in `known.json`; one that has gone fails as well,
so that the list only shrinks.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dradsl.replay import SUBJECTS
from tests.verdicts import corpus
from tests.verdicts.compare import ours

if TYPE_CHECKING:
    from pathlib import Path

FILES = [path for subject in sorted(SUBJECTS) for path in corpus.corpora(subject)]
_SHOWN = 5


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_upstream_agrees(path: Path) -> None:
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


def test_every_subject_is_recorded() -> None:
    missing = [subject for subject in SUBJECTS if not corpus.corpora(subject)]
    assert not missing, f"nothing is recorded for {missing}"

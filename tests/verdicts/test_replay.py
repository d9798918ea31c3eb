"""Every recorded question is put to our code; upstream's answer is the only right one.

Differences that are known and have a reason stand in `known.json`; one that has gone fails as well,
so that the list only shrinks. `pytest tests/verdicts/test_replay.py --case ID` puts the questions alone
in whose names the text is found.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.replay import SUBJECTS
from tests.verdicts import corpus
from tests.verdicts.compare import ours

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Files whose questions take longest, in so many items.
_PARTS = {
    "alloc/combined": 6,
    "alloc/generated": 6,
    "alloc/patches": 6,
    "alloc/random": 3,
    "cel/expressions": 2,
    "cel/library": 4,
    "cel/rules": 6,
    "schedule/generated": 6,
    "schedule/nodeallocatable": 2,
    "validate/singles": 3,
}
_SHOWN = 5


def _parts() -> Iterator[Any]:
    """Each file of a corpus with the questions that one item puts: every so many, from one on."""
    for subject in sorted(SUBJECTS):
        for path in corpus.corpora(subject):
            name = f"{subject}/{path.name.removesuffix('.jsonl.gz')}"
            parts = _PARTS.get(name, 1)
            for part in range(parts):
                shown = name if parts == 1 else f"{name}:{part + 1}of{parts}"
                yield pytest.param(path, part, parts, id=shown)


@pytest.mark.parametrize(("path", "part", "parts"), list(_parts()))
def test_upstream_agrees(path: Path, part: int, parts: int, request: pytest.FixtureRequest) -> None:
    known = corpus.known_differences()
    wanted = request.config.getoption("--case")
    wrong, gone = [], set()
    cases = [c for c in corpus.read_corpus(path, start=part, step=parts) if wanted in c.name]
    if not cases:
        pytest.skip(f"no question is called {wanted}")
    for case in cases:
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


def test_the_parts_of_a_file_are_all_of_it() -> None:
    files = {
        f"{path.parent.name}/{path.name}" for name in SUBJECTS for path in corpus.corpora(name)
    }
    assert {f"{name}.jsonl.gz" for name in _PARTS} <= files
    (path,) = (path for path in corpus.corpora("schedule") if path.name.startswith("generated"))
    dealt = [
        case.name for part in range(3) for case in corpus.read_corpus(path, start=part, step=3)
    ]
    assert sorted(dealt) == sorted(case.name for case in corpus.read_corpus(path))

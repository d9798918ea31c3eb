"""The memory of failed states changes no answer. Upstream's answers are replayed in tests/verdicts."""

from __future__ import annotations

import pytest

from dradsl.releases import get_release
from tests.replay.alloc import allocator_for, line_of
from tests.verdicts import corpus

PARTS = 3


@pytest.mark.parametrize("part", range(PARTS))
def test_the_memory_of_failed_states_changes_no_answer(part: int) -> None:
    (path,) = (path for path in corpus.corpora("alloc") if path.name.startswith("patches."))
    asked = 0
    for case in corpus.read_corpus(path, start=part, step=4 * PARTS):
        ((release, _),) = case.answers.items()
        with_memory = allocator_for(case.question, get_release(release))
        without = allocator_for(case.question, get_release(release), remember=False)
        for node in with_memory.inventory.nodes:
            assert line_of(with_memory.allocate(node)) == line_of(without.allocate(node))
            asked += 1
    assert asked > 500

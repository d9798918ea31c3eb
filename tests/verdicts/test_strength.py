"""The command that measures the corpora finds everything that it changes."""

from __future__ import annotations

import pytest

from tests.verdicts import strength

SECTIONS = ("allocator", "steps", "gates", "cel", "rules")


@pytest.mark.parametrize("section", SECTIONS)
def test_every_change_can_be_made(section: str) -> None:
    mutants = list(strength.mutants(section))
    assert mutants
    for mutant in mutants:
        with mutant.change():
            assert mutant.subjects


def test_names_tell_changes_apart() -> None:
    names = [mutant.name for section in SECTIONS for mutant in strength.mutants(section)]
    assert len(names) == len(set(names))

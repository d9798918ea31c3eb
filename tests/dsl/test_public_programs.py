"""Wrong programs from public manifests, by the rule of `wrong_programs/RULE.md`: nearly all are caught, none by a traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.dsl.wrong_programs.judge import by_build, by_types, judged, table
from tests.dsl.wrong_programs.mutations import FRESH, HERE, MUTATIONS, bases, fresh_samples, sample

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("folder", ["bases", "fresh"])
def test_the_bases_are_right(tmp_path: Path, folder: str) -> None:
    programs = list(bases(folder).values())
    assert len(programs) >= 20
    assert by_types(programs, tmp_path) == set()
    assert [by_build(tmp_path / f"p{number}.py") for number in range(len(programs))] == [""] * len(
        programs
    )


def test_the_table() -> None:
    answers = judged(list(sample(45, 150)))
    assert "traceback" not in {one[2] for one in answers}
    assert sum(map(bool, (one[2] for one in answers))) >= 0.95 * len(answers)
    assert table(answers) in (HERE / "RULE.md").read_text(encoding="utf-8")
    assert len({one[1] for one in answers}) >= 18
    assert set(MUTATIONS) == set(range(1, 25))


def test_the_fresh_bases() -> None:
    first, second = fresh_samples()
    assert len(first) == len(second) == 150
    assert not {one[2] for one in first} & {one[2] for one in second}
    assert set(FRESH) == set(range(1, 32))
    answers = judged(second)
    assert "traceback" not in {one[2] for one in answers}
    assert sum(map(bool, (one[2] for one in answers))) >= 0.95 * len(answers)
    assert table(answers) in (HERE / "RULE.md").read_text(encoding="utf-8")

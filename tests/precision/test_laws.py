"""A bounded part of `python -m tests.precision`: what lint says, and what the allocator does with it."""

from __future__ import annotations

from random import Random

import pytest

from tests.precision.laws import Tally, examine
from tests.precision.selectors import make

CLAIMS = 40
NODES = 8


@pytest.mark.parametrize("seed", range(4))
def test_findings_agree_with_conforming_fleets(seed: int) -> None:
    tally = Tally()
    for number in range(CLAIMS):
        random = Random(f"{seed} {number}")
        examine(random, make(random), NODES, tally)
    assert tally.breaches == [], "\n".join(map(str, tally.breaches))
    # Claims with errors, claims without findings and fleets that meet a claim are all among them.
    assert min(tally.errors, tally.silent, tally.fits) >= 2, tally.line()

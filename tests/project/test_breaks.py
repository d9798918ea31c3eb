"""Each claim of docs/security.md has a way to take its protection away, which `python -m tests.breaks` tries."""

from __future__ import annotations

import pytest

from tests.breaks.table import ROOT, Break, breaks, claims


def test_each_claim_has_one() -> None:
    starts = [each.claim for each in breaks()]
    assert [
        claim for claim in claims() if sum(claim.startswith(start) for start in starts) != 1
    ] == []
    assert len(starts) == len(claims())


@pytest.mark.parametrize("each", breaks(), ids=lambda each: each.claim)
def test_it_is_still_there(each: Break) -> None:
    for edit in each.edits:
        assert edit.broken((ROOT / edit.file).read_text(encoding="utf-8"))

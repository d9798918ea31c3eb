"""Whole pods and workloads with one edit, against recorded answers of upstream's decoder of each release."""

from __future__ import annotations

from collections import Counter

import pytest

from dradsl.kube.pods.workloads import PLACES
from dradsl.releases import RELEASES
from tests.kube.workloads import edits

KINDS = {"mistyped", "capitals", "null", "retyped", "moved up", "moved down"}


@pytest.fixture(scope="module")
def recorded() -> edits.Json:
    return edits.recorded()


def test_the_bases_are_of_all_kinds() -> None:
    assert {(base["apiVersion"], base["kind"]) for base in edits.bases()} == set(PLACES)
    assert {kind for kind, _ in edits.part()} == {"none", *KINDS}


def test_what_was_recorded_is_what_is_generated(recorded: edits.Json) -> None:
    assert recorded["digest"] == edits.digest(edits.part())


@pytest.mark.parametrize("release", RELEASES)
def test_upstreams_decoder_says_the_same(recorded: edits.Json, release: str) -> None:
    """The first error that ends the decoding, or all strict errors in their order."""
    server = edits.server_of(release)
    outcomes: Counter[str] = Counter()
    for (kind, obj), right in zip(edits.part(), recorded[release], strict=True):
        ours = edits.answer(server, obj)
        if not ours and right:
            # Of an object without claims and devices nothing is said.
            assert not edits.is_about_devices(obj), (kind, obj)
            outcomes["without devices"] += 1
            continue
        assert ours == right, (kind, obj)
        outcomes[f"{kind}: {next(iter(right), 'accepted')}"] += 1
    assert outcomes["without devices"] < len(edits.part()) / 20
    assert outcomes["mistyped: strictErrors"] > 500
    assert outcomes["retyped: decodeError"] > 500

"""What strict decoding rejects around the claims of workloads, against recorded answers of upstream's decoder."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from dradsl.kube.errors import DECODING, STRICT_DECODING
from dradsl.kube.pods.workloads import PLACES, pod_specs
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import RELEASES
from tests.kube.workloads import mistakes

SERVER = ApiServer(RELEASES["1.37"], RELEASES["1.37"].features())


def _said(obj: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What is not decoded, and what is not strictly."""
    errors = SERVER.workload(obj)
    for at in pod_specs(obj):
        errors += SERVER.pod(at.spec, at.annotations, at.path, decoded=errors)
    undecoded = [error.detail for error in errors if error.type == DECODING]
    return undecoded, sorted(error.detail for error in errors if error.type == STRICT_DECODING)


@pytest.fixture(scope="module")
def rows() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return mistakes.recorded()


@pytest.mark.parametrize("kind", [kind for _, kind in PLACES])
def test_upstreams_decoder_says_the_same(
    rows: list[tuple[dict[str, Any], dict[str, Any]]], kind: str
) -> None:
    outcomes: Counter[str] = Counter()
    for obj, answer in rows:
        if obj["kind"] != kind:
            continue
        undecoded, strict = _said(obj)
        if "decodeError" in answer:
            outcomes["not decoded"] += 1
            assert answer["decodeError"] in undecoded, obj
            if "status" not in obj:
                assert undecoded[0] == answer["decodeError"], obj
        else:
            outcomes["strict" if answer.get("strictErrors") else "accepted"] += 1
            assert undecoded == [], obj
            assert strict == sorted(answer.get("strictErrors", ())), obj
    assert min(outcomes[each] for each in ("not decoded", "strict", "accepted")) >= 10


def test_what_was_recorded_is_what_is_generated(
    rows: list[tuple[dict[str, Any], dict[str, Any]]],
) -> None:
    assert [obj for obj, _ in rows] == mistakes.objects()

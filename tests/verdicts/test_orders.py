"""Where upstream leaves the order to chance, each of its answers is ours under some order."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

import pytest

from dradsl.releases import RELEASES
from tests.replay import answer
from tests.verdicts.arranged_pods import are_pods
from tests.verdicts.arrangements import is_run
from tests.verdicts.orders import are_reproduced, by_chance

_EVERY = 61  # `python -m tests.verdicts.orders` goes through all of them


_PARTS = 2


@pytest.mark.parametrize("part", range(_PARTS))
def test_recorded_answers_are_reproduced_under_some_order(part: int) -> None:
    found = [
        (case.name, release, are_reproduced((case, release)))
        for case, release in itertools.islice(by_chance(), part * _EVERY, None, _PARTS * _EVERY)
    ]
    assert [one for one in found if not all(one[2])] == []
    assert sum(len(one[2]) for one in found) > 100 // _PARTS


def _question(*, pools: int) -> dict[str, Any]:
    """Pools of two devices each, and a claim for one device."""
    slices = [
        {
            "metadata": {"name": f"s{number}"},
            "spec": {
                "driver": "a.example.com",
                "pool": {"name": f"p{number}", "generation": 1, "resourceSliceCount": 1},
                "nodeName": "n",
                "devices": [{"name": "d0"}, {"name": "d1"}],
            },
        }
        for number in range(pools)
    ]
    ask = {"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1}
    request = {"name": "r", "exactly": ask}
    return {
        "classes": [{"metadata": {"name": "c"}}],
        "claims": [
            {
                "metadata": {"name": "claim", "namespace": "ns"},
                "spec": {"devices": {"requests": [request]}},
            }
        ],
        "nodes": [{"metadata": {"name": "n"}}],
        "slices": slices,
    }


def _line(pool: str, device: str) -> dict[str, Any]:
    result = {"request": "r", "driver": "a.example.com", "pool": pool, "device": device}
    return {
        "node": "n",
        "allocations": [
            {
                "devices": {"results": [result]},
                "nodeSelector": {
                    "nodeSelectorTerms": [
                        {
                            "matchFields": [
                                {"key": "metadata.name", "operator": "In", "values": ["n"]}
                            ]
                        }
                    ]
                },
            }
        ],
    }


def test_a_run_is_ours_under_an_order_of_pools_but_never_with_a_later_device() -> None:
    question, release = _question(pools=3), RELEASES["1.34"]
    assert [is_run(question, release, [_line(f"p{i}", "d0")]) for i in range(3)] == [True] * 3
    assert is_run(question, release, [_line("p1", "d1")]) is False
    assert is_run(question, release, []) is False


def test_a_release_that_keeps_an_order_answers_in_it_alone() -> None:
    question, release = _question(pools=2), RELEASES["1.37"]
    assert is_run(question, release, [_line("p0", "d0")]) is True
    assert is_run(question, release, [_line("p1", "d0")]) is False


def test_a_pod_is_placed_as_ours_under_an_order_of_pools_but_never_on_a_later_device() -> None:
    question, release, rng = _question(pools=2), RELEASES["1.35"], random.Random(1)
    entry = {"name": "e", "resourceClaimName": "claim"}
    spec = {"containers": [{"name": "k"}], "resourceClaims": [entry]}
    pod = {"metadata": {"name": "pod", "namespace": "ns", "uid": "u"}, "spec": spec}
    scheduled = {key: question[key] for key in ("classes", "claims", "nodes", "slices")}
    scheduled["pods"] = [pod]
    line = json.dumps(answer("schedule", scheduled, release)[0])
    assert '"p0"' in line
    assert '"d0"' in line
    assert are_pods(scheduled, release, [json.loads(line)], rng) is True
    assert are_pods(scheduled, release, [json.loads(line.replace('"p0"', '"p1"'))], rng) is True
    assert are_pods(scheduled, release, [json.loads(line.replace('"d0"', '"d1"'))], rng) is False
    assert are_pods(scheduled, release, [], rng) is False

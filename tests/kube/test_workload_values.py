"""Whole pods and workloads with one edit, against recorded answers of upstream's validation of each release."""

from __future__ import annotations

from collections import Counter

import pytest

from dradsl.releases import RELEASES
from tests.kube.workloads import edits, verdicts


@pytest.fixture(scope="module")
def recorded() -> verdicts.Json:
    return verdicts.recorded()


def test_what_was_recorded_is_what_is_generated(recorded: verdicts.Json) -> None:
    assert recorded["digest"] == edits.digest(verdicts.part())


@pytest.mark.parametrize("release", RELEASES)
def test_no_error_is_false_and_few_rejections_are_missed(
    recorded: verdicts.Json, release: str
) -> None:
    server = edits.server_of(release)
    outcomes: Counter[str] = Counter()
    for (kind, obj), right in zip(verdicts.part(), recorded[release], strict=True):
        way, errors = verdicts.compared(server, obj, right)
        assert way not in ("false", "decoding missed"), (kind, obj, errors)
        outcomes[way] += 1
        outcomes["by validation"] += bool(right) and right != [(verdicts.REJECTED_BY_DECODER, "")]
    assert outcomes["by validation"] > 500
    assert outcomes["missed"] + outcomes["in part"] < outcomes["by validation"] / 20


def test_messages_are_upstreams() -> None:
    base = next(each for each in verdicts.bases() if each["metadata"]["name"] == "c")
    container = base["spec"]["containers"][0]
    container |= {"image": "", "imagePullPolicy": "Often"}
    container["volumeMounts"][0]["name"] = "other"
    said = {str(each) for each in edits.server_of("1.37").workload_values(base)}
    assert said == {
        "spec.containers[0].image: Required value",
        'spec.containers[0].imagePullPolicy: Unsupported value: "Often": supported values:'
        ' "Always", "IfNotPresent", "Never"',
        'spec.containers[0].volumeMounts[0].name: Not found: "other"',
    }


def test_an_object_without_claims_is_not_judged() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "A"}]}}
    assert edits.server_of("1.37").workload_values(pod) == []

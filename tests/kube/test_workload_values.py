"""Whole pods and workloads with one edit, and the rows of upstream's own tests, against recorded answers of upstream's
validation of each release."""

from __future__ import annotations

import json

import pytest

from dradsl.releases import RELEASES
from tests.kube.workloads import edits, public, tables, verdicts


@pytest.mark.parametrize("sample", verdicts.SEEDS)
def test_what_was_recorded_is_what_is_generated(sample: str) -> None:
    assert verdicts.recorded(sample)["digest"] == edits.digest(verdicts.part(sample))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("sample", verdicts.SEEDS)
def test_no_error_is_false_and_few_rejections_are_missed(sample: str, release: str) -> None:
    tally = verdicts.Tally(edits.server_of(release))
    recorded = verdicts.recorded(sample)[release]
    for (kind, obj), right in zip(verdicts.part(sample), recorded, strict=True):
        tally.add(kind, obj, right)
    counts = tally.counts
    assert not counts["false"], tally.differences
    assert not counts["decoding missed"], tally.differences
    assert counts["rejected by validation"] > 250
    assert counts["missed"] + counts["in part"] < counts["rejected by validation"] / 20


def test_of_upstreams_own_rows_no_error_is_false_and_the_counts_are_those_of_the_page() -> None:
    tallies = tables.tallies()
    counts = json.loads(verdicts.COUNTS.read_text("ascii"))["tables"]["counts"]
    for release, tally in tallies.items():
        assert not tally.counts["false"], tally.differences
        assert not tally.counts["decoding missed"], tally.differences
        assert dict(tally.counts) == counts[release]
        missed = {name for name, (_, missed) in tally.fields.items() if missed}
        assert not missed & public.counted().keys()


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


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("0 25 * * *", "end of range (25) above maximum (23): 25"),
        ("0 0 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"),
        ("@often", "unrecognized descriptor: @often"),
    ],
)
def test_what_is_said_of_a_schedule_is_what_its_parser_says(schedule: str, words: str) -> None:
    base = next(each for each in verdicts.bases() if each["kind"] == "CronJob")
    base["spec"]["schedule"] = schedule
    said = [str(each) for each in edits.server_of("1.37").workload_values(base)]
    assert said == [f'spec.schedule: Invalid value: "{schedule}": {words}']


def test_numbers_of_any_length_are_judged() -> None:
    """Python itself reads no number of more than 4,300 digits."""
    digits = "9" * 5000
    server = edits.server_of("1.37")
    bases = {base["metadata"]["name"]: base for base in verdicts.bases()}
    cron_job = next(each for each in bases.values() if each["kind"] == "CronJob")
    cron_job["spec"]["schedule"] = f"{digits} * * * *"
    job, deployment = bases["n"], bases["h"]
    job["spec"]["successPolicy"]["rules"][0]["succeededIndexes"] = digits
    deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] = f"{digits}%"
    fields = [
        each.field for obj in (cron_job, job, deployment) for each in server.workload_values(obj)
    ]
    assert fields == [
        "spec.schedule",
        "spec.successPolicy.rules[0].succeededIndexes",
        "spec.successPolicy.rules[0].succeededCount",
        "spec.strategy.rollingUpdate.maxUnavailable",
    ]


def test_an_object_without_claims_is_not_judged() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "A"}]}}
    assert edits.server_of("1.37").workload_values(pod) == []

"""Workloads of any number of pods: those that fare alike are answered once."""

from __future__ import annotations

import itertools
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from dradsl.allocator.engine.selectors import CelSelectors
from dradsl.kube.server.api_server import ApiServer
from dradsl.releases import get_release
from dradsl.simulate.attempts import Simulation
from dradsl.simulate.cluster import ClusterBuilder
from dradsl.simulate.prospect import Prospect, worst
from dradsl.simulate.replicas import place_workloads
from dradsl.values import deadline
from dradsl.values.deadline import Deadline
from tests.counting import work_of
from tests.simulate.test_cli import TWO, Case, class_of, template, workload

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.simulate.plugin.verdicts import PodReport

HUGE = 2_000_000_000


@pytest.fixture
def case(tmp_path: Path) -> Case:
    return Case(tmp_path)


def simulation(*manifests: Any) -> Simulation:
    release = get_release("1.36")
    features = release.features()
    builder = ClusterBuilder(ApiServer(release, features))
    for document in TWO:
        builder.add_recorded(document)
    for document in manifests:
        builder.add_manifest(document)
    return Simulation(builder.build(), release, features, CelSelectors(release, features))


def placed(found: Simulation, **options: Any) -> list[PodReport]:
    return list(place_workloads(found, found.cluster.workloads, **options))


def of_kind(kind: str, version: str, **spec: Any) -> dict[str, Any]:
    pod = {**workload()["spec"], "restartPolicy": "Never"}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": "w"},
        "spec": {**spec, "template": {"spec": pod}},
    }


@pytest.mark.parametrize(
    "manifest",
    [
        workload("Deployment", HUGE),
        workload("StatefulSet", HUGE),
        of_kind("Job", "batch/v1", parallelism=HUGE, completions=HUGE),
        of_kind("PyTorchJob", "kubeflow.org/v1", numNodes=HUGE),
        {
            "apiVersion": "leaderworkerset.x-k8s.io/v1",
            "kind": "LeaderWorkerSet",
            "metadata": {"name": "w"},
            "spec": {
                "replicas": HUGE // 2,
                "leaderWorkerTemplate": {
                    "size": 2,
                    "workerTemplate": {"spec": workload()["spec"]},
                },
            },
        },
    ],
)
def test_what_does_not_fit_is_answered_once(manifest: Any, case: Case) -> None:
    manifests = [class_of(), template(), manifest]
    result = case.run(TWO, manifests)
    assert result.exit_code == 1
    lines = [line for line in result.stdout.splitlines() if line.startswith(("pod ", "1,9"))]
    assert [": fits on " in line for line in lines] == [True, True, True, False, False]
    assert "1,999,999,996 more pods of " in lines[-1]
    assert lines[-1].endswith(": the same, for the same reasons")
    pods = case.document(TWO, manifests)["pods"]
    assert [pod.get("alike") for pod in pods] == [None, None, None, HUGE - 4]
    for form in ("yaml", "html"):
        assert "1,999,999,996 more pods" in case.run(TWO, manifests, "--output-format", form).stdout


def test_replicas_of_the_call(case: Case) -> None:
    manifests = [class_of(), template(), workload("Deployment", 1)]
    result = case.run(TWO, manifests, "--replicas", "5")
    assert "\n1 more pod of Deployment default/w: the same" in result.stdout
    assert case.run(TWO, manifests, "--replicas", "3").exit_code == 0


def test_a_shared_claim_of_too_many_pods(case: Case) -> None:
    claim = {**template()["spec"], "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim"}
    claim["metadata"] = {"name": "shared"}
    entry = {"name": "gpu", "resourceClaimName": "shared"}
    manifest = workload("Deployment", HUGE, resourceClaims=[entry])
    pods = case.document(TWO, [class_of(), claim, manifest])["pods"]
    assert len(pods) == 257
    assert pods[-1]["alike"] == HUGE - 257
    assert "neverBinds" in pods[-1]


def test_no_more_pods_than_a_run_places() -> None:
    manifest = workload("Deployment", HUGE, resourceClaims=[])
    other = {**workload("Deployment", 2, resourceClaims=[]), "metadata": {"name": "other"}}
    reports = placed(simulation(manifest, other), most=20)
    assert [report.fits for report in reports] == [*[True] * 20, False, False]
    assert [report.alike for report in reports[-2:]] == [HUGE - 21, 1]
    assert reports[-1].reason == "not looked at: a run places 20 pods"
    assert reports[-1].prospect is Prospect.UNKNOWN


def test_what_is_not_looked_at_when_the_time_is_over() -> None:
    manifest = workload("Deployment", HUGE, resourceClaims=[])
    other = {**workload("Deployment", 2, resourceClaims=[]), "metadata": {"name": "other"}}
    reports = placed(simulation(manifest, other), deadline=Deadline.after(0))
    assert [report.prospect for report in reports] == [Prospect.UNKNOWN] * 2
    assert [report.alike for report in reports] == [HUGE - 1, 1]
    assert reports[0].reason == "not looked at: the time limit of 0 s was reached"


def test_what_never_starts_is_worse_than_what_is_unknown() -> None:
    """Of pods that were not looked at less is known than of those that never start."""
    order = [Prospect.FITS, Prospect.CHANCE, Prospect.UNKNOWN, Prospect.NEVER]
    assert [worst([Prospect.FITS, one]) for one in order] == order
    assert worst([Prospect.UNKNOWN, Prospect.NEVER]) is Prospect.NEVER


def test_the_work_does_not_grow_with_what_does_not_fit() -> None:
    def run(count: int) -> None:
        placed(simulation(class_of(), template(), workload("Deployment", count)))

    run(10)
    few, many = work_of(lambda: run(10)), work_of(lambda: run(HUGE))
    assert abs(many - few) < few / 10  # what is collected or remembered meanwhile may differ


def test_json_counts(case: Case) -> None:
    text = case.run(
        TWO, [class_of(), template(), workload("Deployment", 3)], "--output-format", "json"
    )
    assert all("alike" not in pod for pod in json.loads(text.stdout)["pods"])


def test_the_time_of_a_call(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: float(next(seconds)))
    monkeypatch.setattr(deadline, "time", clock)
    manifests = [class_of(), workload("Deployment", HUGE, resourceClaims=[])]
    result = case.run(TWO, manifests, "--timeout", "5s")
    assert result.exit_code == 2
    assert result.stderr == (
        "dradsl simulate: the time limit of 5 s was reached; not looked at: 1,999,999,997 pods\n"
    )
    document = case.document(TWO, manifests, "--timeout", "5s")
    assert [pod["answer"] for pod in document["pods"]] == [*["fits"] * 3, "unknown"]
    assert document["answer"] == "unknown"
    assert document["pods"][-1]["alike"] == HUGE - 4
    fit = case.run(TWO, manifests, "--fit", "--timeout", "5s")
    assert fit.exit_code == 2
    assert "Deployment default/w: at least 3 replicas fit (the time limit)" in fit.stdout
    assert case.run(TWO, manifests, "--timeout", "soon").exit_code == 2

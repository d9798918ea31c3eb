"""KServe merges a service with its runtime: what is left in one must go with what the other got."""

from __future__ import annotations

from dradsl.migrate.result import Outcome
from tests.migrate.runs import data_of, run

RUNTIME = """\
apiVersion: serving.kserve.io/v1alpha1
kind: ServingRuntime
metadata: {name: r, namespace: n}
spec:
  containers:
  - {name: kserve-container, image: i, resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1}}}
---
"""
SERVICE = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: s, namespace: n}
spec:
  predictor:
    model:
      modelFormat: {name: m}
      runtime: r
      resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1}}
"""
ACCEPT = {"accept": ["ServingRuntime.serving.kserve.io"]}


def test_a_service_whose_runtime_still_asks_says_zero_in_requests_too() -> None:
    """Amounts are merged key by key: limits of 0 with the requests of the runtime are no legal pod."""
    (file,) = run(RUNTIME + SERVICE).files
    runtime, service, *_ = data_of(file.text)
    assert runtime["spec"]["containers"][0]["resources"]["requests"] == {"nvidia.com/gpu": 1}
    resources = service["spec"]["predictor"]["model"]["resources"]
    assert (resources["limits"], resources["requests"]) == (
        {"nvidia.com/gpu": 0},
        {"nvidia.com/gpu": 0},
    )


def test_both_are_migrated_with_the_answer() -> None:
    migration = run(RUNTIME + SERVICE, answers=ACCEPT)
    assert migration.count(Outcome.TRANSLATED) == 2
    assert migration.faults == ()


def test_a_runtime_whose_service_still_asks_stays() -> None:
    held = SERVICE.replace("  predictor:\n", "  predictor:\n    workerSpec: {size: 2}\n")
    migration = run(RUNTIME + held, answers=ACCEPT)
    assert not migration.changed
    assert "still asks" in migration.faults[0]

"""What is reported of beginners' manifests, and how well it tells them what to do (points in the files)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from dradsl.kube.server.api_server import ApiServer
from dradsl.lint.engine.run import lint_text
from dradsl.lint.settings.config import LintConfig
from dradsl.releases import newest_release

LEAST = {
    "seventh": 0.91,
    "ninth": 0.8,
    "tenth": 0.8,
    "eleventh": 0.79,
    "twelfth": 0.86,
    "thirteenth": 0.83,
    "fourteenth": 0.73,
    "fifteenth": 0.83,
}  # what is left to do is in SAMPLES.md
FOLDER = Path(__file__).with_name("beginners")
SAMPLES: dict[str, list[Any]] = {
    path.stem: yaml.safe_load(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.yaml"))
}
ROWS = [
    pytest.param(row, id=f"{sample}-{row['name']}")
    for sample, rows in SAMPLES.items()
    for row in rows
]


@pytest.mark.parametrize("row", ROWS)
def test_what_is_found(row: Any) -> None:
    report = lint_text(row["manifest"], config=LintConfig(root="."))
    found = [f"{each.severity.value} {each.code} at {each.span.line}" for each in report.findings]
    assert found == row["finds"]


@pytest.mark.parametrize(
    "row",
    [
        *SAMPLES["third"],
        *SAMPLES["fourth"],
        *SAMPLES["fifth"],
        *SAMPLES["sixth"],
        *SAMPLES["seventh"],
        *SAMPLES["eighth"],
        *SAMPLES["ninth"],
        *SAMPLES["tenth"],
        *SAMPLES["eleventh"],
    ],
    ids=lambda row: row["name"],
)
def test_what_the_api_server_answers(row: Any) -> None:
    release = newest_release()
    server = ApiServer(release, release.features())
    answers = []
    for data in yaml.safe_load_all(row["manifest"]):
        if data.get("apiVersion", "").startswith("resource.k8s.io/"):
            problems = server.create(data).problems
            answers.append(str(problems[0].error).partition("\n")[0] if problems else "accepted")
    assert answers == row["server"]


@pytest.mark.parametrize(
    "row", [*SAMPLES["sixth"], *SAMPLES["seventh"]], ids=lambda row: row["name"]
)
def test_a_running_api_server_answered_so(row: Any) -> None:
    objects = [*yaml.safe_load_all(row["manifest"])]
    assert len(row["upstream"]) == len(objects)
    said = iter(row["server"])
    for data, upstream in zip(objects, row["upstream"], strict=True):
        version = data["apiVersion"]
        if version.startswith("resource.k8s.io/"):
            answer = next(said)  # the running server has the beta versions on as well
            assert answer in upstream or version.startswith("resource.k8s.io/v1beta")


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_points(sample: str) -> None:
    rows = SAMPLES[sample]
    points = sum(int(digit) for row in rows for digit in row["after"])
    assert all(len(row["after"]) == 4 and set(row["after"]) <= set("012") for row in rows)
    assert points >= LEAST.get(sample, 0.95) * 8 * len(rows)
    for row in rows:  # what earns points is found: nothing is no remedy
        silent = row["after"] == "0000" or row["name"].startswith(("right", "lower", "match-a10g"))
        assert row["finds"] or silent, row["name"]


@pytest.mark.parametrize(
    ("name", "help_of"),
    [
        (
            "hybrid-class-with-a-spec",
            ["write apiVersion: resource.k8s.io/v1 and kind: DeviceClass and spec: {selectors: "],
        ),
        ("chinese-timeslice-in-v1", ["remove the object: the claim has its parameters itself, "]),
        (
            "korean-card-node-selector",
            ["remove it: a class chooses no nodes", "write resourceClaimTemplateName: …, "],
        ),
        (
            "foozer-template-in-source",
            ["write apiVersion: resource.k8s.io/v1 and spec: {spec: {devices: "],
        ),
        (
            "taiwan-ollama-v1alpha1",
            [
                "write apiVersion: resource.k8s.io/v1 and spec: {devices: {requests: [{name: gpu-part"
            ],
        ),
    ],
)
def test_a_remedy_that_the_seventh_sample_missed(name: str, help_of: list[str]) -> None:
    [row] = [each for each in SAMPLES["seventh"] if each["name"] == name]
    report = lint_text(row["manifest"], config=LintConfig(root="."))
    given = [each.help or "" for each in report.findings]
    for wanted in help_of:
        assert any(each.startswith(wanted) for each in given), given


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("notes-slice-with-a-quantity", "write value: 24Gi, in a device under capacity"),
        ("gke-class-with-criteria", "write apiVersion: resource.k8s.io/v1 and spec: {selectors: "),
        ("agent-request-in-first-available", "it is in what is to be written for request"),
        (
            "conformance-spec-in-the-pod",
            "write a ResourceClaimTemplate gpu-claim with spec: {spec: {devices",
        ),
        (
            "chinese-class-in-the-pod",
            "write a ResourceClaimTemplate gpu-partition with spec: {spec: {devices",
        ),
        ("book-parameters-in-a-request", 'did you mean "gpu.nvidia.com"? a100 is a condition '),
        (
            "book-parameters-in-a-request",
            "write apiVersion: resource.k8s.io/v1 and spec: {spec: {devices: {requests: [{name: "
            "high-memory-gpu, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: ",
        ),
        (
            "llm-platform-v1beta1-with-a-class",
            "remove the object: write its parameters under config: ",
        ),
        (
            "llm-platform-v1beta1-with-a-class",
            "write apiVersion: resource.k8s.io/v1 and spec: {spec: {devices: {requests: [{name: "
            "device, exactly: {deviceClassName: gpu.nvidia.com, selectors: [{cel: {expression: "
            """'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("80Gi")) >= 0'}}]}}]}}}""",
        ),
        ("korean-driver-and-partition-in-claims", "write claims: [{name: gpu-partition}] under "),
    ],
)
def test_a_remedy_that_the_tenth_sample_missed(name: str, wanted: str) -> None:
    [row] = [each for each in SAMPLES["tenth"] if each["name"] == name]
    report = lint_text(row["manifest"], config=LintConfig(root="."))
    given = [each.help or "" for each in report.findings]
    assert any(each.startswith(wanted) for each in given), given

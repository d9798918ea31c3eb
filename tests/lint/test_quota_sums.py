"""What counts together against a quota, and what does not: jobs, scaled workloads, unknown values, examples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from pathlib import Path

QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: ml}
spec: {hard: {%s: %d}}
---
"""
BY_CLASS = "gpu.example.com.deviceclass.resource.k8s.io/devices"
IMPLICIT = "requests.deviceclass.resource.kubernetes.io/gpu.example.com"
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: %s, namespace: %s}
spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.example.com, count: 2}}]}}
---
"""
TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: ml}
spec: {spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.example.com}}]}}}
---
"""
WORKLOAD = """\
apiVersion: apps/v1
kind: %s
metadata: {name: w, namespace: ml}
spec:
  replicas: %s
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: c, image: x, resources: {claims: [{name: g}]}}]
      resourceClaims: [{name: g, resourceClaimTemplateName: t}]
---
"""
SCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: h, namespace: ml}
spec: {scaleTargetRef: {kind: Deployment, name: w}, maxReplicas: 9}
---
"""
NAMED = """\
apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: ml}
spec:
  restartPolicy: %s
  containers: [{name: c, image: x, resources: {limits: {deviceclass.resource.kubernetes.io/gpu.example.com: 2}}}]
---
"""


def found(folder: Path, *options: str, **files: str) -> list[tuple[str, str]]:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    call = ["--isolated", "--output-format", "json", *options, str(folder)]
    findings = json.loads(CliRunner().invoke(command, call).stdout)["findings"]
    return [(x["severity"], x["message"]) for x in findings if x["code"] == "DRA910"]


def quota(most: int, key: str = BY_CLASS) -> str:
    return QUOTA % (key, most)


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet"])
def test_every_replica_counts(tmp_path: Path, kind: str) -> None:
    ((severity, message),) = found(tmp_path, a=quota(3) + TEMPLATE + WORKLOAD % (kind, 4))
    assert severity == "error"
    assert f"{kind} w 4" in message


def test_claims_and_replicas_are_added(tmp_path: Path) -> None:
    text = TEMPLATE + CLAIM % ("c", "ml") + WORKLOAD % ("Deployment", 3)
    assert found(tmp_path, a=quota(5) + text) == []
    assert len(found(tmp_path, a=quota(4) + text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        TEMPLATE + WORKLOAD % ("Deployment", 4) + SCALER,
        TEMPLATE + WORKLOAD % ("Deployment", "${REPLICAS}"),
        TEMPLATE + (WORKLOAD % ("Deployment", 4)).replace("namespace: ml", "namespace: other"),
        CLAIM % ("c", "ml") + CLAIM % ("d", "other"),
        CLAIM % ("c", "ml") + CLAIM % ("c", "ml"),
        CLAIM % ("c", "ml") + CLAIM % ("d, uid: u1", "ml"),
        NAMED % ("p", "Never") + NAMED % ("r", "OnFailure"),
    ],
    ids=["scaled", "a hole", "elsewhere", "two namespaces", "one object", "recorded", "they end"],
)
def test_what_does_not_follow_is_not_said(tmp_path: Path, text: str) -> None:
    assert found(tmp_path, a=quota(3) + text) == []


def test_files_of_a_folder_may_be_examples(tmp_path: Path) -> None:
    said = found(tmp_path, a=quota(3), b=CLAIM % ("c", "ml"), c=CLAIM % ("d", "ml"))
    assert [severity for severity, _ in said] == ["info"]


def test_one_build_is_applied_together(tmp_path: Path) -> None:
    files = "resources: [a.yaml, b.yaml, c.yaml]\n"
    (tmp_path / "kustomization.yaml").write_text(files, encoding="utf-8")
    said = found(tmp_path, a=quota(3), b=CLAIM % ("c", "ml"), c=CLAIM % ("d", "ml"))
    assert [severity for severity, _ in said] == ["error"]


def test_pods_that_name_a_class_count_by_it(tmp_path: Path) -> None:
    text = NAMED % ("p", "Always") + NAMED % ("r", "Always")
    assert len(found(tmp_path, a=quota(3) + text)) == 1
    assert len(found(tmp_path, a=quota(3, IMPLICIT) + text)) == 1


@pytest.mark.parametrize(
    ("options", "number"),
    [
        (("--kube-version", "1.34"), 0),
        (("--kube-version", "1.34", "--feature-gates", "DRAExtendedResource=true"), 0),
        (("--kube-version", "1.35"), 0),
        (("--kube-version", "1.35", "--feature-gates", "DRAExtendedResource=true"), 1),
        (("--kube-version", "1.36"), 1),
    ],
)
def test_extended_resources_count_from_1_35_with_their_gate(
    tmp_path: Path, options: tuple[str, ...], number: int
) -> None:
    text = quota(3, IMPLICIT) + CLAIM % ("c", "ml") + CLAIM % ("d", "ml")
    assert len(found(tmp_path, *options, a=text)) == number


def test_resources_of_no_class_are_left_alone(tmp_path: Path) -> None:
    pods = "".join(NAMED % (name, "Always") for name in "pr")
    pods = pods.replace("deviceclass.resource.kubernetes.io/gpu.example.com", "vendor.com/gpu")
    assert found(tmp_path, a=quota(3, "requests.vendor.com/gpu") + pods) == []


@pytest.mark.parametrize("name", ["[]", "{a: b}", "null", "1"])
def test_an_autoscaler_may_name_anything(name: str, tmp_path: Path) -> None:
    scaler = (
        f"kind: HorizontalPodAutoscaler\nspec: {{scaleTargetRef: {{kind: [], name: {name}}}}}\n"
    )
    path = tmp_path / "a.yaml"
    path.write_text(QUOTA % (BY_CLASS, 1) + f"apiVersion: autoscaling/v2\n{scaler}")
    output = CliRunner().invoke(command, ["--isolated", str(path)]).output
    assert "internal error" not in output
    assert "DRA004" not in output

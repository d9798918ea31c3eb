"""What is quiet on recorded objects and on controllers, what is said once a file, and which class was meant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.releases import UnknownReleaseError, get_release

if TYPE_CHECKING:
    from pathlib import Path

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: p, namespace: ml{uid}}}
spec:
  nodeName: n1
  containers: [{{name: c, image: x, resources: {{claims: [{{name: g}}]}}}}]
  resourceClaims: [{{name: g, resourceClaimName: c}}]
"""
CLAIM = """\
apiVersion: resource.k8s.io/{version}
kind: ResourceClaim
metadata: {{name: {name}, namespace: ml}}
spec: {{devices: {{requests: [{{name: a, exactly: {{deviceClassName: {of}}}}}]}}}}
"""
STATUS = "status: {reservedFor: [{resource: pods, name: p, uid: u1}]}\n"


def found(folder: Path, text: str, *options: str) -> list[Any]:
    (folder / "x.yaml").write_text(text, encoding="utf-8")
    arguments = ["--isolated", "--output-format", "json", *options, str(folder / "x.yaml")]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    findings: list[Any] = json.loads(result.stdout)["findings"]
    return findings


def codes(findings: list[Any]) -> list[str]:
    return sorted(each["code"] for each in findings)


def test_the_scheduler_has_written_the_node_of_a_recorded_pod(tmp_path: Path) -> None:
    assert "DRA417" in codes(found(tmp_path, POD.format(uid="")))
    assert "DRA417" not in codes(found(tmp_path, POD.format(uid=", uid: u2")))


def test_a_version_is_told_once_a_file(tmp_path: Path) -> None:
    claims = [CLAIM.format(version="v1beta2", name=f"c{n}", of="gpu.nvidia.com") for n in range(3)]
    (one,) = (each for each in found(tmp_path, "---\n".join(claims)) if each["code"] == "DRA502")
    assert "2 more in this file" in one["message"]


def test_a_status_is_told_once_a_file(tmp_path: Path) -> None:
    claims = [
        CLAIM.format(version="v1", name=f"c{n}", of="gpu.nvidia.com") + STATUS for n in range(3)
    ]
    assert codes(found(tmp_path, "---\n".join(claims))).count("DRA012") == 1


@pytest.mark.parametrize(
    ("taint", "expected"),
    [("nvidia.com/gpu", True), ("node-role.kubernetes.io/control-plane", False)],
)
def test_controllers_tolerate_device_nodes_on_purpose(
    tmp_path: Path, taint: str, *, expected: bool
) -> None:
    text = f"""\
apiVersion: v1
kind: Pod
metadata: {{name: p, namespace: ml}}
spec:
  tolerations: [{{key: nvidia.com/gpu, operator: Exists}}, {{key: {taint}, operator: Exists}}]
  containers: [{{name: c, image: x}}]
"""
    assert ("DRA903" in codes(found(tmp_path, text))) is expected


def test_the_class_of_an_own_driver(tmp_path: Path) -> None:
    schema = tmp_path / "schema.yaml"
    schema.write_text(
        "driver: gpu.kwok.x-k8s.io\nvendor: none\nsummary: made up\ncompleteness: inferred\n"
        "sources: [{document: none}]\nattributes: {model: {type: string}}\n",
        encoding="utf-8",
    )
    text = CLAIM.format(version="v1", name="c", of="gpu.kwok.x-k8s.io")
    assert "DRA412" in codes(found(tmp_path, text))
    assert found(tmp_path, text, "--driver-schema", str(schema)) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("1.33", "1.33 serves v1beta1 and v1beta2"),
        ("v1.32.4", "1.32 serves v1beta1 of"),
        ("1.31", "v1alpha3"),
        ("1.20", "unknown Kubernetes release"),
        ("nonsense", "unknown Kubernetes release"),
    ],
)
def test_earlier_releases_say_what_they_serve(name: str, text: str) -> None:
    with pytest.raises(UnknownReleaseError, match=text):
        get_release(name)


def test_a_taint_rule_without_selector_by_release(tmp_path: Path) -> None:
    rule = """\
apiVersion: resource.k8s.io/v1beta2
kind: DeviceTaintRule
metadata: {name: r}
spec: {taint: {key: example.com/x, effect: NoExecute}}
"""
    gate = "DRADeviceTaintRules=true"
    new = found(tmp_path, rule)
    old = found(tmp_path, rule, "--kube-version", "1.36", "--feature-gates", gate)
    off = found(tmp_path, rule, "--kube-version", "1.36")
    said = [next(x["message"] for x in each if x["code"] == "DRA641") for each in (new, old)]
    assert "no device" in said[0]
    assert "every device" in said[1]
    assert "DRA641" not in codes(off)


def test_a_quota_of_another_namespace_says_nothing(tmp_path: Path) -> None:
    quota = """\
apiVersion: v1
kind: ResourceQuota
metadata: {{name: q, namespace: {space}}}
spec: {{hard: {{gpu.nvidia.com.deviceclass.resource.k8s.io/devices: 0}}}}
---
"""
    claim = CLAIM.format(version="v1", name="c", of="gpu.nvidia.com")
    assert "DRA909" in codes(found(tmp_path, quota.format(space="ml") + claim))
    assert "DRA909" not in codes(found(tmp_path, quota.format(space="other") + claim))

"""Whole objects in values of charts, below keys such as `extraObjects`, which charts write as they are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from pathlib import Path


def found(*words: str) -> list[tuple[int, str, str]]:
    call = ["--isolated", "--severity", "warning", "--output-format", "json", *words, "."]
    output = CliRunner().invoke(command, call, catch_exceptions=False).output
    findings: list[dict[str, Any]] = json.loads(output)["findings"]
    return [(each["line"], each["code"], each["severity"]) for each in findings]


OBJECTS = """\
image: app
extraObjects:
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata: {name: gpu}
  spec:
    devices:
      requests:
      - name: gpu
        exactly: {deviceClasName: gpu.nvidia.com}
- |
  apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata:
    name: {{ .Release.Name }}-gpu
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: {{ .Values.class }}
          allocationMode: Exact
KEY:
  pod:
    apiVersion: v1
    kind: Pod
    metadata: {name: "{{ .Release.Name }}-pod"}
    spec:
      resourceClaims: [{name: gpu, resourceClaimNam: gpu}]
      containers:
      - {name: app, image: app, resources: {claims: [{nme: gpu}]}}
"""


@pytest.mark.parametrize(
    "key", ["extraDeploy", "rawResources", "extraManifests", "additionalObjects"]
)
def test_whole_objects_in_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "values.yaml").write_text(OBJECTS.replace("KEY", key))
    lines = [(line, code) for line, code, _ in found()]
    assert {(10, "DRA005"), (22, "DRA305"), (29, "DRA005"), (31, "DRA005")} <= set(lines)
    # Only the name of the key says that the chart applies them.
    assert {severity for _, _, severity in found()} == {"warning"}


def test_other_objects_in_values_are_not_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chart may add to them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "values.yaml").write_text(
        OBJECTS.replace("KEY", "pods").replace("extraObjects", "objects")
    )
    assert {code for _, code, _ in found()} <= {"DRA005"}

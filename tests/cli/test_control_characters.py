"""Text for people holds no character of the input that a terminal or a workflow obeys."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from tests.fuzz.cases import is_control

if TYPE_CHECKING:
    from pathlib import Path

NAME = r'"x\e[31m\a\u202ey\u2028\u0085\0\n::error::pwn"'
POD = f"""\
apiVersion: v1
kind: Pod
metadata: {{name: {NAME}}}
spec: {{containers: [{{name: {NAME}, image: x, resources: {{limits: {{nvidia.com/gpu: {NAME}}}}}}}]}}
---
apiVersion: resource.k8s.io/{NAME[1:-1]}
kind: {NAME}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: a}}
spec: {{selectors: [{{cel: {{expression: {NAME}}}}}]}}
""".replace(f"resource.k8s.io/{NAME[1:-1]}", f'"resource.k8s.io/{NAME[1:-1]}"')
SLICE = f"""\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: s}}
spec:
  driver: d.example.com
  nodeName: {NAME}
  pool: {{name: {NAME}, generation: 1, resourceSliceCount: 1}}
  devices: [{{name: {NAME}, attributes: {{a: {{string: {NAME}}}}}}}]
---
apiVersion: v1
kind: {NAME}
metadata: {{name: {NAME}}}
"""
EXPRESSION = "'\x1b[31m\u202e\u2028' == device.attributes['d.example.com'].a && \x07"
CALLS = (
    "lint --isolated a.yaml",
    "lint --isolated --output-format github a.yaml",
    "lint --isolated --output-format gitlab a.yaml",
    "convert --check --to v1beta1 a.yaml",
    "migrate --scan a.yaml",
    "migrate --check a.yaml",
    "migrate --scan --output-format markdown a.yaml",
    "simulate --slices s.yaml a.yaml",
    "simulate --slices s.yaml --output-format html a.yaml",
    "cel check EXPRESSION",
    "cel explain EXPRESSION",
    "cel fmt EXPRESSION",
    "cel eval --slices s.yaml EXPRESSION",
    "cel eval --slices s.yaml device.attributes['d.example.com'].a=='x'",
    "schema check s.yaml",
)


@pytest.mark.parametrize("call", CALLS)
def test_nothing_is_obeyed(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(POD)
    (tmp_path / "s.yaml").write_text(SLICE)
    name, *words = [EXPRESSION if word == "EXPRESSION" else word for word in call.split()]
    command = importlib.import_module(f"dradsl.cli.{name}").command
    result = CliRunner().invoke(command, words, catch_exceptions=False)
    assert result.exit_code in (0, 1, 2)
    assert result.output
    assert [each for each in result.output if is_control(each)] == []
    if name != "simulate":
        assert not any(line.startswith("::error::pwn") for line in result.output.splitlines())

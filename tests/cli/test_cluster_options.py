"""Release and feature gates are said and rejected in one way by every command that has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from dradsl.cli import _COMMANDS
from dradsl.cli.cluster_options import GateSyntaxError, parse_gates
from dradsl.cli.group import group_of

if TYPE_CHECKING:
    from pathlib import Path

FLEET = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: slice}
spec:
  driver: gpu.example.com
  nodeName: node-1
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}]
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec: {containers: [{name: c, image: x}]}
"""
CALLS = {
    "lint": ("lint", "--isolated", "pod.yaml"),
    "simulate": ("simulate", "pod.yaml", "--slices", "fleet.yaml"),
    "cel": ("cel", "check", "true"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "fleet.yaml").write_text(FLEET)
    (tmp_path / "pod.yaml").write_text(POD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(command: str, *options: str) -> Result:
    return CliRunner().invoke(
        group_of(_COMMANDS), [*CALLS[command], *options], catch_exceptions=False
    )


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", CALLS)
@pytest.mark.parametrize(
    "options",
    [
        ("--kube-version", "1.36", "--feature-gates", "DRAListTypeAttributes=true"),
        ("--feature-gates", "DRAListTypeAttributes=true,DRAPartitionableDevices=false"),
        ("--feature-gates=DRAListTypeAttributes=True, DRAPartitionableDevices=FALSE",),
        (
            "--feature-gates",
            "DRAListTypeAttributes=true",
            "--feature-gates",
            "CompositePodGroup=true",
        ),
    ],
)
def test_taken_by_all(command: str, options: tuple[str, ...]) -> None:
    result = call(command, *options)
    assert result.exit_code == 0, result.output


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", CALLS)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--feature-gates", "DRAListTypeAttributes=yes"),
            "--feature-gates: expected NAME=true or NAME=false, not 'DRAListTypeAttributes=yes'",
        ),
        (("--feature-gates", "=true"), "--feature-gates: expected NAME=true or NAME=false"),
        (("--feature-gates", "NoSuchGate=true"), "NoSuchGate"),
        (("--kube-version", "1.12"), "unknown Kubernetes release '1.12'"),
    ],
)
def test_rejected_by_all(command: str, options: tuple[str, ...], said: str) -> None:
    result = call(command, *options)
    assert result.exit_code == 2, result.output
    assert said in result.stderr


def test_gates() -> None:
    assert parse_gates(("A=true", "B=False,C=true")) == {"A": True, "B": False, "C": True}
    assert parse_gates(()) == {}


@pytest.mark.parametrize("text", ["A", "A=", "A=1", "A=true,B", "=true", ""])
def test_what_is_no_gate(text: str) -> None:
    with pytest.raises(GateSyntaxError, match="NAME=true or NAME=false"):
        parse_gates((text,))

"""Where no recorded node can meet a claim, the finding says what is nearest, as simulate does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from pathlib import Path

SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.nvidia.com
  nodeName: n1
  pool: {name: n1, generation: 1, resourceSliceCount: 1}
  devices:
  - name: gpu-0
    attributes: {type: {string: gpu}, productName: {string: NVIDIA H200}}
    capacity: {memory: {value: 140Gi}}
    taints: [{key: nvidia.com/xid, effect: NoExecute, value: "79"}]
"""

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: ml}
spec: {devices: {requests: [{name: a, exactly: {deviceClassName: gpu.nvidia.com%s}}]}}
"""


def linted(folder: Path, more: str) -> str:
    (folder / "slice.yaml").write_text(SLICE, encoding="utf-8")
    (folder / "claim.yaml").write_text(CLAIM % more, encoding="utf-8")
    paths = ["--slices", str(folder / "slice.yaml"), str(folder / "claim.yaml")]
    return CliRunner().invoke(command, ["--isolated", *paths]).output


def test_a_taint_is_named(tmp_path: Path) -> None:
    shown = linted(tmp_path, "")
    assert "DRA701" in shown
    assert "help: nearest: n1: tolerate taint nvidia.com/xid:NoExecute in request a" in shown


def test_the_count_that_there_is_is_named(tmp_path: Path) -> None:
    shown = linted(tmp_path, ", count: 9, tolerations: [{operator: Exists}]")
    assert "DRA702" in shown
    assert "help: ask for 1 instead of 9" in shown

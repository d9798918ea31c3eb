"""What the repository around a folder says of the devices that the folder asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.migrate import command

if TYPE_CHECKING:
    from pathlib import Path

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
  - name: main
    image: i
    resources:
      limits:
        gpu.intel.com/i915: 1
"""
PLUGIN = """\
apiVersion: deviceplugin.intel.com/v1
kind: GpuDevicePlugin
metadata: {name: gpu}
spec:
  sharedDevNum: NUMBER
"""
ASSUMED = "read as whole GPUs"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with an app that asks for a GPU of Intel."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "pod.yaml").write_text(POD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(*words: str) -> str:
    return CliRunner().invoke(command, [*words, "app"], catch_exceptions=False).output


@pytest.mark.parametrize(
    ("number", "is_asked", "is_assumed"),
    [("3", True, False), ("1", False, False), ("", False, True)],
)
def test_sharing_is_known_from_another_folder(
    repository: Path, number: str, is_asked: bool, is_assumed: bool
) -> None:
    """Nobody migrates a folder to whole GPUs whose plugin, one folder further, gives each to several containers."""
    if number:
        (repository / "plugin").mkdir()
        (repository / "plugin" / "gpu.yaml").write_text(PLUGIN.replace("NUMBER", number))
    said = report()
    assert ("sharing, for 1 use of intel.com" in said) is is_asked
    assert ("plugin/gpu.yaml:5 sets sharedDevNum" in said) is bool(number)
    assert (ASSUMED in said) is is_assumed
    assert "1 translated" in (report("--set", "sharing=shared-claim") if is_asked else said)


def test_a_comment_on_sharing_is_a_sign(repository: Path) -> None:
    path = repository / "app" / "pod.yaml"
    path.write_text(POD.replace("i915: 1", "i915: 1  # sharedDevNum is 3"))
    assert "speaks of shared GPUs ('sharedDevNum')" in report()


def test_a_count_beside_a_use_is_named(repository: Path) -> None:
    """Values that ask for devices in one place may hold a number of GPUs in another, which a chart reads."""
    (repository / "app" / "values.yaml").write_text(
        "engine: {resources: {limits: {nvidia.com/gpu: 1}}}\nmodel:\n  numGpus: 2\n"
    )
    assert "app/values.yaml:3 has numGpus: 2" in report()

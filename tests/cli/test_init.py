"""`dradsl init`: what it writes follows from the tree, and lint takes it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from dradsl.cli.init import command
from dradsl.lint.settings.config import read_config

if TYPE_CHECKING:
    from collections.abc import Mapping

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu.nvidia.com}}]}}
"""
KIND = """\
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
featureGates: {DRAConsumableCapacity: false, SomethingElse: true}
nodes:
- {role: control-plane, image: "kindest/node:v1.36.1"}
- {role: worker, image: "kindest/node:v1.29.0"}
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: dra}
spec: {chart: {spec: {chart: nvidia-dra-driver-gpu, version: 25.8.1}}}
"""


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)


def write(files: Mapping[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def init(*words: str) -> Result:
    return CliRunner().invoke(command, words)


def test_releases_gates_and_drivers() -> None:
    write({"apps/claim.yaml": CLAIM, "kind.yaml": KIND, "dra.yaml": RELEASE})
    assert init().exit_code == 0
    config = read_config(".dradsl.yaml")
    assert config.kube_version == ("1.36",)
    assert config.feature_gates == {"DRAConsumableCapacity": False}
    assert config.driver_versions == {
        "gpu.nvidia.com": "v25.8",
        "compute-domain.nvidia.com": "v25.8",
    }
    assert config.preset == "workload"
    text = Path(".dradsl.yaml").read_text()
    assert "# Kubernetes 1.29: kind.yaml" in text
    assert 'gpu.nvidia.com: "v25.8"  # dra.yaml' in text


def test_what_no_file_says_is_said_and_not_written() -> None:
    write({"claim.yaml": CLAIM})
    assert init().exit_code == 0
    config = read_config(".dradsl.yaml")
    assert (config.kube_version, config.driver_versions, config.slices) == ((), {}, ())
    text = Path(".dradsl.yaml").read_text()
    assert "# No file names a known release of Kubernetes" in text
    assert "# gpu.nvidia.com: one of v25.3, v25.8" in text


def test_several_versions_are_left_to_the_user() -> None:
    write({"claim.yaml": CLAIM, "a.yaml": RELEASE, "b.yaml": RELEASE.replace("25.8.1", "25.3.2")})
    assert init().exit_code == 0
    assert read_config(".dradsl.yaml").driver_versions == {}
    assert "# gpu.nvidia.com: one of v25.3, v25.8" in Path(".dradsl.yaml").read_text()


def test_a_gate_that_is_locked_is_not_written() -> None:
    write({"kind.yaml": KIND.replace("DRAConsumableCapacity", "DynamicResourceAllocation")})
    assert init().exit_code == 0
    assert read_config(".dradsl.yaml").feature_gates == {}


@pytest.mark.parametrize(
    ("kind", "preset"), [("DeviceClass", "platform"), ("ResourceClaim", "workload")]
)
def test_the_preset_follows_from_the_kinds(kind: str, preset: str) -> None:
    write({"a.yaml": CLAIM.replace("ResourceClaim", kind).replace("spec:", "x:")})
    assert init().exit_code == 0
    assert read_config(".dradsl.yaml").preset == preset


def test_recorded_slices_are_named() -> None:
    text = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a, uid: b}\n"
    write({"rec/slices.yaml": text})
    assert init().exit_code == 0
    assert [Path(each).as_posix() for each in read_config(".dradsl.yaml").slices] == [
        "rec/slices.yaml"
    ]


def test_nothing_is_written_over() -> None:
    write({"claim.yaml": CLAIM, ".dradsl.yaml": "preset: strict\n"})
    result = init()
    assert (result.exit_code, "is there already" in result.output) == (2, True)
    assert Path(".dradsl.yaml").read_text() == "preset: strict\n"
    result = init("--diff")
    assert (result.exit_code, "-preset: strict\n" in result.output) == (0, True)
    assert Path(".dradsl.yaml").read_text() == "preset: strict\n"
    assert init("--force", "--preset", "platform").exit_code == 0
    assert read_config(".dradsl.yaml").preset == "platform"


def test_a_dry_run_writes_nothing() -> None:
    write({"claim.yaml": CLAIM})
    assert "preset: workload" in init("--dry-run").output
    assert not Path(".dradsl.yaml").exists()


def test_a_table_in_pyproject_is_not_hidden() -> None:
    write({"claim.yaml": CLAIM, "pyproject.toml": "[tool.dradsl]\n"})
    result = init()
    assert (result.exit_code, "[tool.dradsl]" in result.output) == (2, True)
    assert not Path(".dradsl.yaml").exists()


def test_names_of_files_cannot_write_lines() -> None:
    write({"a\nselect: [].yaml": CLAIM})
    assert init().exit_code == 0
    assert read_config(".dradsl.yaml").select == ("ALL",)

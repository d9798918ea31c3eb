"""Names of a driver of which slices in the manifests show another build."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command

if TYPE_CHECKING:
    from pathlib import Path

CLASS = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: pages}
spec:
  selectors:
  - cel: {expression: 'device.driver == "DRIVER" && device.attributes["DRIVER"].hugeTLB'}
"""
SLICE = """\
apiVersion: v1
kind: List
items:
- apiVersion: resource.k8s.io/v1
  kind: ResourceSlice
  metadata: {name: s, METADATA}
  spec:
    driver: dra.memory
    nodeName: n
    pool: {name: n, generation: 1, resourceSliceCount: 1}
    devices: [{name: m, attributes: {NAME: {bool: true}}}]
"""
WRITTEN = SLICE.replace("METADATA", "uid: 80fa91e4-885f-4cb4-bad9-579946d614d6")


def codes(folder: Path, driver: str, slices: str) -> list[str]:
    (folder / "class.yaml").write_text(CLASS.replace("DRIVER", driver), encoding="utf-8")
    (folder / "slices.yaml").write_text(slices, encoding="utf-8")
    call = ["--isolated", "--output-format", "json", str(folder)]
    found = json.loads(CliRunner().invoke(command, call).stdout)["findings"]
    return [each["code"] for each in found if each["path"].endswith("class.yaml")]


@pytest.mark.parametrize("name", ["hugeTLB", "dra.memory/hugeTLB", "other"])
def test_names_are_not_judged_where_the_driver_published_more_than_the_schema(
    tmp_path: Path, name: str
) -> None:
    assert "DRA201" not in codes(tmp_path, "dra.memory", WRITTEN.replace("NAME", name))


@pytest.mark.parametrize(
    ("driver", "slices"),
    [
        ("dra.memory", WRITTEN.replace("NAME", "resource.kubernetes.io/hugeTLB")),
        ("dra.memory", SLICE.replace("METADATA", "labels: {}").replace("NAME", "hugeTLB")),
        ("gpu.nvidia.com", WRITTEN.replace("NAME", "hugeTLB")),
    ],
    ids=["names-of-the-schema", "written-by-hand", "another-driver"],
)
def test_other_names_are(tmp_path: Path, driver: str, slices: str) -> None:
    assert "DRA201" in codes(tmp_path, driver, slices)

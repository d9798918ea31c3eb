"""Patch releases: `--kube-version 1.36.2` counts where the patch releases of a minor differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.allocator.switches import variants_of
from dradsl.releases import RELEASES, UnknownReleaseError, get_release, parse_releases
from dradsl.releases.scheduling import CounterScope
from tests.lint.trees import as_json, lint, write

if TYPE_CHECKING:
    from pathlib import Path

_SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: {driver}-{number}}}
spec:
  driver: {driver}.vendor.example
  nodeName: node-a
  pool: {{name: node-a, generation: 1, resourceSliceCount: 2}}
  {content}
---
"""
_COUNTERS = "sharedCounters: [{name: card-0, counters: {memory: {value: 80Gi}}}]"
_DEVICES = "devices: [{name: gpu-0, consumesCounters: [{counterSet: card-0, counters: {memory: {value: 1Gi}}}]}]"
SLICES = "".join(
    _SLICE.format(driver=driver, number=number, content=content)
    for driver in ("gpu", "nic")
    for number, content in enumerate((_COUNTERS, _DEVICES))
)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"a.yaml": SLICES})


@pytest.mark.parametrize(
    ("asked", "releases"),
    [
        ("1.36.0", ["1.36.0"]),
        ("v1.36.3", ["1.36.3"]),
        ("1.36.2+k3s1", ["1.36.2"]),
        ("1.36.2-1.37", ["1.36.2"]),
        ("1.36", []),
        ("1.36.4", []),
        ("1.36.6", []),
        ("1.36.99", []),
        ("1.37.0", []),
    ],
)
def test_two_drivers_count_in_one_pool_name_before_1_36_4(asked: str, releases: list[str]) -> None:
    found = as_json(".", "--kube-version", asked)["findings"]
    assert {one["code"] for one in found} == ({"DRA621"} if releases else set())
    for one, name in zip(found, releases, strict=True):
        assert f"Kubernetes {name} adds up" in one["message"]
        assert one["kubernetes"] == ["1.36"]


def test_the_configuration_keeps_the_patch_release(tmp_path: Path) -> None:
    write(tmp_path, {".dradsl.yaml": 'kube-version: "1.36.2"\n'})
    from click.testing import CliRunner

    from dradsl.cli.lint import command

    assert "DRA621" in CliRunner().invoke(command, ["."]).stdout
    assert "1.36.2" in CliRunner().invoke(command, ["--show-settings"]).stdout


@pytest.mark.parametrize("asked", ["1.36.x", "1.36.", "1.36.-1", "1.36.two", "1.36.2-1.36.x"])
def test_what_is_no_patch_release_is_rejected(asked: str) -> None:
    result = lint(".", "--kube-version", asked)
    assert result.exit_code == 2
    assert "release" in result.stderr


def test_the_patch_of_a_release() -> None:
    assert get_release("1.36.2").patch == "1.36.2"
    assert get_release("1.36.2").name == "1.36"
    newest = RELEASES["1.36"]
    assert get_release("1.36.99") is newest
    assert get_release(newest.patch) is newest
    assert [each.patch for each in parse_releases("1.34.1-1.36.0")] == [
        "1.34.1",
        RELEASES["1.35"].patch,
        "1.36.0",
    ]
    with pytest.raises(UnknownReleaseError, match=r"'1\.36\.x' names no patch release"):
        get_release("1.36.x")


def test_the_allocator_of_a_patch() -> None:
    scopes = {
        name: {variant.counters for variant in variants_of(name)}
        for name in ("1.36.0", "1.36.3", "1.36.4", "1.36", "1.37.1")
    }
    old, new = {CounterScope.POOL_NAME}, {CounterScope.POOL}
    assert scopes == {"1.36.0": old, "1.36.3": old, "1.36.4": new, "1.36": new, "1.37.1": new}

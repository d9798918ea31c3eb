"""Recorded slices with fields of another type: an answer or an error with its place, never a traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command as lint
from dradsl.cli.record import command as record

if TYPE_CHECKING:
    from pathlib import Path

SLICES = [
    "spec: {driver: {e: 1}}",
    "kind: ResourceSlice\nspec: {driver: [a]}",
    "kind: ResourceSlice\nspec: {devices: [{basic: {attributes: [{}]}}]}",
    "kind: ResourceSlice\nspec: {devices: [{basic: {attributes: text}}]}",
    "kind: ResourceSlice\nspec: {devices: [{attributes: [{}]}]}",
    "kind: ResourceSlice\nspec: {devices: [{basic: 7}]}",
]
# A class of a driver's chart, so that the run asks which drivers are meant.
CLASS = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\nspec: {}\n"


@pytest.mark.parametrize("text", SLICES)
def test_slices_for_lint(text: str, tmp_path: Path) -> None:
    (tmp_path / "slices.yaml").write_text(text)
    (tmp_path / "class.yaml").write_text(CLASS)
    names = ["--isolated", "--slices", str(tmp_path / "slices.yaml"), str(tmp_path / "class.yaml")]
    result = CliRunner().invoke(lint, names)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 1, 2)
    assert "internal error" not in result.output


@pytest.mark.parametrize("text", SLICES)
def test_slices_for_record(text: str, tmp_path: Path) -> None:
    (tmp_path / "slices.yaml").write_text(text)
    result = CliRunner().invoke(record, [str(tmp_path / "slices.yaml")])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert result.exit_code in (0, 1, 2)

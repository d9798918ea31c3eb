"""Overlays against what Kustomize makes of them, recorded by `tests.tree.builds.record`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dradsl.tree.kustomize.overlays.overlay import OverlayBuilder
from dradsl.tree.kustomize.parts.files import Files
from tests.tree.builds.record import CASES, GOLDEN, unpack
from tests.tree.compare_kustomize import compare

if TYPE_CHECKING:
    from pathlib import Path

RECORDED = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]


def test_every_case_is_recorded() -> None:
    assert {case.stem for case in CASES.glob("*.yaml")} == RECORDED.keys()


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_an_overlay_is_built_as_kustomize_builds_it(name: str, tmp_path: Path) -> None:
    folder = unpack(CASES / f"{name}.yaml", tmp_path)
    built = OverlayBuilder(Files([str(tmp_path)])).build(str(folder))
    assert built.unknowns == ()
    if RECORDED[name] is None:
        assert built.rejected is not None
        return
    assert built.rejected is None
    assert compare(RECORDED[name], [each.data for each in built.objects]) == []

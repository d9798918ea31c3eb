"""Real paths of many files: as the system says them, also where links are on the way."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dradsl.text.files import real_path

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_they_are_those_of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x.yaml").write_text("")
    (tmp_path / "linked").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "y.yaml").symlink_to("b/x.yaml")
    (tmp_path / "a" / "gone.yaml").symlink_to("nowhere")
    monkeypatch.chdir(tmp_path)
    folders: dict[str, str] = {}
    names = ["a/b/x.yaml", "linked/b/x.yaml", "linked/y.yaml", "./a/y.yaml", "a/gone.yaml"]
    names += ["linked", "linked/.", "linked/..", "linked/", "a/b/not.yaml", ".", "", "/", "x"]
    for name in [*names, *(str(tmp_path / each) for each in names)]:
        assert real_path(name, folders) == os.path.realpath(name)

"""What Flux's sources leave out, as its own reading of ignore files has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dradsl.tree.flux.kustomizations import ignored_below
from dradsl.tree.kustomize.parts.files import Files, KustomizeError
from dradsl.values.limits import MOST_WILDCARDS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("lines", "path", "left_out"),
    [
        ("", "apps/a.yaml", False),
        ("", ".github/workflows/a.yaml", True),
        ("", "apps/.sops.yaml", True),
        ("", "apps/a.tar.gz", True),
        ("a.yaml", "apps/deep/a.yaml", True),
        ("/a.yaml", "apps/a.yaml", False),
        ("/apps/a.yaml", "apps/a.yaml", True),
        ("apps/", "apps/deep/a.yaml", True),
        ("a.yaml/", "apps/a.yaml", False),
        ("**/a.yaml", "apps/deep/a.yaml", True),
        ("apps/**/a.yaml", "apps/a.yaml", True),
        ("apps/**", "apps/deep/a.yaml", True),
        ("apps/*", "apps/deep/a.yaml", True),
        ("*.yaml\n!apps/a.yaml", "apps/a.yaml", False),
        ("!apps/a.yaml\n*.yaml", "apps/a.yaml", True),
        ("/*\n!/apps", "apps/a.yaml", False),
        ("/*\n!/apps", "other/a.yaml", True),
        ("# a.yaml", "a.yaml", False),
        ("!.github/", ".github/a.yaml", False),
        # Unlike in git, a folder that is kept keeps what an earlier line leaves out of it.
        ("*.yaml\n!apps/", "apps/a.yaml", False),
        ("/apps/\n!/apps/a.yaml", "apps/a.yaml", False),
    ],
)
def test_the_last_pattern_that_fits_decides(
    lines: str, path: str, left_out: bool, tmp_path: Path
) -> None:
    (tmp_path / ".sourceignore").write_text(lines)
    ignored = ignored_below(str(tmp_path), str(tmp_path), Files([str(tmp_path)]))
    assert ignored.holds(str(tmp_path / path)) is left_out


def test_files_of_folders_count_from_there_and_last(tmp_path: Path) -> None:
    (tmp_path / "apps").mkdir()
    (tmp_path / ".sourceignore").write_text("*.yaml\n")
    (tmp_path / "apps/.sourceignore").write_text("!/a.yaml\n")
    folder = str(tmp_path / "apps")
    ignored = ignored_below(folder, str(tmp_path), Files([str(tmp_path)]))
    assert not ignored.holds(f"{folder}/a.yaml")
    assert ignored.holds(f"{folder}/b.yaml")
    assert ignored.holds(str(tmp_path / "a.yaml"))


def test_very_many_patterns_are_rejected(tmp_path: Path) -> None:
    (tmp_path / ".sourceignore").write_text("a*b\n" * (MOST_WILDCARDS + 1))
    with pytest.raises(KustomizeError):
        ignored_below(str(tmp_path), str(tmp_path), Files([str(tmp_path)]))

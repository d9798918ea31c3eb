"""Files are read within limits and replaced as a whole."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from dradsl.text.files import FileError, read_bytes, write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_writing_keeps_mode_and_links(tmp_path: Path) -> None:
    target, link = tmp_path / "a.yaml", tmp_path / "link.yaml"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_bytes(link, b"new")
    assert target.read_bytes() == b"new"
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.yaml", "link.yaml"]


def test_new_files_have_the_usual_mode(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_bytes(tmp_path / "a.yaml", b"x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "a.yaml").stat().st_mode) == 0o640


def test_a_failed_write_leaves_the_old_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.yaml"
    target.write_bytes(b"old")

    def fail(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="No space left") as caught:
        write_bytes(target, b"new")
    assert caught.value.reason == "failed"
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: None, "missing"),
        (lambda path: path.mkdir(), "directory"),
        (lambda path: os.mkfifo(path), "not-a-file"),
        (lambda path: path.write_bytes(b"x" * 101), "too-large"),
    ],
)
def test_what_cannot_be_read_is_named(
    tmp_path: Path, make: Callable[[Path], object], reason: str
) -> None:
    path = tmp_path / "it"
    make(path)
    with pytest.raises(FileError) as caught:
        read_bytes(path, limit=100)
    assert caught.value.reason == reason
    assert str(path) in str(caught.value)


def test_reading_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100)
    assert read_bytes(path, limit=100) == b"x" * 100

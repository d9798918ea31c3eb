"""Files are read within limits, and nothing that is opened is waited for."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dradsl.text.files import FileError, read_bytes, read_standard_input

if TYPE_CHECKING:
    from collections.abc import Callable


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


def test_a_file_that_does_not_tell_its_size_has_a_limit_too(tmp_path: Path) -> None:
    """Files of /proc have no size, and one that is written to has another one by now."""
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("no /proc")
    assert path.stat().st_size == 0
    assert b"Pid:" in read_bytes(path)
    with pytest.raises(FileError) as caught:
        read_bytes(path, limit=10)
    assert caught.value.reason == "too-large"


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/null", "a\0b"])
def test_devices_and_impossible_names(name: str) -> None:
    with pytest.raises(FileError) as caught:
        read_bytes(name)
    assert caught.value.reason in ("not-a-file", "failed")


def test_standard_input_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            asked.append(size)
            return b"x" * min(size, 1000)

    class Standard:
        buffer = Endless()

    monkeypatch.setattr(sys, "stdin", Standard)
    with pytest.raises(FileError) as caught:
        read_standard_input(5000)
    assert caught.value.reason == "too-large"
    assert len(asked) == 6
    assert max(asked) <= 5001


def test_no_memory_is_asked_for_that_the_file_does_not_fill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 3_000_000)
    asked = []
    read = os.read

    def counted(handle: int, size: int) -> bytes:
        asked.append(size)
        return read(handle, size)

    monkeypatch.setattr(os, "read", counted)
    assert len(read_bytes(path, limit=2**40)) == 3_000_000
    assert max(asked) <= 2**20

"""Golden files: whole outputs kept beside the tests, rewritten with UPDATE_GOLDEN=1."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["check_golden"]


def check_golden(path: Path, actual: str) -> None:
    """Compare `actual` with the file; with UPDATE_GOLDEN set, write it for the reviewer to read."""
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(actual, encoding="utf-8", newline="")
    assert path.is_file(), f"{path} is missing: run with UPDATE_GOLDEN=1 and read what it wrote"
    assert actual == path.read_bytes().decode("utf-8")

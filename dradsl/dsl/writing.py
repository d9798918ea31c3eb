"""Built manifests on disk: written one file an object, or compared with what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = ["differences", "write_all"]

_MARK = "# Built by dradsl build; change the Python module instead.\n"


def write_all(folder: Path, files: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Write `files`, and remove what an earlier build left; the names changed and removed."""
    from dradsl.text.files import write_bytes

    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for name, text in files.items():
        if _read(folder / name) != _MARK + text:
            write_bytes(folder / name, (_MARK + text).encode())
            changed.append(name)
    removed = list(_left_over(folder, files))
    for name in removed:
        (folder / name).unlink()
    return changed, removed


def differences(folder: Path, files: Mapping[str, str]) -> Iterator[str]:
    """What `write_all` would do, a line each."""
    for name, text in files.items():
        there = _read(folder / name)
        if there is None:
            yield f"{folder / name} is missing"
        elif there != _MARK + text:
            yield f"{folder / name} differs"
    for name in _left_over(folder, files):
        yield f"{folder / name} is no longer built"


def _left_over(folder: Path, files: Mapping[str, str]) -> Iterator[str]:
    if not folder.is_dir():
        return
    for path in sorted(folder.glob("*.yaml")):
        if path.name not in files and (_read(path) or "").startswith(_MARK):
            yield path.name


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return None

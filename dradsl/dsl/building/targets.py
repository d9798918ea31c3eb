"""What a call of `dradsl build` names: modules, apps and factories in them, folders and packages."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING

from dradsl.dsl.building.imports import is_file
from dradsl.tree.files import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["modules_in", "split"]

_TESTS = ("test_", "conftest.")
_NO_SOURCES = frozenset({"__pycache__", "node_modules", "site-packages", "tests"})


def split(target: str) -> tuple[str, str]:
    """MODULE and NAME of `MODULE:NAME`."""
    # A Windows path holds a colon too: only what follows the last one can be a name.
    head, colon, tail = target.rpartition(":")
    if colon and tail.isidentifier() and head:
        return head, tail
    return target, ""


def modules_in(name: str) -> tuple[str, ...] | None:
    """The modules of a folder or package, in order; None for what is neither.

    Tests are left out, and folders whose name begins with a dot.
    """
    folder = Path(name)
    if folder.is_dir():
        return tuple(_files(folder))
    if is_file(name):
        return None
    return _of_package(name)


def _files(folder: Path) -> Iterator[str]:
    for top, folders, files in Tree.of(folder).walk(folder):
        folders[:] = (one for one in folders if _has_sources(Path(top), one))
        for file in files:
            if file.endswith(".py") and not file.startswith(_TESTS) and file != "setup.py":
                # With a slash, so that `m.py` of the working directory is a file too.
                yield f"{top}{os.sep}{file}"


def _has_sources(top: Path, name: str) -> bool:
    return not (
        name.startswith(".") or name in _NO_SOURCES or (top / name / "pyvenv.cfg").is_file()
    )


def _of_package(name: str) -> tuple[str, ...] | None:
    """The modules of an importable package by their dotted names."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    found = [name]
    for location in spec.submodule_search_locations:
        for file in _files(Path(location)):
            parts = Path(file).relative_to(location).with_suffix("").parts
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            if parts and all(part.isidentifier() for part in parts):
                found.append(".".join((name, *parts)))
    return tuple(found)

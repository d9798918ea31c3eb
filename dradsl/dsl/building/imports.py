"""Imports a user's module from where it lies, and leaves nothing behind.

A file inside a package is imported by its dotted name, so that `from . import x` works. Modules of one
folder see each other, and one is run once however many others import it. Modules of another folder
are out of sight: each folder may have its own `helper.py`.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

__all__ = ["Importer", "is_file"]

_INSTALLED = frozenset({"site-packages", "dist-packages"})


def is_file(name: str) -> bool:
    """Whether a module is named as a file, and not by its dotted name."""
    return name.endswith(".py") or "/" in name or "\\" in name


class Importer:
    """Imports modules; those of one folder once in its life."""

    def __init__(self) -> None:
        self._kept: dict[Path, dict[str, ModuleType]] = {}

    @contextlib.contextmanager
    def at_work(self, name: str) -> Iterator[None]:
        """Where the module `name` and its neighbours can be imported."""
        root = _root(name)
        before, writes = sys.path[:], sys.dont_write_bytecode
        sys.path.insert(0, str(root))
        sys.dont_write_bytecode = True
        kept = self._kept.setdefault(root, {})
        there = dict(sys.modules)
        if is_file(name):
            sys.modules.update(kept)
        try:
            yield
        finally:
            sys.path[:] = before
            sys.dont_write_bytecode = writes
            if is_file(name):
                kept.update(_take_out(root, there))

    def module(self, name: str) -> ModuleType:
        """The module, imported if it is not yet; called inside of `at_work`."""
        if not is_file(name):
            return importlib.import_module(name)
        path = Path(name)
        if not path.is_file():
            raise FileNotFoundError(f"no such file: {name}")
        root, dotted = _root(name), _dotted(path.resolve())
        known = self._kept[root].get(dotted)
        if known is not None and _file_of(known) == path.resolve():
            return known
        parent, _, _ = dotted.rpartition(".")
        if parent:
            importlib.import_module(parent)
            there = sys.modules.get(dotted)
            if there is not None and _file_of(there) == path.resolve():
                return there
        spec = importlib.util.spec_from_file_location(dotted, path.resolve())
        if spec is None or spec.loader is None:
            raise ImportError(f"{name} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[dotted] = module
        spec.loader.exec_module(module)
        return module


def _dotted(path: Path) -> str:
    """The module's name from the top of its package."""
    parts = [] if path.stem == "__init__" else [path.stem]
    for folder in path.parents:
        if not (folder / "__init__.py").is_file() or not folder.name.isidentifier():
            break
        parts.insert(0, folder.name)
    return ".".join(parts) if all(part.isidentifier() for part in parts) else "dradsl_build_module"


def _root(name: str) -> Path:
    """The folder from which the module and its neighbours are imported."""
    if not is_file(name):
        return Path.cwd()
    folder = Path(name).resolve().parent
    while (folder / "__init__.py").is_file() and folder.name.isidentifier():
        folder = folder.parent
    return folder


def _take_out(root: Path, before: dict[str, ModuleType]) -> dict[str, ModuleType]:
    """The user's modules that were imported since; Python forgets them, and has again what it had."""
    standard = sysconfig.get_path("stdlib")
    taken = {}
    for name, module in list(sys.modules.items()):
        if before.get(name) is module or name.partition(".")[0] == "dradsl":
            continue
        path = _file_of(module)
        if path is None or root not in path.parents:
            continue
        if not _INSTALLED.isdisjoint(path.parts) or str(path).startswith(standard):
            continue
        taken[name] = module
        # The name may be another module's: "json.py" is a fair name for a script.
        if name in before:
            sys.modules[name] = before[name]
        else:
            del sys.modules[name]
    return taken


def _file_of(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if isinstance(file, str) else None

"""Where our own modules are looked for: in the folder of their package, and nowhere else.

Python asks each of its finders, and these look for extensions and bytecode too: a third of what a module costs, and
a start has two hundred of ours. Whatever is not a plain file in a plain folder is left to them.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec, SourceFileLoader
    from typing import Any

__all__ = ["look_here_first"]


class _OwnModules:
    """Finds the modules below `dradsl`, as `importlib.machinery.PathFinder` would."""

    __slots__ = ("_loader", "_spec")

    def __init__(self, spec: type[ModuleSpec], loader: type[SourceFileLoader]) -> None:
        self._spec = spec
        self._loader = loader

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, _target: object = None
    ) -> ModuleSpec | None:
        if not name.startswith("dradsl.") or path is None or len(path) != 1:
            return None
        place = f"{path[0]}{os.sep}{name.rpartition('.')[2]}"
        file = f"{place}.py"
        is_package = not os.path.exists(file)
        if is_package:
            file = f"{place}{os.sep}__init__.py"
            if not os.path.exists(file):
                return None
        spec = self._spec(name, self._loader(name, file), origin=file, is_package=is_package)
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(place)
        return spec


def look_here_first() -> None:
    """Ask this finder before the others from now on, where these modules are read from plain files."""
    spec: Any = __spec__
    loader = type(spec.loader)
    if loader.__name__ != "SourceFileLoader":
        return
    if not any(type(each) is _OwnModules for each in sys.meta_path):
        sys.meta_path.insert(0, _OwnModules(type(spec), loader))

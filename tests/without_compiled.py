"""A plugin for pytest that hides what is compiled: `pytest -p tests.without_compiled tests/cel`.

pydantic, what jsonschema needs of Rust, and libyaml cannot be imported then.
"""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

__all__ = ["HIDDEN"]

HIDDEN = frozenset({"pydantic", "pydantic_core", "rpds", "yaml._yaml"})


class _Hiding(MetaPathFinder):
    def find_spec(
        self, name: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in HIDDEN:
            raise ModuleNotFoundError(f"{name} is hidden", name=name)
        return None


sys.meta_path.insert(0, _Hiding())

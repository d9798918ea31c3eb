"""Modules that most runs do not need, loaded when something of them is first asked for."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Later"]


class Later:
    """A module, by its name, in place of an import in each function that needs it."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._module), name)

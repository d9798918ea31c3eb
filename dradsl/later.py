"""Modules that are imported when something of them is first asked for.

For what a run seldom needs and many functions of a module name, such as the classes of all that can be
found. Type checkers see the import itself:

    if TYPE_CHECKING:
        from dradsl.drivers.judge import selector_facts as facts
    else:
        facts = later("dradsl.drivers.judge.selector_facts")

A module that few functions need is imported in these.
"""

from __future__ import annotations

import sys

__all__ = ["later"]


class _Later:
    """Stands for a module; what was asked for once is kept here."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> object:
        __import__(self._module)
        found: object = getattr(sys.modules[self._module], name)
        setattr(self, name, found)
        return found


def later(module: str) -> _Later:
    """The module of that full name, imported when first used; its ImportError comes then, too."""
    return _Later(module)

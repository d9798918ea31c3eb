"""PyYAML, imported without compiling the regular expressions of its Python half.

We read with its C parser, which needs none of them, and they are a sixth of the instructions of a start. Where
PyYAML was built without libyaml its own parser is read with. While PyYAML is imported it finds something else under the name `re`, which compiles an expression when something
of it is first asked for: so its Python loaders work as ever. The module `re` itself stays as it is.
"""

from __future__ import annotations

import base64  # noqa: F401 - what PyYAML imports besides is to have the real one
import datetime as dt  # noqa: F401 - the same
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

__all__ = ["HAS_LIBYAML", "EventParser", "yaml"]


class _Expression:
    """Stands for a compiled expression."""

    __slots__ = ("_arguments", "_compiled")

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments
        self._compiled: object = None

    def __getattr__(self, name: str) -> object:
        if self._compiled is None:
            self._compiled = re.compile(*self._arguments)
        found: object = getattr(self._compiled, name)
        return found


class _Expressions:
    """Stands for the module `re`."""

    compile = _Expression

    def __getattr__(self, name: str) -> object:
        found: object = getattr(re, name)
        return found


_stand_in: Any = _Expressions()
_real: ModuleType = sys.modules["re"]
sys.modules["re"] = _stand_in
try:
    import yaml
finally:
    sys.modules["re"] = _real

try:
    from yaml._yaml import CParser as EventParser

    HAS_LIBYAML = True
except ImportError:
    from dradsl.text.pure_yaml import PureParser as EventParser  # type: ignore[assignment] # has its methods

    HAS_LIBYAML = False

"""PyYAML with its C parser; where it was built without libyaml, its own parser.

The C parser needs none of the regular expressions of PyYAML's Python half, and they are a fifth of the instructions of a
start: one class of characters alone is a seventh. So `re.compile` waits while PyYAML is imported: an
expression is compiled when something of it is first asked for.
"""

from __future__ import annotations

import base64  # noqa: F401 - what PyYAML imports besides is to have the real `re.compile`
import datetime as dt  # noqa: F401 - the same
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["HAS_LIBYAML", "EventParser", "yaml"]


class _Expression:
    """Stands for a regular expression; `re` keeps what it has compiled."""

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments

    def __getattr__(self, name: str) -> Any:
        return getattr(re.compile(*self._arguments), name)


_compile = re.compile
re.compile = _Expression  # type: ignore[assignment]
try:
    import yaml
finally:
    re.compile = _compile

try:
    from yaml._yaml import CParser as EventParser

    HAS_LIBYAML = True
except ImportError:
    from dradsl.text.pure_yaml import PureParser as EventParser  # type: ignore[assignment] # has its methods

    HAS_LIBYAML = False

"""PyYAML with its C parser; where it was built without libyaml, its own parser.

The C parser needs none of the regular expressions of PyYAML's Python half, and they are a fifth of the instructions of a
start: one class of characters alone is a seventh. So what PyYAML compiles while it is imported is compiled when it
is first used.
"""

from __future__ import annotations

import base64  # noqa: F401 - what PyYAML imports besides is to have the real `re.compile`
import datetime as dt  # noqa: F401 - the same
import re

from dradsl.values.patterns import pattern

__all__ = ["HAS_LIBYAML", "EventParser", "yaml"]

_compile = re.compile
re.compile = pattern  # type: ignore[assignment]
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

"""PyYAML with its C parser; where it was built without libyaml, its own parser."""

from __future__ import annotations

import yaml

__all__ = ["HAS_LIBYAML", "EventParser", "yaml"]

try:
    from yaml._yaml import CParser as EventParser

    HAS_LIBYAML = True
except ImportError:
    from dradsl.text.pure_yaml import PureParser as EventParser  # type: ignore[assignment] # has its methods

    HAS_LIBYAML = False

"""The parser of YAML events: libyaml's where PyYAML was built with it, else PyYAML's own in Python.

PyYAML's own parser says the same of YAML that is well-formed. Its complaints are brought to the
words of libyaml, which are those of the API server too; in text that is badly broken they can stand
at another place.
"""

from __future__ import annotations

TYPE_CHECKING = False

__all__ = ["HAS_LIBYAML", "EventParser"]

try:
    from yaml._yaml import CParser as EventParser

    HAS_LIBYAML = True
except ImportError:
    from dradsl.text.pure_yaml import PureParser as EventParser  # type: ignore[assignment]

    HAS_LIBYAML = False

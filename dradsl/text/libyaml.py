"""The parser of YAML events: libyaml's where PyYAML was built with it, else PyYAML's own in Python."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["HAS_LIBYAML", "EventParser"]

try:
    from yaml._yaml import CParser as EventParser

    HAS_LIBYAML = True
except ImportError:
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    HAS_LIBYAML = False

    class EventParser(Reader, Scanner, Parser):  # type: ignore[no-redef]
        """The same events, slower; the reader of nodes is `dradsl.text.compose`'s own."""

        def __init__(self, text: str) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            Parser.__init__(self)

        def get_node(self) -> Any:
            """Nodes are made from the events: PyYAML's composer recurses."""
            raise NotImplementedError

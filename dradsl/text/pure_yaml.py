"""PyYAML's parser in Python, with the rejections and the words of libyaml."""

from __future__ import annotations

import functools
import json

from yaml import ScalarEvent
from yaml.error import MarkedYAMLError
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

from dradsl.data import text_beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

__all__ = ["PureParser"]

_SURROGATES = range(0xD800, 0xE000)


class PureParser(Reader, Scanner, Parser):
    """The events of one YAML text."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)

    def check_event(self, *choices: Any) -> bool:
        """Whether the next event is one of `choices`, or whether there is one."""
        return bool(_in_words_of_libyaml(super().check_event, choices))

    def get_event(self) -> Any:
        """The next event."""
        event = _in_words_of_libyaml(super().get_event, ())
        quoted = isinstance(event, ScalarEvent) and event.style == '"'
        # libyaml rejects escapes of half a character, PyYAML takes them.
        if quoted and any(ord(letter) in _SURROGATES for letter in event.value):
            raise _bad_escape(event.start_mark)
        return event

    def get_node(self) -> Any:
        """Not had: PyYAML's composer recurses; `dradsl.text.compose` makes nodes of the events."""
        raise NotImplementedError


def _in_words_of_libyaml(ask: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    try:
        return ask(*arguments)
    except (OverflowError, ValueError):
        raise _bad_escape(None) from None  # chr() of an escape beyond Unicode
    except MarkedYAMLError as error:
        error.problem = _words(str(error.problem), str(error.context))
        if error.context == "while scanning a double-quoted scalar":
            error.context = "while parsing a quoted scalar"
        raise


def _bad_escape(mark: Any) -> ScannerError:
    problem = "found invalid Unicode character escape code"
    return ScannerError("while parsing a quoted scalar", mark, problem, mark)


@functools.cache
def _words_of_libyaml() -> Sequence[Sequence[str]]:
    """How complaints of PyYAML begin, and libyaml's (scanner.c, parser.c of 0.2.5)."""
    found: Sequence[Sequence[str]] = json.loads(text_beside(__file__, "complaints.json"))
    return found


def _words(problem: str, context: str) -> str:
    if problem.startswith("found character "):
        return "found character that cannot start any token"
    if problem.startswith("expected <block end>"):
        mapping = context == "while parsing a block mapping"
        return "did not find expected key" if mapping else "did not find expected '-' indicator"
    if problem.startswith("expected alphabetic"):
        if context == "while scanning a directive":
            return "could not find expected directive name"
        return "did not find expected alphabetic or numeric character"
    for beginning, words in _words_of_libyaml():
        if problem.startswith(beginning):
            return words
    return problem

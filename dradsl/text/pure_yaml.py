"""PyYAML's parser in Python, with the rejections and the words of libyaml."""

from __future__ import annotations

from yaml import ScalarEvent
from yaml.error import MarkedYAMLError
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
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


_WORDS = (
    ("mapping values are not allowed here", "mapping values are not allowed in this context"),
    ("mapping keys are not allowed here", "mapping keys are not allowed in this context"),
    ("sequence entries are not all", "block sequence entries are not allowed in this context"),
    ("expected '<document start>'", "did not find expected <document start>"),
    ("expected the node content", "did not find expected node content"),
    ("expected ',' or '}'", "did not find expected ',' or '}'"),
    ("expected ',' or ']'", "did not find expected ',' or ']'"),
    ("expected a comment or a line", "did not find expected comment or line break"),
    ("expected chomping or indentat", "did not find expected comment or line break"),
    ("expected indentation indicator", "found an indentation indicator equal to 0"),
    ("expected a digit or '.'", "did not find expected digit or '.' character"),
    ("expected a digit", "did not find expected version number"),
    ("expected URI escape", "did not find URI escaped octet"),
    ("expected URI", "did not find expected tag URI"),
    ("expected '!'", "did not find expected '!'"),
    ("expected '>'", "did not find the expected '>'"),
    ("expected ' '", "did not find expected whitespace or line break"),
    ("expected escape sequence of", "did not find expected hexdecimal number"),
    ("found unknown escape char", "found unknown escape character"),
    ("found undefined tag handle", "found undefined tag handle"),
    ("found duplicate YAML", "found duplicate %YAML directive"),
    ("found incompatible YAML", "found incompatible YAML document"),
    ("duplicate tag handle", "found duplicate %TAG directive"),
)
"""How complaints of PyYAML begin, and libyaml's (scanner.c, parser.c of 0.2.5)."""


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
    for beginning, words in _WORDS:
        if problem.startswith(beginning):
            return words
    return problem

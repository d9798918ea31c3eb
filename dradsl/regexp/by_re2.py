"""Patterns by google-re2: what Go refuses is refused, what RE2 alone refuses matches without it."""

from __future__ import annotations

import re2

from dradsl.regexp.machine import PurePattern
from dradsl.regexp.syntax import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dradsl.regexp.pattern import Pattern

__all__ = ["compile_by_re2"]

_MEMORY = 64 << 20
"""Bytes that a pattern and its matching may take; Go's limit on patterns is of this order."""


def compile_by_re2(pattern: str) -> Pattern:
    """The compiled pattern.

    Raises:
        PatternError: if Go refuses the pattern.
    """
    parse(pattern)
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    try:
        return _Re2Pattern(pattern, re2.compile(pattern, options))
    except re2.error:
        return PurePattern(pattern)


class _Re2Pattern:
    """A pattern that RE2 searches; where matches stand is asked of the machine, which counts as Go."""

    __slots__ = ("_compiled", "_pattern", "_pure")

    def __init__(self, pattern: str, compiled: Any) -> None:
        self._pattern = pattern
        self._compiled = compiled
        self._pure: PurePattern | None = None

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in `text`."""
        return self._compiled.search(text) is not None

    def find(self, text: str, limit: int = -1) -> list[tuple[int, int]]:
        """Start and end of the matches; see `dradsl.regexp.Pattern`."""
        if not limit or not self.search(text):
            return []
        if self._pure is None:
            self._pure = PurePattern(self._pattern)
        return self._pure.find(text, limit)

"""Regular expressions as Go has them, by an engine of our own.

A user's pattern never reaches Python's `re`: what Go rejects is rejected, matching takes time in
proportion to the text, and the answers are the same under each release of Python.
Private: names may change in any version.
"""

from __future__ import annotations

import functools

from dradsl.regexp.machine import Pattern
from dradsl.regexp.pattern import PatternError, SearchLimitError

__all__ = ["Pattern", "PatternError", "SearchLimitError", "compile_pattern"]


@functools.lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Pattern:
    """The compiled pattern.

    Raises:
        PatternError: if Go rejects the pattern, with the words of Go's package regexp/syntax.
    """
    return Pattern(pattern)

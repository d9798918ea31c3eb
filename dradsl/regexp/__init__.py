"""Regular expressions as Go has them: by RE2 where it is installed, else by an engine of our own.

A user's pattern never reaches Python's `re`: what Go refuses is refused, and matching takes time in
proportion to the text. google-re2 is a library of C++ without a build for every platform; without
it `dradsl.regexp.syntax` and `dradsl.regexp.machine` give the same answers, slower.
"""

from __future__ import annotations

import functools

from dradsl.regexp.pattern import Pattern, PatternError

__all__ = ["Pattern", "PatternError", "compile_pattern", "has_re2"]


@functools.cache
def has_re2() -> bool:
    """Whether google-re2 can be imported."""
    try:
        import re2  # noqa: F401 - whether it can be imported is the question
    except ImportError:
        return False
    return True


@functools.lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Pattern:
    """The compiled pattern.

    Raises:
        PatternError: if Go refuses the pattern, with the words of Go's package regexp/syntax.
    """
    if has_re2():
        from dradsl.regexp.by_re2 import compile_by_re2

        return compile_by_re2(pattern)
    from dradsl.regexp.machine import PurePattern

    return PurePattern(pattern)

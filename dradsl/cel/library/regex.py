"""Regular expressions: RE2, as Go has it. `find` and `findAll` of Kubernetes.

A user's pattern never reaches Python's `re`: RE2 refuses what the API server refuses, and runs
in linear time. The library is imported when the first pattern is met.
"""

from __future__ import annotations

import functools
from typing import Any

from dradsl.cel.values import CelRuntimeError, Value

__all__ = ["DECLARATIONS", "FUNCTIONS", "compile_pattern", "matches"]

DECLARATIONS = """
find     string_find_string          string.(string) -> string
findAll  string_find_all_string      string.(string) -> list(string)
findAll  string_find_all_string_int  string.(string, int) -> list(string)
"""


@functools.lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Any:
    """The compiled pattern.

    Raises:
        CelRuntimeError: if RE2 refuses the pattern.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        text = reason.decode() if isinstance(reason, bytes) else str(reason)
        raise CelRuntimeError(f"error parsing regexp: {text}") from None


def matches(text: str, pattern: str) -> bool:
    """Whether the pattern matches anywhere in the text."""
    return compile_pattern(pattern).search(text) is not None


def _find(text: str, pattern: str) -> str:
    found = _compile(pattern).search(text)
    return found.group() if found else ""


def _find_all(text: str, pattern: str, limit: int = -1) -> Value:
    compiled = _compile(pattern)
    if limit == 0:
        return []
    results: list[str] = []
    end = -1
    for found in compiled.finditer(text):
        if 0 <= limit <= len(results):
            break
        if found.start() == found.end() == end:
            continue  # Go leaves out an empty match next to the one before
        end = found.end()
        results.append(found.group())
    return results


def _compile(pattern: str) -> Any:
    try:
        return compile_pattern(pattern)
    except CelRuntimeError as error:
        raise CelRuntimeError(f"Illegal regex: {error.message}") from None


FUNCTIONS = {
    "string_find_string": _find,
    "string_find_all_string": _find_all,
    "string_find_all_string_int": _find_all,
}

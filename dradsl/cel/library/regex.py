"""Regular expressions: RE2, as Go has it. `find` and `findAll` of Kubernetes.

A user's pattern never reaches Python's `re`: RE2 refuses what the API server refuses, and runs
in linear time. The library is imported when the first pattern is met.
"""

# Upstream: * (k8s.io/apiserver/pkg/cel/library/regex.go)

from __future__ import annotations

import functools

from dradsl.cel.runtime.values import CelRuntimeError, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["FUNCTIONS", "compile_pattern", "matches"]

_MEMORY = 64 << 20
"""Bytes that a pattern and its matching may take; Go's limit on patterns is of this order."""


@functools.lru_cache(maxsize=1024)
def compile_pattern(pattern: str) -> Any:
    """The compiled pattern.

    Raises:
        CelRuntimeError: if RE2 refuses the pattern.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    byte = _any_byte(pattern)
    try:
        if byte is not None:
            _syntax(re2, pattern[:byte], options)
            raise CelRuntimeError("error parsing regexp: invalid escape sequence: `\\C`")
        return re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        text = reason.decode() if isinstance(reason, bytes) else str(reason)
        raise CelRuntimeError(f"error parsing regexp: {_as_go(text)}") from None


def _any_byte(pattern: str) -> int | None:
    """Where `\\C` stands, which RE2 takes for any byte and Go refuses."""
    position = pattern.find("\\")
    while 0 <= position < len(pattern) - 1:
        letter = pattern[position + 1]
        if letter == "C":
            return position
        quoted = pattern.find("\\E", position) if letter == "Q" else position
        position = pattern.find("\\", quoted + 2) if quoted >= 0 else -1
    return None


def _syntax(re2: Any, pattern: str, options: Any) -> None:
    """Fails where a pattern is wrong but for its end."""
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        if not str(error.args[0]).startswith(("missing", "b'missing")):
            raise


_GO_REASONS = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "trailing \\": "trailing backslash at end of expression",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
}


def _as_go(text: str) -> str:
    """RE2's message in the words of Go's package regexp/syntax."""
    reason, _, part = text.partition(": ")
    return f"{_GO_REASONS.get(reason, reason)}: `{part}`"


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

"""Regular expressions as Go has them. `find` and `findAll` of Kubernetes."""

# Upstream: * (k8s.io/apiserver/pkg/cel/library/regex.go)

from __future__ import annotations

from dradsl.cel.runtime.values import CelPanicError, CelRuntimeError, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.regexp import Pattern

__all__ = ["FUNCTIONS", "compile_pattern", "matches"]


def compile_pattern(pattern: str) -> Pattern:
    """The compiled pattern.

    Raises:
        CelRuntimeError: if Go rejects the pattern.
    """
    from dradsl import regexp

    try:
        return regexp.compile_pattern(pattern)
    except regexp.PatternError as error:
        raise CelRuntimeError(str(error)) from None


def matches(text: str, pattern: str) -> bool:
    """Whether the pattern matches anywhere in the text.

    Raises:
        CelPanicError: if the search would take too long. No `||` goes on without its answer.
    """
    from dradsl import regexp

    try:
        return compile_pattern(pattern).search(text)
    except regexp.SearchLimitError as error:
        raise CelPanicError(str(error)) from None


def _find(text: str, pattern: str) -> str:
    found = _found(text, pattern, 1)
    return text[slice(*found[0])] if found else ""


def _find_all(text: str, pattern: str, limit: int = -1) -> Value:
    return [text[start:end] for start, end in _found(text, pattern, limit)]


def _found(text: str, pattern: str, limit: int) -> list[tuple[int, int]]:
    from dradsl import regexp

    try:
        return _compile(pattern).find(text, limit)
    except regexp.SearchLimitError as error:
        raise CelPanicError(str(error)) from None


def _compile(pattern: str) -> Pattern:
    try:
        return compile_pattern(pattern)
    except CelRuntimeError as error:
        raise CelRuntimeError(f"Illegal regex: {error.message}") from None


FUNCTIONS = {
    "string_find_string": _find,
    "string_find_all_string": _find_all,
    "string_find_all_string_int": _find_all,
}

"""Text functions of CEL on values that are known: tests with a constant, and steps without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["STEPS", "TESTS", "apply_steps"]

Test = Callable[[str], bool]

_LONGEST = 65536
"""Characters of a text of a driver schema, generously."""

_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def _matches(pattern: str) -> Test | None:
    """Search as CEL's `matches`; None if the pattern is rejected, or too large for the texts here."""
    from dradsl.regexp import PatternError, compile_pattern

    try:
        compiled = compile_pattern(pattern)
    except PatternError:
        return None
    return compiled.search if compiled.longest >= _LONGEST else None


TESTS: Mapping[str, Callable[[str], Test | None]] = MappingProxyType(
    {
        "startsWith": lambda part: lambda text: text.startswith(part),
        "endsWith": lambda part: lambda text: text.endswith(part),
        "contains": lambda part: lambda text: part in text,
        "matches": _matches,
    }
)

STEPS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "lowerAscii": lambda text: text.translate(_LOWER),
        "upperAscii": lambda text: text.translate(_UPPER),
        "trim": lambda text: text.strip(),
        "size": len,
    }
)

_OF_VERSIONS: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {
        "major": lambda version: version.major,
        "minor": lambda version: version.minor,
        "patch": lambda version: version.patch,
    }
)


def apply_steps(steps: tuple[str, ...], value: Any) -> Any:
    """`value` after the functions named by `steps`."""
    for step in steps:
        value = (STEPS.get(step) or _OF_VERSIONS[step])(value)
    return value

"""Text functions of CEL on values that are known: tests with a constant, and steps without one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["STEPS", "TESTS", "TextTest", "apply_steps", "follows"]

Test = Callable[[str], bool]
TextTest = tuple[str, str]
"""A test of TESTS, and the text that it is made with."""

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


def follows(asked: TextTest, verdicts: Mapping[TextTest, bool]) -> bool | None:
    """Whether a text with these verdicts passes one test more; None if it may or may not."""
    for other, passed in verdicts.items():
        if passed and _implies(other, asked):
            return True
        if _excludes(other, asked) if passed else _implies(asked, other):
            return False
    return None


def _implies(one: TextTest, other: TextTest) -> bool:
    """Whether each text that passes `one` passes `other`."""
    (name, part), (wanted, text) = one, other
    if "matches" in (name, wanted):
        return one == other
    return text in part if wanted == "contains" else name == wanted and _has_end(other, part)


def _excludes(one: TextTest, other: TextTest) -> bool:
    """Whether no text passes both: they ask for different beginnings, or ends."""
    alike = one[0] == other[0] and one[0] in ("startsWith", "endsWith")
    return alike and not _has_end(one, other[1]) and not _has_end(other, one[1])


def _has_end(test: TextTest, text: str) -> bool:
    return text.startswith(test[1]) if test[0] == "startsWith" else text.endswith(test[1])


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

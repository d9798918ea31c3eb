"""Regular expressions that are compiled when they are first used: a run needs few of those there are."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["pattern"]

_METHODS = ("finditer", "findall", "fullmatch", "match", "search", "split", "sub", "subn")


def pattern(text: str, flags: int | re.RegexFlag = 0) -> re.Pattern[str]:
    """As `re.compile`, later; a mistake in `text` shows on first use."""
    return _Pattern(text, flags)  # type: ignore[return-value] # has its methods


class _Pattern:
    """Stands for a pattern: the first use of a method puts those of the compiled one here."""

    __slots__ = ("flags", "pattern", *_METHODS)

    def __init__(self, text: str, flags: int | re.RegexFlag) -> None:
        self.pattern = text
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.pattern, self.flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)

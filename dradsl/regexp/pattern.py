"""What a compiled pattern can do, and why a pattern is refused."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Pattern", "PatternError"]


class Pattern(Protocol):
    """A compiled pattern."""

    def find(self, text: str, limit: int = -1) -> list[tuple[int, int]]:
        """Start and end of the matches from left to right, at most `limit` if it is not -1.

        Empty matches right behind another match do not count, as in Go's `FindAllString`.
        """

    def search(self, text: str) -> bool:
        """Whether the pattern matches anywhere in `text`."""


class PatternError(ValueError):
    """A pattern that Go's regexp refuses; `reason` and `part` are the two halves of its message."""

    def __init__(self, reason: str, part: str) -> None:
        super().__init__(f"error parsing regexp: {reason}: `{part}`")
        self.reason = reason
        self.part = part

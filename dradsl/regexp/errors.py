"""Why a pattern is refused."""

from __future__ import annotations

__all__ = ["PatternError"]


class PatternError(ValueError):
    """A pattern that Go's regexp refuses; `reason` and `part` are the two halves of its message."""

    def __init__(self, reason: str, part: str) -> None:
        super().__init__(f"error parsing regexp: {reason}: `{part}`")
        self.reason = reason
        self.part = part

"""Why a pattern is rejected, and why a search ends without an answer."""

from __future__ import annotations

__all__ = ["PatternError", "SearchLimitError"]


class PatternError(ValueError):
    """A pattern that Go's regexp rejects; `reason` and `part` are the two halves of its message."""

    def __init__(self, reason: str, part: str) -> None:
        super().__init__(f"error parsing regexp: {reason}: `{part}`")
        self.reason = reason
        self.part = part


class SearchLimitError(Exception):
    """A search of a large pattern in a long text, which takes more steps than are allowed."""

    def __init__(self) -> None:
        super().__init__("search budget spent: the pattern is too large for a text of this length")

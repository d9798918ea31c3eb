"""The base of the errors that dradsl raises for what its callers give."""

from __future__ import annotations

__all__ = ["DradslError"]


class DradslError(Exception):
    """Something that a caller gave cannot be used; the message says what, and where."""

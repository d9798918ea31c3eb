"""Numbers of things in messages."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["first_of", "plural"]


def plural(count: int, noun: str) -> str:
    """ "1 file", "2 files"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def first_of(names: Sequence[str], most: int = 3) -> str:
    """ "a, b and 2 more": the first of some names, and the number of the others."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"

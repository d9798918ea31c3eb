"""Numbers of things in messages."""

from __future__ import annotations

__all__ = ["plural"]


def plural(count: int, noun: str) -> str:
    """ "1 file", "2 files"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

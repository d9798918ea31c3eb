"""Delta debugging: the smallest part of an input that still fails in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["reduced"]

_MOST_TRIES = 600


def reduced(data: bytes, fails: Callable[[bytes], bool], tries: int = _MOST_TRIES) -> bytes:
    """`data` without the lines, then the bytes, that `fails` does not need.

    Ends after `tries` questions; what is left then still fails.
    """
    left = [tries]

    def still(parts: list[bytes], glue: bytes) -> bool:
        left[0] -= 1
        return left[0] >= 0 and fails(glue.join(parts))

    lines = _minimal(data.split(b"\n"), lambda parts: still(parts, b"\n"))
    text = b"\n".join(lines)
    return b"".join(_minimal([bytes([each]) for each in text], lambda parts: still(parts, b"")))


def _minimal(parts: list[bytes], fails: Callable[[list[bytes]], bool]) -> list[bytes]:
    """Zeller's ddmin, with complements only: leave out pieces, ever smaller ones."""
    pieces = 2
    while len(parts) >= 2:
        size = max(1, len(parts) // pieces)
        for first in range(0, len(parts), size):
            rest = parts[:first] + parts[first + size :]
            if fails(rest):
                parts = rest
                pieces = max(pieces - 1, 2)
                break
        else:
            if size == 1:
                break
            pieces = min(len(parts), pieces * 2)
    return parts

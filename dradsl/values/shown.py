"""Values in messages: short, whatever was written."""

from __future__ import annotations

__all__ = ["shown"]

_LONGEST = 80  # characters


def shown(value: object) -> str:
    """`repr(value)`, shortened; of what is nested only the outer levels."""
    import reprlib

    short = reprlib.Repr()
    short.maxlevel = 2
    short.maxstring = short.maxother = _LONGEST
    short.maxlong = 40
    try:
        text = short.repr(value)
    except (ValueError, RecursionError):  # a number of too many digits to be written out
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 2 * _LONGEST else f"{text[: 2 * _LONGEST]}..."

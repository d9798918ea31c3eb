"""Values in messages: short, whatever was written."""

from __future__ import annotations

__all__ = ["shortened", "shown"]

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
    return shortened(text, 2 * _LONGEST)


def shortened(text: str, longest: int) -> str:
    """A text of at most so many characters, with dots in the place of what comes after them."""
    return text if len(text) <= longest else f"{text[:longest]}..."

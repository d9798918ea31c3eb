"""Whole numbers that somebody wrote: read without the work that very long ones take."""

from __future__ import annotations

from dradsl.values.limits import MOST_DIGITS

__all__ = ["in_natural_order", "whole_number"]


def whole_number(text: str) -> int | None:
    """The number that a text of digits writes, with or without a sign; None for another text, and for
    more digits than a number of the API has. Leading zeros count for nothing."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isdecimal() or (len(digits) > MOST_DIGITS and digits[:-MOST_DIGITS].strip("0")):
        return None
    number = int(digits[-MOST_DIGITS:])
    return -number if text.startswith("-") else number


def in_natural_order(name: str) -> list[tuple[int, str]]:
    """A key that sorts names as people count: gpu-9 before gpu-10."""
    import re

    parts = re.split(r"([0-9]+)", name)
    # Every second part is digits: the longer number is the larger one.
    parts[1::2] = [digits.lstrip("0") for digits in parts[1::2]]
    return [(len(part) if at % 2 else 0, part) for at, part in enumerate(parts)]

"""Doubles as Go reads and prints them (package strconv)."""

from __future__ import annotations

import re

__all__ = ["format_g", "parse_float"]

_DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_HEX = r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+"
# An underscore goes between two digits, or between the prefix and a digit.
_STRAY = r"(?<![0-9])_|_(?![0-9])"
_STRAY_HEX = r"(?<![0-9a-fA-FxX])_|_(?![0-9a-fA-F])"
_SPECIAL = {"inf", "infinity", "nan"}


def parse_float(text: str) -> float | None:
    """What strconv.ParseFloat makes of a text; None if it rejects it or it is out of range."""
    if text.lstrip("+-").lower() in _SPECIAL and len(text) - len(text.lstrip("+-")) <= 1:
        if text.lower().endswith("nan") and text[0] in "+-":
            return None
        return float(text)
    if "_" in text:
        hexadecimal = text.lstrip("+-")[:2] in ("0x", "0X")
        if re.search(_STRAY_HEX if hexadecimal else _STRAY, text):
            return None
        text = text.replace("_", "")
    try:
        if re.fullmatch(_HEX, text):
            value = float.fromhex(text)
        elif re.fullmatch(_DECIMAL, text):
            value = float(text)
        else:
            return None
    except OverflowError:
        return None
    return None if value in (float("inf"), float("-inf")) else value


def format_g(value: float) -> str:
    """A double as Go's %g: shortest digits, exponent form below 1e-4 and from 1e6 on."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    sign, digits, point = _shortest(value)
    if not digits:
        return f"{sign}0"
    exponent = point - 1
    if exponent < -4 or exponent >= 6:
        mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{sign}{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if len(digits) <= point:
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    return f"{sign}{digits[:point]}.{digits[point:]}"


def _shortest(value: float) -> tuple[str, str, int]:
    """Sign, significant digits and the place of the decimal point before them."""
    text = repr(value)
    sign = "-" if text[0] == "-" else ""
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(digits) - len(stripped))
    return sign, stripped.rstrip("0"), point

"""How Go prints strings and numbers: quoted text (`%q`) and floating-point numbers in JSON.

Texts of the API server contain both; they follow Go's `strconv` and `encoding/json`.
"""

from __future__ import annotations

import math

__all__ = ["json_float", "pow10", "quote"]

_SHORT_ESCAPES = {
    "\a": r"\a",
    "\b": r"\b",
    "\f": r"\f",
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
    "\v": r"\v",
    '"': r"\"",
    "\\": r"\\",
}

# Categories that Go's unicode.IsPrint leaves out: control, format, surrogate, private use,
# unassigned, and every separator but the ASCII space.
_UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})


def quote(text: str) -> str:
    """`text` in double quotes with Go's escapes, as `%q` prints it (strconv.Quote)."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_escape(character) for character in text) + '"'


def _escape(character: str) -> str:
    short = _SHORT_ESCAPES.get(character)
    if short is not None:
        return short
    import unicodedata  # a library of its own that few texts need

    code = ord(character)
    if character == " " or unicodedata.category(character) not in _UNPRINTABLE:
        return character
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def json_float(number: float) -> str:
    """`number` as Go's encoding/json writes a float64; ValueError for infinities and NaN."""
    if not math.isfinite(number):
        raise ValueError(f"{number} has no JSON form")
    digits, exponent = _shortest(abs(number))
    sign = "-" if math.copysign(1.0, number) < 0 else ""
    if number != 0 and not 1e-6 <= abs(number) < 1e21:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        power = exponent + len(digits) - 1
        return f"{sign}{digits[0]}{fraction}e{'-' if power < 0 else '+'}{_exponent_digits(power)}"
    if exponent >= 0:
        return sign + digits + "0" * exponent
    if -exponent >= len(digits):
        return f"{sign}0.{'0' * (-exponent - len(digits))}{digits}"
    return f"{sign}{digits[:exponent]}.{digits[exponent:]}"


def _shortest(number: float) -> tuple[str, int]:
    """The shortest digits that read back as `number`, and the power of ten of the last one."""
    mantissa, _, power = f"{number!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    exponent = int(power or 0) - len(fraction)
    digits = (whole + fraction).lstrip("0") or "0"
    stripped = digits.rstrip("0") or "0"
    if stripped != "0":
        exponent += len(digits) - len(stripped)
    return (stripped, exponent) if stripped != "0" else ("0", 0)


def _exponent_digits(power: int) -> str:
    # Two digits at least, except that encoding/json shortens e-09 to e-9.
    return str(-power) if -10 < power < 0 else f"{abs(power):02d}"


def pow10(exponent: int) -> float:
    """Ten to the power, built from the same two table entries as Go's math.Pow10."""
    if 0 <= exponent <= 308:
        return float(f"1e{exponent // 32 * 32}") * float(f"1e{exponent % 32}")
    if -323 <= exponent < 0:
        return float(f"1e-{-exponent // 32 * 32}") / float(f"1e{-exponent % 32}")
    return math.inf if exponent > 0 else 0.0

"""Times as the API server reads them: RFC 3339 the way Go's time.Parse takes it, with Go's errors.

Go is laxer than the standard in places (one digit for the hour, a comma before the fraction).
Source: Go 1.26 src/time/format.go.
"""

from __future__ import annotations

import calendar

from dradsl.records import dataclass
from dradsl.values.patterns import pattern

__all__ = ["time_error"]

_LAYOUT = "2006-01-02T15:04:05Z07:00"
_FRACTION = pattern(r"[.,][0-9]+")


@dataclass(slots=True)
class _BadElementError(Exception):
    """`rest` does not begin with what `element` of the layout stands for."""

    rest: str
    element: str


@dataclass(slots=True)
class _OutOfRangeError(Exception):
    """A number is beyond what a clock or calendar has."""

    what: str


def time_error(text: str) -> str | None:
    """What Go says against `text` as a time; None if it is one."""
    try:
        rest = _parse(text)
    except _BadElementError as error:
        return (
            f"parsing time {_quote(text)} as {_quote(_LAYOUT)}: cannot parse"
            f" {_quote(error.rest)} as {_quote(error.element)}"
        )
    except _OutOfRangeError as error:
        return f"parsing time {_quote(text)}: {error.what} out of range"
    if rest:
        return f"parsing time {_quote(text)}: extra text: {_quote(rest)}"
    return None


def _parse(text: str) -> str:
    """What is left of the text behind the time."""
    if not (text[:4].isascii() and text[:4].isdigit() and len(text) >= 4):
        raise _BadElementError(text, "2006")
    year = int(text[:4])
    month, rest = _number(_skip(text[4:], "-"), "01", fixed=True)
    if not 1 <= month <= 12:
        raise _OutOfRangeError("month")
    day, rest = _number(_skip(rest, "-"), "02", fixed=True)
    for prefix, element, limit, what in (
        ("T", "15", 24, "hour"),
        (":", "04", 60, "minute"),
        (":", "05", 60, "second"),
    ):
        number, rest = _number(_skip(rest, prefix), element, fixed=element != "15")
        if number >= limit:
            raise _OutOfRangeError(what)
    fraction = _FRACTION.match(rest)
    if fraction is not None:
        rest = rest[fraction.end() :]
    rest = _zone(rest)
    if not rest and not 1 <= day <= _days(year, month):
        raise _OutOfRangeError("day")
    return rest


def _days(year: int, month: int) -> int:
    if month == 2:
        return 29 if calendar.isleap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _skip(rest: str, prefix: str) -> str:
    if not rest.startswith(prefix):
        raise _BadElementError(rest, prefix)
    return rest[1:]


def _is_digit(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _number(rest: str, element: str, *, fixed: bool) -> tuple[int, str]:
    if _is_digit(rest[:2]) and len(rest) >= 2:
        return int(rest[:2]), rest[2:]
    if _is_digit(rest[:1]) and not fixed:
        return int(rest[0]), rest[1:]
    raise _BadElementError(rest, element)


def _zone(rest: str) -> str:
    if rest.startswith("Z"):
        return rest[1:]
    hours, minutes = rest[1:3], rest[4:6]
    if len(rest) < 6 or rest[3] != ":" or not (_is_digit(hours) and _is_digit(minutes)):
        raise _BadElementError(rest, "Z07:00")
    if int(minutes) > 60:
        raise _OutOfRangeError("time zone offset minute")
    if int(hours) > 24:
        raise _OutOfRangeError("time zone offset hour")
    if rest[0] not in "+-":
        raise _BadElementError(rest, "Z07:00")
    return rest[6:]


def _quote(text: str) -> str:
    """As Go's time package quotes: other than %q, with bytes for everything beyond ASCII."""
    parts = []
    for character in text:
        if ord(character) >= 0x80 or character < " ":
            parts += [f"\\x{byte:02x}" for byte in character.encode(errors="replace")]
        else:
            parts.append(f"\\{character}" if character in '"\\' else character)
    return f'"{"".join(parts)}"'

"""Timestamps and durations: reading, printing, calendar fields.

Behaviour of cel-go `common/types/{duration,timestamp}.go` and of Go's package time.
"""

from __future__ import annotations

import datetime as dt
import re

from dradsl.cel.runtime.values import INT_MAX, INT_MIN, CelRuntimeError, Duration, Timestamp, Value

__all__ = [
    "MAX_SECONDS",
    "MIN_SECONDS",
    "duration_text",
    "timestamp_text",
    "to_duration",
    "to_timestamp",
]

NANOS = 1_000_000_000
MIN_SECONDS = -62135596800
MAX_SECONDS = 253402300799

_UNITS = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": NANOS,
    "m": 60 * NANOS,
    "h": 3600 * NANOS,
}
_PART = r"([0-9]*)(\.[0-9]*)?([^0-9.]+)"
_RFC3339 = r"(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)([.,]\d+)?(Z|[+-]\d\d:\d\d)"
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def to_duration(value: Value) -> Duration:
    """A duration from its notation ("1h30m"), or from an int as upstream takes it."""
    if isinstance(value, Duration):
        return value
    if not isinstance(value, str):
        raise CelRuntimeError("type conversion error from 'int' to 'google.protobuf.Duration'")
    nanoseconds = _parse_duration(value)
    if nanoseconds is None or not INT_MIN <= nanoseconds <= INT_MAX:
        raise CelRuntimeError("type conversion error from 'string' to 'google.protobuf.Duration'")
    return Duration(nanoseconds)


def _parse_duration(text: str) -> int | None:
    negative = text.startswith("-")
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0
    if not rest:
        return None
    total = 0
    position = 0
    pattern = re.compile(_PART)
    while position < len(rest):
        part = pattern.match(rest, position)
        if part is None or part[3] not in _UNITS or not (part[1] or len(part[2] or "") > 1):
            return None
        unit = _UNITS[part[3]]
        whole = int(part[1].lstrip("0")[:30] or "0") * unit
        fraction = _fraction(part[2] or "", unit)
        if whole > INT_MAX + 1 or whole + fraction > INT_MAX + 1:
            return None
        total += whole + fraction
        if total > INT_MAX + 1:
            return None
        position = part.end()
    if not negative and total > INT_MAX:
        return None
    return -total if negative else total


def _fraction(text: str, unit: int) -> int:
    """The nanoseconds of ".5" of a unit, cut off as Go does (digits beyond 2**63 count not)."""
    value, scale = 0, 1.0
    overflow = False
    for digit in text[1:]:
        if overflow:
            continue
        if value > INT_MAX // 10:
            overflow = True
            continue
        following = value * 10 + int(digit)
        if following > INT_MAX + 1:
            overflow = True
            continue
        value = following
        scale *= 10
    return int(float(value) * (float(unit) / scale))


def duration_text(value: Duration) -> str:
    """The canonical notation: seconds, shortest decimal."""
    seconds, nanos = divmod(abs(value.nanoseconds), NANOS)
    # Go adds whole seconds and the fraction as doubles before it prints them.
    number = float(seconds) + float(nanos) / 1e9
    text = _plain(-number if value.nanoseconds < 0 else number)
    return f"{text}s"


def _plain(number: float) -> str:
    """A double in decimal without exponent, shortest form that reads back."""
    import decimal

    text = format(decimal.Decimal(repr(number)), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text or "0"


def to_timestamp(value: Value) -> Timestamp:
    """A timestamp from RFC 3339, or from seconds since 1970."""
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, str):
        seconds, nanos, offset = _parse_timestamp(value)
    else:
        seconds, nanos, offset = int(value), 0, 0
    if not MIN_SECONDS <= seconds <= MAX_SECONDS:
        raise CelRuntimeError("timestamp overflow")
    return Timestamp(seconds * NANOS + nanos, offset)


def _parse_timestamp(text: str) -> tuple[int, int, int]:
    found = re.fullmatch(_RFC3339, text, re.ASCII)
    failure = "type conversion error from 'string' to 'google.protobuf.Timestamp'"
    if found is None:
        raise CelRuntimeError(failure)
    year, month, day, hour, minute, second = [int(found[index]) for index in range(1, 7)]
    if hour > 23 or minute > 59 or second > 59:
        raise CelRuntimeError(failure)
    offset = _offset(found[8], failure)
    leap = year == 0  # Python's calendar starts at year 1; year 0 overflows the range anyway
    try:
        date = dt.date(1 if leap else year, month, day)
    except ValueError:
        raise CelRuntimeError(failure) from None
    days = date.toordinal() - _EPOCH.toordinal() - (366 if leap else 0)
    seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset
    nanos = int((found[7] or ".0")[1:10].ljust(9, "0"))
    return seconds, nanos, offset


def _offset(text: str, failure: str) -> int:
    if text == "Z":
        return 0
    hours, minutes = int(text[1:3]), int(text[4:6])
    if hours > 24 or minutes > 60:
        raise CelRuntimeError(failure)
    seconds = hours * 3600 + minutes * 60
    return -seconds if text[0] == "-" else seconds


def timestamp_text(value: Timestamp) -> str:
    """RFC 3339 in the zone it was written in, with as many decimals as needed."""
    seconds, nanos = divmod(value.nanoseconds, NANOS)
    days, second = divmod(seconds + value.offset, 86400)
    ordinal = days + _EPOCH.toordinal()
    date = _date_text(ordinal)
    fraction = f".{nanos:09d}".rstrip("0") if nanos else ""
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return f"{date}T{clock}{fraction}{_zone_text(value.offset)}"


def _date_text(ordinal: int) -> str:
    """A day as text; the zone may carry one beyond the calendar of Python, years 1 to 9999."""
    if ordinal < 1:
        return "0000-12-31"
    if ordinal > dt.date.max.toordinal():
        return "10000-01-01"
    return dt.date.fromordinal(ordinal).isoformat()


def _zone_text(offset: int) -> str:
    if offset == 0:
        return "Z"
    minutes = abs(offset) // 60
    return f"{'-' if offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"

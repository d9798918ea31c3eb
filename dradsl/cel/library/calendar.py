"""Fields of the calendar that a timestamp falls on, in any time zone.

Source: cel-go `common/stdlib/standard.go` and Go's package time, LoadLocation.
"""

from __future__ import annotations

import datetime as dt
import re

from dradsl.cel.runtime.times import NANOS
from dradsl.cel.runtime.values import CelRuntimeError, Timestamp, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FUNCTIONS"]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_CYCLE = 146_097 * 86_400
"""Seconds of 400 years, after which the calendar repeats."""

_FIELDS: Mapping[str, Callable[[dt.datetime], int]] = {
    "year": lambda moment: moment.year,
    "month": lambda moment: moment.month - 1,
    "day_of_year": lambda moment: moment.timetuple().tm_yday - 1,
    "day_of_month": lambda moment: moment.day - 1,
    "day_of_month_1_based": lambda moment: moment.day,
    "day_of_week": lambda moment: moment.isoweekday() % 7,
    "hours": lambda moment: moment.hour,
    "minutes": lambda moment: moment.minute,
    "seconds": lambda moment: moment.second,
    "milliseconds": lambda moment: moment.microsecond // 1000,
}


def _reader(name: str, field: Callable[[dt.datetime], int]) -> Callable[..., int]:
    """A function of a timestamp and, optionally, a time zone."""

    def read(value: Timestamp, zone: str | None = None) -> int:
        seconds, nanos = divmod(value.nanoseconds, NANOS)
        if zone is not None:
            seconds += _offset(zone, seconds)
        # Zones lead out of the years 1 to 9999 that Python's calendar has.
        cycles, seconds = divmod(seconds, _CYCLE)
        result = field(_EPOCH + dt.timedelta(seconds=seconds, microseconds=nanos // 1000))
        return result + 400 * cycles if name == "year" else result

    return read


def _offset(zone: str, seconds: int) -> int:
    """The seconds that clocks of a zone are ahead of UTC at a time."""
    hours, colon, minutes = zone.partition(":")
    if not colon:
        return _named_offset(zone, seconds)
    hour, minute = _atoi(hours), _atoi(minutes)
    return 60 * (hour * 60 - minute if zone.startswith("-") else hour * 60 + minute)


def _named_offset(name: str, seconds: int) -> int:
    if name in ("", "UTC", "Local"):
        return 0  # a server runs in UTC
    if ".." in name or name[0] in "/\\":
        raise CelRuntimeError("time: invalid location name")
    import zoneinfo

    try:
        zone = zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise CelRuntimeError(f"unknown time zone {name}") from None
    moment = _EPOCH + dt.timedelta(seconds=seconds)
    if moment.year in (1, 9999):  # Python has no neighbours of these; 400 years on all is alike
        moment = moment.replace(year=9599 if moment.year == 9999 else 2)
    offset = moment.astimezone(zone).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())


def _atoi(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text, re.ASCII):
        raise CelRuntimeError(f'strconv.Atoi: parsing "{text}": invalid syntax')
    if len(text) > 12:
        raise CelRuntimeError(f'strconv.Atoi: parsing "{text}": value out of range')
    return int(text)


def _functions() -> dict[str, Callable[..., Value]]:
    functions: dict[str, Callable[..., Value]] = {}
    for name, field in _FIELDS.items():
        read = _reader(name, field)
        functions[f"timestamp_to_{name}"] = read
        functions[f"timestamp_to_{name}_with_tz"] = read
    functions["timestamp_to_seconds_tz"] = functions.pop("timestamp_to_seconds_with_tz")
    return functions


FUNCTIONS: Mapping[str, Callable[..., Value]] = _functions()

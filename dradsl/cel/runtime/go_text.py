"""Values as Go prints them in messages, with `%v`."""

from __future__ import annotations

from dradsl.cel.runtime.values import Duration, Optional, Timestamp, TypeValue, Value, value_of_key
from dradsl.cel.runtime.work_limit import bound_tree

__all__ = ["shown"]

_PARAMETERS = {"list": "(dyn)", "map": "(dyn, dyn)", "optional_type": "(dyn)"}


def shown(value: Value) -> str:
    """A value as Go's `%v` prints it: the value's own `String` if its Go type has one.

    Raises:
        CelPanicError: if the text would be longer than any that is meant seriously.
    """
    bound_tree(value)
    return _shown(value)


def _shown(value: Value) -> str:
    if value is None:
        return "0"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, float):
        from dradsl.cel.runtime.go_float import format_g

        return format_g(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, bytes):
        return "[" + " ".join([str(byte) for byte in value]) + "]"
    if isinstance(value, list | tuple):
        return "[" + ", ".join([_shown(item) for item in value]) + "]"
    if isinstance(value, dict):
        entries = [f"{_shown(value_of_key(key))}: {_shown(item)}" for key, item in value.items()]
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, Optional):
        return f"optional({_shown(value.value)})" if value.present else "optional.none()"
    if isinstance(value, TypeValue):
        return value.name + _PARAMETERS.get(value.name, "")
    if isinstance(value, Duration):
        return _duration(value.nanoseconds)
    if isinstance(value, Timestamp):
        return _timestamp(value)
    return str(value)


def _duration(nanoseconds: int) -> str:
    """As `1h0m1.5s`, or in the largest unit below a second."""
    sign, rest = "-" if nanoseconds < 0 else "", abs(nanoseconds)
    if 0 < rest < 10**9:
        digits, unit = next(
            (digits, unit)
            for digits, unit in ((6, "ms"), (3, "µs"), (0, "ns"))
            if rest >= 10**digits
        )
        return f"{sign}{_decimal(rest, digits)}{unit}"
    minutes, rest = divmod(rest, 60 * 10**9)
    hours, minutes = divmod(minutes, 60)
    larger = f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else ""
    return f"{sign}{larger}{_decimal(rest, 9)}s"


def _decimal(number: int, digits: int) -> str:
    """A number that has so many digits behind the point, without zeros at the end."""
    whole, fraction = divmod(number, 10**digits)
    return f"{whole}.{fraction:0{digits}d}".rstrip("0").rstrip(".") if digits else str(whole)


def _timestamp(value: Timestamp) -> str:
    """As `2006-01-02 15:04:05.5 +0100 +0100`."""
    from dradsl.cel.runtime.times import timestamp_text

    minutes = abs(value.offset) // 60
    zone = f"{'-' if value.offset < 0 else '+'}{minutes // 60:02d}{minutes % 60:02d}"
    date, _, clock = timestamp_text(value).partition("T")
    clock = clock.removesuffix("Z") if not value.offset else clock[:-6]
    return f"{date} {clock} {zone} {zone if value.offset else 'UTC'}"

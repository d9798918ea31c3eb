"""The standard library: operators, conversions, sizes, string tests, calendar fields.

Source: cel-go `common/stdlib/standard.go` and the types it dispatches to.
"""

from __future__ import annotations

from dradsl.cel.library import calendar
from dradsl.cel.runtime import times
from dradsl.cel.runtime.operations import no_overload
from dradsl.cel.runtime.values import (
    INT_MAX,
    INT_MIN,
    UINT_MAX,
    CelRuntimeError,
    Duration,
    Timestamp,
    TypeValue,
    Uint,
    Value,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["FUNCTIONS", "UNGUARDED", "to_string"]

# Operators and functions of one body for all overloads are compiled by `dradsl.cel.compile`;
# the other overloads are in FUNCTIONS.
UNGUARDED = frozenset(
    {"contains", "startsWith", "endsWith", "flatten", "sort", "@sortByAssociatedKeys"}
)
"""Functions that look at their arguments themselves."""


# -- conversions ---------------------------------------------------------------------------


def _failed(source: str, target: str) -> CelRuntimeError:
    return CelRuntimeError(f"type conversion error from '{source}' to '{target}'")


def _go_int(text: str, low: int, high: int) -> int | None:
    """What strconv.ParseInt makes of a text: ASCII digits, a sign for signed ones."""
    digits = text[1:] if text[:1] in ("+", "-") and low < 0 else text
    if not digits.isascii() or not digits.isdecimal() or len(text) > 400:
        return None
    value = int(text)
    return value if low <= value <= high else None


def _string_to_int(text: str) -> int:
    value = _go_int(text, INT_MIN, INT_MAX)
    if value is None:
        raise _failed("string", "int")
    return value


def _string_to_uint(text: str) -> Uint:
    value = _go_int(text, 0, UINT_MAX)
    if value is None:
        raise _failed("string", "uint")
    return Uint(value)


def _double_to_int(value: float) -> int:
    if value != value or value <= INT_MIN or value >= 2**63:
        raise CelRuntimeError("integer overflow")
    return int(value)


def _double_to_uint(value: float) -> Uint:
    if value != value or value < 0 or value >= 2**64:
        raise CelRuntimeError("unsigned integer overflow")
    return Uint(int(value))


def _int_to_uint(value: int) -> Uint:
    if value < 0:
        raise CelRuntimeError("unsigned integer overflow")
    return Uint(value)


def _uint_to_int(value: Uint) -> int:
    if value > INT_MAX:
        raise CelRuntimeError("integer overflow")
    return int(value)


def _string_to_double(text: str) -> float:
    from dradsl.cel.runtime.go_float import parse_float

    value = parse_float(text)
    if value is None:
        raise _failed("string", "double")
    return value


_BOOLS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


def _string_to_bool(text: str) -> bool:
    if text not in _BOOLS:
        raise _failed("string", "bool")
    return _BOOLS[text]


def _bytes_to_string(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise CelRuntimeError("invalid UTF-8 in bytes, cannot convert to string") from None


def to_string(value: Value) -> str:
    """`string(value)`."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is Uint:
        return str(int(value))
    if kind is float:
        from dradsl.cel.runtime.go_float import format_g

        return format_g(value)
    if kind is bytes:
        return _bytes_to_string(value)
    if kind is Timestamp:
        return times.timestamp_text(value)
    if kind is Duration:
        return times.duration_text(value)
    raise no_overload("string", value)


def _identity(value: Value) -> Value:
    return value


def _whole_units(nanoseconds: int) -> Callable[[Duration], int]:
    def count(value: Duration) -> int:
        whole = abs(value.nanoseconds) // nanoseconds
        return -whole if value.nanoseconds < 0 else whole

    return count


# -- strings -------------------------------------------------------------------------------


def _strings(test: Callable[[str, str], bool]) -> Callable[[Value, Value], bool]:
    def checked(text: Value, part: Value) -> bool:
        if type(text) is not str or type(part) is not str:
            raise no_overload()
        return test(text, part)

    return checked


def _type_of(value: Value) -> TypeValue:
    from dradsl.cel.runtime.operations import type_name

    return TypeValue(type_name(value))


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "bool_to_bool": _identity,
    "string_to_bool": _string_to_bool,
    "bytes_to_bytes": _identity,
    "string_to_bytes": lambda text: text.encode("utf-8", "surrogatepass"),
    "double_to_double": _identity,
    "int64_to_double": float,
    "string_to_double": _string_to_double,
    "uint64_to_double": float,
    "duration_to_duration": _identity,
    "int64_to_duration": times.to_duration,
    "string_to_duration": times.to_duration,
    "int64_to_int64": _identity,
    "double_to_int64": _double_to_int,
    "duration_to_int64": lambda value: value.nanoseconds,
    "string_to_int64": _string_to_int,
    "timestamp_to_int64": lambda value: value.nanoseconds // times.NANOS,
    "uint64_to_int64": _uint_to_int,
    "timestamp_to_timestamp": _identity,
    "int64_to_timestamp": times.to_timestamp,
    "string_to_timestamp": times.to_timestamp,
    "uint64_to_uint64": _identity,
    "double_to_uint64": _double_to_uint,
    "int64_to_uint64": _int_to_uint,
    "string_to_uint64": _string_to_uint,
    "string_to_string": _identity,
    "bool_to_string": to_string,
    "bytes_to_string": to_string,
    "double_to_string": to_string,
    "duration_to_string": to_string,
    "int64_to_string": to_string,
    "timestamp_to_string": to_string,
    "uint64_to_string": to_string,
    "to_dyn": _identity,
    "type": _type_of,
    "contains_string": _strings(lambda text, part: part in text),
    "ends_with_string": _strings(str.endswith),
    "starts_with_string": _strings(str.startswith),
    "duration_to_hours": _whole_units(3600 * times.NANOS),
    "duration_to_minutes": _whole_units(60 * times.NANOS),
    "duration_to_seconds": _whole_units(times.NANOS),
    "duration_to_milliseconds": _whole_units(1_000_000),
    **calendar.FUNCTIONS,
}

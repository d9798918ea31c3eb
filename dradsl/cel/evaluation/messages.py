"""Message literals of protobuf's well-known types, as values (cel-go `common/types/pb`)."""

from __future__ import annotations

from dradsl.cel.runtime.values import (
    INT_MAX,
    INT_MIN,
    CelRuntimeError,
    Duration,
    Timestamp,
    Uint,
    Value,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["build_message"]

_NANOS = 1_000_000_000


def build_message(name: str, fields: Mapping[str, Value]) -> Value:
    """The value of `name{fields}`.

    Raises:
        CelRuntimeError: if upstream cannot make such a message.
    """
    short = name.removeprefix("google.protobuf.")
    if short == name or short not in _BUILDERS:
        raise CelRuntimeError(f"unknown type '{name}'")
    return _BUILDERS[short](fields)


def _any(_: Mapping[str, Value]) -> Value:
    # Upstream packs nothing, and goes on to print the fields, which the message does not need.
    raise CelRuntimeError("unsupported conversion to ref.Val: (*dynamicpb.Message)")


def _nanoseconds(fields: Mapping[str, Value]) -> int:
    nanos = fields.get("nanos", 0)
    if not -(2**31) <= nanos < 2**31:
        raise CelRuntimeError("integer overflow")
    return int(fields.get("seconds", 0) * _NANOS + nanos)


def _duration(fields: Mapping[str, Value]) -> Value:
    # Go's AsDuration saturates.
    return Duration(max(INT_MIN, min(INT_MAX, _nanoseconds(fields))))


def _timestamp(fields: Mapping[str, Value]) -> Value:
    return Timestamp(_nanoseconds(fields))


def _wrapper(zero: Value) -> Callable[[Mapping[str, Value]], Value]:
    return lambda fields: fields.get("value", zero)


def _value(fields: Mapping[str, Value]) -> Value:
    kinds = ("number_value", "string_value", "bool_value", "struct_value", "list_value")
    for kind in kinds:
        if kind in fields:
            return fields[kind]
    return None


_BUILDERS: Mapping[str, Callable[[Mapping[str, Value]], Value]] = {
    "Any": _any,
    "BoolValue": _wrapper(False),
    "BytesValue": _wrapper(b""),
    "DoubleValue": _wrapper(0.0),
    "Duration": _duration,
    "Empty": lambda _: {},
    "FloatValue": _wrapper(0.0),
    "Int32Value": _wrapper(0),
    "Int64Value": _wrapper(0),
    "ListValue": lambda fields: fields.get("values", []),
    "StringValue": _wrapper(""),
    "Struct": lambda fields: fields.get("fields", {}),
    "Timestamp": _timestamp,
    "UInt32Value": _wrapper(Uint(0)),
    "UInt64Value": _wrapper(Uint(0)),
    "Value": _value,
}

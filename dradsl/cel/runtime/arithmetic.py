"""Arithmetic of CEL: checked 64-bit integers, doubles, durations, concatenation.

Source: cel-go `common/types/{int,uint,double,duration,timestamp,string,bytes,list}.go` and
`common/types/overflow.go`.
"""

from __future__ import annotations

from dradsl.cel.runtime.operations import no_overload, without_trait
from dradsl.cel.runtime.times import MAX_SECONDS, MIN_SECONDS, NANOS
from dradsl.cel.runtime.values import (
    INT_MAX,
    INT_MIN,
    UINT_MAX,
    CelRuntimeError,
    Duration,
    Timestamp,
    Uint,
    Value,
)
from dradsl.cel.runtime.work_limit import bound_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["add", "divide", "modulo", "multiply", "negate", "subtract"]


def _int(value: int) -> int:
    if not INT_MIN <= value <= INT_MAX:
        raise CelRuntimeError("integer overflow")
    return value


def _uint(value: int) -> Uint:
    if not 0 <= value <= UINT_MAX:
        raise CelRuntimeError("unsigned integer overflow")
    return Uint(value)


def _duration(nanoseconds: int) -> Duration:
    if not INT_MIN <= nanoseconds <= INT_MAX:
        raise CelRuntimeError("integer overflow")
    return Duration(nanoseconds)


def _timestamp(nanoseconds: int, offset: int) -> Timestamp:
    if not MIN_SECONDS <= nanoseconds // NANOS <= MAX_SECONDS:
        raise CelRuntimeError("timestamp overflow")
    return Timestamp(nanoseconds, offset)


def add(left: Value, right: Value) -> Value:
    """`left + right`."""
    kind, other = type(left), type(right)
    if kind is other:
        if kind is int:
            return _int(left + right)
        if kind is str or kind is float or kind is bytes:
            return left + right
        if kind is Uint:
            return _uint(int(left) + int(right))
        if kind is Duration:
            return _duration(left.nanoseconds + right.nanoseconds)
    if kind is list or kind is tuple:
        if other is not list and other is not tuple:
            raise no_overload()
        bound_size(len(left) + len(right))
        return [*left, *right]
    if kind is Duration and other is Timestamp:
        return _timestamp(left.nanoseconds + right.nanoseconds, right.offset)
    if kind is Timestamp and other is Duration:
        return _timestamp(left.nanoseconds + right.nanoseconds, left.offset)
    if kind in (int, Uint, float, str, bytes, Duration, Timestamp):
        raise no_overload()
    raise without_trait("_+_", left)


def subtract(left: Value, right: Value) -> Value:
    """`left - right`."""
    kind, other = type(left), type(right)
    if kind is other:
        if kind is int:
            return _int(left - right)
        if kind is float:
            return left - right
        if kind is Uint:
            return _uint(int(left) - int(right))
        if kind is Duration:
            return _duration(left.nanoseconds - right.nanoseconds)
        if kind is Timestamp:
            return Duration(_int(left.nanoseconds - right.nanoseconds))
    if kind is Timestamp and other is Duration:
        return _timestamp(left.nanoseconds + negate(right).nanoseconds, left.offset)
    if kind in (int, Uint, float, Duration, Timestamp):
        raise no_overload()
    raise without_trait("_-_", left)


def multiply(left: Value, right: Value) -> Value:
    """`left * right`."""
    kind = type(left)
    if kind is int or kind is Uint or kind is float:
        if type(right) is not kind:
            raise no_overload()
        if kind is float:
            return left * right
        return _int(left * right) if kind is int else _uint(int(left) * int(right))
    raise without_trait("_*_", left)


def divide(left: Value, right: Value) -> Value:
    """`left / right`; whole numbers are cut off towards zero."""
    kind = type(left)
    if kind is float and type(right) is float:
        return _divide_doubles(left, right)
    return _whole("_/_", left, right, _quotient, "division by zero")


def modulo(left: Value, right: Value) -> Value:
    """`left % right`, with the sign of `left`."""
    if type(left) is float:
        raise no_overload("_%_")
    return _whole("_%_", left, right, _remainder, "modulus by zero")


def _whole(
    function: str, left: Value, right: Value, work: Callable[[int, int], int], zero: str
) -> Value:
    kind = type(left)
    if kind is not int and kind is not Uint:
        raise no_overload() if kind is float else without_trait(function, left)
    if type(right) is not kind:
        raise no_overload()
    if right == 0:
        raise CelRuntimeError(zero)
    if kind is Uint:
        return Uint(work(int(left), int(right)))
    if left == INT_MIN and right == -1:
        raise CelRuntimeError("integer overflow")
    return work(left, right)


def _quotient(left: int, right: int) -> int:
    whole = abs(left) // abs(right)
    return whole if (left < 0) is (right < 0) else -whole


def _remainder(left: int, right: int) -> int:
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _divide_doubles(left: float, right: float) -> float:
    if right != 0 or right != right:
        return left / right
    if left == 0 or left != left:
        return float("nan")
    negative = (str(left)[0] == "-") is not (str(right)[0] == "-")
    return float("-inf") if negative else float("inf")


def negate(value: Value) -> Value:
    """`-value`."""
    kind = type(value)
    if kind is int:
        return _int(-value)
    if kind is float:
        return -value
    if kind is bool:
        raise no_overload()
    if kind is Duration:
        return _duration(-value.nanoseconds)
    raise without_trait("-_", value)

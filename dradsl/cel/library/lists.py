"""Kubernetes' functions of lists (apiserver `pkg/cel/library/lists.go`)."""

from __future__ import annotations

from dradsl.cel import runtime
from dradsl.cel.arithmetic import add
from dradsl.cel.values import CelRuntimeError, Duration, Uint, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["DECLARATIONS", "FUNCTIONS"]

DECLARATIONS = """
indexOf      list_a_index_of_int            list(A).(A) -> int
isSorted     list_int_is_sorted_bool        list(int).() -> bool
isSorted     list_uint_is_sorted_bool       list(uint).() -> bool
isSorted     list_double_is_sorted_bool     list(double).() -> bool
isSorted     list_bool_is_sorted_bool       list(bool).() -> bool
isSorted     list_duration_is_sorted_bool   list(duration).() -> bool
isSorted     list_timestamp_is_sorted_bool  list(timestamp).() -> bool
isSorted     list_string_is_sorted_bool     list(string).() -> bool
isSorted     list_bytes_is_sorted_bool      list(bytes).() -> bool
lastIndexOf  list_a_last_index_of_int       list(A).(A) -> int
max          list_int_max_int               list(int).() -> int
max          list_uint_max_uint             list(uint).() -> uint
max          list_double_max_double         list(double).() -> double
max          list_bool_max_bool             list(bool).() -> bool
max          list_duration_max_duration     list(duration).() -> duration
max          list_timestamp_max_timestamp   list(timestamp).() -> timestamp
max          list_string_max_string         list(string).() -> string
max          list_bytes_max_bytes           list(bytes).() -> bytes
min          list_int_min_int               list(int).() -> int
min          list_uint_min_uint             list(uint).() -> uint
min          list_double_min_double         list(double).() -> double
min          list_bool_min_bool             list(bool).() -> bool
min          list_duration_min_duration     list(duration).() -> duration
min          list_timestamp_min_timestamp   list(timestamp).() -> timestamp
min          list_string_min_string         list(string).() -> string
min          list_bytes_min_bytes           list(bytes).() -> bytes
sum          list_int_sum_int               list(int).() -> int
sum          list_uint_sum_uint             list(uint).() -> uint
sum          list_double_sum_double         list(double).() -> double
sum          list_duration_sum_duration     list(duration).() -> duration
"""


def _compared(left: Value, right: Value) -> int | None:
    """The order of two elements; None where they have none, which upstream ignores here."""
    try:
        return runtime.compare(left, right)
    except CelRuntimeError:
        return None


def _check(element: Value) -> None:
    if not runtime.is_ordered(element):
        raise runtime.no_overload()


def _is_sorted(values: Sequence[Value]) -> bool:
    for position, element in enumerate(values):
        _check(element)
        if position and _compared(values[position - 1], element) == 1:
            return False
    return True


def _sum(zero: Value) -> Callable[[Iterable[Value]], Value]:
    def total(values: Iterable[Value]) -> Value:
        result = zero
        for value in values:
            result = add(result, value)
        return result

    return total


def _extreme(name: str, replaced_if: int) -> Callable[[Sequence[Value]], Value]:
    def extreme(values: Sequence[Value]) -> Value:
        if not values:
            raise CelRuntimeError(f"{name} called on empty list")
        result = values[0]
        for element in values:
            _check(element)
            if _compared(result, element) == replaced_if:
                result = element
        return result

    return extreme


def _same(left: Value, right: Value) -> bool:
    if left is None:
        return right is None
    try:
        return runtime.equal(left, right)
    except CelRuntimeError:
        return False


def _index_of(values: Sequence[Value], wanted: Value) -> int:
    for position, element in enumerate(values):
        if _same(element, wanted):
            return position
    return -1


def _last_index_of(values: Sequence[Value], wanted: Value) -> int:
    for position in range(len(values) - 1, -1, -1):
        if _same(values[position], wanted):
            return position
    return -1


_TYPES = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_ZEROS = {"int": 0, "uint": Uint(0), "double": 0.0, "duration": Duration(0)}

FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    **{f"list_{name}_is_sorted_bool": _is_sorted for name in _TYPES},
    **{f"list_{name}_min_{name}": _extreme("min", 1) for name in _TYPES},
    **{f"list_{name}_max_{name}": _extreme("max", -1) for name in _TYPES},
    **{f"list_{name}_sum_{name}": _sum(zero) for name, zero in _ZEROS.items()},
    "list_a_index_of_int": _index_of,
    "list_a_last_index_of_int": _last_index_of,
}

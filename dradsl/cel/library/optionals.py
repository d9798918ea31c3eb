"""Optional values: `optional.of`, `.?field`, `orValue`, `first()` (cel-go `cel/library.go`)."""

from __future__ import annotations

from dradsl.cel.runtime.operations import shown
from dradsl.cel.runtime.values import NONE, CelRuntimeError, Duration, Optional, Timestamp, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["FUNCTIONS", "some"]

# The zero of Go's time: the first of January of year 1.
_ZERO_TIME = Timestamp(-62135596800 * 1_000_000_000)


def some(value: Value) -> Optional:
    """An optional that holds `value`."""
    return Optional(True, value)


def _non_zero(value: Value) -> Optional:
    return NONE if _is_zero(value) else some(value)


def _is_zero(value: Value) -> bool:
    kind = type(value)
    if value is None or isinstance(value, int | float | str | bytes | list | tuple | dict):
        return not value
    if kind is Duration:
        return bool(value.nanoseconds == 0)
    return bool(value == _ZERO_TIME) if kind is Timestamp else False


def _value(optional: Optional) -> Value:
    if not optional.present:
        raise CelRuntimeError("optional.none() dereference")
    if type(optional.value) is CelRuntimeError:
        raise CelRuntimeError(optional.value.message)
    return optional.value


def _unwrap(values: Sequence[Value]) -> Value:
    result = []
    for value in values:
        if type(value) is not Optional:
            raise CelRuntimeError(f"value {shown(value)} is not optional")
        if value.present:
            result.append(value.value)
    return result


FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "optional_of": some,
    "optional_ofNonZeroValue": _non_zero,
    "optional_none": lambda: NONE,
    "optional_value": _value,
    "optional_hasValue": lambda optional: optional.present,
    "list_first": lambda values: some(values[0]) if values else NONE,
    "list_last": lambda values: some(values[-1]) if values else NONE,
    "optional_unwrap": _unwrap,
    "optional_unwrapOpt": _unwrap,
}

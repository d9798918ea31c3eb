"""Kubernetes' functions of lists (apiserver `pkg/cel/library/lists.go`)."""

# Upstream: * (k8s.io/apiserver/pkg/cel/library/lists.go)

from __future__ import annotations

from dradsl.cel.runtime import operations as runtime
from dradsl.cel.runtime.arithmetic import add
from dradsl.cel.runtime.values import CelRuntimeError, Duration, Uint, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["FUNCTIONS"]


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


def _index_of(values: Sequence[Value], wanted: Value) -> int:
    for position, element in enumerate(values):
        if runtime.equal_elements(element, wanted):
            return position
    return -1


def _last_index_of(values: Sequence[Value], wanted: Value) -> int:
    for position in range(len(values) - 1, -1, -1):
        if runtime.equal_elements(values[position], wanted):
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

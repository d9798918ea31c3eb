"""Lists of cel-go: slice, flatten, distinct, reverse, sort, range (`ext/lists.go`, version 3)."""

from __future__ import annotations

import functools

from dradsl.cel.runtime import operations as runtime
from dradsl.cel.runtime.values import CelRuntimeError, Value
from dradsl.cel.runtime.work_limit import bound_pairs, bound_size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["FUNCTIONS", "bounded_range"]

# Upstream's own bound since cel-go 0.28. Before, a list of 10**9 elements was tried; the cost
# limit cannot stop a single call, so this one is rejected in all releases.
_RANGE_LIMIT = 1_000_000


def _slice(values: Sequence[Value], start: int, end: int) -> Value:
    call = f"cannot slice({start}, {end})"
    if start < 0 or end < 0:
        raise CelRuntimeError(f"{call}, negative indexes not supported")
    if start > end:
        raise CelRuntimeError(f"{call}, start index must be less than or equal to end index")
    if len(values) < end:
        raise CelRuntimeError(f"{call}, list is length {len(values)}")
    return list(values[start:end])


def _flatten(values: Value, *given: int) -> Value:
    if not isinstance(values, list | tuple):
        told = ", ".join(map(runtime.type_name, given))
        raise runtime.no_overload(f"{runtime.type_name(values)}.flatten({told})")
    levels = given[0] if given else 1
    if levels < 0:
        raise CelRuntimeError("level must be non-negative")
    result = list(values)
    for _ in range(levels):
        if not any(isinstance(element, list | tuple) for element in result):
            break
        flat: list[Value] = []
        for element in result:
            if isinstance(element, list | tuple):
                flat.extend(element)
            else:
                flat.append(element)
        result = flat
        bound_size(len(result) * 10)
    return result


def _order(left: Value, right: Value) -> int:
    try:
        return runtime.compare(left, right)
    except CelRuntimeError:
        return 0  # NaN; upstream does not ask why there is no order


def _sort_by(values: Value, keys: Value) -> Value:
    if not isinstance(values, list | tuple) or not isinstance(keys, list | tuple):
        raise runtime.no_overload()
    if len(values) != len(keys):
        raise CelRuntimeError(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys "
            f"list, but got {len(values)} and {len(keys)} elements respectively"
        )
    if not values:
        return values
    if not runtime.is_ordered(keys[0]):
        raise CelRuntimeError("list elements must be comparable")
    if len(values) > 1 and any(type(key) is not type(keys[0]) for key in keys):
        raise CelRuntimeError("list elements must have the same type")
    order = functools.cmp_to_key(_order)
    # Upstream's sort is not stable, so the order of equal keys is not defined there.
    positions = sorted(range(len(values)), key=lambda position: order(keys[position]))
    return [values[position] for position in positions]


def _distinct(values: Sequence[Value]) -> Value:
    unique: list[Value] = []
    for value in values:
        bound_pairs(len(values), len(unique))
        if not any(runtime.equal_elements(value, other) for other in unique):
            unique.append(value)
    return unique


def bounded_range(limit: int | None) -> Callable[[int], Value]:
    """`lists.range`, rejected above `limit` elements as the release does."""

    def numbers(count: int) -> Value:
        if limit is not None and count < 0:
            raise CelRuntimeError(f"lists.range: size must be non-negative, got {count}")
        bound = limit or _RANGE_LIMIT
        if count > bound:
            raise CelRuntimeError(f"lists.range: size {count} exceeds maximum allowed ({bound})")
        return list(range(count))

    return numbers


_KEYS = ("int", "uint", "double", "bool", "string", "bytes",
         "google.protobuf.Duration", "google.protobuf.Timestamp")  # fmt: skip

FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "list_distinct": _distinct,
    "list_reverse": lambda values: list(reversed(values)),
    "lists_range": bounded_range(None),
    **{f"list_{name}_sort": lambda values: _sort_by(values, values) for name in _KEYS},
    **{f"list_{name}_sortByAssociatedKeys": _sort_by for name in _KEYS},
}

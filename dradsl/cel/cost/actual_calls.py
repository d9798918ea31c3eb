"""What calls cost when they run, by the sizes of their arguments and result.

Sources: cel-go `interpreter/runtimecost.go`, `ext/lists.go`, `ext/sets.go` and apiserver
`pkg/cel/library/cost.go` (CallCost). The estimates of the same calls are in `dradsl.cel.cost.estimate_calls`.
"""

# Upstream: CostEstimator.CallCost, actualSize, traversalCost (k8s.io/apiserver/pkg/cel/library/cost.go)

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from dradsl.cel.cost.estimate_calls import REGEX, TRAVERSAL
from dradsl.cel.library.format import NamedFormat
from dradsl.cel.library.url import Url
from dradsl.cel.runtime.values import Optional, Value
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.checker.environment import Dialect

__all__ = ["FAILED", "Price", "actual_call_cost"]

Price = Callable[[Sequence[Value], Value], int]

FAILED = object()
"""Stands for an argument or a result that is an error."""


def actual_call_cost(function: str, overload: str, dialect: Dialect) -> Price:
    """The price of calls of a function; `overload` is "" if it is not settled before the call."""
    if overload == "list_flatten_int" and dialect.range_limit is not None:
        return _flatten_clamped
    if overload in _BY_OVERLOAD:
        return _BY_OVERLOAD[overload]
    if overload in _KUBERNETES_OVERLOADS:
        return _KUBERNETES_OVERLOADS[overload]
    if function in _KUBERNETES:
        return _KUBERNETES[function]
    if overload == "equals":
        return _equality
    if overload in ("starts_with_string", "ends_with_string"):
        return _argument_scan if dialect.starts_with_costs_argument else _scan
    if overload == "matches" and not dialect.matches_function_cost:
        return _one
    return _STANDARD.get(overload, _one)


# -- sizes ---------------------------------------------------------------------------------


def _size(value: Value) -> int:
    """Code points, bytes or entries; 1 for what has none."""
    if isinstance(value, str | bytes | list | tuple | dict):
        return len(value)
    return getattr(value, "cost_size", 1)


def _inner_size(value: Value) -> int:
    """As `_size`, but of what an optional holds."""
    while type(value) is Optional and value.present:
        value = value.value
    return _size(value)


def _up(number: float) -> int:
    return math.ceil(number)


# -- cel-go --------------------------------------------------------------------------------


def _one(_: Sequence[Value], __: Value) -> int:
    return 1


def _scan(args: Sequence[Value], _: Value) -> int:
    return _up(float(_inner_size(args[0])) * TRAVERSAL)


def _argument_scan(args: Sequence[Value], _: Value) -> int:
    return _up(float(_inner_size(args[1])) * TRAVERSAL)


def _comparison(args: Sequence[Value], _: Value) -> int:
    return _up(float(min(_inner_size(args[0]), _inner_size(args[1]))) * TRAVERSAL)


def _concatenation(args: Sequence[Value], _: Value) -> int:
    return _up(float(_inner_size(args[0]) + _inner_size(args[1])) * TRAVERSAL)


def _regex(args: Sequence[Value], _: Value) -> int:
    text = _up((1.0 + float(_inner_size(args[0]))) * TRAVERSAL)
    return text * _up(float(_inner_size(args[1])) * REGEX)


def _contains(args: Sequence[Value], _: Value) -> int:
    text = _up(float(_inner_size(args[0])) * TRAVERSAL)
    return text * _up(float(_inner_size(args[1])) * TRAVERSAL)


_STANDARD: Mapping[str, Price] = {
    **dict.fromkeys(
        ("string_to_bytes", "bytes_to_string", "strings_quote", "string_format"), _scan
    ),
    "in_list": lambda args, _: _inner_size(args[1]),
    "not_equals": _comparison,
    **{
        f"{order}_{kind}": _comparison
        for order in ("less", "less_equals", "greater", "greater_equals")
        for kind in ("string", "bytes")
    },
    "add_string": _concatenation,
    "add_bytes": _concatenation,
    "matches": _regex,
    "matches_string": _regex,
    "contains_string": _contains,
}


def _list_call(factor: float, size: int) -> int:
    return int(float(size) * factor) + 1 + 10


def _result_list(_: Sequence[Value], result: Value) -> int:
    return _list_call(1, _size(result))


def _flatten(args: Sequence[Value], _: Value) -> int:
    levels = float(args[1]) if len(args) == 2 and type(args[1]) is int else 1.0
    return _list_call(levels, _size(args[0]))


def _flatten_clamped(args: Sequence[Value], _: Value) -> int:
    """As of cel-go 0.28, where a failing call with negative levels costs as one with one."""
    levels = float(args[1]) if type(args[1]) is int else 1.0
    return _list_call(levels if levels >= 0 else 1.0, _size(args[0]))


def _self_compare(position: int) -> Price:
    def price(args: Sequence[Value], _: Value) -> int:
        values = args[position]
        size = _size(values)
        strings = size and isinstance(values, list | tuple) and type(values[0]) in (str, bytes)
        return _list_call(2.0 + TRAVERSAL if strings else 2.0, size * size)

    return price


def _sets(factor: float) -> Price:
    return lambda args, _: 1 + int(float(_size(args[0]) * _size(args[1])) * factor)


_KEY_TYPES = (
    "int", "uint", "double", "bool", "string", "bytes",
    "google.protobuf.Duration", "google.protobuf.Timestamp",
)  # fmt: skip

_BY_OVERLOAD: Mapping[str, Price] = {
    "list_slice": _result_list,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _result_list,
    "list_reverse": _result_list,
    "list_distinct": _self_compare(0),
    **{f"list_{kind}_sort": _self_compare(0) for kind in _KEY_TYPES},
    **{f"list_{kind}_sortByAssociatedKeys": _self_compare(1) for kind in _KEY_TYPES},
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
}


# -- Kubernetes ----------------------------------------------------------------------------


def _traversal(args: Sequence[Value], _: Value) -> int:
    return _traverse(args[0])


def _traverse(value: Value) -> int:
    if isinstance(value, str):
        return int(float(len(value.encode("utf-8", "surrogatepass"))) * TRAVERSAL)
    if isinstance(value, bytes):
        return int(float(len(value)) * TRAVERSAL)
    if isinstance(value, list | tuple):
        return sum([_traverse(element) for element in value])
    if isinstance(value, dict):
        return sum([_traverse(key) + _traverse(item) for key, item in value.items()])
    return 1


def _read(factor: float) -> Price:
    return lambda args, _: _up(float(_size(args[0])) * factor)


def _twice(args: Sequence[Value], _: Value) -> int:
    return _up(float(_size(args[0])) * 2 * TRAVERSAL)


def _join(_: Sequence[Value], result: Value) -> int:
    return _up(float(_size(result)) * 2 * TRAVERSAL)


def _find(args: Sequence[Value], _: Value) -> int:
    text = _up((1.0 + float(_size(args[0]))) * TRAVERSAL)
    return text * _up(float(_size(args[1])) * REGEX)


def _contains_network(*, text: bool, network: bool) -> Price:
    def price(args: Sequence[Value], _: Value) -> int:
        own, other = _size(args[0]), _size(args[1])
        cost = _up(float(own + own) * TRAVERSAL)
        if network:
            cost += _up(float(own) * TRAVERSAL) + 1
        if text:
            cost += _up(float(other) * TRAVERSAL)
        return cost

    return price


def _validate(args: Sequence[Value], _: Value) -> int:
    if type(args[0]) is not NamedFormat:
        return 1
    text = _up((1.0 + float(_size(args[1]))) * TRAVERSAL)
    return text * _up(float(args[0].regex_size) * REGEX)


def _equality(args: Sequence[Value], result: Value) -> int:
    left = args[0]
    if isinstance(left, Quantity | Semver | Url | NamedFormat) or hasattr(left, "cost_size"):
        return 1
    return _comparison(args, result)


_KUBERNETES_OVERLOADS: Mapping[str, Price] = {
    "cidr_ip": _one,
    "cidr_contains_ip_string": _contains_network(text=True, network=False),
    "cidr_contains_cidr_string": _contains_network(text=True, network=True),
    "dra_includes_dyn_dyn": _one,
}

_KUBERNETES: Mapping[str, Price] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traversal),
    "includes": _traversal,
    **dict.fromkeys(
        (
            "url", "lowerAscii", "upperAscii", "substring", "trim", "cidr", "isIP", "isCIDR",
            "ip", "quantity", "isQuantity", "semver", "isSemver",
        ),
        _read(TRAVERSAL),
    ),
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), _twice),
    "join": _join,
    **dict.fromkeys(("find", "findAll"), _find),
    "containsIP": _contains_network(text=False, network=False),
    "containsCIDR": _contains_network(text=False, network=True),
    "validate": _validate,
}  # fmt: skip

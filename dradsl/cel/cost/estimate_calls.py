"""What calls of functions cost at most: cel-go's own rules and those of Kubernetes.

Sources: apiserver `pkg/cel/library/cost.go` (asked first, by name of the function), cel-go
`ext/lists.go`, `ext/sets.go` (asked before that, by overload) and `checker/cost.go` (last).
"""

# Upstream: CostEstimator.EstimateCallCost (k8s.io/apiserver/pkg/cel/library/cost.go)
# Upstream: CostEstimator.EstimateSize (k8s.io/apiserver/pkg/cel/library/cost.go)
# Upstream: CostEstimator.listElementNode (k8s.io/apiserver/pkg/cel/library/cost.go)
# Upstream: CostEstimator.sizeEstimate, itemsNode.* (k8s.io/apiserver/pkg/cel/library/cost.go)
# Upstream: selectorCostEstimate (k8s.io/apiserver/pkg/cel/library/cost.go)

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from dradsl.cel.cost.ranges import MAX, Estimate, fixed, unknown
from dradsl.cel.cost.sizes import Argument, Path, Sizes
from dradsl.cel.syntax.ast import Call, Literal
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.types import Type

__all__ = ["REGEX", "TRAVERSAL", "CallCost", "call_cost"]

TRAVERSAL = 0.1
"""Cost of one code point of a string, or of a byte."""
REGEX = 0.25
"""Cost of one code point of a pattern, times the string's."""

_ONE = fixed(1)
_LIST = fixed(10)


@dataclass(frozen=True, slots=True)
class CallCost:
    """What a call costs beside its arguments, and how large its result is (None: not known).

    `whole` marks a cost that has the arguments in it already.
    """

    cost: Estimate
    size: Estimate | None = None
    whole: bool = False


Arguments = Sequence[Argument]
Rule = Callable[[Sizes, Argument | None, Arguments], CallCost | None]


def call_cost(
    sizes: Sizes,
    node: Call,
    function: str,
    overload: str,
    target: Argument | None,
    arguments: Arguments,
    costs: Sequence[Estimate],
) -> CallCost:
    """The cost of a call by one of its overloads."""
    rule = _BY_OVERLOAD.get(overload)
    if rule is not None and (cost := rule(sizes, target, arguments)) is not None:
        return cost
    special = _KUBERNETES_OVERLOADS.get(overload)
    if special is None:
        special = _KUBERNETES.get(function)
    if special is not None and (cost := special(sizes, target, arguments)) is not None:
        return cost
    if overload in _STANDARD:
        cost = _STANDARD[overload](sizes, target, arguments)
        if cost is not None:
            return cost
    if overload in ("logical_or", "logical_and"):
        return CallCost(Estimate(costs[0].min, costs[0].plus(costs[1]).max), whole=True)
    if overload == "conditional":
        return _conditional(sizes, node, arguments, costs)
    if overload in ("add_string", "add_bytes", "add_list"):
        return _concatenation(sizes, node, overload, arguments)
    return CallCost(_ONE)


# -- operators -----------------------------------------------------------------------------


def _conditional(
    sizes: Sizes, node: Call, arguments: Arguments, costs: Sequence[Estimate]
) -> CallCost:
    size = arguments[1].size.union(arguments[2].size)
    first = sizes.entries(node.args[1])
    sizes.set_entries(node, first.union(sizes.entries(node.args[2])) if first else None)
    return CallCost(costs[0].plus(costs[1].union(costs[2])), size, whole=True)


def _concatenation(sizes: Sizes, node: Call, overload: str, arguments: Arguments) -> CallCost:
    size = arguments[0].size.plus(arguments[1].size)
    first = sizes.entries(node.args[0])
    sizes.set_entries(node, first.union(sizes.entries(node.args[1])) if first else None)
    return CallCost(_ONE if overload == "add_list" else size.scaled(TRAVERSAL), size)


def _comparison(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost:
    most = min(arguments[0].size.max, arguments[1].size.max)
    return CallCost(Estimate(1 if most > 0 else 0, most).scaled(TRAVERSAL))


# -- strings of the standard library -------------------------------------------------------


def _target_scan(_: Sizes, target: Argument | None, __: Arguments) -> CallCost | None:
    return CallCost(target.size.scaled(TRAVERSAL)) if target else None


def _argument_scan(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost | None:
    return CallCost(arguments[0].size.scaled(TRAVERSAL)) if len(arguments) == 1 else None


def _wrap(number: int) -> int:
    return number & MAX


def _string_to_bytes(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost:
    size = arguments[0].size
    return CallCost(size.scaled(TRAVERSAL), Estimate(size.min, _wrap(size.max * 4)))


def _bytes_to_string(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost:
    size = arguments[0].size
    return CallCost(size.scaled(TRAVERSAL), Estimate(size.min // 4, size.max))


def _quote(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost:
    size = arguments[0].size
    result = Estimate(_wrap(size.min + 2), _wrap(size.max * 2 + 2))
    return CallCost(size.scaled(TRAVERSAL), result)


def _in_list(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost:
    return CallCost(arguments[1].size.scaled(1))


def _regex(text: Argument, pattern: Argument) -> CallCost:
    scan = text.size.plus(_ONE).scaled(TRAVERSAL)
    return CallCost(scan.times(pattern.size.scaled(REGEX)))


def _matches_member(_: Sizes, target: Argument | None, arguments: Arguments) -> CallCost | None:
    return _regex(target, arguments[0]) if target else None


def _matches_function(
    sizes: Sizes, target: Argument | None, arguments: Arguments
) -> CallCost | None:
    if not sizes.env.dialect.matches_function_cost or target or len(arguments) != 2:
        return None
    return _regex(arguments[0], arguments[1])


def _contains(_: Sizes, target: Argument | None, arguments: Arguments) -> CallCost | None:
    if target is None:
        return None
    part = arguments[0].size.scaled(TRAVERSAL)
    return CallCost(target.size.scaled(TRAVERSAL).times(part))


_STANDARD: Mapping[str, Rule] = {
    "string_format": _target_scan,
    "string_to_bytes": _string_to_bytes,
    "bytes_to_string": _bytes_to_string,
    "strings_quote": _quote,
    "starts_with_string": _argument_scan,
    "ends_with_string": _argument_scan,
    "in_list": _in_list,
    "matches": _matches_function,
    "matches_string": _matches_member,
    "contains_string": _contains,
    **{
        f"{order}_{kind}": _comparison
        for order in ("less", "less_equals", "greater", "greater_equals")
        for kind in ("string", "bytes")
    },
    "equals": _comparison,
    "not_equals": _comparison,
}


# -- lists and sets of cel-go --------------------------------------------------------------


def _number(node: Argument, otherwise: int) -> int:
    """The value of an int literal."""
    if isinstance(node.expr, Literal) and type(node.expr.value) is int:
        return max(node.expr.value, 0)
    return otherwise


def _list_call(factor: float, size: Estimate) -> CallCost:
    return CallCost(size.scaled(factor).plus(_ONE).plus(_LIST), size)


def _slice(_: Sizes, target: Argument | None, arguments: Arguments) -> CallCost | None:
    if target is None:
        return None
    start = _number(arguments[0], 0)
    end = _number(arguments[1], target.size.max)
    return _list_call(1, fixed(_wrap(end - start)))


def _range(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost:
    return _list_call(1, fixed(_number(arguments[0], MAX)))


def _reverse(_: Sizes, target: Argument | None, __: Arguments) -> CallCost | None:
    return _list_call(1, target.size) if target else None


def _flatten(_: Sizes, target: Argument | None, arguments: Arguments) -> CallCost | None:
    if target is None:
        return None
    levels = _number(arguments[0], MAX) if arguments else 1
    return _list_call(float(levels), target.size)


def _distinct(_: Sizes, target: Argument | None, __: Arguments) -> CallCost | None:
    return _list_call(2.0, target.size.times(target.size)) if target else None


def _sort(kind: str, *, by_keys: bool) -> Rule:
    factor = 2.0 + TRAVERSAL if kind in ("string", "bytes") else 2.0

    def rule(_: Sizes, target: Argument | None, arguments: Arguments) -> CallCost | None:
        keys = arguments[0] if by_keys else target
        return _list_call(factor, keys.size.times(keys.size)) if keys else None

    return rule


def _sets(factor: float) -> Rule:
    def rule(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost:
        pairs = arguments[0].size.times(arguments[1].size)
        return CallCost(pairs.scaled(factor).plus(_ONE))

    return rule


_KEY_TYPES = ("int", "uint", "double", "bool", "string", "bytes",
              "google.protobuf.Duration", "google.protobuf.Timestamp")  # fmt: skip

_BY_OVERLOAD: Mapping[str, Rule] = {
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_distinct": _distinct,
    **{f"list_{kind}_sort": _sort(kind, by_keys=False) for kind in _KEY_TYPES},
    **{f"list_{kind}_sortByAssociatedKeys": _sort(kind, by_keys=True) for kind in _KEY_TYPES},
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
}


# -- libraries of Kubernetes ---------------------------------------------------------------


def _constant(cost: int) -> Rule:
    return lambda _, __, ___: CallCost(fixed(cost))


def _scan(factor: float) -> Rule:
    """A function that reads its first argument once, or `factor / TRAVERSAL` times."""

    def rule(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost | None:
        return CallCost(arguments[0].size.scaled(factor)) if arguments else None

    return rule


def _url(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost | None:
    if len(arguments) != 1:
        return None
    size = arguments[0].size
    return CallCost(size.scaled(TRAVERSAL), size)


def _same_size(_: Sizes, target: Argument | None, __: Arguments) -> CallCost | None:
    return CallCost(target.size.scaled(TRAVERSAL), target.size) if target else None


def _elements(sizes: Sizes, target: Argument) -> tuple[Type, Estimate] | None:
    """Type and size of what a container holds: the first parameter of its type, as upstream."""
    if not target.type.params:
        return None
    steps = target.path.steps
    size = None
    if steps:
        size = sizes.declared_size(Path([*steps, "@items"], len(steps) + 1))
    return target.type.params[0], unknown() if size is None else size


def _list_scan(*, includes: bool = False) -> Rule:
    def rule(sizes: Sizes, target: Argument | None, _: Arguments) -> CallCost | None:
        if target is None:
            return None
        element = _ONE
        held = _elements(sizes, target)
        if held is not None:
            type_, size = held
            if type_.kind in ("string", "bytes"):
                element = element.plus(size.scaled(TRAVERSAL))
        elif not includes:  # a string, which indexOf and lastIndexOf take as well
            return CallCost(target.size.scaled(TRAVERSAL))
        return CallCost(target.size.times(element))

    return rule


def _replace(_: Sizes, target: Argument | None, arguments: Arguments) -> CallCost | None:
    if target is None or len(arguments) < 2:
        return None
    size, old, new = target.size, arguments[0].size, arguments[1].size
    most, kept_most = _replaced(size.max, old.min, fits=new.max <= old.min)
    least, kept_least = _replaced(size.min, old.max, fits=old.max <= new.min)
    count, kept = Estimate(least, most), Estimate(kept_least, kept_most)
    return CallCost(size.scaled(2 * TRAVERSAL), count.times(new).plus(kept))


def _replaced(size: int, old: int, *, fits: bool) -> tuple[int, int]:
    """How often something of size `old` is replaced, and what is kept of the text."""
    if old == 0:
        return min(size + 1, MAX), size
    if fits:
        return 0, size
    return min(math.ceil(float(size) / float(old)), MAX), 0


def _split(_: Sizes, target: Argument | None, arguments: Arguments) -> CallCost | None:
    if target is None:
        return None
    most = target.size.max
    if len(arguments) > 1 and isinstance(arguments[1].expr, Literal):
        limit = arguments[1].expr.value
        if type(limit) is int:
            most = _wrap(limit)
    return CallCost(target.size.scaled(2 * TRAVERSAL), Estimate(0, most))


def _join(sizes: Sizes, target: Argument | None, arguments: Arguments) -> CallCost | None:
    if target is None:
        return None
    count, size = target.size, fixed(0)
    held = _elements(sizes, target)
    if held is not None:
        size = count.times(held[1])
    if arguments:
        separators = Estimate(max(count.min - 1, 0), max(count.max - 1, 0))
        size = size.plus(arguments[0].size.times(separators))
    return CallCost(size.scaled(TRAVERSAL), size)


def _find(_: Sizes, target: Argument | None, arguments: Arguments) -> CallCost | None:
    if target is None or not arguments:
        return None
    return CallCost(_regex(target, arguments[0]).cost, Estimate(0, target.size.max))


_ADDRESS = Estimate(4, 16)


def _contains_network(*, text: bool, network: bool) -> Rule:
    def rule(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost | None:
        if not arguments:
            return None
        cost = _ADDRESS.plus(_ADDRESS).scaled(TRAVERSAL)
        if network:
            cost = cost.plus(_ADDRESS.scaled(TRAVERSAL)).plus(_ONE)
        if text:
            cost = cost.plus(arguments[0].size.scaled(TRAVERSAL))
        return CallCost(cost)

    return rule


_FORMAT_PATTERN = 128


def _validate(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost | None:
    if not arguments:
        return None
    return CallCost(arguments[0].size.scaled(TRAVERSAL).scaled(_FORMAT_PATTERN * REGEX))


_SELECTOR_REQUIREMENT = 50.0  # a list and a message


def _selector(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost | None:
    if len(arguments) != 1:
        return None
    size = arguments[0].size
    requirements = size.scaled(0.5).scaled(_SELECTOR_REQUIREMENT)
    return CallCost(_LIST.plus(size.scaled(TRAVERSAL)).plus(requirements))


def _equality(_: Sizes, __: Argument | None, arguments: Arguments) -> CallCost | None:
    left, right = arguments
    if left.type != right.type:
        return None
    name = left.type.name
    if name in _CHEAP_EQUALITY or name.startswith("kubernetes.authorization."):
        return CallCost(_ONE)
    if name == "kubernetes.NamedFormat":
        return CallCost(Estimate(1, 64).scaled(TRAVERSAL))
    if name == "kubernetes.URL":
        size = right.computed
        most = 1 if size is None else size.max
        return CallCost(Estimate(1, most).scaled(TRAVERSAL))
    return None


_CHEAP_EQUALITY = frozenset({"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"})

_KUBERNETES_OVERLOADS: Mapping[str, Rule] = {
    "cidr_ip": _constant(1),
    "cidr_contains_ip_string": _contains_network(text=True, network=False),
    "cidr_contains_cidr_string": _contains_network(text=True, network=True),
    "dra_includes_dyn_dyn": lambda _, target, __: (
        CallCost(Estimate(0, 48)) if target is not None else None
    ),
}

_ACCESSORS = (
    "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed",
    "reason", "error", "errored", "masked", "prefixLength", "family", "isUnspecified",
    "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast",
    "format.named", "sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan",
    "isLessThan", "compareTo", "add", "sub", "major", "minor", "patch", "getScheme",
    "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery",
)  # fmt: skip
_LIST_FUNCTIONS = ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf")
_READERS = ("cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver")

_KUBERNETES: Mapping[str, Rule] = {
    "check": _constant(350_000),
    **dict.fromkeys(_ACCESSORS, _constant(1)),
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    **dict.fromkeys(_LIST_FUNCTIONS, _list_scan()),
    "includes": _list_scan(includes=True),
    "url": _url,
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _same_size),
    "replace": _replace,
    "split": _split,
    "join": _join,
    **dict.fromkeys(("find", "findAll"), _find),
    **dict.fromkeys(_READERS, _scan(TRAVERSAL)),
    "ip.isCanonical": _scan(2 * TRAVERSAL),
    "containsIP": _contains_network(text=False, network=False),
    "containsCIDR": _contains_network(text=False, network=True),
    "validate": _validate,
    "_==_": _equality,
}

"""What an evaluation costs at the very most: one that cannot reach the limit need not count.

Upstream's estimate is no such bound: it takes the result of `flatten` for as long as its argument,
splits an empty text into nothing, and knows the patterns of formats only roughly. Here every value
has a width, the largest length of it and of anything in it, and every call a price that those of
`dradsl.cel.cost.actual_calls` never exceed. What is not listed has no bound, and is counted as it runs.
"""

from __future__ import annotations

from dradsl.cel.syntax.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    Select,
)
from dradsl.cel.syntax.deep import deep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dradsl.cel.checker.check import CheckedExpression

    Widths = Sequence[int]
    Scope = Mapping[str, int]

__all__ = ["cost_bound"]

Bound = tuple[int, int]
"""Cost and width."""


_VARIABLE = 128
"""Width of what the environment's variables hold: twice what the API lets a device have."""

_SCALAR = 64
"""Width of a number, a time or an address once it is text."""

_FORMAT = 400
"""More than a quarter of the longest pattern of a named format, which is that of `uri`."""

_MARGIN = 12
"""As much as any call, lookup or turn of a loop costs beside what its size tells."""

_MESSAGE = 40
"""As much as any literal of a container costs."""


class _UnboundedError(Exception):
    """No bound below the limit is known."""


def cost_bound(checked: CheckedExpression, limit: int) -> int | None:
    """A cost that no evaluation of the expression exceeds; None if none up to `limit` is known."""
    try:
        cost, _ = deep(_Walk(checked, limit).bound, checked.levels, checked.expr, {})
    except _UnboundedError:
        return None
    return cost


class _Walk:
    """One walk over an expression; `scope` has the widths of the names that macros made."""

    def __init__(self, checked: CheckedExpression, limit: int) -> None:
        self._references = checked.references
        self._limit = limit

    def bound(self, node: Expr, scope: Scope) -> Bound:
        if isinstance(node, Literal):
            return 0, len(node.value) if isinstance(node.value, str | bytes) else 1
        if isinstance(node, Comprehension):
            cost, width = self._loop(node, scope)
        elif isinstance(node, Call):
            cost, width = self._call(node, scope)
        elif isinstance(node, Ident):
            return self._name(node, scope)
        elif isinstance(node, Select) and node in self._references:
            return 1, 1  # the name of a type
        else:
            parts = [self.bound(child, scope) for child in node.below()]
            cost = sum([cost for cost, _ in parts]) + _MESSAGE
            width = max([len(parts), 1, *[width for _, width in parts]])
        if cost > self._limit:
            raise _UnboundedError
        return cost, width

    def _name(self, node: Ident, scope: Scope) -> Bound:
        if node.name.startswith("."):
            raise _UnboundedError  # which variable that is depends on the release
        return 1, scope.get(self._references[node].name, _VARIABLE)

    def _loop(self, node: Comprehension, scope: Scope) -> Bound:
        over, turns = self.bound(node.range, scope)
        first, start = self.bound(node.init, scope)
        inner = {**scope, node.accu: start}
        last, width = self.bound(node.result, inner)
        cost = over + first + last + _MARGIN
        if isinstance(node.range, ListExpr) and node.accu != "@result":
            return cost, width  # cel.bind
        inner |= dict.fromkeys((node.var, node.var2 or node.var), turns)
        asking, _ = self.bound(node.condition, inner)
        step, added = self.bound(node.step, inner)
        return cost + turns * (asking + step + _MARGIN), max(turns, 1) * added

    def _call(self, node: Call, scope: Scope) -> Bound:
        reference = self._references[node]
        rule = _RULES.get(reference.name)
        if rule is None:
            raise _UnboundedError
        arguments = node.args
        if node.target is not None and not reference.namespaced:
            arguments = (node.target, *node.args)
        parts = [self.bound(argument, scope) for argument in arguments]
        price, width = rule(arguments, [width for _, width in parts], scope)
        return sum([cost for cost, _ in parts]) + price + _MARGIN, width


# -- calls ---------------------------------------------------------------------------------


def _reading(_: Sequence[Expr], widths: Widths, __: Scope) -> Bound:
    """Reads its arguments a few times and gives something no larger."""
    most = max(widths, default=0)
    return most, max(most, _SCALAR) + 1


def _writing(_: Sequence[Expr], widths: Widths, __: Scope) -> Bound:
    """Gives another form of its argument: escapes, bytes, quotes."""
    most = max(widths)
    return most, 4 * most + _SCALAR


def _joining(_: Sequence[Expr], widths: Widths, __: Scope) -> Bound:
    return sum(widths), sum(widths)


def _searching(_: Sequence[Expr], widths: Widths, __: Scope) -> Bound:
    """Texts for parts or patterns: a tenth of the one times a quarter of the other."""
    return (widths[0] // 10 + 2) * (widths[1] // 4 + 1), widths[0] + 1


def _checking(_: Sequence[Expr], widths: Widths, __: Scope) -> Bound:
    return (widths[1] // 10 + 2) * _FORMAT, widths[1] + _SCALAR


def _pairing(_: Sequence[Expr], widths: Widths, __: Scope) -> Bound:
    return 2 * widths[0] * widths[1], 1


def _replacing(_: Sequence[Expr], widths: Widths, __: Scope) -> Bound:
    return widths[0], (widths[0] + 1) * (widths[2] + 1)


def _counting(arguments: Sequence[Expr], _: Widths, __: Scope) -> Bound:
    number = arguments[0]
    if not isinstance(number, Literal):
        raise _UnboundedError
    return max(number.value, 1), max(number.value, 1)


def _including(arguments: Sequence[Expr], widths: Widths, scope: Scope) -> Bound:
    """Reads all of a list: that of a device has no lists in it."""
    node = arguments[0]
    while isinstance(node, Select) or (isinstance(node, Call) and node.function == "_[_]"):
        node = node.operand if isinstance(node, Select) else node.args[0]
    if not isinstance(node, Ident) or node.name in scope:
        raise _UnboundedError
    return (widths[0] + 1) ** 2, 1


_READING = """
!_ -_ @in @not_strictly_false _!=_ _%_ _&&_ _*_ _-_ _/_ _<=_ _<_ _==_ _>=_ _>_ _?._ _?_:_ _[?_] _[_]
_||_ add asApproximateFloat asInteger bool charAt cidr compareTo containsCIDR containsIP double
duration dyn endsWith family first getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHost
getHostname getHours getMilliseconds getMinutes getMonth getPort getQuery getScheme getSeconds
hasValue int ip ip.isCanonical isCIDR isGlobalUnicast isGreaterThan isIP isInteger isLessThan
isLinkLocalMulticast isLinkLocalUnicast isLoopback isQuantity isSemver isURL isUnspecified last
lowerAscii major masked minor optional.none optional.of optional.ofNonZeroValue optional.unwrap or
orValue patch prefixLength quantity reverse semver sign size slice split startsWith sub substring
timestamp trim type uint unwrapOpt upperAscii url value format.byte format.date format.datetime
format.dns1035Label format.dns1035LabelPrefix format.dns1123Label format.dns1123LabelPrefix
format.dns1123Subdomain format.dns1123SubdomainPrefix format.labelValue format.named
format.qualifiedName format.uri format.uuid
"""

_RULES: Mapping[str, Callable[[Sequence[Expr], Widths, Scope], Bound]] = {
    **dict.fromkeys(_READING.split(), _reading),
    **dict.fromkeys(("bytes", "string", "strings.quote", "getEscapedPath"), _writing),
    **dict.fromkeys(("_+_", "cel.@mapInsert"), _joining),
    **dict.fromkeys(("contains", "find", "findAll", "matches"), _searching),
    **dict.fromkeys(("sets.contains", "sets.equivalent", "sets.intersects"), _pairing),
    "validate": _checking,
    "replace": _replacing,
    "lists.range": _counting,
    "includes": _including,
}

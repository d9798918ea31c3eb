"""The worst-case cost of an expression, by which the API server rejects those above its limit.

Follows cel-go `checker/cost.go` step by step, because each accident of it shows in the number;
what calls of functions cost is in `dradsl.cel.cost.estimate_calls`.
"""

from __future__ import annotations

from dradsl.cel.cost.estimate_calls import CallCost, call_cost
from dradsl.cel.cost.ranges import MAX, Estimate, fixed
from dradsl.cel.cost.sizes import Argument, Entries, Path, Sizes
from dradsl.cel.syntax.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    StructExpr,
)
from dradsl.cel.syntax.deep import deep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.cel.checker.check import CheckedExpression
    from dradsl.cel.checker.environment import Environment

__all__ = ["CostEstimator", "estimate", "estimate_parts"]

_NOTHING = fixed(0)
_ONE = fixed(1)
_LIST, _MAP, _MESSAGE = fixed(10), fixed(30), fixed(40)


def estimate(checked: CheckedExpression, env: Environment) -> Estimate:
    """The least and the most that evaluating a checked expression can cost."""
    coster = CostEstimator(checked, env)
    return deep(coster.cost, checked.levels, checked.expr)


def estimate_parts(checked: CheckedExpression, env: Environment) -> Mapping[Expr, Estimate]:
    """The estimate of every sub-expression, for explanations."""
    coster = CostEstimator(checked, env)
    deep(coster.cost, checked.levels, checked.expr)
    return coster.parts


class CostEstimator:
    """One walk over a checked expression."""

    def __init__(self, checked: CheckedExpression, env: Environment) -> None:
        self.types = checked.types
        self.references = checked.references
        self.sizes = Sizes(checked, env)
        self.parts: dict[Expr, Estimate] = {}

    def cost(self, node: Expr) -> Estimate:
        """The range of the cost of a node, in cel-go's cost units; kept in `parts`."""
        result = _METHODS[type(node)](self, node)
        self.parts[node] = result
        return result

    # -- nodes ---------------------------------------------------------------------------

    def literal(self, _: Literal) -> Estimate:
        return _NOTHING

    def ident(self, node: Ident) -> Estimate:
        name = self.references[node].name
        variable = self.sizes.variable(name)
        self.sizes.set_path(node, variable.path if variable else Path([name], 1))
        return _ONE

    def select(self, node: Select) -> Estimate:
        if node in self.references:  # the name of a type
            self.sizes.set_path(node, Path([self.references[node].name], 1))
            return _ONE
        if node.test_only:
            return self.cost(node.operand)
        cost = self.cost(node.operand)
        if self.types[node.operand].kind in ("map", "struct", "param"):
            cost = cost.plus(_ONE)
        self.sizes.set_path(node, self.sizes.path(node.operand).then(node.field))
        return cost

    def call(self, node: Call) -> Estimate:
        if node.function == "dyn" and node.target is None:
            return self._dyn(node)
        costs, arguments = [], []
        for arg in node.args:
            costs.append(self.cost(arg))
            arguments.append(self.sizes.argument(arg))
        reference = self.references.get(node)
        if reference is None or not reference.overloads:
            return _NOTHING
        total = _NOTHING
        target: Argument | None = None
        if node.target is not None and not reference.namespaced:
            total = self.cost(node.target)
            target = self.sizes.argument(node.target)
        cost, size = Estimate(MAX, 0), None
        for overload in reference.overloads:
            one = self._overload(node, reference.name, overload, target, arguments, costs)
            cost = cost.union(one.cost)
            if one.size is not None:
                size = one.size if size is None else size.union(one.size)
            if overload == "index_list" or overload == "index_map":
                entries = self.sizes.entries(node.args[0])
                size = entries.value if entries else None
                step = "@items" if overload == "index_list" else "@values"
                self.sizes.set_path(node, self.sizes.path(node.args[0]).then(step))
            if size is None:
                size = self.sizes.size(node)
        self.sizes.set_size(node, size)
        return total.plus(cost)

    def _overload(
        self,
        node: Call,
        function: str,
        overload: str,
        target: Argument | None,
        arguments: list[Argument],
        costs: list[Estimate],
    ) -> CallCost:
        own = call_cost(self.sizes, node, function, overload, target, arguments, costs)
        if own.whole:
            return own
        cost = own.cost
        for part in costs:
            cost = cost.plus(part)
        return CallCost(cost, own.size)

    def _dyn(self, node: Call) -> Estimate:
        argument = node.args[0]
        cost = _ONE.plus(self.cost(argument))
        self.sizes.copy(node, argument)
        return cost

    def list_literal(self, node: ListExpr) -> Estimate:
        cost = _LIST
        sizes = Estimate(MAX if node.elements else 0, 0)
        for element in node.elements:
            cost = cost.plus(self.cost(element))
            sizes = sizes.union(self.sizes.size_or_unknown(element))
        self.sizes.set_entries(node, Entries("list", _ONE, sizes))
        return cost

    def map_literal(self, node: MapExpr) -> Estimate:
        cost = _MAP
        start = Estimate(MAX if node.entries else 0, 0)
        keys, values = start, start
        for entry in node.entries:
            cost = cost.plus(self.cost(entry.key)).plus(self.cost(entry.value))
            keys = keys.union(self.sizes.size_or_unknown(entry.key))
            values = values.union(self.sizes.size_or_unknown(entry.value))
        self.sizes.set_entries(node, Entries("map", keys, values))
        return cost

    def struct_literal(self, node: StructExpr) -> Estimate:
        cost = _MESSAGE
        for init in node.fields:
            cost = cost.plus(self.cost(init.value))
        return cost

    # -- macros --------------------------------------------------------------------------

    def comprehension(self, node: Comprehension) -> Estimate:
        total = self.cost(node.range).plus(self.cost(node.init))
        self.sizes.push(
            node.accu,
            self.sizes.path(node.init),
            self.sizes.size(node.init),
            self.sizes.entries(node.init),
        )
        if _is_binding(node):
            total = total.plus(self.cost(node.result))
            self.sizes.pop(node.accu)
            self.sizes.copy(node, node.result)
            return total
        self._push_iteration(node)
        condition, step = self.cost(node.condition), self.cost(node.step)
        self.sizes.pop(node.var)
        if node.var2 is not None:
            self.sizes.pop(node.var2)
        total = total.plus(self.cost(node.result))
        self.sizes.pop(node.accu)
        count = self.sizes.size_or_unknown(node.range)
        if isinstance(node.init, Literal):
            self.sizes.set_size(node, self.sizes.size(node.init))
        elif isinstance(node.init, ListExpr | MapExpr):
            self.sizes.set_size(node, count)
            self.sizes.set_entries(node, self.sizes.entries(node.step))
        return total.plus(count.times(step.plus(condition)))

    def _push_iteration(self, node: Comprehension) -> None:
        entries = self.sizes.entries(node.range)
        kind = entries.kind if entries else self.types[node.range].kind
        keys = entries.key if entries else None
        values = entries.value if entries else None
        is_list = kind == "list"
        path = self.sizes.path(node.range)
        if node.var2 is not None:
            self.sizes.push(node.var, path.then("@indices" if is_list else "@keys"), keys, None)
            self.sizes.push(node.var2, path.then("@items" if is_list else "@values"), values, None)
        elif is_list:
            self.sizes.push(node.var, path.then("@items"), values, None)
        else:
            self.sizes.push(node.var, path.then("@keys"), keys, None)


def _is_binding(node: Comprehension) -> bool:
    """`cel.bind` and its kin: a fold over nothing."""
    return (
        isinstance(node.range, ListExpr)
        and not node.range.elements
        and isinstance(node.condition, Literal)
        and node.condition.value is False
        and node.accu != "__result__"
    )


_METHODS: Mapping[type, Callable[..., Estimate]] = {
    Literal: CostEstimator.literal,
    Ident: CostEstimator.ident,
    Select: CostEstimator.select,
    Call: CostEstimator.call,
    ListExpr: CostEstimator.list_literal,
    MapExpr: CostEstimator.map_literal,
    StructExpr: CostEstimator.struct_literal,
    Comprehension: CostEstimator.comprehension,
}

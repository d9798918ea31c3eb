"""The worst-case cost of an expression, by which the API server refuses those above its limit.

Follows cel-go `checker/cost.go` step by step, because each accident of it shows in the number;
what calls of functions cost is in `dradsl.cel.cost.estimate_calls`.
"""

from __future__ import annotations

from dradsl.cel.cost.ranges import MAX, Estimate, fixed, unknown
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
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dradsl.cel.checker.check import Checked
    from dradsl.cel.checker.environment import Environment, Sized
    from dradsl.cel.types import Type

__all__ = ["Argument", "CallCost", "Coster", "estimate", "estimate_parts"]

_NOTHING = fixed(0)
_ONE = fixed(1)
_LIST, _MAP, _MESSAGE = fixed(10), fixed(30), fixed(40)
_SCALARS = frozenset({"bool", "double", "duration", "int", "timestamp", "uint"})


class Path:
    """The way from a variable to a value: `device`, `attributes`, `@values`, ...

    Appending works as on a Go slice: two paths grown from the same one may share their store,
    and then the later overwrites the last step of the earlier. Upstream's numbers have it so.
    """

    __slots__ = ("_length", "_store")

    def __init__(self, store: list[str], length: int) -> None:
        self._store = store
        self._length = length

    @property
    def steps(self) -> list[str]:
        return self._store[: self._length]

    def then(self, step: str) -> Path:
        store = self._store
        if self._length == len(store):
            store = store + [""] * max(self._length, 1)
        store[self._length] = step
        return Path(store, self._length + 1)


def _no_path() -> Path:
    return Path([], 0)


@dataclass(frozen=True, slots=True)
class Entries:
    """Sizes of what a container holds."""

    kind: str
    key: Estimate
    value: Estimate

    def union(self, other: Entries | None) -> Entries | None:
        if other is None:
            return None
        return Entries(self.kind, self.key.union(other.key), self.value.union(other.value))


@dataclass(frozen=True, slots=True)
class _Variable:
    path: Path
    size: Estimate | None
    entries: Entries | None


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a call, or its target: what a cost function may ask about."""

    expr: Expr | None
    type: Type
    path: Path
    computed: Estimate | None

    @property
    def size(self) -> Estimate:
        return unknown() if self.computed is None else self.computed


@dataclass(frozen=True, slots=True)
class CallCost:
    """What a call costs beside its arguments, and how large its result is (None: not known).

    `whole` marks a cost that has the arguments in it already.
    """

    cost: Estimate
    size: Estimate | None = None
    whole: bool = False


def estimate(checked: Checked, env: Environment) -> Estimate:
    """The least and the most that evaluating a checked expression can cost."""
    coster = Coster(checked, env)
    return deep(coster.cost, checked.levels, checked.expr)


def estimate_parts(checked: Checked, env: Environment) -> Mapping[Expr, Estimate]:
    """The estimate of every sub-expression, for explanations."""
    coster = Coster(checked, env)
    deep(coster.cost, checked.levels, checked.expr)
    return coster.parts


class Coster:
    """One walk over a checked expression."""

    def __init__(self, checked: Checked, env: Environment) -> None:
        from dradsl.cel.cost.estimate_calls import call_cost

        self.types = checked.types
        self.references = checked.references
        self.env = env
        self.parts: dict[Expr, Estimate] = {}
        self._call_cost = call_cost
        self._paths: dict[Expr, Path] = {}
        self._sizes: dict[Expr, Estimate] = {}
        self._entries: dict[Expr, Entries] = {}
        self._variables: dict[str, list[_Variable]] = {}

    def cost(self, node: Expr) -> Estimate:
        result = _METHODS[type(node)](self, node)
        self.parts[node] = result
        return result

    # -- nodes ---------------------------------------------------------------------------

    def literal(self, _: Literal) -> Estimate:
        return _NOTHING

    def ident(self, node: Ident) -> Estimate:
        name = self.references[node].name
        variable = self._variable(name)
        self._paths[node] = variable.path if variable else Path([name], 1)
        return _ONE

    def select(self, node: Select) -> Estimate:
        if node in self.references:  # the name of a type
            self._paths[node] = Path([self.references[node].name], 1)
            return _ONE
        if node.test_only:
            return self.cost(node.operand)
        cost = self.cost(node.operand)
        if self.types[node.operand].kind in ("map", "struct", "param"):
            cost = cost.plus(_ONE)
        self._paths[node] = self.path(node.operand).then(node.field)
        return cost

    def call(self, node: Call) -> Estimate:
        if node.function == "dyn" and node.target is None:
            return self._dyn(node)
        costs, arguments = [], []
        for arg in node.args:
            costs.append(self.cost(arg))
            arguments.append(self.argument(arg))
        reference = self.references.get(node)
        if reference is None or not reference.overloads:
            return _NOTHING
        total = _NOTHING
        target: Argument | None = None
        if node.target is not None and not reference.namespaced:
            total = self.cost(node.target)
            target = self.argument(node.target)
        cost, size = Estimate(MAX, 0), None
        for overload in reference.overloads:
            one = self._overload(node, reference.name, overload, target, arguments, costs)
            cost = cost.union(one.cost)
            if one.size is not None:
                size = one.size if size is None else size.union(one.size)
            if overload == "index_list" or overload == "index_map":
                entries = self.entries(node.args[0])
                size = entries.value if entries else None
                step = "@items" if overload == "index_list" else "@values"
                self._paths[node] = self.path(node.args[0]).then(step)
            if size is None:
                size = self.size(node)
        self._set_size(node, size)
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
        own = self._call_cost(self, node, function, overload, target, arguments, costs)
        if own.whole:
            return own
        cost = own.cost
        for part in costs:
            cost = cost.plus(part)
        return CallCost(cost, own.size)

    def _dyn(self, node: Call) -> Estimate:
        argument = node.args[0]
        cost = _ONE.plus(self.cost(argument))
        self._copy_sizes(node, argument)
        return cost

    def list_literal(self, node: ListExpr) -> Estimate:
        cost = _LIST
        sizes = Estimate(MAX if node.elements else 0, 0)
        for element in node.elements:
            cost = cost.plus(self.cost(element))
            sizes = sizes.union(self.size_or_unknown(element))
        self._entries[node] = Entries("list", _ONE, sizes)
        return cost

    def map_literal(self, node: MapExpr) -> Estimate:
        cost = _MAP
        start = Estimate(MAX if node.entries else 0, 0)
        keys, values = start, start
        for entry in node.entries:
            cost = cost.plus(self.cost(entry.key)).plus(self.cost(entry.value))
            keys = keys.union(self.size_or_unknown(entry.key))
            values = values.union(self.size_or_unknown(entry.value))
        self._entries[node] = Entries("map", keys, values)
        return cost

    def struct_literal(self, node: StructExpr) -> Estimate:
        cost = _MESSAGE
        for init in node.fields:
            cost = cost.plus(self.cost(init.value))
        return cost

    # -- macros --------------------------------------------------------------------------

    def comprehension(self, node: Comprehension) -> Estimate:
        total = self.cost(node.range).plus(self.cost(node.init))
        self._push(node.accu, self.path(node.init), self.size(node.init), self.entries(node.init))
        if _is_binding(node):
            total = total.plus(self.cost(node.result))
            self._pop(node.accu)
            self._copy_sizes(node, node.result)
            return total
        self._push_iteration(node)
        condition, step = self.cost(node.condition), self.cost(node.step)
        self._pop(node.var)
        if node.var2 is not None:
            self._pop(node.var2)
        total = total.plus(self.cost(node.result))
        self._pop(node.accu)
        count = self.size_or_unknown(node.range)
        if isinstance(node.init, Literal):
            self._set_size(node, self.size(node.init))
        elif isinstance(node.init, ListExpr | MapExpr):
            self._set_size(node, count)
            entries = self.entries(node.step)
            if entries is not None:
                self._entries[node] = entries
        return total.plus(count.times(step.plus(condition)))

    def _push_iteration(self, node: Comprehension) -> None:
        entries = self.entries(node.range)
        kind = entries.kind if entries else self.types[node.range].kind
        keys = entries.key if entries else None
        values = entries.value if entries else None
        is_list = kind == "list"
        path = self.path(node.range)
        if node.var2 is not None:
            self._push(node.var, path.then("@indices" if is_list else "@keys"), keys, None)
            self._push(node.var2, path.then("@items" if is_list else "@values"), values, None)
        elif is_list:
            self._push(node.var, path.then("@items"), values, None)
        else:
            self._push(node.var, path.then("@keys"), keys, None)

    def _push(self, name: str, path: Path, size: Estimate | None, entries: Entries | None) -> None:
        self._variables.setdefault(name, []).append(_Variable(path, size, entries))

    def _pop(self, name: str) -> None:
        self._variables[name].pop()

    def _variable(self, name: str) -> _Variable | None:
        stack = self._variables.get(name)
        return stack[-1] if stack else None

    # -- sizes ---------------------------------------------------------------------------

    def argument(self, node: Expr) -> Argument:
        path = self.path(node)
        steps = path.steps
        if steps and steps[0] in ("@result", "__result__"):
            path = _no_path()
        return Argument(node, self.types[node], path, self.size(node))

    def path(self, node: Expr) -> Path:
        if isinstance(node, Ident):
            variable = self._variable(self.references[node].name)
            if variable is not None:
                return variable.path
        return self._paths.get(node) or _no_path()

    def size_or_unknown(self, node: Expr) -> Estimate:
        return self.size(node) or unknown()

    def size(self, node: Expr) -> Estimate | None:
        """How large the value of a node can be; None if nothing is known."""
        found = self._sizes.get(node) or _written_size(node)
        if found is not None:
            return found
        found = self.declared_size(self.path(node))
        if found is not None:
            self._sizes[node] = found
            return found
        if _is_scalar(self.types[node]):
            return _ONE
        if isinstance(node, Ident):
            variable = self._variable(self.references[node].name)
            if variable is not None:
                return variable.size
        return None

    def declared_size(self, path: Path) -> Estimate | None:
        """What the environment says about the size of what is reached by `path`."""
        steps = path.steps
        node: Sized | None = self.env.sizes.get(steps[0]) if steps else None
        for step in steps[1:]:
            if node is None:
                return None
            if step == "@items" or step == "@values":
                node = node.items
            elif step == "@keys":
                node = node.keys
            else:
                node = node.fields.get(step, node.any_field)
        return None if node is None else Estimate(0, node.limit)

    def entries(self, node: Expr) -> Entries | None:
        found = self._entries.get(node)
        if found is None and isinstance(node, Ident):
            variable = self._variable(self.references[node].name)
            return variable.entries if variable else None
        return found

    def set_entries(self, node: Expr, entries: Entries | None) -> None:
        if entries is not None:
            self._entries[node] = entries

    def _set_size(self, node: Expr, size: Estimate | None) -> None:
        if size is not None:
            self._sizes[node] = size

    def _copy_sizes(self, node: Expr, source: Expr) -> None:
        self._set_size(node, self.size(source))
        self.set_entries(node, self.entries(source))


def _is_binding(node: Comprehension) -> bool:
    """`cel.bind` and its kin: a fold over nothing."""
    return (
        isinstance(node.range, ListExpr)
        and not node.range.elements
        and isinstance(node.condition, Literal)
        and node.condition.value is False
        and node.accu != "__result__"
    )


def _written_size(node: Expr) -> Estimate | None:
    if isinstance(node, Literal):
        if isinstance(node.value, str | bytes):
            return fixed(len(node.value))
        return _ONE
    if isinstance(node, ListExpr):
        return fixed(len(node.elements))
    return fixed(len(node.entries)) if isinstance(node, MapExpr) else None


def _is_scalar(type_: Type) -> bool:
    while type_.is_optional:
        type_ = type_.params[0]
    return type_.kind in _SCALARS


_METHODS: Mapping[type, Callable[..., Estimate]] = {
    Literal: Coster.literal,
    Ident: Coster.ident,
    Select: Coster.select,
    Call: Coster.call,
    ListExpr: Coster.list_literal,
    MapExpr: Coster.map_literal,
    StructExpr: Coster.struct_literal,
    Comprehension: Coster.comprehension,
}

"""Evaluation that counts its cost and stops at the limit.

The same closures with tolls, taken where upstream's cost tracker observes a step (cel-go
`interpreter/runtimecost.go`): names and lookups, calls, containers, the steps of loops. Programs
run so only where cost is asked for or the estimate exceeds the limit.
"""

from __future__ import annotations

from dradsl.cel.cost.actual_calls import FAILED, actual_call_cost
from dradsl.cel.evaluation import lookups, operators
from dradsl.cel.evaluation.code import Code, Constant, Frame
from dradsl.cel.evaluation.compiler import Compiler
from dradsl.cel.evaluation.folds import Folds
from dradsl.cel.runtime import operations as runtime
from dradsl.cel.runtime.values import NONE, CelPanicError, CelRuntimeError, Optional, Value
from dradsl.cel.syntax.ast import Call, Expr, Ident, ListExpr, MapExpr, Select, StructExpr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import ClassVar

    from dradsl.cel.checker.check import CheckedExpression
    from dradsl.cel.checker.environment import Environment

__all__ = ["Meter", "MeteredCompiler"]


# Functions of one body for all overloads, which takes failed arguments: both are evaluated always.
_ONE_BODY = frozenset({"matches", "sort", "@sortByAssociatedKeys"})
# Functions of two arguments whose body takes any number of them, so that a failing one ends the call.
_ANY_NUMBER = frozenset({"format"})


class Meter:
    """The cost of one evaluation, and the limit that ends it."""

    __slots__ = ("cost", "limit")

    def __init__(self, limit: int | None) -> None:
        self.cost = 0
        self.limit = limit

    def add(self, cost: int) -> None:
        """Count `cost`, in cel-go's cost units.

        Raises:
            CelPanicError: above the limit.
        """
        self.cost += cost
        if self.limit is not None and self.cost > self.limit:
            raise CelPanicError("operation cancelled: actual cost limit exceeded")


class MeteredCompiler(Compiler):
    """Compiles to closures that count into the meter in slot `meter` of the frame."""

    folds_freely: ClassVar[bool] = False

    def __init__(
        self,
        checked: CheckedExpression,
        env: Environment,
        bodies: Mapping[str, Callable[..., Value]],
    ) -> None:
        super().__init__(checked, env, bodies)
        self.meter = self.variables.declare("#meter")

    def make_folds(self) -> Folds:
        return Folds(self.compile, self.variables, self.charge)

    def charge(self, frame: Frame, cost: int) -> None:
        frame[self.meter].add(cost)

    def after(self, code: Code, cost: int) -> Code:
        """The code, and its cost once it has run or failed."""
        slot = self.meter

        def run(frame: Frame) -> Value:
            try:
                value = code(frame)
            except CelRuntimeError:
                frame[slot].add(cost)
                raise
            frame[slot].add(cost)
            return value

        return run

    # -- names and lookups ---------------------------------------------------------------

    def ident(self, node: Ident | Select) -> Code:
        code = self._path(node)
        return code if isinstance(code, Constant) else self.after(code, 1)

    def select(self, node: Select) -> Code:
        return self._rooted(node)

    def index(self, node: Call) -> Code:
        return self._rooted(node)

    def optional_index(self, node: Call) -> Code:
        return self._rooted(node)

    def _rooted(self, node: Expr) -> Code:
        """A lookup as an expression of its own: its steps, and 1 for where it starts."""
        code = self._path(node)
        if isinstance(code, Constant):
            return code
        return self.after(code, self._root_cost(node))

    def _root_cost(self, node: Expr) -> int:
        if isinstance(node, Select) and node.test_only:
            return 0
        while node not in self.checked.references or not isinstance(node, Ident | Select):
            if isinstance(node, Select):
                node = node.operand
            elif isinstance(node, Call) and node.function in ("_[_]", "_[?_]", "_?._"):
                node = node.args[0]
            elif isinstance(node, Call) and node.function == "_?_:_":
                return 0
            else:
                break
        return 1

    def _path(self, node: Expr) -> Code:
        """The value of what upstream resolves as an attribute, without the cost of its start."""
        if isinstance(node, Ident) or (
            isinstance(node, Select) and node in self.checked.references
        ):
            return super().ident(node)
        if isinstance(node, Select):
            operand = self._operand(node.operand)
            key = Constant(node.field)
            return self._has(operand, node) if node.test_only else self._step(node, operand, key)
        if isinstance(node, Call) and node.function in ("_[_]", "_[?_]", "_?._"):
            return self._step(node, self._operand(node.args[0]), self._key(node.args[1]))
        if isinstance(node, Call) and node.function == "_?_:_":
            return self.conditional(node)
        return self.compile(node)

    def _operand(self, node: Expr) -> Code:
        return self._path(node) if lookups.is_path(node) else self.compile(node)

    def _key(self, node: Expr) -> Code:
        code = self._operand(node)
        lookups.check_key(code)
        return code

    def _has(self, operand: Code, node: Select) -> Code:
        reached = self._counted(operand)
        return lookups.has(reached, node.field, node.span)

    def _counted(self, operand: Code) -> Code:
        """The operand, and 1 for the lookup in it if it does not fail."""
        slot = self.meter

        def run(frame: Frame) -> Value:
            value = operand(frame)
            frame[slot].add(1)
            return value

        return run

    def _step(self, node: Expr, operand: Code, key: Code) -> Code:
        """One lookup; an optional one costs only if it finds something."""
        optional = isinstance(node, Call) and node.function != "_[_]"
        slot, span = self.meter, node.span

        def run(frame: Frame) -> Value:
            container = operand(frame)
            if type(container) is Optional and not container.present:
                return NONE  # upstream does not ask for the key
            try:
                wanted = key(frame)
            except CelRuntimeError:
                if not optional:
                    frame[slot].add(1)
                raise
            try:
                if not optional and type(container) is not Optional:
                    frame[slot].add(1)
                    return runtime.index(container, wanted)
                found, value = runtime.optional_step(container, wanted)
            except CelRuntimeError as error:
                raise error.at(span) from None
            if not found:
                return NONE
            frame[slot].add(1)
            return Optional(True, value)

        return run

    def conditional(self, node: Call) -> Code:
        test = self.compile(node.args[0])
        then, other = [self._operand(arg) for arg in node.args[1:]]
        if self.checked.types[node].is_optional:
            then, other = [
                code if lookups.is_path(arg) else self.rewrapped(code)
                for code, arg in zip((then, other), node.args[1:], strict=True)
            ]
        return lookups.choose(test, then, other, node.args[0].span)

    # -- calls ---------------------------------------------------------------------------

    def apply(self, node: Call, body: Callable[..., Value], codes: Sequence[Code]) -> Code:
        reference = self.checked.references[node]
        single = len(reference.overloads) == 1
        own_body = reference.name in operators.BODIES or reference.name in _ONE_BODY
        overload = reference.overloads[0] if single else ""
        price = actual_call_cost(reference.name, overload, self.env.dialect)
        # Calls that stop at a failing argument are counted only if it was the last.
        stops = (
            len(codes) > 2
            or (not single and not own_body)
            or reference.name in _ANY_NUMBER
            or self.has_fixed_pattern(node)
        )
        last = len(codes) - 1
        slot, span = self.meter, node.span
        sorts, flattens = self.sorts(node), self.flattens(node)

        def run(frame: Frame) -> Value:
            args: list[Value] = []
            failure: CelRuntimeError | None = None
            for position, code in enumerate(codes):
                try:
                    args.append(code(frame))
                except CelRuntimeError as error:
                    if stops and position < last:
                        raise
                    failure = failure or error
                    args.append(FAILED)
            if sorts:
                operators.require_list(failure or args[-1])
            if flattens:
                operators.require_levels(failure if args[-1] is FAILED else args[-1])
            if failure is not None:
                frame[slot].add(price(args, FAILED))
                raise failure
            try:
                result = body(*args)
            except CelRuntimeError as error:
                frame[slot].add(price(args, FAILED))
                raise error.at(span) from None
            frame[slot].add(price(args, result))
            return result

        return run

    def equality(self, node: Call) -> Code:
        codes = [self.compile(arg) for arg in node.args]
        return self.apply(node, runtime.equal, codes)

    def ordering(self, node: Call) -> Code:
        codes = [self.compile(arg) for arg in node.args]
        return self.apply(node, operators.BODIES[node.function], codes)

    SPECIAL: ClassVar[Mapping[str, Callable[..., Code]]] = {
        **Compiler.SPECIAL,
        "_?_:_": conditional,
        "_==_": equality,
        "_<_": ordering,
        "_<=_": ordering,
        "_>_": ordering,
        "_>=_": ordering,
        "_[_]": index,
        "_[?_]": optional_index,
        "_?._": optional_index,
    }

    # -- containers ----------------------------------------------------------------------

    def list_literal(self, node: ListExpr) -> Code:
        return self._container(super().list_literal(node), 10)

    def map_literal(self, node: MapExpr) -> Code:
        return self._container(super().map_literal(node), 30)

    def struct_literal(self, node: StructExpr) -> Code:
        return self._container(super().struct_literal(node), 40)

    def _container(self, code: Code, cost: int) -> Code:
        return code if isinstance(code, Constant) else self.after(code, cost)

"""Turns a checked expression into nested Python closures.

An error carries the span of the node that raised it. What a node becomes is decided here; the
closures themselves are in `lookups`, `operators`, `containers` and `folds`.
"""

from __future__ import annotations

from dradsl.cel.checker.instantiation import CONVERSIONS, InstantiationError
from dradsl.cel.evaluation import containers, lookups, operators
from dradsl.cel.evaluation.code import Code, Constant, apply, constants
from dradsl.cel.evaluation.dispatch import resolve
from dradsl.cel.evaluation.folds import Folds
from dradsl.cel.evaluation.variables import Variables
from dradsl.cel.runtime import operations as runtime
from dradsl.cel.runtime.values import CelPanicError, CelRuntimeError, Optional, TypeValue, Value
from dradsl.cel.syntax.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    Span,
    StructExpr,
    chain_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import ClassVar

    from dradsl.cel.checker.check import CheckedExpression
    from dradsl.cel.checker.environment import Environment

__all__ = ["Compiler"]

# Type names that upstream can give as values; others pass the checker, and fail then.
_VALUES_OF_TYPES = frozenset(
    {
        "bool", "bytes", "double", "google.protobuf.Duration", "google.protobuf.Empty",
        "google.protobuf.Timestamp", "int", "list", "map", "net.CIDR", "net.IP", "null_type",
        "optional_type", "string", "type", "uint",
    }
)  # fmt: skip


class Compiler:
    """Compiles the nodes of one checked expression."""

    def __init__(
        self,
        checked: CheckedExpression,
        env: Environment,
        bodies: Mapping[str, Callable[..., Value]],
    ) -> None:
        self.checked = checked
        self.env = env
        self.bodies = bodies
        self.variables = Variables(env.variables)
        self.folds = self.make_folds()

    def make_folds(self) -> Folds:
        return Folds(self.compile, self.variables)

    def compile(self, node: Expr) -> Code:
        return _METHODS[type(node)](self, node)

    # -- leaves and lookups --------------------------------------------------------------

    def literal(self, node: Literal) -> Code:
        return Constant(node.value)

    def ident(self, node: Ident | Select) -> Code:
        """A variable, the name of a type, or a constant.

        Upstream takes every name for a type's own name if what it stands for is one.
        """
        reference = self.checked.references[node]
        slot = self.variables.slot_of(reference.name)
        if slot is None or self.checked.types[node].kind == "type":
            return self._type_or_constant(node)
        code = self.folds.read_lazy(slot) if slot in self.variables.lazy else lookups.read(slot)
        return self.rewrapped(code) if self.checked.types[node].is_optional else code

    def rewrapped(self, code: Code) -> Code:
        """The code of an optional that is looked up, as older versions look it up."""
        return code if self.env.dialect.keeps_optionals else lookups.through_go(code)

    def _type_or_constant(self, node: Expr) -> Code:
        reference = self.checked.references[node]
        if self.checked.types[node].kind != "type":
            return Constant(reference.constant)
        if reference.name not in _VALUES_OF_TYPES:
            raise InstantiationError(f"reference to undefined type: {reference.name}")
        return Constant(TypeValue(reference.name))

    def select(self, node: Select) -> Code:
        if node in self.checked.references:
            return self.ident(node)
        if node.test_only:
            return lookups.has(self.compile(node.operand), node.field, node.span)
        return self._constant_key(node, node.operand, node.field)

    def index(self, node: Call) -> Code:
        operand, key = node.args
        if isinstance(key, Literal) and isinstance(key.value, str):
            return self._constant_key(node, operand, key.value)
        return lookups.computed(runtime.index, self.compile(operand), self.compile(key), node.span)

    def optional_index(self, node: Call) -> Code:
        operand, key = [self.compile(arg) for arg in node.args]
        return lookups.computed(lookups.optional_index, operand, key, node.span)

    def _constant_key(self, node: Expr, operand: Expr, key: str) -> Code:
        chain = self._chain(node)
        if chain is not None:
            return lookups.lookup(*chain)
        return lookups.step(self.compile(operand), key, node.span)

    def _chain(self, node: Expr) -> tuple[int, list[str], list[Span]] | None:
        """`variable.a["b"].c` as slot, keys and spans, if it is nothing but that."""
        keys: list[str] = []
        spans: list[Span] = []
        while node not in self.checked.references or not isinstance(node, Ident | Select):
            found = lookups.link(node)
            if found is None:
                return None
            spans.append(node.span)
            node, key = found
            keys.append(key)
        slot = self.variables.slot_of(self.checked.references[node].name)
        if slot is None or slot in self.variables.lazy or self.checked.types[node].is_optional:
            return None
        return slot, keys[::-1], spans[::-1]

    # -- calls ---------------------------------------------------------------------------

    def call(self, node: Call) -> Code:
        special = self.SPECIAL.get(self.checked.references[node].name)
        if special is not None:
            return special(self, node)
        codes = [self.compile(arg) for arg in self.arguments(node)]
        body = self.body(node)
        return self._fold(node, body, codes) or self.apply(node, body, codes)

    def arguments(self, node: Call) -> list[Expr]:
        """The arguments of a call, its target first if it has one."""
        if node.target is None or self.checked.references[node].namespaced:
            return list(node.args)
        return [node.target, *node.args]

    def apply(self, node: Call, body: Callable[..., Value], codes: Sequence[Code]) -> Code:
        """The call of a function that has no rule of its own."""
        if self.sorts(node):
            return operators.sorting(body, codes, node.span)
        if self.flattens(node):
            return operators.flattening(body, codes, node.span)
        return apply(body, codes, node.span)

    def sorts(self, node: Call) -> bool:
        """Whether it is a call of a function whose cost upstream counts by its list."""
        reference = self.checked.references[node]
        if len(reference.overloads) != 1:
            return False
        overload = reference.overloads[0]
        return overload == "list_distinct" or overload.endswith(("_sort", "_sortByAssociatedKeys"))

    def flattens(self, node: Call) -> bool:
        """Whether it is a call of a function whose cost upstream counts by a number it is given."""
        return self.checked.references[node].overloads == ("list_flatten_int",)

    def body(self, node: Call) -> Callable[..., Value]:
        """The Python function behind a call."""
        reference = self.checked.references[node]
        if reference.name in operators.BODIES:
            return operators.BODIES[reference.name]
        function = self.env.functions.find(reference.name)
        if function is None:
            raise AssertionError(f"the checker let {reference.name} pass")
        return resolve(function, reference.overloads, self.bodies)

    def _fold(self, node: Call, body: Callable[..., Value], codes: Sequence[Code]) -> Code | None:
        """The value of a call whose arguments are constants.

        Upstream folds conversions of one constant and fails where they fail; what is folded
        beyond that is left to fail at run time.
        """
        found = constants(codes)
        if found is None:
            return None
        conversion = self.checked.references[node].name in CONVERSIONS and len(found) == 1
        upstream = conversion and not found[0].folded
        if not upstream and not self.folds_freely:
            return None
        try:
            return Constant(body(*[code.value for code in found]), folded=not upstream)
        except CelRuntimeError as error:
            if upstream:
                raise InstantiationError(error.message) from None
            return None
        except CelPanicError:
            return None

    folds_freely: ClassVar[bool] = True
    """Whether calls are computed beforehand that upstream computes at each evaluation."""

    # -- operators with rules of their own -----------------------------------------------

    def logic(self, node: Call) -> Code:
        terms = chain_of(node)
        codes = [self.compile(term) for term in terms]
        return operators.logic(codes, [term.span for term in terms], node.function == "_||_")

    def conditional(self, node: Call) -> Code:
        test, then, other = [self.compile(arg) for arg in node.args]
        if self.checked.types[node].is_optional:
            then, other = [
                code if lookups.is_path(arg) else self.rewrapped(code)
                for code, arg in zip((then, other), node.args[1:], strict=True)
            ]
        return lookups.choose(test, then, other, node.args[0].span)

    def equality(self, node: Call) -> Code:
        left, right = [self.compile(arg) for arg in node.args]
        return operators.equals(left, right, node.span)

    def ordering(self, node: Call) -> Code:
        left, right = [self.compile(arg) for arg in node.args]
        if isinstance(right, Constant) and type(right.value) is int:
            return operators.compare_constant(node.function, left, right.value, node.span)
        return apply(operators.BODIES[node.function], (left, right), node.span)

    def membership(self, node: Call) -> Code:
        codes = [self.compile(arg) for arg in node.args]
        quick = self.constant_membership(node, codes)
        return quick or self.apply(node, operators.BODIES["@in"], codes)

    def constant_membership(self, node: Call, codes: Sequence[Code]) -> Code | None:
        """`x in [1, 2]` as upstream speeds it up."""
        element, container = codes
        if self.checked.references[node].overloads != ("in_list",):
            return None
        if not isinstance(container, Constant) or container.folded:
            return None
        if not container.value:
            return Constant(False)
        if all(type(item) in lookups.PRIMITIVES for item in container.value):
            return operators.member_of_constants(element, container.value)
        return None

    def or_value(self, node: Call) -> Code:
        target, other = [self.compile(arg) for arg in self.arguments(node)]
        strict = self.env.dialect.strict_or_value
        unwraps = node.function == "orValue"
        return lookups.or_value(target, other, node.span, unwraps=unwraps, strict=strict)

    def matches(self, node: Call) -> Code:
        codes = [self.compile(arg) for arg in self.arguments(node)]
        return self.apply(node, operators.pattern_test(codes[1]), codes)

    def find(self, node: Call) -> Code:
        """`find` and `findAll`: a constant pattern is tried at once."""
        codes = [self.compile(arg) for arg in self.arguments(node)]
        operators.pattern_test(codes[1])
        body = self.body(node)
        if self.has_fixed_pattern(node):
            body = operators.unnamed(body)
        return self.apply(node, body, codes)

    def has_fixed_pattern(self, node: Call) -> bool:
        """Whether it is a call of a pattern that upstream compiles beforehand."""
        if self.checked.references[node].name not in ("matches", "find", "findAll"):
            return False
        pattern = self.compile(self.arguments(node)[1])
        return isinstance(pattern, Constant) and not pattern.folded

    SPECIAL: ClassVar[Mapping[str, Callable[..., Code]]] = {
        "_&&_": logic,
        "_||_": logic,
        "_?_:_": conditional,
        "_==_": equality,
        "@in": membership,
        "_<_": ordering,
        "_<=_": ordering,
        "_>_": ordering,
        "_>=_": ordering,
        "_[_]": index,
        "_[?_]": optional_index,
        "_?._": optional_index,
        "or": or_value,
        "orValue": or_value,
        "matches": matches,
        "find": find,
        "findAll": find,
    }

    # -- containers and macros -----------------------------------------------------------

    def list_literal(self, node: ListExpr) -> Code:
        codes = [self.compile(element) for element in node.elements]
        return containers.list_of(codes, node.optional, node.span)

    def map_literal(self, node: MapExpr) -> Code:
        entries = [
            (self.compile(e.key), self.compile(e.value), e.optional, self._wrapped(e.key))
            for e in node.entries
        ]
        return containers.map_of(entries, node.span)

    def _wrapped(self, node: Expr) -> type[Value]:
        """What upstream wraps anew each time that it reads this, if the value is of this type."""
        while isinstance(node, Call) and self.checked.references[node].name == "dyn":
            node = node.args[0]
        chain = self._chain(node)
        if chain is not None and chain[0] < len(self.env.variables):
            return runtime.NativeMap
        return Optional if isinstance(node, Ident) else type(None)

    def struct_literal(self, node: StructExpr) -> Code:
        fields = [(f.name, self.compile(f.value), f.optional) for f in node.fields]
        return containers.message_of(self.checked.references[node].name, fields, node.span)

    def comprehension(self, node: Comprehension) -> Code:
        return self.folds.compile(node)


_METHODS: Mapping[type, Callable[..., Code]] = {
    Literal: lambda compiler, node: compiler.literal(node),
    Ident: lambda compiler, node: compiler.ident(node),
    Select: lambda compiler, node: compiler.select(node),
    Call: lambda compiler, node: compiler.call(node),
    ListExpr: lambda compiler, node: compiler.list_literal(node),
    MapExpr: lambda compiler, node: compiler.map_literal(node),
    StructExpr: lambda compiler, node: compiler.struct_literal(node),
    Comprehension: lambda compiler, node: compiler.comprehension(node),
}

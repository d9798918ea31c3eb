"""Runs an expression on a shape of device: values are what the schema says, not what a device has.

The meaning of CEL is that of `dradsl.cel` (errors absorbed by `&&` and `||`, equality across types,
lookups of missing domains); what is not modelled is unknown, which never leads to a finding.
"""

from __future__ import annotations

from dradsl.cel.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    Select,
)
from dradsl.drivers.abstract import (
    UNKNOWN,
    AbstractValue,
    Const,
    Device,
    DomainMap,
    Lazy,
    ListValue,
    Names,
    Opt,
    Ordering,
    Unknown,
    constant_method,
    constant_ordering,
    equal_constants,
    fits,
    inner_span,
    is_number,
    parsed,
)
from dradsl.drivers.observe import Failure, Observations, Sym
from dradsl.drivers.schema import Attribute, AttributeType, Capacity
from dradsl.drivers.shapes import KindOfName, Name, Shape, Standing
from dradsl.drivers.texts import STEPS, TESTS, apply_steps
from dradsl.drivers.worlds import Knowledge, World
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.drivers.observe import ValueType

__all__ = ["DRIVER", "Fuel", "OutOfFuelError", "Run"]

DRIVER: Name = ("attributes", "", "device.driver")

_LOOP_LIMIT = 64
_ORDERINGS = {
    "_<_": (-1,),
    "_<=_": (-1, 0),
    "_>_": (1,),
    "_>=_": (0, 1),
}
_MEMBER_ORDERINGS = {"isLessThan": (-1,), "isGreaterThan": (1,)}
_NUMBER_STEPS = ("major", "minor", "patch")


class OutOfFuelError(Exception):
    """The expression needs more steps than are worth it."""


class Fuel:
    """How many nodes may still be evaluated, over all runs together."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


class Run:
    """One evaluation: a shape, a world, and a notebook (None while a class's selectors run)."""

    def __init__(self, shape: Shape, world: World, fuel: Fuel) -> None:
        self.shape = shape
        self.world = world
        self.fuel = fuel
        self.notes: Observations | None = None
        self.scope: Mapping[str, AbstractValue] = {"device": Device()}

    def outcome(self, expression: Expr) -> bool | None:
        """Whether the expression holds; None if its result is not known to be a bool.

        Raises:
            Failure: if it fails at run time.
        """
        return self.truth(self.value(expression), expression)

    # Values ---------------------------------------------------------------------------------

    def value(self, node: Expr) -> AbstractValue:
        """The value of a node.

        Raises:
            Failure: if it fails at run time.
            OutOfFuelError: if too much was evaluated already.
        """
        self.fuel.left -= 1
        if self.fuel.left < 0:
            raise OutOfFuelError
        match node:
            case Literal():
                return Const(node.value)
            case Ident():
                return self._ident(node)
            case Select():
                return self._select(node)
            case Call():
                return self._call(node)
            case ListExpr() if not node.optional:
                return ListValue(tuple(map(self.value, node.elements)), node.elements)
            case Comprehension():
                return self._comprehension(node)
        return UNKNOWN

    def truth(self, value: AbstractValue, node: Expr) -> bool | None:
        """The value as a condition; None if nothing is known, which counts as either."""
        match value:
            case Const(value=bool() as known):
                return known
            case Const():
                raise Failure(node)
            case Sym(type="bool"):
                return self._equals(value, True)
            case Sym(type="unknown") | Unknown():
                return self.world.settle(("truth", id(node)))
            case Sym():
                raise Failure(node)
        return self.world.settle(("truth", id(node)))

    def _ident(self, node: Ident) -> AbstractValue:
        value = self.scope.get(node.name, UNKNOWN)
        if isinstance(value, Lazy):
            return self._within(value.scope, value.node)
        return value

    def _within(self, scope: Mapping[str, AbstractValue], node: Expr) -> AbstractValue:
        outer, self.scope = self.scope, scope
        try:
            return self.value(node)
        finally:
            self.scope = outer

    # Reading the device -----------------------------------------------------------------------

    def _select(self, node: Select) -> AbstractValue:
        operand = self.value(node.operand)
        match operand:
            case Device():
                return self._device_field(node)
            case Names(kind):
                if node.test_only:
                    return Const(True)  # a missing domain reads as an empty map
                return DomainMap(kind, node.field, node.field_span)
            case DomainMap():
                if node.test_only:
                    return Const(self._has(node, operand, node.field, node.field_span))
                return self._read(node, operand, node.field, node.field_span)
            case Sym() if operand.type != "unknown":
                if self.notes is not None:
                    self.notes.fields[id(node)] = (node, operand)
                raise Failure(node)
            case Opt():
                return UNKNOWN
        return UNKNOWN

    def _device_field(self, node: Select) -> AbstractValue:
        if node.field == "attributes":
            return Names("attributes")
        if node.field == "capacity":
            return Names("capacity")
        if node.field == "driver":
            if self.shape.driver is not None:
                return Const(self.shape.driver.name)
            return Sym(DRIVER, "string", node)
        return UNKNOWN

    def _has(self, node: Expr, domain: DomainMap, key: str, span: tuple[int, int]) -> bool:
        """Whether the device has the name; asked for by a guard."""
        return self._is_there(node, (domain.kind, domain.domain, key), (span, domain.span), True)

    def _read(
        self, node: Expr, domain: DomainMap, key: str, span: tuple[int, int]
    ) -> AbstractValue:
        name: Name = (domain.kind, domain.domain, key)
        if not self._is_there(node, name, (span, domain.span), False):
            raise Failure(node, name, driver_known=self._driver_known())
        return self._sym(name, node)

    def _is_there(
        self, node: Expr, name: Name, spans: tuple[tuple[int, int], tuple[int, int]], guarded: bool
    ) -> bool:
        standing = self.shape.standing(name)
        if self.notes is not None:
            self.notes.access(node, name, spans, self.shape, standing, guarded=guarded)
        if standing is Standing.ALWAYS:
            return True
        if standing is Standing.NEVER:
            return False
        if standing is Standing.UNKNOWN and not guarded and not self.world.is_settled(name):
            return True  # nothing is known: assume that the author knows
        return self.world.settle(name)

    def _sym(self, name: Name, node: Expr) -> Sym:
        if name[0] == "capacity":
            return Sym(name, "quantity", node)
        entry = self.shape.entry(name)
        if not isinstance(entry, Attribute):
            return Sym(name, "unknown", node)
        kind: ValueType = "list" if entry.type.is_list else _scalar(entry.type)
        return Sym(name, kind, node)

    def _driver_known(self) -> bool:
        """Whether the expression has settled which driver the device is of."""
        if self.shape.driver is not None:
            return True
        return self.world.known((DRIVER, ()), Knowledge()).possible is not None

    # Calls ------------------------------------------------------------------------------------

    def _call(self, node: Call) -> AbstractValue:
        name = node.function
        if name in ("_&&_", "_||_"):
            return self._logical(node, name == "_&&_")
        if name == "!_":
            truth = self.truth(self.value(node.args[0]), node.args[0])
            return UNKNOWN if truth is None else Const(not truth)
        if name == "_?_:_":
            test, then, other = node.args
            return self.value(then if self.truth(self.value(test), test) else other)
        if name == "@not_strictly_false":
            return self._not_strictly_false(node)
        if name in ("_[_]", "_[?_]", "_?._"):
            return self._index(node)
        if name in ("_==_", "_!=_"):
            return self._equality(node)
        if name in _ORDERINGS:
            return self._ordering(node)
        if name == "@in":
            return self._membership(node)
        if node.target is not None:
            return self._member(node, self.value(node.target))
        return self._function(node)

    def _logical(self, node: Call, conjunction: bool) -> AbstractValue:
        """`&&` and `||`: the deciding operand wins over a failure of the other."""
        failure: Failure | None = None
        verdict = conjunction
        for part in node.args:
            try:
                truth = self.truth(self.value(part), part)
            except Failure as caught:
                failure = failure or caught
                continue
            if truth is not conjunction:
                verdict, failure = not conjunction, None
                break
        if failure is not None:
            raise failure
        if self.notes is not None:
            self.notes.clauses.setdefault(id(node), (node, set()))[1].add(verdict)
        return Const(verdict)

    def _not_strictly_false(self, node: Call) -> AbstractValue:
        try:
            value = self.value(node.args[0])
        except Failure:
            return Const(True)
        return Const(not (isinstance(value, Const) and value.value is False))

    def _index(self, node: Call) -> AbstractValue:
        operand, index = self.value(node.args[0]), self.value(node.args[1])
        optional = node.function != "_[_]"
        if isinstance(operand, Opt):
            if operand.value is None:
                return operand
            operand = operand.value
        key = index.value if isinstance(index, Const) else None
        span = inner_span(node.args[1])
        if isinstance(operand, Names) and isinstance(key, str):
            domain = DomainMap(operand.kind, key, span)
            return Opt(domain) if optional else domain
        if isinstance(operand, DomainMap) and isinstance(key, str):
            if not optional:
                return self._read(node, operand, key, span)
            if not self._has(node, operand, key, span):
                return Opt(None)
            return Opt(self._sym((operand.kind, operand.domain, key), node))
        return UNKNOWN

    # Comparisons ------------------------------------------------------------------------------

    def _equality(self, node: Call) -> AbstractValue:
        left, right = (self.value(each) for each in node.args)
        same = self._same(node, left, right, node.args[0], node.args[1], node.function)
        if same is None:
            return Const(self.world.settle(("equal", id(node))))
        return Const(same if node.function == "_==_" else not same)

    def _same(
        self,
        node: Expr,
        left: AbstractValue,
        right: AbstractValue,
        left_node: Expr,
        right_node: Expr,
        operator: str,
    ) -> bool | None:
        """Whether two values are equal; None if that cannot be told."""
        if isinstance(left, Const) and isinstance(right, Const):
            same = equal_constants(left.value, right.value)
            if same and self.notes is not None:
                self.notes.met.update({(id(node), id(left_node)), (id(node), id(right_node))})
            return same
        if isinstance(right, Sym | Ordering) and isinstance(left, Const):
            return self._same_as(node, right, left.value, left_node, operator, mirrored=True)
        if isinstance(left, Sym | Ordering) and isinstance(right, Const):
            return self._same_as(node, left, right.value, right_node, operator)
        if isinstance(left, Sym) and left == right:
            return True
        return None

    def _same_as(
        self,
        node: Expr,
        value: Sym | Ordering,
        constant: Any,
        literal: Expr,
        operator: str,
        *,
        mirrored: bool = False,
    ) -> bool | None:
        if isinstance(value, Ordering):
            return self._order(value) == constant if is_number(constant) else False
        if value.type == "unknown":
            return None
        if value.name == DRIVER or not fits(value.type, constant):
            if value.name == DRIVER and isinstance(constant, str):
                return self._equals(value, constant)
            self._misused(node, value, operator, literal, constant)
            if value.type in ("version", "quantity") and not mirrored and operator == "_==_":
                raise Failure(node)
            return False
        self._compared(node, literal, constant, operator, value)
        return self._equals(value, constant)

    def _equals(self, sym: Sym, constant: Any) -> bool:
        base = (sym.name, ())
        values = self.world.known(base, self._initial(sym)).possible
        if values is not None:
            return self.world.partition(
                base, values, lambda each: bool(apply_steps(sym.steps, each) == constant)
            )
        key = (sym.name, sym.steps)
        return self.world.equals(key, Knowledge() if sym.steps else self._initial(sym), constant)

    def _initial(self, sym: Sym) -> Knowledge:
        """What the schema alone says of a value, before steps."""
        if sym.name == DRIVER:
            return Knowledge(excluded=tuple(sorted(self.shape.own_domains)))
        entry = self.shape.entry(sym.name)
        if isinstance(entry, Attribute) and not entry.type.is_list:
            if entry.values is not None:
                return Knowledge(
                    possible=tuple(_as_value(entry.type, each) for each in entry.values)
                )
            if entry.type is AttributeType.BOOL:
                return Knowledge(possible=(True, False))
        if isinstance(entry, Capacity) and entry.values is not None:
            return Knowledge(possible=tuple(Quantity.parse(each) for each in entry.values))
        return Knowledge()

    def _ordering(self, node: Call) -> AbstractValue:
        left, right = (self.value(each) for each in node.args)
        wanted = _ORDERINGS[node.function]
        if isinstance(left, Const) and isinstance(right, Sym | Ordering):
            left, right = right, left
            wanted = tuple(-each for each in wanted)
            literal = node.args[0]
        else:
            literal = node.args[1]
        if isinstance(left, Const) and isinstance(right, Const):
            return constant_ordering(left.value, right.value, wanted)
        if not isinstance(right, Const) or not isinstance(left, Sym | Ordering):
            return Const(self.world.settle(("order", id(node))))
        constant = right.value
        if isinstance(left, Ordering):
            if not is_number(constant):
                raise Failure(node)
            position = self._order(left)
            return Const(((position > constant) - (position < constant)) in wanted)
        if left.type == "unknown" or left.name == DRIVER:
            return Const(self.world.settle(("order", id(node))))
        if left.type in ("version", "quantity"):  # they have methods, no operators
            self._misused(node, left, node.function, literal, constant)
            if not fits(left.type, constant):
                raise Failure(node)
            return Const(self._position(left, constant) in wanted)
        if not fits(left.type, constant):
            self._misused(node, left, node.function, literal, constant)
            raise Failure(node)
        self._compared(node, literal, constant, node.function, left)
        return Const(self._position(left, constant) in wanted)

    def _order(self, ordering: Ordering) -> int:
        return self._position(ordering.sym, ordering.constant)

    def _position(self, sym: Sym, constant: Any) -> int:
        """How the value stands to a constant of its type."""
        base = (sym.name, ())
        known = self.world.known(base, self._initial(sym))
        if sym.steps and known.possible is not None:
            if self.world.partition(
                base, known.possible, lambda each: bool(apply_steps(sym.steps, each) < constant)
            ):
                return -1
            return 0 if self._equals(sym, constant) else 1
        key = (sym.name, sym.steps)
        return self.world.order(key, Knowledge() if sym.steps else self._initial(sym), constant)

    def _membership(self, node: Call) -> AbstractValue:
        element, container = (self.value(each) for each in node.args)
        span = inner_span(node.args[0])
        if isinstance(container, DomainMap) and isinstance(element, Const):
            if not isinstance(element.value, str):
                return Const(False)
            return Const(self._has(node, container, element.value, span))
        if isinstance(container, Names) and isinstance(element, Const):
            return Const(self._has_domain(container.kind, str(element.value)))
        if not isinstance(container, ListValue):
            return Const(self.world.settle(("in", id(node))))
        unsure = False
        for each, literal in zip(container.elements, container.nodes, strict=True):
            same = self._same(node, element, each, node.args[0], literal, "@in")
            if same:
                return Const(True)
            unsure = unsure or same is None
        return Const(self.world.settle(("in", id(node))) if unsure else False)

    def _has_domain(self, kind: KindOfName, domain: str) -> bool:
        standing = self.shape.has_domain(kind, domain)
        if standing in (Standing.ALWAYS, Standing.NEVER):
            return standing is Standing.ALWAYS
        return self.world.settle(("domain", kind, domain))

    # Methods and functions --------------------------------------------------------------------

    def _member(self, node: Call, target: AbstractValue) -> AbstractValue:
        if isinstance(target, Opt):
            return self._optional(node, target)
        if node.function == "orValue" and isinstance(target, Sym):
            return target
        args = [self.value(each) for each in node.args]
        argument = args[0] if len(args) == 1 else None
        if isinstance(target, Const):
            return constant_method(node.function, target.value, args)
        if not isinstance(target, Sym) or target.type == "unknown":
            return UNKNOWN
        if target.type in ("version", "quantity"):
            return self._ordered_method(node, target, argument)
        if target.type == "string":
            return self._text_method(node, target, argument)
        if node.function == "includes" and isinstance(argument, Const) and target.type != "list":
            same = self._same_as(node, target, argument.value, node.args[0], "_==_")
            return UNKNOWN if same is None else Const(same)
        return UNKNOWN

    def _optional(self, node: Call, target: Opt) -> AbstractValue:
        inner = target.value
        if node.function == "hasValue":
            return Const(inner is not None)
        if node.function == "value":
            if inner is None:
                raise Failure(node)
            return inner
        if node.function == "orValue" and node.args:
            return inner if inner is not None else self.value(node.args[0])
        if node.function == "or" and node.args:
            return target if inner is not None else self.value(node.args[0])
        return UNKNOWN

    def _ordered_method(
        self, node: Call, target: Sym, argument: AbstractValue | None
    ) -> AbstractValue:
        """Methods of versions and quantities."""
        name = node.function
        if target.type == "version" and name in _NUMBER_STEPS and not node.args:
            return Sym(target.name, "int", target.node, (*target.steps, name))
        if name == "compareTo" or name in _MEMBER_ORDERINGS:
            if not isinstance(argument, Const):
                return UNKNOWN
            literal = node.args[0]
            if not fits(target.type, argument.value):
                self._misused(node, target, name, literal, argument.value)
                raise Failure(node)
            self._compared(node, literal, argument.value, name, target)
            if name == "compareTo":
                return Ordering(target, argument.value, node, literal)
            return Const(self._position(target, argument.value) in _MEMBER_ORDERINGS[name])
        if target.type == "version" and (name in TESTS or name in STEPS):
            literal_or_none = node.args[0] if node.args else None
            constant = argument.value if isinstance(argument, Const) else None
            self._misused(node, target, name, literal_or_none, constant)
            raise Failure(node)
        return UNKNOWN

    def _text_method(
        self, node: Call, target: Sym, argument: AbstractValue | None
    ) -> AbstractValue:
        name = node.function
        if name in STEPS and not node.args:
            kind: ValueType = "int" if name == "size" else "string"
            return Sym(target.name, kind, target.node, (*target.steps, name))
        if name in TESTS and isinstance(argument, Const) and isinstance(argument.value, str):
            text = argument.value
            self._compared(node, node.args[0], text, name, target)
            base = (target.name, ())
            values = self.world.known(base, self._initial(target)).possible
            test = TESTS[name](text)
            if values is None or test is None:
                return Const(self.world.settle((target.name, target.steps, name, text)))
            return Const(
                self.world.partition(
                    base, values, lambda each: test(str(apply_steps(target.steps, each)))
                )
            )
        if name in _MEMBER_ORDERINGS or name == "compareTo":
            constant = argument.value if isinstance(argument, Const) else None
            self._misused(node, target, name, node.args[0] if node.args else None, constant)
            raise Failure(node)
        return UNKNOWN

    def _function(self, node: Call) -> AbstractValue:
        args = [self.value(each) for each in node.args]
        first = args[0] if args else UNKNOWN
        match node.function:
            case "quantity" | "semver" if isinstance(first, Const):
                return parsed(
                    node.function, [each.value for each in args if isinstance(each, Const)]
                )
            case "dyn":
                return first
            case "size" if isinstance(first, Sym) and first.type == "string":
                return Sym(first.name, "int", first.node, (*first.steps, "size"))
            case "size" if isinstance(first, ListValue):
                return Const(len(first.elements))
            case "-_" if isinstance(first, Const) and isinstance(first.value, int | float):
                return Const(-first.value)
            case "optional.of":
                return Opt(first)
            case "optional.none":
                return Opt(None)
        return UNKNOWN

    # Folds ------------------------------------------------------------------------------------

    def _comprehension(self, node: Comprehension) -> AbstractValue:
        if isinstance(node.condition, Literal) and node.condition.value is False:
            bound = {**self.scope, node.accu: Lazy(node.init, self.scope)}
            return self._within(bound, node.result)  # cel.bind
        over = self.value(node.range)
        if not isinstance(over, ListValue) or node.var2 is not None:
            return UNKNOWN
        if len(over.elements) > _LOOP_LIMIT:
            return UNKNOWN
        scope = {**self.scope, node.accu: self.value(node.init)}
        for element in over.elements:
            scope = {**scope, node.var: element}
            if self.truth(self._within(scope, node.condition), node.condition) is False:
                break
            scope[node.accu] = self._step(scope, node)
        return self._within(scope, node.result)

    def _step(self, scope: Mapping[str, AbstractValue], node: Comprehension) -> AbstractValue:
        """One round of a fold. A failure stays in the accumulator, where `&&` and `||` absorb it."""
        try:
            return self._within(scope, node.step)
        except Failure:
            return Lazy(node.step, dict(scope))

    # Notes ------------------------------------------------------------------------------------

    def _compared(self, node: Expr, literal: Expr, constant: Any, operator: str, sym: Sym) -> None:
        if self.notes is not None:
            self.notes.compared(node, literal, constant, operator, sym, self.shape)

    def _misused(
        self, node: Expr, sym: Sym, operator: str, other: Expr | None, constant: Any
    ) -> None:
        if self.notes is not None:
            self.notes.misused(node, sym, operator, other, constant, self.shape)


def _scalar(kind: AttributeType) -> ValueType:
    return kind.value  # type: ignore[return-value] # its names are those of the kinds


def _as_value(kind: AttributeType, value: Any) -> Any:
    return Semver.parse(value, normalize=True) if kind is AttributeType.VERSION else value

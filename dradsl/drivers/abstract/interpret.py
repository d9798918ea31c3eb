"""Runs an expression on a shape of device: values are what the schema says, not what a device has.

The meaning of CEL is that of `dradsl.cel` (errors absorbed by `&&` and `||`, equality across types,
lookups of missing domains); what is not modelled is unknown, which never leads to a finding.
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
from dradsl.drivers.abstract.assumed import NOTHING
from dradsl.drivers.abstract.constants import Failed
from dradsl.drivers.abstract.described_device import DRIVER, ORDERINGS, DescribedDevice
from dradsl.drivers.abstract.observations import DeviceValue, Failure
from dradsl.drivers.abstract.values import (
    UNKNOWN,
    AbstractDevice,
    AbstractValue,
    BoundExpression,
    DeviceNames,
    DomainMap,
    KnownValue,
    ListValue,
    OptionalValue,
    constant_method,
    inner_span,
    parsed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.drivers.abstract.assumed import Assumed
    from dradsl.drivers.abstract.constants import Constants
    from dradsl.drivers.abstract.worlds import World
    from dradsl.drivers.schema.shapes import Name, Shape

__all__ = ["AbstractRun", "Fuel", "OutOfFuelError"]

_LOOP_LIMIT = 64
_BOOLS = (KnownValue(False), KnownValue(True))
_ATTRIBUTES, _CAPACITY = DeviceNames("attributes"), DeviceNames("capacity")
_NO_CONTAINERS = frozenset({"string", "int", "bool", "version"})
_DIVISIONS = {"_/_": "division by zero", "_%_": "modulus by zero"}


class OutOfFuelError(Exception):
    """The expression needs more steps than are worth it."""


class Fuel:
    """How many nodes may still be evaluated, over all runs together."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left


class AbstractRun:
    """One evaluation on a described device.

    `assumed` says what is taken for granted beside the expression.
    """

    __slots__ = ("assumed", "constants", "device", "fuel", "scope")

    def __init__(
        self,
        shape: Shape,
        world: World,
        fuel: Fuel,
        constants: Constants,
        assumed: Assumed = NOTHING,
    ) -> None:
        self.device = DescribedDevice(shape, world, assumed.values)
        self.fuel = fuel
        self.constants = constants
        self.assumed = assumed
        self.scope: Mapping[str, AbstractValue] = {"device": AbstractDevice()}

    def outcome(self, expression: Expr) -> bool | None:
        """Whether the expression holds; None if its result is not known to be a bool.

        Raises:
            Failure: if it fails at run time.
        """
        return self.device.truth(self.value(expression), expression)

    # Values --------------------------------------------------------------------------------

    def value(self, node: Expr) -> AbstractValue:
        """The value of a node.

        Raises:
            Failure: if it fails at run time.
            OutOfFuelError: if too much was evaluated already.
        """
        self.fuel.left -= 1
        if self.fuel.left < 0:
            raise OutOfFuelError
        if node in self.assumed.right:
            return UNKNOWN
        match node:  # the most frequent come first
            case Call():
                return self._call(node)
            case Literal():
                return KnownValue(self.assumed.texts.get(node, node.value))
            case Select():
                return self._select(node)
            case Ident():
                return self._ident(node)
            case ListExpr() if not node.optional:
                return ListValue(tuple(map(self.value, node.elements)), node.elements)
            case Comprehension():
                return self._comprehension(node)
        return UNKNOWN

    def _ident(self, node: Ident) -> AbstractValue:
        value = self.scope.get(node.name, UNKNOWN)
        if isinstance(value, BoundExpression):
            return self._within(value.scope, value.node)
        return value

    def _within(self, scope: Mapping[str, AbstractValue], node: Expr) -> AbstractValue:
        outer, self.scope = self.scope, scope
        try:
            return self.value(node)
        finally:
            self.scope = outer

    # Reading the device --------------------------------------------------------------------

    def _select(self, node: Select) -> AbstractValue:
        operand = self.value(node.operand)
        match operand:
            case AbstractDevice():
                return self._device_field(node)
            case DeviceNames(kind):
                if node.test_only:
                    return KnownValue(True)  # a missing domain reads as an empty map
                return DomainMap(kind, node.field, node.field_span)
            case DomainMap():
                if node.test_only:
                    return KnownValue(self._has(node, operand, node.field, node.field_span))
                return self._read(node, operand, node.field, node.field_span)
            case DeviceValue():  # also of a name that is not known: no value of an attribute has fields
                if self.device.notes is not None:
                    self.device.notes.fields[node] = operand
                raise Failure(node)
            case OptionalValue():
                return UNKNOWN
        return UNKNOWN

    def _device_field(self, node: Select) -> AbstractValue:
        if node.field == "attributes":
            return _ATTRIBUTES
        if node.field == "capacity":
            return _CAPACITY
        if node.field == "driver":
            if self.device.shape.driver is not None:
                return KnownValue(self.device.shape.driver.name)
            return DeviceValue(DRIVER, "string", node)
        return UNKNOWN

    def _has(self, node: Expr, domain: DomainMap, key: str, span: tuple[int, int]) -> bool:
        """Whether the device has the name; asked for by a guard."""
        return self.device.is_there(
            node, (domain.kind, domain.domain, key), (span, domain.span), True
        )

    def _read(
        self, node: Expr, domain: DomainMap, key: str, span: tuple[int, int]
    ) -> AbstractValue:
        name: Name = (domain.kind, domain.domain, key)
        if not self.device.is_there(node, name, (span, domain.span), False):
            raise Failure(node, name, driver_known=self.device.driver_known())
        return self.device.sym(name, node)

    # Calls ---------------------------------------------------------------------------------

    def _call(self, node: Call) -> AbstractValue:
        name = node.function
        known = self.constants.value(node)
        if isinstance(known, Failed):
            if known.node not in self.assumed.right:
                raise Failure(known.node, constant=known.text)
        elif known is not None:
            return known
        if name in ("_&&_", "_||_"):
            return self._logical(node, name == "_&&_")
        if name == "!_":
            truth = self.device.truth(self.value(node.args[0]), node.args[0])
            return UNKNOWN if truth is None else _BOOLS[not truth]
        if name == "_?_:_":
            test, then, other = node.args
            return self.value(then if self.device.truth(self.value(test), test) else other)
        if name == "@not_strictly_false":
            return self._not_strictly_false(node)
        if name in ("_[_]", "_[?_]", "_?._"):
            return self._index(node)
        if name in ("_==_", "_!=_"):
            return self._equality(node)
        if name in ORDERINGS:
            return self._ordering(node)
        if name == "@in":
            return self._membership(node)
        if name in _DIVISIONS:
            return self._division(node)
        if node.target is not None:
            return self._member(node, self.value(node.target))
        return self._function(node)

    def _logical(self, node: Call, conjunction: bool) -> AbstractValue:
        """`&&` and `||`: the deciding operand wins over a failure of the other."""
        failure: Failure | None = None
        verdict = conjunction
        for part in node.args:
            try:
                truth = self.device.truth(self.value(part), part)
            except Failure as caught:
                failure = failure or caught
                continue
            if truth is not conjunction:
                verdict, failure = not conjunction, None
                break
        if failure is not None:
            raise failure
        if self.device.notes is not None:
            self.device.notes.clauses.setdefault(node, set()).add(verdict)
        return _BOOLS[verdict]

    def _not_strictly_false(self, node: Call) -> AbstractValue:
        try:
            value = self.value(node.args[0])
        except Failure:
            return KnownValue(True)
        return KnownValue(not (isinstance(value, KnownValue) and value.value is False))

    def _index(self, node: Call) -> AbstractValue:
        operand, index = self.value(node.args[0]), self.value(node.args[1])
        optional = node.function != "_[_]"
        if isinstance(operand, OptionalValue):
            if operand.value is None:
                return operand
            operand = operand.value
        key = index.value if isinstance(index, KnownValue) else None
        span = inner_span(node.args[1])
        if isinstance(operand, DeviceNames) and isinstance(key, str):
            domain = DomainMap(operand.kind, key, span)
            return OptionalValue(domain) if optional else domain
        if isinstance(operand, DomainMap) and isinstance(key, str):
            if not optional:
                return self._read(node, operand, key, span)
            if not self._has(node, operand, key, span):
                return OptionalValue(None)
            return OptionalValue(self.device.sym((operand.kind, operand.domain, key), node))
        return UNKNOWN

    def _division(self, node: Call) -> AbstractValue:
        """`/` and `%`: a whole number has none by zero."""
        left, right = self.value(node.args[0]), self.value(node.args[1])
        whole = isinstance(left, DeviceValue) and left.type == "int"
        if (
            whole
            and isinstance(right, KnownValue)
            and type(right.value) is int
            and right.value == 0
        ):
            raise Failure(node, constant=_DIVISIONS[node.function])
        return UNKNOWN

    def _equality(self, node: Call) -> AbstractValue:
        left, right = self.value(node.args[0]), self.value(node.args[1])
        same = self.device.same(node, left, right, node.args[0], node.args[1], node.function)
        if same is None:
            return _BOOLS[self.device.world.settle(("equal", node))]
        return _BOOLS[same if node.function == "_==_" else not same]

    def _ordering(self, node: Call) -> AbstractValue:
        left, right = self.value(node.args[0]), self.value(node.args[1])
        return self.device.ordering(node, left, right)

    def _membership(self, node: Call) -> AbstractValue:
        element, container = self.value(node.args[0]), self.value(node.args[1])
        span = inner_span(node.args[0])
        if isinstance(container, DomainMap) and isinstance(element, KnownValue):
            if not isinstance(element.value, str):
                return KnownValue(False)
            return KnownValue(self._has(node, container, element.value, span))
        if isinstance(container, DeviceNames) and isinstance(element, KnownValue):
            return KnownValue(self.device.has_domain(container.kind, str(element.value)))
        if isinstance(container, DeviceValue) and container.type in _NO_CONTAINERS:
            self.device.misused(node, container, "@in", None, None)
            raise Failure(node)
        if not isinstance(container, ListValue):
            return KnownValue(self.device.world.settle(("in", node)))
        unsure = False
        for each, literal in zip(container.elements, container.nodes, strict=True):
            same = self.device.same(node, element, each, node.args[0], literal, "@in")
            if same:
                return KnownValue(True)
            unsure = unsure or same is None
        return KnownValue(self.device.world.settle(("in", node)) if unsure else False)

    # Methods and functions -----------------------------------------------------------------

    def _member(self, node: Call, target: AbstractValue) -> AbstractValue:
        if isinstance(target, OptionalValue):
            return self._optional(node, target)
        if node.function == "orValue" and isinstance(target, DeviceValue):
            return target
        args = [self.value(each) for each in node.args]
        argument = args[0] if len(args) == 1 else None
        self.device.with_amount(node, target, argument)
        self.device.with_amount(node, argument or UNKNOWN, target)
        if isinstance(target, KnownValue):
            return constant_method(node.function, target.value, args)
        if not isinstance(target, DeviceValue) or target.type == "unknown":
            return UNKNOWN
        if target.type in ("version", "quantity"):
            return self.device.ordered_method(node, target, argument)
        if target.type == "string":
            return self.device.text_method(node, target, argument)
        if (
            node.function == "includes"
            and isinstance(argument, KnownValue)
            and target.type != "list"
        ):
            same = self.device.same_as(node, target, argument.value, node.args[0], "_==_")
            return UNKNOWN if same is None else KnownValue(same)
        return UNKNOWN

    def _optional(self, node: Call, target: OptionalValue) -> AbstractValue:
        inner = target.value
        if node.function == "hasValue":
            return KnownValue(inner is not None)
        if node.function == "value":
            if inner is None:
                raise Failure(node)
            return inner
        if node.function == "orValue" and node.args:
            return inner if inner is not None else self.value(node.args[0])
        if node.function == "or" and node.args:
            return target if inner is not None else self.value(node.args[0])
        return UNKNOWN

    def _function(self, node: Call) -> AbstractValue:
        args = [self.value(each) for each in node.args]
        first = args[0] if args else UNKNOWN
        match node.function:
            case "quantity" | "semver" if all(isinstance(each, KnownValue) for each in args):
                return parsed(
                    node.function, [each.value for each in args if isinstance(each, KnownValue)]
                )
            case "dyn":
                return first
            case "size" if isinstance(first, DeviceValue) and first.type == "string":
                return DeviceValue(first.name, "int", first.node, (*first.steps, "size"))
            case "size" if isinstance(first, ListValue):
                return KnownValue(len(first.elements))
            case "-_" if isinstance(first, KnownValue) and isinstance(first.value, int | float):
                return KnownValue(-first.value)
            case "optional.of":
                return OptionalValue(first)
            case "optional.none":
                return OptionalValue(None)
        return UNKNOWN

    # Folds ---------------------------------------------------------------------------------

    def _comprehension(self, node: Comprehension) -> AbstractValue:
        if isinstance(node.condition, Literal) and node.condition.value is False:
            bound = {**self.scope, node.accu: BoundExpression(node.init, self.scope)}
            return self._within(bound, node.result)  # cel.bind
        over = self.value(node.range)
        if not isinstance(over, ListValue) or node.var2 is not None:
            return UNKNOWN
        if len(over.elements) > _LOOP_LIMIT:
            return UNKNOWN
        scope = {**self.scope, node.accu: self.value(node.init)}
        for element in over.elements:
            scope = {**scope, node.var: element}
            if self.device.truth(self._within(scope, node.condition), node.condition) is False:
                break
            scope[node.accu] = self._step(scope, node)
        return self._within(scope, node.result)

    def _step(self, scope: Mapping[str, AbstractValue], node: Comprehension) -> AbstractValue:
        """One round of a fold. A failure stays in the accumulator, where `&&` and `||` absorb it."""
        try:
            return self._within(scope, node.step)
        except Failure:
            return BoundExpression(node.step, dict(scope))

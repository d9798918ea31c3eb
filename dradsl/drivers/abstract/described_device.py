"""A device as its driver's schema describes it, in one world: what is there, and how it compares.

Whatever the schema leaves open, the world answers, and the notebook (if one is open) learns of it.
"""

from __future__ import annotations

from dradsl.drivers.abstract.observations import DeviceValue, Failure, Observations
from dradsl.drivers.abstract.texts import STEPS, TESTS, apply_steps
from dradsl.drivers.abstract.values import (
    UNKNOWN,
    ComparisonResult,
    KnownValue,
    ListValue,
    UnknownValue,
    constant_ordering,
    equal_constants,
    fits,
    is_number,
)
from dradsl.drivers.abstract.worlds import PossibleValues
from dradsl.drivers.schema.model import AttributeSchema, AttributeType, CapacitySchema
from dradsl.drivers.schema.shapes import Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.cel.syntax.ast import Call, Expr
    from dradsl.drivers.abstract.observations import ValueType
    from dradsl.drivers.abstract.values import AbstractValue
    from dradsl.drivers.abstract.worlds import World
    from dradsl.drivers.schema.shapes import KindOfName, Name, Shape

__all__ = ["DRIVER", "ORDERINGS", "DescribedDevice"]

DRIVER: Name = ("attributes", "", "device.driver")

ORDERINGS = {
    "_<_": (-1,),
    "_<=_": (-1, 0),
    "_>_": (1,),
    "_>=_": (0, 1),
}
"""The comparing operators, and how the left side may stand to the right one."""

_MEMBER_ORDERINGS = {"isLessThan": (-1,), "isGreaterThan": (1,)}
_SCALARS: Mapping[AttributeType, ValueType] = {
    AttributeType.STRING: "string",
    AttributeType.INT: "int",
    AttributeType.BOOL: "bool",
    AttributeType.VERSION: "version",
}
_NUMBER_STEPS = ("major", "minor", "patch")
_OF_TEXTS = ("split", "replace", "substring", "indexOf", "lastIndexOf", "charAt", "trim", "reverse")


class DescribedDevice:
    """A shape in a world, with a notebook (None while a class's selectors run).

    `values` are known of this device, whatever others of its shape have.
    """

    __slots__ = ("notes", "shape", "values", "world")

    def __init__(self, shape: Shape, world: World, values: Mapping[Name, Any]) -> None:
        self.shape = shape
        self.world = world
        self.values = values
        self.notes: Observations | None = None

    # Names ------------------------------------------------------------------------------------

    def is_there(
        self, node: Expr, name: Name, spans: tuple[tuple[int, int], tuple[int, int]], guarded: bool
    ) -> bool:
        """Whether the device has a name: what the shape says, or else this world.

        `guarded` says that the expression asks first (`has`, `in`, optional access).
        """
        standing = self.shape.standing(name)
        if self.notes is not None:
            self.notes.access(node, name, spans, self.shape, standing, guarded=guarded)
        if standing is Standing.ALWAYS or name in self.values:
            return True
        if standing is Standing.NEVER:
            return False
        if standing is Standing.UNKNOWN and not guarded and not self.world.is_settled(name):
            return True  # nothing is known: assume that the author knows
        return self.world.settle(name)

    def has_domain(self, kind: KindOfName, domain: str) -> bool:
        """Whether the device has any name of a domain."""
        standing = self.shape.has_domain(kind, domain)
        if standing in (Standing.ALWAYS, Standing.NEVER):
            return standing is Standing.ALWAYS
        return self.world.settle(("domain", kind, domain))

    def sym(self, name: Name, node: Expr) -> DeviceValue:
        """The value of a name that the device has."""
        if name[0] == "capacity":
            return DeviceValue(name, "quantity", node)
        entry = self.shape.entry(name)
        if not isinstance(entry, AttributeSchema):
            return DeviceValue(name, "unknown", node)
        kind = entry.type
        if entry.alternative is not None and not self.world.settle(("form", name)):
            kind = entry.alternative
        return DeviceValue(name, _SCALARS.get(kind, "list"), node)

    def driver_known(self) -> bool:
        """Whether the expression has settled which driver the device is of."""
        if self.shape.driver is not None:
            return True
        return self.world.known((DRIVER, ()), PossibleValues()).possible is not None

    # Comparisons ------------------------------------------------------------------------------

    def truth(self, value: AbstractValue, node: Expr) -> bool | None:
        """The value as a condition; None if nothing is known, which counts as either."""
        match value:
            case KnownValue(value=bool() as known):
                return known
            case KnownValue():
                raise Failure(node)
            case DeviceValue(type="bool"):
                return self.equals(value, True)
            case DeviceValue(type="unknown") | UnknownValue():
                return self.world.settle(("truth", node))
            case DeviceValue():
                raise Failure(node)
        return self.world.settle(("truth", node))

    def same(
        self,
        node: Expr,
        left: AbstractValue,
        right: AbstractValue,
        left_node: Expr,
        right_node: Expr,
        operator: str,
    ) -> bool | None:
        """Whether two values are equal; None if that cannot be told."""
        if isinstance(left, KnownValue) and isinstance(right, KnownValue):
            same = equal_constants(left.value, right.value)
            if same and self.notes is not None:
                self.notes.compared_with_default.update({(node, left_node), (node, right_node)})
            return same
        if isinstance(right, DeviceValue | ComparisonResult) and isinstance(left, KnownValue):
            return self.same_as(node, right, left.value, left_node, operator, mirrored=True)
        if isinstance(left, DeviceValue | ComparisonResult) and isinstance(right, KnownValue):
            return self.same_as(node, left, right.value, right_node, operator)
        if isinstance(left, ListValue):
            left, right, left_node, right_node = right, left, right_node, left_node
        if isinstance(left, DeviceValue) and isinstance(right, ListValue):
            listed = left.type in ("list", "unknown")
            return None if listed else self.same_as(node, left, [], right_node, operator)
        if isinstance(left, DeviceValue) and left == right:
            return True
        return None

    def same_as(
        self,
        node: Expr,
        value: DeviceValue | ComparisonResult,
        constant: Any,
        literal: Expr,
        operator: str,
        *,
        mirrored: bool = False,
    ) -> bool | None:
        """Whether a described value equals a constant; None if that cannot be told."""
        if isinstance(value, ComparisonResult):
            return self._order(value) == constant if is_number(constant) else False
        if value.type == "unknown" and fits(value.type, constant):
            return None
        if value.name == DRIVER or not fits(value.type, constant):
            if value.name == DRIVER and isinstance(constant, str):
                return self.equals(value, constant)
            self.misused(node, value, operator, literal, constant)
            if value.type in ("version", "quantity") and not mirrored and operator == "_==_":
                raise Failure(node)
            return False
        self._compared(node, literal, constant, operator, value)
        return self.equals(value, constant)

    def equals(self, sym: DeviceValue, constant: Any) -> bool:
        """Whether a value equals a constant of its type, in this world."""
        base = (sym.name, ())
        values = self.world.known(base, self._initial(sym)).possible
        if values is not None:
            return self.world.partition(
                base, values, lambda each: bool(apply_steps(sym.steps, each) == constant)
            )
        key = (sym.name, sym.steps)
        return self.world.equals(
            key, PossibleValues() if sym.steps else self._initial(sym), constant
        )

    def ordering(self, node: Call, left: AbstractValue, right: AbstractValue) -> AbstractValue:
        """What `<` and its kin give for the values of a node's operands.

        Raises:
            Failure: if the values have no order.
        """
        wanted = ORDERINGS[node.function]
        if isinstance(left, KnownValue) and isinstance(right, DeviceValue | ComparisonResult):
            left, right = right, left
            wanted = tuple(-each for each in wanted)
            literal = node.args[0]
        else:
            literal = node.args[1]
        if isinstance(left, KnownValue) and isinstance(right, KnownValue):
            return constant_ordering(left.value, right.value, wanted)
        if not isinstance(right, KnownValue) or not isinstance(
            left, DeviceValue | ComparisonResult
        ):
            return KnownValue(self.world.settle(("order", node)))
        constant = right.value
        if isinstance(left, ComparisonResult):
            if not is_number(constant):
                raise Failure(node)
            position = self._order(left)
            return KnownValue(((position > constant) - (position < constant)) in wanted)
        if left.type == "unknown" or left.name == DRIVER:
            return KnownValue(self.world.settle(("order", node)))
        if left.type in ("version", "quantity"):  # they have methods, no operators
            self.misused(node, left, node.function, literal, constant)
            if not fits(left.type, constant):
                raise Failure(node)
            return KnownValue(self._position(left, constant) in wanted)
        if not fits(left.type, constant):
            self.misused(node, left, node.function, literal, constant)
            raise Failure(node)
        self._compared(node, literal, constant, node.function, left)
        return KnownValue(self._position(left, constant) in wanted)

    def _order(self, ordering: ComparisonResult) -> int:
        return self._position(ordering.sym, ordering.constant)

    def _position(self, sym: DeviceValue, constant: Any) -> int:
        """How the value stands to a constant of its type."""
        base = (sym.name, ())
        known = self.world.known(base, self._initial(sym))
        if sym.steps and known.possible is not None:
            if self.world.partition(
                base, known.possible, lambda each: bool(apply_steps(sym.steps, each) < constant)
            ):
                return -1
            return 0 if self.equals(sym, constant) else 1
        key = (sym.name, sym.steps)
        return self.world.order(
            key, PossibleValues() if sym.steps else self._initial(sym), constant
        )

    def _initial(self, sym: DeviceValue) -> PossibleValues:
        """What the schema alone says of a value, before steps."""
        if sym.name == DRIVER:
            return PossibleValues(
                excluded=tuple(sorted(self.shape.own_domains | self.shape.none_such))
            )
        if sym.name in self.values:
            return PossibleValues(possible=(self.values[sym.name],))
        entry = self.shape.entry(sym.name)
        if isinstance(entry, AttributeSchema) and not entry.type.is_list:
            if entry.values is not None:
                return PossibleValues(
                    possible=tuple(_as_value(entry.type, each) for each in entry.values)
                )
            if entry.type is AttributeType.BOOL:
                return PossibleValues(possible=(True, False))
        if isinstance(entry, CapacitySchema) and entry.values is not None:
            from dradsl.values import quantity as quantities

            return PossibleValues(
                possible=tuple(quantities.Quantity.parse(each) for each in entry.values)
            )
        return PossibleValues()

    # Methods ----------------------------------------------------------------------------------

    def with_amount(self, node: Call, one: AbstractValue, other: AbstractValue | None) -> None:
        """A method with an amount and an attribute: it fails on every device that has the attribute."""
        if (
            isinstance(one, DeviceValue)
            and isinstance(other, KnownValue)
            and one.name[0] == "attributes"
            and fits("quantity", other.value)
        ):
            self.misused(node, one, node.function, None, other.value)
            raise Failure(node)

    def ordered_method(
        self, node: Call, target: DeviceValue, argument: AbstractValue | None
    ) -> AbstractValue:
        """Methods of versions and quantities."""
        name = node.function
        if target.type == "version" and name in _NUMBER_STEPS and not node.args:
            return DeviceValue(target.name, "int", target.node, (*target.steps, name))
        if name == "compareTo" or name in _MEMBER_ORDERINGS:
            if not isinstance(argument, KnownValue):
                return UNKNOWN
            literal = node.args[0]
            if not fits(target.type, argument.value):
                self.misused(node, target, name, literal, argument.value)
                raise Failure(node)
            self._compared(node, literal, argument.value, name, target)
            if name == "compareTo":
                return ComparisonResult(target, argument.value, node, literal)
            return KnownValue(self._position(target, argument.value) in _MEMBER_ORDERINGS[name])
        if target.type == "version" and (name in TESTS or name in STEPS or name in _OF_TEXTS):
            literal_or_none = node.args[0] if node.args else None
            constant = argument.value if isinstance(argument, KnownValue) else None
            self.misused(node, target, name, literal_or_none, constant)
            raise Failure(node)
        return UNKNOWN

    def text_method(
        self, node: Call, target: DeviceValue, argument: AbstractValue | None
    ) -> AbstractValue:
        """Methods of texts."""
        name = node.function
        if name in STEPS and not node.args:
            kind: ValueType = "int" if name == "size" else "string"
            return DeviceValue(target.name, kind, target.node, (*target.steps, name))
        if name in TESTS and isinstance(argument, KnownValue) and isinstance(argument.value, str):
            text = argument.value
            self._compared(node, node.args[0], text, name, target)
            base = (target.name, ())
            values = self.world.known(base, self._initial(target)).possible
            test = TESTS[name](text)
            if not text:
                return KnownValue(True)  # every text starts with the empty one, and holds it
            if values is None or test is None:
                key = (target.name, target.steps)
                return KnownValue(self.world.passes(key, (name, text), test))
            return KnownValue(
                self.world.partition(
                    base, values, lambda each: test(str(apply_steps(target.steps, each)))
                )
            )
        if name in _MEMBER_ORDERINGS or name == "compareTo":
            constant = argument.value if isinstance(argument, KnownValue) else None
            self.misused(node, target, name, node.args[0] if node.args else None, constant)
            raise Failure(node)
        return UNKNOWN

    # Notes ------------------------------------------------------------------------------------

    def _compared(
        self, node: Expr, literal: Expr, constant: Any, operator: str, sym: DeviceValue
    ) -> None:
        if self.notes is not None:
            self.notes.compared(node, literal, constant, operator, sym, self.shape)

    def misused(
        self, node: Expr, sym: DeviceValue, operator: str, other: Expr | None, constant: Any
    ) -> None:
        """A value was put through something that its type does not have."""
        if self.notes is not None:
            self.notes.misused(node, sym, operator, other, constant, self.shape)


def _as_value(kind: AttributeType, value: Any) -> Any:
    if kind is not AttributeType.VERSION:
        return value
    from dradsl.values import semver as versions

    return versions.Semver.parse(value, normalize=True)

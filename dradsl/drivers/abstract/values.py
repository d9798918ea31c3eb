"""Values while an expression runs on a shape of device, and what CEL does with known ones."""

from __future__ import annotations

from dradsl.cel.syntax.ast import Expr, Literal
from dradsl.drivers.abstract.observations import DeviceValue
from dradsl.drivers.abstract.texts import STEPS, TESTS, apply_steps
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from dradsl.drivers.abstract.observations import LiteralType, ValueType
    from dradsl.drivers.schema.shapes import KindOfName

__all__ = [
    "UNKNOWN",
    "AbstractDevice",
    "AbstractValue",
    "BoundExpression",
    "ComparisonResult",
    "DeviceNames",
    "DomainMap",
    "KnownValue",
    "ListValue",
    "OptionalValue",
    "UnknownValue",
    "constant_method",
    "constant_ordering",
    "equal_constants",
    "fits",
    "inner_span",
    "is_number",
    "literal_type",
    "parsed",
]


@dataclass(frozen=True, slots=True)
class KnownValue:
    """A value that is known."""

    value: Any


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """A value about which nothing is known, and nothing will be said."""


UNKNOWN = UnknownValue()


@dataclass(frozen=True, slots=True)
class AbstractDevice:
    """The variable `device`."""


@dataclass(frozen=True, slots=True)
class DeviceNames:
    """`device.attributes` or `device.capacity`."""

    kind: KindOfName


@dataclass(frozen=True, slots=True)
class DomainMap:
    """The names of one domain."""

    kind: KindOfName
    domain: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class OptionalValue:
    """An optional value, none if `value` is None."""

    value: AbstractValue | None


@dataclass(frozen=True, slots=True)
class ListValue:
    """A list whose elements are known or not."""

    elements: tuple[AbstractValue, ...]
    nodes: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class ComparisonResult:
    """The result of `compareTo`: -1, 0 or 1."""

    sym: DeviceValue
    constant: Any
    node: Expr
    literal: Expr


@dataclass(frozen=True, slots=True, eq=False)
class BoundExpression:
    """The initialiser of `cel.bind`: evaluated where its name is used."""

    node: Expr
    scope: Mapping[str, AbstractValue]


AbstractValue = (
    KnownValue
    | UnknownValue
    | AbstractDevice
    | DeviceNames
    | DomainMap
    | OptionalValue
    | ListValue
    | ComparisonResult
    | DeviceValue
    | BoundExpression
)


def inner_span(node: Expr) -> tuple[int, int]:
    """The text between the quotes of a literal."""
    start, end = node.span
    if (
        isinstance(node, Literal)
        and isinstance(node.value, str)
        and end - start == len(node.value) + 2
    ):
        return start + 1, end - 1
    return start, end


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_LITERALS: Mapping[str, LiteralType] = {
    "str": "string",
    "int": "int",
    "float": "double",
    "bool": "bool",
    "Semver": "version",
    "Quantity": "quantity",
    "list": "list",
}


def literal_type(constant: Any) -> LiteralType:
    """What kind of value a constant is, by the name of its type: no module is read for it."""
    return _LITERALS.get(type(constant).__name__, "unknown")


def fits(kind: ValueType, constant: Any) -> bool:
    """Whether equality between a value of that type and the constant can hold; no attribute is an amount."""
    if kind == "int":
        return is_number(constant)
    found = literal_type(constant)
    return found != "quantity" if kind == "unknown" else found == kind


def equal_constants(left: Any, right: Any) -> bool:
    if is_number(left) and is_number(right):
        return bool(left == right)
    return type(left) is type(right) and bool(left == right)


def constant_ordering(left: Any, right: Any, wanted: tuple[int, ...]) -> AbstractValue:
    comparable = (is_number(left) and is_number(right)) or (
        isinstance(left, str) and isinstance(right, str)
    )
    return KnownValue(((left > right) - (left < right)) in wanted) if comparable else UNKNOWN


def constant_method(name: str, target: Any, args: list[AbstractValue]) -> AbstractValue:
    """A text method of a constant, where it is one that texts of attributes have too."""
    if not isinstance(target, str):
        return UNKNOWN
    if name in STEPS and not args:
        return KnownValue(apply_steps((name,), target))
    if name in TESTS and len(args) == 1 and isinstance(args[0], KnownValue):
        test = TESTS[name](args[0].value) if isinstance(args[0].value, str) else None
        return UNKNOWN if test is None else KnownValue(test(target))
    return UNKNOWN


def parsed(function: str, args: list[Any]) -> AbstractValue:
    if not args or not isinstance(args[0], str):
        return UNKNOWN
    from dradsl.values import quantity as quantities, semver as versions

    try:
        if function == "quantity":
            return KnownValue(quantities.Quantity.parse(args[0]))
        return KnownValue(
            versions.Semver.parse(args[0], normalize=len(args) > 1 and args[1] is True)
        )
    except (quantities.QuantityError, versions.SemverError):
        return UNKNOWN

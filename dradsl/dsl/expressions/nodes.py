"""What an expression is made of, as data: comparisons of a device's values, joined by and / or / not.

The meaning: a comparison on a missing value is false, and so is its negation. `negate` therefore
turns each comparison round in place (De Morgan), and rendering puts the guard in front of it.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Literal

from dradsl.records import Record, dataclass, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "And",
    "Comparison",
    "DeviceType",
    "Driver",
    "Exists",
    "Is",
    "ConditionNode",
    "Op",
    "Operand",
    "Or",
    "Raw",
    "ValueType",
    "joined",
    "leaves",
    "negate",
]

ValueType = Literal[
    "string", "int", "bool", "version", "quantity", "strings", "ints", "bools", "versions"
]

# CEL gives up at 250 nested parentheses; a person long before.
_MAX_DEPTH = 50


class Op(enum.StrEnum):
    """How a value is compared; each has an opposite."""

    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    IN = "in"
    NOT_IN = "not in"
    STARTS = "startsWith"
    NOT_STARTS = "not startsWith"
    ENDS = "endsWith"
    NOT_ENDS = "not endsWith"
    CONTAINS = "contains"
    NOT_CONTAINS = "not contains"
    MATCHES = "matches"
    NOT_MATCHES = "not matches"
    HOLDS = "holds"  # a bool by itself
    NOT_HOLDS = "not holds"

    @property
    def opposite(self) -> Op:
        return _OPPOSITE[self]


_PAIRS = (
    (Op.EQ, Op.NE),
    (Op.LT, Op.GE),
    (Op.GT, Op.LE),
    (Op.IN, Op.NOT_IN),
    (Op.STARTS, Op.NOT_STARTS),
    (Op.ENDS, Op.NOT_ENDS),
    (Op.CONTAINS, Op.NOT_CONTAINS),
    (Op.MATCHES, Op.NOT_MATCHES),
    (Op.HOLDS, Op.NOT_HOLDS),
)
_OPPOSITE = {one: other for a, b in _PAIRS for one, other in ((a, b), (b, a))}


class DeviceType(Record):
    """A kind of device of one driver; without a name, every device of the driver.

    `classes` are the DeviceClasses that come with the driver and select only this kind.
    """

    driver: str
    name: str | None = None
    classes: tuple[str, ...] = field(default=(), compare=False)


class Operand(Record):
    """An attribute or a capacity of the device.

    `always` is the device type on which it is never missing, if there is one.
    """

    source: Literal["attributes", "capacity"]
    domain: str
    name: str
    type: ValueType
    always: DeviceType | None = field(default=None, compare=False)

    @property
    def qualified(self) -> str:
        return f"{self.domain}/{self.name}"


class ConditionNode:
    """A condition on a device as data; see `Expression` for what users combine."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Driver(ConditionNode):
    """The device belongs to the driver (or does not)."""

    name: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Is(ConditionNode):
    """The device is of `type`, which `condition` tells."""

    type: DeviceType
    condition: ConditionNode
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Exists(ConditionNode):
    """The device publishes the operand (or does not)."""

    operand: Operand
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Comparison(ConditionNode):
    """The operand's value against a constant, or a tuple of them for `in`.

    On a device without the operand it is false, or the outcome for `default` if there is one; with
    `guarded=False` it is not asked for, and CEL fails there.
    """

    operand: Operand
    op: Op
    value: str | int | bool | tuple[str | int, ...]
    default: str | int | bool | None = None
    guarded: bool = True


@dataclass(frozen=True, slots=True)
class Raw(ConditionNode):
    """CEL as text, taken as it is."""

    text: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class And(ConditionNode):
    """All of the parts."""

    parts: tuple[ConditionNode, ...]
    depth: int = field(default=1, compare=False)


@dataclass(frozen=True, slots=True)
class Or(ConditionNode):
    """Any of the parts."""

    parts: tuple[ConditionNode, ...]
    depth: int = field(default=1, compare=False)


def joined(kind: type[And | Or], parts: Iterable[ConditionNode]) -> And | Or:
    """`parts` as one node; those of the same kind are taken apart.

    Raises:
        ValueError: if it would be nested too deep.
    """
    flat: list[ConditionNode] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, kind) else (part,))
    depth = 1 + max(part.depth if isinstance(part, And | Or) else 0 for part in flat)
    if depth > _MAX_DEPTH:
        raise ValueError(f"an expression nested more than {_MAX_DEPTH} deep")
    return kind(tuple(flat), depth)


def negate(node: ConditionNode) -> ConditionNode:
    """The opposite of `node`; a comparison on a missing value stays false."""
    match node:
        case And(parts):
            return joined(Or, map(negate, parts))
        case Or(parts):
            return joined(And, map(negate, parts))
        case Comparison(operand, op, value, default, guarded):
            return Comparison(operand, op.opposite, value, default, guarded)
        case Exists(operand, negated):
            return Exists(operand, not negated)
        case Driver(name, negated):
            return Driver(name, not negated)
        case Is(type_, condition, negated):
            return Is(type_, condition, not negated)
        case Raw(text, negated):
            return Raw(text, not negated)
    raise TypeError(f"{type(node).__name__} has no opposite")


def leaves(node: ConditionNode) -> Iterator[ConditionNode]:
    """The parts of `node` that hold no others, in order; of a device type, its condition's."""
    stack = [node]
    while stack:
        item = stack.pop()
        match item:
            case And(parts) | Or(parts):
                stack.extend(reversed(parts))
            case Is(condition=condition):
                stack.append(condition)
            case _:
                yield item

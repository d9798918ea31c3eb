"""What was seen while an expression ran on every shape of device, node by node."""

from __future__ import annotations

from dradsl.records import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Literal, TypeAlias

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.schema.shapes import Name, Shape, Standing

__all__ = ["DeviceValue", "Failure", "Misuse", "NameAccess", "Observations", "ObservedComparison"]

ValueType: TypeAlias = "Literal['string', 'int', 'bool', 'version', 'quantity', 'list', 'unknown']"
# What kind of value a literal is, or is not known to be.
LiteralType: TypeAlias = (
    "Literal['string', 'int', 'double', 'bool', 'version', 'quantity', 'list', 'unknown']"
)


@dataclass(frozen=True, slots=True)
class DeviceValue:
    """The value of an attribute or capacity of the device at hand, not known but typed.

    `steps` are functions applied to it since (`lowerAscii`, `major`); `node` is where it was read.
    """

    name: Name
    type: ValueType
    node: Expr
    steps: tuple[str, ...] = ()


class Failure(Exception):  # noqa: N818 - it is an outcome of the expression, not a fault
    """The expression fails at run time, at `node`.

    `name` is the one that is missing, if that is why; `constant` is what the evaluator says, if the
    node is a constant that cannot be computed.
    """

    def __init__(
        self,
        node: Expr,
        name: Name | None = None,
        *,
        driver_known: bool = True,
        constant: str | None = None,
    ) -> None:
        super().__init__("the expression fails")
        self.node = node
        self.name = name
        self.driver_known = driver_known
        self.constant = constant


@dataclass(slots=True)
class NameAccess:
    """A place where a name is read, and how each shape that came there stands to it."""

    node: Expr
    name: Name
    name_span: tuple[int, int]
    domain_span: tuple[int, int]
    guarded: bool
    """It only asks whether the name is there (`has`, `.?`, `in`)."""
    standings: dict[Shape, Standing] = field(default_factory=dict)


@dataclass(slots=True)
class ObservedComparison:
    """A value compared with a constant that is written out at `literal`."""

    node: Expr
    literal: Expr
    constant: Any
    operator: str
    sym: DeviceValue
    shapes: list[Shape] = field(default_factory=list)


@dataclass(slots=True)
class Misuse:
    """An operation that the type of a value does not have, and the shapes on which it was tried."""

    node: Expr
    sym: DeviceValue
    operator: str
    other: Expr | None
    constant: Any
    shapes: list[Shape] = field(default_factory=list)


@dataclass(slots=True)
class Observations:
    """All that was seen; nodes are keys by identity."""

    accesses: dict[tuple[Expr, Name], NameAccess] = field(default_factory=dict)
    comparisons: dict[tuple[Expr, Expr], ObservedComparison] = field(default_factory=dict)
    misuses: dict[tuple[Expr, str], Misuse] = field(default_factory=dict)
    fields: dict[Expr, DeviceValue] = field(default_factory=dict)
    clauses: dict[Expr, set[bool]] = field(default_factory=dict)
    failures: list[tuple[Shape, Failure]] = field(default_factory=list)
    outcomes: dict[Shape, set[bool | None]] = field(default_factory=dict)
    """Per shape: True, False, None for a failure; a shape that the class filters out is missing."""
    compared_with_default: set[tuple[Expr, Expr]] = field(default_factory=set)
    """(comparison, literal) pairs in which the other side was a constant, such as the default of
    `orValue`."""
    complete: bool = True
    """False if exploration stopped at its budget; then `always` and `never` must not be concluded."""

    @property
    def never(self) -> bool:
        """Whether no device can pass, whatever it publishes."""
        if not self.complete or not self.outcomes:
            return False
        return not any(True in outcomes for outcomes in self.outcomes.values())

    @property
    def passed(self) -> tuple[Shape, ...]:
        """The shapes that the selectors before this one let through."""
        return tuple(self.outcomes)

    def passing(self, shapes: Iterable[Shape]) -> tuple[Shape, ...]:
        """The shapes that may pass the expression and what is before it; all, if it was not seen to the end."""
        if not self.complete:
            return tuple(shapes)
        return tuple([shape for shape in shapes if True in self.outcomes.get(shape, ())])

    def failed(self, shape: Shape, failure: Failure) -> None:
        """The expression failed on a device of that shape."""
        same = any(
            seen is shape
            and other.node is failure.node
            and other.name == failure.name
            and other.driver_known == failure.driver_known
            for seen, other in self.failures
        )
        if not same:
            self.failures.append((shape, failure))

    def access(
        self,
        node: Expr,
        name: Name,
        spans: tuple[tuple[int, int], tuple[int, int]],
        shape: Shape,
        standing: Standing,
        *,
        guarded: bool,
    ) -> None:
        """A name was read (or asked for, if `guarded`)."""
        key = (node, name)
        seen = self.accesses.get(key)
        if seen is None:
            seen = self.accesses[key] = NameAccess(node, name, spans[0], spans[1], guarded)
        seen.standings[shape] = standing

    def compared(
        self,
        node: Expr,
        literal: Expr,
        constant: Any,
        operator: str,
        sym: DeviceValue,
        shape: Shape,
    ) -> None:
        """A value was compared with a constant of its type."""
        key = (node, literal)
        seen = self.comparisons.get(key)
        if seen is None:
            seen = self.comparisons[key] = ObservedComparison(
                node, literal, constant, operator, sym
            )
        if shape not in seen.shapes:
            seen.shapes.append(shape)

    def misused(
        self,
        node: Expr,
        sym: DeviceValue,
        operator: str,
        other: Expr | None,
        constant: Any,
        shape: Shape,
    ) -> None:
        """A value was put through something that its type does not have."""
        key = (node if other is None else other, operator)
        seen = self.misuses.get(key)
        if seen is None:
            seen = self.misuses[key] = Misuse(node, sym, operator, other, constant)
        if shape not in seen.shapes:
            seen.shapes.append(shape)

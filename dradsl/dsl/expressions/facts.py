"""What is certain about a device where a condition on it holds: it spares guards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.dsl.expressions.defaults import outcome_if_missing
from dradsl.dsl.expressions.nodes import (
    And,
    Comparison,
    ConditionNode,
    DeviceType,
    Driver,
    Exists,
    Is,
    Op,
    Operand,
    Or,
    leaves,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NOTHING_KNOWN", "Fact", "facts", "facts_of_class", "is_present", "values_of"]

# A device type that the device has been shown to have, or an operand that it has been shown to hold.
Fact = DeviceType | Operand
NOTHING_KNOWN: frozenset[Fact] = frozenset()


def facts(node: ConditionNode, *, holds: bool = True) -> frozenset[Fact]:
    """What is certain about a device for which `node` is true (or false)."""
    match node:
        case And(parts) | Or(parts):
            each = [facts(part, holds=holds) for part in parts]
            every_part_decides = isinstance(node, And) is holds
            return frozenset.union(*each) if every_part_decides else frozenset.intersection(*each)
        case Driver(name, negated) if holds is not negated:
            return frozenset({DeviceType(name)})
        case Is(type_, condition, negated) if holds is not negated:
            return facts(condition) | {type_}
        case Exists(operand, negated) if holds is not negated:
            return frozenset({operand})
        case Comparison(operand) if holds and not outcome_if_missing(node):
            return frozenset({operand})
    return NOTHING_KNOWN


def values_of(node: ConditionNode, qualified: str) -> frozenset[str | int | bool] | None:
    """The values of an attribute on devices for which `node` is true; None if it is not known.

    Only of texts, whole numbers and bools, of which equal ones are one value.
    """
    match node:
        case And(parts):
            known = [each for part in parts if (each := values_of(part, qualified)) is not None]
            return frozenset.intersection(*known) if known else None
        case Or(parts):
            every = [values_of(part, qualified) for part in parts]
            known = [each for each in every if each is not None]
            return frozenset.union(*known) if len(known) == len(every) else None
        case Is(condition=condition, negated=False):
            return values_of(condition, qualified)
        case Comparison(operand, op, value) if (
            operand.source == "attributes"
            and operand.qualified == qualified
            and operand.type in ("string", "int", "bool")
            and not outcome_if_missing(node)
        ):
            if op in (Op.EQ, Op.IN):
                return frozenset(value if isinstance(value, tuple) else (value,))
            if op in (Op.HOLDS, Op.NOT_HOLDS):
                return frozenset({op is Op.HOLDS})
    return None


def facts_of_class(name: str, nodes: Iterable[ConditionNode]) -> frozenset[Fact]:
    """What the name of a driver's own DeviceClass tells about the operands of `nodes`."""
    return frozenset(
        leaf.operand.always
        for node in nodes
        for leaf in leaves(node)
        if isinstance(leaf, Comparison | Exists)
        and leaf.operand.always is not None
        and name in leaf.operand.always.classes
    )


def is_present(operand: Operand, known: frozenset[Fact]) -> bool:
    """Whether a device about which `known` is certain publishes `operand`."""
    always = operand.always
    if operand in known or always in known:
        return True
    return (
        always is not None
        and always.name is None
        and any(isinstance(fact, DeviceType) and fact.driver == always.driver for fact in known)
    )

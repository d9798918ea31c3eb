"""What a comparison gives on a device without the value: false, or the outcome for its default.

The default of `or_else` is known when the expression is written, so the outcome is worked out here
and CEL only has to ask whether the value is there. (CEL's own `.?x.orValue(...)` hides the size of
the value, and upstream then rejects most calls on it as too expensive.)
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from dradsl.dsl.expressions.literals import quantity_of, version_of
from dradsl.dsl.expressions.nodes import Comparison, Op
from dradsl.values.quantity import Quantity
from dradsl.values.semver import Semver

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["outcome_if_missing"]


def outcome_if_missing(node: Comparison) -> bool:
    """Whether `node` holds on a device that does not publish its operand."""
    if node.default is None:
        return False
    if node.op in _OUTCOMES:
        return _OUTCOMES[node.op](node)
    return not _OUTCOMES[node.op.opposite](node)


def _compared(compare: Callable[[Any, Any], bool]) -> Callable[[Comparison], bool]:
    return lambda node: compare(_comparable(node, node.default), _comparable(node, node.value))


def _among(node: Comparison) -> bool:
    values = node.value if isinstance(node.value, tuple) else (node.value,)
    return any(_comparable(node, node.default) == _comparable(node, value) for value in values)


def _matches(node: Comparison) -> bool:
    from dradsl.regexp import compile_pattern

    return compile_pattern(str(node.value)).search(str(node.default))


_OUTCOMES: dict[Op, Callable[[Comparison], bool]] = {
    Op.EQ: _compared(operator.eq),
    Op.LT: _compared(operator.lt),
    Op.GT: _compared(operator.gt),
    Op.STARTS: _compared(str.startswith),
    Op.ENDS: _compared(str.endswith),
    Op.CONTAINS: _compared(operator.contains),
    Op.IN: _among,
    Op.MATCHES: _matches,
    Op.HOLDS: lambda node: bool(node.default),
}


def _comparable(node: Comparison, value: object) -> Any:
    match node.operand.type:
        case "version":
            return Semver.parse(version_of(value, node.operand.qualified))
        case "quantity":
            return Quantity.parse(quantity_of(value, node.operand.qualified))
        case _:
            return value

"""`select=`: expressions or CEL as text, one or several, of a device class or a request."""

from __future__ import annotations

from collections.abc import Iterable

from dradsl.dsl.expressions.expression import Condition, Expression, facts_where, hint_for, to_cel
from dradsl.dsl.expressions.facts import NOTHING_KNOWN, Fact
from dradsl.dsl.expressions.handle import raw_cel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.values.json_types import JsonMapping, JsonObject

__all__ = ["Select", "known_where_all", "read_selectors", "selectors", "selectors_of"]

Select = Expression | str | Iterable[Expression | str] | None
"""One condition or several that must all hold; a string is CEL, and None is no condition."""


def selectors(select: Select, what: str) -> tuple[Expression, ...]:
    """`select` as expressions."""
    if select is None:
        return ()
    if isinstance(select, Expression | str):
        return (_expression(select, what),)
    if not isinstance(select, Iterable):
        raise TypeError(
            f"select of {what} is an expression or CEL as text, not {select!r}{hint_for(select)}"
        )
    return tuple(_expression(one, what) for one in select)


def _expression(value: object, what: str) -> Expression:
    if isinstance(value, Condition):
        return value
    if isinstance(value, Expression):
        return Condition(value.__node__())
    if isinstance(value, str):
        return raw_cel(value)
    raise TypeError(
        f"select of {what} is an expression or CEL as text, not {value!r}{hint_for(value)}"
    )


def known_where_all(
    expressions: Iterable[Expression], known: frozenset[Fact] = NOTHING_KNOWN
) -> frozenset[Fact]:
    """What is certain about a device for which all of `expressions` are true."""
    return known.union(*(facts_where(one) for one in expressions))


def selectors_of(
    expressions: Iterable[Expression], known: frozenset[Fact] = NOTHING_KNOWN
) -> list[JsonObject]:
    """The `selectors` list: the API server takes them in order, so each one knows those before."""
    result = []
    for one in expressions:
        result.append({"cel": {"expression": to_cel(one, known=known)}})
        known |= facts_where(one)
    return result


def read_selectors(data: Iterable[JsonMapping]) -> tuple[Expression, ...]:
    """The expressions in a `selectors` list, as text."""
    return tuple(raw_cel(one["cel"]["expression"]) for one in data)

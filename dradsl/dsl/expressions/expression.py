"""What users combine: conditions on a device, joined with `&`, `|` and `~`, whose `str()` is CEL."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from dradsl.dsl.expressions import facts
from dradsl.dsl.expressions.facts import NOTHING_KNOWN, Fact
from dradsl.dsl.expressions.nodes import And, ConditionNode, Or, joined, negate
from dradsl.dsl.expressions.render import render
from dradsl.dsl.expressions.same import same_cel
from dradsl.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Condition",
    "Expression",
    "facts_of_class",
    "facts_where",
    "hint_for",
    "to_cel",
    "values_where",
]

_NO_TRUTH = (
    "an expression has no truth value in Python: the scheduler evaluates it, device by device. "
    "Combine expressions with & | ~ instead of `and`, `or`, `not`; write `x.in_([...])` instead of "
    "`x in [...]`, and `(a <= x) & (x <= b)` instead of `a <= x <= b`"
)


_PARENTHESES = (
    "; put each comparison in parentheses, as in (a == 1) & (b == 2): & and | bind more tightly "
    "than == and <"
)


class Expression:
    """A condition on a device, to be combined with `&`, `|` and `~`; `str()` is its CEL."""

    __slots__ = ()

    def __node__(self) -> ConditionNode:
        raise NotImplementedError

    def __and__(self, other: Expression) -> Expression:
        return _join(And, self, other, "&")

    def __or__(self, other: Expression) -> Expression:
        return _join(Or, self, other, "|")

    if not TYPE_CHECKING:
        # What stands left of & and | is no expression then.
        def __rand__(self, other: object) -> Expression:
            raise TypeError(f"& joins two expressions, not {other!r}{hint_for(other)}")

        def __ror__(self, other: object) -> Expression:
            raise TypeError(f"| joins two expressions, not {other!r}{hint_for(other)}")

    def __invert__(self) -> Expression:
        return Condition(negate(self.__node__()))

    def spelled(self, text: str) -> Expression:
        """The same, written to manifests as `text`: for specs that must not change by a space.

        A selector that `text` does not say in other quotes, spaces or parentheses raises ValueError
        when it is rendered. Joined with others, the expression loses its spelling.
        """
        return Condition(self.__node__(), text)

    def __bool__(self) -> NoReturn:
        raise TypeError(_NO_TRUTH)

    def __str__(self) -> str:
        return to_cel(self, width=None)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


@dataclass(frozen=True, slots=True, repr=False)
class Condition(Expression):
    """The expression of `node`; `spelling` is the CEL text that a manifest has for it."""

    node: ConditionNode
    spelling: str | None = None

    def __node__(self) -> ConditionNode:
        return self.node


def _join(kind: type[And | Or], left: Expression, right: object, sign: str) -> Expression:
    if not isinstance(right, Expression):
        raise TypeError(f"{sign} joins two expressions, not {right!r}{hint_for(right)}")
    return Condition(joined(kind, (left.__node__(), right.__node__())))


def hint_for(value: object) -> str:
    """What to write instead of a value that is no expression; empty if it is not known."""
    if isinstance(value, str):
        return "; CEL as text is raw_cel(...)"
    if isinstance(value, bool):
        return f"{_PARENTHESES}; for `is` write ==, for `is not None` write .exists()"
    # An attribute that is compared, but not yet: `a & b == c` is `(a & b) == c` to Python.
    return _PARENTHESES if hasattr(value, "unguarded") else ""


def to_cel(
    expression: Expression,
    *,
    known: frozenset[Fact] = NOTHING_KNOWN,
    width: int | None = 80,
) -> str:
    """The CEL of `expression`: on one line if it fits into `width` columns, else one line a part.

    `known` are facts that hold wherever the expression is evaluated, as `facts_where` and
    `facts_of_class` give them: they spare guards.

    Raises:
        ValueError: for a spelling that does not say what the expression does.
    """
    spelling = expression.spelling if isinstance(expression, Condition) else None
    if spelling is None:
        return render(expression.__node__(), known=known, width=width)
    line = render(expression.__node__(), known=known, width=None)
    if not same_cel(spelling, line):
        raise ValueError(f"the spelling {spelling!r} does not say {line!r}")
    return spelling


def facts_where(expression: Expression, *, holds: bool = True) -> frozenset[Fact]:
    """What is certain about a device for which `expression` is true (or false)."""
    return facts.facts(expression.__node__(), holds=holds)


def values_where(expression: Expression, qualified: str) -> frozenset[str | int | bool] | None:
    """The values of an attribute on devices for which `expression` is true; None if it is not known."""
    return facts.values_of(expression.__node__(), qualified)


def facts_of_class(name: str, expressions: Iterable[Expression]) -> frozenset[Fact]:
    """What the name of a driver's own DeviceClass tells about the operands of `expressions`."""
    return facts.facts_of_class(name, (one.__node__() for one in expressions))

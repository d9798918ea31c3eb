"""From CEL back to an expression, as far as the DSL has words for it; the rest stays CEL.

What comes out renders to the same tree of CEL: guards that are in the text become the DSL's own,
and where the text reads a value that may be missing without asking, so does the expression.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from dradsl.dsl.expressions.facts import NOTHING_KNOWN, Fact, facts, is_present
from dradsl.dsl.expressions.nodes import (
    And,
    Comparison,
    ConditionNode,
    Driver,
    Exists,
    Is,
    Op,
    Operand,
    Or,
    Raw,
    ValueType,
    negate,
)
from dradsl.dsl.expressions.render import render
from dradsl.dsl.expressions.same import same_cel

if TYPE_CHECKING:
    from dradsl.cel.syntax.ast import Expr

__all__ = ["Source", "Words", "recognise"]

Source = Literal["attributes", "capacity"]
Words = Callable[[Source, str, str], Operand | None]
"""What is known about an attribute or a capacity of a domain by its name."""

_ORDER = {"_<_": Op.LT, "_<=_": Op.LE, "_>_": Op.GT, "_>=_": Op.GE}
_EQUALITY = {"_==_": Op.EQ, "_!=_": Op.NE}
_TEXT = {
    "startsWith": Op.STARTS,
    "endsWith": Op.ENDS,
    "contains": Op.CONTAINS,
    "matches": Op.MATCHES,
}
_CALLS = {"isGreaterThan": Op.GT, "isLessThan": Op.LT}
_AMOUNTS: dict[str, ValueType] = {"quantity": "quantity", "semver": "version"}


def recognise(
    text: str,
    words: Words,
    kinds: Iterable[Is] = (),
    known: frozenset[Fact] = NOTHING_KNOWN,
) -> ConditionNode | None:
    """The expression that renders to the same tree as `text`; None if `text` is no CEL.

    Args:
        text: a CEL expression.
        words: what is known about names.
        kinds: device types, whose conditions are put into one word.
        known: what is certain about the devices that the expression is asked about.
    """
    from dradsl.cel.syntax.parse import CelSyntaxError, parse

    try:
        tree = parse(text)
    except CelSyntaxError:
        return None
    node = _settle(_Reader(text, words).read(tree), tuple(kinds), known)
    return node if same_cel(render(node, known=known), text) else Raw(text)


class _Reader:
    """Reads a tree of CEL into nodes; comparisons come out unguarded."""

    def __init__(self, text: str, words: Words) -> None:
        self._text = text
        self._words = words

    def read(self, tree: Expr) -> ConditionNode:
        from dradsl.cel.syntax import ast

        match tree:
            case ast.Call(function="_&&_"):
                return And(tuple(map(self.read, ast.chain_of(tree))))
            case ast.Call(function="_||_"):
                return Or(tuple(map(self.read, ast.chain_of(tree))))
            case ast.Call(function="!_", args=(inner,)):
                return negate(self.read(inner))
        leaf = self._leaf(tree)
        return Raw(self._text[slice(*tree.span)]) if leaf is None else leaf

    def _leaf(self, tree: Expr) -> ConditionNode | None:
        from dradsl.cel.syntax import ast

        match tree:
            case ast.Select(test_only=True):
                operand = self._operand(replace(tree, test_only=False), "string")
                return None if operand is None else Exists(operand)
            case ast.Call(function=function, args=(left, right)) if function in _EQUALITY:
                return self._equality(_EQUALITY[function], left, right)
            case ast.Call(function=function, args=(left, right)) if function in _ORDER:
                return self._order(_ORDER[function], left, right)
            case ast.Call(function="@in", args=(left, ast.ListExpr(elements=elements))):
                return self._among(left, elements)
            case ast.Call(function="@in", args=(left, right)):
                return self._compare(Op.CONTAINS, right, left, several=True)
            case ast.Call(function=function, target=ast.Expr() as target, args=(argument,)):
                op = _TEXT.get(function) or _CALLS.get(function)
                return None if op is None else self._compare(op, target, argument)
        operand = self._operand(tree, "bool")
        if operand is not None and operand.type == "bool":
            return Comparison(operand, Op.HOLDS, True, guarded=False)
        return None

    def _equality(self, op: Op, left: Expr, right: Expr) -> ConditionNode | None:
        from dradsl.cel.syntax import ast

        match left, right:
            case (
                ast.Select(operand=ast.Ident(name="device"), field="driver", test_only=False),
                ast.Literal(value=str(name)),
            ):
                return Driver(name, negated=op is Op.NE)
        return self._compare(op, left, right)

    def _order(self, op: Op, left: Expr, right: Expr) -> ConditionNode | None:
        from dradsl.cel.syntax import ast

        match left, right:
            case ast.Call(function="compareTo", target=ast.Expr() as target, args=(amount,)), (
                ast.Literal(value=0)
            ):
                return self._compare(op, target, amount)
        return self._compare(op, left, right)

    def _among(self, left: Expr, elements: tuple[Expr, ...]) -> ConditionNode | None:
        values = [_constant(one) for one in elements]
        types = {one[0] for one in values if one is not None}
        if None in values or len(types) != 1:
            return None
        operand = self._operand(left, types.pop())
        constants = tuple(one[1] for one in values if one is not None)
        return None if operand is None else Comparison(operand, Op.IN, constants, guarded=False)

    def _compare(
        self, op: Op, left: Expr, right: Expr, *, several: bool = False
    ) -> ConditionNode | None:
        constant = _constant(right)
        if constant is None:
            return None
        type_, value = constant
        wanted: Any = f"{type_}s" if several else type_
        operand = self._operand(left, wanted)
        if operand is None or operand.type != wanted:
            return None
        return Comparison(operand, op, value, guarded=False)

    def _operand(self, tree: Expr, type_: ValueType) -> Operand | None:
        """The operand that `tree` reads; of `type_` if nothing is known about it."""
        from dradsl.cel.syntax import ast

        match tree:
            case ast.Select(operand=outer, field=name, test_only=False):
                pass
            case ast.Call(function="_[_]", args=(outer, ast.Literal(value=str(name)))):
                pass
            case _:
                return None
        match outer:
            case ast.Call(
                function="_[_]",
                args=(
                    ast.Select(
                        operand=ast.Ident(name="device"),
                        field="attributes" | "capacity" as source,
                        test_only=False,
                    ),
                    ast.Literal(value=str(domain)),
                ),
            ):
                unknown = Operand(source, domain, name, type_)
                return self._words(source, domain, name) or unknown
        return None


def _constant(tree: Expr) -> tuple[ValueType, Any] | None:
    from dradsl.cel.syntax import ast

    match tree:
        case ast.Literal(value=bool(value)):
            return "bool", value
        case ast.Literal(value=str(value)):
            return "string", value
        case ast.Literal(value=int(value)) if type(value) is int:
            return "int", value
        case ast.Call(function=function, target=None, args=(ast.Literal(value=str(value)),)):
            type_ = _AMOUNTS.get(function)
            return None if type_ is None else (type_, value)
    return None


def _settle(node: ConditionNode, kinds: tuple[Is, ...], known: frozenset[Fact]) -> ConditionNode:
    """Device types in one word, guards taken into the comparisons that they are before."""
    match node:
        case And(parts):
            settled = _settle_parts(_with_kinds(parts, kinds), kinds, known, holds=True)
            return settled[0] if len(settled) == 1 else And(tuple(settled))
        case Or(parts):
            return Or(tuple(_settle_parts(list(parts), kinds, known, holds=False)))
        case Comparison(operand=operand):
            return replace(node, guarded=is_present(operand, known))
        case Driver() if not node.negated:
            whole = [kind for kind in kinds if kind.condition == node]
            return whole[0] if whole else node
    return node


def _settle_parts(
    parts: list[ConditionNode], kinds: tuple[Is, ...], known: frozenset[Fact], *, holds: bool
) -> list[ConditionNode]:
    settled: list[ConditionNode] = []
    waiting = parts[::-1]
    while waiting:
        part = waiting.pop()
        guarded = _guarded_by(part, waiting[-1], known) if holds and waiting else None
        if guarded is not None:
            waiting.pop()
        settled.append(_settle(part, kinds, known) if guarded is None else guarded)
        known |= facts(settled[-1], holds=holds)
    return settled


def _guarded_by(
    part: ConditionNode, following: ConditionNode, known: frozenset[Fact]
) -> ConditionNode | None:
    """`following` with its guard, if `part` is there only for that: `has(x) && x == 1`."""
    match part, following:
        case Exists(operand, False), Comparison(operand=same) if operand == same:
            return None if is_present(operand, known) else replace(following, guarded=True)
    return None


def _with_kinds(parts: tuple[ConditionNode, ...], kinds: tuple[Is, ...]) -> list[ConditionNode]:
    """`parts` with the conditions of a device type, where they stand first, as that type."""
    for kind in sorted(kinds, key=lambda one: -len(_conditions(one))):
        conditions = _conditions(kind)
        if _unguarded(parts[: len(conditions)]) == _unguarded(conditions):
            return [kind, *parts[len(conditions) :]]
    return list(parts)


def _conditions(kind: Is) -> tuple[ConditionNode, ...]:
    return kind.condition.parts if isinstance(kind.condition, And) else (kind.condition,)


def _unguarded(parts: tuple[ConditionNode, ...]) -> tuple[ConditionNode, ...]:
    return tuple(replace(p, guarded=False) if isinstance(p, Comparison) else p for p in parts)

"""Nodes of a CEL expression: frozen, and each one knows where it is in the text.

`span` is the text that a node covers, as (start, end) code point offsets, the end exclusive.
`at` is the offset to which upstream ties the node (the operator of `a == b`, the dot of `a.b`,
the parenthesis of `f(x)`), so error positions equal those of the API server.

Macros are expanded while parsing, as upstream does; `origin` keeps the call that was written.
Nodes are compared by identity: the checker, the cost estimate and the compiler hang their
answers on them in dictionaries.
"""

from __future__ import annotations

from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.cel.runtime.values import Value

__all__ = [
    "Call",
    "Comprehension",
    "Expr",
    "FieldInit",
    "Ident",
    "ListExpr",
    "Literal",
    "MapEntry",
    "MapExpr",
    "Select",
    "Span",
    "StructExpr",
    "chain_of",
    "depth",
    "reach",
    "walk",
]

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """What all nodes have: the text they cover and the offset upstream reports them at."""

    span: Span
    at: int

    def below(self) -> tuple[Expr, ...]:
        """The direct sub-expressions, in the order of evaluation."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Expr):
    """A constant of a primitive type; `value` is in the form of `dradsl.cel.runtime.values`."""

    value: Value


@dataclass(frozen=True, slots=True, eq=False)
class Ident(Expr):
    """A name; with a leading dot if one was written."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Select(Expr):
    """`operand.field`, or `has(operand.field)` if `test_only`; `field_span` is the name alone."""

    operand: Expr
    field: str
    test_only: bool = False
    field_span: Span = (0, 0)
    origin: Call | None = None

    def below(self) -> tuple[Expr, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True, eq=False)
class Call(Expr):
    """A function or operator call. Operators carry upstream's names: `_==_`, `_[_]`, `_?._`.

    `name_span` is the function's name in the text (the operator, for operators).
    """

    function: str
    target: Expr | None
    args: tuple[Expr, ...]
    name_span: Span = (0, 0)
    origin: Call | None = None

    def below(self) -> tuple[Expr, ...]:
        return self.args if self.target is None else (self.target, *self.args)


@dataclass(frozen=True, slots=True, eq=False)
class ListExpr(Expr):
    """`[a, ?b]`; `optional` holds the indices of the elements written with `?`."""

    elements: tuple[Expr, ...]
    optional: frozenset[int] = frozenset()

    def below(self) -> tuple[Expr, ...]:
        return self.elements


@dataclass(frozen=True, slots=True, eq=False)
class MapEntry:
    """`key: value` of a map literal, `?key: value` if optional; `at` is the colon."""

    at: int
    key: Expr
    value: Expr
    optional: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MapExpr(Expr):
    """`{key: value, ?key: value}`."""

    entries: tuple[MapEntry, ...]

    def below(self) -> tuple[Expr, ...]:
        return tuple(part for entry in self.entries for part in (entry.key, entry.value))


@dataclass(frozen=True, slots=True, eq=False)
class FieldInit:
    """`name: value` of a message literal; `at` is the colon."""

    at: int
    name: str
    value: Expr
    optional: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class StructExpr(Expr):
    """`google.protobuf.Duration{seconds: 1}`: a message literal."""

    type_name: str
    fields: tuple[FieldInit, ...]

    def below(self) -> tuple[Expr, ...]:
        return tuple(init.value for init in self.fields)


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension(Expr):
    """What the iterating macros and `cel.bind` become: a fold of `step` over `range`.

    `macro` names the macro that was written ("all", "map", "cel.bind", ...); `var2` is None
    in the one-variable form. The accumulator starts as `init`, folding goes on while
    `condition` holds, and `result` is computed from it at the end.
    """

    macro: str
    range: Expr
    var: str
    var2: str | None
    accu: str
    init: Expr
    condition: Expr
    step: Expr
    result: Expr
    origin: Call | None = None

    def below(self) -> tuple[Expr, ...]:
        return (self.range, self.init, self.condition, self.step, self.result)


def walk(node: Expr) -> Iterator[Expr]:
    """The node and all nodes under it, parents first, without recursion."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        below = current.below()
        if below:
            stack += below[::-1]


def depth(node: Expr) -> int:
    """How many levels the tree has; 1 for a leaf."""
    levels = 0
    layer: tuple[Expr, ...] = (node,)
    while layer:
        levels += 1
        layer = tuple(child for parent in layer for child in parent.below())
    return levels


def reach(node: Expr) -> int:
    """How deep types and evaluations of the tree can get, in levels.

    A name that a macro gives stands for another part of the tree, which may hold such names
    again: then all parts can come to lie below each other.
    """
    nodes = list(walk(node))
    return len(nodes) if any(isinstance(each, Comprehension) for each in nodes) else depth(node)


def chain_of(node: Call) -> list[Expr]:
    """The operands of a chain of `&&` or of `||`, left to right."""
    terms: list[Expr] = []
    stack: list[Expr] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, Call) and current.function == node.function and not current.target:
            stack.extend(reversed(current.args))
        else:
            terms.append(current)
    return terms

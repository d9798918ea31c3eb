"""What an expression means and why it decides as it does: typed tree, cost by part, clauses."""

from __future__ import annotations

import json

from dradsl.cel.cost.actual import Meter, MeteredCompiler
from dradsl.cel.cost.estimate import estimate_parts
from dradsl.cel.dialects import base_functions
from dradsl.cel.evaluation.compiler import Compiler
from dradsl.cel.evaluation.lookups import link
from dradsl.cel.runtime.values import CelPanicError, CelRuntimeError, Optional
from dradsl.cel.syntax.ast import Call, Expr, Ident, Literal, Select, chain_of
from dradsl.cel.syntax.deep import deep
from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.cel.compile import Program
    from dradsl.cel.cost.ranges import Estimate
    from dradsl.cel.runtime.values import Value
    from dradsl.cel.types import Type

__all__ = ["Clause", "ClauseOutcome", "Part", "clauses", "parts", "shown_value"]


class Part(Record):
    """A sub-expression: its text, depth in the tree, type and estimated cost."""

    node: Expr
    text: str
    level: int
    type: Type
    cost: Estimate | None


def parts(program: Program) -> Iterator[Part]:
    """The sub-expressions, outer ones first; what macros add of their own is left out."""
    costs = estimate_parts(program.checked, program.environment)
    shown: set[tuple[int, int]] = set()
    stack: list[tuple[Expr, int]] = [(program.checked.expr, 0)]
    while stack:
        node, level = stack.pop()
        inner = level
        if node.span not in shown and node in program.checked.types:
            shown.add(node.span)
            start, end = node.span
            type_ = program.checked.types[node]
            yield Part(node, program.text[start:end], level, type_, costs.get(node))
            inner = level + 1
        stack.extend([(child, inner) for child in reversed(_written(node))])


def _written(node: Expr) -> Sequence[Expr]:
    if isinstance(node, Call) and node.function in ("_&&_", "_||_"):
        return chain_of(node)
    return [child for child in node.below() if not isinstance(child, Literal)]


class ClauseOutcome(Record):
    """How a clause came out: its value or its error, and the values it looked at."""

    value: Value
    error: CelRuntimeError | None
    seen: tuple[tuple[str, Value | CelRuntimeError], ...]


class Clause:
    """An operand of the `&&` at the top of an expression (the whole, if there is none)."""

    def __init__(self, program: Program, node: Expr) -> None:
        start, end = node.span
        self.text = program.text[start:end]
        self.span = node.span
        self._whole = _Piece(program, node)
        self._seen = [
            (program.text[found.span[0] : found.span[1]], _Piece(program, found))
            for found in _lookups(node, program)
        ]

    def outcome(self, values: Sequence[Value]) -> ClauseOutcome:
        """Evaluates the clause alone, for the values of the environment's variables."""
        seen = tuple([(text, piece.attempt(values)) for text, piece in self._seen])
        result = self._whole.attempt(values)
        if isinstance(result, CelRuntimeError):
            return ClauseOutcome(None, result, seen)
        return ClauseOutcome(result, None, seen)


class _Piece:
    """A part of a program that evaluates by itself, within the cost limit."""

    def __init__(self, program: Program, node: Expr) -> None:
        env = program.environment
        kind = Compiler if program.bounded else MeteredCompiler
        compiler = kind(program.checked, env, base_functions(env.dialect))
        self._levels = program.checked.levels
        self._limit = env.cost_limit
        self._code = deep(compiler.compile, 2 * self._levels, node)
        self._width = compiler.variables.width
        self._meter = compiler.meter if isinstance(compiler, MeteredCompiler) else None

    def attempt(self, values: Sequence[Value]) -> Value | CelRuntimeError:
        """The value, or the error as a value."""
        frame = [*values, *[None] * (self._width - len(values))]
        if self._meter is not None:
            frame[self._meter] = Meter(self._limit)
        try:
            return deep(self._code, self._levels, frame)
        except CelRuntimeError as error:
            return error
        except CelPanicError as panic:
            return CelRuntimeError(str(panic))


def clauses(program: Program) -> list[Clause]:
    """The clauses of an expression, in order."""
    root = program.checked.expr
    if isinstance(root, Call) and root.function == "_&&_":
        return [Clause(program, term) for term in chain_of(root)]
    return [Clause(program, root)]


def _lookups(node: Expr, program: Program) -> list[Expr]:
    """The longest lookups from a variable of the environment within a clause."""
    found: dict[str, Expr] = {}
    stack = [node]
    while stack:
        current = stack.pop()
        if _is_lookup(current, program):
            start, end = current.span
            found.setdefault(program.text[start:end], current)
        else:
            stack.extend(current.below()[::-1])
    return list(found.values())


def _is_lookup(node: Expr, program: Program) -> bool:
    if isinstance(node, Select) and node.test_only:
        return False
    steps = 0
    while (following := _operand(node)) is not None:
        node = following
        steps += 1
    if not isinstance(node, Ident) or not steps:
        return False
    reference = program.checked.references.get(node)
    return reference is not None and reference.name in program.environment.variables


def _operand(node: Expr) -> Expr | None:
    found = link(node)
    if found is not None:
        return found[0]
    if isinstance(node, Call) and node.function in ("_?._", "_[?_]"):
        return node.args[0] if isinstance(node.args[1], Literal) else None
    return None


def shown_value(value: object) -> str:
    """A value as CEL would write it; of an error its message in parentheses."""
    if isinstance(value, CelRuntimeError):
        return f"({value.message})"
    if isinstance(value, Optional):
        return f"optional({shown_value(value.value)})" if value.present else "none"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return "[" + ", ".join([shown_value(item) for item in value]) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join([f"{key}: {shown_value(item)}" for key, item in value.items()]) + "}"
    return str(value)

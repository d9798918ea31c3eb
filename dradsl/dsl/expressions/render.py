"""From nodes to CEL: guards where a value can be missing, few parentheses, readable lines.

A device may be of any driver, and reading what it does not publish is a run-time error that stops
the whole pod's scheduling. So a value is read behind `has(...)`, unless something to the left (or
the device class) has already shown that it is there. What has been shown is kept as facts.

Forms are chosen for what upstream accepts: quantities and versions have no `>=` and are compared by
calls; `!=` on two quantities is beyond its cost limit, so that is `!(a == b)`.
"""

from __future__ import annotations

import re
from typing import Literal

from dradsl.dsl.expressions.defaults import outcome_if_missing
from dradsl.dsl.expressions.facts import NOTHING_KNOWN, Fact, facts, is_present
from dradsl.dsl.expressions.literals import quote
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
    negate,
)
from dradsl.dsl.expressions.placeholders import action_of
from dradsl.records import dataclass

__all__ = ["access", "render"]

_INDENT = "  "
# Tokens of the CEL grammar: no field names, even behind a dot.
_TOKENS = frozenset({"in", "true", "false", "null"})
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Joined:
    sign: Literal["&&", "||"]
    parts: tuple[str | _Joined, ...]


def render(
    node: ConditionNode,
    *,
    known: frozenset[Fact] = NOTHING_KNOWN,
    width: int | None = 80,
) -> str:
    """The CEL of `node`: on one line if it fits into `width` columns, else one line a part.

    `known` are facts that hold wherever the expression is evaluated: they spare guards.
    """
    tree = _lower(node, known)
    line = _on_one_line(tree)
    return line if width is None or len(line) <= width else _on_lines(tree, 0, width)


def access(operand: Operand) -> str:
    """How CEL reads the operand."""
    domain = f"device.{operand.source}[{quote(operand.domain)}]"
    return domain + (f".{operand.name}" if _is_field(operand.name) else f"[{quote(operand.name)}]")


def _is_field(name: str) -> bool:
    return name not in _TOKENS and _IDENTIFIER.fullmatch(name) is not None


def _lower(node: ConditionNode, known: frozenset[Fact]) -> str | _Joined:
    match node:
        case And(parts) | Or(parts):
            return _lower_parts(node, parts, known)
        case Driver(name, negated):
            return f"device.driver {'!=' if negated else '=='} {quote(name)}"
        case Is(condition=condition, negated=negated):
            return _lower(_complement(condition, known) if negated else condition, known)
        case Exists(operand, negated):
            return _exists(operand, negated)
        case Raw(text, negated):
            return f"!{_operand_of('!', text)}" if negated else text
        case Comparison():
            return _lower_comparison(node, known)
    raise TypeError(f"{type(node).__name__} has no CEL form")


def _complement(condition: ConditionNode, known: frozenset[Fact]) -> ConditionNode:
    """All other devices than those of a kind: one that lacks what tells the kind is another."""
    parts: list[ConditionNode] = []
    for part in condition.parts if isinstance(condition, And) else (condition,):
        if isinstance(part, Comparison) and not is_present(part.operand, known):
            parts.append(Exists(part.operand, negated=True))
        parts.append(negate(part))
        known |= facts(part, holds=True)
    return Or(tuple(parts))


def _lower_parts(
    node: And | Or, parts: tuple[ConditionNode, ...], known: frozenset[Fact]
) -> str | _Joined:
    sign: Literal["&&", "||"] = "&&" if isinstance(node, And) else "||"
    lowered: list[str | _Joined] = []
    for part in parts:
        text = _lower(part, known)
        if isinstance(part, Raw) and not part.negated:
            text = _operand_of(sign, part.text)
        lowered.extend(text.parts if isinstance(text, _Joined) and text.sign == sign else (text,))
        # The next part is reached only where this one was true (of &&), or false (of ||).
        known |= facts(part, holds=isinstance(node, And))
    return _Joined(sign, tuple(lowered))


def _operand_of(sign: str, text: str) -> str:
    """CEL as text, in parentheses if it binds less tightly than `sign`, or if that is not known."""
    if _binding(text) >= _BINDING[sign]:
        return text
    # A comment at the end must not swallow the parenthesis.
    return f"({text}\n)" if "//" in text else f"({text})"


_BINDING = {"?:": 0, "||": 1, "&&": 2, "relation": 3, "!": 4}
_RELATIONS = frozenset(["_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in"])
_ARITHMETIC = frozenset(["_+_", "_-_", "_*_", "_/_", "_%_", "-_"])


def _binding(text: str) -> int:
    """How tightly the outermost operator of `text` binds; -1 if it does not parse."""
    from dradsl.cel.syntax.ast import Call
    from dradsl.cel.syntax.parse import CelSyntaxError, parse

    try:
        tree = parse(text)
    except CelSyntaxError:
        return -1
    if "//" in text:
        return -1
    function = tree.function if isinstance(tree, Call) and tree.target is None else ""
    if function == "_?_:_":
        return _BINDING["?:"]
    if function in {"_||_", "_&&_"}:
        return _BINDING[function.strip("_")]
    return _BINDING["relation" if function in _RELATIONS | _ARITHMETIC else "!"]


def _lower_comparison(node: Comparison, known: frozenset[Fact]) -> str | _Joined:
    text = _compare(node)
    if not node.guarded or is_present(node.operand, known):
        return text
    if outcome_if_missing(node):
        return _Joined("||", (_exists(node.operand, negated=True), text))
    return _Joined("&&", (_exists(node.operand, negated=False), text))


def _exists(operand: Operand, negated: bool) -> str:
    if _is_field(operand.name):
        return f"{'!' if negated else ''}has({access(operand)})"
    text = f"{quote(operand.name)} in device.{operand.source}[{quote(operand.domain)}]"
    return f"!({text})" if negated else text


def _compare(node: Comparison) -> str:
    left, op, value = access(node.operand), node.op, node.value
    if op in {Op.HOLDS, Op.NOT_HOLDS}:
        return left if op is Op.HOLDS else f"!{left}"
    if node.operand.type in {"strings", "ints", "bools", "versions"}:
        text = f"{_literal(node, value)} in {left}"
        return text if op is Op.CONTAINS else f"!({text})"
    match op:
        case Op.IN | Op.NOT_IN:
            return _membership(node, left)
        case Op.EQ | Op.NE:
            if op is Op.NE and node.operand.type == "quantity":
                return f"!({left} == {_literal(node, value)})"
            return f"{left} {op} {_literal(node, value)}"
        case Op.LT | Op.LE | Op.GT | Op.GE:
            return _ordering(node, left)
        case _:
            word = op.value.split()[-1]
            return f"{'!' if word != op else ''}{left}.{word}({_literal(node, value)})"


def _ordering(node: Comparison, left: str) -> str:
    right = _literal(node, node.value)
    if node.operand.type == "int":
        return f"{left} {node.op} {right}"
    match node.op:
        case Op.GT:
            return f"{left}.isGreaterThan({right})"
        case Op.LT:
            return f"{left}.isLessThan({right})"
        case _:
            return f"{left}.compareTo({right}) {node.op} 0"


def _membership(node: Comparison, left: str) -> str:
    values = node.value if isinstance(node.value, tuple) else (node.value,)
    listed = f"[{', '.join(_literal(node, value) for value in values)}]"
    text = f"{left} in {action_of(values, text=False) or listed}"
    return text if node.op is Op.IN else f"!({text})"


def _literal(node: Comparison, value: object) -> str:
    match node.operand.type:
        case "version" | "versions":
            return f"semver({_text(value)})"
        case "quantity":
            return f"quantity({_text(value)})"
        case _:
            if isinstance(value, bool):
                return "true" if value else "false"
            if isinstance(value, int):
                return action_of(value, text=False) or str(value)
            return _text(value)


def _text(value: object) -> str:
    return action_of(value, text=True) or quote(str(value))


def _on_one_line(tree: str | _Joined, outer: str = "") -> str:
    if isinstance(tree, str):
        return tree
    text = f" {tree.sign} ".join(_on_one_line(part, tree.sign) for part in tree.parts)
    return f"({text})" if _needs_parentheses(tree, outer) else text


def _on_lines(tree: str | _Joined, depth: int, width: int, outer: str = "") -> str:
    indent = _INDENT * depth
    line = indent + _on_one_line(tree, outer)
    if isinstance(tree, str) or len(line) <= width:
        return line
    if _needs_parentheses(tree, outer):
        return f"{indent}(\n{_on_lines(tree, depth + 1, width)}\n{indent})"
    # An `&&` group inside `||` needs no parentheses; its further lines stand further in.
    further = depth + 1 if outer else depth
    first, *rest = tree.parts
    lines = [_on_lines(first, depth, width, tree.sign)]
    lines += [_on_lines(part, further, width, tree.sign) for part in rest]
    return f" {tree.sign}\n".join(lines)


def _needs_parentheses(tree: _Joined, outer: str) -> bool:
    return tree.sign == "||" and outer == "&&"

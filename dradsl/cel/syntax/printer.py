"""Prints expressions in one form: spaces around operators, no needless parentheses.

Literals keep their spelling. What is longer than a line is broken after the `&&` and `||` at
its top, one clause a line.
"""

from __future__ import annotations

from dradsl.cel.syntax.ast import (
    Call,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    StructExpr,
    chain_of,
    depth,
)
from dradsl.cel.syntax.deep import deep
from dradsl.cel.syntax.lexer import tokenize
from dradsl.cel.syntax.parse import BINARY, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["format_expression"]

_TERNARY, _OR, _AND = range(3)
_UNARY, _MEMBER = 6, 7  # above those of BINARY

_BINARY = {function: (text, level) for text, (function, level) in BINARY.items()}


def format_expression(text: str, width: int = 100) -> str:
    """`text` in the one form; as it is (but for space at the ends) if it has comments.

    `width` is the longest line that is aimed at, in code points.

    Raises:
        CelSyntaxError: if it cannot be parsed.
    """
    root = parse(text, backtick_names=True)
    if _has_comments(text):
        return text.strip()
    printer = _Printer(text)
    line: str = deep(printer.print, depth(root), root)
    if len(line) <= width or not isinstance(root, Call) or root.function not in ("_&&_", "_||_"):
        return line
    return deep(printer.clauses, depth(root), root)


def _has_comments(text: str) -> bool:
    """Whether something is between the tokens that is no space."""
    tokens = tokenize(text)
    ends = [0, *tokens.ends]
    gaps = [text[end:start] for end, start in zip(ends, tokens.starts, strict=False)]
    return any(gap.strip() for gap in gaps)


class _Printer:
    def __init__(self, text: str) -> None:
        self._text = text

    def clauses(self, root: Call) -> str:
        symbol, binding = _BINARY[root.function]
        terms = [self._inside(term, binding + 1) for term in chain_of(root)]
        return f" {symbol}\n".join(terms)

    def print(self, node: Expr) -> str:
        """The node on one line."""
        origin = getattr(node, "origin", None)
        if isinstance(origin, Call):
            return self._call(origin)
        match node:
            case Literal():
                return self._text[node.span[0] : node.span[1]].replace("- ", "-")
            case Ident():
                return node.name
            case Select():
                return f"{self._inside(node.operand, _MEMBER)}.{self._name(node)}"
            case Call():
                return self._call(node)
            case ListExpr():
                elements = [
                    ("?" if index in node.optional else "") + self.print(element)
                    for index, element in enumerate(node.elements)
                ]
                return f"[{', '.join(elements)}]"
            case MapExpr():
                entries = [
                    f"{'?' if entry.optional else ''}{self.print(entry.key)}: "
                    f"{self.print(entry.value)}"
                    for entry in node.entries
                ]
                return f"{{{', '.join(entries)}}}"
            case StructExpr():
                fields = [
                    f"{'?' if init.optional else ''}{init.name}: {self.print(init.value)}"
                    for init in node.fields
                ]
                return f"{node.type_name}{{{', '.join(fields)}}}"
        raise AssertionError(f"no such node: {node!r}")

    def _name(self, node: Select) -> str:
        start, end = node.field_span
        return self._text[start:end]

    def _call(self, node: Call) -> str:
        if node.function in _BINARY and node.target is None:
            return self._binary(node)
        if node.function in ("!_", "-_") and node.target is None:
            return self._unary(node)
        if node.function == "_?_:_":
            test, then, other = node.args
            return (
                f"{self._inside(test, _OR)} ? {self._inside(then, _OR)} : "
                f"{self._inside(other, _TERNARY)}"
            )
        if node.function in ("_[_]", "_[?_]"):
            mark = "?" if node.function == "_[?_]" else ""
            container, key = node.args
            return f"{self._inside(container, _MEMBER)}[{mark}{self.print(key)}]"
        if node.function == "_?._":
            operand, key = node.args
            start, end = key.span
            return f"{self._inside(operand, _MEMBER)}.?{self._text[start:end]}"
        args = ", ".join([self.print(arg) for arg in node.args])
        if node.target is None:
            return f"{node.function}({args})"
        return f"{self._inside(node.target, _MEMBER)}.{node.function}({args})"

    def _binary(self, node: Call) -> str:
        symbol, binding = _BINARY[node.function]
        if binding <= _AND:
            terms: Sequence[Expr] = chain_of(node)
            return f" {symbol} ".join([self._inside(term, binding + 1) for term in terms])
        # Chains of equal binding lean to the left: that side needs no parentheses.
        left, right = node.args
        return f"{self._inside(left, binding)} {symbol} {self._inside(right, binding + 1)}"

    def _unary(self, node: Call) -> str:
        symbol = node.function[0]
        operand = node.args[0]
        shown = self._inside(operand, _MEMBER)
        number = isinstance(operand, Literal) and type(operand.value) in (int, float)
        if symbol == "-" and number:
            shown = f"({shown})"  # `-5` would be a literal
        return symbol + shown

    def _inside(self, node: Expr, binding: int) -> str:
        """The node as an operand of something that binds so strongly."""
        shown = self.print(node)
        return f"({shown})" if _binding(node) < binding else shown


def _binding(node: Expr) -> int:
    if getattr(node, "origin", None) is not None or not isinstance(node, Call):
        return _MEMBER
    if node.target is not None:
        return _MEMBER
    if node.function in _BINARY:
        return _BINARY[node.function][1]
    if node.function in ("!_", "-_"):
        return _UNARY
    return _TERNARY if node.function == "_?_:_" else _MEMBER

"""Whether two texts of CEL are one expression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dradsl.cel.syntax.ast import Expr

__all__ = ["same_cel"]


def same_cel(one: str, other: str) -> bool:
    """Whether two texts are one expression, differently written (quotes, spaces, parentheses)."""
    from dradsl.cel.syntax.parse import CelSyntaxError, parse

    try:
        return bool(_shape(parse(one)) == _shape(parse(other)))
    except CelSyntaxError:
        return False


def _shape(tree: Expr) -> Any:
    """The tree without places; `a.b` and `a["b"]` are one, and so are ((a && b) && c) and a && b && c."""
    from dradsl.cel.syntax import ast

    match tree:
        case ast.Literal(value=value):
            return (type(value).__name__, repr(value))
        case ast.Ident(name=name):
            return ("name", name)
        case ast.Select(operand=operand, field=field, test_only=False):
            return ("_[_]", _shape(operand), ("str", repr(field)))
        case ast.Select(operand=operand, field=field):
            return ("has", _shape(operand), field)
        case ast.Call(function="_[_]", args=(operand, ast.Literal(value=str(field)))):
            return ("_[_]", _shape(operand), ("str", repr(field)))
        case ast.Call(function="_&&_" | "_||_" as function):
            return (function, *map(_shape, ast.chain_of(tree)))
        case ast.Call(function=function, target=target, args=args):
            return (function, None if target is None else _shape(target), *map(_shape, args))
        case ast.ListExpr(elements=elements, optional=optional):
            return ("list", tuple(sorted(optional)), *map(_shape, elements))
    # Comprehensions, maps, messages: only the very same text is the same.
    return (type(tree).__name__, tree.span, tuple(map(_shape, tree.below())))

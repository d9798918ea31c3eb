"""A selector taken apart at its top-level `&&`, so that one can say which clause failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.cel.syntax.ast import Expr

__all__ = ["join_clauses", "split_clauses"]


def split_clauses(expression: str) -> tuple[str, ...]:
    """The conjuncts of an expression as written; the expression itself if it has but one."""
    from dradsl.cel.syntax.parse import CelSyntaxError, parse

    try:
        root = parse(expression)
    except CelSyntaxError:
        return (expression,)
    parts: list[str] = []
    pending: list[Expr] = [root]
    while pending:
        node = pending.pop()
        if getattr(node, "function", None) == "_&&_":
            pending += reversed(getattr(node, "args", ()))
        else:
            start, end = node.span
            parts.append(expression[start:end])
    return tuple(parts) if len(parts) > 1 else (expression,)


def join_clauses(clauses: Sequence[str]) -> str:
    """The conjunction of clauses; those that bind weaker are put in parentheses."""
    return " && ".join(f"({c})" if "||" in c or "?" in c.replace("?.", "") else c for c in clauses)

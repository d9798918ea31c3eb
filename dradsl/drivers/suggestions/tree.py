"""A selector as text and tree."""

from __future__ import annotations

from dradsl.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from dradsl.cel.syntax.ast import Expr

__all__ = ["ExpressionTree", "tree_of"]


class ExpressionTree(Record):
    """The text of an expression, its root, and the parent of each node below that."""

    text: str
    root: Expr
    parents: Mapping[Expr, Expr]

    def source(self, node: Expr) -> str:
        """The text that a node covers."""
        return self.text[node.span[0] : node.span[1]]


def tree_of(text: str, root: Expr) -> ExpressionTree:
    """The tree of the expression `text`, parsed as `root`."""
    parents: dict[Expr, Expr] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        for child in node.below():
            parents[child] = node
            stack.append(child)
    return ExpressionTree(text, root, parents)

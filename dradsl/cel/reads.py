"""What of its variable an expression reads: the keys that decide its outcome.

A device can be told from another only by these, so a selector is evaluated once for each
distinct combination of their values.
"""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call, Expr, Ident, Literal, Select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.checker.check import CheckedExpression

__all__ = ["Read", "reads"]

Read = tuple[str, ...]
"""A path of constant keys: ("driver",), ("attributes", "gpu.nvidia.com", "model")."""


def reads(checked: CheckedExpression, variable: str = "device") -> frozenset[Read] | None:
    """The paths below `variable` that the expression looks up, by constant keys alone.

    A path may be cut short, and then all below it counts: ("attributes", "gpu.nvidia.com") for
    a loop over a domain. None if the variable itself is used in another way.
    """
    found: set[Read] = set()
    stack: list[Expr] = [checked.expr]
    while stack:
        node = stack.pop()
        path = _path(node, variable, checked)
        if path is None:
            stack.extend(node.below())
        elif not path:
            return None
        else:
            found.add(path)
    return frozenset(found)


def _path(node: Expr, variable: str, checked: CheckedExpression) -> Read | None:
    """The keys looked up from the variable; None if the node is no lookup from it.

    A macro's variable of the same name is taken for it, which only adds to what is read.
    """
    keys: list[str] = []
    while not isinstance(node, Ident):
        link = _link(node)
        if link is None:
            return None
        node, key = link
        keys.append(key)
    if node.name.removeprefix(".") != variable:
        return None
    reference = checked.references.get(node)
    if reference is None or reference.name != variable:
        return None
    return tuple(reversed(keys))


def _link(node: Expr) -> tuple[Expr, str] | None:
    """Operand and key of a lookup by a constant key, guarded or not."""
    if isinstance(node, Select):
        return node.operand, node.field
    if isinstance(node, Call) and node.target is None:
        if node.function in ("_[_]", "_[?_]", "_?._"):
            operand, key = node.args
        elif node.function == "@in":
            key, operand = node.args
        else:
            return None
        if isinstance(key, Literal) and isinstance(key.value, str):
            return operand, key.value
    return None

"""What upstream rejects only when it makes a program of an expression that its checker has let pass.

Some constant parts are tried before any evaluation: conversions, patterns, keys, names of types.
Where an expression has none of them, compiling it can wait until it is evaluated, if it ever is.
"""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call, Expr, Ident, Literal, MapExpr, Select, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.checker.check import CheckedExpression

__all__ = ["CONVERSIONS", "InstantiationError", "may_be_rejected"]

CONVERSIONS = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)
"""Functions that are computed beforehand for a constant."""

_TRIED = CONVERSIONS | {"find", "findAll"}
_LOOKUPS = frozenset({"_[_]", "_[?_]", "_?._"})


class InstantiationError(Exception):
    """A constant part that cannot be computed, which upstream finds before any evaluation."""


def may_be_rejected(checked: CheckedExpression) -> bool:
    """Whether compiling could raise an InstantiationError; true more often than it does."""
    for node in walk(checked.expr):
        if isinstance(node, Call):
            if _may_be_rejected(checked.references[node].name, node):
                return True
        elif isinstance(node, MapExpr):
            if any(
                isinstance(each.key, Literal) and type(each.key.value) is bytes
                for each in node.entries
            ):
                return True
        elif isinstance(node, Ident | Select):
            type_ = checked.types.get(node)  # the first half of `lists.range` has none
            if type_ is not None and type_.kind == "type":
                return True
    return False


def _may_be_rejected(name: str, node: Call) -> bool:
    if name in _LOOKUPS:
        return _text(node.args[1]) is None
    if name == "matches":
        pattern = _text(node.args[-1])
        return pattern is None or not _is_pattern(pattern)
    return name in _TRIED


def _text(node: Expr) -> str | None:
    """The text that a literal is, if it is one."""
    return node.value if isinstance(node, Literal) and isinstance(node.value, str) else None


def _is_pattern(text: str) -> bool:
    from dradsl.cel.library.regex import compile_pattern
    from dradsl.cel.runtime.values import CelRuntimeError

    try:
        compile_pattern(text)
    except CelRuntimeError:
        return False
    return True

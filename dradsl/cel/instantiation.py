"""What upstream refuses only when it makes a program of an expression that its checker has let pass.

Some constant parts are tried before any evaluation: conversions, patterns, keys, names of types.
Where an expression has none of them, compiling it can wait until it is evaluated, if it ever is.
"""

from __future__ import annotations

from dradsl.cel.ast import Call, Ident, Literal, Select, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.cel.check import Checked

__all__ = ["CONVERSIONS", "InstantiationError", "may_be_refused"]

CONVERSIONS = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)
"""Functions that are computed beforehand for a constant."""

_WITH_PATTERN = frozenset({"matches", "find", "findAll"})
_LOOKUPS = frozenset({"_[_]", "_[?_]", "_?._"})


class InstantiationError(Exception):
    """A constant part that cannot be computed, which upstream finds before any evaluation."""


def may_be_refused(checked: Checked) -> bool:
    """Whether compiling could raise an InstantiationError; true more often than it does."""
    for node in walk(checked.expr):
        if isinstance(node, Call):
            name = checked.references[node].name
            if name in CONVERSIONS or name in _WITH_PATTERN:
                return True
            if name in _LOOKUPS and not _is_text(node.args[1]):
                return True
        elif isinstance(node, Ident | Select):
            type_ = checked.types.get(node)  # the first half of `lists.range` has none
            if type_ is not None and type_.kind == "type":
                return True
    return False


def _is_text(key: object) -> bool:
    return isinstance(key, Literal) and isinstance(key.value, str)

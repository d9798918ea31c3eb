"""Texts that are taken apart or converted: what of it fails for every value that is known?

What `int(x)` or `x.split(" ")[9]` give depends on the value, which a schema often leaves open. So the
evaluator computes it for the values that are known.
"""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call, ListExpr, Literal, walk
from dradsl.drivers.abstract.constants import error_of
from dradsl.drivers.abstract.described_device import ORDERINGS
from dradsl.drivers.abstract.texts import STEPS, TESTS
from dradsl.drivers.schema.model import AttributeSchema, AttributeType
from dradsl.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observations import NameAccess

__all__ = ["FailingConversion", "failing_conversions"]

_VALUES = 8
# What is worked out already, or decides by itself what to look at.
_KNOWN = frozenset(
    [
        "_&&_",
        "_||_",
        "_?_:_",
        "!_",
        "_==_",
        "_!=_",
        "@in",
        "dyn",
        "includes",
        *ORDERINGS,
        *TESTS,
        *STEPS,
    ]
)


@dataclass(frozen=True, slots=True)
class FailingConversion:
    """A call at `node` on a text read as `access`, which fails with `error` for all of `values`."""

    node: Expr
    access: NameAccess
    error: str
    values: tuple[str, ...]


def failing_conversions(
    text: str,
    parents: Mapping[Expr, Expr],
    accesses: Iterable[NameAccess],
    release: str | None,
) -> list[FailingConversion]:
    """The calls of the expression `text` that fail for every value that is known."""
    found = []
    for access in accesses:
        parent = parents.get(access.node)
        if access.guarded or not isinstance(parent, Call) or parent.function in _KNOWN:
            continue
        values = _values(access)
        failing = _failing(text, parents, access, values, release) if values else None
        if failing is not None:
            found.append(failing)
    return found


def _values(access: NameAccess) -> list[str]:
    """Texts that devices are known to publish under a name; none if some publish no text."""
    found: dict[str, None] = {}
    for shape in access.standings:
        entry = shape.entry(access.name)
        if entry is None:
            continue
        if not isinstance(entry, AttributeSchema) or entry.types != (AttributeType.STRING,):
            return []
        found.update(dict.fromkeys(map(str, entry.values or entry.examples)))
    return list(found)[:_VALUES]


def _failing(
    text: str,
    parents: Mapping[Expr, Expr],
    access: NameAccess,
    values: list[str],
    release: str | None,
) -> FailingConversion | None:
    """The first call around the access that fails for all of the values."""
    node: Expr = access.node
    first, last = node.span
    while True:
        parent = parents.get(node)
        if not isinstance(parent, Call) or parent.function in _KNOWN or not _is_alone(parent, node):
            return None
        node = parent
        start, end = node.span
        if not start <= first <= last <= end:
            return None  # a macro made the call
        from dradsl.drivers.schema import device_plugin

        errors = [
            error_of(text[start:first] + device_plugin.quote(value) + text[last:end], release)
            for value in values
        ]
        if None not in errors:
            return FailingConversion(node, access, errors[0] or "", tuple(values))


def _is_alone(call: Call, operand: Expr) -> bool:
    """Whether everything in a call but `operand` is written out."""
    others = [
        each for each in (call.target, *call.args) if each is not None and each is not operand
    ]
    return all(
        isinstance(each, Call | ListExpr | Literal) for other in others for each in walk(other)
    )

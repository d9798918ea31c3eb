"""Texts that are taken apart or converted: does it work for any value that is known?

What `int(x)` or `x.split(" ")[9]` give depends on the value, which a schema often leaves open. So the
evaluator computes it for the values that are known, and a part that fails for all of them is a suspect.
"""

from __future__ import annotations

from dradsl.cel.syntax.ast import Call, ListExpr, Literal, walk
from dradsl.drivers.abstract.constants import error_of
from dradsl.drivers.abstract.described import ORDERINGS
from dradsl.drivers.abstract.texts import STEPS, TESTS
from dradsl.drivers.judge import selector_facts as facts
from dradsl.drivers.judge.suspects import Suspect
from dradsl.drivers.schema.device_plugin import quote
from dradsl.drivers.schema.model import Attribute, AttributeType
from dradsl.observations import Observation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.abstract.observe import Access
    from dradsl.drivers.judge.case import Case

__all__ = ["judge_conversions"]

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


def judge_conversions(case: Case) -> Iterator[Suspect]:
    """Calls on a text that fail for every value that is known of it."""
    for access in case.notes.accesses.values():
        parent = case.parents.get(access.node)
        if access.guarded or not isinstance(parent, Call) or parent.function in _KNOWN:
            continue
        values = _values(access)
        if values:
            yield from _failing(case, access, values)


def _values(access: Access) -> list[str]:
    """Texts that devices are known to publish under a name; none if some publish no text."""
    found: dict[str, None] = {}
    for shape in access.standings:
        entry = shape.entry(access.name)
        if entry is None:
            continue
        if not isinstance(entry, Attribute) or entry.types != (AttributeType.STRING,):
            return []
        found.update(dict.fromkeys(map(str, entry.values or entry.examples)))
    return list(found)[:_VALUES]


def _failing(case: Case, access: Access, values: list[str]) -> Iterator[Suspect]:
    """The first call around the access that fails for all of the values."""
    node: Expr = access.node
    while True:
        parent = case.parents.get(node)
        if not isinstance(parent, Call) or parent.function in _KNOWN or not _is_alone(parent, node):
            return
        node = parent
        start, end = node.span
        first, last = access.node.span
        if not start <= first <= last <= end:
            return  # a macro made the call
        errors = [
            error_of(
                case.text[start:first] + quote(value) + case.text[last:end], case.context.release
            )
            for value in values
        ]
        if None not in errors:
            text = case.source(node)
            found = facts.FailsForKnownValues(access.name[2], text, errors[0] or "", tuple(values))
            yield Suspect(Observation(found, span=node.span), (node,), found)
            return


def _is_alone(call: Call, operand: Expr) -> bool:
    """Whether everything in a call but `operand` is written out."""
    others = [
        each for each in (call.target, *call.args) if each is not None and each is not operand
    ]
    return all(
        isinstance(each, Call | ListExpr | Literal) for other in others for each in walk(other)
    )

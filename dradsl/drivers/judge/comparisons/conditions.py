"""The whole condition around a mistake, as it must be written: what is found in it put right, until nothing is left."""

from __future__ import annotations

from dradsl.cel.syntax.ast import walk
from dradsl.drivers.judge.case import case_of
from dradsl.drivers.judge.selector_facts import (
    Cause,
    ContradictsBefore,
    NeverTrue,
    UnguardedName,
)
from dradsl.observations import replaced
from dradsl.records import replace
from dradsl.values.limits import ROUNDS_OF_EXPRESSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.judge.case import SelectorCase
    from dradsl.observations import Observation, Replacement

__all__ = ["with_conditions"]

_OF_THE_WHOLE = ContradictsBefore | NeverTrue
_Span = tuple[int, int]


def with_conditions(
    case: SelectorCase,
    found: list[Observation],
    judge: Callable[[SelectorCase], list[Observation]],
) -> list[Observation]:
    """What `judge` found in the selector, each mistake with its condition as it must be written, where that is known."""
    written: dict[_Span, str | None] = {}
    said = []
    for each in found:
        clause = _clause(case, each.span) if _is_of_part(each) else None
        if clause is not None:
            if clause.span not in written:
                written[clause.span] = _written(case, clause.span, found, judge)
            each = replace(each, written=written[clause.span])
        said.append(each)
    return said


def _is_of_part(found: Observation) -> bool:
    """Whether something is wrong with one condition, whatever the others are; a guess is no reason for a guard."""
    facts = found.facts
    if isinstance(facts, UnguardedName):
        return facts.class_known and not facts.behind_gate
    return isinstance(facts, Cause)


def _clause(case: SelectorCase, span: _Span | None) -> Expr | None:
    """The condition, without `&&` or `||`, that holds a place; None if there is none."""
    around = [node for node in walk(case.expr) if span and _holds(node.span, span)]
    if not around:
        return None
    return case.clause(min(around, key=lambda node: node.span[1] - node.span[0]))


def _written(
    case: SelectorCase,
    span: _Span,
    found: Iterable[Observation],
    judge: Callable[[SelectorCase], list[Observation]],
) -> str | None:
    """A condition with all fixes inside it; None if that leaves something wrong.

    Conditions that the compiler rejects are put right elsewhere, and taken to hold.
    """
    text, (start, end) = case.text, span
    for each in case.context.rejected:
        clause = _clause(case, each)
        first, last = each if clause is None else clause.span
        if last - first < 4 or (first < end and start < last):
            return None
        above = case.parents.get(clause) if clause is not None else None
        holds = "1==2" if getattr(above, "function", "") == "_||_" else "true"
        text = f"{text[:first]}{holds.ljust(last - first)}{text[last:]}"
    context = replace(case.context, rejected=())
    for _ in range(ROUNDS_OF_EXPRESSIONS):
        if text != case.text:
            again = case_of(text, case.catalogue, context)
            if again is None:
                return None
            found = judge(again)
        fixes = [each.fix for each in found if each.fix and _is_of_part(each)]
        head, body, tail = (
            _fixed(text, part, fixes, but=start if part[0] != start else -1)
            for part in ((0, start), (start, end), (end, len(text)))
        )
        if head + body + tail == text:
            break
        text, start, end = head + body + tail, len(head), len(head) + len(body)
    left = [each for each in found if each.span and _holds((start, end), each.span)]
    wrong = any(_is_of_part(each) or isinstance(each.facts, _OF_THE_WHOLE) for each in left)
    return None if wrong or text[start:end] == case.text[slice(*span)] else text[start:end]


def _fixed(text: str, part: _Span, fixes: Iterable[Replacement], but: int) -> str:
    """A part of the text with the fixes in it, but for what is put in at the place `but`."""
    first, last = part
    own = (e for e in fixes if _holds(part, (e.start, e.end)) and not e.start == e.end == but)
    return replaced(
        text[first:last], (replace(e, start=e.start - first, end=e.end - first) for e in own)
    )


def _holds(outer: _Span, inner: _Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]

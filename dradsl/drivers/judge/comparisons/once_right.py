"""What else is wrong with a selector once names and values are written as they are meant: it is judged in the same run."""

from __future__ import annotations

from dradsl.drivers.judge.case import case_of
from dradsl.drivers.judge.selector_facts import Cause, NameNotInVersion
from dradsl.observations import Impact
from dradsl.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dradsl.drivers.judge.case import SelectorCase
    from dradsl.observations import Observation, Replacement

__all__ = ["found_once_right"]


def found_once_right(
    case: SelectorCase,
    found: Sequence[Observation],
    judge: Callable[[SelectorCase], Sequence[Observation]],
) -> Iterator[Observation]:
    """Mistakes, of `judge`, that only what `found` puts right lets it see.

    Where the text as it is written may hold, none of them says that it cannot.
    """
    causes = [each for each in found if isinstance(each.facts, Cause)]
    fixes = _apart(
        each.fix for each in causes if each.fix and not isinstance(each.facts, NameNotInVersion)
    )
    text = case.text
    for fix in reversed(fixes):
        text = text[: fix.start] + fix.text + text[fix.end :]
    rejected = tuple(_after(span, fixes) for span in case.context.rejected)
    context = replace(case.context, rejected=rejected)
    again = case_of(text, case.catalogue, context) if fixes else None
    may_hold = all(each.impact is not Impact.FATAL for each in causes)
    for each in judge(again) if again is not None else ():
        span = _before(each.span, fixes)
        if span is not None and isinstance(each.facts, Cause):
            place = _before((each.fix.start, each.fix.end), fixes) if each.fix else None
            own = replace(each.fix, start=place[0], end=place[1]) if each.fix and place else None
            impact = Impact.MISLEADING if may_hold else each.impact
            moved = replace(each, span=span, fix=own, impact=impact)
            if all(moved.span != one.span for one in found):
                yield moved


def _apart(fixes: Iterator[Replacement]) -> list[Replacement]:
    """Those, in order, that do not overlap."""
    kept: list[Replacement] = []
    for fix in sorted(fixes, key=lambda each: each.start):
        if not kept or kept[-1].end <= fix.start:
            kept.append(fix)
    return kept


def _before(span: tuple[int, int] | None, fixes: Sequence[Replacement]) -> tuple[int, int] | None:
    """Where a part of the fixed text is in the original one; None if a fix has changed it."""
    if span is None:
        return None
    start, end = span
    for fix in fixes:
        if start >= fix.start + len(fix.text):
            longer = len(fix.text) - (fix.end - fix.start)
            start, end = start - longer, end - longer
        elif end > fix.start:
            return None
    return start, end


def _after(span: tuple[int, int], fixes: Sequence[Replacement]) -> tuple[int, int]:
    """Where a part of the original text is in the fixed one."""
    shifts = [(fix.end, len(fix.text) - (fix.end - fix.start)) for fix in fixes]
    start, end = (at + sum(longer for past, longer in shifts if past <= at) for at in span)
    return start, end

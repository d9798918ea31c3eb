"""Checks a CEL selector against what drivers publish.

The selector runs on every shape of device that can come to it (`explore`); what was seen is judged
by `judge_names` (does the name exist here?), `judge_values` (can the value be had, is it of that
type?) and `judge_whole` (can it fail, can it hold at all?). Upstream's own verdict on the text is
not repeated: what does not parse gives nothing here.
"""

from __future__ import annotations

from dradsl.drivers.judge.case import Case, SelectorContext, case_of
from dradsl.drivers.judge.names import judge_names
from dradsl.drivers.judge.values import judge_values
from dradsl.drivers.judge.whole import judge_drivers, judge_failures, judge_outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.observations import Facts, Observation

__all__ = ["check_case", "check_selector"]


def check_selector(
    text: str, catalogue: Catalogue, context: SelectorContext | None = None
) -> list[Observation]:
    """What is wrong with the selector `text`, in the order of the places."""
    case = case_of(text, catalogue, context or SelectorContext())
    return [] if case is None else check_case(case)


def check_case(case: Case) -> list[Observation]:
    """What is wrong with a selector that ran on all shapes, in the order of the places."""
    causes = [*judge_drivers(case), *judge_names(case), *judge_values(case)]
    found = [*causes, *judge_failures(case, causes)]
    found.extend(judge_outcome(case, found))
    return _first_of_each(sorted(found, key=lambda each: each.span or (0, 0)))


def _first_of_each(found: list[Observation]) -> list[Observation]:
    """Without repetitions that leave nothing to mend at their place."""
    kept: list[Observation] = []
    said: set[Facts] = set()
    for each in found:
        if each.fix is None and each.facts in said:
            continue
        said.add(each.facts)
        if each not in kept:
            kept.append(each)
    return kept

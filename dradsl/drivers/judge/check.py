"""Checks a CEL selector against what drivers publish.

The selector runs on every shape of device that can come to it (`explore`); what was seen is judged
by `judge_names` (does the name exist here?), `judge_comparisons` (can the value be had, is it of that
type?) and `judge_constants` (can it be computed?). What cannot be right is a suspect, and `weighed` says
what it means for the whole; `judge_failures` and `judge_outcome` say what is left (can it fail, can it
hold at all?). Upstream's own verdict on the text is not repeated: what does not parse gives nothing here.
"""

from __future__ import annotations

from dradsl.drivers.judge.case import SelectorCase, SelectorContext, case_of
from dradsl.drivers.judge.comparisons.judge import judge_comparisons
from dradsl.drivers.judge.names import judge_names
from dradsl.drivers.judge.suspects import Otherwise, Suspect, deciding, weighed
from dradsl.drivers.judge.whole_selector import (
    judge_alternatives,
    judge_constants,
    judge_drivers,
    judge_failures,
    judge_outcome,
)
from dradsl.drivers.suggestions.tree import tree_of
from dradsl.records import replace
from dradsl.values.limits import ROUNDS_OF_MISTAKES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.judge.case import SelectorCase
    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.observations import Facts, Observation

__all__ = ["check_case", "check_selector"]


def check_selector(
    text: str, catalogue: Catalogue, context: SelectorContext | None = None
) -> list[Observation]:
    """What is wrong with the selector `text`, in the order of the places."""
    case = case_of(text, catalogue, context or SelectorContext())
    return [] if case is None else check_case(case)


def check_case(case: SelectorCase) -> list[Observation]:
    """What is wrong with a selector that ran on all shapes, in the order of the places.

    What follows from a mistake in the selectors before is not: it is gone, or certain, once that is fixed.
    """
    found = _found(case)
    if not any(each.fix for each in found):
        return found
    from dradsl.drivers.judge.comparisons.conditions import with_conditions

    return with_conditions(case, found, _found)


def _found(case: SelectorCase) -> list[Observation]:
    found = _checked(case)
    if any(each.fix for each in found):
        from dradsl.drivers.judge.comparisons.once_right import found_once_right

        found = _in_order([*found, *found_once_right(case, found, _renamed)])
    if case.before and any(map(_may_follow, found)):
        wrong = _wrong_before(case)
        if wrong:
            right, notes = case.right | wrong, case.explored(wrong)
            left = _checked(replace(case, right=right, notes=notes))
            return [one for one in found if one in left or not _may_follow(one)]
    return found


def _renamed(case: SelectorCase) -> list[Observation]:
    """What is found in a right domain, and of the values of names that are put right there."""
    from dradsl.drivers.judge.comparisons.once_right import found_once_right

    found = _checked(case)
    return [*found, *found_once_right(case, found, _checked)]


def _may_follow(found: Observation) -> bool:
    """Whether the selectors before can bring it about."""
    from dradsl.drivers.judge import selector_facts as facts

    after = facts.NameFilteredOut | facts.ValueFilteredOut | facts.NeverTrue
    return isinstance(found.facts, after | facts.ContradictsBefore | facts.ContradictsEarlier)


def _wrong_before(case: SelectorCase) -> frozenset[Expr]:
    """The mistakes in the selectors that filter before."""
    found: set[Expr] = set()
    texts = case.context.before
    for index, root in enumerate(case.before if len(texts) == len(case.before) else ()):
        earlier, tree = case.before[:index], tree_of(texts[index], root)
        one = replace(case, tree=tree, before=earlier)
        one = one.with_notes(one.explored(frozenset(), root))
        suspects = [each for each in _judged(one) if isinstance(each, Suspect)]
        for each in (*suspects, *_hidden(one, suspects, ROUNDS_OF_MISTAKES)):
            if each.otherwise is Otherwise.MISLEADS:
                found.update(each.nodes)
    return frozenset(found)


def _checked(case: SelectorCase) -> list[Observation]:
    found: list[Observation] = []
    suspects: list[Suspect] = []
    for each in _judged(case):
        if isinstance(each, Suspect):
            suspects.append(each)
        else:
            found.append(each)
    suspects += _hidden(case, suspects, ROUNDS_OF_MISTAKES if case.notes.never else 0)
    causes = deciding(case, suspects)
    found += weighed(suspects, causes)
    if case.context.rejected:
        return [each for each in found if not _is_inside(each, case.context.rejected)]
    found += judge_alternatives(case)
    found += judge_failures(case, found)
    found.extend(judge_outcome(case, found, explained=bool(causes)))
    return _first_of_each(_in_order(found))


def _in_order(found: list[Observation]) -> list[Observation]:
    return sorted(found, key=lambda each: each.span or (0, 0))


def _is_inside(each: Observation, spans: tuple[tuple[int, int], ...]) -> bool:
    start, end = each.span or (0, 0)
    return any(first <= start and end <= last for first, last in spans)


def _judged(case: SelectorCase) -> Iterator[Observation | Suspect]:
    yield from judge_drivers(case)
    yield from judge_constants(case)
    yield from judge_names(case)
    yield from judge_comparisons(case)


def _hidden(case: SelectorCase, suspects: list[Suspect], rounds: int) -> list[Suspect]:
    """Suspects that no run reached because of those that are known: a wrong clause ends an `&&`."""
    keys = {each.key for each in suspects}
    known = {(each.key, each.nodes) for each in suspects}
    freed = {node for each in suspects for node in each.nodes}
    found: list[Suspect] = []
    for _ in range(rounds):
        if not freed:
            break
        beyond = case.with_notes(case.explored(frozenset(freed)))
        more = [
            each
            for each in _judged(beyond)
            if isinstance(each, Suspect)
            and (each.lasting or each.key in keys)
            and (each.key, each.nodes) not in known
        ]
        if not more:
            break
        found += more
        known.update((each.key, each.nodes) for each in more)
        freed.update(node for each in more for node in each.nodes)
    return found


def _first_of_each(found: list[Observation]) -> list[Observation]:
    """Without repetitions that leave nothing to fix at their place."""
    kept: list[Observation] = []
    said: set[Facts] = set()
    for each in found:
        if each.fix is None and each.facts in said:
            continue
        said.add(each.facts)
        if each not in kept:
            kept.append(each)
    return kept

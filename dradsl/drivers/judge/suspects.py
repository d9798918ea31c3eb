"""Parts of a selector that cannot be right, and what each of them means for the whole.

A part alone proves nothing: `type != "mig"` compares with a value that no device at hand has, and holds.
So a suspect is weighed: the selector runs again with the other suspects counted as right. If nothing
can pass then, the suspect decides. What decides nothing may still mislead (a misspelt name in an
alternative), or change nothing at all.
"""

from __future__ import annotations

import enum
from itertools import combinations

from dradsl.cel.syntax.ast import Call, walk
from dradsl.observations import Impact, Observation
from dradsl.records import Record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence

    from dradsl.cel.syntax.ast import Expr
    from dradsl.drivers.judge.case import SelectorCase

__all__ = ["Otherwise", "Suspect", "deciding", "weighed"]

_SUBSETS_OF = 5  # of so many suspects at most all combinations are tried
_EACH_OF = 16  # of so many each is tried apart; more mistakes than that decide together


class Otherwise(enum.Enum):
    """What is left of a suspect that does not decide."""

    MISLEADS = enum.auto()
    NOTE = enum.auto()
    NOTHING = enum.auto()


class Suspect(Record):
    """A part that cannot be right: what to say of it, and the nodes that count as right without it.

    Suspects of equal `key` are one mistake made at several places. A `guess` never decides: the user may
    publish what no schema knows. `lasting` are those that other mistakes cannot bring about.
    """

    observation: Observation
    nodes: tuple[Expr, ...]
    key: Hashable
    otherwise: Otherwise = Otherwise.MISLEADS
    guess: bool = False
    lasting: bool = True


def weighed(suspects: Sequence[Suspect], deciding: Collection[Hashable]) -> Iterator[Observation]:
    """What remains to be said of the suspects, each with its impact; those of the keys `deciding` are fatal."""
    for each in suspects:
        if each.key in deciding and not each.guess:
            yield replace(each.observation, impact=Impact.FATAL)
        elif each.otherwise is Otherwise.MISLEADS or each.key in deciding:
            yield replace(each.observation, impact=Impact.MISLEADING)
        elif each.otherwise is Otherwise.NOTE:
            yield replace(each.observation, impact=Impact.NO_EFFECT)


def deciding(case: SelectorCase, suspects: Sequence[Suspect]) -> set[Hashable]:
    """Keys of the suspects because of which no device passes."""
    if not suspects or not case.notes.never:
        return set()
    return _deciding(case, suspects, None)


def _deciding(
    case: SelectorCase, suspects: Sequence[Suspect], target: Expr | None
) -> set[Hashable]:
    """The same of the part `target` of the selector (None: of all), through which nothing passes."""
    nodes: dict[Hashable, tuple[Expr, ...]] = {}
    for each in suspects:
        nodes[each.key] = (*nodes.get(each.key, ()), *each.nodes)
    every = frozenset(nodes)
    passing: dict[frozenset[Hashable], bool] = {}

    def passes(right: frozenset[Hashable]) -> bool:
        """Whether some device passes if these are counted as right."""
        if right not in passing:
            freed = frozenset(node for key in right for node in nodes[key])
            passing[right] = not case.explored(freed, target).never
        return passing[right]

    if not passes(every):  # the rest excludes itself, with or without them
        return _of_conjuncts(case, suspects, case.expr if target is None else target)
    if len(every) > _EACH_OF:
        return set(every)
    alone = {key for key in every if not passes(every - {key})}
    enough = {key for key in every - alone if passes(frozenset({key}))}
    found = alone | enough
    if found or len(every) > _SUBSETS_OF:
        return found or set(every)
    for size in range(2, len(every)):
        for right in map(frozenset, combinations(sorted(every, key=str), size)):
            if passes(right):
                found |= {key for key in right if not passes(right - {key})}
    return found


def _of_conjuncts(case: SelectorCase, suspects: Sequence[Suspect], target: Expr) -> set[Hashable]:
    """Keys of the suspects that make their `&&` false whatever its other operands are."""
    found: set[Hashable] = set()
    if not isinstance(target, Call) or target.function != "_&&_":
        return found
    for clause in target.args:
        inside = frozenset(walk(clause))
        own = [each for each in suspects if not inside.isdisjoint(each.nodes)]
        if own and case.explored(frozenset(), clause).never:
            found |= _deciding(case, own, clause)
    return found

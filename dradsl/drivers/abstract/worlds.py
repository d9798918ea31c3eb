"""Every way a device of one shape can look, as far as an expression asks.

An expression is run again and again on one shape. Whenever a question has several possible answers
(is the optional name there? is the text equal to this one? is the amount below that one?) the run
chooses one and remembers what follows from it, so that later questions are answered consistently;
`visit_worlds` goes on until every combination was had. Nothing is asked that the run does not reach.
"""

from __future__ import annotations

from dradsl.drivers.abstract.texts import follows
from dradsl.records import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Any, TypeAlias

    from dradsl.drivers.abstract.texts import TextTest

__all__ = ["PossibleValues", "World", "visit_worlds"]

Test: TypeAlias = "Callable[[Any], bool]"


@dataclass(frozen=True, slots=True)
class PossibleValues:
    """What a world has settled about one value.

    `possible` lists the values left if they can be listed. Otherwise the value is none of
    `excluded` and lies between `lower` and `upper` (each with whether it is included).
    """

    possible: tuple[Any, ...] | None = None
    excluded: tuple[Any, ...] = ()
    lower: tuple[Any, bool] | None = None
    upper: tuple[Any, bool] | None = None

    def orders(self, constant: Any) -> list[int]:
        """How the value may stand to `constant`: below (-1), equal (0), above (1)."""
        found = []
        below, above = self.lower, self.upper
        if (below is None or below[0] < constant) and constant != "":
            found.append(-1)
        fits = (below is None or below[0] < constant or (below[1] and below[0] == constant)) and (
            above is None or constant < above[0] or (above[1] and above[0] == constant)
        )
        if fits and constant not in self.excluded:
            found.append(0)
        if above is None or constant < above[0]:
            found.append(1)
        return found

    def narrowed(self, constant: Any, order: int) -> PossibleValues:
        """What is known once the value was found to stand so to `constant`."""
        if order == 0:
            return PossibleValues(possible=(constant,))
        if order < 0:
            return replace(self, upper=(constant, False))
        return replace(self, lower=(constant, False))


class World:
    """One consistent set of answers; see the module's first lines."""

    __slots__ = ("_choices", "_knowledge", "_settled", "_taken", "_tests", "_verdicts", "options")

    def __init__(self, choices: tuple[int, ...]) -> None:
        self._choices = choices
        self._taken = 0
        self._settled: dict[Hashable, bool] = {}
        self._knowledge: dict[Hashable, PossibleValues] = {}
        self._tests: dict[Hashable, list[tuple[Test, bool]]] = {}
        self._verdicts: dict[Hashable, dict[TextTest, bool]] = {}
        self.options: list[tuple[int, int]] = []
        """Per choice made: which answer was taken, of how many."""

    def choose(self, count: int) -> int:
        """One of `count` answers; a later world takes the next one."""
        if count < 2:
            return 0
        answer = self._choices[self._taken] if self._taken < len(self._choices) else 0
        self._taken += 1
        self.options.append((answer, count))
        return answer

    def settle(self, question: Hashable) -> bool:
        """Yes or no; the same question has the same answer throughout the world."""
        if question not in self._settled:
            self._settled[question] = self.choose(2) == 0
        return self._settled[question]

    def passes(self, key: Hashable, asked: TextTest, test: Test | None) -> bool:
        """Whether a text that cannot be listed passes a test, about which more is asked later."""
        verdicts = self._verdicts.setdefault(key, {})
        if asked not in verdicts:
            verdict = follows(asked, verdicts)
            verdicts[asked] = self.choose(2) == 0 if verdict is None else verdict
            if test is not None:
                self._tests.setdefault(key, []).append((test, verdicts[asked]))
        return verdicts[asked]

    def _may_be(self, key: Hashable, constant: Any) -> bool:
        """Whether a constant agrees with the tests that the value passed and failed."""
        return all(test(constant) is verdict for test, verdict in self._tests.get(key, ()))

    def is_settled(self, question: Hashable) -> bool:
        """Whether the world has asked it already."""
        return question in self._settled

    def known(self, key: Hashable, initial: PossibleValues) -> PossibleValues:
        """What is known of a value, starting from `initial`."""
        return self._knowledge.setdefault(key, initial)

    def partition(self, key: Hashable, possible: tuple[Any, ...], test: Test) -> bool:
        """Whether a value out of `possible` passes `test`; both ways if it may go both ways."""
        passing = tuple(each for each in possible if test(each))
        failing = tuple(each for each in possible if not test(each))
        if passing and failing:
            verdict = self.choose(2) == 0
        else:
            verdict = bool(passing)
        self._knowledge[key] = PossibleValues(possible=passing if verdict else failing)
        return verdict

    def equals(self, key: Hashable, initial: PossibleValues, constant: Any) -> bool:
        """Whether a value that cannot be listed equals `constant`."""
        now = self.known(key, initial)
        if now.possible is not None:
            return self.partition(key, now.possible, lambda each: bool(each == constant))
        if 0 not in now.orders(constant) or not self._may_be(key, constant):
            return False
        if self.choose(2) == 0:
            self._knowledge[key] = PossibleValues(possible=(constant,))
            return True
        self._knowledge[key] = replace(now, excluded=(*now.excluded, constant))
        return False

    def order(self, key: Hashable, initial: PossibleValues, constant: Any) -> int:
        """How a value stands to `constant`: -1, 0 or 1."""
        now = self.known(key, initial)
        if now.possible is not None:
            if self.partition(key, now.possible, lambda each: bool(each < constant)):
                return -1
            left = self.known(key, initial).possible or ()
            return 0 if self.partition(key, left, lambda each: bool(each == constant)) else 1
        orders = now.orders(constant)
        if not self._may_be(key, constant):
            orders = [each for each in orders if each]
        order = orders[self.choose(len(orders))] if orders else 0
        self._knowledge[key] = now.narrowed(constant, order)
        return order


def visit_worlds(run: Callable[[World], None], limit: int) -> bool:
    """Call `run` for one world after the other, `limit` at the most; whether those were all."""
    choices: tuple[int, ...] = ()
    for _ in range(limit):
        world = World(choices)
        run(world)
        taken = world.options
        while taken and taken[-1][0] + 1 >= taken[-1][1]:
            taken.pop()
        if not taken:
            return True
        choices = (*(answer for answer, _ in taken[:-1]), taken[-1][0] + 1)
    return False

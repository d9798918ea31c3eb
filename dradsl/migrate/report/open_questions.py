"""The open questions of a migration: uses that wait for the same answer, for the same reason, of one vendor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.mapping.questions import questions
from dradsl.records import dataclass
from dradsl.values.counted import plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dradsl.migrate.mapping.questions import Question
    from dradsl.migrate.result import Item

__all__ = ["OpenQuestion", "open_questions"]


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that one answer closes for several uses. `choices` are the answers that are possible, with their
    effects, the best one first. `vendor` is the domain of the resources, without its parts below the vendor's own."""

    question: Question
    reason: str
    vendor: str
    items: tuple[Item, ...]
    choices: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The question, and for whom it is asked."""
        of = f" of {self.vendor}" if self.vendor else ""
        return f"{self.question.id}, for {plural(len(self.items), 'use')}{of}"

    @property
    def title(self) -> str:
        """What is asked, and for whom."""
        return f"{self.name}: {self.question.text}"

    @property
    def workloads(self) -> tuple[str, ...]:
        """The titles of the workloads."""
        return tuple(dict.fromkeys(item.object for item in self.items))

    @property
    def files(self) -> tuple[str, ...]:
        """The names of the files that the workloads are in."""
        return tuple(dict.fromkeys(item.path for item in self.items))


def open_questions(items: Iterable[Item]) -> tuple[OpenQuestion, ...]:
    """The questions that are open, in the order of the uses."""
    found: dict[tuple[str, ...], list[Item]] = {}
    for item in items:
        if item.question is not None:
            key = (item.question, item.reason, item.hint or "", _vendor(item.before))
            found.setdefault(key, []).append(item)
    return tuple(
        OpenQuestion(questions()[name], reason, vendor, tuple(group), _choices(name, vendor, group))
        for (name, reason, _, vendor), group in found.items()
    )


def _vendor(before: str) -> str:
    domain = before.partition("/")[0] if "/" in before else ""
    return "" if " " in domain else ".".join(domain.split(".")[-2:])


def _choices(name: str, vendor: str, items: list[Item]) -> tuple[tuple[str, str], ...]:
    """The answers with their effects. The last ones contradict what the owner wrote, and say so."""
    question, hint = questions()[name], items[0].hint
    found = {hint: "as these files suggest"} if hint is not None and not question.many else {}
    if question.many and hint is not None:
        found = {hint: "yes, this can be relied on"}
    for answer, effect in question.options.items():
        if question.only.get(answer, vendor) == vendor:
            found.setdefault(answer, effect)
    against = {answer: why for item in items for answer, why in item.against}
    order = sorted(found, key=lambda answer: answer in against)
    return tuple((a, f"{found[a]}. But {against[a]}" if a in against else found[a]) for a in order)

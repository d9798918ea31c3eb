"""Asking at the terminal what a migration could not find out, and migrating again with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from dradsl.migrate.mapping.questions import QUESTIONS
from dradsl.migrate.planning.answers import literal
from dradsl.migrate.run import migrate
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.planning.answers import Answers
    from dradsl.migrate.result import Item, Migration
    from dradsl.migrate.run import Options
    from dradsl.tree.inputs.sources import SourceText

__all__ = ["Terminal", "interview"]

_SKIP = "skip"


class Terminal(Protocol):
    """The person or program that answers. It escapes text of the input that a question quotes."""

    def say(self, line: str) -> None:
        """Print a line."""

    def confirm(self, question: str) -> bool:
        """Yes or no."""

    def choose(self, question: str, choices: Sequence[str], default: str) -> str:
        """One of `choices`."""

    def ask(self, question: str, default: str) -> str:
        """Any text."""


def interview(
    sources: Sequence[SourceText],
    options: Options,
    migration: Migration,
    catalogue: Catalogue,
    terminal: Terminal,
    save: Callable[[Answers], None] = lambda _: None,
) -> Migration:
    """Ask every open question once for each workload until none is left.

    `save` is called after each answer with all answers, so that an interrupted interview can go on later.
    """
    asked: set[tuple[str, ...]] = set()
    while True:
        item = _next(migration, asked)
        if item is None:
            return migration
        answer = _ask(item, terminal)
        asked.add(_asked(item))
        if answer is None:
            continue
        pattern, file = _for_whom(item, migration, terminal)
        answers = options.answers.answering(pattern, item.question or "", answer, file)
        options = replace(options, answers=answers)
        save(answers)
        migration = migrate(sources, options, catalogue)


def _asked(item: Item) -> tuple[str, ...]:
    return item.path, item.object, item.question or "", item.hint or ""


def _next(migration: Migration, asked: set[tuple[str, ...]]) -> Item | None:
    for item in migration.items():
        if item.question is not None and _asked(item) not in asked:
            return item
    return None


def _for_whom(item: Item, migration: Migration, terminal: Terminal) -> tuple[str, str]:
    """Patterns of the workloads and files that the answer is for: this one, or all that ask the same."""
    same = {
        (each.path, each.object)
        for each in migration.items()
        if (each.question, each.hint) == (item.question, item.hint)
    }
    if len(same) > 1 and terminal.confirm(f"  for all {len(same)} workloads?"):
        return "*", "*"
    files = {each.path for each in migration.items() if each.object == item.object}
    return literal(item.object), literal(item.path) if len(files) > 1 else "*"


def _ask(item: Item, terminal: Terminal) -> str | None:
    question = QUESTIONS[item.question or ""]
    terminal.say("")
    terminal.say(f"{item.path}:{item.span.line}: {item.object}, {item.where}, {item.before}")
    terminal.say(f"  {item.reason}")
    terminal.say(f"  {question.text}")
    for option, meaning in question.options.items():
        terminal.say(f"    {option}: {meaning}")
    if question.many:
        return item.hint if terminal.confirm(f"  {item.hint}?") else None
    if question.options and not question.free:
        answer = terminal.choose("  answer", [*question.options, _SKIP], _SKIP)
    else:
        answer = terminal.ask("  answer", item.hint or _SKIP)
    return None if answer == _SKIP else answer

"""Asking at the terminal what a migration could not find out, and migrating again with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from dradsl.migrate.planning.answers import literal
from dradsl.migrate.report.open_questions import open_questions
from dradsl.migrate.run import migrate
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dradsl.drivers.schema.catalogue import Catalogue
    from dradsl.migrate.planning.answers import Answers, Options
    from dradsl.migrate.report.open_questions import OpenQuestion
    from dradsl.migrate.result import Migration
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
    """Ask every open question once for all that wait for it, or for each workload, until none is left.

    `save` is called after each answer with all answers, so that an interrupted interview can go on later.
    """
    asked: set[tuple[str, str, str, str]] = set()
    while True:
        answers = options.answers
        for question in open_questions(migration.items()):
            waiting = [
                (path, title)
                for path, title in dict.fromkeys((i.path, i.object) for i in question.items)
                if (path, title, question.question.id, question.reason) not in asked
            ]
            while waiting:
                answer = _ask(question, waiting, terminal)
                for_all = answer is not None and (
                    len(waiting) == 1 or terminal.confirm(f"  for all {len(waiting)} workloads?")
                )
                some, waiting = (waiting, []) if for_all else (waiting[:1], waiting[1:])
                asked |= {(*each, question.question.id, question.reason) for each in some}
                for path, title in some if answer is not None else ():
                    files = {item.path for item in migration.items() if item.object == title}
                    file = literal(path) if len(files) > 1 else "*"
                    name = question.question.id
                    answers = answers.answering(literal(title), name, answer, file)
                if answer is not None:
                    save(answers)
        if answers is options.answers:
            return migration
        options = replace(options, answers=answers)
        migration = migrate(sources, options, catalogue)


def _ask(asked: OpenQuestion, waiting: Sequence[tuple[str, str]], terminal: Terminal) -> str | None:
    first = next(item for item in asked.items if (item.path, item.object) == waiting[0])
    terminal.say("")
    terminal.say(f"{first.path}:{first.span.line}: {first.object}, {first.where}, {first.before}")
    terminal.say(f"  {asked.reason}")
    terminal.say(f"  {asked.question.text}")
    for answer, effect in asked.choices:
        terminal.say(f"    {answer}: {effect}")
    known = [answer for answer, _ in asked.choices]
    if asked.question.many:
        return known[0] if terminal.confirm(f"  {known[0]}?") else None
    if known and not asked.question.free:
        said = terminal.choose("  answer", [*known, _SKIP], _SKIP)
    else:
        said = terminal.ask("  answer", first.hint or _SKIP)
    return None if said == _SKIP else said

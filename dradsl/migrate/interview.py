"""Asking at the terminal what a migration could not find out, and migrating again with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.migrate.answers import literal
from dradsl.migrate.questions import QUESTIONS
from dradsl.migrate.run import migrate
from dradsl.records import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dradsl.drivers.catalogue import Catalogue
    from dradsl.lint.sources import SourceText
    from dradsl.migrate.answers import Answers
    from dradsl.migrate.result import Item, Migration
    from dradsl.migrate.run import Options

__all__ = ["interview"]

_SKIP = "skip"


def interview(
    sources: Sequence[SourceText], options: Options, migration: Migration, catalogue: Catalogue
) -> tuple[Migration, Answers]:
    """Ask every open question once for each workload until none is left that was not skipped."""
    skipped: set[tuple[str, str | None]] = set()
    while True:
        item = _next(migration, skipped)
        if item is None:
            return migration, options.answers
        answer = _ask(item)
        if answer is None:
            skipped.add((item.object, item.question))
            continue
        pattern = _for_whom(item, migration)
        answers = options.answers.answering(pattern, item.question or "", answer)
        options = replace(options, answers=answers)
        migration = migrate(sources, options, catalogue)


def _next(migration: Migration, skipped: set[tuple[str, str | None]]) -> Item | None:
    for item in migration.items():
        if item.question is not None and (item.object, item.question) not in skipped:
            return item
    return None


def _for_whom(item: Item, migration: Migration) -> str:
    """The pattern of the workloads that the answer is for: this one, or all that ask the same."""
    import click

    others = {each.object for each in migration.items() if each.question == item.question}
    if len(others) > 1 and click.confirm(f"  for all {len(others)} workloads?", err=True):
        return "*"
    return literal(item.object)


def _ask(item: Item) -> str | None:
    import click

    question = QUESTIONS[item.question or ""]
    click.echo(f"\n{item.object}, {item.where}: {item.before}", err=True)
    click.echo(f"  {item.reason}", err=True)
    click.echo(f"  {question.text}", err=True)
    for option, meaning in question.options.items():
        click.echo(f"    {option}: {meaning}", err=True)
    if question.many:
        return item.hint if click.confirm(f"  {item.hint}?", default=False, err=True) else None
    if question.options and not question.free:
        choice = click.Choice([*question.options, _SKIP])
        answer = str(click.prompt("  answer", type=choice, default=_SKIP, err=True))
    else:
        answer = str(click.prompt("  answer", default=item.hint or _SKIP, err=True))
    return None if answer == _SKIP else answer

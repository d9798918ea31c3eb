"""The report for people at a terminal: every use with its result, then the totals."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, TextIO

from dradsl.migrate.mapping.questions import QUESTIONS
from dradsl.migrate.result import Outcome
from dradsl.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.migrate.result import FileMigration, Item, Migration

__all__ = ["MOST_NAMES", "render"]

MOST_NAMES = 20


def render(migration: Migration, out: TextIO) -> None:
    """Write the report to `out`."""
    for file in migration.files:
        out.writelines(printable(line) + "\n" for line in _file(file))
    out.writelines(
        printable(line) + "\n"
        for line in (
            *_questions(migration),
            *_names(migration),
            *_checklist(migration),
            *_proofs(migration),
            _summary(migration),
        )
    )


def _file(file: FileMigration) -> Iterator[str]:
    if not (file.items or file.notes):
        return
    yield file.path
    for note in file.notes:
        yield f"  = {note}"
    reasons: dict[tuple[object, ...], str] = {}
    for title, items in groupby(file.items, key=lambda item: item.object):
        yield f"  {title}"
        before: Item | None = None
        for item in items:
            yield from _item(item, before, reasons)
            before = item
    yield ""


def _item(item: Item, before: Item | None, reasons: dict[tuple[object, ...], str]) -> Iterator[str]:
    """An item without repetitions: of the reasons in the file, which refer to the first item that
    had them, and of the notes of the item `before` it, if it is of the same object."""
    place = f"{item.span.line}:{item.span.column}"
    known = None
    if item.outcome is not Outcome.TRANSLATED:
        known = reasons.get(_why(item))
        reasons.setdefault(_why(item), place)
    outcome = (
        str(item.outcome) if known is None else f"{item.outcome} for the reason given at {known}"
    )
    if item.doubt is not None:
        outcome = f"{outcome} {item.doubt}"
    elif item.proven:
        outcome = f"{outcome}, proven"
    yield f"    {place} {item.where}, {item.before}: {outcome}"
    if item.after is not None:
        yield f"      becomes {item.after}"
    if known is None:
        if item.outcome is not Outcome.TRANSLATED:
            yield f"      because {item.reason}"
        if item.question is not None:
            yield f"      question: {item.question}" + (f" ({item.hint}?)" if item.hint else "")
    for note in item.notes:
        if before is None or note not in before.notes:
            yield f"      note: {note}"
    if known is None:
        for route in item.routes:
            yield f"      instead: {route}"


def _why(item: Item) -> tuple[object, ...]:
    return item.outcome, item.reason, item.question, item.hint, item.routes


def _questions(migration: Migration) -> Iterator[str]:
    asked = dict.fromkeys(item.question for item in migration.items() if item.question)
    if not asked:
        return
    yield "Open questions, to answer by these options, with --answers FILE or --interactive:"
    for name in asked:
        question = QUESTIONS[name or ""]
        waiting = sum(item.question == name for item in migration.items())
        yield f"  --{name}, for {waiting} use{'s' if waiting != 1 else ''}: {question.text}"
        for option, meaning in question.options.items():
            yield f"    {option}: {meaning}"
        if question.many:
            hints = dict.fromkeys(i.hint for i in migration.items() if i.question == name)
            yield f"    to vouch for: {', '.join(str(hint) for hint in hints)}"
    yield ""


def _names(migration: Migration) -> Iterator[str]:
    if migration.names:
        asks = any(True for _ in migration.items())
        yield (
            "Files besides, which name devices:"
            if asks
            else "Nothing asks for a device, but devices are named:"
        )
        yield from (f"  = {sentence}" for sentence in migration.names[:MOST_NAMES])
        if len(migration.names) > MOST_NAMES:
            yield f"  = and {len(migration.names) - MOST_NAMES} more"
        yield ""


def _checklist(migration: Migration) -> Iterator[str]:
    if migration.checklist:
        yield "Besides, by what is in these files:"
        yield from (f"  [ ] {sentence}" for sentence in migration.checklist)
        yield ""


def _proofs(migration: Migration) -> Iterator[str]:
    for sentence in migration.evidence:
        yield f"proof: {sentence}"
    for sentence in migration.checks:
        yield f"checked: {sentence}"
    for fault in migration.faults:
        yield f"fault: {fault}"


def _summary(migration: Migration) -> str:
    total = sum(1 for _ in migration.items())
    if not total and not migration.empty:
        return "No request for a device found; devices are named, see above."
    if not total:
        return "No use of a device plugin found."
    counts = ", ".join(f"{migration.count(outcome)} {outcome}" for outcome in Outcome)
    waiting = sum(item.question is not None for item in migration.items())
    for doubt, number in Counter(item.doubt for item in migration.items() if item.doubt).items():
        counts = counts.replace(" translated", f" translated ({number} {doubt})")
    if waiting:
        counts = counts.replace(" refused", f" refused ({waiting} until a question is answered)")
    return f"{total} use{'s' if total != 1 else ''}: {counts}."

"""The report as Markdown, for a pull request or a wiki: a table for each file, with notes below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from dradsl.migrate.mapping.questions import QUESTIONS
from dradsl.migrate.report.text import MOST_NAMES
from dradsl.migrate.result import Outcome
from dradsl.values.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.migrate.result import FileMigration, Item, Migration

__all__ = ["render"]


def render(migration: Migration, out: TextIO) -> None:
    """Write the report to `out`."""
    out.write("# Migration to resource claims\n\n")
    counts = ", ".join(f"{migration.count(outcome)} {outcome}" for outcome in Outcome)
    out.write(f"Uses of device plugins: {counts}.\n")
    for file in migration.files:
        if file.items or file.notes:
            out.write("\n" + "\n".join(map(printable, _file(file))) + "\n")
    lines = [
        *_list("Named, not asked for", migration.names[:MOST_NAMES], ""),
        *_proof(migration),
        *_list("Checklist", migration.checklist, "[ ] "),
        *_questions(migration),
    ]
    if lines:
        out.write("\n" + "\n".join(map(printable, lines)).rstrip("\n") + "\n")


def _file(file: FileMigration) -> Iterator[str]:
    yield f"## `{_text(file.path)}`"
    yield ""
    if file.items:
        yield "| line | workload | before | outcome | after, or why not |"
        yield "| --- | --- | --- | --- | --- |"
        for item in file.items:
            yield _row(item)
    of_items = (note for item in file.items for note in item.notes)
    notes = dict.fromkeys((*file.notes, *of_items))
    if notes and file.items:
        yield ""
    for note in notes:
        yield f"- {_text(note)}"


def _row(item: Item) -> str:
    result = item.after if item.outcome is Outcome.TRANSLATED else item.reason
    if item.question is not None:
        result = f"{result} (question {item.question})"
    proven = ", proven" if item.proven else ""
    cells = (
        str(item.span.line),
        f"{item.object}, {item.where}",
        f"`{item.before}`",
        f"{item.outcome} {item.doubt}" if item.doubt else f"{item.outcome}{proven}",
        result or "",
    )
    return f"| {' | '.join(_text(cell) for cell in cells)} |"


def _proof(migration: Migration) -> Iterator[str]:
    if migration.evidence or migration.checks or migration.faults:
        yield "## Evidence"
        yield ""
        for sentence in (*migration.evidence, *migration.checks):
            yield f"- {_text(sentence)}"
        for fault in migration.faults:
            yield f"- **fault**: {_text(fault)}"
        yield ""


def _list(title: str, sentences: Sequence[str], mark: str) -> Iterator[str]:
    if sentences:
        yield f"## {title}"
        yield ""
        for sentence in sentences:
            yield f"- {mark}{_text(sentence)}"
        yield ""


def _questions(migration: Migration) -> Iterator[str]:
    asked = dict.fromkeys(item.question for item in migration.items() if item.question)
    if not asked:
        return
    yield "## Open questions"
    yield ""
    for name in asked:
        question = QUESTIONS[name or ""]
        yield f"- `{name}`: {question.text}"
        for option, meaning in question.options.items():
            yield f"    - `{option}`: {meaning}"


def _text(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

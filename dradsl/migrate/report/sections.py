"""The report: its parts, the most important first (verdict, questions, next commands, then the uses by their causes), as text
for a terminal, as Markdown for a pull request or a wiki, and as JSON: version 1 of the shape that docs/migrate.md describes.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dradsl.migrate.report.open_questions import open_questions
from dradsl.migrate.result import Outcome
from dradsl.records import Record
from dradsl.values.counted import first_of, plural
from dradsl.values.printable import json_text, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.migrate.report.open_questions import OpenQuestion
    from dradsl.migrate.result import FileMigration, Item, Migration

__all__ = ["rendered"]

_MOST_NAMES = 20


class _Line(Record):
    """A line of a section, below a line of less `depth`. `todo` lines are for a person to do, `code` is a command."""

    text: str
    depth: int = 0
    todo: bool = False
    code: bool = False

    def shown(self, *, marked: bool) -> str:
        """The line in a report, with the marks of Markdown or without."""
        mark = "[ ] " if self.todo else ""
        if not marked:
            return f"  {'  ' * self.depth}{mark}{printable(self.text)}\n"
        text = f"`{printable(self.text)}`" if self.code else _marked(self.text)
        return f"{'    ' * self.depth}- {mark}{text}\n"


def rendered(migration: Migration, output_format: str = "text") -> str:
    """The report in a format: text, markdown or json."""
    if output_format == "json":
        return json_text(_data(migration), ascii_only=False) + "\n"
    marked = output_format == "markdown"
    made = ["# Migration to resource claims\n\n"] if marked else []
    said = _marked if marked else printable
    made += [f"{said(sentence)}\n" for sentence in _verdict(migration)]
    for title, lines in _sections(migration):
        made.append(f"\n## {title}\n\n" if marked else f"\n{title}:\n")
        made += [line.shown(marked=marked) for line in lines]
    return "".join(made)


def _marked(text: str) -> str:
    """A text in which nothing is taken for a mark of Markdown."""
    return "".join(f"\\{each}" if each in "*`<[" else each for each in printable(text))


def _sections(migration: Migration) -> Iterator[tuple[str, list[_Line]]]:
    """The parts that are not empty, with their titles."""
    by_outcome = {o: [i for i in migration.items() if i.outcome is o] for o in Outcome}
    asks = any(by_outcome.values())
    proof = (
        *(f"proof: {e}" for e in migration.evidence),
        *(f"checked: {c}" for c in migration.checks),
    )
    questions = open_questions(migration.items())
    every = {
        "Open questions": [line for each in questions for line in _question(each)],
        "Next": [_Line(each, code=True) for each in migration.next_steps],
        "Faults": [_Line(f"fault: {each}") for each in migration.faults],
        "Rejected": list(_rejected(by_outcome[Outcome.REJECTED])),
        "Translated": list(_translated(by_outcome[Outcome.TRANSLATED])),
        "Left with the device plugin": list(_by_reason(by_outcome[Outcome.LEFT])),
        "Notes": list(_notes(migration)),
        "Checklist": [_Line(each, todo=True) for each in migration.checklist],
        "Named, not asked for" if asks else "No request was found, but devices are named": list(_names(migration)),
        "Proof": [_Line(each) for each in proof],
    }  # fmt: skip
    return ((title, lines) for title, lines in every.items() if lines)


def _verdict(migration: Migration) -> Iterator[str]:
    """What came out as a whole, and what was not judged."""
    items = tuple(migration.items())
    files = len(migration.files)
    if items:
        yield f"{plural(len(items), 'use')}: {', '.join(_counts(items))}."
    elif migration.empty:
        looked = plural(files, "file") if files else "what was given: it holds no file to look at"
        yield f"No use of a device plugin found in {looked}."
    else:
        yield "No request for a device found; devices are named, see below."
    templates = sum(file.kind == "template" for file in migration.files)
    unknown = sum(item.about == "unknown" for item in items)
    counted = (
        (migration.unread, "file", " that cannot be read"),
        (templates, "template", ", searched as text and not rendered"),
        (unknown, "place", " whose values are not known"),
    )
    missing = [plural(number, what) + more for number, what, more in counted if number]
    if missing:
        yield f"Not judged: {'; '.join(missing)}."


def _counts(items: tuple[Item, ...]) -> Iterator[str]:
    waiting = sum(item.question is not None for item in items)
    doubts = Counter(item.doubt for item in items if item.doubt)
    more = {
        Outcome.TRANSLATED: [f"{number} {doubt}" for doubt, number in doubts.items()],
        Outcome.REJECTED: [f"{waiting} until a question is answered"] if waiting else [],
    }
    for outcome in Outcome:
        number = sum(item.outcome is outcome for item in items)
        said = "".join(f" ({each})" for each in more.get(outcome, ()))
        yield f"{number} {outcome}{said}"


def _question(asked: OpenQuestion) -> Iterator[_Line]:
    yield _Line(asked.title)
    yield _Line(f"because {asked.reason}", 1)
    for answer, effect in asked.choices:
        yield _Line(f"{answer}: {effect}", 1)


def _use(item: Item) -> str:
    place = f"{item.path}:{item.span.line}:{item.span.column}"
    return f"{place} {item.object}, {item.where}, {item.before}"


def _rejected(items: list[Item]) -> Iterator[_Line]:
    """The uses by reason; what waits for an answer has its reason there."""
    yield from _by_reason([item for item in items if item.question is None])
    for asked in open_questions(items):
        yield _Line(f"until this is answered: {asked.name}")
        yield from (_Line(_use(item), 1) for item in asked.items)
        for route in dict.fromkeys(route for item in asked.items for route in item.routes):
            yield _Line(f"instead: {route}", 1)


def _by_reason(items: list[Item]) -> Iterator[_Line]:
    groups: dict[tuple[str, tuple[str, ...]], list[Item]] = {}
    for item in items:
        groups.setdefault((item.reason, item.routes), []).append(item)
    for (reason, routes), group in groups.items():
        yield _Line(f"because {reason}")
        yield from (_Line(_use(item), 1) for item in group)
        yield from (_Line(f"instead: {route}", 1) for route in routes)


def _translated(items: list[Item]) -> Iterator[_Line]:
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.after or item.reason, []).append(item)
    for after, group in groups.items():
        yield _Line(f"becomes {after}")
        for item in group:
            result = f": translated {item.doubt}" if item.doubt else ""
            yield _Line(f"{_use(item)}{': translated, proven' if item.proven else result}", 1)


def _notes(migration: Migration) -> Iterator[_Line]:
    """What is said of files and uses, each sentence once with its places."""
    found: dict[str, dict[str, None]] = {}
    for file in migration.files:
        for note in file.notes:
            found.setdefault(note, {})[file.path] = None
        for item in file.items:
            for note in item.notes:
                found.setdefault(note, {})[f"{item.path}:{item.span.line}"] = None
    for note, places in found.items():
        yield _Line(f"{first_of([*places])}: {note}")


def _names(migration: Migration) -> Iterator[_Line]:
    yield from (_Line(sentence) for sentence in migration.names[:_MOST_NAMES])
    if len(migration.names) > _MOST_NAMES:
        yield _Line(f"and {len(migration.names) - _MOST_NAMES} more")


def _data(migration: Migration) -> dict[str, object]:
    """The report as JSON."""
    return {
        "version": 1,
        "strategy": migration.strategy,
        "files": [_file(file) for file in migration.files],
        "questions": [_asked(each) for each in open_questions(migration.items())],
        "nextSteps": list(migration.next_steps),
        "checklist": list(migration.checklist),
        "names": list(migration.names),
        "evidence": list(migration.evidence),
        "checks": list(migration.checks),
        "faults": list(migration.faults),
        "summary": {str(outcome): migration.count(outcome) for outcome in Outcome},
    }


def _asked(asked: OpenQuestion) -> dict[str, object]:
    return {
        "question": asked.question.id,
        "text": asked.question.text,
        "reason": asked.reason,
        "workloads": list(asked.workloads),
        "uses": len(asked.items),
        "choices": [{"answer": answer, "effect": effect} for answer, effect in asked.choices],
    }


def _file(file: FileMigration) -> dict[str, object]:
    return {
        "path": file.path,
        "kind": file.kind,
        "changed": file.changed,
        "notes": list(file.notes),
        "uses": [_item(item) for item in file.items],
        "workloads": [
            {"object": each.title, "before": dict(each.before), "after": dict(each.after)}
            for each in file.workloads
        ],
    }


def _item(item: Item) -> dict[str, object]:
    return {
        "line": item.span.line,
        "column": item.span.column,
        "endLine": item.span.end_line,
        "endColumn": item.span.end_column,
        "object": item.object,
        "where": item.where,
        "before": item.before,
        "outcome": str(item.outcome),
        "after": item.after,
        "reason": item.reason,
        "notes": list(item.notes),
        "question": item.question,
        "hint": item.hint,
        "routes": list(item.routes),
        "doubt": item.doubt,
        "proven": item.proven,
    }

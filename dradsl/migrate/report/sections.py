"""The parts of a report, the most important first: verdict, questions, next commands, then the uses by their causes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from dradsl.migrate.report.open_questions import open_questions
from dradsl.migrate.result import Outcome
from dradsl.records import dataclass
from dradsl.values.counted import first_of, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dradsl.migrate.report.open_questions import OpenQuestion
    from dradsl.migrate.result import Item, Migration

__all__ = ["Line", "Section", "sections", "verdict"]

_MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a section, below a line of less `depth`. `todo` lines are for a person to do, `code` is a command."""

    text: str
    depth: int = 0
    todo: bool = False
    code: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report."""

    title: str
    lines: tuple[Line, ...]


def sections(migration: Migration) -> Iterator[Section]:
    """The parts that are not empty."""
    translated = [i for i in migration.items() if i.outcome is Outcome.TRANSLATED]
    rejected = [i for i in migration.items() if i.outcome is Outcome.REJECTED]
    left = [i for i in migration.items() if i.outcome is Outcome.LEFT]
    asks = bool(translated or rejected or left)
    proof = (
        *(f"proof: {e}" for e in migration.evidence),
        *(f"checked: {c}" for c in migration.checks),
    )
    questions = open_questions(migration.items())
    for title, lines in (
        ("Open questions", [line for each in questions for line in _question(each)]),
        ("Next", [Line(each, code=True) for each in migration.next_steps]),
        ("Faults", [Line(f"fault: {each}") for each in migration.faults]),
        ("Rejected", list(_rejected(rejected))),
        ("Translated", list(_translated(translated))),
        ("Left with the device plugin", list(_by_reason(left))),
        ("Notes", [*_notes(migration)]),
        ("Checklist", [Line(each, todo=True) for each in migration.checklist]),
        ("Named, not asked for" if asks else "Nothing asks for a device, but devices are named", [*_names(migration)]),
        ("Proof", [Line(each) for each in proof]),
    ):  # fmt: skip
        if lines:
            yield Section(title, tuple(lines))


def verdict(migration: Migration) -> Iterator[str]:
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
    missing = (
        [plural(migration.unread, "file") + " that cannot be read"] if migration.unread else []
    )
    missing += (
        [f"{plural(templates, 'template')}, searched as text and not rendered"] if templates else []
    )
    missing += [f"{plural(unknown, 'place')} whose values are not known"] if unknown else []
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


def _question(asked: OpenQuestion) -> Iterator[Line]:
    yield Line(asked.title)
    yield Line(f"because {asked.reason}", 1)
    for answer, effect in asked.choices:
        yield Line(f"{answer}: {effect}", 1)


def _use(item: Item) -> str:
    place = f"{item.path}:{item.span.line}:{item.span.column}"
    return f"{place} {item.object}, {item.where}, {item.before}"


def _rejected(items: list[Item]) -> Iterator[Line]:
    """The uses by reason; what waits for an answer has its reason there."""
    yield from _by_reason([item for item in items if item.question is None])
    for asked in open_questions(items):
        yield Line(f"until this is answered: {asked.name}")
        yield from (Line(_use(item), 1) for item in asked.items)
        for route in dict.fromkeys(route for item in asked.items for route in item.routes):
            yield Line(f"instead: {route}", 1)


def _by_reason(items: list[Item]) -> Iterator[Line]:
    groups: dict[tuple[str, tuple[str, ...]], list[Item]] = {}
    for item in items:
        groups.setdefault((item.reason, item.routes), []).append(item)
    for (reason, routes), group in groups.items():
        yield Line(f"because {reason}")
        yield from (Line(_use(item), 1) for item in group)
        yield from (Line(f"instead: {route}", 1) for route in routes)


def _translated(items: list[Item]) -> Iterator[Line]:
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.after or item.reason, []).append(item)
    for after, group in groups.items():
        yield Line(f"becomes {after}")
        for item in group:
            result = f": translated {item.doubt}" if item.doubt else ""
            yield Line(f"{_use(item)}{': translated, proven' if item.proven else result}", 1)


def _notes(migration: Migration) -> Iterator[Line]:
    """What is said of files and uses, each sentence once with its places."""
    found: dict[str, dict[str, None]] = {}
    for file in migration.files:
        for note in file.notes:
            found.setdefault(note, {})[file.path] = None
        for item in file.items:
            for note in item.notes:
                found.setdefault(note, {})[f"{item.path}:{item.span.line}"] = None
    for note, places in found.items():
        yield Line(f"{first_of([*places])}: {note}")


def _names(migration: Migration) -> Iterator[Line]:
    yield from (Line(sentence) for sentence in migration.names[:_MOST_NAMES])
    if len(migration.names) > _MOST_NAMES:
        yield Line(f"and {len(migration.names) - _MOST_NAMES} more")

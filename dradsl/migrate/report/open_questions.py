"""The open questions of a migration, and asking them: in an answers file, at the terminal, and as the commands that lead on.

Uses that wait for the same answer, for the same reason, of one vendor, are one question. In the answers file the answers are
there as comments, to be chosen by removing a mark.
"""

from __future__ import annotations

import itertools
import shlex
from typing import TYPE_CHECKING, Protocol

from dradsl.migrate.mapping.questions import questions
from dradsl.migrate.planning.answers import AnswersError, literal, written
from dradsl.records import Record
from dradsl.text.documents import load
from dradsl.text.render import render_block
from dradsl.values.counted import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dradsl.migrate.mapping.questions import Question
    from dradsl.migrate.planning.answers import Answers
    from dradsl.migrate.result import Item, Migration

__all__ = ["OpenQuestion", "interview", "next_steps", "open_questions", "questionnaire"]


class OpenQuestion(Record):
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


def questionnaire(asked: Sequence[OpenQuestion], answers: Answers, known: str = "") -> str:
    """The text of an answers file. `known` is the text of a file with the `answers`, which stays as it is.

    Raises:
        AnswersError: if nothing can be added to that file.
    """
    text = known
    if not known.strip():
        text = render_block(written(answers)) + "\n"
    if not asked:
        return text
    before = load(text.encode()).documents[0].data
    has_list = isinstance(before, dict) and "workloads" in before
    text = text.rstrip("\n") + "\n" + ("" if has_list else "workloads:\n")
    text += "".join(f"{line}\n" for each in asked for line in _item(each, asked))
    after = load(text.encode())
    rules = after.documents[0].data if after.documents else None
    if any(after.all_problems()) or not isinstance(rules, dict):
        raise AnswersError(
            "questions cannot be added to this file: write workloads last, as a list"
        )
    return text


def _item(asked: OpenQuestion, every: Sequence[OpenQuestion]) -> Iterator[str]:
    """The lines of a question: without an answer they mean nothing to a run."""
    yield f"# {asked.title}"
    yield f"# because {' '.join(asked.reason.split())}"
    yield "- workload:"
    yield from (f"  - {_quoted(literal(title))}" for title in asked.workloads)
    if _is_ambiguous(asked, every):
        yield "  file:"
        yield from (f"  - {_quoted(literal(name))}" for name in asked.files)
    yield f"  # Remove the # before one answer to {asked.question.id}."
    width = max((len(answer) for answer, _ in asked.choices), default=0)
    for answer, effect in asked.choices:
        said = _quoted(answer)
        yield f"  # {asked.question.id}: {said:{width}}  # {' '.join(effect.split())}"
    if not asked.choices or (asked.question.free and not asked.question.many):
        yield f"  # {asked.question.id}: ...  # any other text"


def _is_ambiguous(asked: OpenQuestion, every: Sequence[OpenQuestion]) -> bool:
    """Whether a workload of another question has the same title, in another file."""
    others = itertools.chain.from_iterable(
        each.items for each in every if each is not asked and each.question.id == asked.question.id
    )
    titles, files = set(asked.workloads), set(asked.files)
    return any(item.object in titles and item.path not in files for item in others)


def _quoted(text: str) -> str:
    """A text as a scalar of YAML in one line."""
    return render_block([text]).removeprefix("- ").strip()


def next_steps(
    migration: Migration,
    paths: Sequence[str],
    words: Sequence[str] = (),
    *,
    answers: str | None = None,
    questions: str | None = None,
    written: bool = False,
) -> tuple[str, ...]:
    """The commands after a call for `paths` with further `words`.

    Args:
        migration: what the call made.
        paths: what it read; standard input leads nowhere.
        words: its options that hold for the next call too.
        answers: the answers file that it read.
        questions: the answers file that it wrote.
        written: whether it wrote the files.
    """
    given = [] if answers is None else ["--answers", answers]
    steps: list[list[str]] = []
    if any(item.question is not None for item in migration.items()):
        file = answers or questions or "answers.yaml"
        steps = [] if questions is not None else [[*given, "--questions", file]]
        steps.append(["--answers", file, "--write"])
    elif migration.changed and not written:
        steps = [[*given, "--write"]]
    if "-" in paths:
        return ()
    return tuple(shlex.join(["dradsl", "migrate", *words, *each, *paths]) for each in steps)


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
    migration: Migration,
    known: Answers,
    again: Callable[[Answers], Migration],
    terminal: Terminal,
    save: Callable[[Answers], None] = lambda _: None,
) -> Migration:
    """Ask every open question once for all that wait for it, or for each workload, until none is left.

    `migration` was made with the `known` answers, `again` makes it with more. `save` is called after each answer with all
    answers, so that an interrupted interview can go on later.
    """
    asked: set[tuple[str, str, str, str]] = set()
    while True:
        answers = known
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
        if answers is known:
            return migration
        known, migration = answers, again(answers)


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

"""The answers file with every open question: its answers are there as comments, to be chosen by removing a mark."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from dradsl.migrate.planning.answers import AnswersError, literal, written
from dradsl.text.documents import load
from dradsl.text.render import render_block

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dradsl.migrate.planning.answers import Answers
    from dradsl.migrate.report.open_questions import OpenQuestion

__all__ = ["questionnaire"]


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

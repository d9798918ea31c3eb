"""Records upstream's answers: `python -m tests.verdicts.record` all, or `… record cel/rules alloc/facts`.

A file with a source (tests/verdicts/sources.py) gets its questions from there; any other is asked
again with the questions that it holds. `--import FILE` takes new questions from JSON Lines. Answers
that upstream leaves to chance (the order of a Go map) are asked for many times and all are kept.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.releases import RELEASES
from tests.oracle import client
from tests.replay import answer_or_failure
from tests.verdicts import corpus, sources

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["main", "record"]

# `releases` are those that a question is for, where it would be the same for all others; `patch` is an earlier
# patch of a release, which an oracle of its own answers.
_NOT_ASKED = ("answers", "note", "releases", "patch")
_MORE = {"alloc": 40, "cel": 40, "schedule": 1}
_CONFIRM = 300
_MOST_CHOICES = 24

Question = dict[str, Any]
Lines = tuple[tuple[Any, ...], ...]


def record(subject: str, questions: Sequence[Question], releases: Sequence[str]) -> list[Question]:
    """Rows of a corpus: the questions with the answers of every release."""
    by_release = {release: _answers(subject, questions, release) for release in releases}
    rows = []
    for index, question in enumerate(questions):
        groups: list[Question] = []
        for release in releases:
            lines = by_release[release][index]
            if lines is None or release not in question.get("releases", releases):
                continue
            body: Question = (
                {"lines": [choices[0] for choices in lines]}
                if all(len(choices) == 1 for choices in lines)
                else {"possible": [list(choices) for choices in lines]}
            )
            same = next(
                (g for g in groups if {k: g[k] for k in g if k != "releases"} == body), None
            )
            if same is None:
                groups.append({"releases": [release], **body})
            else:
                same["releases"].append(release)
        if groups:
            rows.append({**question, "answers": groups})
    return rows


def _answers(subject: str, questions: Sequence[Question], release: str) -> list[Lines | None]:
    """The answers of a release, or of the patches of it that questions are for."""
    found: list[Lines | None] = [None] * len(questions)
    places: dict[str, list[int]] = {}
    for place, question in enumerate(questions):
        patch = question.get("patch", release)
        if release not in question.get("releases", [release]):
            continue
        if patch == release or patch.startswith(f"{release}."):
            places.setdefault(patch, []).append(place)
    for patch, some in places.items():
        answers = _answers_of(subject, [questions[place] for place in some], release, patch)
        for place, lines in zip(some, answers, strict=True):
            found[place] = lines
    return found


def _answers_of(
    subject: str, questions: Sequence[Question], release: str, oracle: str
) -> list[Lines | None]:
    asked = [_asked(question) for question in questions]
    if subject not in ("alloc", "cel", "schedule"):
        answers = client.ask(subject, oracle, asked)
        found = [tuple((line,) for line in lines) for lines in answers]
        return [lines if _usable(lines) else None for lines in found]
    by_chance = release in ("1.34", "1.35")
    times = {"cel": 8, "alloc": 6 if by_chance else 3, "schedule": 12 if by_chance else 6}[subject]
    seen = _repeat(subject, oracle, asked, times)
    unsteady = [i for i, lines in enumerate(seen) if lines and any(len(x) > 1 for x in lines)]
    if unsteady:
        more = _repeat(subject, oracle, [asked[i] for i in unsteady], _MORE[subject], seed=1)
        for i, lines in zip(unsteady, more, strict=True):
            seen[i] = _merge(seen[i], lines)
    if subject in ("alloc", "cel"):
        _confirm(subject, release, oracle, questions, seen)
    if subject == "schedule":
        # What one pod gets decides what is left for the next: only what is certain is of use.
        seen = [lines if lines and _certain(lines) else None for lines in seen]
    return [lines if lines and _usable(lines) else None for lines in seen]


def _certain(lines: Lines) -> bool:
    return all(len(choices) == 1 and "timed out" not in str(choices) for choices in lines)


def _confirm(
    subject: str,
    release: str,
    oracle: str,
    questions: Sequence[Question],
    seen: list[Lines | None],
) -> None:
    """Where our answer was not among those seen, upstream gets many more chances to give it."""
    for i, question in enumerate(questions):
        lines = seen[i]
        if not lines or not _usable(lines):
            continue
        ours = answer_or_failure(subject, question, RELEASES[release])
        if any(line.get("errorKind") == "input" for line in ours):
            continue
        if corpus.agree(subject, lines, ours):
            continue
        for turn in range(_CONFIRM // 50):
            more = _repeat(subject, oracle, [_asked(question)] * 50, 1, seed=2 + turn)
            for found in more:
                lines = _merge(lines, found)
            if lines and corpus.agree(subject, lines, ours):
                break
        seen[i] = lines


def _usable(lines: Lines) -> bool:
    """Not a matter of the machine's speed, and not one of too many possible answers."""
    return all(
        len(choices) <= _MOST_CHOICES
        and not any(x.get("errorKind") in ("timeout", "input") for x in choices)
        for choices in lines
    )


def _repeat(
    subject: str, oracle: str, questions: Sequence[Question], times: int, seed: int = 0
) -> list[Lines | None]:
    """Asks `times` times, in other orders of the objects whose order upstream does not keep."""
    rng = random.Random(seed)
    found: list[Lines | None] = [None] * len(questions)
    waiting = list(range(len(questions)))
    for turn in range(times):
        batch = [_shuffled(questions[i], rng) if turn or seed else questions[i] for i in waiting]
        for i, lines in zip(waiting, client.ask(subject, oracle, batch), strict=True):
            for line in lines:
                line.pop("seconds", None)  # the steps of a search are its own, its time is not
            found[i] = _merge(found[i], tuple((line,) for line in lines))
        waiting = [i for i in waiting if _usable(found[i] or ())]
    return found


def _shuffled(question: Question, rng: random.Random) -> Question:
    if "slices" not in question:
        return question
    slices = list(question["slices"])
    rng.shuffle(slices)
    return {**question, "slices": slices}


def _merge(known: Lines | None, new: Lines | None) -> Lines | None:
    if known is None or new is None:
        return new if known is None else known
    return tuple(
        old + tuple(x for x in add if not _told(x, old))
        for old, add in zip(known, new, strict=True)
    )


def _told(line: Any, known: tuple[Any, ...]) -> bool:
    """Whether a line says nothing new; of CEL's, each device's result counts by itself."""
    if line in known or "results" not in line:
        return line in known
    return all(
        any(result == choice["results"][place] for choice in known if "results" in choice)
        for place, result in enumerate(line["results"])
    )


def _asked(question: Question) -> Question:
    return {key: value for key, value in question.items() if key not in _NOT_ASKED}


def _versions_of_patches(path: Path) -> dict[str, dict[str, str]]:
    """The modules behind the earlier patches that questions of a file are for."""
    if not path.exists():
        return {}
    patches = {row["patch"] for row in corpus.read_rows(path) if "patch" in row}
    return {patch: client.versions(patch) for patch in sorted(patches)}


def _known_questions(name: str) -> list[Question]:
    if name in sources.SOURCES:
        return sources.questions(name)
    path = corpus.FOLDER / f"{name}.jsonl.gz"
    return [
        {**case.question, **({"note": case.note} if case.note else {})}
        for case in corpus.read_corpus(path)
    ]


def _read(path: str) -> Iterable[Question]:
    for line in Path(path).read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _differing(subject: str, path: Path, releases: Sequence[str]) -> tuple[list[Question], int]:
    """The rows of a corpus, those anew where our answer to one of the releases differs."""
    rows = corpus.read_rows(path)
    places = []
    for place, case in enumerate(corpus.read_corpus(path)):
        if not all(
            corpus.agree(subject, case.answers[release], _answer_or_rejection(case, release))
            for release in releases
            if release in case.answers
        ):
            places.append(place)
    again = record(subject, [_with_note(rows[place]) for place in places], list(RELEASES))
    by_id = {row["id"]: row for row in again}
    return [by_id.get(row["id"], row) for row in rows], len(places)


def _confirmed(
    subject: str, path: Path, releases: Sequence[str]
) -> tuple[list[Question], list[str]]:
    """The rows of a corpus, those anew that upstream, asked once more, answers in another way.

    For new patches of upstream: most answers stay, and need not be asked for many times.
    """
    rows = corpus.read_rows(path)
    cases = list(corpus.read_corpus(path))
    changed: set[int] = set()
    for release in releases:
        places = [
            place
            for place, case in enumerate(cases)
            if release in case.answers and "patch" not in case.question
        ]
        asked = [_asked(dict(cases[place].question)) for place in places]
        for place, lines in zip(places, client.ask(subject, release, asked), strict=True):
            if not corpus.agree(subject, cases[place].answers[release], lines):
                changed.add(place)
    again = record(subject, [_with_note(rows[place]) for place in sorted(changed)], list(RELEASES))
    by_id = {row["id"]: row for row in again}
    names = [str(rows[place]["id"]) for place in sorted(changed)]
    return [by_id.get(row["id"], row) for row in rows], names


def _with_missing(
    subject: str, questions: Sequence[Question], rows: Sequence[Question], releases: Sequence[str]
) -> list[Question]:
    """The rows of all questions; those that stand there already are not asked again."""
    known = {json.dumps(_with_note(row), sort_keys=True): row for row in rows}
    keys = [json.dumps(question, sort_keys=True) for question in questions]
    missing = [q for q, key in zip(questions, keys, strict=True) if key not in known]
    asked = {row["id"]: row for row in record(subject, missing, releases)}
    found = [known.get(key) or asked.get(q["id"]) for q, key in zip(questions, keys, strict=True)]
    return [row for row in found if row is not None]


def _answer_or_rejection(case: corpus.Case, release: str) -> list[Any]:
    return answer_or_failure(case.subject, case.question, RELEASES[release])


def _with_note(row: Question) -> Question:
    return {key: value for key, value in row.items() if key != "answers"}


def main(arguments: list[str] | None = None) -> int:
    """Records the corpus files that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", help="corpus files, such as cel/rules; all, if none is named"
    )
    parser.add_argument("--import", dest="imported", help="JSON Lines with questions to record")
    parser.add_argument(
        "--differing", action="store_true", help="ask again only where our answer differs"
    )
    parser.add_argument(
        "--missing", action="store_true", help="ask only what is not recorded as it is asked now"
    )
    parser.add_argument(
        "--confirm", action="store_true", help="ask all once, and again what is answered otherwise"
    )
    parser.add_argument("--releases", default=",".join(RELEASES))
    options = parser.parse_args(arguments)
    releases = options.releases.split(",")
    asked_now = {release: client.versions(release) for release in releases}
    for name in options.names or corpus.names():
        path = corpus.FOLDER / f"{name}.jsonl.gz"
        before = corpus.read_header(path)["recorded"] if path.exists() else {}
        versions = {**before, **asked_now, **_versions_of_patches(path)}
        subject = name.partition("/")[0]
        if options.differing:
            rows, asked = _differing(subject, path, releases)
            corpus.write_corpus(path, {"recorded": versions}, rows)
            sys.stdout.write(f"{name}: {asked} questions asked again\n")
            continue
        if options.confirm:
            rows, changed = _confirmed(subject, path, releases)
            corpus.write_corpus(path, {"recorded": versions}, rows)
            sys.stdout.write(f"{name}: {len(changed)} answered otherwise {' '.join(changed[:9])}\n")
            sys.stdout.flush()
            continue
        questions = list(_read(options.imported)) if options.imported else _known_questions(name)
        if options.missing and path.exists():
            rows = _with_missing(subject, questions, corpus.read_rows(path), releases)
        else:
            rows = record(subject, questions, releases)
        corpus.write_corpus(path, {"recorded": versions}, rows)
        sys.stdout.write(f"{name}: {len(rows)} of {len(questions)} questions recorded\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Asks the built oracles: questions in, upstream's answers out, in order."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

__all__ = ["Answer", "MissingOracleError", "Question", "ask", "binary", "versions"]

Question = Mapping[str, Any]
Answer = dict[str, Any]

_PARALLEL = 8
_HERE = Path(__file__).parent


class MissingOracleError(RuntimeError):
    """The oracle of a release has not been built."""


def folder() -> Path:
    """Where built programs are; `DRADSL_ORACLES` may name another folder than tests/oracle/bin."""
    return Path(os.environ.get("DRADSL_ORACLES", _HERE / "bin"))


def binary(release: str) -> Path:
    """The oracle of a release."""
    path = folder() / f"oracle-{release}"
    if not path.exists():
        raise MissingOracleError(f"{path} is missing: run make -C tests/oracle bin/{path.name}")
    return path


def versions(release: str) -> dict[str, str]:
    """The upstream modules that the oracle of a release was built from."""
    done = subprocess.run(
        [str(binary(release)), "versions"], check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout))


def ask(subject: str, release: str, questions: Sequence[Question]) -> list[list[Answer]]:
    """Upstream's answers, one list a question, without ids.

    A crash of the whole oracle (out of memory, stack exhausted) becomes the answer of the question
    that caused it.
    """
    if subject == "schedule" and len(questions) > _PARALLEL:
        return _ask_in_parallel(subject, release, questions)
    return _ask_one(subject, release, questions)


def _ask_one(subject: str, release: str, questions: Sequence[Question]) -> list[list[Answer]]:
    answers: list[list[Answer]] = [[] for _ in questions]
    # Upstream keeps one CEL environment; equal gates one after the other let it keep it.
    order = sorted(range(len(questions)), key=lambda i: json.dumps(questions[i].get("features")))
    start = 0
    while start < len(order):
        done = subprocess.run(
            [str(binary(release)), subject],
            input="".join(_lines(questions, order[start:])),
            capture_output=True,
            text=True,
            check=False,
        )
        for line in filter(None, done.stdout.split("\n")):  # answers may hold U+2028
            answer = json.loads(line)
            answers[answer.pop("id")].append(answer)
        if done.returncode == 0:
            break
        place = next((i for i in range(start, len(order)) if not answers[order[i]]), None)
        if place is None:
            break
        answers[order[place]] = [{"error": "the oracle crashed", "errorKind": "crash"}]
        start = place + 1
    return answers


def _ask_in_parallel(
    subject: str, release: str, questions: Sequence[Question]
) -> list[list[Answer]]:
    """The same with several processes: a scheduler mostly waits for its caches."""
    parts = [questions[start::_PARALLEL] for start in range(_PARALLEL)]
    with ThreadPoolExecutor(_PARALLEL) as pool:
        found = list(pool.map(lambda part: _ask_one(subject, release, part), parts))
    return [found[i % _PARALLEL][i // _PARALLEL] for i in range(len(questions))]


def _lines(questions: Sequence[Question], order: Sequence[int]) -> Iterable[str]:
    for index in order:
        yield json.dumps({**questions[index], "id": index}) + "\n"

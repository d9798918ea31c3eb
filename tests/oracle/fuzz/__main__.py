"""Asks both sides about made-up questions: `python -m tests.oracle.fuzz cel --release 1.36`.

Prints the seed, the agreement as a number and, reduced, the first questions on which upstream and
dradsl differ; `--out FILE` writes those as JSON Lines, ready for `tests.verdicts.record --import`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.releases import RELEASES
from dradsl.replay import QuestionError, answer
from tests.oracle import client
from tests.oracle.fuzz import alloc, cel, objects, reserved, schedule
from tests.oracle.fuzz.reduce import reduced
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GENERATORS: dict[str, Callable[[random.Random], Iterator[dict[str, Any]]]] = {
    "alloc": alloc.generate,
    "cel": cel.generate,
    "cel-derived": cel.generate_derived,
    "cel-wide": cel.generate_wide,
    "pod": objects.generate_pods,
    "schedule": schedule.generate,
    "schedule-reserved": reserved.generate,
    "validate": objects.generate,
}

# How often upstream is asked before a difference counts, where it leaves answers to chance.
# A whole scheduler takes its time.
_ATTEMPTS = {"alloc": 200, "cel": 200, "schedule": 60}


def _ours(subject: str, question: dict[str, Any], release: str) -> list[dict[str, Any]]:
    try:
        return answer(subject, question, RELEASES[release])
    except QuestionError as error:
        return [{"error": str(error), "errorKind": "input"}]


def _agrees(subject: str, release: str, upstream: list[Any], ours: list[Any]) -> bool:
    return corpus.agree(subject, tuple((line,) for line in upstream), ours)


def _difference(subject: str, release: str, question: dict[str, Any]) -> str:
    """In what way the sides differ, whatever order upstream happens to take; "" if they do not."""
    ours = _ours(subject, question, release)
    by_chance = subject in _ATTEMPTS and release in ("1.34", "1.35")
    times = _ATTEMPTS[subject] if by_chance else 12
    rng = random.Random(0)
    copies = []
    for _ in range(times):
        copy = dict(question)
        if isinstance(copy.get("slices"), list):
            copy["slices"] = rng.sample(copy["slices"], len(copy["slices"]))
        copies.append(copy)
    answers = client.ask(subject, release, copies)
    lines = [line for one in (*answers, ours) for line in one]
    if any(line.get("errorKind") in ("timeout", "input") for line in lines):
        return ""
    choices = [
        tuple(one[place] for one in answers if len(one) == len(answers[0]))
        for place in range(len(answers[0]))
    ]
    if corpus.agree(subject, tuple(choices), ours):
        return ""
    return _kind(answers[0], ours)


def _kind(upstream: list[dict[str, Any]], ours: list[dict[str, Any]]) -> str:
    """What tells one sort of difference from another: the fields that differ, the words of errors."""
    for one, other in zip(upstream, ours, strict=False):
        fields = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
        if fields:
            words = re.sub(r"[^a-z ]+", "", str(one.get(fields[0])).partition("\n")[0])[:50]
            return f"{fields}: {words}"
    return "number of lines"


def _same_kind(subject: str, release: str, kind: str) -> Callable[[dict[str, Any]], bool]:
    return lambda question: _difference(subject, release, question) == kind


def main(arguments: list[str] | None = None) -> int:
    """Fuzzes one subject on the releases that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.fuzz", description=__doc__)
    parser.add_argument("subject", choices=sorted(GENERATORS))
    parser.add_argument("--release", action="append", help="default: all")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    sys.stdout.write(f"seed {options.seed}\n")
    make = GENERATORS[options.subject]
    subject = options.subject.partition("-")[0]
    questions = list(itertools.islice(make(random.Random(options.seed)), options.count))
    found: list[dict[str, Any]] = []
    for release in options.release or list(RELEASES):
        upstream = client.ask(subject, release, questions)
        suspects = []
        asked = 0
        for question, lines in zip(questions, upstream, strict=True):
            if any(line.get("errorKind") in ("timeout", "input") for line in lines):
                continue
            asked += 1
            if not _agrees(subject, release, lines, _ours(subject, question, release)):
                suspects.append(question)
        kinds = [_difference(subject, release, question) for question in suspects]
        wrong = [(q, kind) for q, kind in zip(suspects, kinds, strict=True) if kind]
        agreed = asked - len(wrong)
        sys.stdout.write(f"{subject} {release}: {agreed} of {asked}\n")
        distinct = {kind: question for question, kind in reversed(wrong)}
        for kind, question in list(distinct.items())[: options.show]:
            small = reduced(question, _same_kind(subject, release, kind))
            found.append(small)
            sys.stdout.write(json.dumps(small, ensure_ascii=False) + "\n")
            sys.stdout.write(f"  upstream {json.dumps(client.ask(subject, release, [small])[0])}\n")
            sys.stdout.write(f"  ours     {json.dumps(_ours(subject, small, release))}\n")
    if options.out:
        options.out.write_text("".join(json.dumps(one) + "\n" for one in found), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

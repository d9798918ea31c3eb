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
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.releases import RELEASES
from tests.oracle import client
from tests.oracle.fuzz import (
    absent,
    alloc,
    cel,
    groups,
    keys,
    node_resources,
    objects,
    quotas,
    reserved,
    schedule,
    torn,
)
from tests.oracle.fuzz.reduce import reduced
from tests.oracle.fuzz.settle import Settled, not_asked, ours, settle
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

GENERATORS: dict[str, Callable[[random.Random], Iterator[dict[str, Any]]]] = {
    "alloc": lambda rng: absent.varied(alloc.generate(rng, alloc.FUZZED)),
    "alloc-torn": torn.generate,
    "alloc-twins": alloc.twins,
    "alloc-zeros": alloc.zeros,
    "cel": cel.generate,
    "cel-derived": cel.generate_derived,
    "cel-keys": keys.generate,
    "cel-wide": cel.generate_wide,
    "pod": objects.generate_pods,
    "pod-group": groups.generate,
    "quota": quotas.generate,
    "schedule": lambda rng: absent.varied(schedule.generate(rng, schedule.FUZZED)),
    "schedule-node-resources": lambda rng: absent.varied(node_resources.generate(rng)),
    "schedule-reserved": lambda rng: absent.varied(reserved.generate(rng)),
    "validate": objects.generate,
    "validate-undefaulted": objects.generate_undefaulted,
}

# In so many runs upstream has to do as we do. Chance has its way with every device of CEL, and what
# differs by chance there is only found by asking; elsewhere each run is compared by itself.
_RUNS = {"alloc": 3, "schedule": 1}
_MORE_RUNS = {"alloc": 12, "cel": 12, "schedule": 6}
_BY_CHANCE = {"cel": 200}
_AT_ONCE = 2000


def _copies(question: dict[str, Any], times: int, rng: random.Random) -> list[dict[str, Any]]:
    """The question, and the same with the slices in other orders."""
    copies = [question]
    for _ in range(times - 1):
        copy = dict(question)
        if isinstance(copy.get("slices"), list):
            copy["slices"] = rng.sample(copy["slices"], len(copy["slices"]))
        copies.append(copy)
    return copies


def _difference(subject: str, release: str, question: dict[str, Any]) -> str:
    """In what way the sides differ, whatever order upstream happens to take; "" if they do not."""
    by_chance = subject in _BY_CHANCE and release in ("1.34", "1.35")
    times = _BY_CHANCE[subject] if by_chance else _MORE_RUNS.get(subject, 12)
    copies = _copies(question, times, random.Random(0))
    answers = client.ask(subject, release, copies)
    mine = ours(subject, question, release)
    if not_asked(mine) or any(map(not_asked, answers)):
        return ""
    if subject in ("alloc", "schedule"):
        for copy, lines in zip(copies, answers, strict=True):
            if not settle(subject, release, copy, lines).agrees:
                return _kind(lines, ours(subject, copy, release))
        return ""
    choices = [
        tuple(one[place] for one in answers if len(one) == len(answers[0]))
        for place in range(len(answers[0]))
    ]
    if corpus.agree(subject, tuple(choices), mine):
        return ""
    return _kind(answers[0], mine)


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


def _compare(
    subject: str, release: str, questions: Sequence[dict[str, Any]], runs: int
) -> tuple[Counter[Settled], int, list[dict[str, Any]]]:
    """How the questions that could be asked compare, the lines of upstream's answers to them (a line
    a node, a pod or a device), and those questions that have to be looked into."""
    rng = random.Random(0)
    copies = [_copies(question, runs, rng) for question in questions]
    answers = client.ask(subject, release, [one for each in copies for one in each])
    counts: Counter[Settled] = Counter()
    lines = 0
    suspects = []
    for number, question in enumerate(questions):
        drawn = answers[number * runs : (number + 1) * runs]
        if any(map(not_asked, drawn)):
            continue
        lines += sum(map(len, drawn))
        pairs = zip(copies[number], drawn, strict=True)
        found = [settle(subject, release, copy, answer) for copy, answer in pairs]
        worst = max(found, key=list(Settled).index)
        counts[worst] += 1
        if not worst.agrees:
            suspects.append(question)
    return counts, lines, suspects


def _in_parts(questions: Iterator[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], ...]]:
    """The questions, so many at once that memory does not grow with their number."""
    while part := tuple(itertools.islice(questions, _AT_ONCE)):
        yield part


def main(arguments: list[str] | None = None) -> int:
    """Fuzzes one subject on the releases that are named."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.fuzz", description=__doc__)
    parser.add_argument("subject", choices=sorted(GENERATORS))
    parser.add_argument("--release", action="append", help="default: all")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().getrandbits(32))
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument(
        "--orders", type=int, help="ask each question with its slices in so many orders"
    )
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    sys.stdout.write(f"seed {options.seed}\n")
    make = GENERATORS[options.subject]
    subject = options.subject.partition("-")[0]
    orders = options.orders or _RUNS.get(subject, 1)
    found: list[dict[str, Any]] = []
    for release in options.release or list(RELEASES):
        counts: Counter[Settled] = Counter()
        lines = 0
        wrong: list[tuple[dict[str, Any], str]] = []
        questions = itertools.islice(make(random.Random(options.seed)), options.count)
        for some in _in_parts(questions):
            settled, answered, suspects = _compare(subject, release, some, orders)
            counts += settled
            lines += answered
            kinds = [_difference(subject, release, question) for question in suspects]
            wrong += [(q, kind) for q, kind in zip(suspects, kinds, strict=True) if kind]
        asked = counts.total()
        sys.stdout.write(f"{subject} {release}: {asked - len(wrong)} of {asked}\n")
        told = ", ".join(f"{counts[how]} {how.value}" for how in Settled if counts[how])
        sys.stdout.write(f"  on first sight: {told}; lines of upstream's answers: {lines}\n")
        sys.stdout.flush()
        for kind, number in Counter(kind for _, kind in wrong).most_common():
            sys.stdout.write(f"  {number} differ in {kind}\n")
        sys.stdout.flush()
        distinct = {kind: question for question, kind in reversed(wrong)}
        for kind, question in list(distinct.items())[: options.show]:
            small = reduced(question, _same_kind(subject, release, kind))
            found.append(small)
            sys.stdout.write(json.dumps(small, ensure_ascii=False) + "\n")
            sys.stdout.write(f"  upstream {json.dumps(client.ask(subject, release, [small])[0])}\n")
            sys.stdout.write(f"  ours     {json.dumps(ours(subject, small, release))}\n")
    if options.out:
        options.out.write_text("".join(json.dumps(one) + "\n" for one in found), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

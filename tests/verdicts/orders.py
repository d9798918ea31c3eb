"""Every answer that upstream may give where it leaves the order of pools and slices to chance.

`python -m tests.verdicts.orders` goes through all recorded answers of the implementations that keep
no order and tells how many of those that upstream gave our search gives too, under some order.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import TYPE_CHECKING

from dradsl.releases import RELEASES
from tests.verdicts import corpus
from tests.verdicts.arrangements import Arranged, reproduced

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Recorded", "by_chance", "are_reproduced", "main"]

Recorded = tuple[corpus.Case, str]
"""A case and the release."""


def by_chance() -> Iterator[Recorded]:
    """What was recorded, of the releases that may leave the order to chance."""
    for path in corpus.corpora("alloc"):
        for case in corpus.read_corpus(path):
            for release in case.answers:
                yield case, release


def are_reproduced(recorded: Recorded) -> list[bool | None]:
    """Per line, whether each of upstream's answers is ours under some order; None if that is open.

    Nothing where upstream keeps an order.
    """
    case, release = recorded
    arranged = Arranged(case.question, RELEASES[release])
    if not arranged.by_chance:
        return []
    return reproduced(arranged, case.answers[release], random.Random(case.name))


def main() -> int:
    """Counts."""
    counts: dict[str, Counter[bool | None]] = {release: Counter() for release in RELEASES}
    for recorded in by_chance():
        case, release = recorded
        for number, found in enumerate(are_reproduced(recorded)):
            counts[release][found] += 1
            if not found:
                word = "open" if found is None else "not reproduced"
                sys.stdout.write(f"{word}: {case.name} {release}, node {number}\n")
    for release, count in counts.items():
        sys.stdout.write(
            f"{release}: {count[True]} of {count.total()} lines reproduced in full, "
            f"{count[False]} not, {count[None]} open\n"
        )
    return int(any(count[False] for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main())

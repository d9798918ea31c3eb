"""Looks for questions that notice what no recorded case does: `python -m tests.verdicts.seek allocator`.

Makes up clusters, under gates that lead to each implementation of the allocator, until a surviving
change of our code shows. The questions go to `--out`, for `tests.verdicts.record --import`: which
answer is right, only upstream can tell.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dradsl.releases import RELEASES
from tests.oracle.fuzz import alloc
from tests.replay import answer_or_failure
from tests.verdicts import corpus, strength

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.verdicts.mutants import Mutant

__all__ = ["main", "made_up"]

_ALL = (
    "AdminAccess", "PrioritizedList", "PartitionableDevices", "DeviceTaints",
    "DeviceBindingAndStatus", "ConsumableCapacity", "FractionalCapacityRange", "ListTypeAttributes",
    "CompatibilityGroups", "DerivedAttributes", "OptionalNodeOperations",
)  # fmt: skip
# So many of them, from the front, make each release pick each of its implementations.
_PREFIXES = (0, 4, 6, 7, 8, 11)


def made_up(seed: int) -> Iterator[dict[str, Any]]:
    """Questions without end, with gates that lead to every implementation."""
    rng = random.Random(seed)
    for question in alloc.generate(rng, (*alloc.THEMES, *alloc.MORE_THEMES)):
        gates = dict.fromkeys(_ALL, False) | dict.fromkeys(_ALL[: rng.choice(_PREFIXES)], True)
        for gate in rng.sample(_ALL, rng.choice((0, 0, 1, 2))):
            gates[gate] = not gates[gate]
        # A small budget of time: what takes upstream long is of no use as a case.
        yield {**question, "timeoutMS": 500, "features": gates}


def _shows(mutant: Mutant, question: dict[str, Any], usual: list[Any]) -> bool:
    with mutant.change():
        changed = answer_or_failure("alloc", question, mutant.row or RELEASES[mutant.release])
    return not corpus.agree("alloc", tuple((line,) for line in usual), changed)


def found_for(
    survivors: Sequence[Mutant], seed: int, count: int, wanted: int
) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Questions with the names of the changes that they notice, each change `wanted` times."""
    missing = {mutant.name: wanted for mutant in survivors}
    for _, question in zip(range(count), made_up(seed), strict=False):
        names = []
        usual: dict[str, list[Any]] = {}
        for mutant in survivors:
            touched = mutant.touches is None or mutant.touches(question)
            if not missing[mutant.name] or not touched:
                continue
            if mutant.release not in usual:
                usual[mutant.release] = answer_or_failure(
                    "alloc", question, RELEASES[mutant.release]
                )
            if _shows(mutant, question, usual[mutant.release]):
                names.append(mutant.name)
                missing[mutant.name] -= 1
        if names:
            yield question, names
        if not any(missing.values()):
            return


def main(arguments: list[str] | None = None) -> int:
    """Prints what was found and writes the questions."""
    parser = argparse.ArgumentParser(prog="python -m tests.verdicts.seek", description=__doc__)
    parser.add_argument("section", choices=("allocator", "steps"))
    parser.add_argument("--release", help="only this one")
    parser.add_argument("--survivors", type=Path, help="output of strength, instead of running it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--wanted", type=int, default=2, help="questions for each change")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    mutants = [
        mutant
        for mutant in strength.mutants(options.section)
        if options.release in (None, mutant.release) and not mutant.unseen
    ]
    if options.survivors:
        lines = options.survivors.read_text("utf-8").splitlines()
        told = [line for line in lines if line.startswith("survives: ")]
        survivors = [
            mutant for mutant in mutants if any(line.endswith(f" {mutant.name}") for line in told)
        ]
    else:
        bench = strength.Bench()
        survivors = [mutant for mutant in mutants if bench.kills(mutant) is None]
    left = {mutant.name for mutant in survivors}
    with options.out.open("w", encoding="utf-8") as out:
        for question, noticed in found_for(survivors, options.seed, options.count, options.wanted):
            left -= set(noticed)
            out.write(json.dumps({**question, "note": "notices " + "; ".join(noticed)}) + "\n")
    sys.stdout.write("".join(f"not found: {name}\n" for name in sorted(left)))
    return int(bool(left))


if __name__ == "__main__":
    sys.exit(main())

"""`python -m tests.fuzz SURFACE --inputs N --seed S`: changed inputs until one does what none may do.

Each surface is something that dradsl reads; `all` takes each in turn. What is found is reduced, printed
with the call, and written to --keep. The exit code is 1 then. An input is a function of the
seed and its number, so `--only NUMBER` runs one again.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

from tests.every_rule import ask_every_rule
from tests.fuzz.cases import Case, Failure, judge
from tests.fuzz.reduce import reduced
from tests.fuzz.surfaces import SURFACES

_MEMORY = Path("/dev/shm")


def search(
    surface: str, numbers: range, seed: int, folder: Path, codes: Counter[int | None]
) -> dict[Failure, tuple[int, Case]]:
    """The failures among the inputs `numbers` of a surface, each with its first input.

    `codes` counts how the runs ended: inputs that are all rejected reach nothing.
    """
    found: dict[Failure, tuple[int, Case]] = {}
    for number in numbers:
        case = SURFACES[surface](Random(f"{surface} {seed} {number}"))
        failure = judge(case, folder, codes)
        if failure is not None and failure not in found:
            found[failure] = number, case
    return found


def smaller(case: Case, failure: Failure, folder: Path) -> Case:
    """The case with as little in the changed file as shows the failure."""
    tries = 30 if failure.kind == "hang" else 600

    def fails(data: bytes) -> bool:
        return judge(case.with_target(data), folder) == failure

    return case.with_target(reduced(case.content, fails, tries))


def _fail(said: str) -> None:
    raise AssertionError(said)  # an internal error, then


def main(words: list[str]) -> int:
    """Search as the words of the call say; 1 if something was found."""
    ask_every_rule(_fail)
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("surface", choices=[*SURFACES, "all"])
    parser.add_argument("--inputs", type=int, default=1000, help="for each surface")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this input alone")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where to put what fails")
    given = parser.parse_args(words)
    numbers = range(given.inputs) if given.only is None else range(given.only, given.only + 1)
    total = 0
    for surface in SURFACES if given.surface == "all" else (given.surface,):
        start = time.process_time()
        codes: Counter[int | None] = Counter()
        where = _MEMORY if _MEMORY.is_dir() else None
        with tempfile.TemporaryDirectory(dir=where) as name:
            folder = Path(name)
            found = search(surface, numbers, given.seed, folder, codes)
            for failure, (number, case) in found.items():
                _show(surface, number, failure, smaller(case, failure, folder), given.keep)
        took = time.process_time() - start
        ends = dict(sorted(codes.items(), key=str))
        said = f"{surface}: {len(numbers)} inputs, {len(found)} failures, {took:.0f} s"
        print(f"{said}, exit codes {ends}", flush=True)
        total += len(found)
    return int(total > 0)


def _show(surface: str, number: int, failure: Failure, case: Case, keep: Path | None) -> None:
    print(f"--- {surface} {number}: {failure.kind}: {failure.place}")
    print(f"call: {case.words!r}")
    print(f"{case.target or 'the last word'}: {case.content[:2000]!r}", flush=True)
    if keep is not None:
        for name, data in case.files.items():
            path = keep / f"{surface}-{number}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

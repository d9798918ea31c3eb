"""`python -m tests.precision --pairs N --seed S`: claims made at random against conforming fleets.

Each claim is linted, and put to fleets that the driver schemas allow. What breaks a law is
printed with the number that makes it again (`--only NUMBER`). The exit code is 1 then.
"""

from __future__ import annotations

import argparse
import sys
from random import Random

from tests.precision.laws import Tally, examine
from tests.precision.selectors import make

NODES = 20
_SHOWN = 10


def main(words: list[str]) -> int:
    """Examine as the words of the call say; 1 if a law was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.precision", description=__doc__)
    parser.add_argument("--pairs", type=int, default=2000, help="of a claim and a fleet")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this claim alone")
    given = parser.parse_args(words)
    tally = Tally()
    number = given.only or 0
    shown = 0
    while tally.pairs < given.pairs:
        random = Random(f"{given.seed} {number}")
        examine(random, make(random), NODES, tally)
        for breach in tally.breaches[shown : max(shown, _SHOWN)]:
            print(f"# --seed {given.seed} --only {number}\n{breach}\n")
        shown = len(tally.breaches)
        number += 1
        if given.only is not None:
            break
    print(tally.line())
    return 1 if tally.breaches else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

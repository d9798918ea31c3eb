"""The long tests: `.ci/nightly PART... [--scale 1] [--seed N] [--counts FILE] [--summary FILE]`; PART may be `all`.

Each part is a few commands of the repository, with other seeds each day and with sizes that `--scale` makes smaller. What a
command counts stands in the lines that it prints; these go into the summary (Markdown) and into the counts (JSON). The exit
code is 1 if a command failed. `oracle-RELEASE` and `controlplane-RELEASE` build what they ask (needs Go).
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from maintenance.publishing.locks import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

RELEASES = ("1.34", "1.35", "1.36", "1.37")
PLANES = ("1.36", "1.37")
QUESTIONS = (
    ("validate", 4000),
    ("validate-undefaulted", 1000),
    ("pod", 4000),
    ("pod-group", 1000),
    ("cel-wide", 4000),
    ("cel-keys", 1000),
    ("alloc", 2000),
    ("alloc-torn", 500),
    ("quota", 1000),
    ("schedule", 1000),
    ("schedule-node-resources", 500),
    ("schedule-reserved", 500),
)
"""Generators of tests/oracle/fuzz, and how many questions each makes of a release in a night."""

PARTS = (
    *(f"oracle-{each}" for each in RELEASES),
    *(f"controlplane-{each}" for each in PLANES),
    *("fuzz", "kills", "trees", "breaks", "precision"),
)
KEPT = Path("nightly-kept")
"""Where inputs that fail are put."""

_COUNTS = re.compile(r"\d")


@dataclass(frozen=True)
class Outcome:
    """What came of a command: `counts` are its last lines that hold a number."""

    part: str
    command: str
    exit_code: int
    seconds: float
    counts: tuple[str, ...]


def commands(part: str, scale: float, seed: int) -> Iterator[list[str]]:
    """The commands of a part; a first one that builds, where something has to be built."""

    def size(full: int, least: int = 1) -> str:
        return str(max(least, round(full * scale)))

    python = [sys.executable, "-m"]
    name, _, release = part.partition("-")
    if name == "oracle":
        yield ["make", "-s", "-C", "tests/oracle", f"bin/oracle-{release}"]
        for generator, full in QUESTIONS:
            if generator == "pod-group" and release == "1.34":
                continue  # there are none
            words = ["--release", release, "--seed", str(seed), "--count", size(full, 10)]
            out = ["--out", str(KEPT / f"{generator}-{release}.jsonl")]
            yield [*python, "tests.oracle.fuzz", generator, *words, *out]
    elif name == "controlplane":
        plane = [*python, "tests.oracle.controlplane"]
        yield [*plane, "build", "--release", release]
        step = str(max(1, round(1 / scale)))
        yield [*plane, "compare", "--release", release, "--step", step]
        yield [*plane, "mutants", "--release", release, "--count", size(2000, 10)]
        twin = [*python, "tests.oracle.controlplane.twin"]
        yield [*twin, "--release", release, "--steps", size(1000, 10), "--seed", str(seed)]
    elif name == "fuzz":
        keep = ["--keep", str(KEPT / "fuzz")]
        words = ["--inputs", size(4000, 5), "--seed", str(seed), *keep]
        yield [*python, "tests.fuzz", "all", *words]
    elif name == "kills":
        yield [*python, "tests.kills", "--count", size(2000, 10), "--seed", str(seed)]
    elif name == "trees":
        yield [*python, "tests.hostile_trees", "--trees", size(2000, 5), "--seed", str(seed)]
    elif name == "breaks":
        yield [*python, "tests.breaks"]
    else:
        yield [*python, "tests.precision", "--pairs", size(100_000, 100), "--seed", str(seed)]


def outcome(part: str, words: list[str]) -> Outcome:
    """Run a command; what it prints is shown as it comes."""
    shown = " ".join(words).replace(sys.executable, "python")
    print(f"$ {shown}", flush=True)
    start = time.monotonic()
    process = subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None  # noqa: S101 - it was asked for
    lines = []
    for line in process.stdout:
        sys.stdout.write(line)
        lines.append(line.strip())
    sys.stdout.flush()
    code = process.wait()
    said = [line for line in lines if _COUNTS.search(line)]
    most = 20 if part in ("fuzz", "controlplane-1.36", "controlplane-1.37") else 2
    return Outcome(part, shown, code, round(time.monotonic() - start, 1), tuple(said[-most:]))


def table(seed: int, scale: float, outcomes: list[Outcome]) -> str:
    """The counts in Markdown."""
    rows = [
        f"Seed {seed}, scale {scale:g}",
        "",
        "| Part | Command | Exit | s | Counts |",
        "| --- | --- | --- | --- | --- |",
    ]
    for each in outcomes:
        counts = "<br>".join(each.counts).replace("|", "/")
        rows.append(
            f"| {each.part} | `{each.command}` | {each.exit_code} | {each.seconds:.0f} | {counts} |"
        )
    return "\n".join([*rows, ""])


def main() -> int:
    """Run the parts that the call names; 1 if a command failed."""
    parser = argparse.ArgumentParser(prog=".ci/nightly", description=__doc__)
    parser.add_argument("part", nargs="+", choices=[*PARTS, "all"], metavar="PART")
    parser.add_argument("--scale", type=float, default=1.0, help="sizes, as a part of a night's")
    parser.add_argument("--seed", type=int, help="default: the day, as 20261201")
    parser.add_argument("--counts", type=Path, help="where to write the counts, as JSON")
    parser.add_argument("--summary", type=Path, help="append the table to this file")
    given = parser.parse_args()
    if not 0 < given.scale <= 100:
        parser.error("--scale is more than 0, and at most 100")
    seed = given.seed if given.seed is not None else int(datetime.now(UTC).strftime("%Y%m%d"))
    (ROOT / KEPT).mkdir(exist_ok=True)
    outcomes = []
    for part in PARTS if "all" in given.part else given.part:
        for words in commands(part, given.scale, seed):
            outcomes.append(outcome(part, words))
            if words[0] == "make" and outcomes[-1].exit_code:
                break  # nothing to ask
    text = table(seed, given.scale, outcomes)
    if given.counts is not None:
        found = {
            "seed": seed,
            "scale": given.scale,
            "commands": [asdict(each) for each in outcomes],
        }
        given.counts.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    if given.summary is not None:
        with given.summary.open("a", encoding="utf-8") as out:
            out.write(text)
    print(text)
    return int(any(each.exit_code for each in outcomes))


if __name__ == "__main__":
    sys.exit(main())

"""Records what upstream answers to random expressions: `python -m tests.cel.record`.

Needs the oracles (tests/oracle). Expressions come from `Generator` with a seed per release and
mode, so that a new recording differs only where upstream does.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.cel.expressions import DEVICES, Generator
from tests.oracle.client import ask

__all__ = ["FILE", "read_recorded"]

FILE = Path(__file__).parent / "data" / "random.jsonl.gz"

_RELEASES = ("1.34", "1.35", "1.36", "1.37")
_COUNT = 300


def _groups() -> list[tuple[str, str, dict[str, bool], int]]:
    """Release, mode, gates and seed of each group."""
    groups: list[tuple[str, str, dict[str, bool], int]] = []
    for release in _RELEASES:
        groups += [(release, mode, {}, len(groups) + 1000) for mode in ("new", "stored")]
    lists = {"DRAListTypeAttributes": True}
    groups += [("1.36", "new", lists, 2000), ("1.37", "new", lists, 2001)]
    return groups


def main() -> None:
    """Writes the recording."""
    rows = []
    for release, mode, gates, seed in _groups():
        generator = Generator(seed)
        expressions = [generator.expression(4) for _ in range(_COUNT)]
        questions = [
            {"expression": e, "env": mode, "features": gates or "defaults", "devices": DEVICES}
            for e in expressions
        ]
        answers = ask("cel", release, questions)
        for expression, answer in zip(expressions, answers, strict=True):
            if "compileError" in answer[0]:  # not where upstream panics
                row = {"expression": expression, "answer": answer[0]}
                rows.append({"release": release, "mode": mode, "gates": gates, **row})
    with FILE.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed:
        for row in rows:
            packed.write((json.dumps(row, ensure_ascii=False, sort_keys=True) + "\n").encode())


def read_recorded() -> list[dict[str, Any]]:
    """The recorded rows."""
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()

"""Records what upstream answers: `python -m tests.cel.record` (needs tests/oracle).

Random expressions come from `Generator` with a seed per release and mode, so that a new
recording differs only where upstream does. Probes call the functions of the libraries with
telling arguments; those of the present recording are asked again.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.cel.expressions import DEVICES, Generator
from tests.oracle.client import ask

__all__ = ["LIBRARY", "PROBE_RELEASES", "RANDOM", "probe_question", "read_rows"]

_DATA = Path(__file__).parent / "data"
RANDOM = _DATA / "random.jsonl.gz"
LIBRARY = _DATA / "library.jsonl.gz"

PROBE_RELEASES = ("1.34", "1.37")
"""Between these nothing changed in the libraries."""

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


def record_random() -> list[dict[str, Any]]:
    """Random expressions and upstream's answers for DEVICES."""
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
    return rows


def probe_question(probe: str) -> str:
    """An expression whose failure shows a string: upstream names the key it does not find."""
    return f'{{"a": 1}}[{probe}] == 1'


def record_library() -> list[dict[str, Any]]:
    """The probes, each with its answer by release, or under "all" if it is the same."""
    probes = [row["probe"] for row in read_rows(LIBRARY)]
    questions = [
        {"expression": probe_question(probe), "env": "stored", "devices": [{"driver": "d"}]}
        for probe in probes
    ]
    answers = {release: ask("cel", release, questions) for release in PROBE_RELEASES}
    rows = []
    for position, probe in enumerate(probes):
        found = [answers[release][position][0] for release in PROBE_RELEASES]
        if any("compileError" not in answer for answer in found):
            continue
        shown = [_shown(answer) for answer in found]
        if shown[0] == shown[1]:
            rows.append({"probe": probe, "all": shown[0]})
        else:
            rows.append({"probe": probe, **dict(zip(PROBE_RELEASES, shown, strict=True))})
    return rows


def _shown(answer: dict[str, Any]) -> dict[str, Any]:
    if answer["compileError"]:
        return {"refused": answer["compileError"]["detail"]}
    return {"maxCost": answer["maxCost"], **answer["results"][0]}


def main() -> None:
    """Writes the recordings."""
    for file, rows in ((RANDOM, record_random()), (LIBRARY, record_library())):
        with file.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as packed:
            for row in rows:
                line = json.dumps(row, ensure_ascii=False, sort_keys=True)
                packed.write((line + "\n").encode())


def read_rows(file: Path) -> list[dict[str, Any]]:
    """The rows of a recording."""
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        return [json.loads(line) for line in lines]


if __name__ == "__main__":
    main()

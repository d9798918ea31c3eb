"""Asks Flux's own code for the values of releases: `python -m tests.tree.builds.record_flux PROGRAM`.

PROGRAM is built of tests/oracle/flux (`make -C tests/oracle bin/flux-values`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.tree.builds.flux_cases import RECORDED, cases

__all__ = ["answers"]


def answers(program: str, questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What Flux answers to each question: `values`, or an `error`."""
    lines = "".join(json.dumps(each) + "\n" for each in questions)
    done = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


if __name__ == "__main__":
    asked = cases()
    rows = [
        json.dumps({**question, "answer": answer}, sort_keys=True)
        for question, answer in zip(asked, answers(sys.argv[1], asked), strict=True)
    ]
    RECORDED.write_text("[\n" + ",\n".join(rows) + "\n]\n")

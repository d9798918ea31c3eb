"""Edits of whole pods and workloads, put to a real API server and to `dradsl lint`.

    python -m tests.oracle.controlplane mutants --release 1.37 [--count 2000]

takes the edits of `tests/kube/workloads` and prints how many the server rejects, how many of these lint reports as
errors, and whether lint reports an error of one that the server takes.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import dradsl
from tests.kube.workloads import edits
from tests.oracle.controlplane.judging import theirs

if TYPE_CHECKING:
    from tests.oracle.controlplane.plane import ControlPlane

__all__ = ["mutants"]

_SEED = 20261126


def mutants(plane: ControlPlane, *, count: int = 2000, show: int = 20) -> int:
    """Prints the counts; the number of accepted objects that lint reports errors of."""
    plane.api.call("POST", "/api/v1/namespaces", {"metadata": {"name": "ml"}})
    asked = edits.edits()[: len(edits.bases())] + random.Random(_SEED).sample(
        edits.edits()[len(edits.bases()) :], count
    )
    counts: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    lines: list[str] = []
    for edit, obj in asked:
        right = theirs(plane.api, obj)
        if not right.rejected and right.way != "accepted":
            counts[f"not judged: {right.way}"] += 1
            continue
        errors = _errors(obj, plane.release)
        about = "devices" if edits.is_about_devices(obj) else "nothing of devices"
        reported = "an error of lint" if errors else "no error of lint"
        counts[f"{right.way}, about {about}: {reported}"] += 1
        if right.way == "accepted" and errors:
            lines.append(f"  false? {edit} {obj['kind']}: {errors}\n")
        elif right.rejected and not errors and about == "devices":
            fields = {re.sub(r"\[[^]]*\]", "", field) for _, field, _ in right.errors}
            missed.update(fields if right.way == "invalid" else {"decoding"})
    sys.stdout.write(f"{plane.release}: {len(asked)} objects\n")
    for way, number in sorted(counts.items()):
        sys.stdout.write(f"  {number:6} {way}\n")
    for field, number in missed.most_common(show):
        sys.stdout.write(f"         rejected, no error of lint: {field} ({number})\n")
    sys.stdout.write("".join(lines[:show]))
    sys.stdout.flush()
    return len(lines)


def _errors(obj: dict[str, Any], release: str) -> list[str]:
    result = dradsl.lint(obj, kube_version=release, isolated=True)
    return [f"{one.code} {one.message}" for one in result.findings if one.severity == "error"]

"""The words of a real API server for recorded questions whose errors print a whole value: `words.json`.

    python -m tests.oracle.controlplane words --release 1.37

The oracle records what is said of a value and not how it is printed; that is a matter of the type that a check is given.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.oracle.controlplane.judging import theirs
from tests.verdicts import corpus

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.controlplane.api import Json
    from tests.oracle.controlplane.plane import ControlPlane

__all__ = ["PAGE", "QUESTIONS", "objects", "record"]

PAGE = Path(__file__).with_name("words.json")
QUESTIONS = (
    "generated.jsonl.gz:validate-843409ff7f0c",
    "generated.jsonl.gz:validate-655fafe16f01",
    "generated.jsonl.gz:validate-cc81c582ad31",
    "rules.jsonl.gz:create-76",
    "rules.jsonl.gz:create-80",
    "rules.jsonl.gz:create-88",
    "rules.jsonl.gz:create-89",
    "singles.jsonl.gz:slice-spec.devices.0.capacity.memory.requestPolicy.validRange.min-5",
    "singles.jsonl.gz:slice-spec.devices.0.capacity.memory.requestPolicy.validRange.min-14",
    "singles.jsonl.gz:template-spec.spec.devices.requests-7",
    "generated.jsonl.gz:pod-5362b93e295f",
    "generated.jsonl.gz:pod-e4d3724a67f6",
    "mutated.jsonl.gz:42",
    "mutated.jsonl.gz:78",
)


def objects() -> Iterator[tuple[str, Json]]:
    """The objects of the questions, by their names."""
    for subject in ("validate", "pod"):
        for path in corpus.corpora(subject):
            for case in corpus.read_corpus(path):
                if case.name in QUESTIONS:
                    yield case.name, case.question["object"]


def record(plane: ControlPlane) -> None:
    """Asks the server, and writes what a release says into the page."""
    page = json.loads(PAGE.read_text("utf-8")) if PAGE.exists() else {}
    asked = dict(objects())
    for name in sorted(
        {str(obj["metadata"].get("namespace", "default")) for obj in asked.values()}
    ):
        if not plane.api.ready(f"/api/v1/namespaces/{name}"):
            plane.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    page[plane.release] = {
        name: sorted(map(list, theirs(plane.api, obj).errors)) for name, obj in asked.items()
    }
    PAGE.write_text(f"{json.dumps(page, indent=1, sort_keys=True)}\n", "utf-8")

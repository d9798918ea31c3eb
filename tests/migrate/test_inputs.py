"""Real manifests and values of 28 projects: each migrated, or rejected for the right reason.

The reports and changes are golden files; `golden/inputs.md` is the table over all of them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from dradsl.migrate.output import rendered_objects
from dradsl.migrate.report.sections import rendered
from dradsl.migrate.result import Outcome
from tests.golden import check_golden
from tests.migrate.runs import HERE, INPUTS, diff, fleet, run

if TYPE_CHECKING:
    from pathlib import Path

    from dradsl.migrate.result import Migration

# What a migration may take out of a file, besides the collections that it leaves empty.
_TAKEN = re.compile(
    r"\s*(- )?(limits|requests|resources):\s*$|.*[a-z.]+/[A-Za-z0-9._-]+[\"']?: [\"']?[0-9]+"
)

# The service account of the first is a variable: as written, the API server rejects the pod. The operator of the second
# makes the pods.
_NOT_PLACED = (
    "GoogleCloudPlatform_kubernetes-engine-samples__triton-gke-accelerator",
    "NVIDIA_k8s-nim-operator__nimservice-multinode-rdma",
)


def _migrated(path: Path) -> Migration:
    return run(path.read_bytes(), path.name, inventory=fleet())


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_report_and_changes(path: Path) -> None:
    migration = _migrated(path)
    (file,) = migration.files
    changes = "\n".join(diff(file.before, file.text))
    added = rendered_objects(file.added)
    text = f"{rendered(migration)}\n=== changes\n{changes}\n=== objects for a file of their own\n{added}"
    check_golden(HERE / "golden" / f"{path.stem}.txt", text)


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_nothing_else_changes_and_twice_is_once(path: Path) -> None:
    (file,) = _migrated(path).files
    gone = [line[1:] for line in diff(file.before, file.text) if line.startswith("-")]
    assert all(_TAKEN.fullmatch(line) or _TAKEN.match(line) for line in gone), gone
    again = run(file.text, path.name, inventory=fleet())
    assert again.files[0].text == file.text
    assert not again.changed
    assert again.count(Outcome.TRANSLATED) == 0


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_no_proof_fails(path: Path) -> None:
    migration = _migrated(path)
    assert migration.faults == ()
    for file in migration.files:
        for workload in file.workloads:
            assert workload.before == workload.after
            word = "not simulated" if path.stem in _NOT_PLACED else "gets"
            proofs = [e for e in migration.evidence if e.startswith(f"{workload.title}: {word}")]
            assert proofs, f"{workload.title} was not simulated: {migration.evidence}"


def test_table() -> None:
    rows = ["| input | outcome | reason |", "| --- | --- | --- |"]
    for path in INPUTS:
        migration = _migrated(path)
        items = list(migration.items())
        outcomes = dict.fromkeys(str(item.outcome) for item in items)
        reasons = dict.fromkeys(
            item.after if item.outcome is Outcome.TRANSLATED else item.reason for item in items
        )
        rows.append(f"| {path.stem} | {', '.join(outcomes)} | {'; '.join(map(str, reasons))} |")
    check_golden(HERE / "golden" / "inputs.md", "\n".join(rows) + "\n")

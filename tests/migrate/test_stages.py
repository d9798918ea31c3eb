"""The four stages of a migration, each made alone of the value of the one before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dradsl.drivers.schema.catalogue import shipped_catalogue
from dradsl.migrate.files import migrate_file
from dradsl.migrate.planning.answers import Options
from dradsl.migrate.proof.prove import prove
from dradsl.migrate.result import EditedTree, Migration, Outcome
from dradsl.migrate.survey import RunEvidence, survey
from dradsl.migrate.whole_tree import migrate_tree
from dradsl.records import replace
from dradsl.text.documents import load
from dradsl.tree.inputs.sources import SourceText
from tests.migrate.runs import with_gpu
from tests.migrate.test_overlays import tree

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PLUGIN = "version: v1\nsharing:\n  timeSlicing:\n    resources:\n    - {name: nvidia.com/gpu, replicas: 4}\n"


def surveyed(files: dict[str, str]) -> RunEvidence:
    sources = [SourceText(name, load(text.encode())) for name, text in files.items()]
    return survey(sources, Options(), shipped_catalogue())


def test_the_evidence_is_known_before_a_pod_is_planned() -> None:
    known = surveyed({"pod.yaml": with_gpu(), "plugin.yaml": PLUGIN})
    assert "4 pods" in str(known.evidence.cluster_of("pod.yaml").sharing("nvidia.com/gpu"))
    assert not known.builds
    assert "nvidia.com/gpu" in repr(known.evidence)


def test_a_file_is_planned_and_edited_by_the_evidence_alone() -> None:
    known = surveyed({"pod.yaml": with_gpu()})
    file = migrate_file(known.sources[0], known)
    assert [item.outcome for item in file.items] == [Outcome.TRANSLATED]
    shared = surveyed({"pod.yaml": with_gpu(), "plugin.yaml": PLUGIN})
    (item,) = migrate_file(shared.sources[0], shared).items
    assert item.question == "sharing"
    assert "nvidia.com/gpu" in repr(file.items)


def test_what_is_built_is_edited_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "base/pod.yaml": with_gpu(),
        "base/kustomization.yaml": "resources: [pod.yaml]\nnamePrefix: x-\n",
    }
    tree(tmp_path, files)
    known = surveyed(files)
    assert known.builds
    edited = migrate_tree(known)
    assert [side.name for side in edited.sides] == ["base"]
    assert edited.covered >= {"base/pod.yaml"}
    assert "base" in repr(edited.sides)


def test_the_proof_takes_back_what_lint_rejects() -> None:
    known = surveyed({"pod.yaml": with_gpu()})
    edited = EditedTree((migrate_file(known.sources[0], known),))
    good = prove(Migration(edited.files), edited, known)
    assert good.evidence
    assert not good.faults
    (file,) = edited.files
    wrong = replace(file, text=file.text.replace("exactly:", "exactlyOne:"))
    bad = prove(Migration((wrong,)), EditedTree((wrong,)), known)
    assert bad.faults
    assert bad.files[0].text == with_gpu()

"""`dradsl lint --since`: an object is compared with itself, also where others have its name."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.lint.repositories import codes, commit, git, only_git_of_the_test

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec: {spec: {devices: {requests: [{name: REQUEST, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""
IMMUTABLE = ("--select", "DRA314")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two environments with templates of one name, committed."""
    only_git_of_the_test(tmp_path, monkeypatch)
    git(tmp_path, "init", "-q", "-b", "main")
    write(tmp_path, "dev/claim.yaml", "full")
    write(tmp_path, "prod/claim.yaml", "mig")
    commit(tmp_path)
    return tmp_path


def write(tree: Path, name: str, request: str) -> None:
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(TEMPLATE.replace("REQUEST", request))


def changed(*words: str) -> list[str]:
    return [path for path, _ in codes(*words, *IMMUTABLE)]


def test_environments_never_meet(tree: Path) -> None:
    assert changed("--since", "HEAD", ".") == []


def test_the_same_file_is_compared(tree: Path) -> None:
    write(tree, "prod/claim.yaml", "full")
    assert changed("--since", "HEAD", ".") == ["prod/claim.yaml"]
    assert changed("--since", "HEAD", "prod") == ["prod/claim.yaml"]


def test_a_renamed_file(tree: Path) -> None:
    git(tree, "mv", "prod/claim.yaml", "prod/rct.yaml")
    assert changed("--since", "HEAD", "prod") == []
    write(tree, "prod/rct.yaml", "other")
    for words in (("prod",), (".",), ("prod/rct.yaml",), (str(tree / "prod"),)):
        assert [path.rpartition("/")[2] for path in changed("--since", "HEAD", *words)] == [
            "rct.yaml"
        ]


def test_two_renamed_files(tree: Path) -> None:
    """Each stays in its folder, so each is known."""
    for name in ("dev", "prod"):
        git(tree, "mv", f"{name}/claim.yaml", f"{name}/rct.yaml")
    assert changed("--since", "HEAD", ".") == []
    write(tree, "prod/rct.yaml", "full")
    assert changed("--since", "HEAD", ".") == ["prod/rct.yaml"]


def test_two_files_that_moved_elsewhere(tree: Path) -> None:
    """Nobody can say which is which."""
    git(tree, "mv", "dev", "one")
    git(tree, "mv", "prod", "two")
    write(tree, "one/claim.yaml", "mig")
    write(tree, "two/claim.yaml", "full")
    assert changed("--since", "HEAD", ".") == []


def test_an_object_that_moved_to_another_file(tree: Path) -> None:
    moved = (tree / "prod/claim.yaml").read_text().replace("mig", "other")
    (tree / "prod/claim.yaml").write_text("kind: none\n")
    (tree / "prod/all.yaml").write_text(moved)
    assert changed("--since", "HEAD", ".") == ["prod/all.yaml"]


def test_a_new_environment(tree: Path) -> None:
    write(tree, "stage/claim.yaml", "other")
    assert changed("--since", "HEAD", ".") == []


def test_a_patch_and_its_base(tree: Path) -> None:
    """A patch has the name of its base, and is no update of it."""
    (tree / "dev/kustomization.yaml").write_text(
        "resources: [../prod]\npatches: [{path: claim.yaml}]\n"
    )
    (tree / "prod/kustomization.yaml").write_text("resources: [claim.yaml]\n")
    write(tree, "dev/claim.yaml", "another")
    assert changed("--since", "HEAD", ".") == []


def test_a_folder_as_the_earlier_state(tree: Path) -> None:
    git(tree, "worktree", "add", "-q", "../before-" + tree.name, "HEAD")
    before = f"../before-{tree.name}"
    assert changed("--since", before, ".") == []
    write(tree, "prod/claim.yaml", "full")
    assert changed("--since", before, ".") == ["prod/claim.yaml"]
    (tree / "prod/claim.yaml").rename(tree / "prod/rct.yaml")
    assert changed("--since", before, ".") == ["prod/rct.yaml"]


def test_many_files_take_two_processes(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        write(tree, f"more/{number}.yaml", "full")
    commit(tree)
    (tree / "more/0.yaml").rename(tree / "more/new.yaml")
    started: list[object] = []
    real: Any = subprocess.Popen

    def count(*words: object, **options: object) -> object:
        started.append(words)
        return real(*words, **options)

    monkeypatch.setattr(subprocess, "Popen", count)
    assert changed("--since", "HEAD", ".") == []
    assert len(started) == 2


FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: k}
spec: {path: ./dev, postBuild: {substitute: {REQUEST: given}}}
"""


@pytest.mark.parametrize("flux", [False, True])
def test_variables_are_what_they_were(tree: Path, flux: bool) -> None:
    write(tree, "dev/claim.yaml", "'${REQUEST:=full}'")
    write(tree, "prod/claim.yaml", "'${REQUEST}'")
    if flux:
        (tree / "ks.yaml").write_text(FLUX)
    commit(tree)
    assert changed("--since", "HEAD", ".") == []
    write(tree, "dev/claim.yaml", "'${REQUEST:=other}'")
    assert changed("--since", "HEAD", ".") == ([] if flux else ["dev/claim.yaml"])
    # They may be the same, and so may be what a value stands for now.
    write(tree, "prod/claim.yaml", "'${ANOTHER}'")
    assert changed("--since", "HEAD", "prod") == []
    write(tree, "prod/claim.yaml", "gpu")
    assert changed("--since", "HEAD", "prod") == []
    git(tree, "mv", "dev/claim.yaml", "dev/rct.yaml")
    assert changed("--since", "HEAD", "dev") == []

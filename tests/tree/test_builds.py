"""One service builds trees: nobody else makes builders of overlays, and no rule reads the disk."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from dradsl.tree.builder import TreeBuilder
from dradsl.tree.builds import Builds
from dradsl.tree.kustomize.parts.files import Files

PACKAGE = Path(__file__).parents[2] / "dradsl"
RULES = sorted((PACKAGE / "lint" / "rules").rglob("*.py"))

CLAIM = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: gpu}\n"
# What asks the disk, as functions and as modules.
ASKS = {"isfile", "isdir", "exists", "lexists", "realpath", "islink", "stat", "lstat", "samefile"}
READERS = ("dradsl.text.files", "dradsl.tree.files", "dradsl.tree.builder", "dradsl.tree.kustomize")
# Data of kustomizations that were read, and types.
PLAIN = ("dradsl.tree.kustomize.kustomization", "dradsl.tree.kustomize.parts.outcome")


def calls(path: Path) -> list[str]:
    tree = ast.parse(path.read_bytes())
    return [ast.unparse(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)]


def test_builders_of_overlays_are_made_in_one_place() -> None:
    made = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for name in calls(path)
        if name.rpartition(".")[2] == "OverlayBuilder"
    ]
    assert made == ["tree/builder.py"]


@pytest.mark.parametrize("path", RULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_rule_reads_the_disk(path: Path) -> None:
    assert [name for name in calls(path) if name.rpartition(".")[2] in ASKS] == []
    imported = [
        each.module or ""
        for each in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(each, ast.ImportFrom)
    ]
    assert [name for name in imported if name.startswith(READERS) and name not in PLAIN] == []


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.mkdir(parents=True, exist_ok=True)
        (path / "kustomization.yaml").write_text(text)


def name_of(built: Any) -> str:
    return str(built.data["metadata"]["name"])


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    write(
        tmp_path,
        base="resources: [claim.yaml]\n",
        one="resources: [../base]\nnamePrefix: one-\n",
        two="resources: [../base]\nnamePrefix: two-\n",
    )
    (tmp_path / "base" / "claim.yaml").write_text(CLAIM)
    return tmp_path


def test_folders_of_a_tree_share_what_they_take_in(tree: Path) -> None:
    builds = Builds()
    files, top = builds.files(str(tree / "one"))
    assert top == str(tree)
    names = [
        name_of(each)
        for folder in ("one", "two", "one")
        for each in builds.overlay(str(tree / folder)).objects
    ]
    assert names == ["one-gpu", "two-gpu", "one-gpu"]
    steps = files.steps
    builds.overlay(str(tree / "base"))
    assert files.steps == steps, "the base was read before"
    assert builds.files(str(tree / "two"))[0] is files


def test_files_of_the_run_are_named_by_the_service(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree / "one")
    builds = Builds()
    assert builds.folder_of("kustomization.yaml") == str(tree / "one")
    assert builds.folder_of("../two/kustomization.yaml") == str(tree / "two")
    assert builds.folder_of("<stdin>") is None
    (tree / "link").symlink_to(tree / "base")
    assert builds.folder_of(str(tree / "link" / "claim.yaml")) == str(tree / "base")
    assert builds.real("../base/claim.yaml") == str(tree / "base" / "claim.yaml")


def test_a_build_for_argo_cd_leaves_the_folder_as_it_is_for_others(tree: Path) -> None:
    from dradsl.tree.nodes import of

    builder = TreeBuilder(Files([str(tree)]))
    source = of({"path": "one", "kustomize": {"nameSuffix": "-a"}}, None)
    made = builder.argo_cd(source, str(tree))
    assert made is not None
    assert [name_of(each) for each in made.objects] == ["one-gpu-a"]
    assert [name_of(each) for each in builder.overlay(str(tree / "one")).objects] == ["one-gpu"]

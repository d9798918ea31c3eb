"""A folder run looks at what git tracks, whatever ignore files say; no index brings a run down."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.tree.git.index import IndexFile, IndexFileError

if TYPE_CHECKING:
    from pathlib import Path

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
CLAIM = (
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {nothing: 1}\n"
)
FILES = (
    "plain.yaml",
    "lost.gen.yaml",
    "kept.gen.yaml",
    "dist/kept.yaml",
    "dist/lost.yaml",
    "dist/deep/kept.yaml",
    "dist/deeper/lost.yaml",
    "untracked.yaml",
    f"long/{'n' * 200}/{'m' * 200}/{'o' * 200}/kept.gen.yaml",
)


def git(folder: Path, *words: str) -> None:
    subprocess.run(("git", *words), cwd=folder, check=True, capture_output=True)


def looked_at(*words: str) -> tuple[list[str], list[str]]:
    result = CliRunner().invoke(command, ["--isolated", *words, "--output-format", "json"])
    assert result.exit_code in (0, 1), result.output
    report = json.loads(result.stdout)
    return sorted(f["path"] for f in report["findings"]), report.get("notes", [])


def tree(top: Path, *, hashes: str = "sha1") -> None:
    git(top, "init", "-q", f"--object-format={hashes}")
    (top / ".gitignore").write_text("dist/\n*.gen.yaml\n")
    for name in FILES:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(CLAIM)
    git(top, "add", "-f", "plain.yaml", *(name for name in FILES if "kept" in name))


@needs_git
@pytest.mark.parametrize("kind", ["2", "3", "4", "sha256"])
def test_what_is_tracked_is_looked_at(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, hashes="sha256" if kind == "sha256" else "sha1")
    if kind == "3":
        git(
            tmp_path, "add", "-f", "-N", ".gitignore"
        )  # what is only to be added needs this version
    elif kind in "24":
        git(tmp_path, "update-index", "--index-version", kind)
    index = (tmp_path / ".git" / "index").read_bytes()
    assert index[7] == int(kind if kind in "234" else "2")
    monkeypatch.chdir(tmp_path)
    expected = sorted(name for name in FILES if "lost" not in name)
    assert looked_at(".") == (expected, [])
    monkeypatch.chdir(tmp_path / "dist")
    inside = ["deep/kept.yaml", "deeper/lost.yaml", "kept.yaml", "lost.yaml"]
    assert looked_at(".")[0] == inside  # the call names that folder


@needs_git
def test_what_git_would_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path)
    listed = subprocess.run(
        ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        cwd=tmp_path, check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert looked_at(".")[0] == sorted(name for name in listed if name.endswith(".yaml"))


@needs_git
def test_an_index_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path)
    (tmp_path / ".git" / "index").write_bytes(b"DIRC\0\0\0\x09 nothing that is known")
    monkeypatch.chdir(tmp_path)
    found, _ = looked_at(".")
    assert found == ["plain.yaml", "untracked.yaml"]
    assert (
        ".git/index is not an index of git"
        in CliRunner().invoke(command, ["--isolated", "."]).output
    )


@needs_git
@pytest.mark.parametrize("version", ["2", "4"])
def test_hostile(version: str, tmp_path: Path) -> None:
    tree(tmp_path)
    git(tmp_path, "update-index", "--index-version", version)
    data = (tmp_path / ".git" / "index").read_bytes()
    chance = random.Random(version)
    inputs = [data[:end] for end in range(len(data))]
    for _ in range(2000):
        changed = bytearray(data)
        for _ in range(chance.randrange(1, 5)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        inputs.append(bytes(changed))
    rejected = 0
    for each in inputs:
        try:
            IndexFile(each).tracks(b"dist/kept.yaml")
        except IndexFileError:
            rejected += 1
    assert rejected > 100


def test_names_that_grow() -> None:
    """Names of version 4 share their beginnings: few bytes may stand for very many."""
    entry = bytes(60)
    name = b"n" * 4000
    first = entry + (min(4095, len(name))).to_bytes(2, "big") + b"\0" + name + b"\0"
    same = entry + (4000).to_bytes(2, "big") + b"\0" + b"\0"
    count = 20_000
    data = b"DIRC" + (4).to_bytes(4, "big") + count.to_bytes(4, "big") + first + same * (count - 1)
    with pytest.raises(IndexFileError):
        IndexFile(data + bytes(20)).tracks(b"x")

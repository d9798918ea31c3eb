"""`dradsl lint --since REV`: which commit is asked, and what is said when it cannot be."""

from __future__ import annotations

import hashlib
import os
import zlib
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from dradsl.cli.lint import command
from dradsl.lint.input import history
from dradsl.text import documents
from dradsl.tree.git import snapshots
from tests.lint.repositories import (
    claim,
    codes,
    commit,
    git,
    only_git_of_the_test,
    rejected,
    repository,
    run,
    wrapper,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _git_of_the_test_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_git_of_the_test(tmp_path, monkeypatch)


# Which commit


@pytest.mark.parametrize("since", ["HEAD", "main", "v1", "HEAD@{0}", "HEAD^{/x}", "main~0"])
def test_names_of_a_commit(tmp_path: Path, since: str) -> None:
    repository(tmp_path)
    git(tmp_path, "tag", "-am", "annotated", "v1")
    assert codes("a.yaml", "--since", since) == [("a.yaml", "DRA314")]
    assert codes("a.yaml", "--since", git(tmp_path, "rev-parse", "HEAD")[:9]) != []


@pytest.mark.parametrize(
    "since",
    [
        "none",
        "-x",
        "--output=x",
        "--batch-all-objects",
        "a b",
        "HEAD:a.yaml",
        "HEAD^{tree}",
        ":0:a.yaml",
        "HEAD\nHEAD",
        "HEAD missing",
        "HEAD..HEAD",
        "^HEAD",
        "\x1b[31m",
        "\udce9",
        "::error::x",
        "0" * 40,
        "",
    ],
)
def test_what_names_no_commit(tmp_path: Path, since: str) -> None:
    repository(tmp_path)
    assert "--since" in rejected("a.yaml", "--since", since)
    assert sorted(each.name for each in tmp_path.iterdir()) == [".git", "a.yaml"]


def test_an_ambiguous_start_of_an_id_says_so(tmp_path: Path) -> None:
    repository(tmp_path)
    tree = git(tmp_path, "rev-parse", "HEAD^{tree}")
    starts: dict[str, int] = {}
    for number in range(2000):  # two of 2,000 commits share four digits, almost surely
        text = f"tree {tree}\nauthor x <x> {number} +0000\ncommitter x <x> {number} +0000\n\nx\n"
        oid = _object_id("commit", text.encode())
        if oid[:4] in starts:
            for each in (starts[oid[:4]], number):
                write_object(tmp_path, "commit", text.replace(f" {number} ", f" {each} ").encode())
            assert "is ambiguous" in rejected("a.yaml", "--since", oid[:4])
            return
        starts[oid[:4]] = number
    raise AssertionError("no two ids share a start")


def _object_id(kind: str, body: bytes) -> str:
    return hashlib.sha1(f"{kind} {len(body)}\0".encode() + body).hexdigest()  # noqa: S324 - git's


def write_object(folder: Path, kind: str, body: bytes) -> str:
    """Puts an object into the repository that git itself may not write; returns its id."""
    oid = _object_id(kind, body)
    path = folder / ".git" / "objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(f"{kind} {len(body)}\0".encode() + body))
    return oid


def test_new_files_have_no_past_and_others_keep_theirs(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / "b.yaml").write_text(claim(2, "other"))
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "c.yaml").write_text(claim(2, "third"))
    assert codes("--since", "HEAD") == [("a.yaml", "DRA314")]


def test_standard_input_has_no_past(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["--isolated", "-", "--since", "HEAD"], input=claim(2))
    assert result.exit_code == 0


@pytest.mark.parametrize(
    "name",
    [
        "-x",
        "a b",
        " x",
        "new\nline",
        "x\r",
        "ü",
        "caf\udce9",
        "tab\t",
        "a:b",
        "HEAD",
        '"',
        "\x1b[31m",
    ],
)
def test_odd_names_of_files(tmp_path: Path, name: str) -> None:
    repository(tmp_path)
    for path in (tmp_path / f"{name}.yaml", tmp_path / f"d{name}" / f"{name}.yaml"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(claim(2, f"c{len(path.parts)}"))
    commit(tmp_path)
    for path in (tmp_path / f"{name}.yaml", tmp_path / f"d{name}" / f"{name}.yaml"):
        path.write_text(claim(1, f"c{len(path.parts)}"))
    assert [code for _, code in codes("--since", "HEAD", ".")] == ["DRA314", "DRA314"]


def test_ids_of_the_other_hash(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.yaml").write_text(claim(2))
    commit(tmp_path)
    (tmp_path / "sub" / "a.yaml").write_text(claim(3))
    assert codes("--since", "HEAD") == [("sub/a.yaml", "DRA314")]


def test_links_are_followed_inside_the_work_tree_only(tmp_path: Path) -> None:
    top = repository(tmp_path / "top")
    (top / "sub").mkdir()
    (top / "sub" / "link.yaml").symlink_to("../a.yaml")
    (top / "out.yaml").symlink_to("../out.yaml")
    (top / "round.yaml").symlink_to("round.yaml")
    (tmp_path / "out.yaml").write_text(claim(1, "out"))
    commit(top)
    git(top, "reset", "-q", "--soft", "HEAD")
    (top / "a.yaml").write_text(claim(4))
    (top / "round.yaml").unlink()
    (top / "round.yaml").write_text(claim(1, "round"))
    assert codes(str(top / "sub" / "link.yaml"), "--since", "HEAD") == [
        (str(top / "sub" / "link.yaml"), "DRA314")
    ]
    assert codes(str(top / "out.yaml"), "--since", "HEAD") == []
    assert codes(str(top / "round.yaml"), "--since", "HEAD") == []


def test_what_was_a_folder_or_lay_in_no_folder_has_no_past(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / "b.yaml").mkdir()
    (tmp_path / "b.yaml" / "c.yaml").write_text(claim(2, "c"))
    (tmp_path / "d").write_text("a file")
    commit(tmp_path)
    (tmp_path / "b.yaml" / "c.yaml").unlink()
    (tmp_path / "b.yaml").rmdir()
    (tmp_path / "b.yaml").write_text(claim(1, "b"))
    (tmp_path / "d").unlink()
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "e.yaml").write_text(claim(1, "e"))
    assert codes("--since", "HEAD") == []


def test_a_state_that_is_too_large_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "DEFAULT_LIMITS", documents.Limits(max_bytes=1000))
    repository(tmp_path)
    (tmp_path / "b.yaml").write_text("# " + "x" * 3_000_000)
    (tmp_path / "c.yaml").write_text(claim(2, "c"))
    commit(tmp_path)
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(claim(9, "gpu" if name == "a" else name))
    result = run("--since", "HEAD")
    assert "the file's state at HEAD cannot be read: has 3000002 bytes" in result.stdout
    assert codes("--since", "HEAD") == [
        ("a.yaml", "DRA314"),
        ("b.yaml", "DRA004"),
        ("c.yaml", "DRA314"),
    ]


def test_a_file_of_the_old_folder_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.yaml").write_text(claim(2 if folder == "old" else 3))
    os.mkfifo(tmp_path / "old" / "b.yaml")
    assert codes("new", "--since", "old") == [("new/a.yaml", "DRA314"), ("old/b.yaml", "DRA003")]


# One process


def test_one_process_reads_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = tmp_path / "top"
    repository(top)
    for number in range(30):
        path = top / f"d{number % 5}" / f"{number}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(claim(2, f"c{number}"))
    commit(top)
    for path in top.rglob("*.yaml"):
        path.write_text(path.read_text().replace("count: ", "count: 1"))
    wrapper(tmp_path / "bin", monkeypatch, f'echo "$@" >> {tmp_path}/calls; exec "$GIT" "$@"')
    monkeypatch.chdir(top)
    assert [code for _, code in codes("--since", "HEAD")] == ["DRA314"] * 31
    calls = (tmp_path / "calls").read_text().splitlines()
    # One finds the commit, one reads all files.
    assert [call.split()[-1] for call in calls] == ["--batch-check", "--batch"]


# git as it should not be


def test_text_of_git_is_printed_as_one_harmless_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(tmp_path)
    text = r"printf 'fatal: \033]0;x\007 \342\200\256 \377\n::error::x\n' >&2; exit 128"
    wrapper(tmp_path / "bin", monkeypatch, text)
    message = rejected("a.yaml", "--since", "HEAD")
    assert "git cannot be asked: fatal: ␛]0;x␇ � �; ::error::x" in message


ONLY_THE_SECOND = 'case "$*" in *--batch-check) exec "$GIT" "$@";; esac; '


@pytest.mark.parametrize("first", ["", ONLY_THE_SECOND])
@pytest.mark.parametrize(
    "answer",
    ["", "echo", "echo x commit 5", "echo x tree y", "echo one two three four", "exec cat", "cat"],
)
def test_answers_that_make_no_sense(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, answer: str
) -> None:
    monkeypatch.setattr(snapshots, "SECONDS_OF_GIT", 0.1)
    repository(tmp_path)
    wrapper(tmp_path / "bin", monkeypatch, f"{first}read line; {answer}")
    assert "git cannot be asked" in rejected("a.yaml", "--since", "HEAD")


@pytest.mark.parametrize("first", ["", ONLY_THE_SECOND])
def test_a_git_that_does_not_answer_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    monkeypatch.setattr(snapshots, "SECONDS_OF_GIT", 0.1)
    repository(tmp_path)
    wrapper(tmp_path / "bin", monkeypatch, f"{first}sleep 100")
    assert "no answer" in rejected("a.yaml", "--since", "HEAD")


@pytest.mark.parametrize("body", [b"x", b"100644 a.yaml", b"100644 a.yaml\0short"])
def test_a_tree_that_is_none_is_told(tmp_path: Path, body: bytes) -> None:
    repository(tmp_path)
    tree = write_object(tmp_path, "tree", body)
    who = "x <x> 1 +0000"
    text = f"tree {tree}\nauthor {who}\ncommitter {who}\n\nx\n"
    oid = write_object(tmp_path, "commit", text.encode())
    assert f"the tree {tree} is damaged" in rejected("a.yaml", "--since", oid)


@pytest.mark.parametrize("what", ["HEAD^{tree}", "HEAD:a.yaml", "HEAD:b"])
def test_a_damaged_object_is_a_finding(tmp_path: Path, what: str) -> None:
    repository(tmp_path)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.yaml").write_text(claim(2, "c"))
    commit(tmp_path)
    for name in ("a.yaml", "b/c.yaml"):
        (tmp_path / name).write_text(claim(9, "c" if "c" in name else "gpu"))
    oid = git(tmp_path, "rev-parse", what)
    path = tmp_path / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(b"no zlib")
    expected = {
        "HEAD^{tree}": ["DRA003", "DRA003"],
        "HEAD:a.yaml": ["DRA003", "DRA314"],
        "HEAD:b": ["DRA314", "DRA003"],
    }
    assert [code for _, code in codes("--since", "HEAD")] == expected[what]


def test_git_is_never_one_of_the_linted_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(tmp_path)
    (tmp_path / "git").write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))
    assert codes("a.yaml", "--since", "HEAD") == [("a.yaml", "DRA314")]
    assert not (tmp_path / "ran").exists()
    monkeypatch.setenv("PATH", ".")
    assert "git is not found" in rejected("a.yaml", "--since", "HEAD")


def test_no_repository_at_all(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(claim(2))
    assert "no git work tree holds a.yaml" in rejected("a.yaml", "--since", "HEAD")


@pytest.mark.parametrize("kind", ["empty folder", "odd file", "null", "pipe", "loop"])
def test_what_is_called_dot_git_and_is_no_repository(tmp_path: Path, kind: str) -> None:
    repository(tmp_path)
    entry = tmp_path / "sub" / ".git"
    entry.parent.mkdir()
    (entry.parent / "b.yaml").write_text(claim(2, "b"))
    commit(tmp_path)
    (tmp_path / "a.yaml").write_text(claim(4))
    (entry.parent / "b.yaml").write_text(claim(3, "b"))
    if kind == "empty folder":
        entry.mkdir()
    elif kind == "odd file":
        entry.write_bytes(b"\0\xff")
    elif kind == "null":
        entry.write_bytes(b"gitdir: \0x")
    elif kind == "pipe":
        os.mkfifo(entry)
    else:
        entry.symlink_to(".git")
    assert codes("--since", "HEAD") == [("a.yaml", "DRA314"), ("sub/b.yaml", "DRA314")]


# Clones that lack something


def test_a_shallow_clone_without_the_revision_says_what_to_do(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin")
    first = git(origin, "rev-parse", "HEAD")
    commit(origin)
    git(tmp_path, "clone", "-q", "--depth=1", origin.as_uri(), "clone")
    for since in (first, "HEAD~1"):
        message = rejected("clone", "--since", since)
        assert "neither a folder nor a commit that this clone has" in message
        assert "git fetch --unshallow" in message
    assert codes("clone", "--since", "HEAD") == []
    git(tmp_path / "clone", "fetch", "-q", "--unshallow")
    assert codes("clone", "--since", first) == [("clone/a.yaml", "DRA314")]
    assert "--unshallow" not in rejected("clone", "--since", "none")


@pytest.mark.parametrize("left_out", ["blob:none", "tree:0"])
@pytest.mark.parametrize("old", [False, True])  # a git that would fetch
def test_a_partial_clone_without_the_content_is_told_and_not_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left_out: str, old: bool
) -> None:
    origin = repository(tmp_path / "origin")
    git(origin, "config", "uploadpack.allowFilter", "true")
    (origin / "b.yaml").write_text(claim(2, "b"))
    first = commit(origin)
    (origin / "a.yaml").write_text(claim(4))
    commit(origin)
    git(tmp_path, "clone", "-q", f"--filter={left_out}", origin.as_uri(), "clone")
    clone = tmp_path / "clone"
    (clone / "b.yaml").write_text(claim(-1, "b"))
    packs = sorted((clone / ".git" / "objects" / "pack").iterdir())
    if old:
        wrapper(tmp_path / "bin", monkeypatch, 'unset GIT_NO_LAZY_FETCH; exec "$GIT" "$@"')
    result = run("clone", "--since", first)
    assert f"the file's state at {first} cannot be read: object " in result.stdout
    assert "git fetch --refetch --no-filter" in result.stdout
    found = codes("clone", "--since", first)
    assert ("clone/a.yaml", "DRA003") in found
    assert ("clone/b.yaml", "DRA304") in found  # the finding of the other file
    assert sorted((clone / ".git" / "objects" / "pack").iterdir()) == packs
    git(clone, "fetch", "-q", "--refetch", "--no-filter")
    assert ("clone/a.yaml", "DRA314") in codes("clone", "--since", first)


def test_a_clone_that_borrows_objects(tmp_path: Path) -> None:
    origin = repository(tmp_path / "origin")
    git(tmp_path, "clone", "-q", "--shared", str(origin), "clone")
    (tmp_path / "clone" / "a.yaml").write_text(claim(3))
    assert codes("clone", "--since", "HEAD") == [("clone/a.yaml", "DRA314")]


def test_packed_objects_and_branches(tmp_path: Path) -> None:
    repository(tmp_path)
    git(tmp_path, "gc", "-q")
    assert codes("--since", "main") == [("a.yaml", "DRA314")]


# Several work trees


def test_a_linked_worktree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top = repository(tmp_path / "top")
    git(top, "worktree", "add", "-q", "-b", "topic", "../linked")
    linked = tmp_path / "linked"
    commit(top)  # main goes on: three devices
    (linked / "a.yaml").write_text(claim(3))
    assert codes("linked", "--since", "HEAD") == [("linked/a.yaml", "DRA314")]
    assert codes("linked", "--since", "main") == []
    monkeypatch.chdir(linked)
    assert codes("--since", "HEAD") == [("a.yaml", "DRA314")]
    git(top, "worktree", "add", "-q", "--detach", "inside")
    (top / "inside" / "a.yaml").write_text(claim(7))
    monkeypatch.chdir(top)
    assert codes("--since", "topic") == [("a.yaml", "DRA314"), ("inside/a.yaml", "DRA314")]


def with_submodule(tmp_path: Path) -> Path:
    """A repository with a submodule that has gone on since the last commit of the outer one."""
    repository(tmp_path / "library")
    git(tmp_path / "library", "checkout", "-q", ".")
    outer = repository(tmp_path / "outer")
    git(outer, "submodule", "--quiet", "add", (tmp_path / "library").as_uri(), "sub")
    commit(outer)
    (outer / "sub" / "a.yaml").write_text(claim(5))
    commit(outer / "sub")
    return outer


@pytest.mark.parametrize("most_open", [1, 8])
def test_a_submodule_is_as_the_outer_revision_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_open: int
) -> None:
    monkeypatch.setattr(history, "_KEPT_OPEN", most_open)
    outer = with_submodule(tmp_path)
    sub = outer / "sub"
    # From outside or the outer work tree: the commit of the submodule that the outer HEAD names.
    assert codes("outer/sub", "--since", "HEAD") == [("outer/sub/a.yaml", "DRA314")]
    monkeypatch.chdir(outer)
    assert codes("sub", "--since", "HEAD") == [("sub/a.yaml", "DRA314")]
    # Before it was added it had no past, though its own history has a commit of that name.
    git(sub, "branch", "before", "HEAD~1")
    git(outer, "branch", "before", "HEAD~1")
    assert codes("sub", "--since", "before") == []
    # In the submodule, a revision is one of its own.
    monkeypatch.chdir(sub)
    assert codes("--since", "HEAD") == []
    assert codes("--since", "before") == [("a.yaml", "DRA314")]
    assert codes("--since", "before", "../a.yaml") == [("../a.yaml", "DRA314")]
    assert "neither" in rejected("--since", "v1")


def test_a_submodule_without_the_commit_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = with_submodule(tmp_path)
    git(outer, "update-index", "--cacheinfo", f"160000,{'1' * 40},sub")
    git(outer, "commit", "-qm", "names a commit that nobody has")
    monkeypatch.chdir(outer)
    message = rejected("--since", "HEAD")
    assert f"the submodule {outer}/sub lacks the commit {'1' * 40}" in message
    assert "git submodule update" in message


def test_a_submodule_of_a_submodule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = with_submodule(tmp_path)
    commit(inner)
    git(inner / "sub", "push", "-q", "origin", "HEAD:refs/heads/other")
    whole = repository(tmp_path / "whole")
    git(whole, "submodule", "--quiet", "add", inner.as_uri(), "deep")
    git(whole, "submodule", "--quiet", "update", "--init", "--recursive")
    commit(whole)
    (whole / "deep" / "sub" / "a.yaml").write_text(claim(8))
    monkeypatch.chdir(whole)
    assert codes("deep/sub", "--since", "HEAD") == [("deep/sub/a.yaml", "DRA314")]
    assert codes("deep/sub", "--since", "HEAD~1") == []
    assert "neither" in rejected("deep/sub", "--since", "none")


def test_a_clone_inside_another_work_tree_has_its_own_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = repository(tmp_path)
    inner = repository(tmp_path / "inner")
    git(inner, "branch", "own")
    assert codes("--since", "main") == [("a.yaml", "DRA314"), ("inner/a.yaml", "DRA314")]
    assert codes("inner", "--since", "own") == [("inner/a.yaml", "DRA314")]
    assert "that this clone has: " + str(home) in rejected("--since", "own")


@pytest.mark.parametrize("most_open", [1, 8])
def test_two_repositories_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most_open: int
) -> None:
    monkeypatch.setattr(history, "_KEPT_OPEN", most_open)
    for name in ("one", "two"):
        repository(tmp_path / name)
        (tmp_path / name / "a.yaml").write_text(claim(3, name))
    assert codes("one", "two", "--since", "HEAD") == []  # other names, so nothing was updated
    for name in ("one", "two"):
        commit(tmp_path / name)
        (tmp_path / name / "a.yaml").write_text(claim(4, name))
    assert codes("one", "two", "--since", "HEAD") == [
        ("one/a.yaml", "DRA314"),
        ("two/a.yaml", "DRA314"),
    ]
    git(tmp_path / "one", "branch", "topic")
    assert str(tmp_path / "two") in rejected("one", "two", "--since", "topic")


def test_a_repository_that_only_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = repository(tmp_path / "top")
    (top / ".git").rename(tmp_path / "elsewhere")
    monkeypatch.chdir(top)
    assert "no git work tree" in rejected("--since", "HEAD")
    monkeypatch.setenv("GIT_DIR", "../elsewhere")
    assert codes("--since", "HEAD") == [("a.yaml", "DRA314")]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_DIR", "elsewhere")
    monkeypatch.setenv("GIT_WORK_TREE", "top")
    assert codes("top", "--since", "HEAD") == [("top/a.yaml", "DRA314")]


def test_the_environment_of_a_hook_chooses_no_other_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(tmp_path / "top")
    other = repository(tmp_path / "other")
    git(other, "checkout", "-q", "--orphan", "nothing")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "none"))
    assert codes("top", "--since", "HEAD") == [("top/a.yaml", "DRA314")]


def test_a_repository_of_somebody_else_is_rejected_with_the_reason_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(tmp_path)
    keep = 'export GIT_TEST_ASSUME_DIFFERENT_OWNER=1; exec "$GIT" "$@"'
    wrapper(tmp_path / "bin", monkeypatch, keep)
    assert "safe.directory" in rejected("a.yaml", "--since", "HEAD")
    (tmp_path / "config").write_text("[safe]\ndirectory = *\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    assert codes("a.yaml", "--since", "HEAD") == [("a.yaml", "DRA314")]

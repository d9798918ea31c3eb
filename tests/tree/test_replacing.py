"""A rewritten file is the same file with other content, or stays as it was."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dradsl.text.files import FileError
from dradsl.tree import replacing
from dradsl.tree.files import Tree
from dradsl.tree.replacing import write_bytes

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_writing_keeps_mode_and_links(tmp_path: Path) -> None:
    target, link = tmp_path / "a.yaml", tmp_path / "link.yaml"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_bytes(link, b"new")
    assert target.read_bytes() == b"new"
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.yaml", "link.yaml"]


def test_new_files_have_the_usual_mode(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_bytes(tmp_path / "a.yaml", b"x")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "a.yaml").stat().st_mode) == 0o640


def test_a_failed_write_leaves_the_old_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.yaml"
    target.write_bytes(b"old")

    def fail(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FileError, match="No space left") as caught:
        write_bytes(target, b"new")
    assert caught.value.reason == "failed"
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]


def test_a_file_that_somebody_else_changed_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "a.yaml"
    target.write_bytes(b"read\n")
    write_bytes(target, b"new\n", expected=b"read\n")
    assert target.read_bytes() == b"new\n"
    for theirs in (b"read\n# theirs\n", b"rEad\n", b""):
        target.write_bytes(theirs)
        with pytest.raises(FileError) as caught:
            write_bytes(target, b"new\n", expected=b"read\n")
        assert caught.value.reason == "changed"
        assert target.read_bytes() == theirs
    target.unlink()
    with pytest.raises(FileError, match="removed"):
        write_bytes(target, b"new\n", expected=b"read\n")
    assert names(tmp_path) == []
    write_bytes(target, b"new\n", expected=b"")
    assert target.read_bytes() == b"new\n"


@pytest.mark.parametrize("how", ["in place", "replaced"])
def test_a_change_while_the_new_content_is_written(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "a.yaml"
    target.write_bytes(b"read")
    sync = os.fsync

    def meanwhile(handle: int) -> None:
        if how == "in place":
            target.write_bytes(b"theirs")
        else:
            other = tmp_path / "other"
            other.write_bytes(b"theirs")
            other.replace(target)
        sync(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(FileError) as caught:
        write_bytes(target, b"new", expected=b"read")
    assert caught.value.reason == "changed"
    assert target.read_bytes() == b"theirs"
    assert names(tmp_path) == ["a.yaml"]


@as_root
def test_writing_keeps_owner_and_group(tmp_path: Path) -> None:
    target = tmp_path / "a.yaml"
    target.write_bytes(b"old")
    os.chown(target, 1234, 2345)
    target.chmod(0o640)
    before = target.stat().st_ino
    write_bytes(target, b"new")
    status = target.stat()
    assert status.st_ino != before, "a new file, not the old one written over"
    assert (status.st_uid, status.st_gid) == (1234, 2345)
    assert stat.S_IMODE(status.st_mode) == 0o640
    assert target.read_bytes() == b"new"


def test_writing_keeps_extended_attributes(tmp_path: Path) -> None:
    target = tmp_path / "a.yaml"
    target.write_bytes(b"old")
    try:
        os.setxattr(target, "user.note", b"mine")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes here")
    write_bytes(target, b"new")
    assert target.read_bytes() == b"new"
    assert os.getxattr(target, "user.note") == b"mine"


def test_an_owner_that_cannot_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another user's file that the group may write: it stays that user's."""
    target = tmp_path / "a.yaml"
    target.write_bytes(b"old and longer")
    before = target.stat().st_ino

    def rejected(*_: object) -> bool:
        return False

    monkeypatch.setattr(replacing._Replacing, "_like_the_old", rejected)
    write_bytes(target, b"new")
    assert target.read_bytes() == b"new"
    assert target.stat().st_ino == before
    assert names(tmp_path) == ["a.yaml"]


def test_hard_links_stay_one_file(tmp_path: Path) -> None:
    target, other = tmp_path / "a.yaml", tmp_path / "b.yaml"
    target.write_bytes(b"old")
    os.link(target, other)
    write_bytes(target, b"new", expected=b"old")
    assert other.read_bytes() == b"new"
    assert target.samefile(other)
    assert names(tmp_path) == ["a.yaml", "b.yaml"]


def test_what_is_written_in_place_comes_back_if_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, other = tmp_path / "a.yaml", tmp_path / "b.yaml"
    target.write_bytes(b"old content")
    os.link(target, other)
    write, calls = os.write, []

    def full(handle: int, data: bytes) -> int:
        calls.append(len(data))
        if len(calls) == 1:
            return write(handle, bytes(data)[:2])
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        return write(handle, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(FileError, match="No space left"):
        write_bytes(target, b"NEW CONTENT, longer")
    assert target.read_bytes() == b"old content"
    assert names(tmp_path) == ["a.yaml", "b.yaml"]


@pytest.mark.parametrize("length", [200, 247, 255])
def test_names_as_long_as_they_may_be(length: int, tmp_path: Path) -> None:
    target = tmp_path / ("l" * length)
    target.write_bytes(b"old")
    write_bytes(target, b"new")
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize(
    "link", ["file", "folder", "folder above", "chain", "absolute", "new", ".git"]
)
@pytest.mark.parametrize("how", ["work tree", "working directory", "folder of the call"])
def test_links_out_of_the_tree(
    how: str, link: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On any step of the path; with and without git."""
    tree, out = tmp_path / "tree", tmp_path / "out"
    (tree / "deep" / "er").mkdir(parents=True)
    (out / "er").mkdir(parents=True)
    (tree / ".git").mkdir()
    for folder in (out, out / "er", tree / ".git"):
        (folder / "victim").write_bytes(b"old")
    name, target = {
        "file": ("deep/link", "../../out/victim"),
        "folder": ("deep/link", "../../out"),
        "folder above": ("link", "../out"),
        "chain": ("deep/link", "../second"),
        "absolute": ("deep/link", str(out / "victim")),
        "new": ("deep/link", "../../out/not-there"),
        ".git": ("deep/link", "../.git/victim"),
    }[link]
    (tree / name).symlink_to(target)
    (tree / "second").symlink_to("../out/victim")
    path = {"folder": "deep/link/victim", "folder above": "link/er/victim"}.get(link, name)
    if how != "work tree":
        (tree / ".git").rename(tree / "no-git" if link != ".git" else tmp_path / ".git")
    if link == ".git" and how != "work tree":
        (tree / name).unlink()
        (tree / name).symlink_to("../../.git/victim")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tree if how == "working directory" else tmp_path / "elsewhere")
    before = {each: each.read_bytes() for each in tmp_path.rglob("victim") if each.is_file()}
    own = Tree.around(tree) if how == "folder of the call" else None
    for written in (tree / path, path if how == "working directory" else f"../tree/{path}"):
        with pytest.raises(FileError) as caught:
            write_bytes(written, b"new", tree=own)
        assert caught.value.reason == "outside"
    assert before == {
        each: each.read_bytes() for each in tmp_path.rglob("victim") if each.is_file()
    }
    assert names(out) == ["er", "victim"]


@pytest.mark.parametrize("git", [True, False])
def test_links_within_the_tree(git: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tmp_path / "tree"
    (tree / "deep").mkdir(parents=True)
    (tree / "inner").write_bytes(b"old")
    (tree / "deep" / "file").symlink_to("../inner")
    (tree / "folder").symlink_to("deep")
    if git:
        (tree / ".git").mkdir()
    monkeypatch.chdir(tree)
    for number, path in enumerate(("deep/file", "folder/file", str(tree / "folder" / "file"))):
        write_bytes(path, b"new %d" % number)
        assert (tree / "inner").read_bytes() == b"new %d" % number
    write_bytes("folder/new", b"new")
    assert (tree / "deep" / "new").read_bytes() == b"new"


def test_what_the_user_names_by_steps_up_or_from_the_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No link of the tree is on the way: it may be anywhere, also behind a link of the user's own."""
    (tmp_path / "tree" / ".git").mkdir(parents=True)
    (tmp_path / "real").mkdir()
    (tmp_path / "own").symlink_to("real")
    monkeypatch.chdir(tmp_path / "tree")
    for path in ("../a", str(tmp_path / "own" / "b"), "../real/c", ".git/d"):
        write_bytes(path, b"new")
        assert Path(path).read_bytes() == b"new"


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    write_bytes("/dev/null", b"x")
    assert Path("/dev/null").is_char_device()
    code = "from dradsl.tree.replacing import write_bytes\nwrite_bytes('/dev/stdout', b'new\\n')"
    target = tmp_path / "a"
    target.write_bytes(b"old\n")
    with target.open("ab") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
    assert target.read_bytes() == b"old\nnew\n"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError):
        write_bytes(tmp_path / "pipe", b"nobody reads this")

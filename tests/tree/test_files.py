"""What a tree reads and lists: no step of a path leads out of it."""

from __future__ import annotations

import glob
import sys
from typing import TYPE_CHECKING

import pytest

from dradsl.text.files import FileError
from dradsl.tree.files import Tree

if TYPE_CHECKING:
    from pathlib import Path

LINKS = {
    "file": ("a/link.yaml", "../../out/x.yaml", "a/link.yaml"),
    "absolute file": ("a/link.yaml", "{out}/x.yaml", "a/link.yaml"),
    "chain": ("a/link.yaml", "../second", "a/link.yaml"),
    "folder": ("a/b/link", "../../../out", "a/b/link/x.yaml"),
    "folder above": ("link", "../out", "link/sub/x.yaml"),
    "the root": ("a/link", "/", "a/link/etc/passwd"),
    "the parent": ("a/link", "../..", "a/link/out/x.yaml"),
    "through the tree": ("a/link", "../../out/../out", "a/link/x.yaml"),
}


@pytest.fixture(params=[True, False], ids=["git", "no git"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    for folder in ("tree/a/b", "tree/c", "out/sub"):
        (tmp_path / folder).mkdir(parents=True)
    for name in (
        "tree/a/x.yaml",
        "tree/a/b/y.yaml",
        "tree/c/z.yaml",
        "out/x.yaml",
        "out/sub/x.yaml",
    ):
        (tmp_path / name).write_text(name)
    if request.param:
        (tmp_path / "tree" / ".git").mkdir()
    (tmp_path / "tree" / "second").symlink_to("../out/x.yaml")
    return tmp_path / "tree"


@pytest.mark.parametrize("kind", LINKS)
def test_links_out(kind: str, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, target, path = LINKS[kind]
    (tree / name).symlink_to(target.format(out=tree.parent / "out"))
    monkeypatch.chdir(tree)
    for own, start in ((Tree.of("."), ""), (Tree.of(tree), f"{tree}/"), (Tree.around("a"), "")):
        with pytest.raises(FileError) as caught:
            own.read(start + path)
        assert caught.value.reason == "outside"
        assert not own.is_file(start + path)
        assert not own.is_folder(start + path.rpartition("/")[0]) or path == name
        listed = listing(lambda own=own, start=start: list(own.walk(start + name)))
        assert listed == []
        with pytest.raises(FileError):
            own.make_folder(f"{start}{name}/new")
        inside = listing(
            lambda own=own, start=start: [*own.walk(start or "."), *own.files(start or ".")]
        )
        assert inside
        assert all(each.startswith(str(tree)) for each in inside), inside
        for pattern in ("*", "*/*.yaml", "**/*.yaml", "a/**", "*/*/*", "*/*/*/*.yaml"):
            found: list[str] = []
            seen = listing(lambda own=own, p=start + pattern, f=found: f.extend(own.glob(p)))
            assert all(each.startswith(str(tree)) for each in seen), (pattern, seen)
            assert not any(each.startswith(f"{start}{name}/") for each in found)


def listing(call: object) -> list[str]:
    """The folders that a call lists, links followed."""
    import os

    seen: list[str] = []
    active = [True]

    def watch(event: str, words: tuple[object, ...]) -> None:
        if active and event in ("os.listdir", "os.scandir") and isinstance(words[0], str):
            seen.append(os.path.realpath(words[0]))

    sys.addaudithook(watch)
    try:
        call()  # type: ignore[operator]
    finally:
        active.clear()
    return seen


def test_links_inside_are_followed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "a" / "up.yaml").symlink_to("../c/z.yaml")
    (tree / "linked").symlink_to("a")
    monkeypatch.chdir(tree)
    own = Tree.of(".")
    assert own.read("a/up.yaml") == b"tree/c/z.yaml"
    assert own.read("linked/up.yaml") == b"tree/c/z.yaml"
    assert own.is_folder("linked")
    assert "a/up.yaml" in own.glob("*/*.yaml")
    assert "linked/x.yaml" in own.glob("*/*.yaml")
    assert [name.removeprefix("./") for name in own.files("linked")] == [
        "linked/up.yaml",
        "linked/x.yaml",
        "linked/b/y.yaml",
    ]


def test_a_folder_that_is_named_may_be_a_link(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "named").symlink_to("../out")
    (tree.parent / "out" / "back").symlink_to("../tree/c/z.yaml")
    monkeypatch.chdir(tree)
    own = Tree.of("named")
    assert own.read("named/x.yaml") == b"out/x.yaml"
    assert own.glob("named/*.yaml") == ["named/x.yaml"]
    with pytest.raises(FileError):
        own.read("named/back")


@pytest.mark.parametrize(
    "pattern",
    ["*", "*.yaml", "*/*.yaml", "**/*.yaml", "a/*", "**", "a/**/y.yaml", "[ac]/?.yaml", ".*", "*/",
     "./*/x.yaml", "nothing/*", "a/x.yaml", "*/**/*.yaml", "**/b"],
)  # fmt: skip
def test_patterns_find_what_those_of_python_find(
    pattern: str, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / ".hidden").mkdir()
    (tree / ".hidden" / "h.yaml").write_text("")
    (tree / "second").unlink()
    monkeypatch.chdir(tree)
    for start in ("", f"{tree}/"):
        expected = glob.glob(start + pattern, recursive=True, include_hidden=False)  # noqa: PTH207 - the model
        found = Tree.of(".").glob(start + pattern)
        assert sorted(each.rstrip("/") for each in found) == sorted(
            {each.rstrip("/") for each in expected} - {""}
        )


def test_two_links_to_the_tree_itself_are_no_loop(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Followed, each level would double what is found."""
    (tree / "one").symlink_to(".")
    (tree / "two").symlink_to(".")
    monkeypatch.chdir(tree)
    assert len(listing(lambda: Tree.of(".").glob("**/*.yaml"))) < 30
